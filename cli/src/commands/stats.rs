//! `damabase stats`: what the tables hold.

use std::collections::BTreeMap;
use std::fmt;

use clap::Args;
use damabase_formats::ToMove;
use damabase_generator::{SliceStats, stats};
use damabase_probe::TableSet;
use damabase_rules::{VariantId, with_rules};
use serde::Serialize;

use crate::args::Folder;
use crate::failure::Failure;
use crate::output::{self, columns, grouped};
use crate::tables;

const EXAMPLES: &str = "\
Examples:
  damabase stats russian
  damabase stats international --dir tables --json

\"first\" means that the side named first in the slice moves; a symmetric slice has only that. Wins and
losses are those of the side to move.

JSON: variant, slices: an array of slice, to_move (\"first\" or \"second\"), positions, wins, draws,
losses, bytes (of the slice's files, which hold both sides to move); pieces: an array of pieces, to_move,
positions, wins, draws, losses, summed over the slices with so many pieces; files, bytes: of all slices.";

/// Show what the tables hold: wins, draws and losses of each slice
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The game, by name or PDN GameType number
    variant: VariantId,
    #[command(flatten)]
    folder: Folder,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    variant: &'static str,
    slices: Vec<SliceRow>,
    pieces: Vec<PiecesRow>,
    files: usize,
    bytes: u64,
}

#[derive(Serialize)]
struct SliceRow {
    slice: String,
    to_move: &'static str,
    #[serde(flatten)]
    numbers: Numbers,
    bytes: u64,
}

#[derive(Serialize)]
struct PiecesRow {
    pieces: u32,
    to_move: &'static str,
    #[serde(flatten)]
    numbers: Numbers,
}

#[derive(Clone, Copy, Default, Serialize)]
struct Numbers {
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
}

/// # Errors
/// [`Failure::Missing`] where there is no table, [`Failure::Damaged`], [`Failure::Io`].
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let dir = arguments.folder.path()?;
    let slices = with_rules!(arguments.variant, G => {
        stats(&TableSet::<G>::open(std::slice::from_ref(&dir))?)?
    });
    if slices.is_empty() {
        return Err(tables::none(arguments.variant, &dir));
    }
    output::print(&report(arguments.variant, &slices), arguments.json)
}

fn report(variant: VariantId, slices: &[SliceStats]) -> Report {
    let mut rows = Vec::new();
    let mut pieces: BTreeMap<(u32, ToMove), Numbers> = BTreeMap::new();
    let (mut files, mut all_bytes) = (0, 0);
    for slice in slices {
        let bytes = slice.size_bytes.iter().map(|(_, bytes)| bytes).sum();
        files += slice.size_bytes.len();
        all_bytes += bytes;
        for side in &slice.sides {
            let numbers = Numbers {
                positions: side.counts.positions,
                wins: side.counts.wins,
                draws: side.counts.draws,
                losses: side.counts.losses,
            };
            rows.push(SliceRow {
                slice: slice.slice.to_string(),
                to_move: side.to_move.name(),
                numbers,
                bytes,
            });
            pieces.entry((slice.slice.pieces(), side.to_move)).or_default().add(numbers);
        }
    }
    let pieces = pieces
        .into_iter()
        .map(|((pieces, to_move), numbers)| PiecesRow { pieces, to_move: to_move.name(), numbers })
        .collect();
    Report { variant: variant.variant().name, slices: rows, pieces, files, bytes: all_bytes }
}

impl Numbers {
    fn add(&mut self, other: Numbers) {
        self.positions += other.positions;
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }

    fn cells(&self, name: &str, to_move: &str) -> Vec<String> {
        let numbers = [self.positions, self.wins, self.draws, self.losses];
        let mut cells = vec![name.to_string(), to_move.to_string()];
        cells.extend(numbers.map(grouped));
        cells
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = |name: &str| {
            let title = [name, "to move", "positions", "wins", "draws", "losses"];
            title.map(String::from).to_vec()
        };
        let mut rows = vec![title("slice")];
        rows[0].push("bytes".to_string());
        rows.extend(self.slices.iter().map(|row| {
            let mut cells = row.numbers.cells(&row.slice, row.to_move);
            cells.push(grouped(row.bytes));
            cells
        }));
        writeln!(f, "{}", columns(&rows, &[0, 1]))?;
        let mut rows = vec![title("pieces")];
        let cells = |row: &PiecesRow| row.numbers.cells(&row.pieces.to_string(), row.to_move);
        rows.extend(self.pieces.iter().map(cells));
        writeln!(f, "{}", columns(&rows, &[0, 1]))?;
        writeln!(f, "{} files with {} bytes", self.files, grouped(self.bytes))
    }
}
