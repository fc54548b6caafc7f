//! Tables of budgets judged by the plain solver for draw counters, which knows no countdowns.
//!
//! For one position and one set of counters that are on, the plain solver's wins (losses) are a
//! down-set of counter values, and the tables' are those with at least `budget` plies left on every
//! counter. Both only shrink as counters grow. So they agree at *every* value if they agree at the
//! greatest values that have `budget` plies left, and at the least that have fewer, for each
//! counter alone and for all together: these are asked at every position. At one position in so
//! many, all combinations of values are asked as well.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use damabase_formats::table::{Compression, Metric, WriteOptions};
use damabase_formats::{Distance, Index, Slice, ToMove};
use damabase_generator::stairs::Solver;
use damabase_generator::{Options, Silent, generate};
use damabase_probe::{Standing, TableSet, Under};
use damabase_rules::draws::{Countdowns, Counters, DrawProfile, Seeds};
use damabase_rules::{Position, Rules};
use rayon::prelude::*;

/// What was judged, all right.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// Slices in which one number decides.
    pub slices: u64,
    /// Positions in them, both sides to move.
    pub positions: u64,
    /// Values compared.
    pub compared: u64,
    /// Values among them that are draws only because of the counters.
    pub cursed: u64,
    /// Positions at which all combinations of counter values were compared.
    pub whole: u64,
}

/// The slices among some in which one number decides.
pub fn one_number(profile: &DrawProfile, slices: &[Slice]) -> Vec<Slice> {
    let mut countdowns = Countdowns::new(profile);
    let decides = |slice: &&Slice| countdowns.find([slice.first(), slice.second()]).is_ok();
    slices.iter().filter(decides).copied().collect()
}

/// Generates tables of budgets into a folder and compares them with the plain solver in slices in
/// which one number decides; everything at one position in every `stride`.
///
/// # Panics
/// Where they differ.
pub fn judge<G: Rules>(
    profile: &DrawProfile,
    slices: &[Slice],
    stride: u64,
    dir: &Path,
) -> Verdict {
    let options = Options {
        dir: dir.to_owned(),
        slices: slices.to_vec(),
        metrics: vec![Metric::Wld, Metric::Budget],
        profile: Some(profile.clone()),
        write: WriteOptions {
            compression: Some(Compression::Zstd),
            level: 1,
            ..WriteOptions::default()
        },
        ..Options::default()
    };
    generate(G::ID, &options, &AtomicBool::new(false), &Silent).expect("tables");
    let set = TableSet::<G>::open(&[dir.to_owned()]).expect("a folder of tables");
    let under = set.under(profile);
    let mut solver = Solver::<G>::new(profile).expect("a profile");
    let mut verdict = Verdict::default();
    for &slice in slices {
        solver.solve(slice).expect("a slice");
        verdict.slices += 1;
        for &to_move in slice.sides() {
            let side = judge_side(&under, &solver, slice, to_move, stride);
            verdict.positions += side.positions;
            verdict.compared += side.compared;
            verdict.cursed += side.cursed;
            verdict.whole += side.whole;
        }
    }
    verdict
}

fn judge_side<G: Rules>(
    under: &Under<G>,
    solver: &Solver<G>,
    slice: Slice,
    to_move: ToMove,
    stride: u64,
) -> Verdict {
    let index = Index::<G>::new(slice, to_move);
    // Where one number decides, what is on and how long does not depend on the squares.
    let Some(example) = (0..index.len()).find_map(|number| index.unrank(number)) else {
        return Verdict::default();
    };
    let states = states(under.profile(), &example);
    let (positions, compared, cursed, whole) =
        (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    (0..index.len()).into_par_iter().for_each(|number| {
        let Some(position) = index.unrank(number) else { return };
        let (mut asked, mut saved) = (0, 0);
        let mut ask = |counters: &Counters| {
            let found = under.value(&position, counters).expect("a table");
            // Values that no game has.
            let Some(standing) = found.standing else { return };
            let expected = solver.value(&position, counters);
            assert_eq!(
                Some(standing.result()),
                expected,
                "{} {slice} {to_move:?} {position:?} {counters:?}: {found:?}",
                under.profile().name
            );
            asked += 1;
            saved += u64::from(matches!(standing, Standing::CursedWin | Standing::BlessedLoss));
        };
        let budget = under.budget(&position).expect("a table").expect("one number");
        for state in &states {
            for counters in state.around(budget) {
                ask(&counters);
            }
            if number % stride == 0 {
                state.for_each(&mut ask);
            }
        }
        positions.fetch_add(1, Ordering::Relaxed);
        compared.fetch_add(asked, Ordering::Relaxed);
        cursed.fetch_add(saved, Ordering::Relaxed);
        whole.fetch_add(u64::from(number % stride == 0), Ordering::Relaxed);
    });
    Verdict {
        slices: 0,
        positions: positions.into_inner(),
        compared: compared.into_inner(),
        cursed: cursed.into_inner(),
        whole: whole.into_inner(),
    }
}

/// The counters that are on, by place: the limit of each, if it has one.
#[derive(Debug)]
struct State {
    limits: Vec<Option<Option<u32>>>,
}

/// All sets of counters that may be on in a slice.
fn states<G: Rules>(profile: &DrawProfile, example: &Position<G>) -> Vec<State> {
    let fresh = profile.start(example, &Seeds::default()).expect("no seeds");
    let all = 0..profile.counters.len();
    // Counters that are kept here but do not start may be on or off.
    let seeded = |i: usize| {
        let seeds =
            Seeds { half_moves: None, counters: vec![(profile.counters[i].name.clone(), 0)] };
        profile.start(example, &seeds).is_ok()
    };
    let free: Vec<usize> = all.clone().filter(|&i| fresh.value(i).is_none() && seeded(i)).collect();
    (0..1u32 << free.len())
        .map(|chosen| {
            let is_on = |i: usize| {
                let place = free.iter().position(|&j| j == i);
                fresh.value(i).is_some() || place.is_some_and(|place| chosen & 1 << place != 0)
            };
            let values: Vec<Option<u32>> = all.clone().map(|i| is_on(i).then_some(0)).collect();
            let counters = Counters::from_values(&values);
            let limit = |i: usize| is_on(i).then(|| profile.limit(i, &counters, example));
            State { limits: all.clone().map(limit).collect() }
        })
        .collect()
}

impl State {
    /// Counters with values by place; those without a limit are at 0.
    fn counters(&self, value: impl Fn(usize, u32) -> u32) -> Counters {
        let values = self
            .limits
            .iter()
            .enumerate()
            .map(|(i, limit)| limit.map(|limit| limit.map_or(0, |limit| value(i, limit))));
        Counters::from_values(&values.collect::<Vec<_>>())
    }

    /// The values at which what a budget says ends.
    fn around(&self, budget: Distance) -> Vec<Counters> {
        let mut all = vec![self.counters(|_, _| 0)];
        let Some(budget) = budget.plies().map(u32::from) else {
            all.push(self.counters(|_, limit| limit.saturating_sub(1)));
            return all;
        };
        for left in [budget, budget.saturating_sub(1)] {
            all.push(self.counters(|_, limit| limit.saturating_sub(left)));
            for one in 0..self.limits.len() {
                if self.limits[one].flatten().is_some() {
                    all.push(self.counters(|i, limit| match i == one {
                        true => limit.saturating_sub(left),
                        false => 0,
                    }));
                }
            }
        }
        all.dedup();
        all
    }

    /// Every combination of values up to the limits.
    fn for_each(&self, ask: &mut impl FnMut(&Counters)) {
        let mut values = vec![0; self.limits.len()];
        loop {
            ask(&self.counters(|i, _| values[i]));
            let mut place = 0;
            while let Some(limit) = self.limits.get(place) {
                if limit.flatten().is_some_and(|limit| values[place] < limit) {
                    values[place] += 1;
                    break;
                }
                values[place] = 0;
                place += 1;
            }
            if place == self.limits.len() {
                return;
            }
        }
    }
}
