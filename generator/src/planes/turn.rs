//! From one layout of a sub-slice to the layout seen by the other side.
//!
//! Both layouts hold the same positions. In the first the bits are the squares of a king of the
//! side that goes up; in the second the board is turned, the other side goes up, and the bits are
//! the squares of one of *its* kings, or, where it has none, of the same king as before.

use damabase_rules::{Rules, Word};
use rayon::prelude::*;

use super::sets::{Sets, number};

/// Transposes a matrix of words: bit `c` of row `r` becomes bit `r` of row `c`.
pub(super) fn transpose<W: Word>(rows: &mut [W]) {
    debug_assert_eq!(rows.len(), W::BITS as usize);
    let mut width = W::BITS / 2;
    let mut mask = !W::ZERO >> width;
    while width > 0 {
        for pair in rows.chunks_exact_mut(2 * width as usize) {
            let (low, high) = pair.split_at_mut(width as usize);
            for (low, high) in low.iter_mut().zip(high) {
                let swap = ((*low >> width) ^ *high) & mask;
                *low = *low ^ (swap << width);
                *high = *high ^ swap;
            }
        }
        width /= 2;
        mask = mask ^ (mask << width);
    }
}

/// Sets of kings of both sides of a sub-slice in one layout: the axis side's other kings and the
/// kings of the other side.
#[derive(Clone, Copy)]
pub(super) struct Kings<'a, G: Rules> {
    /// Sets of the axis side's kings without the axis king.
    pub companions: &'a Sets<G>,
    /// Sets of the other side's kings.
    pub others: &'a Sets<G>,
}

/// Turns planes where only one side has kings: its king stays the axis.
pub(super) fn turn<G: Rules>(companions: &Sets<G>, from: &[G::Word], to: &mut [G::Word]) {
    let board = G::board();
    for (set, to) in companions.sets.iter().zip(to) {
        *to = board.turn(from[number::<G>(board.turn(*set))]);
    }
}

/// Turns planes where both sides have kings: the axis goes over to the other side. `kings` are
/// those of the layout `to`, `turned` those of the layout `from`.
pub(super) fn exchange<G: Rules>(
    kings: Kings<'_, G>,
    turned: Kings<'_, G>,
    from: &[G::Word],
    to: &mut [G::Word],
    parallel: bool,
) {
    let board = G::board();
    let work = |(to, &companions): (&mut [G::Word], &G::Word)| {
        // Where each axis square leads in the other layout.
        let mut columns = [0; 128];
        let squares = G::squares() & !companions;
        for square in squares.indices() {
            let set = board.turn(companions | G::Word::bit(square));
            columns[square as usize] = number::<G>(set);
        }
        let mut matrix = [G::Word::ZERO; 128];
        let matrix = &mut matrix[..G::Word::BITS as usize];
        for &rest in &turned.companions.sets {
            let base = number::<G>(board.turn(rest)) * turned.others.len();
            matrix.fill(G::Word::ZERO);
            for square in squares.indices() {
                matrix[square as usize] = board.turn(from[base + columns[square as usize]]);
            }
            transpose(matrix);
            // Each set of the other side's kings is written once, with its highest as the bit.
            let above = if rest.none() { 0 } else { rest.highest() + 1 };
            let last = G::squares() & !G::Word::below(above);
            for square in last.indices() {
                to[number::<G>(rest | G::Word::bit(square))] = matrix[square as usize];
            }
        }
    };
    let (sets, others) = (&kings.companions.sets, kings.others.len());
    if parallel {
        to.par_chunks_exact_mut(others).zip(sets).for_each(work);
    } else {
        to.chunks_exact_mut(others).zip(sets).for_each(work);
    }
}
