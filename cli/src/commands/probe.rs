//! `damabase probe`: the value of a position and of its moves.

use std::path::PathBuf;

use clap::Args;
use damabase_formats::{Fen, Notation};
use damabase_probe::TableSet;
use damabase_rules::{Rules, VariantId, with_rules};

use crate::args::{Folder, NotationName};
use crate::failure::Failure;
use crate::output;

mod answer;
mod batch;

const EXAMPLES: &str = "\
Examples:
  damabase probe russian 'W:WK29,K30,K31:BK6'
  damabase probe international 'W:W23:B5,6' --json
  damabase probe russian - < positions.fen > values.jsonl

JSON: variant, fen (as Damabase writes it), slice, wld (\"win\", \"draw\" or \"loss\" for the side to move),
dtw (plies to the end of the game), dtc (plies to the next capture or man move), budget (plies that
must be left on the draw counter), budget_state (\"exact\", \"never\", \"draw\", \"missing\"), moves: an array,
best first, of move and the same value fields for the side that moves, the move itself counted.
dtw, dtc and budget are null for draws and where there is no such table.

With - for FEN, each line of standard input is a FEN and gives one line of JSON, in the same order. A
line without an answer gives line (its number), error and kind (\"input\", \"missing\", \"damaged\", \"io\"),
and the rest goes on; the exit code is then the greatest one of all lines.";

/// Look up the value of a position, and what each move leads to
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The game, by name or PDN GameType number
    variant: VariantId,
    /// The position; - reads one a line from standard input
    fen: String,
    #[command(flatten)]
    folder: Folder,
    /// How squares are written in moves [default: as is the custom of the game]
    #[arg(long)]
    notation: Option<NotationName>,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// Answers questions about positions of one game.
struct Prober<G: Rules> {
    tables: TableSet<G>,
    notation: Notation,
}

/// # Errors
/// Any [`Failure`] but an interruption.
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let dir = arguments.folder.path()?;
    with_rules!(arguments.variant, G => {
        let notation = NotationName::or_default(arguments.notation, G::VARIANT.notation);
        let prober = Prober::<G>::new(dir, notation)?;
        if arguments.fen == "-" {
            batch::run(&prober)
        } else {
            output::print(&prober.answer(&arguments.fen)?, arguments.json)
        }
    })
}

impl<G: Rules> Prober<G> {
    fn new(dir: PathBuf, notation: Notation) -> Result<Self, Failure> {
        Ok(Prober { tables: TableSet::open(&[dir])?, notation })
    }

    fn answer(&self, text: &str) -> Result<answer::Answer<G>, Failure> {
        answer::answer(&self.tables, &Fen::parse(text)?, self.notation)
    }
}
