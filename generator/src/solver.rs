//! The seam between the solvers and everything around them.
//!
//! A solver keeps the exact values of the slices that it has solved or loaded, captures included,
//! because later slices exit to them. The rest of the crate sees them only as [`Values`].

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use damabase_formats::Slice;
use damabase_formats::table::{
    Counts, Distance, Metric, SectionStatistics, TableError, TableFile, Values,
};
use damabase_rules::Rules;
use rayon::ThreadPool;

use crate::stairs::StairsError;

/// Computes exact values, slice after slice.
pub trait Solver<G: Rules> {
    /// Solves a slice for both sides to move. Every slice that it can exit to must have been
    /// solved or loaded with the same metrics, and not forgotten.
    ///
    /// # Errors
    /// [`SolveError`]; nothing is then kept of the slice.
    fn solve(&mut self, slice: Slice, metrics: &[Metric], job: &Job) -> Result<(), SolveError>;

    /// Makes a slice known in one metric that has a finished table, so that later slices can exit
    /// to it. Values that the table does not store, or all, are worked out again from smaller
    /// slices, which must be known.
    ///
    /// # Errors
    /// [`SolveError`]; nothing is then kept of this metric.
    fn load(
        &mut self,
        slice: Slice,
        metric: Metric,
        stored: &TableFile,
        job: &Job,
    ) -> Result<(), SolveError>;

    /// Whether later slices can exit to this one in a metric.
    fn knows(&self, slice: Slice, metric: Metric) -> bool;

    /// What a table stores of the slice that was solved last. None for a metric that it was not
    /// solved in.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`].
    fn solved(
        &self,
        slice: Slice,
        metric: Metric,
        job: &Job,
    ) -> Result<Option<Solved<'_>>, SolveError>;

    /// Drops what is kept of a slice.
    fn forget(&mut self, slice: Slice);

    /// The memory that solving a slice takes on so many threads.
    fn memory(&self, slice: Slice, metrics: &[Metric], threads: usize) -> Memory;

    /// Bytes of memory that are kept of a slice now.
    fn kept_bytes(&self, slice: Slice) -> u64;

    /// Moves what is kept of a slice from memory to disk, from where it is read back as needed.
    /// False where it must stay in memory.
    ///
    /// # Errors
    /// [`SolveError::Working`].
    fn spill(&mut self, slice: Slice) -> Result<bool, SolveError>;
}

/// Bytes of memory for one slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    /// What stays for later slices.
    pub kept: u64,
    /// What is needed beside while the slice is solved and written.
    pub working: u64,
}

/// A solved slice in one metric, ready for a table.
pub struct Solved<'a> {
    /// Counts over all positions, captures included, in the order of [`Slice::sides`].
    pub counts: Vec<Counts>,
    /// Further numbers, in the same order.
    pub statistics: Vec<SectionStatistics>,
    /// The greatest code that is stored.
    pub max_code: u16,
    /// Where codes stand for staircases: what they mean, as [`Metadata::dictionary`] has it.
    ///
    /// [`Metadata::dictionary`]: damabase_formats::table::Metadata::dictionary
    pub dictionary: Vec<u8>,
    /// The codes; [`DONT_CARE`](damabase_formats::table::DONT_CARE) for holes and for positions
    /// where the mover can capture.
    pub values: Box<dyn Values + 'a>,
}

/// What a solver needs from whoever runs it.
pub struct Job<'a> {
    /// Threads to work with.
    pub pool: &'a ThreadPool,
    /// Set from outside to stop early; looked at every now and then.
    pub stop: &'a AtomicBool,
    /// Who wants to know.
    pub progress: &'a dyn Progress,
}

impl Job<'_> {
    /// # Errors
    /// [`SolveError::Interrupted`] once the stop flag is set.
    pub fn check(&self) -> Result<(), SolveError> {
        if self.stop.load(Ordering::Relaxed) { Err(SolveError::Interrupted) } else { Ok(()) }
    }
}

/// Hears of progress, from any thread.
pub trait Progress: Sync {
    /// So many slices with so many positions are to be solved, both sides to move counted.
    fn planned(&self, _slices: usize, _positions: u64) {}
    /// Work on a slice begins; it will report this many positions, both sides to move counted.
    fn started(&self, _slice: Slice, _positions: u64) {}
    /// So many more positions of the slice are done.
    fn advanced(&self, _positions: u64) {}
    /// Work on a slice is over.
    fn finished(&self, _slice: Slice) {}
    /// Something a user should know, one line.
    fn message(&self, _text: &str) {}
}

/// Tells nobody.
pub struct Silent;

impl Progress for Silent {}

/// Why a slice was not solved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The stop flag was set.
    #[error("interrupted")]
    Interrupted,
    /// The solver does not know this metric.
    #[error("tables of {0} cannot be generated yet")]
    Metric(Metric),
    /// A slice that this one can exit to has been neither solved nor loaded.
    #[error("{slice} needs {needed}, which is not there")]
    Missing {
        /// The slice to be solved or loaded.
        slice: Slice,
        /// The slice that it can exit to.
        needed: Slice,
    },
    /// A distance in plies does not fit the value codes.
    #[error("a distance in {slice} is greater than {max} plies", max = Distance::MAX_PLIES)]
    TooLong {
        /// The slice.
        slice: Slice,
    },
    /// A slice does not fit the solver's memory.
    #[error("{slice} is too large for the memory")]
    TooLarge {
        /// The slice.
        slice: Slice,
    },
    /// Values under several draw counters could not be worked out.
    #[error(transparent)]
    Counters(StairsError),
    /// A working file could not be written.
    #[error("{path}: {source}", path = path.display())]
    Working {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: io::Error,
    },
    /// A finished table could not be read.
    #[error("the {metric} table of {slice}: {source}")]
    Table {
        /// The slice.
        slice: Slice,
        /// The metric.
        metric: Metric,
        /// What is wrong.
        source: TableError,
    },
}
