//! Random positions of any variant for the tests of notation.

use damabase_rules::{Pieces, Position, Rules, Side, Square, Word};
use proptest::prelude::*;

/// Positions with anything from one piece to a crowded board, and the side to move.
pub fn position<G: Rules>() -> impl Strategy<Value = (Side, Position<G>)> {
    let squares = G::board().squares() as usize;
    let side = prop_oneof![Just(Side::White), Just(Side::Black)];
    // How often a square is free, out of 16: endings as well as middle games.
    let positions = (2..=15u32).prop_flat_map(move |free| {
        prop::collection::vec(
            prop_oneof![
                free * 4 => Just(0),
                (16 - free) => 1..=2u8,
                2 * (16 - free) => Just(3u8),
                (16 - free) => Just(4u8),
            ],
            squares,
        )
    });
    (side, positions).prop_filter_map("no piece", |(side, squares)| {
        let mut sets = [G::Word::ZERO; 5];
        for (square, &kind) in squares.iter().enumerate() {
            sets[kind as usize] |= G::Word::bit(G::board().bit_of(Square(square as u8)));
        }
        let [_, mover_men, mover_kings, waiter_men, waiter_kings] = sets;
        let mover = Pieces { men: mover_men & !G::promotion_row(), kings: mover_kings };
        let waiter = Pieces { men: waiter_men & !G::waiter_promotion_row(), kings: waiter_kings };
        Position::new(mover, waiter).ok().map(|position| (side, position))
    })
}
