//! Writing tables in another layout. The values are the same, position by position.

use std::fs;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use damabase_formats::table::{
    DONT_CARE, Metric, ReadAt, TableFile, TableInfo, Values, WriteOptions,
};
use damabase_formats::{Index, Slice, ToMove};
use damabase_probe::{ProbeError, TableSet};
use damabase_rules::{Rules, VariantId, can_capture, with_rules};
use rayon::ThreadPoolBuilder;

use crate::run::{GenerateError, write_table};
use crate::solver::{Job, Progress};
use crate::verify::file_error;

/// What to convert.
#[derive(Clone, Debug)]
pub struct ConvertOptions {
    /// The folder of all variants where the tables lie.
    pub from: PathBuf,
    /// The folder of all variants for the new tables.
    pub to: PathBuf,
    /// The slices to convert; all that there are if none is named.
    pub slices: Vec<Slice>,
    /// How to write the tables.
    pub write: WriteOptions,
    /// Number of threads; all processors if none is given.
    pub threads: Option<usize>,
}

/// A table that was converted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Converted {
    /// The slice.
    pub slice: Slice,
    /// The metric.
    pub metric: Metric,
    /// Bytes of the file that was read.
    pub bytes_before: u64,
    /// Bytes of the file that was written.
    pub bytes_after: u64,
}

/// Converts the tables of a variant. A value that a table does not store is found as a probe
/// finds it, so what the slice depends on must be there.
///
/// # Errors
/// [`GenerateError`]. Tables that were finished before stay.
pub fn convert(
    variant: VariantId,
    options: &ConvertOptions,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<Vec<Converted>, GenerateError> {
    with_rules!(variant, G => convert_with::<G>(options, stop, progress))
}

fn convert_with<G: Rules>(
    options: &ConvertOptions,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<Vec<Converted>, GenerateError> {
    let folder = options.to.join(G::VARIANT.name);
    let io = |source| GenerateError::Io { path: folder.clone(), source };
    fs::create_dir_all(&folder).map_err(io)?;
    // Files that are being read must not be replaced.
    let (from, to) = (fs::canonicalize(&options.from), fs::canonicalize(&options.to));
    if from.map_err(io)? == to.map_err(io)? {
        return Err(GenerateError::SameFolder(options.to.clone()));
    }
    let set = TableSet::<G>::open(std::slice::from_ref(&options.from))?;
    let pool = ThreadPoolBuilder::new().num_threads(options.threads.unwrap_or(0)).build()?;
    let job = Job { pool: &pool, stop, progress };
    let mut tables: Vec<_> = set
        .tables()
        .filter(|(id, _)| options.slices.is_empty() || options.slices.contains(&id.slice))
        .collect();
    tables.sort_by_key(|&(id, path)| (id.slice, id.metric, path));
    let mut files = Vec::new();
    let mut positions = 0;
    for (id, path) in tables {
        let file = set.table_of(id)?;
        positions += file.header().sections.iter().map(|s| s.counts.positions).sum::<u64>();
        files.push((id, path, file));
    }
    progress.planned(files.len(), positions);
    let mut converted = Vec::new();
    for (id, path, file) in files {
        job.check()?;
        let sections = &file.header().sections;
        let positions = sections.iter().map(|section| section.counts.positions).sum();
        progress.started(id.slice, positions);
        let info = TableInfo {
            id: id.clone(),
            max_code: file.header().max_code,
            counts: sections.iter().map(|section| section.counts).collect(),
            metadata: file.metadata().map_err(|error| file_error(path, error))?,
        };
        let values = Probed::<G> {
            set: &set,
            metric: id.metric,
            file,
            indexes: [ToMove::First, ToMove::Second].map(|side| Index::new(id.slice, side)),
            failure: OnceLock::new(),
            path,
        };
        let written = write_table(&folder, &info, options.write, &values, &job);
        // The cause, rather than what followed from it. A table with wrong values must not stay.
        if let Some(failure) = values.failure.into_inner() {
            if written.is_ok() {
                let path = folder.join(id.file_name());
                fs::remove_file(&path).map_err(|source| GenerateError::Io { path, source })?;
            }
            return Err(failure.into());
        }
        converted.push(Converted {
            slice: id.slice,
            metric: id.metric,
            bytes_before: file.size_bytes(),
            bytes_after: written?,
        });
        progress.advanced(positions);
        progress.finished(id.slice);
    }
    Ok(converted)
}

/// The values of a table as a probe finds them.
struct Probed<'a, G: Rules> {
    set: &'a TableSet<G>,
    metric: Metric,
    file: &'a TableFile<Box<dyn ReadAt>>,
    indexes: [Index<G>; 2],
    path: &'a std::path::Path,
    /// The first thing that went wrong.
    failure: OnceLock<ProbeError>,
}

impl<G: Rules> Probed<'_, G> {
    fn read(&self, to_move: ToMove, range: Range<u64>, out: &mut [u16]) -> Result<(), ProbeError> {
        let index = &self.indexes[to_move as usize];
        // Half of a symmetric slice is read too, and then not used.
        if range.clone().any(|number| self.file.is_stored(to_move, number)) {
            self.file
                .read(to_move, range.start, out)
                .map_err(|error| file_error(self.path, error))?;
        }
        for (number, code) in range.zip(out) {
            let Some(position) = index.unrank(number).filter(|position| !can_capture(position))
            else {
                *code = DONT_CARE;
                continue;
            };
            if self.file.has_value(to_move, number, &position) {
                continue;
            }
            *code = match self.metric {
                Metric::Wld => self.set.wld(&position)?.code(),
                Metric::Dtc => self.set.dtc(&position)?.code().unwrap_or(DONT_CARE),
                // Tables of budgets store all.
                _ => self.set.dtw(&position)?.code().unwrap_or(DONT_CARE),
            };
        }
        Ok(())
    }
}

impl<G: Rules> Values for Probed<'_, G> {
    fn read(&self, to_move: ToMove, range: Range<u64>, out: &mut [u16]) {
        if self.failure.get().is_some() {
            return;
        }
        if let Err(failure) = Probed::read(self, to_move, range, out) {
            self.failure.get_or_init(|| failure);
        }
    }
}
