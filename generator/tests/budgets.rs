//! Tables of budgets against the rules themselves: every value under every value of a counter
//! follows from its successors by `DrawProfile::step`, which the solver does not use.

mod common;

use std::sync::atomic::AtomicBool;

use damabase_formats::table::{Metric, Wld};
use damabase_formats::{Index, Slice};
use damabase_generator::{Options, Silent, VerifyOptions, generate, verify_set};
use damabase_probe::{Standing, TableSet, Under};
use damabase_rules::draws::{self, Counters, DrawProfile, Ply, Seeds};
use damabase_rules::{
    Brazilian, English, International, Position, Rules, Russian, Word, legal_moves,
};

use common::options;

/// The result under a profile, by the tables.
fn result<G: Rules>(under: &Under<G>, position: &Position<G>, counters: &Counters) -> Option<Wld> {
    Some(under.value(position, counters).unwrap().standing?.result())
}

/// The result that follows from the moves, each with its counters stepped by the rules.
fn from_moves<G: Rules>(
    under: &Under<G>,
    position: &Position<G>,
    counters: &Counters,
) -> Option<Wld> {
    let profile = under.profile();
    let moves = legal_moves(position);
    if moves.is_empty() || position.waiter.all().none() {
        return Some(if moves.is_empty() { Wld::Loss } else { Wld::Win });
    }
    let left = |i| profile.left(i, counters, position);
    if (0..profile.counters.len()).any(|i| left(i) == Some(0)) {
        return Some(Wld::Draw);
    }
    let mut best = Wld::Loss;
    for action in moves {
        let ply = Ply::new(*position, action);
        let after = result(under, &ply.after, &profile.step(counters, &ply))?;
        best = best.max(after.turned());
    }
    Some(best)
}

/// Every value of each counter that is on, the others at 0; and all at the same value.
fn values<G: Rules>(profile: &DrawProfile, position: &Position<G>) -> Vec<Counters> {
    let fresh = profile.start(position, &Seeds::default()).unwrap();
    let on: Vec<usize> =
        (0..profile.counters.len()).filter(|&i| fresh.value(i).is_some()).collect();
    let start = |counters: Vec<(String, u32)>| {
        profile.start(position, &Seeds { half_moves: None, counters }).unwrap()
    };
    let mut all = vec![fresh];
    for &i in &on {
        let limit = profile.limit(i, &fresh, position).unwrap_or(0);
        let name = |i: usize| profile.counters[i].name.clone();
        for value in 1..=limit {
            all.push(start(vec![(name(i), value)]));
            all.push(start(on.iter().map(|&i| (name(i), value)).collect()));
        }
    }
    all
}

/// Checks one position in every `stride`; gives the number of values that the tables answered, and
/// of those where the counters made a difference.
fn check<G: Rules>(profile: &DrawProfile, pieces: u32, stride: u64) -> (u64, u64) {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        profile: Some(profile.clone()),
        ..options(folder.path(), pieces, &[Metric::Wld, Metric::Budget])
    };
    generate(G::ID, &options, &AtomicBool::new(false), &Silent).unwrap();
    let set = TableSet::<G>::open(&[folder.path().to_owned()]).unwrap();
    let all = VerifyOptions {
        dirs: Vec::new(),
        slices: Vec::new(),
        sample: 1.0,
        threads: Some(2),
        max_failures: 3,
    };
    let report = verify_set(&set, &all, &AtomicBool::new(false), &Silent).unwrap();
    assert!(report.is_right(), "{}: {:?}", profile.name, report.failures.first());
    let under = set.under(profile);
    let (mut answered, mut cursed) = (0, 0);
    for slice in (2..=pieces).flat_map(Slice::with_pieces) {
        for &to_move in slice.sides() {
            let index = Index::<G>::new(slice, to_move);
            for number in (0..index.len()).step_by(stride as usize) {
                let Some(position) = index.unrank(number) else { continue };
                for counters in values(profile, &position) {
                    let found = under.value(&position, &counters).unwrap();
                    let Some(standing) = found.standing else { continue };
                    answered += 1;
                    cursed +=
                        u64::from(matches!(standing, Standing::CursedWin | Standing::BlessedLoss));
                    let expected = from_moves(&under, &position, &counters);
                    let place =
                        || format!("{} {slice} {position:?} {counters:?} {found:?}", profile.name);
                    match expected {
                        Some(expected) => assert_eq!(standing.result(), expected, "{}", place()),
                        // Values that no game has: then only what is drawn anyway is known.
                        None => assert!(found.left.is_none(), "{}", place()),
                    }
                }
            }
        }
    }
    (answered, cursed)
}

fn check_built_in<G: Rules>(names: &[&str]) {
    for name in names {
        let profile = draws::built_in(name).unwrap();
        let (answered, cursed) = check::<G>(profile, 3, 61);
        assert!(answered > 20_000 && cursed > 300, "{name}: {answered} values, {cursed} cursed");
    }
}

#[test]
fn international_budgets_follow_from_the_rules() {
    check_built_in::<International>(&["fmjd100-2018", "fmjd100-2015-fresh", "li-standard"]);
}

#[test]
fn russian_budgets_follow_from_the_rules() {
    check_built_in::<Russian>(&["cn64-russian", "fmjd64", "fsr64", "li-russian"]);
}

#[test]
fn brazilian_budgets_follow_from_the_rules() {
    check_built_in::<Brazilian>(&["cn64-brazilian", "cbd64", "li-brazilian"]);
}

#[test]
fn english_budgets_follow_from_the_rules() {
    check_built_in::<English>(&["wcdf"]);
}
