//! A slice in work: waves of sub-slices, and how each is solved.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use damabase_formats::Material;
use damabase_formats::table::{DONT_CARE, Metric};
use damabase_rules::{Pieces, Rules, Word};
use rayon::prelude::*;

use super::captures::Row;
use super::dense::{Codes, Tally};
use super::exits::exits;
use super::finish::distance_code;
use super::gather::{Exits, Gather, Groups, LevelExits};
use super::men::Men;
use super::order::IndexOrder;
use super::plane::{Axis, Plane};
use super::sets::{Sets, men_number};
use super::solver::keeps_plies;
use super::store::Store;
use super::sub_slice::{Distance, Planes, SubSlice};
use super::turn::{self, Kings};

/// What one thread needs to work on a sub-slice.
#[derive(Default)]
pub(super) struct Scratch<W> {
    pub sub_slice: SubSlice<W>,
    /// Planes of the other side in its own layout.
    pub turned: Planes<W>,
    /// Room for a part of a plane.
    pub strip: Vec<W>,
    pub exits: Groups<Exits<W>>,
    pub level_exits: Groups<LevelExits<W>>,
}

/// A slice in work: which side gives the axis, and where values go.
pub(super) struct Job<'a, G: Rules> {
    pub store: &'a Store<G>,
    /// Material of the axis side and of the other side.
    pub axis: Material,
    pub other: Material,
    pub symmetric: bool,
    pub metrics: &'a [Metric],
    /// Work on the rows of a sub-slice in parallel, rather than on several sub-slices.
    pub parallel_rows: bool,
    pub companions: &'a Sets<G>,
    pub others: &'a Sets<G>,
    /// Sets of all kings of the axis side.
    pub axis_sets: &'a Sets<G>,
    /// Sets of the other side's kings without one; where it has none, the empty set.
    pub other_companions: &'a Sets<G>,
    /// The index order with the axis side and with the other side to move.
    pub order: [IndexOrder<G::Word>; 2],
    /// Values with the other side, respectively the axis side, to move.
    pub other_to_move: &'a Plane<G>,
    pub axis_to_move: &'a Plane<G>,
    /// For each metric the codes with the axis side and with the other side to move; the other's
    /// are missing where they are the same.
    pub codes: &'a [Vec<Codes>],
    /// One for each thread.
    pub scratch: Vec<Mutex<Scratch<G::Word>>>,
}

/// Sub-slices that one thread takes at a time.
const GROUP: usize = 32;

/// With the axis side and with the other side to move; all in the first where they are the same.
pub(super) type Tallies = [Tally; 2];

impl<G: Rules> Job<'_, G> {
    /// Solves all sub-slices, those with the fewest rows to go for their men first.
    pub(super) fn run(&self, done: &(dyn Fn(u64) -> bool + Sync)) -> Tallies {
        let (own, other) = (Men::<G>::new(self.axis.men), Men::<G>::new(self.other.men));
        let mut tallies = Tallies::default();
        let go_on = AtomicBool::new(true);
        for rows in 0..own.by_rows.len() + other.by_rows.len() - 1 {
            // Sub-slices with equally many rows to go do not depend on each other.
            let groups: Vec<(G::Word, &[G::Word])> = (0..own.by_rows.len())
                .filter(|&own| own <= rows && rows - own < other.by_rows.len())
                .flat_map(|own_rows| {
                    let others = &other.by_rows[rows - own_rows];
                    own.by_rows[own_rows].iter().flat_map(move |&own_men| {
                        others.chunks(GROUP).map(move |others| (own_men, others))
                    })
                })
                .collect();
            let work = |&(own_men, others): &(G::Word, &[G::Word])| {
                let thread = rayon::current_thread_index().unwrap_or(0);
                let mut scratch =
                    self.scratch[thread].lock().unwrap_or_else(PoisonError::into_inner);
                let mut tallies = Tallies::default();
                for &other_men in others {
                    if go_on.load(Ordering::Relaxed) {
                        let men = [own_men, G::board().turn(other_men)];
                        self.sub_slice(men, &mut scratch, &mut tallies);
                    }
                }
                if !done(tallies[0].counts.positions + tallies[1].counts.positions) {
                    go_on.store(false, Ordering::Relaxed);
                }
                tallies
            };
            let sum = |mut one: Tallies, other: Tallies| {
                add(&mut one, &other);
                one
            };
            let found = if self.parallel_rows {
                groups.iter().map(work).fold(Tallies::default(), sum)
            } else {
                groups.par_iter().map(work).reduce(Tallies::default, sum)
            };
            add(&mut tallies, &found);
        }
        tallies
    }

    /// The numbers of the sub-slice with these men; none where there is no such sub-slice, or
    /// where its mirror stands for it.
    pub(super) fn numbers(&self, [own_men, other_men]: [G::Word; 2]) -> Option<Numbers> {
        if (own_men & other_men).any() {
            return None;
        }
        let board = G::board();
        let (own_number, other_number) =
            (men_number::<G>(own_men), men_number::<G>(board.turn(other_men)));
        // Of two sub-slices of a symmetric slice that are each other's mirror, one is solved.
        if self.symmetric && own_number > other_number {
            return None;
        }
        Some(Numbers {
            axis_side: self.other_to_move.shape.sub_slice(own_number, other_number),
            other: self.axis_to_move.shape.sub_slice(other_number, own_number),
            own_mirror: self.symmetric && own_number == other_number,
        })
    }

    /// Numbers of men of the axis side and of the other side.
    pub(super) fn men(&self) -> [u8; 2] {
        [self.axis.men, self.other.men]
    }

    /// Index values of a sub-slice.
    pub(super) fn index_values(&self) -> usize {
        self.axis_sets.len() * self.others.len()
    }

    /// Solves the sub-slice with these men if there is one.
    fn sub_slice(&self, men: [G::Word; 2], scratch: &mut Scratch<G::Word>, tallies: &mut Tallies) {
        let Some(numbers) = self.numbers(men) else { return };
        if keeps_plies(self.metrics) {
            let mut groups = std::mem::take(&mut scratch.level_exits);
            self.solve_with(men, &numbers, scratch, &mut groups, tallies);
            scratch.level_exits = groups;
        } else {
            let mut groups = std::mem::take(&mut scratch.exits);
            self.solve_with(men, &numbers, scratch, &mut groups, tallies);
            scratch.exits = groups;
        }
    }

    fn solve_with<E: Gather<G>>(
        &self,
        men: [G::Word; 2],
        numbers: &Numbers,
        scratch: &mut Scratch<G::Word>,
        groups: &mut Groups<E>,
        tallies: &mut Tallies,
    ) {
        if self.other_to_move.shape.axis == Axis::None {
            self.solve_men(men, numbers, groups, tallies);
        } else {
            self.find_exits(men, scratch, groups);
            self.solve_kings(numbers, scratch, tallies);
        }
    }

    /// The tally of positions with the axis side (0) or the other side (1) to move: in a symmetric
    /// slice they are the same positions.
    pub(super) fn tally<'t>(&self, side: usize, tallies: &'t mut Tallies) -> &'t mut Tally {
        &mut tallies[if self.symmetric { 0 } else { side }]
    }

    /// A sub-slice without kings: one position with either side to move, and all moves are exits.
    fn solve_men<E: Gather<G>>(
        &self,
        [own_men, other_men]: [G::Word; 2],
        numbers: &Numbers,
        groups: &mut Groups<E>,
        tallies: &mut Tallies,
    ) {
        let board = G::board();
        let sides = [
            (own_men, other_men, self.axis_to_move, numbers.other, numbers.axis_side),
            (
                board.turn(other_men),
                board.turn(own_men),
                self.other_to_move,
                numbers.axis_side,
                numbers.other,
            ),
        ];
        for (side, (own, other, plane, in_plane, in_codes)) in sides.into_iter().enumerate() {
            if side == 1 && numbers.own_mirror {
                break;
            }
            let men = |men| Pieces { men, kings: G::Word::ZERO };
            let free = G::squares() & !(own | other);
            let row = Row { mover: men(own), waiter: men(other), free };
            let (captures, found) = exits(self.store, &row, Axis::None, groups);
            let Exits { any, won, held } = found.exits();
            let (capture, won, lost) = (captures.any(), won.any(), held.none());
            let plies_to_end = found.levels().map_or(0, |levels| levels.digits().get(board.bits()));
            let tally = self.tally(side, tallies);
            tally.counts.positions += 1;
            tally.counts.wins += u64::from(won);
            tally.counts.draws += u64::from(!won && !lost);
            tally.counts.losses += u64::from(lost);
            tally.captures += u64::from(capture);
            // SAFETY: the chunks belong to this sub-slice, which only this thread works on.
            unsafe { plane.fill_men(in_plane, won, lost, plies_to_end) };
            for (&metric, tables) in self.metrics.iter().zip(self.codes) {
                let extremes = &mut tally.extremes[metric as usize];
                let table = &tables[side.min(tables.len() - 1)];
                let code = match metric {
                    Metric::Wld => 1 + u16::from(won) - u16::from(lost),
                    Metric::Dtw | Metric::Budget => distance_code(won, lost, plies_to_end),
                    _ => distance_code(won, lost, u16::from(any.any())),
                };
                match metric {
                    Metric::Wld if capture => {}
                    Metric::Wld => extremes.stored = extremes.stored.max(code),
                    _ => extremes.see(code, capture),
                }
                let stored = if capture { DONT_CARE } else { code };
                // SAFETY: as above.
                unsafe { table.write_single(in_codes, stored) };
            }
        }
    }

    /// Fills the planes of a sub-slice with what its exits give either side.
    fn find_exits<E: Gather<G>>(
        &self,
        men: [G::Word; 2],
        scratch: &mut Scratch<G::Word>,
        groups: &mut Groups<E>,
    ) {
        self.axis_exits(men, scratch, groups);
        self.other_exits(men, scratch, groups);
        self.exchange_exits(scratch);
    }

    /// The exits with the axis side to move, and where the axis king can stand.
    pub(super) fn axis_exits<E: Gather<G>>(
        &self,
        men: [G::Word; 2],
        scratch: &mut Scratch<G::Word>,
        groups: &mut Groups<E>,
    ) {
        let SubSlice { free, axis_side, parallel, .. } = &mut scratch.sub_slice;
        *parallel = self.parallel_rows;
        let rows = self.companions.len() * self.others.len();
        free.resize(rows, G::Word::ZERO);
        axis_side.resize(rows);
        self.exits(men, Axis::Own, [self.companions, self.others], axis_side, Some(free), groups);
    }

    /// The exits with the other side to move, in its own layout.
    pub(super) fn other_exits<E: Gather<G>>(
        &self,
        men: [G::Word; 2],
        scratch: &mut Scratch<G::Word>,
        groups: &mut Groups<E>,
    ) {
        let board = G::board();
        let turned_men = [board.turn(men[1]), board.turn(men[0])];
        let sets = self.other_layout();
        let turned = &mut scratch.turned;
        turned.resize(sets[0].len() * sets[1].len());
        let axis = if self.other.kings > 0 { Axis::Own } else { Axis::Opponent };
        self.exits(turned_men, axis, sets, turned, None, groups);
    }

    /// The exits with the other side to move, from its layout to the axis side's.
    pub(super) fn exchange_exits(&self, scratch: &mut Scratch<G::Word>) {
        let (turned, other) = (&scratch.turned, &mut scratch.sub_slice.other);
        let rows = self.companions.len() * self.others.len();
        other.resize(rows);
        for (from, to) in [
            (&turned.captures, &mut other.captures),
            (&turned.exits, &mut other.exits),
            (&turned.exit_won, &mut other.exit_won),
            (&turned.exit_held, &mut other.exit_held),
        ] {
            self.to_axis_side(from, to);
        }
        for digit in turned.exit_levels.digits() {
            self.to_axis_side(digit, other.exit_levels.add_digit(rows));
        }
    }

    /// Works out the exits of all rows for the side that goes up, whose men come first.
    fn exits<E: Gather<G>>(
        &self,
        men: [G::Word; 2],
        axis: Axis,
        sets: [&Sets<G>; 2],
        planes: &mut Planes<G::Word>,
        mut free: Option<&mut Vec<G::Word>>,
        groups: &mut Groups<E>,
    ) {
        let rows = sets[0].len() * sets[1].len();
        let mut put = |row: usize, [at, captures]: [G::Word; 2], found: &E| {
            planes.set_exits(row, captures, found.exits());
            if let Some(levels) = found.levels() {
                planes.exit_levels.set_row(row, rows, levels.digits());
            }
            if let Some(free) = &mut free {
                free[row] = at;
            }
        };
        if !self.parallel_rows {
            for row in 0..rows {
                let (masks, found) = self.row_exits(men, axis, sets, row, groups);
                put(row, masks, found);
            }
            return;
        }
        for first in (0..rows).step_by(ROWS_AT_ONCE) {
            let found: Vec<_> = (first..rows.min(first + ROWS_AT_ONCE))
                .into_par_iter()
                .with_min_len(64)
                .map_init(Groups::default, |groups: &mut Groups<E>, row| {
                    let (masks, found) = self.row_exits(men, axis, sets, row, groups);
                    (masks, found.clone())
                })
                .collect();
            for (row, (masks, found)) in (first..).zip(&found) {
                put(row, *masks, found);
            }
        }
    }

    /// The exits of one row, and before them where the axis king can stand and from where there
    /// are captures.
    fn row_exits<'g, E: Gather<G>>(
        &self,
        [own_men, other_men]: [G::Word; 2],
        axis: Axis,
        [companions, others]: [&Sets<G>; 2],
        row: usize,
        groups: &'g mut Groups<E>,
    ) -> ([G::Word; 2], &'g E) {
        let (companions, others) =
            (companions.sets[row / others.len()], others.sets[row % others.len()]);
        let (own, other) = match axis {
            Axis::Own => (companions, others),
            _ => (others, companions),
        };
        let row = Row {
            mover: Pieces { men: own_men, kings: own },
            waiter: Pieces { men: other_men, kings: other },
            free: G::squares() & !(own_men | other_men | own | other),
        };
        if (own & other).any() || ((own | other) & (own_men | other_men)).any() {
            groups.clear();
            return ([G::Word::ZERO; 2], groups.best::<G>());
        }
        let (captures, found) = exits(self.store, &row, axis, groups);
        ([row.free, captures], found)
    }

    /// What the levels count for which exits need more than win, draw and loss.
    fn distance(&self) -> Option<Distance> {
        if keeps_plies(self.metrics) {
            Some(Distance::ToEnd)
        } else if self.metrics.contains(&Metric::Dtc) {
            Some(Distance::ToExit)
        } else {
            None
        }
    }

    /// Solves a sub-slice whose exits are known, and passes its values on.
    fn solve_kings(
        &self,
        numbers: &Numbers,
        scratch: &mut Scratch<G::Word>,
        tallies: &mut Tallies,
    ) {
        if self.distance().is_none() {
            self.sweep(scratch);
        }
        // Distances to the end last: later slices need them, with the values they belong to.
        for metric in [Metric::Dtc, Metric::Dtw, Metric::Budget] {
            if self.metrics.contains(&metric) {
                let distance =
                    if metric == Metric::Dtc { Distance::ToExit } else { Distance::ToEnd };
                let top = self.store.steps.as_ref().map_or(u16::MAX, |steps| steps.top);
                scratch.sub_slice.solve_levels::<G>(self.companions, self.others, distance, top);
                self.write_codes(metric, numbers, scratch, tallies);
            }
        }
        if self.metrics.contains(&Metric::Wld) {
            self.write_codes(Metric::Wld, numbers, scratch, tallies);
        }
        self.keep(numbers, scratch);
        self.count(numbers, scratch, tallies);
    }

    /// Solves a sub-slice whose exits are known for win, draw and loss.
    pub(super) fn sweep(&self, scratch: &mut Scratch<G::Word>) {
        scratch.sub_slice.solve::<G>(self.companions, self.others);
    }

    /// Sets of the axis side's other kings and of the other side's kings as the other side sees
    /// them.
    pub(super) fn other_layout(&self) -> [&Sets<G>; 2] {
        if self.other.kings > 0 {
            [self.other_companions, self.axis_sets]
        } else {
            [self.companions, self.others]
        }
    }

    fn axis_kings(&self) -> Kings<'_, G> {
        Kings { companions: self.companions, others: self.others }
    }

    fn other_kings(&self) -> Kings<'_, G> {
        Kings { companions: self.other_companions, others: self.axis_sets }
    }

    /// From the other side's layout to the axis side's.
    fn to_axis_side(&self, from: &[G::Word], to: &mut [G::Word]) {
        if self.other.kings > 0 {
            turn::exchange(self.axis_kings(), self.other_kings(), from, to, self.parallel_rows);
        } else {
            turn::turn(self.companions, from, to);
        }
    }

    /// From the axis side's layout to the other side's.
    pub(super) fn to_other_side(&self, from: &[G::Word], to: &mut [G::Word]) {
        if self.other.kings > 0 {
            turn::exchange(self.other_kings(), self.axis_kings(), from, to, self.parallel_rows);
        } else {
            turn::turn(self.companions, from, to);
        }
    }
}

/// Rows whose exits are worked out in parallel before they are written down.
const ROWS_AT_ONCE: usize = 1 << 14;

/// The numbers under which a sub-slice is known.
pub(super) struct Numbers {
    /// With the axis side going up.
    pub axis_side: usize,
    /// With the other side going up.
    pub other: usize,
    /// Whether the slice is symmetric and these are the same sub-slice.
    pub own_mirror: bool,
}

fn add(tallies: &mut Tallies, others: &Tallies) {
    for (tally, other) in tallies.iter_mut().zip(others) {
        tally.add(other);
    }
}
