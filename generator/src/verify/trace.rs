//! Whether wins and losses rest on something.
//!
//! Values that agree with their successors are all right but for one thing: positions may be won
//! and lost in a circle of king's moves. So wins and losses are traced: a win is *founded* if a
//! move leads to a founded loss, or by an exit to a loss; a loss if all king's moves lead to
//! founded wins. What is left over in the end is wrong. Exits need no tracing: they lead to slices
//! that are verified on their own, or to further advanced men of this one.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use damabase_formats::table::Wld;
use damabase_formats::{Index, Slice};
use damabase_probe::TableSet;
use damabase_rules::{Counting, MoveList, Position, Rules, Word, can_capture, legal_moves_into};
use rayon::prelude::*;

use super::{VerifyError, job_check};
use crate::Job;

/// Words of 64 index values that one thread looks at at a time.
const CHUNK: usize = 64;

/// Wins and losses with one side to move, a bit for each index value.
pub(super) struct Bits {
    won: Vec<u64>,
    lost: Vec<u64>,
    founded: Vec<AtomicU64>,
}

impl Bits {
    pub(super) fn new(won: Vec<u64>, lost: Vec<u64>) -> Bits {
        let founded = won.iter().map(|_| AtomicU64::new(0)).collect();
        Bits { won, lost, founded }
    }

    /// Whether the bit of a number is in a set and founded.
    fn is_founded(&self, set: &[u64], number: u64) -> bool {
        let word = (number / 64) as usize;
        (set[word] & self.founded[word].load(Ordering::Relaxed)) >> (number % 64) & 1 == 1
    }

    /// Wins and losses of a word that are not founded.
    fn open(&self, word: usize) -> u64 {
        (self.won[word] | self.lost[word]) & !self.founded[word].load(Ordering::Relaxed)
    }
}

/// The wins and losses that rest on nothing. `bits` are by side to move.
pub(super) fn circular<G: Rules>(
    set: &TableSet<G>,
    job: &Job,
    slice: Slice,
    bits: &[Bits],
) -> Result<Vec<(Position<G>, Wld)>, VerifyError> {
    let indices: Vec<Index<G>> =
        slice.sides().iter().map(|&to_move| Index::new(slice, to_move)).collect();
    loop {
        // Founded bits only ever come, so the order in which threads set them is the same in the
        // end.
        let changed = AtomicBool::new(false);
        for (side, own) in bits.iter().enumerate() {
            // A symmetric slice is its own other side.
            let other = (side + 1) % bits.len();
            let sweep = |n: usize| {
                job_check(job)?;
                let words = n * CHUNK..own.won.len().min((n + 1) * CHUNK);
                let mut moves = MoveList::new();
                for word in words {
                    for bit in own.open(word).indices() {
                        let number = word as u64 * 64 + u64::from(bit);
                        let Some(position) = indices[side].unrank(number) else { continue };
                        let is_won = own.won[word] >> bit & 1 == 1;
                        let reached = (&indices[other], &bits[other]);
                        if is_founded(set, &position, is_won, reached, &mut moves)? {
                            own.founded[word].fetch_or(1 << bit, Ordering::Relaxed);
                            changed.store(true, Ordering::Relaxed);
                        }
                    }
                }
                Ok::<(), VerifyError>(())
            };
            let chunks = own.won.len().div_ceil(CHUNK);
            job.pool.install(|| (0..chunks).into_par_iter().try_for_each(sweep))?;
        }
        if !changed.into_inner() {
            break;
        }
    }
    let mut circular = Vec::new();
    for (index, bits) in indices.iter().zip(bits) {
        for word in 0..bits.won.len() {
            for bit in bits.open(word).indices() {
                let is_won = bits.won[word] >> bit & 1 == 1;
                let position = index.unrank(word as u64 * 64 + u64::from(bit));
                let value = if is_won { Wld::Win } else { Wld::Loss };
                circular.extend(position.map(|position| (position, value)));
            }
        }
    }
    Ok(circular)
}

/// Whether a win or loss rests on exits or on what is founded already.
fn is_founded<G: Rules>(
    set: &TableSet<G>,
    position: &Position<G>,
    is_won: bool,
    (index, reached): (&Index<G>, &Bits),
    moves: &mut MoveList<G::Word>,
) -> Result<bool, VerifyError> {
    if can_capture(position) {
        return Ok(true); // all moves are exits, and the values agree with them
    }
    legal_moves_into(position, Counting::Distinct, moves);
    for action in &*moves {
        let after = position.after(action);
        let from = G::Word::bit(G::board().bit_of(action.from));
        if (position.mover.men & from).any() {
            if is_won && set.wld(&after)? == Wld::Loss {
                return Ok(true);
            }
        } else {
            let number = index.rank(&after);
            if is_won && reached.is_founded(&reached.lost, number) {
                return Ok(true);
            }
            if !is_won && !reached.is_founded(&reached.won, number) {
                return Ok(false);
            }
        }
    }
    Ok(!is_won)
}
