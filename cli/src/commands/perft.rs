//! `damabase perft`: counting move sequences, the standard test of a move generator.

use std::fmt;

use clap::{Args, ValueEnum};
use damabase_formats::{Fen, move_text};
use damabase_rules::{
    Counting, MoveList, Position, Rules, VariantId, legal_moves_into, perft, with_rules,
};
use rayon::prelude::*;
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{self, columns, grouped};

const EXAMPLES: &str = "\
Examples:
  damabase perft international --depth 7
  damabase perft russian 'W:WKa1:Bd4,g7' --depth 3 --divide
  damabase perft brazilian --depth 9 --count path

JSON: variant, fen, count, depth, leaves, depths: an array of depth and leaves from 1 on; with
--divide also moves: an array of move and leaves.";

/// Count the move sequences of a given length
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The game, by name or PDN GameType number
    variant: VariantId,
    /// The position [default: the start of the game]
    fen: Option<String>,
    /// Length in plies; a game that ends earlier adds nothing
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: u32,
    /// When two captures count as two moves
    #[arg(long, default_value = "distinct")]
    count: Count,
    /// Also count the sequences that begin with each move
    #[arg(long)]
    divide: bool,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Count {
    /// When they differ in origin, destination or captured pieces
    Distinct,
    /// Also when they differ only in the order of the captured pieces, as many published figures
    /// have it
    Path,
}

impl From<Count> for Counting {
    fn from(count: Count) -> Counting {
        match count {
            Count::Distinct => Counting::Distinct,
            Count::Path => Counting::ByPath,
        }
    }
}

#[derive(Serialize)]
struct Report {
    variant: String,
    fen: String,
    count: Count,
    depth: u32,
    leaves: u64,
    depths: Vec<DepthRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<MoveRow>>,
}

#[derive(Serialize)]
struct DepthRow {
    depth: u32,
    leaves: u64,
}

#[derive(Serialize)]
struct MoveRow {
    #[serde(rename = "move")]
    text: String,
    leaves: u64,
}

/// # Errors
/// [`Failure::Input`], [`Failure::Io`].
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let report = with_rules!(arguments.variant, G => report::<G>(&arguments)?);
    output::print(&report, arguments.json)
}

fn report<G: Rules>(arguments: &Arguments) -> Result<Report, Failure> {
    let fen = match &arguments.fen {
        Some(text) => Fen::<G>::parse(text)?,
        None => Fen::new(G::VARIANT.starts, Position::start()),
    };
    let mut moves = MoveList::new();
    legal_moves_into(&fen.position, arguments.count.into(), &mut moves);
    let leaves_after = |depth: u32| -> Vec<u64> {
        let count = |m| perft(&fen.position.after(m), depth - 1, arguments.count.into());
        moves.par_iter().map(count).collect()
    };
    let leaves: Vec<Vec<u64>> = (1..=arguments.depth).map(leaves_after).collect();
    let depths: Vec<DepthRow> = (1..)
        .zip(&leaves)
        .map(|(depth, leaves)| DepthRow { depth, leaves: leaves.iter().sum() })
        .collect();
    let mut rows: Vec<MoveRow> = Vec::new();
    for (m, leaves) in moves.iter().zip(leaves.last().into_iter().flatten()) {
        let text = move_text(fen.side, &fen.position, m, &moves, G::VARIANT.notation);
        // By path the same move comes several times.
        match rows.iter_mut().find(|row| row.text == text) {
            Some(row) => row.leaves += leaves,
            None => rows.push(MoveRow { text, leaves: *leaves }),
        }
    }
    Ok(Report {
        variant: G::ID.to_string(),
        fen: fen.to_string(),
        count: arguments.count,
        depth: arguments.depth,
        leaves: depths.last().map_or(0, |row| row.leaves),
        depths,
        moves: arguments.divide.then_some(rows),
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}  {}\n", self.variant, self.fen)?;
        let row = |name: String, leaves: u64| vec![name, grouped(leaves)];
        if let Some(moves) = &self.moves {
            let mut rows = vec![vec!["move".to_string(), "leaves".to_string()]];
            rows.extend(moves.iter().map(|m| row(m.text.clone(), m.leaves)));
            rows.push(row("all".to_string(), self.leaves));
            return f.write_str(&columns(&rows, &[0]));
        }
        let mut rows = vec![vec!["depth".to_string(), "leaves".to_string()]];
        rows.extend(self.depths.iter().map(|d| row(d.depth.to_string(), d.leaves)));
        f.write_str(&columns(&rows, &[0]))
    }
}
