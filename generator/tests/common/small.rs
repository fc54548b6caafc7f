//! Games on small boards, and all their positions.

use damabase_rules::{Pieces, Position, Rules, Square, Word};

/// A type for a game on a small board.
#[macro_export]
macro_rules! small {
    ($name:ident, $width:literal x $height:literal, $king:ident, $captures:ident, $priority:ident, $promotion:ident) => {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        struct $name;

        impl damabase_rules::Rules for $name {
            type Word = u64;
            const VARIANT: damabase_rules::Variant = damabase_rules::Variant {
                name: stringify!($name),
                game_type: 0,
                board: damabase_rules::Board { width: $width, height: $height },
                start_rows: 2,
                starts: damabase_rules::Side::White,
                man_moves: damabase_rules::Direction::UP,
                man_captures: damabase_rules::Direction::$captures,
                king: damabase_rules::King::$king,
                priority: damabase_rules::Priority::$priority,
                promotion: damabase_rules::Promotion::$promotion,
                notation: damabase_rules::Notation::Numeric,
            };
            // Only files name their variant; none is written here.
            const ID: damabase_rules::VariantId = damabase_rules::VariantId::Russian;
        }
    };
}

/// All positions in which both sides have a piece, with at most so many pieces.
pub fn all_positions<G: Rules>(pieces: u32) -> Vec<Position<G>> {
    fn add<G: Rules>(at: u8, left: u32, position: Position<G>, all: &mut Vec<Position<G>>) {
        if position.mover.all().any() && position.waiter.all().any() {
            all.push(position);
        }
        if left == 0 {
            return;
        }
        for square in at..G::board().squares() as u8 {
            let bit = G::Word::bit(G::board().bit_of(Square(square)));
            for kind in 0..4 {
                let mut next = position;
                let set = match kind {
                    0 => &mut next.mover.men,
                    1 => &mut next.mover.kings,
                    2 => &mut next.waiter.men,
                    _ => &mut next.waiter.kings,
                };
                *set |= bit;
                if Position::<G>::new(next.mover, next.waiter).is_ok() {
                    add(square + 1, left - 1, next, all);
                }
            }
        }
    }
    let mut all = Vec::new();
    let empty = Position { mover: Pieces::default(), waiter: Pieces::default() };
    add::<G>(0, pieces, empty, &mut all);
    all
}
