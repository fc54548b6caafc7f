//! Tables of budgets, where one number decides, against the solver that follows every counter: the
//! same value for every position at all counters looked at, those of games and those taken at
//! random.

mod common;

use std::sync::atomic::AtomicBool;

use damabase_formats::table::Metric;
use damabase_formats::{Index, Slice};
use damabase_generator::stairs::Solver;
use damabase_generator::{Options, Silent, generate};
use damabase_probe::{TableSet, Under};
use damabase_rules::draws::{self, Countdowns, Counters, DrawProfile, Ply, Seeds};
use damabase_rules::{Brazilian, English, International, Position, Rules, Russian, legal_moves};

use common::options;

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

/// What was compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Compared {
    /// Positions with counters of which the tables know the value.
    known: u64,
    /// Others.
    unknown: u64,
}

struct Judge<'a, G: Rules> {
    under: Under<'a, G>,
    solver: Solver<G>,
    random: Random,
    compared: Compared,
}

impl<G: Rules> Judge<'_, G> {
    fn compare(&mut self, position: &Position<G>, counters: &Counters) {
        let found = self.under.value(position, counters).unwrap();
        let Some(standing) = found.standing else {
            self.compared.unknown += 1;
            return;
        };
        self.compared.known += 1;
        let expected = self.solver.value(position, counters);
        let name = &self.under.profile().name;
        assert_eq!(
            Some(standing.result()),
            expected,
            "{name}: {position:?} {counters:?} {found:?}"
        );
    }

    /// Counters taken at random among those that can be on.
    fn random_counters(&mut self, position: &Position<G>) -> Counters {
        let profile = self.under.profile().clone();
        let mut seeds = Seeds::default();
        for counter in &profile.counters {
            let limits = counter.cases.iter().filter_map(|case| case.limit);
            let most = limits.chain(counter.limit).max().unwrap_or(12);
            seeds.counters.push((counter.name.clone(), self.random.below(most.into()) as u32));
            if self.random.below(4) == 0 || profile.start(position, &seeds).is_err() {
                seeds.counters.pop();
            }
        }
        profile.start(position, &seeds).unwrap()
    }

    /// A game of random moves, of which few are no quiet moves, until a count is full.
    fn play(&mut self, mut position: Position<G>, mut counters: Counters) {
        for _ in 0..100 {
            self.compare(&position, &counters);
            let moves = legal_moves(&position);
            let profile = self.under.profile();
            let due = |i| profile.left(i, &counters, &position) == Some(0);
            if moves.is_empty() || (0..profile.counters.len()).any(due) {
                return;
            }
            let action = moves[self.random.below(moves.len() as u64) as usize];
            let ply = Ply::new(position, action);
            (position, counters) = (ply.after, profile.step(&counters, &ply));
        }
    }
}

/// Compares these slices and all that they lead to, one position in `stride`.
fn check<G: Rules>(profile: &DrawProfile, slices: &[Slice], stride: usize) -> Compared {
    // Budgets are made where one number decides in a slice and in all that it leads to.
    let mut countdowns = Countdowns::new(profile);
    let mut counts = |slice: Slice| countdowns.find([slice.first(), slice.second()]).is_ok();
    let has_budgets = |slice: &Slice| Slice::closure(&[*slice]).into_iter().all(&mut counts);
    let folder = tempfile::tempdir().unwrap();
    let make = |slices: Vec<Slice>, metrics: &[Metric]| {
        let common = options(folder.path(), 2, metrics);
        let options = Options { profile: Some(profile.clone()), pieces: None, slices, ..common };
        generate(G::ID, &options, &AtomicBool::new(false), &Silent).unwrap();
    };
    make(slices.to_vec(), &[Metric::Wld]);
    let counted = Slice::closure(slices).into_iter().filter(has_budgets);
    make(counted.collect(), &[Metric::Budget]);
    let set = TableSet::<G>::open(&[folder.path().to_owned()]).unwrap();
    let mut solver = Solver::<G>::new(profile).unwrap();
    for &slice in slices {
        solver.solve(slice).unwrap();
    }
    let (random, compared) = (Random(1), Compared::default());
    let mut judge = Judge { under: set.under(profile), solver, random, compared };
    for slice in Slice::closure(slices) {
        for &to_move in slice.sides() {
            let index = Index::<G>::new(slice, to_move);
            for number in (0..index.len()).step_by(stride) {
                let Some(position) = index.unrank(number) else { continue };
                let start = profile.start(&position, &Seeds::default()).unwrap();
                judge.play(position, start);
                for _ in 0..3 {
                    let counters = judge.random_counters(&position);
                    judge.play(position, counters);
                }
            }
        }
    }
    judge.compared
}

/// Checks every profile that is made for the game.
fn check_game<G: Rules>(slices: &[Slice], stride: usize) {
    let counting = |profile: &&DrawProfile| !profile.counters.is_empty() && profile.is_for(G::ID);
    for profile in draws::all().iter().filter(counting) {
        let compared = check::<G>(profile, slices, stride);
        let name = &profile.name;
        println!("{} {name}: {compared:?}", G::VARIANT.name);
        assert!(compared.known > 5_000, "{name}: {compared:?}");
    }
}

#[test]
fn three_pieces_of_all_games() {
    check_game::<International>(&Slice::with_pieces(3), 397);
    check_game::<Russian>(&Slice::with_pieces(3), 97);
    check_game::<Brazilian>(&Slice::with_pieces(3), 97);
    check_game::<English>(&Slice::with_pieces(3), 97);
}

#[test]
#[ignore = "takes minutes"]
fn four_pieces_on_8x8() {
    check_game::<Russian>(&Slice::with_pieces(4), 97);
    check_game::<Brazilian>(&Slice::with_pieces(4), 97);
    check_game::<English>(&Slice::with_pieces(4), 97);
}

#[test]
#[ignore = "takes minutes"]
fn three_against_one_on_10x10() {
    let slices = ["KKKvK", "KKMvK", "KMMvK"].map(|name| name.parse().unwrap());
    check_game::<International>(&slices, 197);
}
