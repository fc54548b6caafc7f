//! Games under draw profiles, for the tests of counters.

use damabase_rules::draws::*;
use damabase_rules::*;

use super::{fen, seen_by, square};

/// A game published with the question how the counts of 16 and 5 moves go together
/// (leveluplounge.net, "How do the different draw rules interact with each other").
pub const THREE_KINGS: &str = "W:WK46,K47,K48:BK3";
pub const THREE_KINGS_MOVES: &str = "1. 47-38 3-9 2. 46-23 9-22 3. 38-24 22-17 4. 48-31 17-39
    5. 24-38 39-17 6. 31-42 17-22 7. 38-15 22-6 8. 42-31 6-1 9. 31-18 1-6 10. 18-13 6-17
    11. 15-20 17-39 12. 13-18 39-17 13. 20-33 17x39 14. 18-13 39-33 15. 13-27 33-17 16. 23-19 17-12
    17. 27-22 12-29 18. 19-32 29-12";

pub fn seeds(values: &[(&str, u32)]) -> Seeds {
    let counters = values.iter().map(|(name, plies)| (name.to_string(), *plies)).collect();
    Seeds { half_moves: None, counters }
}

pub fn profile(name: &str) -> &'static DrawProfile {
    built_in(name).unwrap_or_else(|| panic!("no profile {name}"))
}

/// A game that begins with a position, with counters at some values and moves played.
pub fn game<G: Rules>(
    name: &str,
    start: &str,
    values: &[(&str, u32)],
    moves: &str,
) -> Replay<'static, G> {
    game_with(profile(name), start, &seeds(values), moves)
}

pub fn game_with<'p, G: Rules>(
    profile: &'p DrawProfile,
    start: &str,
    seeds: &Seeds,
    moves: &str,
) -> Replay<'p, G> {
    let (position, side) = fen::<G>(start);
    let mut replay = Replay::new(profile, side, position, seeds).unwrap();
    for text in moves.split_whitespace().filter(|text| !text.ends_with('.')) {
        let squares: Vec<Square> = text.split(['-', 'x', ':']).map(square::<G>).collect();
        let now = replay.now();
        let ends = [squares[0], squares[squares.len() - 1]].map(|s| seen_by::<G>(now.side, s));
        let legal = legal_moves(&now.position);
        let fits: Vec<_> = legal.iter().filter(|m| [m.from, m.to] == ends).collect();
        assert_eq!(fits.len(), 1, "{text} in {:?}", now.position);
        let action = *fits[0];
        replay.play(action).unwrap();
    }
    replay
}

/// The value of a counter on the board.
pub fn value<G: Rules>(replay: &Replay<G>, name: &str) -> Option<u32> {
    let counter = replay.profile().counter(name).unwrap_or_else(|| panic!("no counter {name}"));
    replay.now().counters.value(counter)
}

pub fn left<G: Rules>(replay: &Replay<G>, name: &str) -> Option<u32> {
    let counter = replay.profile().counter(name).unwrap();
    let now = replay.now();
    replay.profile().left(counter, &now.counters, &now.position)
}

/// The names of what is due at a ply.
pub fn due<G: Rules>(replay: &Replay<G>, ply: usize) -> Vec<&'static str> {
    let profile = built_in(&replay.profile().name).unwrap();
    let name = |due: &Due| match due.cause {
        Cause::Counter(i) => profile.counters[i].name.as_str(),
        Cause::Repetition => "repetition",
    };
    replay.records()[ply].due.iter().map(name).collect()
}
