//! The value of any position: a table where it is quiet and the table has it, else a search of its
//! moves.

use damabase_formats::{Distance, Metric, Slice, Wld};
use damabase_rules::{
    Counting, Move, MoveList, Position, Rules, Word, can_capture, captures, legal_moves,
    quiet_moves,
};

use crate::table::{Effort, Found, Lookups};
use crate::{NeededBy, ProbeError, TableSet};

/// What is known of a position, seen by its mover, or of a move, seen by the side that makes it.
/// Better values are greater: wins over draws over losses, then quick wins and slow losses first;
/// an unknown distance is less than a known one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Value {
    /// Win, draw or loss.
    pub wld: Wld,
    /// Plies to the end of the game; none where a table is not there.
    pub dtw: Option<Distance>,
    /// Plies to the next capture or man move; none where a table is not there.
    pub dtc: Option<Distance>,
}

/// A legal move and its value for the side that makes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveValue<G: Rules> {
    /// The move.
    pub action: Move<G::Word>,
    /// Its value: distances count this move too.
    pub value: Value,
}

/// One kind of value, and how values of positions become values of moves.
trait Kind {
    type Value: Copy + Ord;
    const METRIC: Metric;
    /// The value where the mover has no piece or no move.
    const LOST: Self::Value;
    /// The value where the waiter has no piece.
    const WON: Self::Value;
    /// The value of a move that no other can surpass.
    const BEST_MOVE: Self::Value;

    fn from_code(code: u16) -> Option<Self::Value>;
    /// The value of a capture or man move that leads to a position with this value.
    fn of_exit(after: Self::Value) -> Self::Value;
    /// The value of a king's move without capture that leads to a position with this value.
    fn of_king_move(after: Self::Value) -> Self::Value {
        Self::of_exit(after)
    }
    /// What matters after a move, where before it this does. The move is a capture or man move, or
    /// not.
    fn window_after(before: Window<Self::Value>, is_exit: bool) -> Window<Self::Value>;
}

/// Between which bounds a value matters. It need not be found where it is outside: any value on
/// the same side will do.
#[derive(Clone, Copy, Debug)]
struct Window<V> {
    /// All values up to this one are alike.
    least: V,
    /// All values from this one on are alike.
    enough: V,
}

impl<V> Window<V> {
    /// All values matter.
    fn all<K: Kind<Value = V> + ?Sized>() -> Window<V> {
        Window { least: K::LOST, enough: K::BEST_MOVE }
    }
}

/// What a probe that may do anything relies on.
const ALWAYS: &str = "only a probe of the cache can be without a value";

struct WldKind;
struct DtwKind;
struct DtcKind;

impl Kind for WldKind {
    type Value = Wld;
    const METRIC: Metric = Metric::Wld;
    const LOST: Wld = Wld::Loss;
    const WON: Wld = Wld::Win;
    const BEST_MOVE: Wld = Wld::Win;

    #[inline]
    fn from_code(code: u16) -> Option<Wld> {
        Wld::from_code(code)
    }
    #[inline]
    fn of_exit(after: Wld) -> Wld {
        after.turned()
    }
    fn window_after(before: Window<Wld>, _: bool) -> Window<Wld> {
        Window { least: before.enough.turned(), enough: before.least.turned() }
    }
}

impl Kind for DtwKind {
    type Value = Distance;
    const METRIC: Metric = Metric::Dtw;
    const LOST: Distance = Distance::Loss(0);
    const WON: Distance = Distance::Win(0);
    const BEST_MOVE: Distance = Distance::Win(1);

    fn from_code(code: u16) -> Option<Distance> {
        Distance::from_code(code)
    }
    fn of_exit(after: Distance) -> Distance {
        after.before()
    }
    fn window_after(before: Window<Distance>, _: bool) -> Window<Distance> {
        before.a_ply_on()
    }
}

impl Kind for DtcKind {
    type Value = Distance;
    const METRIC: Metric = Metric::Dtc;
    const LOST: Distance = Distance::Loss(0);
    const WON: Distance = Distance::Win(0);
    const BEST_MOVE: Distance = Distance::Win(1);

    fn from_code(code: u16) -> Option<Distance> {
        Distance::from_code(code)
    }
    /// The move itself is the capture or man move that is counted to.
    fn of_exit(after: Distance) -> Distance {
        match after {
            Distance::Loss(_) => Distance::Win(1),
            Distance::Draw => Distance::Draw,
            Distance::Win(_) => Distance::Loss(1),
        }
    }
    fn of_king_move(after: Distance) -> Distance {
        after.before()
    }
    fn window_after(before: Window<Distance>, is_exit: bool) -> Window<Distance> {
        if !is_exit {
            return before.a_ply_on();
        }
        // A capture or man move ends the count: all that matters is who wins.
        let Window { mut least, mut enough } = Window::all::<DtcKind>();
        if before.least >= Distance::Draw {
            enough = Distance::Draw;
        }
        if before.enough <= Distance::Draw {
            least = Distance::Draw;
        }
        Window { least, enough }
    }
}

impl Window<Distance> {
    /// What matters after a move, where each move is a ply: what [`Distance::before`] undoes.
    fn a_ply_on(self) -> Window<Distance> {
        let after = |before| match before {
            Distance::Loss(plies) => Distance::Win(plies.saturating_sub(1)),
            Distance::Draw => Distance::Draw,
            Distance::Win(plies) => Distance::Loss(plies.saturating_sub(1)),
        };
        // No move is better than one that wins at once.
        let enough = after(self.least).min(DtwKind::BEST_MOVE);
        Window { least: after(self.enough), enough }
    }
}

impl<G: Rules> TableSet<G> {
    /// Whether the mover wins, draws or loses, draw counters aside.
    ///
    /// # Errors
    /// Any [`ProbeError`]; [`ProbeError::Input`] for pieces that [`Position::new`] refuses.
    pub fn wld(&self, position: &Position<G>) -> Result<Wld, ProbeError> {
        self.probe::<WldKind>(&sound(position)?)
    }

    /// The value and the number of plies to the end of the game, if the winner hurries and the
    /// loser delays.
    ///
    /// # Errors
    /// Those of [`TableSet::wld`].
    pub fn dtw(&self, position: &Position<G>) -> Result<Distance, ProbeError> {
        self.probe::<DtwKind>(&sound(position)?)
    }

    /// The value and the number of plies to the next capture or man move, or the end of the game,
    /// if the winner hurries and the loser delays.
    ///
    /// # Errors
    /// Those of [`TableSet::wld`].
    pub fn dtc(&self, position: &Position<G>) -> Result<Distance, ProbeError> {
        self.probe::<DtcKind>(&sound(position)?)
    }

    /// [`TableSet::wld`] where it takes neither reading nor decoding, for nodes deep in a search;
    /// none where it would. (A table in memory whose values are found in place always has them.)
    ///
    /// # Errors
    /// Those of [`TableSet::wld`].
    #[inline]
    pub fn wld_if_cached(&self, position: &Position<G>) -> Result<Option<Wld>, ProbeError> {
        self.value_of::<WldKind>(
            &sound(position)?,
            Window::all::<WldKind>(),
            Effort::OnlyCached,
            &mut Lookups::default(),
        )
    }

    /// [`TableSet::wld`] that also counts where the values came from.
    ///
    /// # Errors
    /// Those of [`TableSet::wld`].
    pub fn wld_with_lookups(
        &self,
        position: &Position<G>,
        lookups: &mut Lookups,
    ) -> Result<Wld, ProbeError> {
        let value = self.value_of::<WldKind>(
            &sound(position)?,
            Window::all::<WldKind>(),
            Effort::Any,
            lookups,
        )?;
        Ok(value.expect(ALWAYS))
    }

    /// Asks the processor to fetch what a probe of win, draw and loss reads first, for a position
    /// that will be probed soon. Does nothing where the position has no table that was used
    /// before.
    #[inline]
    pub fn prefetch(&self, position: &Position<G>) {
        let (slice, to_move) = Slice::of(position);
        if let Some(table) = self.find(slice, Metric::Wld) {
            table.prefetch(position, to_move, &self.cache);
        }
    }

    /// All that is known of a position.
    ///
    /// # Errors
    /// Those of [`TableSet::wld`]; a distance whose table is not there is no error.
    pub fn value(&self, position: &Position<G>) -> Result<Value, ProbeError> {
        let position = sound(position)?;
        Ok(Value {
            wld: self.probe::<WldKind>(&position)?,
            dtw: known(self.probe::<DtwKind>(&position))?,
            dtc: known(self.probe::<DtcKind>(&position))?,
        })
    }

    /// Every legal move with its value, best first; moves of the same value in the order of
    /// [`legal_moves`]. Empty where the mover has no move, or the waiter no piece.
    ///
    /// # Errors
    /// Those of [`TableSet::value`].
    pub fn moves(&self, position: &Position<G>) -> Result<Vec<MoveValue<G>>, ProbeError> {
        let position = sound(position)?;
        if position.waiter.all().none() {
            return Ok(Vec::new()); // the game is over
        }
        let mut moves = Vec::new();
        for action in legal_moves(&position) {
            let after = position.after(&action);
            let value = self.value(&after).map_err(|error| needed_by(error, &action))?;
            let dtc = if is_exit(&position, &action) { DtcKind::of_exit } else { Distance::before };
            let value = Value {
                wld: value.wld.turned(),
                dtw: value.dtw.map(Distance::before),
                dtc: value.dtc.map(dtc),
            };
            moves.push(MoveValue { action, value });
        }
        moves.sort_by_key(|m| std::cmp::Reverse(m.value));
        Ok(moves)
    }

    /// The value of a sound position.
    fn probe<K: Kind>(&self, position: &Position<G>) -> Result<K::Value, ProbeError> {
        let value =
            self.value_of::<K>(position, Window::all::<K>(), Effort::Any, &mut Lookups::default())?;
        Ok(value.expect(ALWAYS))
    }

    /// The value of a sound position, as far as it matters; none where the cache does not have it
    /// and nothing else may be tried. Each call within takes pieces off the board, or leads from a
    /// side that is not stored to one that is, or moves a man: so the depth is bounded. (In a
    /// symmetric slice of men it is not small; but men that overtake each other seldom matter.)
    fn value_of<K: Kind>(
        &self,
        position: &Position<G>,
        window: Window<K::Value>,
        effort: Effort,
        lookups: &mut Lookups,
    ) -> Result<Option<K::Value>, ProbeError> {
        if position.mover.all().none() {
            return Ok(Some(K::LOST));
        }
        if position.waiter.all().none() {
            return Ok(Some(K::WON));
        }
        if !can_capture(position) {
            return self.quiet::<K>(position, window, effort, lookups);
        }
        let mut list = MoveList::new();
        captures(position, Counting::Distinct, &mut list);
        self.best_of::<K>(position, &list, window, effort, lookups)
    }

    /// The value of a position where both sides have pieces and the mover cannot capture.
    #[inline]
    fn quiet<K: Kind>(
        &self,
        position: &Position<G>,
        window: Window<K::Value>,
        effort: Effort,
        lookups: &mut Lookups,
    ) -> Result<Option<K::Value>, ProbeError> {
        let (slice, to_move) = Slice::of(position);
        let Some(table) = self.find(slice, K::METRIC) else {
            // A mover without moves has lost, table or no table.
            let mut list = MoveList::new();
            quiet_moves(position, &mut list);
            return if list.is_empty() {
                Ok(Some(K::LOST))
            } else {
                Err(self.missing(slice, K::METRIC))
            };
        };
        match table.code(position, to_move, &self.cache, effort, lookups)? {
            Found::Code(code) => match K::from_code(code) {
                Some(value) => Ok(Some(value)),
                None => Err(table.no_value(code)),
            },
            Found::NotCached => Ok(None),
            Found::NotStored => {
                let mut list = MoveList::new();
                quiet_moves(position, &mut list);
                self.best_of::<K>(position, &list, window, effort, lookups)
            }
        }
    }

    /// The value of the best of all legal moves; none where it is not clear without a move whose
    /// value is not in the cache.
    fn best_of<K: Kind>(
        &self,
        position: &Position<G>,
        moves: &[Move<G::Word>],
        window: Window<K::Value>,
        effort: Effort,
        lookups: &mut Lookups,
    ) -> Result<Option<K::Value>, ProbeError> {
        let of_move = |action, after| {
            if is_exit(position, action) { K::of_exit(after) } else { K::of_king_move(after) }
        };
        // What tables have comes first: the other moves may then need no search, or a short one.
        let mut later = MoveList::new();
        let mut best = None;
        for action in moves {
            match self.at_once::<K>(&position.after(action), effort, lookups) {
                Some(after) => best = best.max(Some(of_move(action, after))),
                None => later.push(*action),
            }
            if best >= Some(window.enough) {
                return Ok(best);
            }
        }
        let mut is_known = true;
        for action in &later {
            let least = window.least.max(best.unwrap_or(K::LOST));
            let within = K::window_after(Window { least, ..window }, is_exit(position, action));
            let after = self
                .value_of::<K>(&position.after(action), within, effort, lookups)
                .map_err(|error| needed_by(error, action))?;
            match after {
                Some(after) => best = best.max(Some(of_move(action, after))),
                None => is_known = false,
            }
            if best >= Some(window.enough) {
                return Ok(best);
            }
        }
        Ok(if is_known { Some(best.unwrap_or(K::LOST)) } else { None })
    }

    /// The value of a position where it takes no search of moves. None also where there is an
    /// error: a search meets it again, if it is needed.
    #[inline]
    fn at_once<K: Kind>(
        &self,
        position: &Position<G>,
        effort: Effort,
        lookups: &mut Lookups,
    ) -> Option<K::Value> {
        if position.mover.all().none() {
            return Some(K::LOST);
        }
        if position.waiter.all().none() || can_capture(position) {
            return None;
        }
        let (slice, to_move) = Slice::of(position);
        let table = self.find(slice, K::METRIC)?;
        match table.code(position, to_move, &self.cache, effort, lookups) {
            Ok(Found::Code(code)) => K::from_code(code),
            _ => None,
        }
    }
}

/// Whether a move is a capture or a man's.
#[inline]
fn is_exit<G: Rules>(position: &Position<G>, action: &Move<G::Word>) -> bool {
    let from = G::Word::bit(G::board().bit_of(action.from));
    !action.is_quiet() || (position.mover.men & from).any()
}

/// The position, if it is one: its fields are public, so it need not come from
/// [`Position::new`].
#[inline]
pub(crate) fn sound<G: Rules>(position: &Position<G>) -> Result<Position<G>, ProbeError> {
    Ok(Position::new(position.mover, position.waiter)?)
}

/// A value, or none where its table is not there.
pub(crate) fn known<T>(result: Result<T, ProbeError>) -> Result<Option<T>, ProbeError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(ProbeError::Missing(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// An error met after a move. The last call is for the move of the probed position.
#[cold]
pub(crate) fn needed_by<W: Word>(mut error: ProbeError, action: &Move<W>) -> ProbeError {
    if let ProbeError::Missing(missing) = &mut error {
        missing.needed_by =
            Some(NeededBy { from: action.from, to: action.to, is_capture: !action.is_quiet() });
    }
    error
}
