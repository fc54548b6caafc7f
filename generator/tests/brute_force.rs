//! The reference solver against a solver that knows no index, no slices and no waves: all
//! positions with up to four pieces of a 6x6 board in one map, one global iteration.

mod common;

use std::collections::HashMap;

use common::small::all_positions;
use damabase_formats::table::Metric;
use damabase_formats::{Index, Material, Slice};
use damabase_generator::{Reference, Solver};
use damabase_rules::{Rules, Word, legal_moves};

small!(SmallInternational, 6 x 6, Flying, ALL, MostPieces, AtEnd);
small!(SmallRussian, 6 x 6, Flying, ALL, Free, InPassing);
small!(SmallEnglish, 6 x 6, Short, UP, Free, AtEnd);

/// Loss in n plies is `Some((false, n))`, win in n `Some((true, n))`, draw `None`.
type Value = Option<(bool, u16)>;

/// One position's moves: where they lead (none where the waiter has no piece left) and whether
/// they convert.
type Moves = Vec<(Option<usize>, bool)>;

/// Values by levels: `exit` gives the value in a level of a position reached by a converting
/// move, where it does not count on from the level before.
fn levels(moves: &[Moves], exit: impl Fn(usize, &[Value]) -> Value) -> Vec<Value> {
    let mut values: Vec<Value> = vec![None; moves.len()];
    for level in 0.. {
        let old = values.clone();
        let mut idle = true;
        for (n, moves) in moves.iter().enumerate() {
            if old[n].is_some() {
                continue;
            }
            let reached = |&(to, converts): &(Option<usize>, bool)| match to {
                None => Some((false, 0)),
                Some(to) if converts => exit(to, &old),
                Some(to) => old[to],
            };
            let reached: Vec<Value> = moves.iter().map(reached).collect();
            if level > 0 && reached.iter().any(|value| matches!(value, Some((false, _)))) {
                values[n] = Some((true, level));
            } else if reached.iter().all(|value| matches!(value, Some((true, _)))) {
                // Without a move at level 0.
                if level > 0 || moves.is_empty() {
                    values[n] = Some((false, level));
                }
            }
            idle &= values[n].is_none();
        }
        // Level 1 may be the first with anything to find.
        if idle && level > 0 {
            return values;
        }
    }
    unreachable!()
}

fn check<G: Rules>(pieces: u32) {
    let positions = all_positions::<G>(pieces);
    let numbers: HashMap<_, _> = positions.iter().enumerate().map(|(n, p)| (*p, n)).collect();
    let moves: Vec<Moves> = positions
        .iter()
        .map(|position| {
            let moves = legal_moves(position);
            let convert = |m: &damabase_rules::Move<G::Word>| {
                let after = position.after(m);
                let is_over = after.mover.all().none();
                let is_man = Material::of(position.mover).men > 0
                    && position.mover.men.indices().any(|b| G::board().square_of(b) == m.from);
                ((!is_over).then(|| numbers[&after]), is_man || !m.is_quiet())
            };
            moves.iter().map(convert).collect()
        })
        .collect();
    let dtw = levels(&moves, |to, old| old[to]);
    let dtc = levels(&moves, |to, _| dtw[to]);

    let runner = common::Runner::new(2);
    let mut solver = Reference::<G>::default();
    let metrics = [Metric::Wld, Metric::Dtc, Metric::Dtw];
    let mut checked = 0;
    for slice in (2..=pieces).flat_map(Slice::with_pieces) {
        solver.solve(slice, &metrics, &runner.job()).unwrap();
        for &to_move in slice.sides() {
            let index = Index::<G>::new(slice, to_move);
            let [wld, found_dtc, found_dtw] =
                metrics.map(|metric| common::read(&solver, slice, metric, to_move));
            for number in 0..index.len() {
                let at = number as usize;
                let Some(position) = index.unrank(number) else {
                    assert_eq!([wld[at], found_dtc[at], found_dtw[at]], [u16::MAX; 3]);
                    continue;
                };
                let code = |value: Value| match value {
                    None => 0,
                    Some((false, plies)) => 2 * plies + 1,
                    Some((true, plies)) => 2 * plies + 2,
                };
                let n = numbers[&position];
                assert_eq!(found_dtw[at], code(dtw[n]), "dtw {position:?}");
                assert_eq!(found_dtc[at], code(dtc[n]), "dtc {position:?}");
                let expected = dtw[n].map_or(1, |(wins, _)| if wins { 2 } else { 0 });
                assert_eq!(wld[at], expected, "wld {position:?}");
                checked += 1;
            }
        }
    }
    assert_eq!(checked, positions.len());
}

#[test]
fn international_rules() {
    check::<SmallInternational>(4);
}

#[test]
fn russian_rules() {
    check::<SmallRussian>(4);
}

#[test]
fn english_rules() {
    check::<SmallEnglish>(4);
}
