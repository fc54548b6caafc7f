//! Counting the leaves of the game tree, the standard test of a move generator.

use crate::{Counting, MoveList, Position, Rules, legal_moves_into};

/// The number of move sequences of exactly `depth` plies from `position`; a game that ended
/// earlier adds nothing. `counting` says whether captures that take the same pieces from the same
/// square to the same square in another order count once or each.
pub fn perft<G: Rules>(position: &Position<G>, depth: u32, counting: Counting) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = MoveList::new();
    legal_moves_into(position, counting, &mut moves);
    if depth == 1 {
        return moves.len() as u64;
    }
    moves.iter().map(|m| perft(&position.after(m), depth - 1, counting)).sum()
}
