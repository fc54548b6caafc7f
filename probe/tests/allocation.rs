//! A probe whose blocks are decoded takes no memory.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::Solved;
use damabase_formats::Metric;
use damabase_probe::TableSet;
use damabase_rules::Russian;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
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
