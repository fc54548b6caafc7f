//! Where the values of a solved sub-slice go: to the store, to the tables, and into the counts.

use damabase_formats::table::Metric;
use damabase_rules::{Rules, Word};

use super::dense::{Codes, Extremes};
use super::job::{Job, Numbers, Scratch, Tallies};
use super::plane::Values;
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
            self.other_to_move.fill_numbers(numbers.axis_side, &other.levels);
        }
        if numbers.own_mirror {
            return;
        }
        let sets = self.other_layout();
        let rows = sets[0].len() * sets[1].len();
        // The exits' levels are in the axis side's layout by now, and this is room for others.
        let Planes { won, lost, exit_levels: levels, .. } = &mut scratch.turned;
        self.to_other_side(&axis_side.won, &mut won[..rows]);
        self.to_other_side(&axis_side.lost, &mut lost[..rows]);
        // SAFETY: as above, and another chunk, since the sub-slice is not its own mirror.
        unsafe {
            put(self.axis_to_move.fill(numbers.other), won, lost);
            if self.axis_to_move.digits() > 0 {
                levels.clear();
                for digit in axis_side.levels.digits() {
                    self.to_other_side(digit, levels.add_digit(rows));
                }
                self.axis_to_move.fill_numbers(numbers.other, levels);
            }
        }
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
            let extremes = match metric {
                Metric::Wld => self.write_wld(side, table, chunk, scratch),
                _ => self.write_distances(side, table, chunk, scratch),
            };
            self.tally(side, tallies).extremes[metric as usize].add(extremes);
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
        let Scratch { sub_slice, strip, .. } = scratch;
        let Planes { captures, won, lost, .. } = sub_slice.side(side);
        let quiet = |row: usize| sub_slice.free[row] & !captures[row];
        // One more than the codes: a loss is 1, a draw 2, a win 3.
        let low = |row: usize| quiet(row) & (won[row] | lost[row]);
        let high = |row: usize| quiet(row) & !lost[row];
        // SAFETY: the chunk belongs to this sub-slice, which only this thread works on.
        self.order[side].write(low, &mut unsafe { table.digit(chunk, 0) }, strip);
        // SAFETY: as above.
        self.order[side].write(high, &mut unsafe { table.digit(chunk, 1) }, strip);
        let rows = 0..sub_slice.free.len();
        let stored = if rows.clone().any(|row| (quiet(row) & won[row]).any()) {
            2
        } else {
            u16::from(rows.clone().any(|row| (high(row) & !won[row]).any()))
        };
        Extremes { stored, ..Extremes::default() }
    }

    /// Writes distances with one side to move.
    fn write_distances(
        &self,
        side: usize,
        table: &Codes,
        chunk: usize,
        scratch: &mut Scratch<G::Word>,
    ) -> Extremes {
        let Scratch { sub_slice, strip, .. } = scratch;
        let Planes { captures, lost, levels, extremes, .. } = sub_slice.side(side);
        let quiet = |row: usize| sub_slice.free[row] & !captures[row];
        // One more than the codes: a draw is 1, a loss in n plies 2(n + 1), a win one more.
        // SAFETY: the chunk belongs to this sub-slice, which only this thread works on.
        let mut bits = unsafe { table.digit(chunk, 0) };
        self.order[side].write(|row| quiet(row) & !lost[row], &mut bits, strip);
        for (place, digit) in (1..).zip(levels.digits()) {
            // SAFETY: as above.
            let mut bits = unsafe { table.digit(chunk, place) };
            self.order[side].write(|row| quiet(row) & digit[row], &mut bits, strip);
        }
        *extremes
    }

    /// Of the copies of a position the one stands for all in which the axis is the lowest king:
    /// the axis squares of these.
    fn first_copies(&self, companions: G::Word) -> G::Word {
        if companions.none() { G::squares() } else { G::Word::below(companions.lowest()) }
    }

    /// Counts the values of a sub-slice.
    pub(super) fn count(
        &self,
        numbers: &Numbers,
        scratch: &Scratch<G::Word>,
        tallies: &mut Tallies,
    ) {
        for side in 0..if numbers.own_mirror { 1 } else { 2 } {
            let planes = scratch.sub_slice.side(side);
            let mut counts = [0; 4];
            for (&companions, first) in
                self.companions.sets.iter().zip((0..).step_by(self.others.len()))
            {
                let squares = self.first_copies(companions);
                let rows = first..first + self.others.len();
                for (count, plane) in counts.iter_mut().zip([
                    &scratch.sub_slice.free,
                    &planes.won,
                    &planes.lost,
                    &planes.captures,
                ]) {
                    let counts = plane[rows.clone()].iter().map(|&word| (word & squares).count());
                    *count += u64::from(counts.sum::<u32>());
                }
            }
            let [positions, wins, losses, captures] = counts;
            let tally = self.tally(side, tallies);
            tally.counts.positions += positions;
            tally.counts.wins += wins;
            tally.counts.losses += losses;
            tally.counts.draws += positions - wins - losses;
            tally.captures += captures;
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
