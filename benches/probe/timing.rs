//! Times of single calls that take some tens of nanoseconds.

use std::hint::black_box;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use serde::{Deserialize, Serialize};

/// Calls that are timed together for the median.
const BATCH: usize = 16;
/// How often everything is timed; the least time of a call, or of a batch, counts. What the system
/// or other programs take from one pass they rarely take from all.
const PASSES: usize = 3;

/// How long calls take, in nanoseconds, without the time of the timer.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Times {
    /// Median over batches of 16 calls after each other, each divided by 16.
    pub median: f64,
    /// Mean over the same batches.
    pub mean: f64,
    /// 99th percentile of single calls.
    pub p99: f64,
    /// The slowest single call.
    pub max: f64,
}

/// Takes times, or only calls what would be timed.
#[derive(Clone, Copy, Debug)]
pub struct Timer {
    /// What taking the time twice takes, in nanoseconds.
    overhead: f64,
    is_counting: bool,
}

/// Calls for each item once. A count of instructions looks for this name.
#[inline(never)]
fn counted_calls<T, R>(items: &[T], call: impl Fn(&T) -> R) {
    items.iter().for_each(|item| drop(black_box(call(item))));
}

#[inline(always)]
fn time(action: impl FnOnce()) -> f64 {
    let start = Instant::now();
    action();
    start.elapsed().as_nanos() as f64
}

impl Timer {
    /// A timer; one that only calls what would be timed is for counts of instructions.
    pub fn new(is_counting: bool) -> Timer {
        let mut times: Vec<f64> = (0..10_001).map(|_| time(|| ())).collect();
        Timer { overhead: percentile(&mut times, 0.5), is_counting }
    }

    /// What taking the time takes, in nanoseconds.
    pub fn overhead(self) -> f64 {
        self.overhead
    }

    /// The time of an action.
    #[inline(always)]
    fn time(self, action: impl FnOnce()) -> f64 {
        (time(action) - self.overhead).max(0.0)
    }

    /// Times a call for each item, several times over.
    pub fn times<T, R>(self, items: &[T], call: impl Fn(&T) -> R) -> Times {
        if self.is_counting {
            counted_calls(items, call);
            return Times::default();
        }
        let mut batches = vec![f64::MAX; items.len() / BATCH];
        let mut singles = vec![f64::MAX; items.len()];
        for _ in 0..PASSES {
            for (least, batch) in batches.iter_mut().zip(items.chunks_exact(BATCH)) {
                let all = self.time(|| batch.iter().for_each(|item| drop(black_box(call(item)))));
                *least = least.min(all / BATCH as f64);
            }
            for (least, item) in singles.iter_mut().zip(items) {
                *least = least.min(self.time(|| drop(black_box(call(item)))));
            }
        }
        Times::new(batches, singles)
    }

    /// Times a call for each item once: for calls that are faster the second time.
    pub fn first_times<T, R>(self, items: &[T], call: impl Fn(&T) -> R) -> Times {
        let time = |item| self.time(|| drop(black_box(call(item))));
        let singles: Vec<f64> = items.iter().map(time).collect();
        Times::new(singles.clone(), singles)
    }
}

impl Times {
    fn new(mut batches: Vec<f64>, mut singles: Vec<f64>) -> Times {
        Times {
            median: percentile(&mut batches, 0.5),
            mean: batches.iter().sum::<f64>() / batches.len().max(1) as f64,
            p99: percentile(&mut singles, 0.99),
            max: percentile(&mut singles, 1.0),
        }
    }
}

fn percentile(times: &mut [f64], part: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    let place = (times.len() as f64 * part) as usize;
    times.get(place.min(times.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

/// What several threads did together.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Together {
    /// Processor time by calls, in nanoseconds.
    pub cpu_ns: f64,
    /// Calls of all threads by time on the clock.
    pub per_second: f64,
}

/// Calls for all items in each of several threads, each from another place on. The best of several
/// passes.
pub fn together<T: Sync, R>(
    items: &[T],
    threads: usize,
    call: impl Fn(&T) -> R + Sync,
) -> Together {
    let mut best = Together { cpu_ns: f64::MAX, per_second: 0.0 };
    for _ in 0..PASSES {
        let (cpu, wall) = (ProcessTime::now(), Instant::now());
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let (later, first) = items.split_at(items.len() * thread / threads);
                let call = &call;
                scope.spawn(move || {
                    first.iter().chain(later).for_each(|item| drop(black_box(call(item))));
                });
            }
        });
        let calls = (items.len() * threads) as f64;
        let nanoseconds = |time: Duration| time.as_nanos() as f64;
        best.cpu_ns = best.cpu_ns.min(nanoseconds(cpu.elapsed()) / calls);
        best.per_second = best.per_second.max(calls / wall.elapsed().as_secs_f64());
    }
    best
}
