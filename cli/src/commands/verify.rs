//! `damabase verify`: whether the tables are right.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use clap::Args;
use damabase_formats::Slice;
use damabase_generator::verify::{Failure as Found, Problem, Report as Outcome};
use damabase_generator::{VerifyError, VerifyOptions, verify};
use damabase_probe::ProbeError;
use damabase_rules::VariantId;
use serde::Serialize;

use crate::args::Folder;
use crate::failure::Failure;
use crate::output::{self, columns, grouped};
use crate::progress::{Meter, Style};
use crate::tables;

const EXAMPLES: &str = "\
Examples:
  damabase verify russian
  damabase verify international --dir tables --sample 0.01
  damabase verify international --dir tables --slice KMvMMM

Every byte of every file is checked; then every position, or the sample, is compared with what its
moves lead to, by a plain move generator and the way that a probe takes. Exit code 0 only if all is
right; 1 where a value is wrong, 3 where a table that is needed is missing, 4 where one is damaged.

JSON: variant, dir, right (true or false), files, tables: an array of slice, metric, positions (checked
ones), proof (how far the check goes); failures (their number), problems: an array of file and problem
(the first 20).";

/// The greatest number of problems that are told.
const MAX_PROBLEMS: usize = 20;

/// Check tables: every byte, and every position against its moves
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The game, by name or PDN GameType number
    variant: VariantId,
    /// Check the tables of these slices only, and take the others to be right
    #[arg(long = "slice", value_name = "SLICE", num_args = 1.., value_delimiter = ',')]
    slices: Vec<Slice>,
    /// Check only this part of the positions, over 0 and up to 1
    #[arg(long, value_name = "P", default_value_t = 1.0)]
    sample: f64,
    #[command(flatten)]
    folder: Folder,
    /// Number of threads [default: all processors]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// How to show progress, on standard error
    #[arg(long, default_value = "auto")]
    progress: Style,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    variant: &'static str,
    #[serde(serialize_with = "output::lossy")]
    dir: PathBuf,
    right: bool,
    files: u64,
    tables: Vec<TableRow>,
    failures: u64,
    problems: Vec<ProblemRow>,
}

#[derive(Serialize)]
struct TableRow {
    slice: String,
    metric: &'static str,
    positions: u64,
    proof: String,
}

#[derive(Serialize)]
struct ProblemRow {
    #[serde(serialize_with = "output::lossy")]
    file: PathBuf,
    problem: String,
}

/// # Errors
/// Any [`Failure`]; the report is printed before one that tells of wrong, missing or damaged
/// tables.
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let dir = arguments.folder.path()?;
    let options = VerifyOptions {
        dirs: vec![dir.clone()],
        slices: arguments.slices,
        sample: arguments.sample,
        threads: arguments.threads.map(usize::from),
        max_failures: MAX_PROBLEMS,
    };
    let meter = Meter::new(arguments.progress, "tables");
    // Nothing would be lost by stopping at once, so Ctrl-C does just that.
    let result = verify(arguments.variant, &options, &AtomicBool::new(false), &meter);
    meter.finish();
    let outcome = result?;
    if outcome.files == 0 {
        return Err(tables::none(arguments.variant, &dir));
    }
    output::print(&report(arguments.variant, dir, &outcome), arguments.json)?;
    match failure(&outcome) {
        Some(failure) => Err(failure),
        None => Ok(()),
    }
}

fn report(variant: VariantId, dir: PathBuf, outcome: &Outcome) -> Report {
    let tables = outcome.tables.iter().map(|table| TableRow {
        slice: table.slice.to_string(),
        metric: table.metric.name(),
        positions: table.stored + table.derived,
        proof: table.proof.to_string(),
    });
    let problems = outcome
        .failures
        .iter()
        .map(|found| ProblemRow { file: found.path.clone(), problem: found.to_string() });
    Report {
        variant: variant.variant().name,
        dir,
        right: outcome.is_right(),
        files: outcome.files,
        tables: tables.collect(),
        failures: outcome.failures_counted,
        problems: problems.collect(),
    }
}

/// The failure that stands for what was found: damaged files before missing ones before wrong
/// values, since these may follow from those.
fn failure(outcome: &Outcome) -> Option<Failure> {
    let first = outcome.failures.first()?;
    let damaged =
        |found: &&Found| matches!(found.problem, Problem::Unreadable(ProbeError::Damaged { .. }));
    let missing =
        |found: &&Found| matches!(found.problem, Problem::Unreadable(ProbeError::Missing(_)));
    if let Some(found) = outcome.failures.iter().find(damaged) {
        Some(Failure::Damaged(found.to_string()))
    } else if let Some(found) = outcome.failures.iter().find(missing) {
        Some(Failure::Missing(found.to_string()))
    } else {
        Some(Failure::Negative(first.to_string()))
    }
}

impl From<VerifyError> for Failure {
    fn from(error: VerifyError) -> Failure {
        match error {
            VerifyError::Interrupted => Failure::Interrupted(error.to_string()),
            VerifyError::Sample(_) => Failure::Input(error.to_string()),
            VerifyError::Probe(error) => error.into(),
            _ => Failure::Io(error.to_string()),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = ["table", "positions", "proof"].map(String::from).to_vec();
        let mut rows = vec![title];
        rows.extend(self.tables.iter().map(|table| {
            let name = format!("{}.{}", table.slice, table.metric);
            vec![name, grouped(table.positions), table.proof.clone()]
        }));
        writeln!(f, "{}", columns(&rows, &[0, 2]))?;
        for problem in &self.problems {
            writeln!(f, "wrong: {}", problem.problem)?;
        }
        let dir = self.dir.join(self.variant);
        match self.failures {
            0 => writeln!(f, "all right: {} files in {}", self.files, dir.display()),
            n => writeln!(f, "{n} failures in {} files in {}", self.files, dir.display()),
        }
    }
}
