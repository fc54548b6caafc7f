//! Values under the draw rules of a federation.

use std::sync::Arc;

use damabase_formats::{Distance, Metric, Slice, Wld};
use damabase_rules::draws::{Countdown, Countdowns, Counters, DrawProfile, Left, Ply, Step};
use damabase_rules::{
    Counting, Material, Move, MoveList, Position, Rules, Word, can_capture, captures, quiet_moves,
};

use crate::search::{needed_by, sound};
use crate::{MoveValue, ProbeError, TableSet};

/// What a position is worth under a profile, seen by its mover, or a move, seen by the side that
/// makes it. Better ones are greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Standing {
    /// Lost before a draw is due.
    Loss,
    /// Lost if nobody counted; a draw is due before.
    BlessedLoss,
    /// Drawn.
    Draw,
    /// Won if nobody counted; a draw is due before.
    CursedWin,
    /// Won before a draw is due.
    Win,
}

impl Standing {
    /// The name in output: `win`, `cursed-win`, `draw`, `blessed-loss`, `loss`.
    pub const fn name(self) -> &'static str {
        match self {
            Standing::Loss => "loss",
            Standing::BlessedLoss => "blessed-loss",
            Standing::Draw => "draw",
            Standing::CursedWin => "cursed-win",
            Standing::Win => "win",
        }
    }

    /// The same, seen by the other side.
    pub const fn turned(self) -> Standing {
        match self {
            Standing::Loss => Standing::Win,
            Standing::BlessedLoss => Standing::CursedWin,
            Standing::Draw => Standing::Draw,
            Standing::CursedWin => Standing::BlessedLoss,
            Standing::Win => Standing::Loss,
        }
    }

    /// The result of the game.
    pub const fn result(self) -> Wld {
        match self {
            Standing::Loss => Wld::Loss,
            Standing::BlessedLoss | Standing::Draw | Standing::CursedWin => Wld::Draw,
            Standing::Win => Wld::Win,
        }
    }

    fn new(result: Wld, in_theory: Wld) -> Standing {
        match (result, in_theory) {
            (Wld::Win, _) => Standing::Win,
            (Wld::Loss, _) => Standing::Loss,
            (Wld::Draw, Wld::Win) => Standing::CursedWin,
            (Wld::Draw, Wld::Draw) => Standing::Draw,
            (Wld::Draw, Wld::Loss) => Standing::BlessedLoss,
        }
    }
}

/// All that is known of a position with counters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counted {
    /// Its value under the profile; none where that is not known.
    pub standing: Option<Standing>,
    /// Its value if nobody counted.
    pub in_theory: Wld,
    /// What is left on the counters; none where that is no single number.
    pub left: Option<Left>,
    /// The plies that must be left so that the win or loss counts, a draw where no number of plies
    /// is enough; none where it is not known. With 0 the game is over.
    pub budget: Option<Distance>,
}

impl Counted {
    /// Plies that are left beyond those that are needed, where a win or loss counts; none where
    /// it does not, or where nothing counts.
    pub fn to_spare(&self) -> Option<u32> {
        let needed = self.budget?.plies()?;
        self.left?.plies?.checked_sub(needed.into())
    }

    /// The same position, seen by the other side.
    fn turned(self) -> Counted {
        Counted {
            standing: self.standing.map(Standing::turned),
            in_theory: self.in_theory.turned(),
            ..self
        }
    }

    /// The order in which moves are preferred, greater first: what wins in time before what wins in
    /// theory, then the most plies to spare for a win, the fewest for a loss.
    pub fn preference(&self) -> (Option<Standing>, i64, Wld) {
        let spare = self.to_spare().map_or(0, i64::from);
        let needed = self.budget.and_then(Distance::plies).map_or(0, i64::from);
        match self.standing {
            Some(Standing::Win) if self.left.is_some_and(|left| left.plies.is_some()) => {
                (self.standing, spare, self.in_theory)
            }
            Some(Standing::Win) => (self.standing, -needed, self.in_theory),
            Some(Standing::Loss) if self.left.is_some_and(|left| left.plies.is_some()) => {
                (self.standing, -spare, self.in_theory)
            }
            Some(Standing::Loss) => (self.standing, needed, self.in_theory),
            _ => (self.standing, 0, self.in_theory),
        }
    }
}

/// A legal move, the counters after it, and its value for the side that makes it. Plies left and
/// budget are those of the position after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CountedMove<G: Rules> {
    /// The move.
    pub action: Move<G::Word>,
    /// The counters after it.
    pub counters: Counters,
    /// Its value.
    pub value: Counted,
}

/// A set of tables read under a draw profile.
#[derive(Debug)]
pub struct Under<'s, G: Rules> {
    set: &'s TableSet<G>,
    countdowns: Arc<Countdowns>,
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
        let left = self.countdowns.left(counters, &position);
        let is_due = (0..self.profile().counters.len())
            .any(|i| self.profile().left(i, counters, &position) == Some(0));
        let over = is_over(&position);
        let unknown = |result: Option<Wld>, budget| Counted {
            standing: result.map(|result| Standing::new(result, in_theory)),
            in_theory,
            left,
            budget,
        };
        if over {
            return Ok(unknown(Some(in_theory), Some(terminal(in_theory))));
        }
        if self.profile().counters.is_empty() {
            return Ok(unknown(Some(in_theory), None));
        }
        if is_due || in_theory == Wld::Draw {
            let budget = (in_theory == Wld::Draw).then_some(Distance::Draw);
            return Ok(unknown(Some(Wld::Draw), budget));
        }
        let budget = match self.search(&position) {
            Err(ProbeError::Missing(missing)) if missing.metric == Metric::Budget => None,
            budget => budget?,
        };
        let Some(budget) = budget else { return Ok(unknown(None, None)) };
        let Some(left) = left else { return Ok(unknown(None, Some(budget))) };
        let counts = match (budget.plies(), left.plies) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(needed), Some(left)) => u32::from(needed) <= left,
        };
        let result = if counts { budget.wld() } else { Wld::Draw };
        Ok(unknown(Some(result), Some(budget)))
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
        counters: &Counters,
    ) -> Result<Vec<CountedMove<G>>, ProbeError> {
        let position = sound(position)?;
        if position.waiter.all().none() {
            return Ok(Vec::new());
        }
        let mut moves = Vec::new();
        // In the order of theory, which decides where counters do not tell.
        for MoveValue { action, .. } in self.set.moves(&position)? {
            let ply = Ply::new(position, action);
            let counters = self.profile().step(counters, &ply);
            let value = self.value(&ply.after, &counters);
            let value = value.map_err(|error| needed_by(error, &action))?.turned();
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
            let missing = || self.set.missing(slice, Metric::Budget);
            return if has_no_move(position) { Ok(Distance::Loss(0)) } else { Err(missing()) };
        };
        let code = table.code(position, to_move, &self.set.cache)?;
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

/// The budget of a game that is over.
fn terminal(result: Wld) -> Distance {
    match result {
        Wld::Win => Distance::Win(0),
        _ => Distance::Loss(0),
    }
}
