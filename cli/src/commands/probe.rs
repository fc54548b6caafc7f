//! `damabase probe`: the value of a position and of its moves.

use clap::Args;
use damabase_formats::{Fen, Notation};
use damabase_probe::{TableSet, Under};
use damabase_rules::{Rules, VariantId, with_rules};

use crate::args::{Folder, NotationName};
use crate::failure::Failure;
use crate::output;
use crate::profile;

mod answer;
mod batch;
pub mod counted;

const EXAMPLES: &str = "\
Examples:
  damabase probe russian 'W:WK29,K30,K31:BK6'
  damabase probe international 'W:W23:B5,6' --json
  damabase probe russian - < positions.fen > values.jsonl
  damabase probe international 'W:WK2,6:BK50' --profile fmjd100-2018 --counter C5=2

JSON: variant, fen (as Damabase writes it), slice, profile (or \"none\"), wld (\"win\", \"draw\" or \"loss\" for the side to move),
dtw (plies to the end of the game), dtc (plies to the next capture or man move), budget (plies that
must be left on the draw counters of --profile), budget_state (\"exact\", \"never\", \"draw\", \"missing\",
\"several\"), moves: an array,
best first, of move and the same value fields for the side that moves, the move itself counted.
dtw, dtc and budget are null for draws and where there is no such table.

With --profile also counters (name: plies counted), value (\"win\", \"cursed-win\", \"draw\",
\"blessed-loss\", \"loss\", or null where it is unknown: a win that comes too late is cursed), plies_left,
plies_to_spare, decided_by (counter, article, status of its source), why_unknown; for each move value,
plies_left and budget of the position after it, plies_to_spare, decided_by, best first under the profile.
budget_state is \"never\" where no number of plies is enough, \"several\" where several counters decide (then
plies_to_spare says by how much each could be greater). Counters are those of the FEN (:H<plies> where
one streak counter is on, else :C<NAME>=<plies>), else, without :C there, those of --counter, else all 0.

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
    /// The draw rules whose counters run: a profile's name or file [default: none; with --counter
    /// that of the game]
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    /// The value of a counter, in plies; may be given several times; for FENs without :C
    #[arg(long = "counter", value_name = "NAME=PLIES", value_parser = counter)]
    counters: Vec<(String, u32)>,
    #[command(flatten)]
    folder: Folder,
    /// How squares are written in moves [default: as is the custom of the game]
    #[arg(long)]
    notation: Option<NotationName>,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// A counter's name and value.
pub fn counter(text: &str) -> Result<(String, u32), String> {
    let (name, plies) = text.split_once('=').ok_or("expected NAME=PLIES, such as C5=4")?;
    let plies = plies.parse().map_err(|_| format!("'{plies}' is no number of plies"))?;
    Ok((name.to_string(), plies))
}

/// Answers questions about positions of one game.
struct Prober<'t, G: Rules> {
    tables: &'t TableSet<G>,
    under: Option<Under<'t, G>>,
    /// Counters for positions that do not give any.
    counters: Vec<(String, u32)>,
    notation: Notation,
}

/// # Errors
/// Any [`Failure`] but an interruption.
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let dir = arguments.folder.path()?;
    with_rules!(arguments.variant, G => {
        let notation = NotationName::or_default(arguments.notation, G::VARIANT.notation);
        let asked = arguments.profile.is_some() || !arguments.counters.is_empty();
        let profile = match asked {
            true => Some(profile::choose(arguments.profile.as_deref(), arguments.variant)?),
            false => None,
        };
        let tables = TableSet::<G>::open(&[dir])?;
        let under = profile.map(|profile| tables.under(&profile));
        let prober = Prober { tables: &tables, under, counters: arguments.counters, notation };
        if arguments.fen == "-" {
            batch::run(&prober)
        } else {
            output::print(&prober.answer(&arguments.fen)?, arguments.json)
        }
    })
}

impl<G: Rules> Prober<'_, G> {
    fn answer(&self, text: &str) -> Result<answer::Answer<'_, G>, Failure> {
        answer::answer(self, &Fen::parse(text)?)
    }
}
