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

/// What no profile that comes with the program has: a count of 6 that keeps a count of 4 from
/// starting after a capture, a limit that ends and comes back, a tally with a limit, and a limit
/// that depends on another count that restarts.
pub const ODD: &str = r#"
name = "odd"
title = "Odd counters"
variants = ["russian"]
source = "made up"

[[counter]]
name = "K"
limit = 9
article = "-"
status = "inferred"
text = "no limit with three pieces"
restart = ["capture", "man-move"]
case = [{ when = [{ total = 3 }], restart = ["promotion", "entry-capture"] }]

[[counter]]
name = "C6"
limit = 6
article = "-"
status = "inferred"
text = "three pieces, kept with two"
start = [{ weak = { men = 0, kings = 1 }, strong = { pieces = "2+", kings = "1+" } }]
keep = [{ weak = { men = 0, kings = 1 }, strong = { kings = "1+" } }]

[[counter]]
name = "C4"
limit = 4
article = "-"
status = "inferred"
text = "not beside the count of 6"
start = [{ weak = { men = 0, kings = 1 }, strong = { kings = "1+" } }]
unless = "C6"

[[counter]]
name = "TALLY"
limit = 8
article = "-"
status = "inferred"
text = "plies after which a strong king was on the road"
start = [{ weak = { kings = 1 }, strong = { kings = "1+" }, road = "strong-king" }]
tally = true

[[counter]]
name = "R"
article = "-"
status = "inferred"
text = "a limit while the first count is short"
case = [{ when = [{ weak = { kings = 1 }, strong = { kings = "1+" } }], counted = { counter = "K", least = 3 }, limit = 7, restart = ["capture"] }]
"#;

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
