//! Positions that compact tables leave out because captures decide them.

use damabase_rules::{MoveList, Position, Rules, Word, can_capture, quiet_moves};

use super::DONT_CARE;
use crate::index::{Index, Walk};
use crate::{Slice, ToMove};

/// Whether a position without captures is left out of a table that leaves out
/// [threats](super::Header::leaves_out_threats): the waiter could capture if it were his move, and, unless
/// a side has no kings, he still could after every quiet king move of the mover.
///
/// So a search of its moves ends: each leads to a capture, or is a man's, or is answered by a man's.
pub fn is_left_out<G: Rules>(position: &Position<G>) -> bool {
    let turned = position.turned();
    if !can_capture(&turned) {
        return false;
    }
    if position.mover.kings.none() || position.waiter.kings.none() {
        return true;
    }
    let mut moves = MoveList::new();
    quiet_moves(position, &mut moves);
    moves.iter().all(|action| {
        let from = G::Word::bit(G::board().bit_of(action.from));
        (position.mover.men & from).any() || can_capture(&position.after(action))
    })
}

/// Blots out the codes of positions that are left out.
pub(super) fn leave_out_threats<G: Rules>(
    slice: Slice,
    to_move: ToMove,
    first: u64,
    codes: &mut [u16],
) {
    let index = Index::<G>::new(slice, to_move);
    let mut walk = Walk::new(&index, first);
    for code in codes {
        if *code != DONT_CARE && walk.position().is_some_and(|position| is_left_out(&position)) {
            *code = DONT_CARE;
        }
        walk.step();
    }
}
