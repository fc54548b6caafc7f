//! `damabase moves`: the legal moves of a position.

use std::fmt;

use clap::Args;
use damabase_formats::{Fen, Notation, hub_text, move_text, picture};
use damabase_rules::{Rules, VariantId, legal_moves, with_rules};
use serde::Serialize;

use crate::args::NotationName;
use crate::failure::Failure;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  damabase moves international 'W:W28,K36:B23,41'
  damabase moves russian 'W:WKa1:Bd4,g7' --notation numeric --json

JSON: variant, fen, moves: an array of move, hub (the Hub protocol's text, which names the captured
squares) and fen (the position that follows).";

/// List the legal moves of a position
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The game, by name or PDN GameType number
    variant: VariantId,
    /// The position
    fen: String,
    /// How squares are written [default: as is the custom of the game]
    #[arg(long)]
    notation: Option<NotationName>,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    variant: String,
    fen: String,
    #[serde(skip)]
    picture: String,
    #[serde(skip)]
    side: &'static str,
    moves: Vec<MoveRow>,
}

#[derive(Serialize)]
struct MoveRow {
    #[serde(rename = "move")]
    text: String,
    hub: String,
    fen: String,
}

/// # Errors
/// [`Failure::Input`], [`Failure::Io`].
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let report = with_rules!(arguments.variant, G => {
        let notation = NotationName::or_default(arguments.notation, G::VARIANT.notation);
        report(&Fen::<G>::parse(&arguments.fen)?, notation)
    });
    output::print(&report, arguments.json)
}

fn report<G: Rules>(fen: &Fen<G>, notation: Notation) -> Report {
    let position = &fen.position;
    let all = legal_moves(position);
    let moves = all.iter().map(|m| MoveRow {
        text: move_text(fen.side, position, m, &all, notation),
        hub: hub_text::<G>(fen.side, m),
        fen: Fen::new(fen.side.other(), position.after(m)).to_string(),
    });
    Report {
        variant: G::ID.to_string(),
        fen: fen.to_string(),
        picture: picture(fen.side, position),
        side: output::side_name(fen.side),
        moves: moves.collect(),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}  {}\n\n{}\n", self.variant, self.fen, self.picture)?;
        match self.moves.len() {
            0 => return writeln!(f, "{} to move has no legal move.", self.side),
            1 => writeln!(f, "{} to move, 1 legal move:", self.side)?,
            n => writeln!(f, "{} to move, {n} legal moves:", self.side)?,
        }
        let width = self.moves.iter().map(|m| m.text.len()).max().unwrap_or(0);
        for m in &self.moves {
            writeln!(f, "  {:width$}  {}", m.text, m.fen)?;
        }
        Ok(())
    }
}
