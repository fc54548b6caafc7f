//! Where one number decides: the plies left on a profile's counters, as one *countdown*.
//!
//! In most slices the counters of a profile can be replaced by a single number, the plies that are
//! left before the first of them is due: where all run on with every quiet king move, and where
//! what is left after any other move follows from what was left before it. Tables of budgets hold
//! for such slices. [`Countdowns`] finds out where that is so, from the profile's data alone, and
//! names what is in the way elsewhere.
//!
//! **What is proved for a slice.** Take the counters that are on, each with its plies left, and
//! let `r` be the least of them. For every way of moving, `r` after the move must be `min(fresh,
//! r + carry)`: `fresh` is the least limit among counters that the move starts or restarts, and
//! `carry` is there if counters go on. That is so if all counters go on; if some do not, then only
//! if none of those can be the least one alone. Such an order of counters ("C5 never has more left
//! than Q25") is *demanded* of every position and counter values of the slice. It is proved by
//! showing that it holds where counters begin, and that every move from this slice keeps it here
//! and in the slices that it leads to; values given by a user are tested against it.

use std::collections::BTreeMap;
use std::fmt;

use rustc_hash::FxHashMap;

use super::class::{holds_everywhere, one_holds_everywhere};
use super::counters::Counters;
use super::profile::{Counter, DrawProfile, Event, MAX_COUNTERS};
use super::ways::{Way, sorted, ways};
use crate::{Material, Position, Rules};

/// What is left on the countdown after a move, from what was left before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Step {
    /// Where counters go on: what the move adds to the plies left; usually -1.
    pub carry: Option<i32>,
    /// Where counters are started or restarted: the plies left on them.
    pub fresh: Option<u32>,
}

impl Step {
    /// One ply less.
    pub const COUNT: Step = Step { carry: Some(-1), fresh: None };

    /// Plies left after the move where `left` were left before it; none where nothing counts.
    pub fn after(self, left: Option<u32>) -> Option<u32> {
        let carried = self
            .carry
            .and_then(|carry| left.map(|left| (i64::from(left) + i64::from(carry)).max(0) as u32));
        match (carried, self.fresh) {
            (Some(carried), Some(fresh)) => Some(carried.min(fresh)),
            (carried, fresh) => carried.or(fresh),
        }
    }

    /// The fewest plies, at least 1, that must be left before the move so that `budget` are left
    /// after it; none where they never are. A budget of 0 is that of a game that has ended, which
    /// no counter undoes.
    #[inline]
    pub fn level(self, budget: u16) -> Option<u16> {
        if budget == 0 {
            return Some(1);
        }
        if self.fresh.is_some_and(|fresh| fresh < u32::from(budget)) {
            return None;
        }
        let level = self.carry.map_or(1, |carry| (i32::from(budget) - carry).max(1));
        u16::try_from(level).ok()
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.carry, self.fresh) {
            (None, None) => f.write_str("free"),
            (None, Some(fresh)) => write!(f, "{fresh}"),
            (Some(carry), None) => write!(f, "r{carry:+}"),
            (Some(carry), Some(fresh)) => write!(f, "min({fresh}, r{carry:+})"),
        }
    }
}

/// A move that leaves a sub-slice, by the material after it: of the side that has moved, and of the
/// other. After a man move that is the material before it.
pub type Exit = [Material; 2];

/// How the plies left pass through the moves of a slice in which one number decides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Countdown {
    /// The most plies that can be left in the slice; none where no counter runs.
    pub top: Option<u32>,
    /// What each move that is no quiet king move does; a quiet king move counts one ply.
    pub steps: BTreeMap<Exit, Step>,
    /// Names all that budgets of the slice depend on: equal in all profiles that give the same
    /// table. Twelve hexadecimal digits.
    pub id: String,
    /// For each set of counters that may be on, the orders demanded of them: the first never has
    /// more left than the second.
    demands: BTreeMap<On, Vec<(usize, usize)>>,
}

impl Countdown {
    /// What a move that leaves the sub-slice does to the plies left, by the material after it. A
    /// move that the slice does not have counts one ply.
    pub fn step(&self, exit: Exit) -> Step {
        self.steps.get(&exit).copied().unwrap_or(Step::COUNT)
    }
}

/// Why no single number decides in a slice.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Obstacle {
    /// A counter goes on and off, or has its limit, by where pieces stand.
    #[error("{0} depends on where the pieces stand")]
    Place(String),
    /// A counter's limit depends on what another has counted.
    #[error("{0} depends on what another counter has counted")]
    Counted(String),
    /// One counter is restarted by a move while another goes on, and either may have less left.
    #[error("{restarted} is restarted by moves after which {goes_on} goes on")]
    Several {
        /// The one.
        restarted: String,
        /// The other.
        goes_on: String,
    },
    /// Counters that go on get different limits, or one had none before.
    #[error("the limits of {0} change in different ways")]
    Limits(String),
    /// The same move has different effects, depending on which counters are on or on what
    /// captures.
    #[error("what a move does depends on {0}")]
    Differs(&'static str),
    /// A move leads to a slice where no single number decides.
    #[error("it leads to {}v{}, where {why}", slice[0], slice[1])]
    LeadsTo {
        /// That slice.
        slice: [Material; 2],
        /// Why not there.
        why: Box<Obstacle>,
    },
}

impl Obstacle {
    /// The obstacle itself, wherever it lies.
    pub fn root(&self) -> &Obstacle {
        match self {
            Obstacle::LeadsTo { why, .. } => why.root(),
            other => other,
        }
    }
}

/// Which counters are on, a bit each.
type On = u8;

fn bits(on: On) -> impl Iterator<Item = usize> {
    (0..MAX_COUNTERS).filter(move |&i| on & 1 << i != 0)
}

/// What a move does to one counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Fresh,
    GoesOn,
}

/// The plies left on a profile's counters, if they can be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Left {
    /// Plies left on the countdown; none where no counter runs. With 0 the draw is due.
    pub plies: Option<u32>,
    /// The place in the profile of the counter that has least left.
    pub decided_by: Option<usize>,
}

/// The countdowns of a profile in all slices up to some size.
#[derive(Clone, Debug)]
pub struct Countdowns {
    profile: DrawProfile,
    stairs_id: String,
    slices: FxHashMap<[Material; 2], Result<Countdown, Obstacle>>,
}

impl Countdowns {
    /// A profile of which nothing is worked out yet.
    pub fn new(profile: &DrawProfile) -> Self {
        Countdowns {
            profile: profile.clone(),
            stairs_id: profile.stairs_id(),
            slices: FxHashMap::default(),
        }
    }

    /// The profile.
    pub fn profile(&self) -> &DrawProfile {
        &self.profile
    }

    /// The profile's [`DrawProfile::stairs_id`], worked out once.
    pub fn stairs_id(&self) -> &str {
        &self.stairs_id
    }

    /// Works out a slice, given as the material of both sides in either order, and all that it
    /// leads to.
    ///
    /// # Errors
    /// What is in the way.
    pub fn find(&mut self, sides: [Material; 2]) -> Result<&Countdown, &Obstacle> {
        let sides = sorted(sides);
        let mut open = vec![sides];
        while let Some(&slice) = open.last() {
            if self.slices.contains_key(&slice) {
                open.pop();
                continue;
            }
            let ways = ways(slice);
            let known = open.len();
            for way in &ways {
                let after = sorted(way.after);
                if after != slice && !self.slices.contains_key(&after) {
                    open.push(after);
                }
            }
            if open.len() == known {
                let found = self.work_out(slice, &ways);
                self.slices.insert(slice, found);
                open.pop();
            }
        }
        self.slices[&sides].as_ref()
    }

    /// A slice that [`Countdowns::find`] has worked out, if a single number decides in it.
    pub fn get(&self, sides: [Material; 2]) -> Option<&Countdown> {
        self.slices.get(&sorted(sides))?.as_ref().ok()
    }

    /// What is in the way in a slice that [`Countdowns::find`] has worked out.
    pub fn obstacle(&self, sides: [Material; 2]) -> Option<&Obstacle> {
        self.slices.get(&sorted(sides))?.as_ref().err()
    }

    /// What is left in a position with these values. `None` where that is no single number: the
    /// slice has none, was not worked out, or the values cannot have come about in a game.
    pub fn left<G: Rules>(&self, counters: &Counters, position: &Position<G>) -> Option<Left> {
        let sides = [Material::of(position.mover), Material::of(position.waiter)];
        let countdown = self.get(sides)?;
        let mut on: On = 0;
        let mut lefts = [None; MAX_COUNTERS];
        let mut least = Left { plies: None, decided_by: None };
        for (i, (counter, left)) in self.profile.counters.iter().zip(&mut lefts).enumerate() {
            // A tally makes no draw of its own.
            if counters.value(i).is_some() && self.matters(counter) {
                on |= 1 << i;
                *left = self.profile.left(i, counters, position);
                if left.is_some_and(|left| least.plies.is_none_or(|least| left < least)) {
                    least = Left { plies: *left, decided_by: Some(i) };
                }
            }
        }
        let demands = countdown.demands.get(&on)?;
        let holds = |&(less, more): &(usize, usize)| match (lefts[less], lefts[more]) {
            (Some(less), Some(more)) => less <= more,
            _ => false,
        };
        demands.iter().all(holds).then_some(least)
    }

    fn name(&self, counter: usize) -> String {
        self.profile.counters[counter].name.clone()
    }

    /// The sets of counters that may be on in a slice.
    fn nodes(&self, sides: [Material; 2]) -> Result<Vec<On>, Obstacle> {
        let (mut starts, mut may_be_on): (On, On) = (0, 0);
        for (i, counter) in self.profile.counters.iter().enumerate() {
            if !self.matters(counter) {
                continue;
            }
            let place = || Obstacle::Place(counter.name.clone());
            if holds_everywhere(&counter.start, sides).ok_or_else(place)? {
                starts |= 1 << i;
            }
            if self.keeps(counter, sides).ok_or_else(place)? {
                may_be_on |= 1 << i;
            }
        }
        may_be_on |= starts;
        let barred = |i: usize, on: On| self.bar(i).is_some_and(|bar| on & 1 << bar != 0);
        Ok((0..=On::MAX)
            .filter(|&on| on & !may_be_on == 0)
            .filter(|&on| bits(starts & !on).all(|i| barred(i, on)))
            .collect())
    }

    /// Whether a counter can make a draw, rather than count for another one.
    fn matters(&self, counter: &Counter) -> bool {
        !counter.tally
            && (counter.limit.is_some() || counter.cases.iter().any(|case| case.limit.is_some()))
    }

    fn bar(&self, counter: usize) -> Option<usize> {
        self.profile.counters[counter].unless.as_ref().and_then(|name| self.profile.counter(name))
    }

    fn keeps(&self, counter: &Counter, sides: [Material; 2]) -> Option<bool> {
        match &counter.keep {
            None => holds_everywhere(&counter.start, sides),
            keep => holds_everywhere(keep, sides),
        }
    }

    /// The place of the case of a counter that holds in a slice.
    fn case(&self, counter: &Counter, sides: [Material; 2]) -> Result<Option<usize>, Obstacle> {
        for (n, case) in counter.cases.iter().enumerate() {
            match one_holds_everywhere(&case.when, sides) {
                None => return Err(Obstacle::Place(counter.name.clone())),
                Some(true) if case.counted.is_some() => {
                    return Err(Obstacle::Counted(counter.name.clone()));
                }
                Some(true) => return Ok(Some(n)),
                Some(false) => {}
            }
        }
        Ok(None)
    }

    fn limit(&self, i: usize, sides: [Material; 2]) -> Result<Option<u32>, Obstacle> {
        let counter = &self.profile.counters[i];
        let case = self.case(counter, sides)?;
        Ok(case.map_or(counter.limit, |n| counter.cases[n].limit))
    }

    /// The counters that are on after a move, with what the move did to each.
    fn follow(&self, on: On, way: &Way) -> Result<BTreeMap<usize, Fate>, Obstacle> {
        let mut fates = BTreeMap::new();
        for (i, counter) in self.profile.counters.iter().enumerate() {
            if !self.matters(counter) {
                continue;
            }
            let place = || Obstacle::Place(counter.name.clone());
            let keeps = self.keeps(counter, way.after).ok_or_else(place)?;
            let starts = holds_everywhere(&counter.start, way.after).ok_or_else(place)?;
            let barred = self.bar(i).is_some_and(|bar| fates.contains_key(&bar));
            if on & 1 << i != 0 && keeps {
                let case = self.case(counter, way.after)?;
                let events = case.map_or(&counter.restart, |n| &counter.cases[n].restart);
                let entered = match case {
                    None => false,
                    Some(n) => !one_holds_everywhere(&counter.cases[n].when, way.before)
                        .ok_or_else(place)?,
                };
                let restarts = events.iter().any(|&event| match event {
                    Event::EntryCapture => way.is(Event::Capture) && entered,
                    event => way.is(event),
                });
                fates.insert(i, if restarts { Fate::Fresh } else { Fate::GoesOn });
            } else if starts && !barred {
                fates.insert(i, Fate::Fresh);
            }
        }
        Ok(fates)
    }

    fn work_out(&self, slice: [Material; 2], ways: &[Way]) -> Result<Countdown, Obstacle> {
        let nodes = self.nodes(slice)?;
        let mut demands: BTreeMap<On, Vec<(usize, usize)>> =
            nodes.iter().map(|&on| (on, Vec::new())).collect();
        let mut top = None;
        for &on in &nodes {
            let mut least = None;
            for i in bits(on) {
                let limit = self.limit(i, slice)?;
                least = [least, limit].into_iter().flatten().min();
            }
            top = top.max(least);
            if least.is_none() && nodes.len() > 1 {
                return Err(Obstacle::Differs("which counters are on"));
            }
        }
        // The demands of one set of counters on another in the same slice grow until all are met.
        let mut steps = BTreeMap::new();
        loop {
            let before: usize = demands.values().map(Vec::len).sum();
            for &on in &nodes {
                for way in ways {
                    let step = self.step(slice, on, way, &mut demands)?;
                    if way.is_plain() {
                        if step != Step::COUNT && step != (Step { carry: None, fresh: None }) {
                            return Err(Obstacle::Differs("which counters are on"));
                        }
                        continue;
                    }
                    let step = step.normal(top);
                    match steps.insert(way.after, step) {
                        Some(other) if other != step => {
                            return Err(Obstacle::Differs(
                                "which counters are on, or what captures",
                            ));
                        }
                        _ => {}
                    }
                }
            }
            if demands.values().map(Vec::len).sum::<usize>() == before {
                break;
            }
        }
        // They must hold where counters begin.
        for (&on, pairs) in &demands {
            for &(less, more) in pairs {
                if !self.fresh_order(less, more, slice)? || on & 1 << less == 0 {
                    return Err(self.several(more, less));
                }
            }
        }
        let id = self.identity(top, &steps);
        Ok(Countdown { top, steps, id, demands })
    }

    fn several(&self, restarted: usize, goes_on: usize) -> Obstacle {
        Obstacle::Several { restarted: self.name(restarted), goes_on: self.name(goes_on) }
    }

    fn fresh_order(&self, less: usize, more: usize, at: [Material; 2]) -> Result<bool, Obstacle> {
        Ok(match (self.limit(less, at)?, self.limit(more, at)?) {
            (Some(less), Some(more)) => less <= more,
            _ => false,
        })
    }

    /// What a move does to the plies left where these counters are on. Adds what it demands of
    /// them to `demands`.
    fn step(
        &self,
        slice: [Material; 2],
        on: On,
        way: &Way,
        demands: &mut BTreeMap<On, Vec<(usize, usize)>>,
    ) -> Result<Step, Obstacle> {
        let after = sorted(way.after);
        let known = (after != slice).then(|| &self.slices[&after]);
        if let Some(Err(why)) = known {
            return Err(Obstacle::LeadsTo { slice: after, why: Box::new(why.root().clone()) });
        }
        let fates = self.follow(on, way)?;
        let mut step = Step { carry: None, fresh: None };
        // Counters that go on, with the change of their limits.
        let mut going: Vec<(usize, i32)> = Vec::new();
        for (&i, &fate) in &fates {
            let Some(limit) = self.limit(i, after)? else { continue };
            match fate {
                Fate::Fresh => {
                    step.fresh = Some(step.fresh.map_or(limit, |fresh| fresh.min(limit)));
                }
                Fate::GoesOn => {
                    let Some(before) = self.limit(i, slice)? else {
                        return Err(Obstacle::Limits(self.name(i)));
                    };
                    going.push((i, limit as i32 - before as i32));
                }
            }
        }
        let mut wanted: Vec<(usize, usize)> = Vec::new();
        if let Some(&(first, change)) = going.first() {
            if let Some(&(other, _)) = going.iter().find(|&&(_, other)| other != change) {
                return Err(Obstacle::Limits(format!(
                    "{} and {}",
                    self.name(first),
                    self.name(other)
                )));
            }
            step.carry = Some(change - 1);
            // Those that do not go on must not be the least alone.
            for i in bits(on) {
                if self.limit(i, slice)?.is_none() || going.iter().any(|&(j, _)| i == j) {
                    continue;
                }
                let mut least = first;
                for &(j, _) in &going {
                    if self.limit(j, slice)? < self.limit(least, slice)? {
                        least = j;
                    }
                }
                wanted.push((least, i));
            }
        }
        // What the position reached demands must follow from what is demanded here.
        let new_on: On = fates.keys().fold(0, |on, &i| on | 1 << i);
        let demanded = match known {
            Some(Ok(countdown)) => countdown.demands.get(&new_on),
            _ => demands.get(&new_on),
        };
        let there: Vec<(usize, usize)> = demanded.cloned().unwrap_or_default();
        for (less, more) in there {
            let change = |i: usize| going.iter().find(|&&(j, _)| i == j).map(|&(_, change)| change);
            let met = match (change(less), change(more)) {
                (Some(a), Some(b)) if a <= b => {
                    wanted.push((less, more));
                    true
                }
                // What goes on has less left than its limit.
                (Some(_), None) => self.fresh_order(less, more, after)?,
                (None, None) => self.fresh_order(less, more, after)?,
                _ => false,
            };
            if !met {
                return Err(self.several(less, more));
            }
        }
        let here = demands.entry(on).or_default();
        for pair in wanted {
            if !here.contains(&pair) {
                here.push(pair);
            }
        }
        Ok(step)
    }

    /// Twelve hexadecimal digits that stand for all that budgets depend on.
    fn identity(&self, top: Option<u32>, steps: &BTreeMap<Exit, Step>) -> String {
        let mut text = format!("{top:?}");
        for (exit, step) in steps {
            let [moved, waited] = exit;
            let id = self.get(*exit).map_or("", |countdown| &countdown.id);
            text += &format!(";{moved}v{waited}:{step}:{id}");
        }
        digits(&text)
    }
}

/// Twelve hexadecimal digits that stand for a text.
fn digits(text: &str) -> String {
    // FNV-1a, which is easy to write in any language.
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{:012x}", hash >> 16)
}

impl DrawProfile {
    /// Names all that values depend on where several counters decide: equal in all profiles with
    /// the same counters, whatever their articles say. An `s` and twelve hexadecimal digits.
    pub fn stairs_id(&self) -> String {
        let mut text = String::new();
        for counter in &self.counters {
            let Counter { name, limit, start, keep, unless, restart, tally, cases, .. } = counter;
            text += &format!(
                "{name}:{limit:?}:{start:?}:{keep:?}:{unless:?}:{restart:?}:{tally}:{cases:?};"
            );
        }
        format!("s{}", digits(&text))
    }
}

impl Step {
    /// The same step without a fresh count that is never the least.
    fn normal(self, top: Option<u32>) -> Step {
        let most = self.carry.zip(top).map(|(carry, top)| i64::from(top) + i64::from(carry));
        match (self.fresh, most) {
            (Some(fresh), Some(most)) if most <= i64::from(fresh) => Step { fresh: None, ..self },
            _ => self,
        }
    }
}
