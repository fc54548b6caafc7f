//! The order of work: slices, waves of sub-slices, and what happens to each.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use damabase_formats::table::{Counts, DONT_CARE, Metric, TableFile};
use damabase_formats::{Material, Slice};
use damabase_rules::{Pieces, Rules, Word};
use rayon::prelude::*;

use super::captures::Row;
use super::dense::{Codes, Dense, Extremes, Tally};
use super::exits::exits;
use super::gather::{Exits, Gather, Groups, PlyExits};
use super::sets::{Sets, number};
use super::store::{Axis, Plane, Shape, Store, Values, men_number};
use super::sub_slice::{Distance, Planes, SubSlice};
use super::turn::{self, Kings};
use super::{memory, working};
use crate::solver::{self, Memory, SolveError, Solved, Solver};

/// Greatest number of like kings.
const MOST_KINGS: usize = 7;

/// Solves slices in dependency order and keeps their values for those that follow.
pub struct PlaneSolver<G: Rules> {
    store: Store<G>,
    sets: Vec<OnceLock<Sets<G>>>,
    /// The slice solved last, metric by metric.
    last: Vec<Dense>,
    /// Where planes lie that have left the memory.
    folder: Option<PathBuf>,
}

impl<G: Rules> PlaneSolver<G> {
    /// A solver that can move what it knows to working files in a folder. It takes over those
    /// that an earlier run left there, and removes them when they are forgotten.
    pub fn with_working_folder(folder: PathBuf) -> Self {
        PlaneSolver { folder: Some(folder), ..Default::default() }
    }
}

impl<G: Rules> Default for PlaneSolver<G> {
    fn default() -> Self {
        PlaneSolver {
            store: Store::new(),
            sets: (0..=MOST_KINGS).map(|_| OnceLock::new()).collect(),
            last: Vec::new(),
            folder: None,
        }
    }
}

/// All placements of one side's men, in groups of equal advancement.
struct Men<G: Rules> {
    /// For each total of rows still to go, the placements, for the side that goes up.
    by_rows: Vec<Vec<G::Word>>,
}

impl<G: Rules> Men<G> {
    fn new(men: u8) -> Self {
        let board = G::board();
        let sets = all_men_sets::<G>(men);
        let mut by_rows = Vec::new();
        for set in sets {
            let rows: u32 = set.indices().map(|bit| board.row(board.square_of(bit))).sum();
            if by_rows.len() <= rows as usize {
                by_rows.resize(rows as usize + 1, Vec::new());
            }
            by_rows[rows as usize].push(set);
        }
        Men { by_rows }
    }
}

/// All placements of one side's men, for the side that goes up.
pub(super) fn all_men_sets<G: Rules>(men: u8) -> Vec<G::Word> {
    let squares = G::squares() & !G::promotion_row();
    let mut sets = vec![G::Word::ZERO];
    for _ in 0..men {
        let mut larger = Vec::new();
        for &set in &sets {
            let above = if set.none() { 0 } else { set.highest() + 1 };
            for bit in (squares & !G::Word::below(above)).indices() {
                larger.push(set | G::Word::bit(bit));
            }
        }
        sets = larger;
    }
    sets
}

/// What one thread needs to work on a sub-slice.
#[derive(Default)]
pub(super) struct Scratch<W> {
    sub_slice: SubSlice<W>,
    /// Planes of the other side in its own layout.
    turned: Planes<W>,
    plane: [Vec<W>; 2],
    codes: [Vec<u16>; 2],
    exits: Groups<Exits<W>>,
    ply_exits: Groups<PlyExits<W>>,
}

/// A slice in work: which side gives the axis, and where values go.
pub(super) struct Job<'a, G: Rules> {
    store: &'a Store<G>,
    /// Material of the axis side and of the other side.
    axis: Material,
    other: Material,
    symmetric: bool,
    metrics: &'a [Metric],
    /// Work on the rows of a sub-slice in parallel, rather than on several sub-slices.
    parallel_rows: bool,
    companions: &'a Sets<G>,
    others: &'a Sets<G>,
    /// Sets of all kings of the axis side.
    axis_sets: &'a Sets<G>,
    /// Sets of the other side's kings without one; where it has none, the empty set.
    other_companions: &'a Sets<G>,
    /// Number in the position index of each set seen from the other side.
    turned_axis_index: Vec<u32>,
    turned_other_index: Vec<u32>,
    /// Values with the other side, respectively the axis side, to move.
    other_to_move: &'a Plane<G>,
    axis_to_move: &'a Plane<G>,
    /// For each metric the codes with the axis side and with the other side to move; the other's
    /// are missing where they are the same.
    codes: &'a [Vec<Codes>],
    /// One for each thread.
    scratch: Vec<Mutex<Scratch<G::Word>>>,
}

impl<G: Rules> PlaneSolver<G> {
    fn sets(&self, len: u8) -> &Sets<G> {
        self.sets[usize::from(len)].get_or_init(|| Sets::new(len.into()))
    }

    /// Solves a slice and gives its values in each of `metrics` (all but budget). All that it
    /// leads to must have been solved before and not forgotten, with plies to the end where
    /// `metrics` names them. Runs on the current rayon pool. `done` is called with numbers of
    /// positions as they are finished; the solution ends early, with a meaningless result, once it
    /// gives false.
    pub fn solve(
        &mut self,
        slice: Slice,
        metrics: &[Metric],
        done: &(dyn Fn(u64) -> bool + Sync),
    ) -> Vec<Dense> {
        // Sub-slices look up further advanced ones of the same slice, in the planes being filled.
        let plies = metrics.contains(&Metric::Dtw);
        for (own, opponent) in orientations(slice) {
            self.store.insert(Plane::new(own, opponent, plies));
        }
        let mut codes = self.codes(slice, metrics);
        let job = self.job(slice, metrics, &codes);
        let kings = job.index_values();
        let mut tallies = job.run(done).to_vec();
        tallies.truncate(slice.sides().len());
        if !axis_is_first(slice) {
            tallies.reverse();
            codes.iter_mut().for_each(|codes| codes.reverse());
        }
        let dense = |(&metric, codes): (&Metric, Vec<Codes>)| Dense {
            slice,
            metric,
            kings,
            sections: codes.into_iter().zip(tallies.iter().copied()).collect(),
        };
        metrics.iter().zip(codes).map(dense).collect()
    }

    /// Room for the values of a slice in each metric.
    pub(super) fn codes(&self, slice: Slice, metrics: &[Metric]) -> Vec<Vec<Codes>> {
        let (axis, other) = axis_and_other(slice);
        let sub_slices = Shape::new::<G>(axis, other).sub_slices();
        let kings = self.sets(axis.kings).len() * self.sets(other.kings).len();
        let codes = |&metric: &Metric| {
            let codes = |_: &_| Codes::new(metric, sub_slices, kings);
            slice.sides().iter().map(codes).collect()
        };
        metrics.iter().map(codes).collect()
    }

    /// The work on a slice whose planes are in the store. `codes` are as [`Self::codes`] makes
    /// them.
    pub(super) fn job<'a>(
        &'a self,
        slice: Slice,
        metrics: &'a [Metric],
        codes: &'a [Vec<Codes>],
    ) -> Job<'a, G> {
        let (axis, other) = axis_and_other(slice);
        let turned = |sets: &Sets<G>| -> Vec<u32> {
            let index = |&set: &G::Word| sets.index_of[number::<G>(G::board().turn(set))];
            sets.sets.iter().map(index).collect()
        };
        let plane = |own, opponent| self.store.get(own, opponent).expect("inserted before");
        Job {
            store: &self.store,
            axis,
            other,
            symmetric: slice.is_symmetric(),
            metrics,
            parallel_rows: axis.men + other.men == 0,
            companions: self.sets(axis.kings.saturating_sub(1)),
            others: self.sets(other.kings),
            axis_sets: self.sets(axis.kings),
            other_companions: self.sets(other.kings.saturating_sub(1)),
            turned_axis_index: turned(self.sets(axis.kings)),
            turned_other_index: turned(self.sets(other.kings)),
            other_to_move: plane(axis, other),
            axis_to_move: plane(other, axis),
            codes,
            scratch: (0..rayon::current_num_threads()).map(|_| Mutex::default()).collect(),
        }
    }
}

/// Whether the side named first gives the axis: the one with fewer kings, but with one, so that
/// there are fewer copies of each position.
fn axis_is_first(slice: Slice) -> bool {
    let (first, second) = (slice.first(), slice.second());
    second.kings == 0 || first.kings > 0 && first.kings <= second.kings
}

/// The material of the side that gives the axis and of the other.
fn axis_and_other(slice: Slice) -> (Material, Material) {
    if axis_is_first(slice) {
        (slice.first(), slice.second())
    } else {
        (slice.second(), slice.first())
    }
}

impl<G: Rules> Solver<G> for PlaneSolver<G> {
    fn solve(
        &mut self,
        slice: Slice,
        metrics: &[Metric],
        job: &solver::Job,
    ) -> Result<(), SolveError> {
        self.last.clear();
        for needed in slice.successors() {
            for &metric in metrics {
                if !self.knows(needed, metric) {
                    return Err(SolveError::Missing { slice, needed });
                }
            }
        }
        let done = |positions| {
            job.progress.advanced(positions);
            job.check().is_ok()
        };
        let solved = job.pool.install(|| self.solve(slice, metrics, &done));
        if let Err(error) = job.check() {
            self.forget(slice);
            return Err(error);
        }
        self.last = solved;
        Ok(())
    }

    /// Takes the slice from working files if there are any. Else it solves it again: that is faster
    /// than reading the table, since most of the work is in the captures, which no table stores.
    fn load(
        &mut self,
        slice: Slice,
        metric: Metric,
        _stored: &TableFile,
        job: &solver::Job,
    ) -> Result<(), SolveError> {
        if self.take_over(slice, metric == Metric::Dtw) {
            return Ok(());
        }
        let quiet = solver::Job { progress: &solver::Silent, ..*job };
        Solver::solve(self, slice, &[metric], &quiet)?;
        self.last.clear();
        Ok(())
    }

    fn knows(&self, slice: Slice, metric: Metric) -> bool {
        let plane = self.store.get(slice.first(), slice.second());
        plane.is_some_and(|plane| metric != Metric::Dtw || plane.has_plies())
    }

    fn solved(
        &self,
        slice: Slice,
        metric: Metric,
        _job: &solver::Job,
    ) -> Result<Option<Solved<'_>>, SolveError> {
        let found = self.last.iter().find(|d| d.slice() == slice && d.metric() == metric);
        Ok(found.map(|dense| Solved {
            counts: dense.counts(),
            statistics: dense.statistics(),
            max_code: dense.max_code(),
            values: Box::new(dense),
        }))
    }

    fn forget(&mut self, slice: Slice) {
        for (own, opponent) in orientations(slice) {
            self.store.remove(own, opponent);
            if let Some(folder) = &self.folder {
                working::remove(folder, own, opponent);
            }
        }
        self.last.retain(|dense| dense.slice() != slice);
    }

    fn memory(&self, slice: Slice, metrics: &[Metric], threads: usize) -> Memory {
        memory::of::<G>(slice, metrics, threads)
    }

    fn kept_bytes(&self, slice: Slice) -> u64 {
        let bytes = |(own, opponent)| self.store.get(own, opponent).map(Plane::memory_bytes);
        orientations(slice).filter_map(bytes).sum()
    }

    fn spill(&mut self, slice: Slice) -> Result<bool, SolveError> {
        let Some(folder) = &self.folder else { return Ok(false) };
        for (own, opponent) in orientations(slice) {
            if let Some(plane) = self.store.get(own, opponent) {
                let error = |source| SolveError::Working {
                    path: working::path(folder, own, opponent),
                    source,
                };
                let plane = working::write(folder, plane).map_err(error)?;
                self.store.insert(plane);
            }
        }
        Ok(true)
    }
}

impl<G: Rules> PlaneSolver<G> {
    /// Takes over a slice's working files; false where they are not all there and whole.
    fn take_over(&mut self, slice: Slice, plies: bool) -> bool {
        let Some(folder) = &self.folder else { return false };
        let open = |(own, opponent)| working::open(folder, own, opponent, plies).ok();
        let planes: Option<Vec<_>> = orientations(slice).map(open).collect();
        let found = planes.is_some();
        planes.into_iter().flatten().for_each(|plane| self.store.insert(plane));
        found
    }
}

/// The planes of a slice, by the side that goes up and the other.
fn orientations(slice: Slice) -> impl Iterator<Item = (Material, Material)> {
    slice.sides().iter().map(move |&to_move| slice.mover_waiter(to_move))
}

/// Sub-slices that one thread takes at a time.
const GROUP: usize = 8;

/// With the axis side and with the other side to move.
pub(super) type Tallies = [Tally; 2];

impl<G: Rules> Job<'_, G> {
    /// Solves all sub-slices, those with the fewest rows to go for their men first.
    fn run(&self, done: &(dyn Fn(u64) -> bool + Sync)) -> Tallies {
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
                let mut tallies = Tallies::default();
                for &other_men in others {
                    if go_on.load(Ordering::Relaxed) {
                        add(&mut tallies, &self.sub_slice([own_men, G::board().turn(other_men)]));
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
        let turned = [board.turn(other_men), board.turn(own_men)];
        Some(Numbers {
            axis_side: self.other_to_move.shape.sub_slice::<G>(own_men, other_men),
            other: self.axis_to_move.shape.sub_slice::<G>(turned[0], turned[1]),
            own_mirror: self.symmetric && own_number == other_number,
        })
    }

    /// Numbers of men of the axis side and of the other side.
    pub(super) fn men(&self) -> [u8; 2] {
        [self.axis.men, self.other.men]
    }

    /// Index values of a sub-slice.
    fn index_values(&self) -> usize {
        self.axis_sets.len() * self.others.len()
    }

    fn sub_slice(&self, men: [G::Word; 2]) -> Tallies {
        let Some(numbers) = self.numbers(men) else { return Tallies::default() };
        let thread = rayon::current_thread_index().unwrap_or(0);
        let mut scratch = self.scratch[thread].lock().unwrap_or_else(PoisonError::into_inner);
        let mut tallies = if self.metrics.contains(&Metric::Dtw) {
            let mut groups = std::mem::take(&mut scratch.ply_exits);
            let tallies = self.solve_with(men, &numbers, &mut scratch, &mut groups);
            scratch.ply_exits = groups;
            tallies
        } else {
            let mut groups = std::mem::take(&mut scratch.exits);
            let tallies = self.solve_with(men, &numbers, &mut scratch, &mut groups);
            scratch.exits = groups;
            tallies
        };
        if self.symmetric {
            let second = std::mem::take(&mut tallies[1]);
            if !numbers.own_mirror {
                tallies[0].add(&second);
            }
        }
        tallies
    }

    fn solve_with<E: Gather<G>>(
        &self,
        men: [G::Word; 2],
        numbers: &Numbers,
        scratch: &mut Scratch<G::Word>,
        groups: &mut Groups<E>,
    ) -> Tallies {
        if self.other_to_move.shape.axis == Axis::None {
            return self.solve_men(men, numbers, groups);
        }
        self.find_exits(men, scratch, groups);
        self.solve_kings(numbers, scratch)
    }

    /// A sub-slice without kings: one position with either side to move, and all moves are exits.
    fn solve_men<E: Gather<G>>(
        &self,
        [own_men, other_men]: [G::Word; 2],
        numbers: &Numbers,
        groups: &mut Groups<E>,
    ) -> Tallies {
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
        let mut tallies = Tallies::default();
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
            let plies_to_end = found.levels().map_or(0, |[win, loss]| {
                let square = board.bits() as usize;
                if won { win[square] } else { loss[square] }
            });
            let tally = &mut tallies[side];
            tally.counts = Counts {
                positions: 1,
                wins: won.into(),
                draws: (!won && !lost).into(),
                losses: lost.into(),
            };
            tally.captures = capture.into();
            // SAFETY: the chunks belong to this sub-slice, which only this thread works on.
            unsafe {
                plane.fill_men(in_plane, won, lost);
                if let Some(plies) = plane.fill_plies(in_plane) {
                    plies[0] = plies_to_end;
                }
            }
            for (&metric, codes) in self.metrics.iter().zip(self.codes) {
                let plies = if metric == Metric::Dtw { plies_to_end } else { u16::from(any.any()) };
                let code = code(metric, won, lost, plies);
                tally.extremes[metric as usize].see(metric, code, capture);
                let stored = if capture { DONT_CARE } else { code };
                // SAFETY: as above.
                unsafe { codes[side.min(codes.len() - 1)].write(in_codes, &[stored]) };
            }
        }
        tallies
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
        axis_side.resize(rows, self.distance());
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
        turned.resize(sets[0].len() * sets[1].len(), self.distance());
        let axis = if self.other.kings > 0 { Axis::Own } else { Axis::Opponent };
        self.exits(turned_men, axis, sets, turned, None, groups);
    }

    /// The exits with the other side to move, from its layout to the axis side's.
    pub(super) fn exchange_exits(&self, scratch: &mut Scratch<G::Word>) {
        let distance = self.distance();
        let (turned, other) = (&scratch.turned, &mut scratch.sub_slice.other);
        other.resize(self.companions.len() * self.others.len(), distance);
        for (from, to) in [
            (&turned.captures, &mut other.captures),
            (&turned.exits, &mut other.exits),
            (&turned.exit_won, &mut other.exit_won),
            (&turned.exit_held, &mut other.exit_held),
        ] {
            self.to_axis_side(from, to);
        }
        if distance == Some(Distance::ToEnd) {
            self.lanes_to_axis_side(&turned.win_level, &mut other.win_level);
            self.lanes_to_axis_side(&turned.loss_level, &mut other.loss_level);
        }
    }

    /// Works out the exits of all rows for the side that goes up, whose men come first.
    fn exits<E: Gather<G>>(
        &self,
        [own_men, other_men]: [G::Word; 2],
        axis: Axis,
        [companions, others]: [&Sets<G>; 2],
        planes: &mut Planes<G::Word>,
        mut free: Option<&mut Vec<G::Word>>,
        groups: &mut Groups<E>,
    ) {
        let work = |groups: &mut Groups<E>, row: usize| {
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
            let overlap = (own & other).any() || ((own | other) & (own_men | other_men)).any();
            if overlap {
                return (G::Word::ZERO, G::Word::ZERO, E::default());
            }
            let (captures, found) = exits(self.store, &row, axis, groups);
            (row.free, captures, found)
        };
        let mut put = |row: usize, (at, captures, found): (G::Word, G::Word, E)| {
            planes.set_exits(row, captures, found.exits());
            if let Some([win, loss]) = found.levels() {
                let lanes = row * G::Word::BITS as usize..(row + 1) * G::Word::BITS as usize;
                planes.win_level[lanes.clone()].copy_from_slice(&win[..G::Word::BITS as usize]);
                planes.loss_level[lanes].copy_from_slice(&loss[..G::Word::BITS as usize]);
            }
            if let Some(free) = &mut free {
                free[row] = at;
            }
        };
        let rows = companions.len() * others.len();
        if !self.parallel_rows {
            for row in 0..rows {
                put(row, work(groups, row));
            }
            return;
        }
        for first in (0..rows).step_by(ROWS_AT_ONCE) {
            let found: Vec<_> = (first..rows.min(first + ROWS_AT_ONCE))
                .into_par_iter()
                .with_min_len(64)
                .map_init(Groups::default, work)
                .collect();
            for (row, found) in (first..).zip(found) {
                put(row, found);
            }
        }
    }

    /// What the levels count for which exits need more than win, draw and loss.
    fn distance(&self) -> Option<Distance> {
        if self.metrics.contains(&Metric::Dtw) {
            Some(Distance::ToEnd)
        } else if self.metrics.contains(&Metric::Dtc) {
            Some(Distance::ToExit)
        } else {
            None
        }
    }

    /// Solves a sub-slice whose exits are known, and passes its values on.
    fn solve_kings(&self, numbers: &Numbers, scratch: &mut Scratch<G::Word>) -> Tallies {
        let mut tallies = Tallies::default();
        if self.distance().is_none() {
            self.sweep(scratch);
        }
        // Distances to the end last: later slices need them, with the values they belong to.
        for metric in [Metric::Dtc, Metric::Dtw] {
            if self.metrics.contains(&metric) {
                let distance =
                    if metric == Metric::Dtw { Distance::ToEnd } else { Distance::ToExit };
                scratch.sub_slice.solve_levels::<G>(self.companions, self.others, distance);
                self.write_codes(metric, numbers, scratch, &mut tallies);
            }
        }
        if self.metrics.contains(&Metric::Wld) {
            self.write_codes(Metric::Wld, numbers, scratch, &mut tallies);
        }
        self.keep(numbers, scratch);
        self.count(scratch, &mut tallies);
        tallies
    }

    /// Solves a sub-slice whose exits are known for win, draw and loss.
    pub(super) fn sweep(&self, scratch: &mut Scratch<G::Word>) {
        scratch.sub_slice.solve::<G>(self.companions, self.others);
    }

    /// Writes the values of a sub-slice to the planes where later slices look them up.
    fn keep(&self, numbers: &Numbers, scratch: &mut Scratch<G::Word>) {
        let SubSlice { axis_side, other, .. } = &scratch.sub_slice;
        let put = |words: &mut [Values<G::Word>], won: &[G::Word], lost: &[G::Word]| {
            for (values, (&won, &lost)) in words.iter_mut().zip(won.iter().zip(lost)) {
                *values = Values { won, lost };
            }
        };
        // SAFETY: the chunks belong to this sub-slice, which only this thread works on.
        unsafe {
            put(self.other_to_move.fill(numbers.axis_side), &other.won, &other.lost);
            if let Some(plies) = self.other_to_move.fill_plies(numbers.axis_side) {
                plies.copy_from_slice(&other.plies[..plies.len()]);
            }
        }
        if numbers.own_mirror {
            return;
        }
        let sets = self.other_layout();
        let [won, lost] = &mut scratch.plane;
        for (from, to) in [(&axis_side.won, &mut *won), (&axis_side.lost, &mut *lost)] {
            to.resize(sets[0].len() * sets[1].len(), G::Word::ZERO);
            self.to_other_side(from, to);
        }
        // SAFETY: as above, and another chunk, since the sub-slice is not its own mirror.
        unsafe {
            put(self.axis_to_move.fill(numbers.other), won, lost);
            if let Some(plies) = self.axis_to_move.fill_plies(numbers.other) {
                self.lanes_to_other_side(&axis_side.plies, plies);
            }
        }
    }

    /// Sets of the axis side's other kings and of the other side's kings as the other side sees
    /// them.
    fn other_layout(&self) -> [&Sets<G>; 2] {
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
    fn to_other_side(&self, from: &[G::Word], to: &mut [G::Word]) {
        if self.other.kings > 0 {
            turn::exchange(self.other_kings(), self.axis_kings(), from, to, self.parallel_rows);
        } else {
            turn::turn(self.companions, from, to);
        }
    }

    fn lanes_to_axis_side(&self, from: &[u16], to: &mut [u16]) {
        if self.other.kings > 0 {
            turn::exchange_lanes(self.axis_kings(), self.other_kings(), from, to);
        } else {
            turn::turn_lanes(self.companions, from, to);
        }
    }

    fn lanes_to_other_side(&self, from: &[u16], to: &mut [u16]) {
        if self.other.kings > 0 {
            turn::exchange_lanes(self.other_kings(), self.axis_kings(), from, to);
        } else {
            turn::turn_lanes(self.companions, from, to);
        }
    }

    /// Of the copies of a position the one stands for all in which the axis is the lowest king:
    /// the axis squares of these.
    fn first_copies(&self, companions: G::Word) -> G::Word {
        if companions.none() { G::squares() } else { G::Word::below(companions.lowest()) }
    }

    /// Writes one metric of both sides to move in index order.
    pub(super) fn write_codes(
        &self,
        metric: Metric,
        numbers: &Numbers,
        scratch: &mut Scratch<G::Word>,
        tallies: &mut Tallies,
    ) {
        let Scratch { sub_slice, codes: [axis_codes, other_codes], .. } = scratch;
        let SubSlice { free, axis_side, other, .. } = &*sub_slice;
        for codes in [&mut *axis_codes, &mut *other_codes] {
            codes.clear();
            codes.resize(self.index_values(), DONT_CARE);
        }
        let mut extremes = [Extremes::default(); 2];
        let mut put = |side: usize, planes: &Planes<G::Word>, row: usize, square: u32| {
            let bit = G::Word::bit(square);
            let is = |plane: &[G::Word]| (plane[row] & bit).any();
            let plies = match metric {
                Metric::Wld => 0,
                _ => planes.plies[row * G::Word::BITS as usize + square as usize],
            };
            let code = code(metric, is(&planes.won), is(&planes.lost), plies);
            let capture = is(&planes.captures);
            extremes[side].see(metric, code, capture);
            if capture { DONT_CARE } else { code }
        };
        for (companions_number, &companions) in self.companions.sets.iter().enumerate() {
            let squares = self.first_copies(companions);
            for others_number in 0..self.others.len() {
                let row = companions_number * self.others.len() + others_number;
                let axis_base = self.others.index_of[others_number] as usize * self.axis_sets.len();
                let other_place = self.turned_other_index[others_number] as usize;
                for square in (free[row] & squares).indices() {
                    let set = number::<G>(companions | G::Word::bit(square));
                    axis_codes[axis_base + self.axis_sets.index_of[set] as usize] =
                        put(0, axis_side, row, square);
                    let other_base = self.turned_axis_index[set] as usize * self.others.len();
                    other_codes[other_base + other_place] = put(1, other, row, square);
                }
            }
        }
        let place = self.metrics.iter().position(|&other| other == metric).expect("asked for");
        let codes = &self.codes[place];
        // SAFETY: the chunks belong to this sub-slice, which only this thread works on.
        unsafe {
            codes[0].write(numbers.axis_side, axis_codes);
            if !numbers.own_mirror {
                codes[codes.len() - 1].write(numbers.other, other_codes);
            }
        }
        for (tally, extremes) in tallies.iter_mut().zip(extremes) {
            tally.extremes[metric as usize] = extremes;
        }
    }

    /// Counts the values of a sub-slice.
    pub(super) fn count(&self, scratch: &Scratch<G::Word>, tallies: &mut Tallies) {
        let SubSlice { free, axis_side, other, .. } = &scratch.sub_slice;
        for (companions, rows) in self.companions.sets.iter().zip((0..).step_by(self.others.len()))
        {
            let squares = self.first_copies(*companions);
            for row in rows..rows + self.others.len() {
                let copies = free[row] & squares;
                for (tally, planes) in tallies.iter_mut().zip([axis_side, other]) {
                    let count = |plane: &[G::Word]| u64::from((plane[row] & copies).count());
                    let (wins, losses) = (count(&planes.won), count(&planes.lost));
                    let positions = u64::from(copies.count());
                    tally.counts.positions += positions;
                    tally.counts.wins += wins;
                    tally.counts.losses += losses;
                    tally.counts.draws += positions - wins - losses;
                    tally.captures += count(&planes.captures);
                }
            }
        }
    }
}

/// Rows whose exits are worked out in parallel before they are written down.
const ROWS_AT_ONCE: usize = 1 << 14;

/// The numbers under which a sub-slice is known.
pub(super) struct Numbers {
    /// With the axis side going up.
    axis_side: usize,
    /// With the other side going up.
    other: usize,
    /// Whether the slice is symmetric and these are the same sub-slice.
    own_mirror: bool,
}

fn add(tallies: &mut Tallies, others: &Tallies) {
    for (tally, other) in tallies.iter_mut().zip(others) {
        tally.add(other);
    }
}

/// The code of a value, see the seam in `damabase_formats::table`.
fn code(metric: Metric, won: bool, lost: bool, plies: u16) -> u16 {
    match metric {
        Metric::Wld => 1 + u16::from(won) - u16::from(lost),
        _ if won => 2 * plies + 2,
        _ if lost => 2 * plies + 1,
        _ => 0,
    }
}
