//! Where the values of a solved sub-slice go: to the store, to the tables, and into the counts.

use damabase_formats::table::{DONT_CARE, Metric};
use damabase_rules::{Rules, Word};

use super::dense::{Codes, Extremes};
use super::job::{Job, Numbers, Scratch, Tallies};
use super::sets;
use super::store::Values;
use super::sub_slice::SubSlice;

impl<G: Rules> Job<'_, G> {
    /// Writes the values of a sub-slice to the planes where later slices look them up.
    pub(super) fn keep(&self, numbers: &Numbers, scratch: &mut Scratch<G::Word>) {
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
        let place = self.metrics.iter().position(|&other| other == metric).expect("asked for");
        let tables = &self.codes[place];
        for (side, chunk) in [numbers.axis_side, numbers.other].into_iter().enumerate() {
            if side == 1 && numbers.own_mirror {
                break;
            }
            let table = &tables[side.min(tables.len() - 1)];
            tallies[side].extremes[metric as usize] = match metric {
                Metric::Wld => self.write_wld(side, table, chunk, scratch),
                _ => self.write_plies(side, table, chunk, scratch),
            };
        }
    }

    /// Writes win, draw and loss with one side to move.
    fn write_wld(
        &self,
        side: usize,
        table: &Codes,
        chunk: usize,
        scratch: &mut Scratch<G::Word>,
    ) -> Extremes {
        let Scratch { sub_slice, plane: [high, low], .. } = scratch;
        let planes = sub_slice.side(side);
        let (mut wins, mut draws) = (G::Word::ZERO, G::Word::ZERO);
        // The two bits of every code, a word at a time.
        high.clear();
        low.clear();
        for (row, &free) in sub_slice.free.iter().enumerate() {
            let unknown = !free | planes.captures[row];
            let drawn = !planes.won[row] & !planes.lost[row];
            wins |= planes.won[row] & !unknown;
            draws |= drawn & !unknown;
            high.push(unknown | planes.won[row]);
            low.push(unknown | drawn);
        }
        // SAFETY: the chunk belongs to this sub-slice, which only this thread works on.
        let mut bits = unsafe { table.bits(chunk) };
        self.in_index_order(side, |row, square| {
            let bit = |plane: &[G::Word]| (plane[row] >> square & G::Word::bit(0)).any();
            bits.push(u8::from(bit(high)) << 1 | u8::from(bit(low)));
        });
        let stored = if wins.any() { 2 } else { u16::from(draws.any()) };
        Extremes { stored, ..Extremes::default() }
    }

    /// Writes distances with one side to move.
    fn write_plies(
        &self,
        side: usize,
        table: &Codes,
        chunk: usize,
        scratch: &mut Scratch<G::Word>,
    ) -> Extremes {
        let Scratch { sub_slice, codes, .. } = scratch;
        let planes = sub_slice.side(side);
        let (mut win, mut loss, mut stored) = (0, 0, 0);
        codes.clear();
        codes.resize(self.index_values(), DONT_CARE);
        // Row by row, since there are many more numbers of plies than words: those are read in
        // their order, and codes written out of theirs.
        for (number, &companions) in self.companions.sets.iter().enumerate() {
            let squares = self.first_copies(companions);
            let rows = number * self.others.len()..(number + 1) * self.others.len();
            for (others, row) in rows.enumerate() {
                let plies = &planes.plies[row * G::Word::BITS as usize..];
                for square in (sub_slice.free[row] & squares).indices() {
                    let bit = |plane: &[G::Word]| {
                        u16::from((plane[row] >> square & G::Word::bit(0)).any())
                    };
                    // Without branches: which value a position has is hard to foresee.
                    let (won, lost) = (bit(&planes.won), bit(&planes.lost));
                    let capture = bit(&planes.captures);
                    // As `distance_code`.
                    let code = (2 * plies[square as usize] + 1) * (won | lost) + won;
                    win = win.max(code * won);
                    loss = loss.max(code * lost);
                    stored = stored.max(code * (1 - capture));
                    let axis = sets::number::<G>(companions | G::Word::bit(square));
                    codes[self.place(side, axis, others)] = code | capture.wrapping_neg();
                }
            }
        }
        let plies = |code: u16| (code > 0).then(|| (code - 1) / 2);
        let extremes = Extremes { win_plies: plies(win), loss_plies: plies(loss), stored };
        // SAFETY: the chunk belongs to this sub-slice, which only this thread works on.
        unsafe { table.write(chunk, codes) };
        extremes
    }

    /// The place in index order of the position with these numbers of sets of kings.
    #[inline(always)]
    fn place(&self, side: usize, axis: usize, others: usize) -> usize {
        let (axis, others) = (self.axis_place[side][axis], self.others_place[side][others]);
        if side == 0 {
            others as usize * self.axis_sets.len() + axis as usize
        } else {
            axis as usize * self.others.len() + others as usize
        }
    }

    /// Calls `each` with the row and the axis square of every index value of the sub-slice with
    /// one side to move.
    #[inline(always)]
    fn in_index_order(&self, side: usize, mut each: impl FnMut(usize, u32)) {
        let (axis, others) = (&self.axis_order[side], &self.others_order[side]);
        let row = |companions: u32, others: u32| {
            companions as usize * self.others.len() + others as usize
        };
        if side == 0 {
            for &others in others {
                for &(companions, square) in axis {
                    each(row(companions, others), square);
                }
            }
        } else {
            for &(companions, square) in axis {
                for &others in others {
                    each(row(companions, others), square);
                }
            }
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

/// The code of a distance, see the seam in `damabase_formats::table`.
pub(super) fn distance_code(won: bool, lost: bool, plies: u16) -> u16 {
    match (won, lost) {
        (true, _) => 2 * plies + 2,
        (_, true) => 2 * plies + 1,
        _ => 0,
    }
}
