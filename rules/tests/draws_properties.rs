//! What must hold of the counters of any game under any profile.

use damabase_rules::draws::*;
use damabase_rules::*;
use proptest::prelude::*;

/// Endings with few pieces, where counters run and change.
fn ending<G: Rules>() -> impl Strategy<Value = (Side, Position<G>)> {
    let squares = G::board().squares() as u8;
    let pieces = prop::collection::vec((0..squares, 0..6u8), 2..=7);
    let sides = prop_oneof![Just(Side::White), Just(Side::Black)];
    (sides, pieces).prop_filter_map("no ending", |(side, pieces)| {
        let mut lists: [Vec<Square>; 4] = Default::default();
        for (square, kind) in pieces {
            lists[[0, 1, 1, 2, 3, 3][usize::from(kind)]].push(Square(square));
        }
        let [men, kings, waiter_men, waiter_kings] = &lists;
        let position = Position::from_squares(men, kings, waiter_men, waiter_kings).ok()?;
        Some((side, position))
    })
}

/// Plays moves chosen by `choices` and checks what must hold of any game.
fn check_game<G: Rules>(
    profile: &DrawProfile,
    side: Side,
    start: Position<G>,
    choices: &[u8],
) -> Result<(), TestCaseError> {
    let mut replay = Replay::new(profile, side, start, &Seeds::default()).unwrap();
    let mut states = vec![replay.now().clone()];
    for &choice in choices {
        let before = replay.now().clone();
        let moves = legal_moves(&before.position);
        if before.winner.is_some() {
            prop_assert!(before.due.is_empty(), "the end of the game beats every counter");
            break;
        }
        let action = moves[usize::from(choice) % moves.len()];
        let ply = Ply::new(before.position, action);
        let mut changes = [None; MAX_COUNTERS];
        let next = profile.step_with(&before.counters, &ply, |i, c| changes[i] = Some(c));
        prop_assert_eq!(next, profile.step(&before.counters, &ply), "a step has one outcome");
        for (i, change) in changes.iter().enumerate() {
            let pair = (before.counters.value(i), next.value(i));
            let fits = match change {
                None | Some(Change::StaysOff) => pair == (None, None),
                Some(Change::Stopped) => pair.0.is_some() && pair.1.is_none(),
                Some(Change::Started) => pair.1 == Some(0),
                Some(Change::Restarted(_)) => pair.0.is_some() && pair.1 == Some(0),
                Some(Change::Counted) => pair.0.is_some() && pair.1 == pair.0.map(|v| v + 1),
                Some(Change::Waits) => pair.0.is_some() && pair.0 == pair.1,
            };
            prop_assert!(fits, "{change:?} {pair:?}");
        }
        let now = replay.play(action).unwrap().clone();
        prop_assert_eq!(now.counters, next);
        let number = states.len() as u32;
        for (i, counter) in profile.counters.iter().enumerate() {
            // Where a counter began tells its value, as every ply since has counted.
            if let Some(value) = next.value(i).filter(|_| !counter.tally) {
                let origin = now.origins[i];
                let since = origin.restarted.map_or(origin.started, |(ply, _)| ply);
                prop_assert_eq!(value, number - since, "{}", counter.name);
            }
        }
        states.push(now);
    }
    // Taking every move back gives every state again, and playing on gives the same game.
    let mut actions = Vec::new();
    while states.len() > 1 {
        prop_assert_eq!(replay.now(), states.last().unwrap());
        actions.extend(replay.take_back());
        states.pop();
    }
    prop_assert_eq!(replay.now(), &states[0]);
    prop_assert!(replay.take_back().is_none());
    for &action in actions.iter().rev() {
        replay.play(action).unwrap();
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn counters_of_any_game(
        (side, position) in ending::<International>(),
        choices in prop::collection::vec(any::<u8>(), 0..80),
    ) {
        for profile in all().iter().filter(|p| p.is_for(VariantId::International)) {
            check_game(profile, side, position, &choices)?;
        }
    }

    #[test]
    fn counters_of_any_small_game(
        (side, position) in ending::<Russian>(),
        choices in prop::collection::vec(any::<u8>(), 0..80),
    ) {
        // Profiles of other games too: the counters do not depend on how pieces move.
        for profile in all().iter().filter(|p| !p.is_for(VariantId::International)) {
            check_game(profile, side, position, &choices)?;
        }
    }

    #[test]
    fn no_text_makes_the_reader_of_profiles_panic(
        text in "\\PC*",
        at in any::<prop::sample::Index>(),
        put in "[\\[\\]{}\"=,+0-9a-z\\n-]{0,4}",
    ) {
        let _ = DrawProfile::from_toml(&text);
        let file = toml_text("li-russian").unwrap();
        let at = at.index(file.len());
        let at = (0..=at).rev().find(|&i| file.is_char_boundary(i)).unwrap();
        let _ = DrawProfile::from_toml(&format!("{}{put}{}", &file[..at], &file[at..]));
    }
}
