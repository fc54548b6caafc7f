//! The order of work: slices, waves of sub-slices, and what happens to each.

use std::sync::{Mutex, OnceLock, PoisonError};

use damabase_formats::{Material, Slice, ToMove};
use damabase_rules::{Pieces, Position, Rules, Word, legal_moves};
use rayon::prelude::*;

use super::captures::Row;
use super::dense::{Counts, DONT_CARE, Dense, Section};
use super::exits::exits;
use super::sets::{Sets, number};
use super::store::{Asked, Axis, Plane, Shape, Store, Values, men_number};
use super::sub_slice::{Level, Mover, Planes, SubSlice};
use super::turn::{self, Kings};

/// Greatest number of like kings.
const MOST_KINGS: usize = 7;

/// Solves slices in dependency order and keeps their values for those that follow.
pub struct PlaneSolver<G: Rules> {
    store: Store<G>,
    sets: Vec<OnceLock<Sets<G>>>,
}

impl<G: Rules> Default for PlaneSolver<G> {
    fn default() -> Self {
        PlaneSolver {
            store: Store::new(),
            sets: (0..=MOST_KINGS).map(|_| OnceLock::new()).collect(),
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

fn all_men_sets<G: Rules>(men: u8) -> Vec<G::Word> {
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
struct Scratch<W> {
    sub_slice: SubSlice<W>,
    /// Planes of the other side in its own layout.
    turned: Planes<W>,
    plane: [Vec<W>; 2],
    matrix: Vec<W>,
    codes: [Vec<u8>; 2],
    distances: [Vec<u16>; 2],
}

/// A slice in work: which side gives the axis, and where values go.
struct Job<'a, G: Rules> {
    store: &'a Store<G>,
    /// Material of the axis side and of the other side.
    axis: Material,
    other: Material,
    symmetric: bool,
    dtc: bool,
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
    /// With the axis side and with the other side to move; one where they are the same.
    sections: &'a [Section],
    /// One for each thread.
    scratch: Vec<Mutex<Scratch<G::Word>>>,
}

impl<G: Rules> PlaneSolver<G> {
    fn sets(&self, len: u8) -> &Sets<G> {
        self.sets[usize::from(len)].get_or_init(|| Sets::new(len.into()))
    }

    /// Solves a slice. All that it leads to must have been solved before, and not forgotten. Runs
    /// on the current rayon pool. `dtc` asks for distances too. `done` is called with numbers of
    /// positions as they are finished.
    pub fn solve(&mut self, slice: Slice, dtc: bool, done: &(dyn Fn(u64) + Sync)) -> Dense {
        let (first, second) = (slice.first(), slice.second());
        // The side with fewer kings, but with one: fewer copies of each position.
        let axis_first = second.kings == 0 || first.kings > 0 && first.kings <= second.kings;
        let (axis, other, to_move) = if axis_first {
            (first, second, ToMove::First)
        } else {
            (second, first, ToMove::Second)
        };
        // Sub-slices look up further advanced ones of the same slice, in the planes being filled.
        self.store.insert(Plane::new(axis, other));
        if !slice.is_symmetric() {
            self.store.insert(Plane::new(other, axis));
        }
        let shape = Shape::new::<G>(axis, other);
        let kings = self.sets(axis.kings).len() * self.sets(other.kings).len();
        let section = |to_move| Section::new(to_move, shape.sub_slices(), kings, dtc);
        let mut sections = vec![section(to_move)];
        if !slice.is_symmetric() {
            sections.push(section(to_move.other()));
        }
        let turned = |sets: &Sets<G>| -> Vec<u32> {
            let index = |&set: &G::Word| sets.index_of[number::<G>(G::board().turn(set))];
            sets.sets.iter().map(index).collect()
        };
        let plane = |own, opponent| self.store.get(own, opponent).expect("inserted above");
        let job = Job {
            store: &self.store,
            axis,
            other,
            symmetric: slice.is_symmetric(),
            dtc,
            parallel_rows: axis.men + other.men == 0,
            companions: self.sets(axis.kings.saturating_sub(1)),
            others: self.sets(other.kings),
            axis_sets: self.sets(axis.kings),
            other_companions: self.sets(other.kings.saturating_sub(1)),
            turned_axis_index: turned(self.sets(axis.kings)),
            turned_other_index: turned(self.sets(other.kings)),
            other_to_move: plane(axis, other),
            axis_to_move: plane(other, axis),
            sections: &sections,
            scratch: (0..rayon::current_num_threads()).map(|_| Mutex::default()).collect(),
        };
        let counts = job.run(done);
        for (section, counts) in sections.iter_mut().zip(counts) {
            section.counts = counts;
        }
        sections.sort_by_key(|section| section.to_move);
        Dense { slice, sections }
    }

    /// Drops the values of a slice that no slice to come leads to.
    pub fn forget(&mut self, slice: Slice) {
        self.store.remove(slice.first(), slice.second());
        self.store.remove(slice.second(), slice.first());
    }
}

/// Sub-slices that one thread takes at a time.
const GROUP: usize = 8;

/// Counts of positions with the axis side and with the other side to move.
type BothCounts = [Counts; 2];

impl<G: Rules> Job<'_, G> {
    /// Solves all sub-slices, those with the fewest rows to go for their men first.
    fn run(&self, done: &(dyn Fn(u64) + Sync)) -> BothCounts {
        let (own, other) = (Men::<G>::new(self.axis.men), Men::<G>::new(self.other.men));
        let mut counts = BothCounts::default();
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
                let mut counts = BothCounts::default();
                for &other_men in others {
                    let found = self.sub_slice(own_men, G::board().turn(other_men));
                    counts[0] += found[0];
                    counts[1] += found[1];
                }
                done(counts[0].positions + counts[1].positions);
                counts
            };
            let found: Vec<BothCounts> = if self.parallel_rows {
                groups.iter().map(work).collect()
            } else {
                groups.par_iter().map(work).collect()
            };
            for found in found {
                counts[0] += found[0];
                counts[1] += found[1];
            }
        }
        counts
    }

    fn sub_slice(&self, own_men: G::Word, other_men: G::Word) -> BothCounts {
        if (own_men & other_men).any() {
            return BothCounts::default();
        }
        let board = G::board();
        let (own_number, other_number) =
            (men_number::<G>(own_men), men_number::<G>(board.turn(other_men)));
        // Of two sub-slices of a symmetric slice that are each other's mirror, one is solved.
        if self.symmetric && own_number > other_number {
            return BothCounts::default();
        }
        let numbers = SubSliceNumbers {
            axis_side: self.other_to_move.shape.sub_slice::<G>(own_men, other_men),
            other: self
                .axis_to_move
                .shape
                .sub_slice::<G>(board.turn(other_men), board.turn(own_men)),
            own_mirror: self.symmetric && own_number == other_number,
        };
        let thread = rayon::current_thread_index().unwrap_or(0);
        let mut scratch = self.scratch[thread].lock().unwrap_or_else(PoisonError::into_inner);
        let mut counts = if self.other_to_move.shape.axis == Axis::None {
            self.solve_men(own_men, other_men, &numbers)
        } else {
            self.solve_kings(own_men, other_men, &numbers, &mut scratch)
        };
        if self.symmetric {
            let second = std::mem::take(&mut counts[1]);
            if !numbers.own_mirror {
                counts[0] += second;
            }
        }
        counts
    }

    /// A sub-slice without kings: one position with either side to move, and all moves are exits.
    fn solve_men(
        &self,
        own_men: G::Word,
        other_men: G::Word,
        numbers: &SubSliceNumbers,
    ) -> BothCounts {
        let men = |men| Pieces { men, kings: G::Word::ZERO };
        let position = Position::<G> { mover: men(own_men), waiter: men(other_men) };
        [
            (position, numbers.other, self.axis_to_move, numbers.axis_side, self.axis_section()),
            (
                position.turned(),
                numbers.axis_side,
                self.other_to_move,
                numbers.other,
                self.other_section(),
            ),
        ]
        .map(|(position, in_plane, plane, in_section, section)| {
            let (mut won, mut held, mut capture, mut any) = (false, false, false, false);
            for m in legal_moves(&position) {
                let next = position.after(&m).turned();
                let values = self.store.values(next.mover, next.waiter, Asked::Gone);
                won |= values.lost.any();
                held |= values.won.none();
                capture |= !m.is_quiet();
                any = true;
            }
            // SAFETY: both belong to this sub-slice, which only this thread works on; where the
            // sub-slice is its own mirror both writes say the same.
            unsafe {
                plane.fill_men(in_plane, won, !held);
                let code = if capture { DONT_CARE } else { u8::from(held) + u8::from(won) };
                section.write_wld(in_section, &[code]);
                if let Some(dtc) = &section.dtc {
                    let plies = u16::from(any);
                    dtc.write(in_section)[0] = match (won, held) {
                        _ if capture => u16::MAX,
                        (true, _) => 2 * plies + 2,
                        (false, false) => 2 * plies + 1,
                        (false, true) => 0,
                    };
                }
            }
            Counts { positions: 1, wins: won.into(), losses: (!held).into() }
        })
    }

    fn solve_kings(
        &self,
        own_men: G::Word,
        other_men: G::Word,
        numbers: &SubSliceNumbers,
        scratch: &mut Scratch<G::Word>,
    ) -> BothCounts {
        let board = G::board();
        let rows = self.companions.len() * self.others.len();
        scratch.sub_slice.resize(rows);
        self.exits(
            [own_men, other_men],
            true,
            [self.companions, self.others],
            &mut scratch.sub_slice.axis_side,
            Some(&mut scratch.sub_slice.free),
        );
        let turned_men = [board.turn(other_men), board.turn(own_men)];
        let both = self.other.kings > 0;
        let turned_sets = if both {
            [self.other_companions, self.axis_sets]
        } else {
            [self.companions, self.others]
        };
        scratch.turned.resize(turned_sets[0].len() * turned_sets[1].len());
        self.exits(turned_men, both, turned_sets, &mut scratch.turned, None);
        let (from, to) = (&scratch.turned, &mut scratch.sub_slice.other);
        for (from, to) in [
            (&from.captures, &mut to.captures),
            (&from.exits, &mut to.exits),
            (&from.exit_won, &mut to.exit_won),
            (&from.exit_held, &mut to.exit_held),
        ] {
            self.to_axis_side(from, to, &mut scratch.matrix);
        }

        if self.dtc {
            self.solve_distances(numbers, scratch);
        } else {
            scratch.sub_slice.solve::<G>(self.companions, self.others);
        }

        // To the store.
        let SubSlice { axis_side, other, .. } = &scratch.sub_slice;
        // SAFETY: the chunks belong to this sub-slice, which only this thread works on.
        let words = unsafe { self.other_to_move.fill(numbers.axis_side) };
        for (values, (&won, &lost)) in words.iter_mut().zip(other.won.iter().zip(&other.lost)) {
            *values = Values { won, lost };
        }
        if !numbers.own_mirror {
            let [won, lost] = &mut scratch.plane;
            for (plane, from) in [(&mut *won, &axis_side.won), (&mut *lost, &axis_side.lost)] {
                plane.resize(turned_sets[0].len() * turned_sets[1].len(), G::Word::ZERO);
                self.to_other_side(from, plane, &mut scratch.matrix);
            }
            // SAFETY: as above; not the same chunk, since the sub-slice is not its own mirror.
            let words = unsafe { self.axis_to_move.fill(numbers.other) };
            for (values, (&won, &lost)) in words.iter_mut().zip(won.iter().zip(lost.iter())) {
                *values = Values { won, lost };
            }
        }
        self.write_codes(numbers, scratch)
    }

    /// Works out the exits of all rows for the side that goes up, whose men come first.
    fn exits(
        &self,
        [own_men, other_men]: [G::Word; 2],
        axis_moves: bool,
        [companions, others]: [&Sets<G>; 2],
        planes: &mut Planes<G::Word>,
        mut free: Option<&mut Vec<G::Word>>,
    ) {
        let work = |companions: G::Word, others: G::Word| {
            let (own, other) = if axis_moves { (companions, others) } else { (others, companions) };
            let row = Row {
                mover: Pieces { men: own_men, kings: own },
                waiter: Pieces { men: other_men, kings: other },
                free: G::squares() & !(own_men | other_men | own | other),
            };
            let overlap = (own & other).any() || ((own | other) & (own_men | other_men)).any();
            if overlap {
                return Default::default();
            }
            let (captures, found) = exits(self.store, &row, axis_moves);
            (row.free, captures, found)
        };
        let sets =
            |row: usize| (companions.sets[row / others.len()], others.sets[row % others.len()]);
        let mut put = |row: usize, (at, captures, found): (G::Word, _, _)| {
            planes.set_exits(row, captures, &found);
            if let Some(free) = &mut free {
                free[row] = at;
            }
        };
        let rows = companions.len() * others.len();
        if self.parallel_rows {
            const PART: usize = 1 << 16;
            for first in (0..rows).step_by(PART) {
                let part: Vec<_> = (first..rows.min(first + PART))
                    .into_par_iter()
                    .with_min_len(64)
                    .map(|row| {
                        let (companions, others) = sets(row);
                        work(companions, others)
                    })
                    .collect();
                for (row, found) in (first..).zip(part) {
                    put(row, found);
                }
            }
        } else {
            for row in 0..rows {
                let (companions, others) = sets(row);
                put(row, work(companions, others));
            }
        }
    }

    /// From the other side's layout to the axis side's.
    fn to_axis_side(&self, from: &[G::Word], to: &mut [G::Word], matrix: &mut Vec<G::Word>) {
        if self.other.kings > 0 {
            let kings = Kings { companions: self.companions, others: self.others };
            turn::exchange(kings, self.other_companions, self.axis_sets, from, to, matrix);
        } else {
            turn::turn(self.companions, from, to);
        }
    }

    /// From the axis side's layout to the other side's.
    fn to_other_side(&self, from: &[G::Word], to: &mut [G::Word], matrix: &mut Vec<G::Word>) {
        if self.other.kings > 0 {
            let kings = Kings { companions: self.other_companions, others: self.axis_sets };
            turn::exchange(kings, self.companions, self.others, from, to, matrix);
        } else {
            turn::turn(self.companions, from, to);
        }
    }

    fn axis_section(&self) -> &Section {
        &self.sections[0]
    }

    fn other_section(&self) -> &Section {
        &self.sections[self.sections.len() - 1]
    }

    /// Calls `each` with every position of a row that this copy stands for, as the axis square
    /// and the position's place in the axis side's and the other side's sub-slice.
    fn each_place(
        &self,
        row: usize,
        squares: G::Word,
        mut each: impl FnMut(G::Word, usize, usize),
    ) {
        let companions = self.companions.sets[row / self.others.len()];
        let others = row % self.others.len();
        // Of the copies of a position the one stands for all in which the axis is the lowest king.
        let squares = squares & self.first_copies(companions);
        let axis_side = self.others.index_of[others] as usize * self.axis_sets.len();
        let other = self.turned_other_index[others] as usize;
        for square in squares.indices() {
            let square = G::Word::bit(square);
            let set = number::<G>(companions | square);
            each(
                square,
                axis_side + self.axis_sets.index_of[set] as usize,
                self.turned_axis_index[set] as usize * self.others.len() + other,
            );
        }
    }

    fn first_copies(&self, companions: G::Word) -> G::Word {
        if companions.none() { G::squares() } else { G::Word::below(companions.lowest()) }
    }

    fn solve_distances(&self, numbers: &SubSliceNumbers, scratch: &mut Scratch<G::Word>) {
        let len = self.axis_sets.len() * self.others.len();
        for codes in &mut scratch.distances {
            codes.clear();
            codes.resize(len, 0);
        }
        let [axis_side, other] = &mut scratch.distances;
        scratch.sub_slice.solve_levels::<G>(self.companions, self.others, |level| {
            let codes = match level.mover {
                Mover::AxisSide => &mut *axis_side,
                Mover::Other => &mut *other,
            };
            let Level { number, won, lost, mover } = level;
            for row in 0..won.len() {
                if (won[row] | lost[row]).none() {
                    continue;
                }
                self.each_place(row, won[row] | lost[row], |square, axis_place, other_place| {
                    let place = match mover {
                        Mover::AxisSide => axis_place,
                        Mover::Other => other_place,
                    };
                    let wins = u16::from((won[row] & square).any());
                    codes[place] = 2 * number + 1 + wins;
                });
            }
        });
        let SubSlice { axis_side: axis_planes, other: other_planes, free, .. } = &scratch.sub_slice;
        for row in 0..free.len() {
            self.each_place(row, axis_planes.captures[row], |_, place, _| {
                axis_side[place] = u16::MAX;
            });
            self.each_place(row, other_planes.captures[row], |_, _, place| {
                other[place] = u16::MAX;
            });
        }
        // SAFETY: the chunks belong to this sub-slice, which only this thread works on.
        unsafe {
            if let Some(dtc) = &self.axis_section().dtc {
                dtc.write(numbers.axis_side).copy_from_slice(axis_side);
            }
            if let (Some(dtc), false) = (&self.other_section().dtc, numbers.own_mirror) {
                dtc.write(numbers.other).copy_from_slice(other);
            }
        }
    }

    /// Writes win, draw and loss of both sides to move in index order, and counts them.
    fn write_codes(&self, numbers: &SubSliceNumbers, scratch: &mut Scratch<G::Word>) -> BothCounts {
        let Scratch { sub_slice, codes: [axis_codes, other_codes], .. } = scratch;
        let len = self.axis_sets.len() * self.others.len();
        for codes in [&mut *axis_codes, &mut *other_codes] {
            codes.clear();
            codes.resize(len, DONT_CARE);
        }
        let SubSlice { free, axis_side, other, .. } = &*sub_slice;
        let mut counts = BothCounts::default();
        let code = |planes: &Planes<G::Word>, row: usize, square: G::Word| {
            let won = u8::from((planes.won[row] & square).any());
            let lost = u8::from((planes.lost[row] & square).any());
            let dont_care = (planes.captures[row] & square).any();
            if dont_care { DONT_CARE } else { 1 + won - lost }
        };
        for row in 0..free.len() {
            self.each_place(row, free[row], |square, axis_place, other_place| {
                axis_codes[axis_place] = code(axis_side, row, square);
                other_codes[other_place] = code(other, row, square);
            });
            let copies =
                free[row] & self.first_copies(self.companions.sets[row / self.others.len()]);
            for (counts, planes) in counts.iter_mut().zip([axis_side, other]) {
                *counts += Counts {
                    positions: copies.count().into(),
                    wins: (planes.won[row] & copies).count().into(),
                    losses: (planes.lost[row] & copies).count().into(),
                };
            }
        }
        // SAFETY: the chunks belong to this sub-slice, which only this thread works on.
        unsafe {
            self.axis_section().write_wld(numbers.axis_side, axis_codes);
            if !numbers.own_mirror {
                self.other_section().write_wld(numbers.other, other_codes);
            }
        }
        counts
    }
}

/// The numbers under which a sub-slice is known.
struct SubSliceNumbers {
    /// With the axis side going up.
    axis_side: usize,
    /// With the other side going up.
    other: usize,
    /// Whether the slice is symmetric and these are the same sub-slice.
    own_mirror: bool,
}
