//! Where the values of a solved sub-slice go: to the store, to the tables, and into the counts.

use damabase_formats::table::{DONT_CARE, Metric};
use damabase_rules::{Rules, Word};

use super::dense::Extremes;
use super::job::{Job, Numbers, Scratch, Tallies};
use super::sets::number;
use super::store::Values;
use super::sub_slice::{Planes, SubSlice};

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

/// The code of a value, see the seam in `damabase_formats::table`.
pub(super) fn code(metric: Metric, won: bool, lost: bool, plies: u16) -> u16 {
    match metric {
        Metric::Wld => 1 + u16::from(won) - u16::from(lost),
        _ if won => 2 * plies + 2,
        _ if lost => 2 * plies + 1,
        _ => 0,
    }
}
