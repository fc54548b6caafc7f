//! What a piece on a square can see, as tables: to find at a glance that there is nothing to
//! capture.

use std::marker::PhantomData;

use damabase_rules::{Direction, King, Rules, Square, Word};

/// For each square, by its bit, the squares on which a piece that is captured from there can
/// stand: first of a king in each direction, then of a man.
pub(super) struct Lines<G>([[u128; 128]; 5], PhantomData<G>);

impl<G: Rules> Lines<G> {
    const TABLE: &Self = &Self::new();

    /// Squares that a king on the square `at` sees in a direction, if nothing is in the way.
    #[inline]
    pub fn king(at: G::Word, direction: Direction) -> G::Word {
        G::Word::from_u128(Self::TABLE.0[direction as usize][at.lowest() as usize % 128])
    }

    /// Squares next to the square `at` in the directions in which a man captures.
    #[inline]
    pub fn man(at: G::Word) -> G::Word {
        G::Word::from_u128(Self::TABLE.0[4][at.lowest() as usize % 128])
    }

    const fn new() -> Self {
        let board = G::VARIANT.board;
        let mut table = [[0; 128]; 5];
        let mut square = 0;
        while square < board.squares() {
            let at = Square(square as u8);
            let bit = board.bit_of(at) as usize;
            let far = match G::VARIANT.king {
                King::Short => 1,
                King::Flying => board.height as u32,
            };
            let mut n = 0;
            while n < Direction::ALL.len() {
                let direction = Direction::ALL[n];
                table[direction as usize][bit] = Self::line(at, direction, far);
                n += 1;
            }
            let mut n = 0;
            while n < G::VARIANT.man_captures.len() {
                table[4][bit] |= Self::line(at, G::VARIANT.man_captures[n], 1);
                n += 1;
            }
            square += 1;
        }
        Lines(table, PhantomData)
    }

    /// The first `far` squares from a square in a direction.
    const fn line(at: Square, direction: Direction, far: u32) -> u128 {
        let board = G::VARIANT.board;
        let (mut row, mut column) = (board.row(at), board.column(at));
        let mut line = 0;
        let mut steps = 0;
        while steps < far {
            // Over the edge is a row or column that no board has.
            let (up, left) = match direction {
                Direction::UpLeft => (true, true),
                Direction::UpRight => (true, false),
                Direction::DownLeft => (false, true),
                Direction::DownRight => (false, false),
            };
            row = if up { row.wrapping_sub(1) } else { row + 1 };
            column = if left { column.wrapping_sub(1) } else { column + 1 };
            let Some(square) = board.square_at(row, column) else { break };
            line |= 1 << board.bit_of(square);
            steps += 1;
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use damabase_rules::{English, International};

    fn compare<G: Rules>() {
        for at in G::squares().indices().map(G::Word::bit) {
            let mut adjacent = G::Word::ZERO;
            for &direction in Direction::ALL {
                let mut line = G::Word::ZERO;
                let mut next = G::board().step(at, direction);
                if G::VARIANT.man_captures.contains(&direction) {
                    adjacent |= next;
                }
                while next.any() {
                    line |= next;
                    let far = G::VARIANT.king == King::Flying;
                    next = if far { G::board().step(next, direction) } else { G::Word::ZERO };
                }
                assert_eq!(Lines::<G>::king(at, direction), line, "{at:x} {direction:?}");
            }
            assert_eq!(Lines::<G>::man(at), adjacent, "{at:x}");
        }
    }

    #[test]
    fn lines_are_where_steps_lead() {
        compare::<International>();
        compare::<English>();
    }
}
