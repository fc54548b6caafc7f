//! The exits of a row: captures, man moves and promotions.

use damabase_rules::{Pieces, Rules, Word};

use super::captures::{self, Exits, Row};
use super::store::{Asked, Store};

/// The exits of all positions of a row, and the axis squares for which the mover can capture.
/// The axis king is the mover's where `axis_moves`, else the waiter's.
pub(super) fn exits<G: Rules>(
    store: &Store<G>,
    row: &Row<G::Word>,
    axis_moves: bool,
) -> (G::Word, Exits<G::Word>) {
    let board = G::board();
    let mut exits = captures::captures(store, row, axis_moves);
    let captures = exits.any;
    let quiet = row.free & !captures;
    if quiet.none() {
        return (captures, exits);
    }
    let asked = if axis_moves { Asked::Own } else { Asked::Opponent };
    for from in row.mover.men.indices() {
        let from = G::Word::bit(from);
        for &direction in G::VARIANT.man_moves {
            let to = board.step(from, direction) & row.free;
            let mask = quiet & !to;
            if to.none() || mask.none() {
                continue;
            }
            let mut own = Pieces { men: row.mover.men & !from, kings: row.mover.kings };
            if (to & G::promotion_row()).any() {
                own.kings |= to;
            } else {
                own.men |= to;
            }
            let values = store.values(own, row.waiter, asked);
            exits.add(mask, values.won, values.lost);
        }
    }
    (captures, exits)
}
