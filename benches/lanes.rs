//! Whether the compiler's vectorisation of the row loops is as fast as lanes written out by hand:
//! the loops of the solver against the same in chunks of 4 and 8 lanes, and with intrinsics.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use damabase_generator::planes::measure::Rows;
use damabase_rules::{Direction, International, Rules, Word};

mod cpu;

use cpu::{CpuTime, config};

/// Neighbouring rows that are walked beside each other, as in the solver.
const COLUMNS: usize = 512;
/// Steps of the walk.
const STEPS: usize = 10;
const WORDS: usize = COLUMNS * STEPS;

/// Planes of `STEPS` times `COLUMNS` rows.
struct Input {
    free: Vec<u64>,
    won: Vec<u64>,
    lost: Vec<u64>,
}

impl Input {
    /// Four squares of each row are not free; of the others about 3 in 8 are won and 1 in 8 lost.
    fn new() -> Input {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let mut input = Input { free: Vec::new(), won: Vec::new(), lost: Vec::new() };
        for _ in 0..WORDS {
            let mut free = International::squares();
            for _ in 0..4 {
                free &= !u64::bit((random() % 54) as u32);
            }
            let won = free & random() & (random() | random());
            input.free.push(free);
            input.won.push(won);
            input.lost.push(free & !won & random() & random());
        }
        input
    }

    /// The rows that one step of the walk looks at.
    fn rows(&self, step: usize) -> Rows<'_, u64> {
        let range = step * COLUMNS..(step + 1) * COLUMNS;
        Rows {
            free: &self.free[range.clone()],
            won: &self.won[range.clone()],
            lost: &self.lost[range],
        }
    }
}

/// From where a lost and where a position that is not won can be reached.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Reach {
    lost: Vec<u64>,
    open: Vec<u64>,
}

impl Reach {
    fn new() -> Reach {
        Reach { lost: vec![0; WORDS], open: vec![0; WORDS] }
    }

    fn step(&mut self, step: usize) -> (&mut [u64], &mut [u64]) {
        let range = step * COLUMNS..(step + 1) * COLUMNS;
        (&mut self.lost[range.clone()], &mut self.open[range])
    }
}

/// The solver's own loop.
fn walk_plain(input: &Input, reach: &mut Reach) {
    let mut carry = [(0, 0); COLUMNS];
    for step in 0..STEPS {
        let (lost, open) = reach.step(step);
        input.rows(step).pass::<International>(&mut carry, lost, open);
    }
}

/// One step of a walk: what is seen of the rows, what is carried along, what is reached.
type Step<'a> = (Rows<'a, u64>, [&'a mut [u64]; 2], [&'a mut [u64]; 2]);

fn walk_with(input: &Input, reach: &mut Reach, pass: impl Fn(Step<'_>)) {
    let mut carry = [[0; COLUMNS]; 2];
    for step in 0..STEPS {
        let [lost, open] = &mut carry;
        let reach = reach.step(step);
        pass((input.rows(step), [lost, open], [reach.0, reach.1]));
    }
}

/// The loop in chunks of `N` lanes; `COLUMNS` is a multiple of them.
fn pass_lanes<const N: usize>((rows, carry, reach): Step<'_>) {
    let [lost, open] = carry.map(|carry| carry.as_chunks_mut::<N>().0);
    let [reach_lost, reach_open] = reach.map(|reach| reach.as_chunks_mut::<N>().0);
    let [free, won, to_lost] = [rows.free, rows.won, rows.lost].map(|rows| rows.as_chunks::<N>().0);
    for n in 0..lost.len() {
        for lane in 0..N {
            let here = free[n][lane];
            reach_lost[n][lane] |= lost[n][lane] & here;
            reach_open[n][lane] |= open[n][lane] & here;
            lost[n][lane] = (lost[n][lane] | to_lost[n][lane]) & here;
            open[n][lane] = (open[n][lane] | !won[n][lane]) & here;
        }
    }
}

/// The loop with instructions for four lanes of 64 bits.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn pass_avx2((rows, carry, reach): Step<'_>) {
    use std::arch::x86_64::*;
    let load = |words: &[u64; 4]| {
        // SAFETY: a chunk has as many bits as are read, and the read needs no alignment.
        unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
    };
    let store = |words: &mut [u64; 4], value| {
        // SAFETY: as above.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), value) }
    };
    let [lost, open] = carry.map(|carry| carry.as_chunks_mut::<4>().0);
    let [reach_lost, reach_open] = reach.map(|reach| reach.as_chunks_mut::<4>().0);
    let [free, won, to_lost] = [rows.free, rows.won, rows.lost].map(|rows| rows.as_chunks::<4>().0);
    for n in 0..lost.len() {
        let here = load(&free[n]);
        let (old_lost, old_open) = (load(&lost[n]), load(&open[n]));
        let reached = |reach: &_, old| _mm256_or_si256(load(reach), _mm256_and_si256(old, here));
        let value = reached(&reach_lost[n], old_lost);
        store(&mut reach_lost[n], value);
        let value = reached(&reach_open[n], old_open);
        store(&mut reach_open[n], value);
        let value = _mm256_and_si256(_mm256_or_si256(old_lost, load(&to_lost[n])), here);
        store(&mut lost[n], value);
        let not_won = _mm256_andnot_si256(load(&won[n]), here);
        store(&mut open[n], _mm256_or_si256(_mm256_and_si256(old_open, here), not_won));
    }
}

/// Moves of the axis king: the solver's own loop.
fn king_plain(input: &Input, reach: &mut Reach) {
    let Input { free, won, lost } = input;
    let rows = Rows { free, won, lost };
    rows.axis_king::<International>(&mut reach.lost, &mut reach.open);
}

/// Moves of the axis king in `N` rows at once.
fn king_lanes<const N: usize>(input: &Input, reach: &mut Reach) {
    let [free, won, lost] = [&input.free, &input.won, &input.lost].map(|w| w.as_chunks::<N>().0);
    let (reach_lost, _) = reach.lost.as_chunks_mut::<N>();
    let (reach_open, _) = reach.open.as_chunks_mut::<N>();
    for n in 0..free.len() {
        reach_lost[n] = back_from(lost[n], free[n]);
        reach_open[n] =
            back_from(std::array::from_fn(|lane| free[n][lane] & !won[n][lane]), free[n]);
    }
}

#[inline(always)]
fn back_from<const N: usize>(targets: [u64; N], free: [u64; N]) -> [u64; N] {
    let board = International::board();
    let mut reach = [0; N];
    for &direction in Direction::ALL {
        let mut front = targets;
        loop {
            let mut any = 0;
            for lane in 0..N {
                front[lane] = board.step(front[lane], direction) & free[lane];
                reach[lane] |= front[lane];
                any |= front[lane];
            }
            if any == 0 {
                break;
            }
        }
    }
    reach
}

/// A loop with its name.
type Named<'a> = (&'a str, &'a dyn Fn(&Input, &mut Reach));

/// Measures loops that must all find the same.
fn compare(criterion: &mut Criterion<CpuTime>, group: &str, loops: &[Named]) {
    let input = Input::new();
    let mut expected = Reach::new();
    loops[0].1(&input, &mut expected);
    let mut group = criterion.benchmark_group(group);
    group.throughput(Throughput::Elements(WORDS as u64));
    for (name, run) in loops {
        let mut reach = Reach::new();
        run(&input, &mut reach);
        assert!(reach == expected, "{name} differs");
        group.bench_function(*name, |bencher| {
            bencher.iter(|| run(black_box(&input), black_box(&mut reach)));
        });
    }
}

fn walks(criterion: &mut Criterion<CpuTime>) {
    let four = |input: &Input, reach: &mut Reach| walk_with(input, reach, pass_lanes::<4>);
    let eight = |input: &Input, reach: &mut Reach| walk_with(input, reach, pass_lanes::<8>);
    let mut loops: Vec<Named> =
        vec![("plain", &walk_plain), ("4 lanes", &four), ("8 lanes", &eight)];
    #[cfg(target_arch = "x86_64")]
    let avx2 = |input: &Input, reach: &mut Reach| {
        // SAFETY: used only where the processor has these instructions.
        walk_with(input, reach, |step| unsafe { pass_avx2(step) });
    };
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        loops.push(("intrinsics", &avx2));
    }
    compare(criterion, "walk", &loops);
}

fn axis_king(criterion: &mut Criterion<CpuTime>) {
    let loops: [Named; 3] =
        [("plain", &king_plain), ("4 lanes", &king_lanes::<4>), ("8 lanes", &king_lanes::<8>)];
    compare(criterion, "axis king", &loops);
}

criterion_group! {
    name = benches;
    config = config();
    targets = walks, axis_king
}
criterion_main!(benches);
