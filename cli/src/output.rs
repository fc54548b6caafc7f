//! Printing: reports to standard output, for people or as JSON; everything else to standard error.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

pub use damabase_explorer::grouped;
use damabase_rules::Side;
use serde::{Serialize, Serializer};

use crate::failure::Failure;

/// Prints a report: its text, or one line of JSON.
///
/// # Errors
/// [`Failure::Io`]; a closed pipe is none, since then nobody wants to read more.
pub fn print(report: &(impl Display + Serialize), json: bool) -> Result<(), Failure> {
    let text = if json { to_json(report) } else { report.to_string() };
    let mut stdout = io::stdout().lock();
    written(stdout.write_all(text.trim_end().as_bytes()))?;
    written(stdout.write_all(b"\n"))?;
    written(stdout.flush())
}

/// One line of JSON.
pub fn to_json(value: &impl Serialize) -> String {
    // Reports are structs with text keys, and writing to memory does not fail.
    serde_json::to_string(value).unwrap_or_default()
}

/// Writes a path as text in JSON, which has no way for what is no UTF-8.
///
/// # Errors
/// Those of the serializer.
pub fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

/// The outcome of writing to standard output.
///
/// # Errors
/// [`Failure::Io`]; a closed pipe is none.
pub fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Io(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a line to standard error, if anybody listens.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Prints what the parser of the command line has to say: help and version as they are, an error
/// as one line.
pub fn answer_parser(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        note(text.trim_end());
    } else {
        // The first paragraph says what is wrong; the others repeat the usage.
        let first: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
        let first: Vec<&str> = first.iter().map(|line| line.trim()).collect();
        note(&format!("{} (see --help)", first.join(" ")));
    }
    ExitCode::from(2)
}

/// A player's name.
pub fn side_name(side: Side) -> &'static str {
    match side {
        Side::White => "White",
        Side::Black => "Black",
    }
}

/// Rows of cells as aligned columns, two spaces apart: the `left` ones to the left, the others to
/// the right. Ends with a newline.
pub fn columns(rows: &[Vec<String>], left: &[usize]) -> String {
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .enumerate()
            .map(|(column, cell)| {
                let width = width(column).unwrap_or(0);
                if left.contains(&column) {
                    format!("{cell:width$}")
                } else {
                    format!("{cell:>width$}")
                }
            })
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows = [vec!["slice".to_string(), "n".into()], vec!["KvK".into(), "1,000".into()]];
        assert_eq!(columns(&rows, &[0]), "slice      n\nKvK    1,000\n");
    }
}
