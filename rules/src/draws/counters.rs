//! Counters in play: values, and the step from one position to the next.

use super::class;
use super::profile::{Case, Counter, DrawProfile, Event, MAX_COUNTERS};
use crate::{Move, Position, Rules, Word};

/// Stands for a counter that is off.
const OFF: u16 = u16::MAX;
/// The greatest value; a counter stays there.
pub(super) const MAX_VALUE: u32 = OFF as u32 - 1;

/// The values of a profile's counters in one position, in plies. A small value that is copied:
/// taking a move back means going on with the older copy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Counters([u16; MAX_COUNTERS]);

impl Default for Counters {
    /// All off.
    fn default() -> Counters {
        Counters([OFF; MAX_COUNTERS])
    }
}

impl Counters {
    /// Plies counted by the counter at a place in the profile; `None` where it is off or there is
    /// none.
    #[inline]
    pub fn value(&self, counter: usize) -> Option<u32> {
        self.0.get(counter).filter(|&&value| value != OFF).map(|&value| u32::from(value))
    }

    /// Counters with these values in plies, in the profile's order; `None`, and what is not given,
    /// is off. Greater values than a counter holds become the greatest.
    pub fn from_values(values: &[Option<u32>]) -> Counters {
        let mut counters = Counters::default();
        for (i, value) in values.iter().enumerate().take(MAX_COUNTERS) {
            if let Some(value) = *value {
                counters.set(i, value);
            }
        }
        counters
    }

    fn set(&mut self, counter: usize, value: u32) {
        self.0[counter] = value.min(MAX_VALUE) as u16;
    }
}

/// A completed move with the positions around it.
#[derive(Clone, Copy, Debug)]
pub struct Ply<G: Rules> {
    /// Where it was played.
    pub before: Position<G>,
    /// The move, legal there.
    pub action: Move<G::Word>,
    /// The position that followed.
    pub after: Position<G>,
}

impl<G: Rules> Ply<G> {
    /// A move and what follows from it. The move must be legal.
    pub fn new(before: Position<G>, action: Move<G::Word>) -> Ply<G> {
        Ply { before, action, after: before.after(&action) }
    }

    /// Whether the ply is of a kind. `entered` says whether a case holds only after it.
    fn is(&self, event: Event, entered: impl Fn() -> bool) -> bool {
        let from = G::Word::bit(G::board().bit_of(self.action.from));
        match event {
            Event::Capture => !self.action.is_quiet(),
            Event::ManMove => (self.before.mover.men & from).any(),
            Event::Promotion => self.action.promotes,
            Event::FirstPromotion => self.action.promotes && self.after.waiter.kings.count() == 1,
            Event::EntryCapture => !self.action.is_quiet() && entered(),
        }
    }
}

/// What a ply did to a counter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Change {
    /// It is off, and was.
    StaysOff,
    /// It went off.
    Stopped,
    /// It came on, at 0.
    Started,
    /// It fell to 0 because of the ply.
    Restarted(Event),
    /// It grew by 1.
    Counted,
    /// A tally that had nothing to count.
    Waits,
}

/// Values that counters have at the start, as a FEN gives them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Seeds {
    /// Plies since the last capture or man move (`H`).
    pub half_moves: Option<u32>,
    /// Values by name (`C<NAME>`), in plies.
    pub counters: Vec<(String, u32)>,
}

/// Why values do not fit the counters of a position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SeedError {
    /// The profile has no such counter.
    #[error("profile '{profile}' has no counter '{name}': it has {names}")]
    Unknown {
        /// The profile.
        profile: String,
        /// The name given.
        name: String,
        /// The names it has.
        names: String,
    },
    /// The counter does not run in the position.
    #[error("counter '{0}' is not on in this position")]
    NotOn(String),
    /// Two values for one counter.
    #[error("counter '{0}' is given twice")]
    Twice(String),
    /// The `H` field does not say which counter it means.
    #[error("H{half_moves} may mean any of the counters {names}: give each as C<NAME>=<plies>")]
    Ambiguous {
        /// The value of the field.
        half_moves: u32,
        /// The counters that are on and not named.
        names: String,
    },
    /// More plies than a counter holds.
    #[error("{0} plies are too many: a counter holds at most {MAX_VALUE}")]
    TooLarge(u32),
}

impl Counter {
    /// Whether some plies set it to 0.
    pub fn is_streak(&self) -> bool {
        !self.restart.is_empty() && !self.tally
    }
}

impl DrawProfile {
    /// The counters in a first position: those whose scope holds are on, at 0 or at the value
    /// given.
    ///
    /// `H` feeds the one streak counter that is on and not named. `H0`, and `H` where no counter
    /// is on, say nothing.
    ///
    /// # Errors
    /// Any [`SeedError`].
    pub fn start<G: Rules>(
        &self,
        position: &Position<G>,
        seeds: &Seeds,
    ) -> Result<Counters, SeedError> {
        let mut counters = Counters::default();
        for (i, counter) in self.counters.iter().enumerate() {
            if counter.tally || self.starts(counter, &counters, position) {
                counters.set(i, 0);
            }
        }
        for (n, (name, value)) in seeds.counters.iter().enumerate() {
            let i = self.counter(name).ok_or_else(|| SeedError::Unknown {
                profile: self.name.clone(),
                name: name.clone(),
                names: self.names(0..self.counters.len()),
            })?;
            // Where a counter is kept but does not start, it may have come from before.
            let kept = self.keeps(&self.counters[i], position);
            if counters.value(i).is_none() && !kept {
                return Err(SeedError::NotOn(name.clone()));
            }
            if seeds.counters[..n].iter().any(|(earlier, _)| earlier == name) {
                return Err(SeedError::Twice(name.clone()));
            }
            if *value > MAX_VALUE {
                return Err(SeedError::TooLarge(*value));
            }
            counters.set(i, *value);
        }
        let Some(half_moves) = seeds.half_moves.filter(|&plies| plies > 0) else {
            return Ok(counters);
        };
        let named = |i: usize| seeds.counters.iter().any(|(n, _)| *n == self.counters[i].name);
        let open: Vec<usize> = (0..self.counters.len())
            .filter(|&i| counters.value(i).is_some() && !self.counters[i].tally && !named(i))
            .collect();
        match open.as_slice() {
            [] => {}
            &[i] if self.counters[i].is_streak() => {
                let most = self.counters[i].most_from_fen.unwrap_or(MAX_VALUE);
                counters.set(i, half_moves.min(most));
            }
            several => {
                let names = self.names(several.iter().copied());
                return Err(SeedError::Ambiguous { half_moves, names });
            }
        }
        Ok(counters)
    }

    /// The counters that are on, by name, in the profile's order.
    pub fn values(&self, counters: &Counters) -> Vec<(String, u32)> {
        let value = |(i, counter): (usize, &Counter)| {
            counters.value(i).map(|value| (counter.name.clone(), value))
        };
        self.counters.iter().enumerate().filter_map(value).collect()
    }

    fn names(&self, places: impl Iterator<Item = usize>) -> String {
        let names: Vec<&str> = places.map(|i| self.counters[i].name.as_str()).collect();
        if names.is_empty() { "none".to_string() } else { names.join(", ") }
    }

    /// The counters after a ply, from those before it.
    #[inline]
    pub fn step<G: Rules>(&self, counters: &Counters, ply: &Ply<G>) -> Counters {
        self.step_with(counters, ply, |_, _| ())
    }

    /// [`Self::step`], which also tells for each counter what happened to it.
    pub fn step_with<G: Rules>(
        &self,
        counters: &Counters,
        ply: &Ply<G>,
        mut tell: impl FnMut(usize, Change),
    ) -> Counters {
        let mut next = Counters::default();
        for (i, counter) in self.counters.iter().enumerate() {
            let change = match counters.value(i) {
                _ if counter.tally && class::holds(&counter.start, &ply.after) => Change::Counted,
                _ if counter.tally => Change::Waits,
                Some(_) if self.keeps(counter, &ply.after) => {
                    match self.restarts(counter, &next, ply) {
                        Some(event) => Change::Restarted(event),
                        None => Change::Counted,
                    }
                }
                _ if self.starts(counter, &next, &ply.after) => Change::Started,
                Some(_) => Change::Stopped,
                None => Change::StaysOff,
            };
            let value = counters.value(i).unwrap_or(0);
            match change {
                Change::StaysOff | Change::Stopped => {}
                Change::Started | Change::Restarted(_) => next.set(i, 0),
                Change::Counted => next.set(i, value + 1),
                Change::Waits => next.set(i, value),
            }
            tell(i, change);
        }
        next
    }

    fn starts<G: Rules>(
        &self,
        counter: &Counter,
        earlier: &Counters,
        position: &Position<G>,
    ) -> bool {
        let barred = counter.unless.as_ref().and_then(|name| self.counter(name));
        barred.and_then(|i| earlier.value(i)).is_none() && class::holds(&counter.start, position)
    }

    fn keeps<G: Rules>(&self, counter: &Counter, position: &Position<G>) -> bool {
        match &counter.keep {
            None => class::holds(&counter.start, position),
            keep => class::holds(keep, position),
        }
    }

    /// The event that sets a counter to 0, if one does.
    fn restarts<G: Rules>(
        &self,
        counter: &Counter,
        earlier: &Counters,
        ply: &Ply<G>,
    ) -> Option<Event> {
        let case = self.case(counter, earlier, &ply.after);
        let entered =
            || case.is_some_and(|case| !case.when.iter().any(|class| class.holds(&ply.before)));
        let events = case.map_or(&counter.restart, |case| &case.restart);
        events.iter().copied().find(|&event| ply.is(event, entered))
    }

    /// The first case of a counter that holds. `earlier` has the values of the counters before it.
    fn case<'a, G: Rules>(
        &self,
        counter: &'a Counter,
        earlier: &Counters,
        position: &Position<G>,
    ) -> Option<&'a Case> {
        counter.cases.iter().find(|case| {
            let counted = case.counted.as_ref().is_none_or(|counted| {
                let value = self.counter(&counted.counter).and_then(|i| earlier.value(i));
                value.is_some_and(|value| value >= counted.least)
            });
            counted && case.when.iter().any(|class| class.holds(position))
        })
    }

    /// Plies at which a counter's draw is due in a position; `None` where it is off or has none.
    pub fn limit<G: Rules>(
        &self,
        counter: usize,
        counters: &Counters,
        position: &Position<G>,
    ) -> Option<u32> {
        counters.value(counter)?;
        let counter = self.counters.get(counter)?;
        self.case(counter, counters, position).map_or(counter.limit, |case| case.limit)
    }

    /// Plies left on a counter before its draw is due: 0 where it is.
    pub fn left<G: Rules>(
        &self,
        counter: usize,
        counters: &Counters,
        position: &Position<G>,
    ) -> Option<u32> {
        let limit = self.limit(counter, counters, position)?;
        Some(limit.saturating_sub(counters.value(counter)?))
    }
}
