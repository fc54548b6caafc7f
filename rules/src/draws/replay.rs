//! A game under a profile: counters, repetitions, and the draws that follow from them.

use std::collections::HashMap;

use super::counters::{Change, Counters, Ply, SeedError, Seeds};
use super::profile::{DrawProfile, Ending, Event, MAX_COUNTERS, Repetition};
use crate::{Move, Position, Rules, Side, Word, legal_moves};

/// Where a counter began to count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Origin {
    /// The ply with which it came on; 0 is the first position.
    pub started: u32,
    /// The last ply that set it to 0 since, and why.
    pub restarted: Option<(u32, Event)>,
}

/// What a draw follows from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cause {
    /// The counter at this place in the profile.
    Counter(usize),
    /// The rule of repetition.
    Repetition,
}

/// A draw that stands or may be claimed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Due {
    /// What it follows from.
    pub cause: Cause,
    /// Whether it stands, or who may claim it.
    pub ending: Ending,
}

/// A position of the game, with all that is known of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record<G: Rules> {
    /// The move that led here; none in the first position.
    pub action: Option<Move<G::Word>>,
    /// Who is to move.
    pub side: Side,
    /// The pieces, as that side sees them.
    pub position: Position<G>,
    /// The counters after the move.
    pub counters: Counters,
    /// Where each of them began.
    pub origins: [Origin; MAX_COUNTERS],
    /// How often the position has occurred so far, by the profile's way of counting.
    pub occurrences: u32,
    /// Who has won, where the side to move has no move or the other has no piece: no counter
    /// matters then.
    pub winner: Option<Side>,
    /// The draws that stand or may be claimed here: counters in the profile's order, then the
    /// repetition.
    pub due: Vec<Due>,
}

/// A move that is not legal where it was to be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("illegal move")]
pub struct IllegalMove;

/// A game played move by move under a profile. It goes on after a draw as if nobody had noticed.
#[derive(Clone, Debug)]
pub struct Replay<'p, G: Rules> {
    profile: &'p DrawProfile,
    /// Never empty: ply n is at n.
    records: Vec<Record<G>>,
    /// The plies after which a position stood on the board, ascending.
    seen: HashMap<(Side, Position<G>), Vec<u32>>,
}

impl<'p, G: Rules> Replay<'p, G> {
    /// A game that begins with a position.
    ///
    /// # Errors
    /// Any [`SeedError`].
    pub fn new(
        profile: &'p DrawProfile,
        side: Side,
        position: Position<G>,
        seeds: &Seeds,
    ) -> Result<Self, SeedError> {
        let counters = profile.start(&position, seeds)?;
        let mut replay = Replay { profile, records: Vec::new(), seen: HashMap::new() };
        replay.add(None, side, position, counters, [Origin::default(); MAX_COUNTERS]);
        Ok(replay)
    }

    /// The profile.
    pub fn profile(&self) -> &'p DrawProfile {
        self.profile
    }

    /// The positions so far: ply n is at n, the first position at 0.
    pub fn records(&self) -> &[Record<G>] {
        &self.records
    }

    /// The position on the board.
    pub fn now(&self) -> &Record<G> {
        &self.records[self.records.len() - 1]
    }

    /// Plays a move.
    ///
    /// # Errors
    /// [`IllegalMove`]; the game then stays as it was.
    pub fn play(&mut self, action: Move<G::Word>) -> Result<&Record<G>, IllegalMove> {
        let now = self.now();
        if !legal_moves(&now.position).contains(&action) || now.position.waiter.all().none() {
            return Err(IllegalMove);
        }
        let ply = Ply::new(now.position, action);
        let (number, side) = (self.records.len() as u32, now.side.other());
        let mut origins = now.origins;
        let counters = self.profile.step_with(&now.counters, &ply, |i, change| match change {
            Change::Started => origins[i] = Origin { started: number, restarted: None },
            Change::Restarted(event) => origins[i].restarted = Some((number, event)),
            Change::Stopped => origins[i] = Origin::default(),
            Change::StaysOff | Change::Counted | Change::Waits => {}
        });
        self.add(Some(action), side, ply.after, counters, origins);
        Ok(self.now())
    }

    /// Takes the last move back and gives it; `None` at the first position.
    pub fn take_back(&mut self) -> Option<Move<G::Word>> {
        let action = self.now().action?;
        let record = self.records.pop()?;
        if let Some(plies) = self.seen.get_mut(&(record.side, record.position)) {
            plies.pop();
        }
        Some(action)
    }

    /// The first ply after which the game was drawn by the rules alone.
    pub fn first_draw(&self) -> Option<usize> {
        self.records.iter().position(|r| r.due.iter().any(|due| due.ending == Ending::Automatic))
    }

    fn add(
        &mut self,
        action: Option<Move<G::Word>>,
        side: Side,
        position: Position<G>,
        counters: Counters,
        origins: [Origin; MAX_COUNTERS],
    ) {
        let ply = self.records.len() as u32;
        self.seen.entry((side, position)).or_default().push(ply);
        let window = self.window(ply, &counters);
        let occurrences = self.occurrences(side, &position, window);
        let moves = legal_moves(&position);
        let winner = if position.waiter.all().none() {
            Some(side)
        } else {
            moves.is_empty().then_some(side.other())
        };
        let mut due = Vec::new();
        if winner.is_none() {
            for (i, counter) in self.profile.counters.iter().enumerate() {
                if self.profile.left(i, &counters, &position) == Some(0) {
                    due.push(Due { cause: Cause::Counter(i), ending: counter.ending });
                }
            }
            if let Some(rule) = &self.profile.repetition
                && self.is_old_enough(rule, &counters)
            {
                let repeated = if rule.before_the_move {
                    moves.iter().any(|m| {
                        let next = position.after(m);
                        self.occurrences(side.other(), &next, window) + 1 >= rule.count
                    })
                } else {
                    occurrences >= rule.count
                };
                if repeated {
                    due.push(Due { cause: Cause::Repetition, ending: rule.ending });
                }
            }
        }
        self.records.push(Record {
            action,
            side,
            position,
            counters,
            origins,
            occurrences,
            winner,
            due,
        });
    }

    /// The first ply whose position counts as an occurrence.
    fn window(&self, ply: u32, counters: &Counters) -> u32 {
        let Some(rule) = &self.profile.repetition else { return 0 };
        let since = rule.since.as_ref().map_or(0, |name| {
            let value = self.profile.counter(name).and_then(|i| counters.value(i));
            ply.saturating_sub(value.unwrap_or(0))
        });
        since.max(u32::from(rule.without_start))
    }

    fn is_old_enough(&self, rule: &Repetition, counters: &Counters) -> bool {
        let value = rule
            .since
            .as_ref()
            .map(|name| self.profile.counter(name).and_then(|i| counters.value(i)).unwrap_or(0));
        value.is_none_or(|value| value >= rule.least_plies)
    }

    fn occurrences(&self, side: Side, position: &Position<G>, window: u32) -> u32 {
        let plies = self.seen.get(&(side, *position)).map_or(&[][..], |plies| plies);
        (plies.len() - plies.partition_point(|&ply| ply < window)) as u32
    }
}
