//! The solver for draw counters against one that knows neither index, slices nor staircases: all
//! pairs of position and counters that can arise, as nodes of one graph.

mod common;

use std::collections::HashMap;

use common::ODD;
use common::forward::{Random, States, follow, scaled, values};
use common::small::all_positions;
use damabase_formats::table::Values;
use damabase_formats::{Index, Slice, Wld};
use damabase_generator::stairs::{Solver, StairsTable};
use damabase_rules::draws::{self, Counters, DrawProfile, Ply, Seeds};
use damabase_rules::{
    Brazilian, English, International, Move, Position, Rules, Russian, Word, can_capture,
    legal_moves,
};

small!(SmallInternational, 6 x 6, Flying, ALL, MostPieces, AtEnd);
small!(SmallRussian, 6 x 6, Flying, ALL, Free, InPassing);
small!(SmallEnglish, 6 x 6, Short, UP, Free, AtEnd);
small!(TinyInternational, 4 x 4, Flying, ALL, MostPieces, AtEnd);
small!(TinyRussian, 4 x 4, Flying, ALL, Free, InPassing);
small!(TinyEnglish, 4 x 4, Short, UP, Free, AtEnd);

/// Every position with the counters of a game that starts there, and `seeded` times with values
/// taken at random.
fn starts<G: Rules>(profile: &DrawProfile, positions: &[Position<G>], seeded: u32) -> States<G> {
    let mut states = Vec::new();
    let mut random = Random(1);
    for position in positions {
        states.push((*position, profile.start(position, &Seeds::default()).unwrap()));
        for _ in 0..seeded {
            let mut seeds = Seeds::default();
            for counter in &profile.counters {
                let limits = counter.cases.iter().filter_map(|case| case.limit);
                let most = limits.chain(counter.limit).max().unwrap_or(3);
                seeds.counters.push((counter.name.clone(), random.below(most + 2)));
                // Not every counter can be on everywhere, and not each that can is.
                if random.below(4) == 0 || profile.start(position, &seeds).is_err() {
                    seeds.counters.pop();
                }
            }
            states.push((*position, profile.start(position, &seeds).unwrap()));
        }
    }
    states
}

/// The value as a reader of the table finds it; where no code is stored, what it can do without.
fn stored<G: Rules>(
    profile: &DrawProfile,
    tables: &HashMap<Slice, StairsTable>,
    position: &Position<G>,
    counters: &Counters,
) -> Option<Wld> {
    let moves = legal_moves(position);
    if can_capture(position) {
        let due =
            (0..profile.counters.len()).any(|i| profile.left(i, counters, position) == Some(0));
        let value = |m: &Move<G::Word>| {
            let ply = Ply::new(*position, *m);
            stored(profile, tables, &ply.after, &profile.step(counters, &ply))
        };
        let values: Vec<Wld> = moves.iter().map(value).collect::<Option<_>>()?;
        return Some(match values.into_iter().min()? {
            _ if due => Wld::Draw,
            Wld::Loss => Wld::Win,
            Wld::Draw => Wld::Draw,
            Wld::Win => Wld::Loss,
        });
    }
    if position.mover.all().none() {
        return Some(Wld::Loss);
    }
    let (slice, to_move) = Slice::of(position);
    let table = &tables[&slice];
    let number = Index::<G>::new(slice, to_move).rank(position);
    let mut code = [0];
    table.read(to_move, number..number + 1, &mut code);
    let names = table.dictionary.counters().iter();
    let values = names.map(|name| counters.value(profile.counter(name).unwrap()));
    table.dictionary.value(to_move, code[0], &values.collect::<Vec<_>>())
}

/// Compares all positions with up to so many pieces. Gives the number of those that are drawn at
/// some counters and not at others, and the greatest number of corners of a staircase.
fn check<G: Rules>(profile: &DrawProfile, pieces: u32, seeded: u32) -> (usize, usize) {
    let positions = all_positions::<G>(pieces);
    let (states, nodes) = follow(profile, starts(profile, &positions, seeded));
    let values = values(&nodes);
    let mut solver = Solver::<G>::new(profile).unwrap();
    for slice in Slice::with_pieces(pieces) {
        solver.solve(slice).unwrap();
    }
    let tables: HashMap<Slice, StairsTable> = Slice::closure(&Slice::with_pieces(pieces))
        .into_iter()
        .map(|slice| (slice, solver.table(slice).unwrap()))
        .collect();
    let mut drawn: HashMap<Position<G>, (bool, bool)> = HashMap::new();
    for ((position, counters), expected) in states.iter().zip(values) {
        let found = solver.value(position, counters);
        let name = &profile.name;
        assert_eq!(found, Some(expected), "{name}: {position:?} with {counters:?}");
        assert_eq!(
            stored(profile, &tables, position, counters),
            found,
            "stored, {name}: {position:?}"
        );
        let seen = drawn.entry(*position).or_default();
        *if expected == Wld::Draw { &mut seen.0 } else { &mut seen.1 } = true;
    }
    let corners = Slice::with_pieces(pieces).into_iter();
    let corners = corners.filter_map(|slice| Some(solver.summary(slice)?.most_corners));
    (drawn.values().filter(|seen| seen.0 && seen.1).count(), corners.max().unwrap())
}

/// Checks a profile on small boards with the rules of a game that it is for. Gives the greatest
/// number of corners.
fn check_small(profile: &DrawProfile) -> usize {
    let is_for = |name: &str| profile.variants.iter().any(|variant| variant == name);
    let scaled_3 = scaled(profile, 5);
    let scaled_4 = scaled(profile, 6);
    let (three, four) = if is_for("international") {
        (check::<SmallInternational>(&scaled_3, 3, 1), check::<TinyInternational>(&scaled_4, 4, 4))
    } else if is_for("english") {
        (check::<SmallEnglish>(&scaled_3, 3, 1), check::<TinyEnglish>(&scaled_4, 4, 4))
    } else {
        (check::<SmallRussian>(&scaled_3, 3, 1), check::<TinyRussian>(&scaled_4, 4, 4))
    };
    let changed = three.0 + four.0;
    // The counters must have mattered; not those that draw at once.
    let counts = profile.counters.iter().any(|counter| counter.limit != Some(0));
    assert_eq!(changed > 0, counts, "{}", profile.name);
    three.1.max(four.1)
}

/// Checks the profiles whose names begin so. Gives the greatest number of corners.
fn check_profiles(begin: &str) -> usize {
    let profiles = draws::all().iter().filter(|profile| profile.name.starts_with(begin));
    profiles.map(check_small).max().unwrap()
}

#[test]
fn fmjd100() {
    assert!(check_profiles("fmjd100") > 1);
}

#[test]
fn fmjd64() {
    assert!(check_profiles("fmjd64") > 1);
}

#[test]
fn others() {
    let done = ["fmjd", "li"];
    for profile in draws::all() {
        if !done.iter().any(|begin| profile.name.starts_with(begin)) {
            check_small(profile);
        }
    }
}

#[test]
fn lidraughts() {
    assert_eq!(check_profiles("li"), 1);
}

#[test]
fn odd_counters() {
    let profile = DrawProfile::from_toml(ODD).unwrap();
    assert!(check::<SmallRussian>(&profile, 3, 1).1 > 1);
    assert!(check::<TinyRussian>(&scaled(&profile, 2), 4, 4).0 > 0);
    assert!(check::<TinyEnglish>(&profile, 3, 8).0 > 0);
}

/// The true limits on the true board.
#[test]
fn two_pieces_on_8x8() {
    for name in ["fmjd64", "fsr64", "cn64-russian", "li-russian"] {
        check::<Russian>(draws::built_in(name).unwrap(), 2, 1);
    }
    for name in ["fmjd64", "cbd64", "cn64-brazilian", "li-brazilian"] {
        check::<Brazilian>(draws::built_in(name).unwrap(), 2, 1);
    }
    check::<English>(draws::built_in("wcdf").unwrap(), 2, 1);
}

#[test]
fn two_pieces_on_10x10() {
    check::<International>(draws::built_in("fmjd100-2018").unwrap(), 2, 0);
}

/// Four pieces on the true board, where three counters run: positions a few plies before a draw,
/// with all that can follow. The limits are a quarter of the true ones, or too much could.
#[test]
#[ignore = "takes minutes and gigabytes of memory"]
fn four_pieces_near_the_limits() {
    let profile = &scaled(draws::built_in("fmjd64").unwrap(), 4);
    let mut solver = Solver::<Russian>::new(profile).unwrap();
    let mut random = Random(7);
    let mut starts = Vec::new();
    for name in ["KKMvK", "KMMvK", "KKvKM", "KMvKM", "KKKvK"] {
        let slice: Slice = name.parse().unwrap();
        solver.solve(slice).unwrap();
        for &to_move in slice.sides() {
            let index = Index::<Russian>::new(slice, to_move);
            for _ in 0..40 {
                let number = u64::from(random.below(index.len() as u32));
                let Some(position) = index.unrank(number) else { continue };
                let (long, short) = (9 + random.below(6), random.below(8));
                let mut seeds = Seeds::default();
                for (name, value) in [("B45", long), ("K15", short), ("ROAD5", random.below(3))] {
                    seeds.counters.push((name.to_string(), value));
                    if profile.start(&position, &seeds).is_err() {
                        seeds.counters.pop();
                    }
                }
                starts.push((position, profile.start(&position, &seeds).unwrap()));
            }
        }
    }
    let (states, nodes) = follow(profile, starts);
    let mut decided = 0;
    for ((position, counters), expected) in states.iter().zip(values(&nodes)) {
        assert_eq!(solver.value(position, counters), Some(expected), "{position:?} {counters:?}");
        decided += usize::from(expected != Wld::Draw);
    }
    println!("{} positions with counters, {decided} won or lost", states.len());
}
