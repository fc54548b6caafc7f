//! Quiet king moves of all rows of a sub-slice at once.

use std::ops::Range;

use damabase_rules::{Direction, King, Rules, Word};
use rayon::prelude::*;

use super::chunks::Shared;
use super::sets::Sets;

/// Rows that one thread works on at a time.
pub(super) const BLOCK: usize = 1 << 14;

/// Calls `work` with planes block by block, each with the number of its first row.
pub(super) fn in_blocks<W: Word, const N: usize>(
    parallel: bool,
    block: usize,
    planes: [&mut [W]; N],
    work: impl Fn(usize, [&mut [W]; N]) + Sync,
) {
    let rows = planes[0].len();
    let planes = planes.map(Shared::new);
    let work = |first: usize| {
        // SAFETY: blocks do not overlap.
        work(first, planes.each_ref().map(|p| unsafe { p.range(first, block.min(rows - first)) }));
    };
    let firsts = (0..rows).step_by(block);
    if parallel {
        firsts.collect::<Vec<_>>().into_par_iter().for_each(work);
    } else {
        firsts.for_each(work);
    }
}

/// What is known of the positions that quiet king moves lead to, all rows at once.
#[derive(Clone, Copy)]
pub(super) struct Targets<'a, W> {
    pub free: &'a [W],
    pub won: &'a [W],
    pub lost: &'a [W],
    /// Where something has changed since moves were last worked out; none if that was never or if
    /// all rows are wanted.
    pub changed: Option<&'a [W]>,
    pub parallel: bool,
}

impl<W: Word> Targets<'_, W> {
    /// Whether something may have changed in some rows.
    fn changed(&self, rows: Range<usize>) -> bool {
        self.changed.is_none_or(|changed| changed[rows].iter().any(|row| row.any()))
    }

    /// Moves of the axis king; overwrites what was reached in rows that have changed.
    pub fn axis_king<G: Rules<Word = W>>(&self, reach_lost: &mut [W], reach_open: &mut [W]) {
        in_blocks(self.parallel, BLOCK, [reach_lost, reach_open], |first, [lost, open]| {
            let rows = lost.len();
            let mut row = 0;
            while row < rows {
                // As many rows beside each other as the compiler makes vectors of.
                let n = if row + ABREAST <= rows { ABREAST } else { 1 };
                if !self.changed(first + row..first + row + n) {
                    row += n;
                    continue;
                }
                let free = &self.free[first + row..][..n];
                let to_won = &self.won[first + row..][..n];
                let to_lost = &self.lost[first + row..][..n];
                if n == ABREAST {
                    self.axis_rows::<G, ABREAST>(
                        free,
                        to_won,
                        to_lost,
                        &mut lost[row..],
                        &mut open[row..],
                    );
                } else {
                    self.axis_rows::<G, 1>(
                        free,
                        to_won,
                        to_lost,
                        &mut lost[row..],
                        &mut open[row..],
                    );
                }
                row += n;
            }
        });
    }

    /// Moves of the axis king in `N` rows.
    #[inline(always)]
    fn axis_rows<G: Rules<Word = W>, const N: usize>(
        &self,
        free: &[W],
        to_won: &[W],
        to_lost: &[W],
        reach_lost: &mut [W],
        reach_open: &mut [W],
    ) {
        let free: [W; N] = std::array::from_fn(|n| free[n]);
        let open = std::array::from_fn(|n| free[n] & !to_won[n]);
        let lost = std::array::from_fn(|n| to_lost[n]);
        let [lost, open] = back_from::<G, N>([lost, open], free);
        reach_lost[..N].copy_from_slice(&lost);
        reach_open[..N].copy_from_slice(&open);
    }

    /// Moves of the other kings of the axis side: walks from row to row, all sets of the other
    /// side's kings beside each other.
    pub fn companions<G: Rules<Word = W>>(
        &self,
        companions: &Sets<G>,
        others: usize,
        reach_lost: &mut [W],
        reach_open: &mut [W],
    ) {
        if companions.walks.is_empty() {
            return;
        }
        let reach = [Shared::new(reach_lost), Shared::new(reach_open)];
        let work = |first: usize| {
            let columns = COLUMNS.min(others - first);
            let mut carry = [(W::ZERO, W::ZERO); COLUMNS];
            companions.each_walk_both_ways(|set| match set {
                None => carry[..columns].fill((W::ZERO, W::ZERO)),
                Some(set) => {
                    let row = set * others + first;
                    // SAFETY: of each row these columns are nobody else's.
                    let [lost, open] = unsafe { reach.each_ref().map(|r| r.range(row, columns)) };
                    self.pass::<G>(row, &mut carry[..columns], lost, open);
                }
            });
        };
        let firsts = (0..others).step_by(COLUMNS);
        if self.parallel {
            firsts.collect::<Vec<_>>().into_par_iter().for_each(work);
        } else {
            firsts.for_each(work);
        }
    }

    /// Moves of the other side's kings; overwrites what was reached, unless nothing has changed
    /// wherever they can go.
    pub fn others<G: Rules<Word = W>>(
        &self,
        others: &Sets<G>,
        reach_lost: &mut [W],
        reach_open: &mut [W],
    ) {
        in_blocks(self.parallel, others.len(), [reach_lost, reach_open], |first, [lost, open]| {
            if !self.changed(first..first + others.len()) {
                return;
            }
            lost.fill(W::ZERO);
            open.fill(W::ZERO);
            let mut carry = [(W::ZERO, W::ZERO)];
            others.each_walk_both_ways(|set| match set {
                None => carry = [(W::ZERO, W::ZERO)],
                Some(set) => self.pass::<G>(
                    first + set,
                    &mut carry,
                    &mut lost[set..set + 1],
                    &mut open[set..set + 1],
                ),
            });
        });
    }

    /// One step of a walk over neighbouring rows from `first`: `carry` holds what the squares
    /// passed so far offer to a king that stands here, and takes along what this square offers.
    #[inline(always)]
    pub fn pass<G: Rules<Word = W>>(
        &self,
        first: usize,
        carry: &mut [(W, W)],
        reach_lost: &mut [W],
        reach_open: &mut [W],
    ) {
        let rows = first..first + carry.len();
        let (free, to_won, to_lost) =
            (&self.free[rows.clone()], &self.won[rows.clone()], &self.lost[rows]);
        for (n, carry) in carry.iter_mut().enumerate() {
            let (lost, open) = *carry;
            let here = free[n];
            reach_lost[n] |= lost & here;
            reach_open[n] |= open & here;
            *carry = match G::VARIANT.king {
                King::Flying => ((lost | to_lost[n]) & here, (open | !to_won[n]) & here),
                King::Short => (to_lost[n] & here, !to_won[n] & here),
            };
        }
    }
}

/// Neighbouring sets of the other side's kings that are walked beside each other.
const COLUMNS: usize = 512;

/// Rows in which the axis king moves at once.
const ABREAST: usize = 4;

/// For each row the squares from which a king can move through `free` squares to a square of the
/// one and of the other `targets`.
#[inline(always)]
fn back_from<G: Rules, const N: usize>(
    targets: [[G::Word; N]; 2],
    free: [G::Word; N],
) -> [[G::Word; N]; 2] {
    let board = G::board();
    let mut reach = [[G::Word::ZERO; N]; 2];
    // What is all free squares or none of them is seen from next to them or not at all.
    let near = targets.iter().all(|t| (0..N).all(|n| t[n] == free[n]) || *t == [G::Word::ZERO; N]);
    let far = G::VARIANT.king == King::Flying && !near;
    for &direction in Direction::ALL {
        // Targets and what sees them; free squares with as many free ones before them as the next
        // leap passes over.
        let (mut seen, mut path) = (targets, free);
        let mut steps = 1;
        while far && steps < u32::from(board.height) - 1 {
            for n in 0..N {
                for seen in &mut seen {
                    seen[n] |= board.leap(seen[n], direction, steps) & path[n];
                }
                path[n] &= board.leap(path[n], direction, steps);
            }
            steps *= 2;
        }
        for (reach, seen) in reach.iter_mut().zip(seen) {
            for n in 0..N {
                reach[n] |= board.step(seen[n], direction) & free[n];
            }
        }
    }
    reach
}
