//! Values under the draw rules of a federation.

use std::array::from_fn;
use std::sync::{Arc, PoisonError, RwLock};

use damabase_formats::stairs::{Margin, Stairs};
use damabase_formats::{Distance, Metric, Slice, TableError, ToMove, Wld};
use damabase_rules::draws::{
    Countdown, Countdowns, Counters, DrawProfile, Left, MAX_COUNTERS, Ply, Seeds, Step,
};
use damabase_rules::{
    Counting, Material, Move, MoveList, Position, Rules, Word, can_capture, captures, quiet_moves,
};
use rustc_hash::FxHashMap;

use crate::search::{known, needed_by, sound};
use crate::standing::{Counted, Standing};
use crate::table::{Table, table_error};
use crate::{MissingTable, MoveValue, ProbeError, TableSet};

/// A legal move, the counters after it, and its value for the side that makes it. Plies left and
/// budget are those of the position after it, plies to spare those of [`Under::spare_of_move`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CountedMove<G: Rules> {
    /// The move.
    pub action: Move<G::Word>,
    /// The counters after it.
    pub counters: Counters,
    /// Its value.
    pub value: Counted,
}

/// Why the value of a position under a profile is not known.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Doubt {
    /// A table of budgets is not there.
    #[error("{0}")]
    Missing(Box<MissingTable>),
    /// The tables are there, and know the counters only as they can come about.
    #[error("no game has these values of the counters")]
    Values,
}

/// A set of tables read under a draw profile.
#[derive(Debug)]
pub struct Under<'s, G: Rules> {
    set: &'s TableSet<G>,
    countdowns: Arc<Countdowns>,
}

/// What the codes of tables mean under several counters, by number of the table.
pub(crate) type Dictionaries = RwLock<FxHashMap<u32, Arc<Dictionary>>>;

/// What the codes of a table mean under several counters.
#[derive(Debug)]
pub(crate) struct Dictionary {
    stairs: Stairs,
    /// The places of its counters in every profile that the table is of.
    places: Vec<usize>,
}

impl<G: Rules> TableSet<G> {
    /// The values of this set's positions under a profile. Works out once how the profile counts
    /// in every slice that has a table here.
    pub fn under(&self, profile: &DrawProfile) -> Under<'_, G> {
        let mut countdowns = Countdowns::new(profile);
        for (id, _) in self.tables() {
            let _ = countdowns.find([id.slice.first(), id.slice.second()]);
        }
        self.under_countdowns(Arc::new(countdowns))
    }

    /// The same with countdowns that are there already; slices that they have not worked out are
    /// unknown.
    pub fn under_countdowns(&self, countdowns: Arc<Countdowns>) -> Under<'_, G> {
        Under { set: self, countdowns }
    }
}

impl<'s, G: Rules> Under<'s, G> {
    /// The profile.
    pub fn profile(&self) -> &DrawProfile {
        self.countdowns.profile()
    }

    /// How the profile counts in the slices that have tables.
    pub fn countdowns(&self) -> &Arc<Countdowns> {
        &self.countdowns
    }

    /// The tables.
    pub fn tables(&self) -> &'s TableSet<G> {
        self.set
    }

    /// The value of a position with counters. Where a table of budgets is not there, it may be
    /// unknown.
    ///
    /// # Errors
    /// Those of [`TableSet::wld`].
    pub fn value(
        &self,
        position: &Position<G>,
        counters: &Counters,
    ) -> Result<Counted, ProbeError> {
        let position = sound(position)?;
        let in_theory = self.set.wld(&position)?;
        let sides = [Material::of(position.mover), Material::of(position.waiter)];
        let counted = |result: Option<Wld>, budget| Counted {
            standing: result.map(|result| Standing::new(result, in_theory)),
            in_theory,
            left: match self.countdowns.get(sides) {
                Some(_) => self.countdowns.left(counters, &position),
                None => Some(self.least_left(counters, &position)),
            },
            to_spare: None,
            budget,
        };
        if is_over(&position) {
            return Ok(counted(Some(in_theory), Some(terminal(in_theory))));
        }
        if self.profile().counters.is_empty() {
            return Ok(counted(Some(in_theory), None));
        }
        if self.is_due(counters, &position) || in_theory == Wld::Draw {
            let budget = (in_theory == Wld::Draw).then_some(Distance::Draw);
            return Ok(counted(Some(Wld::Draw), budget));
        }
        if self.countdowns.get(sides).is_none() {
            let found = known(self.by_stairs(&position, counters))?.flatten();
            let mut value = counted(found.map(|(result, _)| result), None);
            let margin = match found {
                Some((result, None)) => self.margin(&position, counters, result)?,
                Some((_, margin)) => margin,
                None => None,
            };
            if let Some(margin) = margin {
                value.to_spare = margin.spare_plies;
                if let Some(i) = margin.counter {
                    let plies = self.profile().left(i, counters, &position);
                    value.left = Some(Left { plies, decided_by: Some(i) });
                }
            }
            return Ok(value);
        }
        let Some(budget) = known(self.search(&position))?.flatten() else {
            return Ok(counted(None, None));
        };
        let value = counted(None, Some(budget));
        let Some(left) = value.left else { return Ok(value) };
        let result = in_time(budget, left.plies);
        let to_spare = match (result, budget.plies(), left.plies) {
            (Wld::Win | Wld::Loss, Some(needed), Some(left)) => Some(left - u32::from(needed)),
            _ => None,
        };
        Ok(Counted { to_spare, ..counted(Some(result), Some(budget)) })
    }

    /// Why [`Under::value`] tells nothing under the profile; none where it does.
    ///
    /// # Errors
    /// Those of [`TableSet::wld`].
    pub fn doubt(
        &self,
        position: &Position<G>,
        counters: &Counters,
    ) -> Result<Option<Doubt>, ProbeError> {
        if self.value(position, counters)?.standing.is_some() {
            return Ok(None);
        }
        let found = match self.by_one_number(position) {
            true => self.search(position).map(drop),
            false => self.by_stairs(position, counters).map(drop),
        };
        match found {
            Ok(()) => Ok(Some(Doubt::Values)),
            Err(ProbeError::Missing(missing)) => Ok(Some(Doubt::Missing(missing))),
            Err(error) => Err(error),
        }
    }

    /// Whether a draw by a counter is due, or may be claimed.
    fn is_due(&self, counters: &Counters, position: &Position<G>) -> bool {
        let profile = self.profile();
        (0..profile.counters.len()).any(|i| profile.left(i, counters, position) == Some(0))
    }

    /// The counter that has least left.
    fn least_left(&self, counters: &Counters, position: &Position<G>) -> Left {
        let profile = self.profile();
        let left = |i| Some((profile.left(i, counters, position)?, i));
        let least = (0..profile.counters.len()).filter_map(left).min();
        Left { plies: least.map(|(plies, _)| plies), decided_by: least.map(|(_, i)| i) }
    }

    /// The result of a position with counters; none where it is not known. What is drawn in theory is
    /// not looked up, unlike by [`Under::value`].
    ///
    /// # Errors
    /// Those of [`TableSet::wld`].
    pub fn result(
        &self,
        position: &Position<G>,
        counters: &Counters,
    ) -> Result<Option<Wld>, ProbeError> {
        if position.waiter.all().none() && position.mover.all().any() {
            return Ok(Some(Wld::Win));
        }
        if is_over(position) {
            return Ok(Some(Wld::Loss));
        }
        if self.is_due(counters, position) {
            return Ok(Some(Wld::Draw));
        }
        let sides = [Material::of(position.mover), Material::of(position.waiter)];
        if self.countdowns.get(sides).is_none() {
            return Ok(self.by_stairs(position, counters)?.map(|(result, _)| result));
        }
        let Some(left) = self.countdowns.left(counters, position) else { return Ok(None) };
        Ok(self.search(position)?.map(|budget| in_time(budget, left.plies)))
    }

    /// The result of a position in which several counters decide, and, where the mover cannot
    /// capture, how it hangs on them. Each call within takes pieces off the board.
    fn by_stairs(
        &self,
        position: &Position<G>,
        counters: &Counters,
    ) -> Result<Option<(Wld, Option<Margin>)>, ProbeError> {
        let mut list = MoveList::new();
        captures(position, Counting::Distinct, &mut list);
        if list.is_empty() {
            let (to_move, code, dictionary) = self.code(position)?;
            let values: Vec<Option<u32>> =
                dictionary.places.iter().map(|&place| counters.value(place)).collect();
            let margin = dictionary.stairs.margin(to_move, code, &values).map(|margin| Margin {
                // The dictionary may name some of the profile's counters only.
                counter: margin.counter.map(|i| dictionary.places[i]),
                ..margin
            });
            let result = dictionary.stairs.value(to_move, code, &values);
            return Ok(result.map(|result| (result, margin)));
        }
        let mut best = Wld::Loss;
        let mut all_known = true;
        for &action in &list {
            let ply = Ply::new(*position, action);
            let stepped = self.profile().step(counters, &ply);
            match self.result(&ply.after, &stepped).map_err(|error| needed_by(error, &action))? {
                Some(result) => best = best.max(result.turned()),
                None => all_known = false,
            }
        }
        Ok((all_known || best == Wld::Win).then_some((best, None)))
    }

    /// How the result of a position in which several counters decide and the mover can capture hangs
    /// on them, found by trying greater values: results change once as counters grow.
    fn margin(
        &self,
        position: &Position<G>,
        counters: &Counters,
        result: Wld,
    ) -> Result<Option<Margin>, ProbeError> {
        let profile = self.profile();
        let least = self.least_left(counters, position);
        let (Some(left), Some(first)) = (least.plies, least.decided_by) else { return Ok(None) };
        if result == Wld::Draw {
            return Ok(None);
        }
        let same = |more: u32, only: Option<usize>| {
            let raised = self.raised(counters, position, more, only);
            Ok(self.result(position, &raised)? == Some(result))
        };
        let spare = greatest(left, |more| same(more, None))?;
        let mut counter = first;
        for i in 0..profile.counters.len() {
            if !same(spare + 1, Some(i))? {
                counter = i;
                break;
            }
        }
        Ok(Some(Margin { spare_plies: Some(spare), counter: Some(counter) }))
    }

    /// Counters of which those with a limit in a position, one or all of them, are so much greater.
    fn raised(
        &self,
        counters: &Counters,
        position: &Position<G>,
        more: u32,
        only: Option<usize>,
    ) -> Counters {
        let profile = self.profile();
        let value = |i: usize| {
            let limited = profile.left(i, counters, position).is_some();
            let grows = limited && only.is_none_or(|only| only == i);
            counters.value(i).map(|value| if grows { value + more } else { value })
        };
        let values: Vec<_> = (0..profile.counters.len()).map(value).collect();
        Counters::from_values(&values)
    }

    /// Plies to spare of a move, if it wins or loses in time: those by which the counters could be
    /// greater before it, and its result still the same. A move that restarts them needs but one ply,
    /// so a winner who keeps the most to spare never puts it off. `after` is the value of the position
    /// that follows. None where no counter is on before the move.
    ///
    /// # Errors
    /// Those of [`TableSet::wld`].
    pub fn spare_of_move(
        &self,
        ply: &Ply<G>,
        counters: &Counters,
        after: &Counted,
    ) -> Result<Option<u32>, ProbeError> {
        let result = after.standing.map(Standing::result);
        let left = self.least_left(counters, &ply.before).plies;
        let (Some(result @ (Wld::Win | Wld::Loss)), Some(left)) = (result, left) else {
            return Ok(None);
        };
        // With none left before the move the draw is due.
        let most = left.saturating_sub(1);
        let stepped =
            |more| self.profile().step(&self.raised(counters, &ply.before, more, None), ply);
        // Mostly all go on, and what is to spare after the move was so before.
        if stepped(1) == self.raised(&stepped(0), &ply.after, 1, None) {
            return Ok(Some(after.to_spare.map_or(most, |spare| spare.min(most))));
        }
        let same = |more| Ok(self.result(&ply.after, &stepped(more))? == Some(result));
        greatest(left, same).map(Some)
    }

    /// Whether a single number of plies decides in a position's slice.
    pub fn by_one_number(&self, position: &Position<G>) -> bool {
        let sides = [Material::of(position.mover), Material::of(position.waiter)];
        self.countdowns.get(sides).is_some()
    }

    /// Where several counters decide and the mover cannot capture: all combinations of values of
    /// the counters that may be on at which the table's value can change, with those off that need
    /// not be on. Between them it is the same. For checks of a table.
    ///
    /// # Errors
    /// Those of [`TableSet::wld`]; [`ProbeError::Damaged`] also where there are too many.
    pub fn turning_points(&self, position: &Position<G>) -> Result<Vec<Counters>, ProbeError> {
        let (to_move, code, dictionary) = self.code(position)?;
        let profile = self.profile();
        let points = dictionary.stairs.turning_points(to_move, code).map_err(|error| {
            let (what, expected) = ("the dictionary", "values of true counters".to_string());
            let error = TableError::Damaged { what, expected, found: error.to_string() };
            match self.stairs(Slice::of(position).0) {
                Ok(table) => table_error(&table.path, Arc::new(error)),
                Err(missing) => missing,
            }
        })?;
        let fresh = profile.start(position, &Seeds::default()).unwrap_or_default();
        let mut all: Vec<[Option<u32>; MAX_COUNTERS]> = vec![from_fn(|i| fresh.value(i))];
        for (&place, points) in dictionary.places.iter().zip(&points) {
            let on = Seeds {
                half_moves: None,
                counters: vec![(profile.counters[place].name.clone(), 0)],
            };
            // A counter that cannot be on here has no value.
            if profile.start(position, &on).is_err() {
                continue;
            }
            let off = fresh.value(place).is_none().then_some(None);
            let values = points.iter().map(|&value| Some(value)).chain(off);
            let with = |value| {
                all.iter().map(move |&(mut values)| {
                    values[place] = value;
                    values
                })
            };
            all = values.flat_map(with).collect();
        }
        Ok(all.iter().map(|values| Counters::from_values(values)).collect())
    }

    /// The side to move and the code of a position in which several counters decide and the mover
    /// cannot capture, and what codes mean there.
    fn code(&self, position: &Position<G>) -> Result<(ToMove, u16, Arc<Dictionary>), ProbeError> {
        let (slice, to_move) = Slice::of(position);
        let table = self.stairs(slice)?;
        let code = table.code_of_all(position, to_move, &self.set.cache)?;
        Ok((to_move, code, self.dictionary(table)?))
    }

    /// The table of a slice in which several counters decide.
    fn stairs(&self, slice: Slice) -> Result<&Table<G>, ProbeError> {
        let id = self.countdowns.stairs_id();
        let table = self.set.find_under(slice, Metric::Budget, id);
        table.ok_or_else(|| self.set.missing_under(slice, Metric::Budget, id))
    }

    /// What the codes of a table mean.
    fn dictionary(&self, table: &Table<G>) -> Result<Arc<Dictionary>, ProbeError> {
        let known = self.set.dictionaries.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(dictionary) = known.get(&table.number) {
            return Ok(dictionary.clone());
        }
        drop(known);
        let error = |source| table_error(&table.path, Arc::new(source));
        let metadata = table.file()?.metadata().map_err(error)?;
        let stairs = metadata.stairs().map_err(error)?.ok_or_else(|| {
            error(TableError::Damaged {
                what: "the metadata",
                expected: "a dictionary of staircases".to_string(),
                found: "none".to_string(),
            })
        })?;
        let place = |name: &String| {
            self.profile().counter(name).ok_or_else(|| {
                error(TableError::Damaged {
                    what: "the dictionary",
                    expected: format!("counters of the profile '{}'", self.profile().name),
                    found: name.clone(),
                })
            })
        };
        let places = stairs.counters().iter().map(place).collect::<Result<_, _>>()?;
        let dictionary = Arc::new(Dictionary { stairs, places });
        let mut known = self.set.dictionaries.write().unwrap_or_else(PoisonError::into_inner);
        Ok(known.entry(table.number).or_insert(dictionary).clone())
    }

    /// Every legal move with its value, best first: those that win in time before those that win
    /// only in theory. Moves of the same value are in the order of [`TableSet::moves`]. Empty where
    /// the game is over.
    ///
    /// # Errors
    /// Those of [`Under::value`].
    pub fn moves(
        &self,
        position: &Position<G>,
        before: &Counters,
    ) -> Result<Vec<CountedMove<G>>, ProbeError> {
        let position = sound(position)?;
        if position.waiter.all().none() {
            return Ok(Vec::new());
        }
        let mut moves = Vec::new();
        // In the order of theory, which decides where counters do not tell.
        for MoveValue { action, .. } in self.set.moves(&position)? {
            let ply = Ply::new(position, action);
            let counters = self.profile().step(before, &ply);
            let value = self.value(&ply.after, &counters);
            let value = value.map_err(|error| needed_by(error, &action))?;
            let to_spare = self.spare_of_move(&ply, before, &value);
            let to_spare = to_spare.map_err(|error| needed_by(error, &action))?;
            let value = Counted { to_spare, ..value.turned() };
            moves.push(CountedMove { action, counters, value });
        }
        moves.sort_by_key(|m| std::cmp::Reverse(m.value.preference()));
        Ok(moves)
    }

    /// The fewest plies that must be left on the counters so that the mover's win, or loss, counts;
    /// a draw where no number is enough. None where no single number decides.
    ///
    /// # Errors
    /// Those of [`TableSet::wld`].
    pub fn budget(&self, position: &Position<G>) -> Result<Option<Distance>, ProbeError> {
        self.search(&sound(position)?)
    }

    /// Each call within takes pieces off the board, so the depth is less than their number.
    fn search(&self, position: &Position<G>) -> Result<Option<Distance>, ProbeError> {
        if position.mover.all().none() {
            return Ok(Some(Distance::Loss(0)));
        }
        if position.waiter.all().none() {
            return Ok(Some(Distance::Win(0)));
        }
        let sides = [Material::of(position.mover), Material::of(position.waiter)];
        let Some(countdown) = self.countdowns.get(sides) else { return Ok(None) };
        let mut list = MoveList::new();
        captures(position, Counting::Distinct, &mut list);
        if list.is_empty() {
            return self.quiet(position, countdown).map(Some);
        }
        let mut best = None;
        for capture in &list {
            let after = position.after(capture);
            let value = self.search(&after).map_err(|error| needed_by(error, capture))?;
            let Some(value) = value else { return Ok(None) };
            best = best.max(Some(budget_of_move(countdown, value, Some(&after))));
        }
        Ok(best)
    }

    /// The budget of a position where both sides have pieces and the mover cannot capture.
    fn quiet(&self, position: &Position<G>, countdown: &Countdown) -> Result<Distance, ProbeError> {
        let (slice, to_move) = Slice::of(position);
        let Some(table) = self.set.find_under(slice, Metric::Budget, &countdown.id) else {
            let missing = || self.set.missing_under(slice, Metric::Budget, &countdown.id);
            return if has_no_move(position) { Ok(Distance::Loss(0)) } else { Err(missing()) };
        };
        let code = table.code_of_all(position, to_move, &self.set.cache)?;
        Distance::from_code(code).ok_or_else(|| table.no_value(code))
    }
}

/// The budget of a move, seen by the side that makes it, from that of the position after it;
/// `exit` is that position where the move is no quiet king move.
pub fn budget_of_move<G: Rules>(
    countdown: &Countdown,
    after: Distance,
    exit: Option<&Position<G>>,
) -> Distance {
    let step = exit.map_or(Step::COUNT, |after| {
        // The side that has moved waits now.
        countdown.step([Material::of(after.waiter), Material::of(after.mover)])
    });
    let most = countdown.top.unwrap_or(u32::MAX);
    let level = |budget| step.level(budget).filter(|&level| u32::from(level) <= most);
    match after {
        Distance::Loss(budget) => level(budget).map_or(Distance::Draw, Distance::Win),
        Distance::Draw => Distance::Draw,
        Distance::Win(budget) => level(budget).map_or(Distance::Draw, Distance::Loss),
    }
}

/// The greatest number below `limit` for which something holds that holds up to some number; 0
/// where it never does.
fn greatest(
    limit: u32,
    mut holds: impl FnMut(u32) -> Result<bool, ProbeError>,
) -> Result<u32, ProbeError> {
    let (mut found, mut too_much) = (0, limit.max(1));
    while too_much - found > 1 {
        let middle = found + (too_much - found) / 2;
        if holds(middle)? {
            found = middle;
        } else {
            too_much = middle;
        }
    }
    Ok(found)
}

/// Whether a side has no piece, or the mover no move.
fn is_over<G: Rules>(position: &Position<G>) -> bool {
    position.mover.all().none()
        || position.waiter.all().none()
        || (!can_capture(position) && has_no_move(position))
}

fn has_no_move<G: Rules>(position: &Position<G>) -> bool {
    let mut list = MoveList::new();
    quiet_moves(position, &mut list);
    list.is_empty()
}

/// The result of a position with this budget where so many plies are left; none where nothing
/// counts.
fn in_time(budget: Distance, left: Option<u32>) -> Wld {
    match (budget.plies(), left) {
        (Some(needed), Some(left)) if left < u32::from(needed) => Wld::Draw,
        _ => budget.wld(),
    }
}

/// The budget of a game that is over.
fn terminal(result: Wld) -> Distance {
    match result {
        Wld::Win => Distance::Win(0),
        _ => Distance::Loss(0),
    }
}
