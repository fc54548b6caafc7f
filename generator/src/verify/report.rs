//! What a verification found.

use std::fmt;
use std::path::PathBuf;

use damabase_formats::table::{Distance, Metric, Wld};
use damabase_formats::{Slice, ToMove};
use damabase_probe::ProbeError;

/// What a verification found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Files whose bytes were checked.
    pub files: u64,
    /// Tables whose values were checked.
    pub tables: Vec<Verified>,
    /// The first failures.
    pub failures: Vec<Failure>,
    /// The number of all failures.
    pub failures_counted: u64,
}

impl Report {
    /// Whether no failure was found.
    pub fn is_right(&self) -> bool {
        self.failures_counted == 0
    }
}

/// A table whose values were checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verified {
    /// The material.
    pub slice: Slice,
    /// What the table says of each position.
    pub metric: Metric,
    /// The file.
    pub path: PathBuf,
    /// Checked positions whose value the table stores.
    pub stored: u64,
    /// Checked positions whose value the probe derives: the mover can capture.
    pub derived: u64,
    /// How far the check goes.
    pub proof: Proof,
}

/// How far a check of values goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// A sample of positions agrees with its successors (and, if there is one, with a distance
    /// table): no proof.
    Sampled,
    /// Distances agree with their successors, which proves them.
    Distances,
    /// Wins, draws and losses agree with their successors, and with this distance table.
    Compared(Metric),
    /// Wins, draws and losses agree with their successors, and all wins and losses were traced
    /// back to moves that leave the slice or its men as they were.
    Traced,
    /// Budgets agree with their successors by what moves do to the plies left, which proves them.
    Budgets,
    /// Values under several counters are, wherever they can change, what moves make them.
    Staircases,
    /// The values were not checked.
    Unchecked,
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Proof::Sampled => f.write_str("a sample agrees with its successors"),
            Proof::Distances => f.write_str("distances agree with their successors"),
            Proof::Compared(metric) => write!(f, "agrees with its successors and with {metric}"),
            Proof::Traced => {
                f.write_str("agrees with its successors; wins and losses traced to exits")
            }
            Proof::Budgets => f.write_str("budgets agree with their successors"),
            Proof::Staircases => {
                f.write_str("agrees with its successors at all values of counters")
            }
            Proof::Unchecked => f.write_str("values not checked"),
        }
    }
}

/// Something wrong with a table.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub problem: Problem,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            // Names the file, which may be another one that this one depends on.
            Problem::Unreadable(error) => write!(f, "{error}"),
            problem => write!(f, "{}: {problem}", self.path.display()),
        }
    }
}

/// What can be wrong with a table. Positions are given as FEN with White to move.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The file is damaged, or it or a table that it depends on is missing.
    Unreadable(ProbeError),
    /// A value is not what the successors make it.
    Value {
        /// The position.
        fen: String,
        /// The metric.
        metric: Metric,
        /// The table's value; without distance where the metric has none.
        found: Distance,
        /// The value that follows from the successors.
        expected: Distance,
    },
    /// A value differs from that of a distance table.
    Sign {
        /// The position.
        fen: String,
        /// The table's value.
        found: Wld,
        /// The distance table.
        other: Metric,
        /// The distance table's value.
        expected: Wld,
    },
    /// A win or loss agrees with its successors, but only because they rest on it in turn.
    Circular {
        /// The position.
        fen: String,
        /// The table's value.
        found: Wld,
    },
    /// A value under several counters is not what the successors make it.
    Counted {
        /// The position.
        fen: String,
        /// The counters that are on, by name.
        counters: Vec<(String, u32)>,
        /// The table's value; none where it has none.
        found: Option<Wld>,
        /// The value that follows from the successors.
        expected: Option<Wld>,
    },
    /// A table of budgets does not say for which profile it was made, or that profile counts
    /// otherwise than the table's name says.
    Profile,
    /// A count of the file is wrong.
    Count {
        /// What is counted.
        what: &'static str,
        /// With which side to move.
        to_move: ToMove,
        /// The file's number.
        found: u64,
        /// The right number.
        expected: u64,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Unreadable(error) => write!(f, "{error}"),
            Problem::Value { fen, metric, found, expected } => {
                let (found, expected) = (text(*metric, *found), text(*metric, *expected));
                write!(f, "{fen} is {found}, but its successors make it {expected}")
            }
            Problem::Sign { fen, found, other, expected } => {
                write!(f, "{fen} is {found}, but {expected} by {other}")
            }
            Problem::Circular { fen, found } => {
                write!(f, "{fen} is {found}, but rests only on values that rest on it")
            }
            Problem::Counted { fen, counters, found, expected } => {
                let name = |value: &Option<Wld>| value.map_or("unknown", Wld::name);
                let values: Vec<String> =
                    counters.iter().map(|(name, value)| format!("{name}={value}")).collect();
                let (values, found, expected) = (values.join(" "), name(found), name(expected));
                write!(f, "{fen} with {values} is {found}, but its successors make it {expected}")
            }
            Problem::Profile => f.write_str("it names no profile whose budgets it has"),
            Problem::Count { what, to_move, found, expected } => {
                let to_move = to_move.name();
                write!(f, "{what} with the {to_move} side to move: {found}, counted {expected}")
            }
        }
    }
}

fn text(metric: Metric, value: Distance) -> String {
    match value.plies() {
        Some(plies) if metric != Metric::Wld => format!("{} in {plies}", value.wld()),
        _ => value.wld().to_string(),
    }
}
