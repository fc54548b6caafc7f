//! Generating into a folder: the same bytes however it comes about, and nothing finished lost.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use common::options;
use damabase_formats::Slice;
use damabase_formats::table::{Metric, TableError, TableFile};
use damabase_generator::{
    GenerateError, Options, Progress, Reference, Silent, estimate, generate, generate_with,
};
use damabase_rules::{Russian, VariantId, draws};

const ALL: [Metric; 3] = [Metric::Wld, Metric::Dtc, Metric::Dtw];

fn run(dir: &Path, pieces: u32, metrics: &[Metric], threads: usize) -> usize {
    let mut options = options(dir, pieces, metrics);
    options.threads = Some(threads);
    let rows = generate(VariantId::Russian, &options, &AtomicBool::new(false), &Silent).unwrap();
    rows.iter().filter(|row| row.made).count()
}

fn bytes(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |entry: fs::DirEntry| {
        (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())
    };
    fs::read_dir(dir.join("russian")).unwrap().map(|entry| read(entry.unwrap())).collect()
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_threads() {
    let mut all = Vec::new();
    for threads in [1, 2, 5] {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(run(dir.path(), 3, &ALL, threads), 9);
        all.push(bytes(dir.path()));
    }
    assert_eq!(all[0].len(), 27, "three metrics of nine slices and nothing else");
    assert_eq!(all[0], all[1]);
    assert_eq!(all[0], all[2]);
}

#[test]
fn a_run_makes_only_what_is_missing_or_damaged() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), 3, &ALL, 2);
    let first = bytes(dir.path());
    assert_eq!(run(dir.path(), 3, &ALL, 2), 0);

    let file = |name: &str| dir.path().join("russian").join(name);
    fs::remove_file(file("KMvM.wld")).unwrap();
    fs::remove_file(file("KMvM.dtw")).unwrap();
    fs::remove_file(file("KvK.dtc")).unwrap();
    let cut = fs::read(file("KKvM.dtw")).unwrap();
    fs::write(file("KKvM.dtw"), &cut[..cut.len() - 1]).unwrap();
    // What a killed process leaves behind.
    fs::write(file("KMvM.wld.tmp-1-0"), "half").unwrap();
    fs::write(file("KMvM.lock"), "").unwrap();
    assert_eq!(run(dir.path(), 3, &ALL, 2), 3);
    assert_eq!(bytes(dir.path()), first);
}

/// [`run`] with the reference solver.
fn run_reference(dir: &Path, pieces: u32, metrics: &[Metric]) -> usize {
    let (options, stop) = (options(dir, pieces, metrics), AtomicBool::new(false));
    let rows =
        generate_with(&mut Reference::<Russian>::default(), &options, &stop, &Silent).unwrap();
    rows.iter().filter(|row| row.made).count()
}

#[test]
fn the_bytes_do_not_depend_on_the_solver() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run(dir.path(), 3, &ALL, 2);
    run_reference(other.path(), 3, &ALL);
    assert_eq!(bytes(dir.path()), bytes(other.path()));
}

#[test]
fn a_table_that_proves_damaged_when_a_solver_reads_it_is_made_again() {
    let dir = tempfile::tempdir().unwrap();
    run_reference(dir.path(), 3, &[Metric::Wld]);
    let first = bytes(dir.path());
    let file = |name: &str| dir.path().join("russian").join(name);
    // The last byte of the last block: in front of the directory of a block and the checksum.
    let mut damaged = fs::read(file("KKvM.wld")).unwrap();
    let sections = TableFile::open(&file("KKvM.wld")).unwrap().header().sections.clone();
    let blocks: u64 = sections.iter().map(|section| section.blocks).sum();
    let place = damaged.len() - 8 - 16 * blocks as usize - 1;
    damaged[place] ^= 1;
    fs::write(file("KKvM.wld"), damaged).unwrap();
    fs::remove_file(file("KMvM.wld")).unwrap();
    assert_eq!(run_reference(dir.path(), 3, &[Metric::Wld]), 2);
    assert_eq!(bytes(dir.path()), first);
}

/// Stops the run after some positions.
struct StopAfter<'a> {
    left: AtomicU64,
    stop: &'a AtomicBool,
}

impl Progress for StopAfter<'_> {
    fn advanced(&self, positions: u64) {
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(positions), Ordering::Relaxed);
        if left <= positions {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn an_interrupted_run_keeps_what_is_finished() {
    let whole = tempfile::tempdir().unwrap();
    run(whole.path(), 3, &[Metric::Dtw], 2);
    let dir = tempfile::tempdir().unwrap();
    let mut stopped = 0;
    loop {
        let stop = AtomicBool::new(false);
        let progress = StopAfter { left: (20_000 * (stopped + 1)).into(), stop: &stop };
        let options = options(dir.path(), 3, &[Metric::Dtw]);
        match generate(VariantId::Russian, &options, &stop, &progress) {
            Err(GenerateError::Interrupted) => stopped += 1,
            result => break drop(result.unwrap()),
        }
        for (name, content) in bytes(dir.path()) {
            assert_eq!(bytes(whole.path()).get(&name), Some(&content), "{name}");
        }
    }
    assert!(stopped > 0);
    assert_eq!(bytes(dir.path()), bytes(whole.path()));
}

#[test]
fn runs_side_by_side_share_the_work() {
    let alone = tempfile::tempdir().unwrap();
    run(alone.path(), 3, &ALL, 2);
    let dir = tempfile::tempdir().unwrap();
    let made: usize = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..3).map(|_| scope.spawn(|| run(dir.path(), 3, &ALL, 1))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).sum()
    });
    assert_eq!(made, 9, "each slice is made once");
    assert_eq!(bytes(dir.path()), bytes(alone.path()));
}

#[derive(Default)]
struct Log(Mutex<Vec<String>>, AtomicU64);

impl Progress for Log {
    fn planned(&self, slices: usize, positions: u64) {
        self.0.lock().unwrap().push(format!("{slices} slices {positions}"));
    }
    fn started(&self, slice: Slice, positions: u64) {
        self.0.lock().unwrap().push(format!("{slice} {positions}"));
    }
    fn advanced(&self, positions: u64) {
        self.1.fetch_add(positions, Ordering::Relaxed);
    }
    fn message(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_string());
    }
}

#[test]
fn progress_adds_up_to_what_was_planned() {
    let dir = tempfile::tempdir().unwrap();
    let log = Log::default();
    let mut options = options(dir.path(), 2, &[Metric::Wld, Metric::Dtw]);
    options.slices = vec!["KKvM".parse().unwrap()];
    let stop = AtomicBool::new(false);
    let rows = generate(VariantId::Russian, &options, &stop, &log).unwrap();
    let positions: u64 =
        rows.iter().flat_map(|row| &row.counts).map(|counts| counts.positions).sum();
    assert_eq!(log.1.into_inner(), positions);
    let log = log.0.into_inner().unwrap();
    assert_eq!(log[0], format!("5 slices {positions}"));
    assert_eq!(log[1..], ["KvK 992", "KvM 1736", "MvM 760", "KKvK 29760", "KKvM 26040"]);
    for row in rows {
        for (metric, size) in row.size_bytes {
            let name = format!("{}.{metric}", row.slice);
            assert_eq!(fs::metadata(dir.path().join("russian").join(name)).unwrap().len(), size);
        }
    }
}

#[test]
fn files_that_are_no_tables_of_this_slice_are_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), 2, &[Metric::Wld], 1);
    let folder = dir.path().join("russian");
    fs::copy(folder.join("KvM.wld"), folder.join("KvK.wld")).unwrap();
    let options = options(dir.path(), 2, &[Metric::Wld]);
    match generate(VariantId::Russian, &options, &AtomicBool::new(false), &Silent) {
        Err(GenerateError::Table { source: TableError::WrongTable { .. }, path }) => {
            assert_eq!(path, folder.join("KvK.wld"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_cannot_be_generated_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let try_run = |pieces, metrics: &[Metric]| {
        let options = options(dir.path(), pieces, metrics);
        generate(VariantId::Russian, &options, &AtomicBool::new(false), &Silent).unwrap_err()
    };
    assert!(matches!(try_run(2, &[]), GenerateError::NoMetric));
    assert!(matches!(try_run(2, &[Metric::Budget]), GenerateError::NoProfile));
    assert!(matches!(try_run(1, &[Metric::Wld]), GenerateError::Plan(_)));
    fs::write(dir.path().join("russian"), "a file").unwrap();
    assert!(matches!(try_run(2, &[Metric::Wld]), GenerateError::Io { .. }));
}

/// The memory that the largest slice takes if nothing else is kept.
fn least_memory(pieces: u32, metrics: &[Metric]) -> u64 {
    let options = options(Path::new("unused"), pieces, metrics);
    let estimates = estimate(VariantId::Russian, &options).unwrap();
    estimates.iter().map(|estimate| estimate.least_memory_bytes).max().unwrap()
}

fn run_within(dir: &Path, pieces: u32, memory: u64) -> Result<usize, GenerateError> {
    let options = Options { memory: Some(memory), ..options(dir, pieces, &ALL) };
    let rows = generate(VariantId::Russian, &options, &AtomicBool::new(false), &Silent)?;
    Ok(rows.iter().filter(|row| row.made).count())
}

#[test]
fn a_run_with_little_memory_makes_the_same_bytes_and_leaves_no_working_files() {
    let (dir, tight) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run(dir.path(), 4, &ALL, 2);
    let least = least_memory(4, &ALL);
    run_within(tight.path(), 4, least).unwrap();
    // No folder of working files is left, or this would fail to read it as a file.
    assert_eq!(bytes(dir.path()), bytes(tight.path()));
    let folder = tempfile::tempdir().unwrap();
    let error = run_within(folder.path(), 4, least - 1).unwrap_err();
    assert!(matches!(error, GenerateError::Memory { .. }), "{error}");
    assert!(error.to_string().contains("of memory, but the limit is"), "{error}");
    assert_eq!(bytes(folder.path()).len(), 0, "it says so before it begins");
}

#[test]
fn budgets_take_the_memory_that_their_limits_need() {
    let budgets = |dir: &Path| Options {
        profile: draws::built_in("fmjd64").cloned(),
        ..options(dir, 3, &[Metric::Budget])
    };
    let run =
        |options: &Options| generate(VariantId::Russian, options, &AtomicBool::new(false), &Silent);
    let estimates = estimate(VariantId::Russian, &budgets(Path::new("unused"))).unwrap();
    let least = estimates.iter().map(|estimate| estimate.least_memory_bytes).max().unwrap();
    assert!(least < least_memory(3, &[Metric::Dtw]), "{least}");
    let (dir, tight) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run(&budgets(dir.path())).unwrap();
    run(&Options { memory: Some(least), ..budgets(tight.path()) }).unwrap();
    assert_eq!(bytes(dir.path()), bytes(tight.path()));
    let folder = tempfile::tempdir().unwrap();
    let too_little = Options { memory: Some(least - 1), ..budgets(folder.path()) };
    assert!(matches!(run(&too_little).unwrap_err(), GenerateError::Memory { .. }));
    // Without draw rules there is nothing to estimate.
    let none = Options { profile: None, ..budgets(Path::new("unused")) };
    assert!(matches!(estimate(VariantId::Russian, &none), Err(GenerateError::NoProfile)));
}

#[test]
fn an_interrupted_run_with_little_memory_goes_on_from_its_working_files() {
    let (dir, tight) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run(dir.path(), 4, &ALL, 2);
    let stop = AtomicBool::new(false);
    let progress = StopAfter { left: AtomicU64::new(3_000_000), stop: &stop };
    let memory = Some(least_memory(4, &ALL));
    let options = Options { memory, ..options(tight.path(), 4, &ALL) };
    let error = generate(VariantId::Russian, &options, &stop, &progress).unwrap_err();
    assert!(matches!(error, GenerateError::Interrupted), "{error}");
    let working = tight.path().join("russian").join("working");
    let mut files: Vec<_> =
        fs::read_dir(&working).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 4, "{files:?}");
    // One of them is damaged meanwhile: it is worked out again.
    let damaged = fs::read(&files[0]).unwrap();
    fs::write(&files[0], &damaged[..damaged.len() / 2]).unwrap();
    assert!(run_within(tight.path(), 4, least_memory(4, &ALL)).unwrap() > 0);
    assert_eq!(bytes(dir.path()), bytes(tight.path()));
}
