//! Values under several draw counters, proved by searching forward from where they change.
//!
//! A position's value changes at few values of a counter. Just there an error would show: with one
//! ply less left a win must be no win any more. So a position is taken at random, and values for its
//! counters; then one of the counters is raised until the win (or loss) is gone. On both sides of
//! that place the value is proved by a search that knows [`DrawProfile::step`], the legal moves and
//! nothing of staircases: every move of the one side is answered by some move of the other, down to
//! ended games and draws by counters. Where a move leaves the slice, the value of a slice that has
//! been judged before stands for what follows. What the solver says decides only which moves are
//! tried first: a wrong value makes the search longer, or contradicts it.
//!
//! Then games are played from there under a [`Replay`], through all slices to their end: what is
//! won must be won before a draw is due, and what is not must not be.

use std::collections::HashMap;

use damabase_formats::{Index, Slice, Wld};
use damabase_generator::stairs::Solver;
use damabase_rules::draws::{Cause, Counters, DrawProfile, Ply, Replay, Seeds};
use damabase_rules::{Position, Rules, Side, Word, legal_moves};

/// Positions looked at before a slice is taken to have no place of a kind.
const ATTEMPTS: u32 = 20_000;
/// Plies that are to be left at least on the counter that is raised, by turns.
const LEAST_LEFT: [u32; 8] = [1, 4, 8, 12, 16, 20, 24, 28];
/// Games played from each side of a place.
const GAMES: u32 = 2;

/// What was proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Certified {
    /// Places at which wins end.
    pub wins: u32,
    /// Places at which losses end.
    pub losses: u32,
    /// Places among them at which another counter had less left than the one that was raised.
    pub beside: u32,
    /// Places of a kind that was not found.
    pub missing: u32,
    /// Places that would have taken too many nodes, and were only played out.
    pub left_out: u32,
    /// Positions with counters that were searched.
    pub nodes: u64,
    /// Those where a move left the slice.
    pub exits: u64,
    /// The greatest number of plies left on the raised counter at a place.
    pub most_left: u32,
    /// Games that were played to their end.
    pub games: u32,
}

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % u64::from(limit.max(1))) as u32
    }
}

/// Proves so many places of a slice that is solved, each with at most so many nodes: with few and
/// many plies left, of wins and of losses, by the counter with least left and by another.
///
/// # Panics
/// Where the solver is wrong.
pub fn certify<G: Rules>(
    solver: &Solver<G>,
    profile: &DrawProfile,
    slice: Slice,
    places: u32,
    most_nodes: u64,
) -> Certified {
    let mut random = Random(1);
    let mut found = Certified::default();
    for number in 0..places {
        let by_turns = |kinds: usize| number as usize / LEAST_LEFT.len() % kinds;
        let least_left = LEAST_LEFT[number as usize % LEAST_LEFT.len()];
        let is_wanted = |place: &Place| {
            place.left >= least_left
                && (place.value == Wld::Win) == (by_turns(2) == 0)
                && (by_turns(4) < 2 || place.beside)
        };
        let attempt = |_| {
            let to_move = slice.sides()[random.below(slice.sides().len() as u32) as usize];
            let index = Index::<G>::new(slice, to_move);
            let position = index.unrank(u64::from(random.below(u32::MAX)) % index.len())?;
            let place = place(solver, profile, &position, &mut random).filter(is_wanted)?;
            Some((position, place))
        };
        let Some((position, place)) = (0..ATTEMPTS).find_map(attempt) else {
            found.missing += 1;
            continue;
        };
        let mut search = Search {
            profile,
            solver,
            slice,
            wins: HashMap::new(),
            loses: HashMap::new(),
            left: most_nodes,
            exits: 0,
        };
        let proof = [&place.before, &place.after].map(|counters| match place.value {
            Wld::Win => search.wins(&position, counters),
            _ => search.loses(&position, counters),
        });
        found.nodes += most_nodes - search.left;
        found.exits += search.exits;
        let told = || format!("{} {slice} {position:?} {place:?}", profile.name);
        // What was found before the nodes were spent must be right, too.
        assert_ne!(proof[0], Some(false), "{}", told());
        assert_ne!(proof[1], Some(true), "{}", told());
        let mover_wins = place.value == Wld::Win;
        for _ in 0..GAMES {
            let winner = if mover_wins { Side::White } else { Side::Black };
            let result = play(solver, profile, &position, &place.before, winner, &mut random);
            assert_eq!(result, Some(winner), "{}", told());
            let other = winner.other();
            let result = play(solver, profile, &position, &place.after, other, &mut random);
            assert_ne!(result, Some(winner), "{}", told());
            found.games += 2;
        }
        if proof.contains(&None) {
            found.left_out += 1;
            continue;
        }
        *if mover_wins { &mut found.wins } else { &mut found.losses } += 1;
        found.beside += u32::from(place.beside);
        found.most_left = found.most_left.max(place.left);
    }
    found
}

/// Where a value ends as a counter is raised.
#[derive(Debug)]
struct Place {
    value: Wld,
    before: Counters,
    after: Counters,
    /// Plies left on the counter with `before`.
    left: u32,
    beside: bool,
}

/// Takes counters at random and raises one until a win or loss ends, before the counter itself
/// does. None where there is no such place.
fn place<G: Rules>(
    solver: &Solver<G>,
    profile: &DrawProfile,
    position: &Position<G>,
    random: &mut Random,
) -> Option<Place> {
    let fresh = profile.start(position, &Seeds::default()).ok()?;
    let len = profile.counters.len();
    let limit = |i: usize| profile.limit(i, &fresh, position);
    let mut values: Vec<Option<u32>> =
        (0..len).map(|i| fresh.value(i).map(|_| random.below(limit(i).unwrap_or(1)))).collect();
    let limited: Vec<usize> = (0..len).filter(|&i| limit(i).is_some()).collect();
    let raised = limited[random.below(limited.len() as u32) as usize];
    let mut at = |value: u32| {
        values[raised] = Some(value);
        let counters = Counters::from_values(&values);
        (solver.value(position, &counters), counters)
    };
    let (value, mut before) = at(0);
    let value = value.filter(|&value| value != Wld::Draw)?;
    let limit_of_raised = limit(raised)?;
    for count in 1..limit_of_raised {
        let (next, after) = at(count);
        if next == Some(value) {
            before = after;
            continue;
        }
        assert_eq!(next, Some(Wld::Draw), "{} {position:?} {after:?}", profile.name);
        let left = limit_of_raised - (count - 1);
        let others = limited.iter().filter(|&&i| i != raised);
        let mut others = others.filter_map(|&i| profile.left(i, &before, position));
        return Some(Place {
            value,
            before,
            after,
            left,
            beside: others.any(|other| other < left),
        });
    }
    None
}

/// A search inside a slice.
struct Search<'a, G: Rules> {
    profile: &'a DrawProfile,
    solver: &'a Solver<G>,
    slice: Slice,
    wins: HashMap<(Position<G>, Counters), bool>,
    loses: HashMap<(Position<G>, Counters), bool>,
    /// Nodes that may still be looked at.
    left: u64,
    exits: u64,
}

impl<G: Rules> Search<'_, G> {
    /// Whether the mover wins; none where that takes too many nodes.
    fn wins(&mut self, position: &Position<G>, counters: &Counters) -> Option<bool> {
        if let Some(&known) = self.wins.get(&(*position, *counters)) {
            return Some(known);
        }
        let mut result = false;
        for (after, next) in self.plies(position, counters, Wld::Loss)? {
            if self.leaves(&after) {
                result = self.solver.value(&after, &next)? == Wld::Loss;
            } else {
                result = self.loses(&after, &next)?;
            }
            if result {
                break;
            }
        }
        self.wins.insert((*position, *counters), result);
        Some(result)
    }

    /// Whether the mover loses.
    fn loses(&mut self, position: &Position<G>, counters: &Counters) -> Option<bool> {
        if let Some(&known) = self.loses.get(&(*position, *counters)) {
            return Some(known);
        }
        let mut result = legal_moves(position).is_empty() || !self.is_due(position, counters);
        for (after, next) in self.plies(position, counters, Wld::Draw)? {
            if self.leaves(&after) {
                result = self.solver.value(&after, &next)? == Wld::Win;
            } else {
                result = self.wins(&after, &next)?;
            }
            if !result {
                break;
            }
        }
        self.loses.insert((*position, *counters), result);
        Some(result)
    }

    fn is_due(&self, position: &Position<G>, counters: &Counters) -> bool {
        (0..self.profile.counters.len())
            .any(|i| self.profile.left(i, counters, position) == Some(0))
    }

    fn leaves(&mut self, after: &Position<G>) -> bool {
        let leaves = after.mover.all().none() || Slice::of(after).0 != self.slice;
        self.exits += u64::from(leaves);
        leaves
    }

    /// What moves lead to, none where a draw is due; first where the solver finds a value or less.
    fn plies(
        &mut self,
        position: &Position<G>,
        counters: &Counters,
        first: Wld,
    ) -> Option<Vec<(Position<G>, Counters)>> {
        self.left = self.left.checked_sub(1)?;
        if self.is_due(position, counters) {
            return Some(Vec::new());
        }
        let ply = |action| {
            let ply = Ply::new(*position, action);
            (ply.after, self.profile.step(counters, &ply))
        };
        let mut plies: Vec<_> = legal_moves(position).into_iter().map(ply).collect();
        plies.sort_by_cached_key(|(after, next)| self.solver.value(after, next) > Some(first));
        Some(plies)
    }
}

/// Plays a game in which `side` keeps to the solver's values and the other plays at random, and
/// gives the winner. White is to move.
fn play<G: Rules>(
    solver: &Solver<G>,
    profile: &DrawProfile,
    position: &Position<G>,
    counters: &Counters,
    side: Side,
    random: &mut Random,
) -> Option<Side> {
    let seeds = Seeds { half_moves: None, counters: profile.values(counters) };
    let mut game = Replay::new(profile, Side::White, *position, &seeds).expect("counters that fit");
    loop {
        let now = game.now();
        let is_counter = |cause| matches!(cause, Cause::Counter(_));
        if now.winner.is_some() || now.due.iter().any(|due| is_counter(due.cause)) {
            return now.winner;
        }
        let mut moves = legal_moves(&now.position);
        if now.side == side {
            let value = |action| {
                let ply = Ply::new(now.position, action);
                solver.value(&ply.after, &profile.step(&now.counters, &ply))
            };
            let least = moves.iter().map(|&action| value(action)).min().expect("a move");
            moves.retain(|action| value(*action) == least);
        }
        let action = moves[random.below(moves.len() as u32) as usize];
        game.play(action).expect("a legal move");
    }
}
