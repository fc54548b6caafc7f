//! Games played out by tables: what is won under the counters is won on the board before a draw,
//! against best play and against any other; what is drawn is not lost.

use std::sync::atomic::AtomicBool;

use damabase_adjudicate::{End, line};
use damabase_formats::table::{Compression, Metric, WriteOptions};
use damabase_formats::{Distance, Index, Slice, ToMove, Wld};
use damabase_generator::{Options, Silent, generate};
use damabase_probe::{Standing, TableSet, Under};
use damabase_rules::draws::{self, Cause, DrawProfile, Replay, Seeds};
use damabase_rules::{Brazilian, International, Move, Position, Rules, Russian, Side, legal_moves};
use tempfile::TempDir;

/// More plies than any game here takes.
const MANY: usize = 2000;

fn tables<G: Rules>(profile: &DrawProfile, slices: &[&str]) -> (TableSet<G>, TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let options = Options {
        dir: dir.path().to_owned(),
        slices: slices.iter().map(|name| name.parse().unwrap()).collect(),
        metrics: vec![Metric::Wld, Metric::Budget],
        profile: Some(profile.clone()),
        threads: Some(2),
        write: WriteOptions {
            compression: Some(Compression::Zstd),
            level: 1,
            ..WriteOptions::default()
        },
        ..Options::default()
    };
    generate(G::ID, &options, &AtomicBool::new(false), &Silent).unwrap();
    (TableSet::open(&[dir.path().to_owned()]).unwrap(), dir)
}

/// Random numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % limit
    }
}

/// Plays a game in which `side` follows the tables and the other plays at random. Gives the winner.
fn against_random<G: Rules>(
    under: &Under<G>,
    start: &Replay<G>,
    side: Side,
    seed: u64,
) -> Option<Side> {
    let (mut game, mut random) = (start.clone(), Random(seed));
    for _ in 0..MANY {
        let now = game.now();
        if now.winner.is_some() || !now.due.is_empty() {
            return now.winner;
        }
        let action = if now.side == side {
            under.moves(&now.position, &now.counters).unwrap()[0].action
        } else {
            let moves = legal_moves(&now.position);
            moves[random.below(moves.len())]
        };
        game.play(action).unwrap();
    }
    panic!("no end: {start:?}");
}

/// Plays from a position: a win must be won, and nothing that is drawn be lost.
fn check_game<G: Rules>(under: &Under<G>, start: &Replay<G>) -> Wld {
    let now = start.now();
    let value = under.value(&now.position, &now.counters).unwrap();
    let standing = value.standing.expect("a value");
    let place = || format!("{} {:?} {:?}", under.profile().name, now.position, now.counters);
    let winner = match standing.result() {
        Wld::Win => Some(now.side),
        Wld::Loss => Some(now.side.other()),
        Wld::Draw => None,
    };
    let best = line(under, start, MANY).unwrap();
    assert!(!best.unless_repetition, "{}", place());
    match winner {
        Some(winner) => assert_eq!(best.end, End::Won(winner), "{}", place()),
        None => assert!(matches!(best.end, End::Drawn(_)), "{} {:?}", place(), best.end),
    }
    for seed in 1..4 {
        match winner {
            Some(winner) => {
                assert_eq!(against_random(under, start, winner, seed), Some(winner), "{}", place());
            }
            None => {
                for side in [Side::White, Side::Black] {
                    let won = against_random(under, start, side, seed);
                    assert_ne!(won, Some(side.other()), "{}", place());
                }
            }
        }
    }
    standing.result()
}

/// The counter that has least left in a position with a fresh count, and its limit.
fn deciding<G: Rules>(under: &Under<G>, position: &Position<G>) -> Option<(String, u32)> {
    let profile = under.profile();
    let counters = profile.start(position, &Seeds::default()).unwrap();
    let left = under.countdowns().left(&counters, position)?;
    Some((profile.counters[left.decided_by?].name.clone(), left.plies?))
}

/// Plays from one position in every `stride` of a slice: with fresh counters, with the last value
/// that is enough, and with one more. Gives the numbers of wins, draws and losses.
fn check_slice<G: Rules>(under: &Under<G>, slice: Slice, stride: usize) -> [u32; 3] {
    let mut found = [0; 3];
    for &to_move in slice.sides() {
        let index = Index::<G>::new(slice, to_move);
        let side = if to_move == ToMove::First { Side::White } else { Side::Black };
        for number in (0..index.len()).step_by(stride) {
            let Some(position) = index.unrank(number) else { continue };
            let Some((counter, limit)) = deciding(under, &position) else { continue };
            let budget = under.budget(&position).unwrap().unwrap();
            let mut values = vec![0];
            if let Some(plies) = budget.plies().map(u32::from).filter(|&plies| plies <= limit) {
                values.push(limit - plies);
                if plies > 1 {
                    values.push(limit - plies + 1);
                }
            }
            for value in values {
                let seeds = Seeds { half_moves: None, counters: vec![(counter.clone(), value)] };
                let game = Replay::new(under.profile(), side, position, &seeds).unwrap();
                let result = check_game(under, &game);
                let enough = budget.plies().is_some_and(|plies| value + u32::from(plies) <= limit);
                assert_eq!(
                    result != Wld::Draw,
                    enough,
                    "{position:?} {counter} {value} {budget:?}"
                );
                found[result as usize] += 1;
            }
        }
    }
    found
}

fn check<G: Rules>(profile: &str, slices: &[(&str, usize)]) {
    let profile = draws::built_in(profile).unwrap();
    let names: Vec<&str> = slices.iter().map(|(name, _)| *name).collect();
    let (set, _dir) = tables::<G>(profile, &names);
    let under = set.under(profile);
    for &(name, stride) in slices {
        let found = check_slice(&under, name.parse().unwrap(), stride);
        println!("{} {name}: {found:?}", profile.name);
        assert!(found.iter().all(|&number| number > 0), "{} {name}: {found:?}", profile.name);
    }
}

#[test]
fn international() {
    let slices = [("KvK", 1), ("KKvK", 397), ("KMvK", 397)];
    for profile in ["fmjd100-2018", "fmjd100-2015-fresh", "li-standard"] {
        check::<International>(profile, &slices);
    }
}

#[test]
fn russian_and_brazilian() {
    let slices = [("KvK", 1), ("KKvK", 97), ("KMvK", 97), ("MMvK", 97)];
    check::<Russian>("fmjd64", &slices);
    check::<Russian>("cn64-russian", &slices);
    check::<Brazilian>("cbd64", &slices);
}

/// All of the lone king's slices with three pieces against it; `scripts/prove-budgets` plays them.
#[test]
#[ignore = "takes minutes"]
fn three_against_one() {
    for profile in ["fmjd100-2018", "fmjd100-2015-fresh", "li-standard"] {
        check::<International>(profile, &[("KKKvK", 9973), ("KKMvK", 9973), ("KMMvK", 9973)]);
    }
}

/// The reversed move, if it is legal in a position.
fn back<G: Rules>(position: &Position<G>, of: &Move<G::Word>) -> Option<Move<G::Word>> {
    legal_moves(position).into_iter().find(|m| m.is_quiet() && m.from == of.to && m.to == of.from)
}

/// A game that comes to a position in which White's quiet king move `action` makes another position
/// for the third time. Kings only, so that every move can be taken back.
fn repeated<'p, G: Rules>(
    profile: &'p DrawProfile,
    position: &Position<G>,
    action: &Move<G::Word>,
) -> Option<Replay<'p, G>> {
    let after = position.after(action);
    for first in legal_moves(&after).into_iter().filter(Move::is_quiet) {
        let aside = after.after(&first);
        // White's king goes back to where it stands in the position wanted.
        let Some(away) = back(&aside, action) else { continue };
        let mut game = Replay::new(profile, Side::Black, after, &Seeds::default()).unwrap();
        let mut play = |action: &Move<G::Word>| game.play(*action).is_ok();
        // P, first, another king or the same away and back, back, ..., P again.
        let other = aside.after(&away);
        let Some(returned) = back(&other, &first) else { continue };
        let there = other.after(&returned);
        if there != *position {
            continue;
        }
        let twice = [first, away, returned, *action, first, away, returned];
        if twice.iter().all(&mut play) && game.now().due.is_empty() {
            return Some(game);
        }
    }
    None
}

/// The same moves, but now it is Black, who loses, whose move makes a position for the third time: it
/// is played, and the loss is one unless there is a repetition. `false` where Black does not lose.
fn loser_repeats<G: Rules>(
    under: &Under<G>,
    profile: &DrawProfile,
    game: &Replay<G>,
    last: &Move<G::Word>,
) -> bool {
    let records = game.records();
    let seeds = Seeds::default();
    let mut lost = Replay::new(profile, records[1].side, records[1].position, &seeds).unwrap();
    let actions = records[2..].iter().filter_map(|record| record.action).chain([*last]);
    for action in actions {
        lost.play(action).unwrap();
    }
    let now = lost.now();
    let value = under.value(&now.position, &now.counters).unwrap();
    if !now.due.is_empty() || value.standing != Some(Standing::Loss) {
        return false;
    }
    let found = line(under, &lost, MANY).unwrap();
    assert_eq!(found.end, End::Drawn(vec![Cause::Repetition]), "{:?}", now.position);
    assert!(found.unless_repetition, "{:?}", now.position);
    assert_eq!(found.values[0].standing, Some(Standing::Loss));
    true
}

#[test]
fn repetitions_are_gone_around_or_told() {
    let profile = draws::built_in("fmjd100-2018").unwrap();
    let (set, _dir) = tables::<International>(profile, &["KKKvK"]);
    let under = set.under(profile);
    let index = Index::<International>::new("KKKvK".parse().unwrap(), ToMove::First);
    let (mut around, mut told, mut only, mut told_to_loser) = (0, 0, 0, 0);
    for number in (0..index.len()).step_by(151) {
        let Some(position) = index.unrank(number) else { continue };
        if !matches!(under.budget(&position), Ok(Some(Distance::Win(3..=20)))) {
            continue;
        }
        let counters = profile.start(&position, &Seeds::default()).unwrap();
        let Some(best) = under.moves(&position, &counters).unwrap().first().map(|m| m.action)
        else {
            continue;
        };
        let Some(game) = repeated(profile, &position, &best).filter(|_| best.is_quiet()) else {
            continue;
        };
        // The move makes a position for the third time.
        let mut drawn = game.clone();
        drawn.play(best).unwrap();
        assert!(!drawn.now().due.is_empty(), "{position:?}");
        // Then the draw stands, whatever tables say of the position.
        let found = line(&under, &drawn, MANY).unwrap();
        assert_eq!(found.end, End::Drawn(vec![Cause::Repetition]), "{position:?}");
        let standing = found.values[0].standing.unwrap();
        assert_eq!((standing.result(), found.unless_repetition), (Wld::Draw, false));
        told_to_loser += u32::from(loser_repeats(&under, profile, &game, &best));
        let now = game.now();
        let winning = under.moves(&now.position, &now.counters).unwrap();
        let winning =
            winning.iter().filter(|m| m.value.standing.map(|s| s.result()) == Some(Wld::Win));
        let winning: Vec<_> = winning.map(|m| m.action).collect();
        if under.value(&now.position, &now.counters).unwrap().standing.unwrap().result() != Wld::Win
        {
            continue;
        }
        let found = line(&under, &game, MANY).unwrap();
        if found.unless_repetition {
            told += 1;
            only += u32::from(winning == [best]);
        } else {
            // Only moves that were thought to be free of repetitions.
            assert_eq!(found.end, End::Won(Side::White), "{position:?}");
            assert_ne!(found.game.records()[found.from + 1].action, Some(best), "{position:?}");
            assert!(winning.len() > 1, "{position:?}");
            around += 1;
        }
    }
    println!("{around} gone around, {told} told, of which {only} had one winning move");
    assert!(around > 20 && only > 20, "{around} {told} {only}");
    assert!(told_to_loser > 20, "{told_to_loser}");
}
