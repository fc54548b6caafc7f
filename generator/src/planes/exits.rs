//! The exits of a row: captures, man moves and promotions.

use damabase_rules::{Pieces, Rules, Word};

use super::captures::{Row, captures};
use super::gather::{Gather, Groups};
use super::plane::Axis;
use super::store::{Asked, Store};

/// The exits of all positions of a row, and the axis squares for which the mover can capture.
/// [`Axis::Own`] is the mover.
pub(super) fn exits<'a, G: Rules, E: Gather<G>>(
    store: &Store<G>,
    row: &Row<G::Word>,
    axis: Axis,
    groups: &'a mut Groups<E>,
) -> (G::Word, &'a E) {
    let board = G::board();
    let found = captures(store, row, axis, groups);
    let capturing = found.exits().any;
    let quiet = row.axis_squares::<G>(axis) & !capturing;
    if quiet.none() {
        return (capturing, found);
    }
    let asked = match axis {
        Axis::Own => Asked::Own,
        Axis::Opponent => Asked::Opponent,
        Axis::None => Asked::Gone,
    };
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
            found.add(store, mask, own, row.waiter, asked);
        }
    }
    (capturing, found)
}
