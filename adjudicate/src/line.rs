//! Best play to the end under a profile.

use std::collections::HashMap;

use damabase_formats::Wld;
use damabase_probe::{Counted, CountedMove, ProbeError, Standing, Under};
use damabase_rules::draws::{Cause, Counters, Ending, Record, Replay};
use damabase_rules::{Position, Rules, Side, Word, legal_moves};

/// How a line ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// A side has no move or no piece.
    Won(Side),
    /// A draw stands, or may be claimed by who does not win.
    Drawn(Vec<Cause>),
    /// The value of the position is not known under the profile.
    Unknown,
    /// The line is longer than was asked for.
    Cut,
}

/// Best play from the last position of a game.
#[derive(Clone, Debug)]
pub struct Line<'p, G: Rules> {
    /// The game with the line played on.
    pub game: Replay<'p, G>,
    /// Plies that had been played before the line.
    pub from: usize,
    /// The value of each position of the line, seen by its mover, from the first to the last.
    pub values: Vec<Counted>,
    /// How it ends.
    pub end: End,
    /// The winner cannot be shown to have a way around positions that have already occurred too
    /// often, or the loser has one that repeats: the winner wins unless there is a repetition.
    pub unless_repetition: bool,
}

/// Positions that are looked at, at most, for a way around repetitions.
const MOST_SEARCHED: usize = 200_000;

/// Plays the best moves by tables until the game ends, a draw is due, or `most` plies were played.
/// The winner keeps as many plies to spare as he can and avoids positions that have occurred before
/// so often that one more time makes a draw; the loser holds out or repeats.
///
/// # Errors
/// Those of [`Under::value`].
pub fn line<'p, G: Rules>(
    under: &Under<G>,
    game: &Replay<'p, G>,
    most: usize,
) -> Result<Line<'p, G>, ProbeError> {
    let mut game = game.clone();
    let from = game.records().len() - 1;
    let mut around = Around::new(under, &game);
    let mut unless_repetition = false;
    let mut values = Vec::new();
    let end = loop {
        let now = game.now();
        let value = under.value(&now.position, &now.counters)?;
        values.push(value);
        if let Some(winner) = now.winner {
            break End::Won(winner);
        }
        // Who wins does not claim.
        let wins = value.standing.is_some_and(|standing| standing.result() == Wld::Win);
        if now.due.iter().any(|due| !wins || due.ending != Ending::ClaimByMover) {
            // Tables know counters, but no repetitions.
            if let Some(last) = values.last_mut() {
                last.standing = last.standing.map(|_| Standing::new(Wld::Draw, last.in_theory));
            }
            break End::Drawn(now.due.iter().map(|due| due.cause).collect());
        }
        let Some(standing) = value.standing else { break End::Unknown };
        if values.len() > most {
            break End::Cut;
        }
        let moves = under.moves(&now.position, &now.counters)?;
        let (side, position) = (now.side, now.position);
        let best = match standing.result() {
            Wld::Win => around.winning(side, &position, &moves)?,
            Wld::Loss => around.escaping(side, &position, &moves)?,
            Wld::Draw => Ok(0),
        };
        let best = match best {
            Ok(best) => best,
            Err(best) => {
                unless_repetition = true;
                best
            }
        };
        let Some(best) = moves.get(best) else { break End::Unknown };
        if game.play(best.action).is_err() {
            break End::Unknown;
        }
    };
    let decided = values.first().and_then(|first| first.standing).map(Standing::result);
    if let (End::Drawn(causes), Some(Wld::Win | Wld::Loss)) = (&end, decided) {
        unless_repetition |= causes.contains(&Cause::Repetition);
    }
    Ok(Line { game, from, values, end, unless_repetition })
}

/// Looks for wins around positions that have occurred before.
struct Around<'a, 's, G: Rules> {
    under: &'a Under<'s, G>,
    /// Positions whose next occurrence makes a draw, with the side to move.
    barred: Vec<(Side, Position<G>)>,
    /// Whether the mover wins for sure, by position, side and counters: the plies left alone do not
    /// tell what is left once a counter goes off.
    known: HashMap<(Side, Position<G>, Counters), bool>,
}

impl<'a, 's, G: Rules> Around<'a, 's, G> {
    fn new(under: &'a Under<'s, G>, game: &Replay<G>) -> Self {
        let mut barred: Vec<(Side, Position<G>)> = Vec::new();
        if let Some(rule) = &game.profile().repetition {
            let often = |record: &&Record<G>| record.occurrences + 1 >= rule.count;
            barred.extend(game.records().iter().filter(often).map(|r| (r.side, r.position)));
        }
        Around { under, barred, known: HashMap::new() }
    }

    fn is_barred(&self, side: Side, position: &Position<G>) -> bool {
        self.barred.contains(&(side, *position))
    }

    /// The move of a winning mover to play: the first that wins for sure, or else, as an error, the
    /// first that wins if nothing repeats.
    fn winning(
        &mut self,
        side: Side,
        position: &Position<G>,
        moves: &[CountedMove<G>],
    ) -> Result<Result<usize, usize>, ProbeError> {
        if self.barred.is_empty() {
            return Ok(Ok(0));
        }
        for (n, m) in moves.iter().enumerate() {
            if m.value.standing != Some(Standing::Win) {
                break;
            }
            if self.is_sure(side, position, m)? {
                return Ok(Ok(n));
            }
        }
        Ok(Err(0))
    }

    /// The move of a losing mover to play: one that leads to a barred position, or else the best.
    fn escaping(
        &mut self,
        side: Side,
        position: &Position<G>,
        moves: &[CountedMove<G>],
    ) -> Result<Result<usize, usize>, ProbeError> {
        for (n, m) in moves.iter().enumerate() {
            if self.is_barred(side.other(), &position.after(&m.action)) {
                return Ok(Ok(n));
            }
        }
        Ok(Ok(0))
    }

    /// Whether a winning move wins whatever has occurred before.
    fn is_sure(
        &mut self,
        side: Side,
        position: &Position<G>,
        m: &CountedMove<G>,
    ) -> Result<bool, ProbeError> {
        let after = position.after(&m.action);
        if self.is_barred(side.other(), &after) {
            return Ok(false);
        }
        // After a capture or a man move no earlier position can occur again.
        let from = G::Word::bit(G::board().bit_of(m.action.from));
        if !m.action.is_quiet() || (position.mover.men & from).any() {
            return Ok(true);
        }
        for reply in legal_moves(&after) {
            let ply = damabase_rules::draws::Ply::new(after, reply);
            if self.is_barred(side, &ply.after) {
                return Ok(false);
            }
            let from = G::Word::bit(G::board().bit_of(reply.from));
            let is_exit = !reply.is_quiet() || (after.mover.men & from).any();
            let counters = self.under.profile().step(&m.counters, &ply);
            if !is_exit && !self.wins(side, &ply.after, &counters)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn wins(
        &mut self,
        side: Side,
        position: &Position<G>,
        counters: &Counters,
    ) -> Result<bool, ProbeError> {
        let key = (side, *position, *counters);
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        // Pessimistic while it is being looked at, and when too much was looked at.
        self.known.insert(key, false);
        if self.known.len() > MOST_SEARCHED {
            return Ok(false);
        }
        let moves = self.under.moves(position, counters)?;
        let found = self.winning(side, position, &moves)?.is_ok();
        self.known.insert(key, found);
        Ok(found)
    }
}
