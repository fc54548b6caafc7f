//! What several tests need.
#![allow(dead_code)] // not all of them need all of it

pub mod forward;
pub mod small;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use damabase_formats::table::{Metric, WriteOptions};
use damabase_formats::{Index, Slice, ToMove};
use damabase_generator::{Job, Options, Reference, Silent};
use damabase_rules::Rules;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Threads and a stop flag.
pub struct Runner {
    pool: ThreadPool,
    pub stop: AtomicBool,
}

impl Runner {
    pub fn new(threads: usize) -> Runner {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        Runner { pool, stop: AtomicBool::new(false) }
    }

    pub fn job(&self) -> Job<'_> {
        Job { pool: &self.pool, stop: &self.stop, progress: &Silent }
    }
}

/// All codes that a solver has for one side to move.
pub fn read<G: Rules>(
    solver: &Reference<G>,
    slice: Slice,
    metric: Metric,
    to_move: ToMove,
) -> Vec<u16> {
    let len = Index::<G>::new(slice, to_move).len();
    let mut codes = vec![0; len as usize];
    solver.values(slice, metric).unwrap().read(to_move, 0..len, &mut codes);
    codes
}

/// Options for all slices with up to `pieces` pieces, quick to write.
pub fn options(dir: &Path, pieces: u32, metrics: &[Metric]) -> Options {
    Options {
        profile: None,
        dir: dir.to_owned(),
        pieces: Some(pieces),
        slices: Vec::new(),
        metrics: metrics.to_vec(),
        threads: Some(2),
        memory: None,
        write: WriteOptions { level: 3, ..WriteOptions::default() },
    }
}
