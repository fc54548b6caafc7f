//! `damabase stats`: what the tables hold.

mod page;
mod results;

use std::fmt;
use std::path::PathBuf;

use clap::Args;
use damabase_explorer::statistics::{Numbers, PiecesRow, Statistics};
use damabase_explorer::write_site;
use damabase_generator::stats;
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
  damabase stats russian --html pages
  damabase stats international --profile fmjd100-2018,li-standard

\"first\" means that the side named first in the slice moves; a symmetric slice has only that. Wins
and losses are those of the side to move.

JSON: variant, slices: an array of slice, to_move (\"first\" or \"second\"), positions, wins, draws,
losses, longest_win (plies, or null without a dtw table), bytes (of the slice's files, which hold
both sides to move); pieces: an array of pieces, to_move, positions, wins, draws, losses, summed
over the slices with so many pieces; files, bytes: of all slices.
With --profile: variant, profiles: an array of profile, also (profiles with the same tables),
slices: an array of slice, pieces, limit (plies left with a fresh count, or null), counters (which
decide), positions, wins (of either side), wins_in_time (from a fresh count), longest (plies, or
null), least_spare (plies), tightest_fen (a position with so few to spare), effect; several: slices
without a table in which several counters decide.";

/// Show what the tables hold: wins, draws and losses of each slice
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The game, by name or PDN GameType number
    variant: VariantId,
    #[command(flatten)]
    folder: Folder,
    /// Write pages with bars, distances and the longest wins to a folder instead
    #[arg(long, value_name = "OUT", conflicts_with = "json")]
    html: Option<PathBuf>,
    /// Show the wins that survive draw rules, from tables of budgets: profiles' names or files,
    /// separated by commas
    #[arg(long, value_name = "PROFILE", value_delimiter = ',', conflicts_with = "html")]
    profile: Vec<String>,
    /// Print these as a page in Markdown
    #[arg(long, requires = "profile", conflicts_with = "json")]
    markdown: bool,
    /// Write the boards of the page to a folder as SVG files
    #[arg(long, value_name = "FOLDER", requires = "markdown")]
    boards: Option<PathBuf>,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// # Errors
/// [`Failure::Missing`] where there is no table, [`Failure::Damaged`], [`Failure::Io`].
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let dir = arguments.folder.path()?;
    with_rules!(arguments.variant, G => {
        let tables = TableSet::<G>::open(std::slice::from_ref(&dir))?;
        if tables.slices().is_empty() {
            return Err(tables::none(arguments.variant, &dir));
        }
        if !arguments.profile.is_empty() {
            let (markdown, json) = (arguments.markdown, arguments.json);
            let boards = arguments.boards.as_deref();
            return results::run(&tables, &arguments.profile, markdown, boards, json);
        }
        if let Some(folder) = arguments.html {
            let pages = write_site(&tables, &folder)?;
            output::note(&format!("{pages} pages in {}", folder.display()));
            return Ok(());
        }
        let statistics = Statistics::new(arguments.variant, &stats(&tables)?);
        output::print(&Report(statistics), arguments.json)
    })
}

/// Statistics that are printed.
#[derive(Serialize)]
#[serde(transparent)]
struct Report(Statistics);

fn cells(numbers: &Numbers, name: &str, to_move: &str) -> Vec<String> {
    let counts = [numbers.positions, numbers.wins, numbers.draws, numbers.losses];
    let mut cells = vec![name.to_string(), to_move.to_string()];
    cells.extend(counts.map(grouped));
    cells
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = |name: &str| {
            let title = [name, "to move", "positions", "wins", "draws", "losses"];
            title.map(String::from).to_vec()
        };
        let mut rows = vec![title("slice")];
        rows[0].push("bytes".to_string());
        rows.extend(self.0.slices.iter().map(|row| {
            let mut cells = cells(&row.numbers, &row.slice, row.to_move);
            cells.push(grouped(row.bytes));
            cells
        }));
        writeln!(f, "{}", columns(&rows, &[0, 1]))?;
        let mut rows = vec![title("pieces")];
        let pieces = |row: &PiecesRow| cells(&row.numbers, &row.pieces.to_string(), row.to_move);
        rows.extend(self.0.pieces.iter().map(pieces));
        writeln!(f, "{}", columns(&rows, &[0, 1]))?;
        writeln!(f, "{} files with {} bytes", self.0.files, grouped(self.0.bytes))
    }
}
