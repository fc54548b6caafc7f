//! What can go wrong, and the exit codes.

use damabase_adjudicate::AdjudicateError;
use damabase_explorer::SiteError;
use damabase_formats::{FenError, TableError};
use damabase_generator::{GenerateError, SolveError};
use damabase_probe::ProbeError;

/// Why a command did not do what was asked for. The text is one line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    /// A check gave a negative answer.
    #[error("{0}")]
    Negative(String),
    /// Wrong usage or input.
    #[error("{0}")]
    Input(String),
    /// A table is missing.
    #[error("{0}")]
    Missing(String),
    /// A table is damaged.
    #[error("{0}")]
    Damaged(String),
    /// Files or folders cannot be read or written.
    #[error("{0}")]
    Io(String),
    /// Ctrl-C.
    #[error("{0}")]
    Interrupted(String),
}

impl Failure {
    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Negative(_) => 1,
            Failure::Input(_) => 2,
            Failure::Missing(_) => 3,
            Failure::Damaged(_) => 4,
            Failure::Io(_) => 5,
            Failure::Interrupted(_) => 130, // 128 + SIGINT, as shells have it
        }
    }

    /// The name of the kind of failure in JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Failure::Negative(_) => "negative",
            Failure::Input(_) => "input",
            Failure::Missing(_) => "missing",
            Failure::Damaged(_) => "damaged",
            Failure::Io(_) => "io",
            Failure::Interrupted(_) => "interrupted",
        }
    }

    /// The failure that stands for what is wrong with a table file, told by `text`.
    pub fn of_table(error: &TableError, text: String) -> Failure {
        match error {
            TableError::Io { .. } | TableError::Unwritable(_) => Failure::Io(text),
            // Also where it is a table of something else or of another version: there is no
            // sound table where one should be.
            _ => Failure::Damaged(text),
        }
    }
}

impl From<FenError> for Failure {
    fn from(error: FenError) -> Failure {
        Failure::Input(format!("bad FEN: {error}"))
    }
}

impl From<ProbeError> for Failure {
    fn from(error: ProbeError) -> Failure {
        let text = error.to_string();
        match error {
            ProbeError::Input(_) => Failure::Input(text),
            ProbeError::Missing(_) => Failure::Missing(text),
            ProbeError::Damaged { .. } => Failure::Damaged(text),
            _ => Failure::Io(text),
        }
    }
}

impl From<AdjudicateError> for Failure {
    fn from(error: AdjudicateError) -> Failure {
        match error {
            AdjudicateError::Probe(error) => error.into(),
            AdjudicateError::GameType { .. } | AdjudicateError::Variant { .. } => {
                Failure::Input(format!("{error}, by --variant"))
            }
            error => Failure::Input(error.to_string()),
        }
    }
}

impl From<SiteError> for Failure {
    fn from(error: SiteError) -> Failure {
        match error {
            SiteError::Probe(error) => error.into(),
            error => Failure::Io(error.to_string()),
        }
    }
}

impl From<GenerateError> for Failure {
    fn from(error: GenerateError) -> Failure {
        let text = error.to_string();
        match &error {
            GenerateError::Probe(error) => error.clone().into(),
            GenerateError::SameFolder(_) => Failure::Input(text),
            GenerateError::Interrupted => Failure::Interrupted(text),
            GenerateError::Plan(_)
            | GenerateError::NoProfile
            | GenerateError::Profile(_)
            | GenerateError::NoMetric
            | GenerateError::Memory { .. } => Failure::Input(text),
            GenerateError::Table { source, .. }
            | GenerateError::Solve(SolveError::Table { source, .. }) => {
                Failure::of_table(source, text)
            }
            GenerateError::Solve(SolveError::Interrupted) => Failure::Interrupted(text),
            GenerateError::Solve(SolveError::TooLarge { .. } | SolveError::TooLong { .. }) => {
                Failure::Input(text)
            }
            GenerateError::Solve(SolveError::Missing { .. }) => Failure::Missing(text),
            _ => Failure::Io(text),
        }
    }
}
