//! A probe whose blocks are decoded takes no memory, and a table that was never probed little.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::Solved;
use damabase_formats::{Metric, Slice};
use damabase_probe::TableSet;
use damabase_rules::Russian;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    /// Bytes that were taken and not yet given back.
    static HELD: Cell<i64> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        HELD.set(HELD.get() + layout.size() as i64);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.set(HELD.get() - layout.size() as i64);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_warm_probe_allocates_nothing() {
    let solved = Solved::<Russian>::new(2);
    let folder = tempfile::tempdir().unwrap();
    solved.write(folder.path(), &[Metric::Wld, Metric::Dtw]);
    let set = TableSet::<Russian>::open(&[folder.path().to_path_buf()]).unwrap();
    let probe_all = || {
        let before = ALLOCATIONS.get();
        for position in &solved.positions {
            set.wld(position).unwrap();
            set.dtw(position).unwrap();
        }
        ALLOCATIONS.get() - before
    };
    assert!(probe_all() > 0);
    assert_eq!(probe_all(), 0);
}

#[test]
fn a_table_takes_less_than_a_kibibyte_until_it_is_probed() {
    const TABLES: usize = 300;
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("russian")).unwrap();
    // What is in the files is of no interest yet.
    for slice in (2..).flat_map(Slice::with_pieces).take(TABLES) {
        std::fs::write(folder.path().join(format!("russian/{slice}.wld")), [0; 100]).unwrap();
    }
    let dirs = [folder.path().to_path_buf()];
    let before = HELD.get();
    let set = TableSet::<Russian>::open(&dirs).unwrap().with_cache_bytes(0);
    let held = HELD.get() - before;
    assert_eq!(set.tables().count(), TABLES);
    assert!(held > 0 && held < 1024 * TABLES as i64, "{} bytes for a table", held / TABLES as i64);
}

#[test]
fn a_million_probes_of_everything_stay_within_the_budget_and_a_fifth() {
    const BUDGET: usize = 1 << 20;
    let solved = Solved::<Russian>::new(3);
    let folder = tempfile::tempdir().unwrap();
    solved.write(folder.path(), &[Metric::Wld, Metric::Dtw, Metric::Dtc]);
    let before = HELD.get();
    let set = TableSet::<Russian>::open(&[folder.path().to_path_buf()]).unwrap();
    let set = set.with_cache_bytes(BUDGET);
    let (mut probes, mut most) = (0, 0);
    while probes < 1_000_000 {
        for (node, position) in solved.positions.iter().enumerate() {
            let value = set.value(position).unwrap();
            assert_eq!(value.dtw, Some(solved.dtw[node]));
            most = most.max(HELD.get() - before);
            probes += 3;
        }
    }
    assert!(set.cache_bytes() <= BUDGET && most > set.cache_bytes() as i64);
    assert!(most <= (BUDGET + BUDGET / 5) as i64, "{most} bytes");
}
