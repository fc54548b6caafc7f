//! Generating tables into a folder, slice by slice, so that nothing finished is ever lost.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use bytesize::ByteSize;
use damabase_formats::Slice;
use damabase_formats::table::{
    Counts, Metadata, Metric, TableError, TableFile, TableId, TableInfo, TableWriter, Values,
    WriteOptions, checksum, remove_unfinished,
};
use damabase_probe::ProbeError;
use damabase_rules::draws::{self, Countdowns, DrawProfile, ProfileError};
use damabase_rules::{Rules, VariantId, with_rules};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use crate::budgets::BudgetSolver;
use crate::lock::Lock;
use crate::memory;
use crate::plan::{PlanError, Planned, Uses, plan};
use crate::planes::PlaneSolver;
use crate::solver::{Job, Memory, Progress, SolveError, Solver};

/// The notes of a table of budgets: names of profiles that come with the program and under which
/// it holds, and the profile that it was made for, as a profile's file.
pub const NOTE_PROFILES: &str = "profiles";
/// See [`NOTE_PROFILES`].
pub const NOTE_PROFILE: &str = "profile";

/// Blocks that are encoded before they are written.
const BLOCKS_AT_ONCE: usize = 64;

/// What to generate, and where.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder of all variants; tables lie in a folder of it with the variant's name.
    pub dir: PathBuf,
    /// All slices with up to so many pieces.
    pub pieces: Option<u32>,
    /// Further slices.
    pub slices: Vec<Slice>,
    /// What to know of each position.
    pub metrics: Vec<Metric>,
    /// The draw rules for budgets.
    pub profile: Option<DrawProfile>,
    /// Number of threads; all processors if none is given.
    pub threads: Option<usize>,
    /// Bytes of memory to stay within; what the machine has free if none is given.
    pub memory: Option<u64>,
    /// Choices that change the files' bytes but not their values.
    pub write: WriteOptions,
}

impl Options {
    /// The run parted by what solves it: for budgets alone, and for all else. Without any metric
    /// there is nothing for budgets.
    pub(crate) fn by_solver(&self) -> (Option<Options>, Option<Options>) {
        let (budgets, others): (Vec<Metric>, Vec<Metric>) =
            self.metrics.iter().partition(|&&metric| metric == Metric::Budget);
        let part = |metrics: Vec<Metric>| Options { metrics, ..self.clone() };
        let (some_budgets, some_others) = (!budgets.is_empty(), !others.is_empty());
        let others = (some_others || !some_budgets).then(|| part(others));
        (some_budgets.then(|| part(budgets)), others)
    }
}

/// A slice of which all tables are there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The slice.
    pub slice: Slice,
    /// Values counted, by different side to move in the order of [`Slice::sides`].
    pub counts: Vec<Counts>,
    /// Size of each table file in bytes.
    pub size_bytes: Vec<(Metric, u64)>,
    /// Whether any of them was made by this run.
    pub made: bool,
}

/// Why tables were not generated. What was finished before is kept and will be found by the next
/// run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// The stop flag was set.
    #[error("interrupted")]
    Interrupted,
    /// What was asked for makes no plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A slice does not fit the memory, even if nothing else is kept there.
    #[error(
        "{slice} takes {needed} of memory, but the limit is {limit}, {less} less",
        needed = ByteSize(*.needed), limit = ByteSize(*.limit),
        less = ByteSize(.needed.saturating_sub(*.limit))
    )]
    Memory {
        /// The slice.
        slice: Slice,
        /// Bytes that it takes.
        needed: u64,
        /// Bytes that there are.
        limit: u64,
    },
    /// Budgets without draw rules.
    #[error("budgets need a draw profile")]
    NoProfile,
    /// The draw rules are those of other games.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// No metric was asked for.
    #[error("nothing to do: expected a metric")]
    NoMetric,
    /// The threads could not be made.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A slice could not be solved.
    #[error(transparent)]
    Solve(SolveError),
    /// A table could not be read or written.
    #[error("{path}: {source}", path = path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: TableError,
    },
    /// A table to be converted could not be read.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The folder of the tables to be converted is that of the new ones.
    #[error("{0}: tables must be converted to another folder")]
    SameFolder(PathBuf),
    /// The folder or a lock in it could not be used.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong.
        source: io::Error,
    },
}

impl From<SolveError> for GenerateError {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::Interrupted => GenerateError::Interrupted,
            error => GenerateError::Solve(error),
        }
    }
}

/// Makes all tables that are asked for, and those that they depend on, unless they are there and
/// whole. Returns a row for each slice, in the order of the plan.
///
/// Any number of processes may work on one folder; killing one loses only the slice that it was
/// working on. The bytes do not depend on the number of threads.
///
/// # Errors
/// [`GenerateError`].
pub fn generate(
    variant: VariantId,
    options: &Options,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<Vec<Row>, GenerateError> {
    let (budgets, others) = options.by_solver();
    with_rules!(variant, G => {
        let folder = options.dir.join(G::VARIANT.name).join("working");
        let mut rows = Vec::new();
        if let Some(others) = others {
            let mut solver = PlaneSolver::<G>::with_working_folder(folder.clone());
            rows = generate_with(&mut solver, &others, stop, progress)?;
        }
        if let Some(budgets) = budgets {
            let countdowns = countdowns::<G>(&budgets)?;
            // What is kept of one profile's budgets is of no use to another's.
            let own = folder.join(working_name::<G>(&budgets, &countdowns)?);
            let planes = PlaneSolver::<G>::with_working_folder(own);
            let mut solver = BudgetSolver::new(planes, countdowns)?;
            let counted = generate_with(&mut solver, &budgets, stop, progress)?;
            // It is there still if another profile's budgets lie in it.
            let _ = fs::remove_dir(&folder);
            if rows.is_empty() {
                rows = counted;
            } else {
                for (row, counted) in rows.iter_mut().zip(counted) {
                    row.size_bytes.extend(counted.size_bytes);
                    row.made |= counted.made;
                }
            }
        }
        Ok(rows)
    })
}

/// How the profile of a run counts in all its slices.
///
/// # Errors
/// [`GenerateError::NoProfile`], [`GenerateError::Profile`], [`GenerateError::Plan`].
pub fn countdowns<G: Rules>(options: &Options) -> Result<Countdowns, GenerateError> {
    let profile = options.profile.as_ref().ok_or(GenerateError::NoProfile)?;
    let mut countdowns = Countdowns::new(profile.checked_for(G::ID)?);
    for Planned { slice, .. } in plan::<G>(options.pieces, &options.slices)? {
        // What is in the way of a single number is no error: other tables are made then.
        let _ = countdowns.find([slice.first(), slice.second()]);
    }
    Ok(countdowns)
}

/// What names the draw rules in a table of budgets, for a slice that the countdowns have looked at.
pub(crate) fn table_profile(countdowns: &Countdowns, slice: Slice) -> String {
    match countdowns.get([slice.first(), slice.second()]) {
        Some(countdown) => countdown.id.clone(),
        None => countdowns.profile().stairs_id(),
    }
}

/// A name for the working folder of a run that makes budgets.
fn working_name<G: Rules>(
    options: &Options,
    countdowns: &Countdowns,
) -> Result<String, GenerateError> {
    let plan = plan::<G>(options.pieces, &options.slices)?;
    let ids: Vec<&str> = plan
        .iter()
        .filter_map(|planned| countdowns.get([planned.slice.first(), planned.slice.second()]))
        .map(|countdown| countdown.id.as_str())
        .collect();
    Ok(format!("budget-{:016x}", checksum(0, ids.join(" ").as_bytes())))
}

/// [`generate`] with a solver of the caller's choice.
///
/// # Errors
/// [`GenerateError`].
pub fn generate_with<G: Rules>(
    solver: &mut impl Solver<G>,
    options: &Options,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<Vec<Row>, GenerateError> {
    let metrics: BTreeSet<Metric> = options.metrics.iter().copied().collect();
    if metrics.is_empty() {
        return Err(GenerateError::NoMetric);
    }
    let countdowns = match metrics.contains(&Metric::Budget) {
        true => Some(countdowns::<G>(options)?),
        false => None,
    };
    let plan = plan::<G>(options.pieces, &options.slices)?;
    let pool = ThreadPoolBuilder::new().num_threads(options.threads.unwrap_or(0)).build()?;
    let folder = options.dir.join(G::VARIANT.name);
    fs::create_dir_all(&folder).map_err(at(&folder))?;
    let job = Job { pool: &pool, stop, progress };
    let mut run = Run::<G, _> {
        solver,
        folder,
        write: options.write,
        job,
        metrics: metrics.into_iter().collect(),
        memory: options.memory.or_else(memory::available).unwrap_or(u64::MAX),
        needed: BTreeSet::new(),
        countdowns,
        rules: PhantomData,
    };
    run.all(&plan)
}

/// A run under way.
struct Run<'a, G: Rules, S: Solver<G>> {
    solver: &'a mut S,
    folder: PathBuf,
    write: WriteOptions,
    job: Job<'a>,
    metrics: Vec<Metric>,
    /// Bytes of memory to stay within.
    memory: u64,
    /// What slices still to be solved exit to, directly or not.
    needed: BTreeSet<(Slice, Metric)>,
    /// For budgets: how plies are counted.
    countdowns: Option<Countdowns>,
    rules: PhantomData<G>,
}

impl<G: Rules, S: Solver<G>> Run<'_, G, S> {
    fn all(&mut self, plan: &[Planned]) -> Result<Vec<Row>, GenerateError> {
        let (mut slices, mut positions) = (0, 0);
        for planned in plan {
            let missing = self.missing(planned.slice)?;
            if !missing.is_empty() {
                slices += 1;
                positions += planned.positions;
            }
            for metric in missing {
                let needed = Slice::closure(&[planned.slice]);
                let needed = needed.into_iter().filter(|&slice| slice != planned.slice);
                self.needed.extend(needed.map(|slice| (slice, metric)));
            }
        }
        for planned in plan {
            self.fits(planned.slice)?;
        }
        self.job.progress.planned(slices, positions);

        let uses = Uses::new(plan);
        let mut rows = Vec::new();
        for (n, planned) in plan.iter().enumerate() {
            self.job.check()?;
            self.make_room(planned.slice, n, plan, &uses)?;
            rows.push(self.slice(planned)?);
            for planned in plan.iter().filter(|planned| uses.last(planned.slice) == n) {
                self.solver.forget(planned.slice);
            }
        }
        Ok(rows)
    }

    /// The bytes of memory that a slice takes if nothing else is kept; none if no work is to be
    /// done on it.
    ///
    /// # Errors
    /// [`GenerateError::Memory`] where they are more than there are.
    fn fits(&self, slice: Slice) -> Result<u64, GenerateError> {
        if self.missing(slice)?.is_empty() && !self.needed.iter().any(|&(other, _)| other == slice)
        {
            return Ok(0);
        }
        let threads = self.job.pool.current_num_threads();
        let Memory { kept, working } = self.solver.memory(slice, &self.metrics, threads);
        let (needed, limit) = (kept.saturating_add(working), self.memory);
        if needed > limit {
            return Err(GenerateError::Memory { slice, needed, limit });
        }
        Ok(needed)
    }

    /// Moves what is known of other slices out of memory until a slice fits in, first what will be
    /// needed last.
    fn make_room(
        &mut self,
        slice: Slice,
        n: usize,
        plan: &[Planned],
        uses: &Uses,
    ) -> Result<(), GenerateError> {
        let needed = self.fits(slice)?;
        if needed == 0 {
            return Ok(());
        }
        let mut held: Vec<(Slice, u64)> = plan
            .iter()
            .map(|planned| (planned.slice, self.solver.kept_bytes(planned.slice)))
            .filter(|&(_, bytes)| bytes > 0)
            .collect();
        let mut total: u64 = held.iter().map(|&(_, bytes)| bytes).sum();
        held.sort_by_key(|&(slice, bytes)| (uses.next(slice, n), bytes));
        while total > self.memory - needed {
            let Some((other, bytes)) = held.pop() else {
                // A solver that cannot move what it knows.
                let needed = total + needed;
                return Err(GenerateError::Memory { slice, needed, limit: self.memory });
            };
            if self.solver.spill(other)? {
                total -= bytes;
            }
        }
        Ok(())
    }

    /// Sees to it that a slice's tables are there, and that the solver has those of its values
    /// that other slices need.
    fn slice(&mut self, planned: &Planned) -> Result<Row, GenerateError> {
        let slice = planned.slice;
        let mut made = false;
        if !self.missing(slice)?.is_empty() {
            let _lock = self.lock(slice)?;
            // Another process may have made them while this one waited.
            let missing = self.missing(slice)?;
            self.make(planned, &missing)?;
            made = !missing.is_empty();
        }
        for metric in self.metrics.clone() {
            if !self.needed.contains(&(slice, metric)) || self.solver.knows(slice, metric) {
                continue;
            }
            match self.load(slice, metric) {
                Err(SolveError::Table { source: TableError::Damaged { .. }, .. }) => {
                    let _lock = self.lock(slice)?;
                    self.make(planned, &[metric])?;
                    made = true;
                }
                result => result?,
            }
        }
        let mut row = Row { slice, counts: Vec::new(), size_bytes: Vec::new(), made };
        for &metric in &self.metrics {
            let path = self.path(slice, metric);
            let file = TableFile::open(&path).map_err(table(&path))?;
            row.counts = file.header().sections.iter().map(|section| section.counts).collect();
            row.size_bytes.push((metric, file.size_bytes()));
        }
        Ok(row)
    }

    /// Solves a slice and writes its tables. The slice's lock must be held.
    fn make(&mut self, planned: &Planned, metrics: &[Metric]) -> Result<(), GenerateError> {
        let slice = planned.slice;
        let progress = self.job.progress;
        progress.started(slice, planned.positions);
        if metrics.is_empty() {
            progress.advanced(planned.positions);
        } else {
            for &metric in metrics {
                let path = self.path(slice, metric);
                if let Err(error) = TableFile::open(&path)
                    && path.exists()
                {
                    progress.message(&format!("{}: {error}; making it again", path.display()));
                }
                remove_unfinished(&self.folder, &self.id(slice, metric)).map_err(table(&path))?;
            }
            self.solver.solve(slice, metrics, &self.job)?;
            for &metric in metrics {
                self.write(slice, metric)?;
            }
        }
        progress.finished(slice);
        Ok(())
    }

    fn write(&self, slice: Slice, metric: Metric) -> Result<(), GenerateError> {
        let missing = || SolveError::Missing { slice, needed: slice };
        let solved = self.solver.solved(slice, metric, &self.job)?.ok_or_else(missing)?;
        let info = TableInfo {
            id: self.id(slice, metric),
            max_code: solved.max_code,
            counts: solved.counts,
            metadata: Metadata {
                generator: concat!("damabase-generator ", env!("CARGO_PKG_VERSION")).to_string(),
                sections: solved.statistics,
                notes: self.notes(slice, metric),
                dictionary: solved.dictionary,
            },
        };
        write_table(&self.folder, &info, self.write, &*solved.values, &self.job)?;
        Ok(())
    }

    /// Gives the solver the values of a finished table.
    fn load(&mut self, slice: Slice, metric: Metric) -> Result<(), SolveError> {
        let error = |source| SolveError::Table { slice, metric, source };
        let file = TableFile::open(&self.path(slice, metric)).map_err(error)?;
        self.solver.load(slice, metric, &file, &self.job)
    }

    /// The metrics of a slice that have no whole table.
    ///
    /// A file is taken for whole where its header, size and directory are; its blocks are looked
    /// at when they are needed.
    fn missing(&self, slice: Slice) -> Result<Vec<Metric>, GenerateError> {
        let mut missing = Vec::new();
        for &metric in &self.metrics {
            let path = self.path(slice, metric);
            match TableFile::open(&path) {
                Ok(file) => file.check_is(&self.id(slice, metric)).map_err(table(&path))?,
                Err(TableError::Damaged { .. }) => missing.push(metric),
                Err(TableError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                    missing.push(metric);
                }
                Err(error) => return Err(table(&path)(error)),
            }
        }
        Ok(missing)
    }

    /// Waits until no other process works on a slice.
    fn lock(&self, slice: Slice) -> Result<Lock, GenerateError> {
        let path = self.folder.join(format!("{slice}.lock"));
        let waiting = |first| {
            if first {
                let text = format!("another process is at work on {slice}: waiting for it");
                self.job.progress.message(&text);
            }
            self.job.check().is_ok()
        };
        Lock::take(&path, waiting).map_err(at(&path))?.ok_or(GenerateError::Interrupted)
    }

    fn id(&self, slice: Slice, metric: Metric) -> TableId {
        match self.profile_id(slice, metric) {
            Some(id) => TableId::under(G::ID, slice, metric, &id),
            None => TableId::new(G::ID, slice, metric),
        }
    }

    /// The name of the draw rules that a table depends on, if it does.
    fn profile_id(&self, slice: Slice, metric: Metric) -> Option<String> {
        let countdowns = self.countdowns.as_ref().filter(|_| metric == Metric::Budget)?;
        Some(table_profile(countdowns, slice))
    }

    /// Under which profiles a table of budgets holds: the names of those that come with the
    /// program, and the profile that it was made for.
    fn notes(&self, slice: Slice, metric: Metric) -> Vec<(String, String)> {
        let Some(id) = self.profile_id(slice, metric) else { return Vec::new() };
        let holds = |profile: &&DrawProfile| {
            let mut countdowns = Countdowns::new(profile);
            let _ = countdowns.find([slice.first(), slice.second()]);
            profile.is_for(G::ID) && table_profile(&countdowns, slice) == id
        };
        let names: Vec<&str> =
            draws::all().iter().filter(holds).map(|profile| profile.name.as_str()).collect();
        let mut notes = vec![(NOTE_PROFILES.to_string(), names.join(" "))];
        let own = self.countdowns.as_ref().map(|countdowns| countdowns.profile().to_toml());
        notes.extend(own.map(|text| (NOTE_PROFILE.to_string(), text)));
        notes
    }

    fn path(&self, slice: Slice, metric: Metric) -> PathBuf {
        self.folder.join(self.id(slice, metric).file_name())
    }
}

/// Writes a table on all threads of a job; the number of bytes.
pub(crate) fn write_table(
    folder: &Path,
    info: &TableInfo,
    options: WriteOptions,
    values: &dyn Values,
    job: &Job,
) -> Result<u64, GenerateError> {
    let path = folder.join(info.id.file_name());
    let mut writer = TableWriter::create(folder, info, options, values).map_err(table(&path))?;
    let blocks: Vec<u64> = (0..writer.blocks()).collect();
    for blocks in blocks.chunks(BLOCKS_AT_ONCE) {
        job.check()?;
        let encode = |&block: &u64| writer.encode(values, block);
        let encoded: Result<Vec<_>, _> =
            job.pool.install(|| blocks.par_iter().map(encode).collect());
        for block in encoded.map_err(table(&path))? {
            writer.push(block).map_err(table(&path))?;
        }
    }
    writer.finish().map_err(table(&path))
}

fn table(path: &Path) -> impl FnOnce(TableError) -> GenerateError + use<> {
    let path = path.to_owned();
    |source| GenerateError::Table { path, source }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> GenerateError + use<> {
    let path = path.to_owned();
    |source| GenerateError::Io { path, source }
}
