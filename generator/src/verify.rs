//! Proving that tables are right, by reading them as a probe does.
//!
//! Every file is checked byte by byte. Then every position of every table, or a sample, is
//! compared with its successors, found by the scalar move generator and valued by the probe; the
//! solver has no part in it.
//!
//! - A **distance** must be the least (for the winner) or greatest (for the loser) distance of a
//!   successor, plus one. That is a proof: a win in n plies rests on a loss in n-1, and so on down
//!   to ended games.
//! - **Win, draw, loss** alone can agree with its successors and still be wrong: in a circle of
//!   positions each may be "won" because the next is "lost". So it is compared with the distance
//!   tables of the same slice; where there are none, every win and loss is traced back to exits
//!   ([`Proof::Traced`]).
//!
//! Values that a table does not store, those of positions where the mover can capture, are made by
//! the probe from the same successors; they are counted apart.

mod report;
mod trace;
mod values;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use damabase_formats::Slice;
use damabase_formats::TableId;
use damabase_formats::table::{Counts, TableError};
use damabase_probe::{ProbeError, TableSet};
use damabase_rules::{Rules, VariantId, with_rules};
use rayon::ThreadPoolBuilder;

use crate::solver::{Job, Progress};

pub use report::{Failure, Problem, Proof, Report, Verified};

/// What to verify.
#[derive(Clone, Debug)]
pub struct VerifyOptions {
    /// Folders of all variants; tables lie in a folder of them with the variant's name.
    pub dirs: Vec<PathBuf>,
    /// The slices whose tables to verify; all that there are if none is named. Other tables are
    /// only looked up, and then taken to be right.
    pub slices: Vec<Slice>,
    /// The part of the positions to look at, over 0 and up to 1. The same ones each time.
    pub sample: f64,
    /// Number of threads; all processors if none is given.
    pub threads: Option<usize>,
    /// The greatest number of failures to describe; all are counted.
    pub max_failures: usize,
}

/// Verification could not be carried out. What is wrong with tables is no error but part of the
/// [`Report`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The stop flag was set.
    #[error("interrupted")]
    Interrupted,
    /// The sample is no part of the positions.
    #[error("a sample of {0}: expected a number over 0 and up to 1")]
    Sample(f64),
    /// The threads could not be made.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The system could not read a file or a folder.
    #[error(transparent)]
    Probe(#[from] ProbeError),
}

/// Verifies all tables of a variant.
///
/// # Errors
/// [`VerifyError`].
pub fn verify(
    variant: VariantId,
    options: &VerifyOptions,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<Report, VerifyError> {
    with_rules!(variant, G => {
        verify_set(&TableSet::<G>::open(&options.dirs)?, options, stop, progress)
    })
}

/// Verifies all tables of a set; the folders in `options` are not looked at.
///
/// # Errors
/// [`VerifyError`].
pub fn verify_set<G: Rules>(
    set: &TableSet<G>,
    options: &VerifyOptions,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<Report, VerifyError> {
    // Written so that it also refuses what is no number.
    if !(options.sample > 0.0 && options.sample <= 1.0) {
        return Err(VerifyError::Sample(options.sample));
    }
    let pool = ThreadPoolBuilder::new().num_threads(options.threads.unwrap_or(0)).build()?;
    let job = Job { pool: &pool, stop, progress };
    let mut tables: Vec<(&TableId, &Path)> = set.tables().collect();
    let wanted = &options.slices;
    tables.retain(|(id, _)| wanted.is_empty() || wanted.contains(&id.slice));
    // Slices before those that depend on them: the first failure is then the cause of others.
    tables.sort_by_key(|&(id, path)| (id.slice, id.metric, path));
    let mut verify = Verify { set, options, job, report: Report::default() };

    let mut whole = Vec::new();
    let mut positions = 0;
    for table in tables {
        job_check(&verify.job)?;
        let sections = verify.file(table)?;
        if let Some(sections) = sections {
            positions +=
                sections.iter().map(|counts| verify.sampled(counts.positions)).sum::<u64>();
            whole.push((table, sections));
        }
    }
    progress.planned(whole.len(), positions);
    for (table, sections) in whole {
        let positions = sections.iter().map(|counts| verify.sampled(counts.positions)).sum();
        progress.started(table.0.slice, positions);
        verify.values(table)?;
        progress.finished(table.0.slice);
    }
    Ok(verify.report)
}

fn job_check(job: &Job) -> Result<(), VerifyError> {
    job.check().map_err(|_| VerifyError::Interrupted)
}

/// What was found wrong with a file apart from a probe.
pub(crate) fn file_error(path: &Path, source: TableError) -> ProbeError {
    let path = path.to_owned();
    match source {
        TableError::Io { .. } => ProbeError::Io { path, source: Arc::new(source) },
        source => ProbeError::Damaged { path, source: Arc::new(source) },
    }
}

/// A verification under way.
struct Verify<'a, G: Rules> {
    set: &'a TableSet<G>,
    options: &'a VerifyOptions,
    job: Job<'a>,
    report: Report,
}

impl<G: Rules> Verify<'_, G> {
    /// About how many of so many positions are looked at.
    fn sampled(&self, positions: u64) -> u64 {
        (positions as f64 * self.options.sample) as u64
    }

    /// Checks a file, values aside. Its counts, unless it is damaged.
    fn file(&mut self, (id, path): (&TableId, &Path)) -> Result<Option<Vec<Counts>>, VerifyError> {
        self.report.files += 1;
        let check = || -> Result<_, VerifyError> {
            let file = self.set.table_of(id)?;
            file.verify().map_err(|error| file_error(path, error))?;
            Ok(file.header().sections.iter().map(|section| section.counts).collect())
        };
        let checked = check();
        self.absorb(path, checked)
    }

    /// The result, or none where a table is damaged or missing, which is a failure of the table
    /// at `path`.
    fn absorb<T>(
        &mut self,
        path: &Path,
        result: Result<T, VerifyError>,
    ) -> Result<Option<T>, VerifyError> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(VerifyError::Probe(
                error @ (ProbeError::Damaged { .. } | ProbeError::Missing(_)),
            )) => {
                self.fail(path, Problem::Unreadable(error));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn fail(&mut self, path: &Path, problem: Problem) {
        self.report.failures_counted += 1;
        if self.report.failures.len() < self.options.max_failures {
            self.report.failures.push(Failure { path: path.to_owned(), problem });
        }
    }
}
