//! Board geometry: which squares there are, how they are numbered, and how they touch.
//!
//! Playing squares are numbered row by row from the top left, as PDN numbers them, but from 0
//! ([`Square`]). In a [`Word`] each pair of rows is followed by one *ghost bit* that is never set:
//!
//! ```text
//! 10x10    0  1  2  3  4        row 0 (columns 1, 3, 5, 7, 9)
//!         5  6  7  8  9   (10)  row 1 (columns 0, 2, 4, 6, 8), ghost bit 10
//!          11 12 13 14 15       row 2
//!         16 17 18 19 20  (21)  row 3, ghost bit 21
//! ```
//!
//! A step along a diagonal is then the same shift from every square, a step over the edge falls
//! on a ghost bit or off the word, and turning the board by 180 degrees reverses the bits.

use crate::Word;

/// A playing square, numbered from 0 row by row from the top left. PDN's number is one more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square(pub u8);

/// A diagonal direction, seen with row 0 at the top. A mover's men go up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// One row up, one column to the left.
    UpLeft,
    /// One row up, one column to the right.
    UpRight,
    /// One row down, one column to the left.
    DownLeft,
    /// One row down, one column to the right.
    DownRight,
}

impl Direction {
    /// The two directions in which a mover's men advance.
    pub const UP: &'static [Direction] = &[Direction::UpLeft, Direction::UpRight];
    /// All directions.
    pub const ALL: &'static [Direction] =
        &[Direction::UpLeft, Direction::UpRight, Direction::DownLeft, Direction::DownRight];

    /// The direction that leads back.
    #[inline]
    pub const fn opposite(self) -> Direction {
        match self {
            Direction::UpLeft => Direction::DownRight,
            Direction::UpRight => Direction::DownLeft,
            Direction::DownLeft => Direction::UpRight,
            Direction::DownRight => Direction::UpLeft,
        }
    }
}

/// A board whose dark squares are played on, with a dark square at the bottom left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    /// Columns; even.
    pub width: u8,
    /// Rows; even.
    pub height: u8,
}

impl Board {
    /// Playing squares in a row.
    #[inline]
    pub const fn row_len(self) -> u32 {
        self.width as u32 / 2
    }

    /// Number of playing squares.
    #[inline]
    pub const fn squares(self) -> u32 {
        self.row_len() * self.height as u32
    }

    /// Bits that a word needs: the squares and the ghosts between pairs of rows.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.squares() + self.height as u32 / 2 - 1
    }

    /// The bit of a square.
    #[inline]
    pub const fn bit_of(self, square: Square) -> u32 {
        square.0 as u32 + square.0 as u32 / (2 * self.row_len())
    }

    /// The square of a bit that is not a ghost.
    #[inline]
    pub const fn square_of(self, bit: u32) -> Square {
        Square((bit - bit / (2 * self.row_len() + 1)) as u8)
    }

    /// The row of a square, 0 at the top.
    #[inline]
    pub const fn row(self, square: Square) -> u32 {
        square.0 as u32 / self.row_len()
    }

    /// The column of a square, 0 at the left, light squares counted.
    #[inline]
    pub const fn column(self, square: Square) -> u32 {
        2 * (square.0 as u32 % self.row_len()) + 1 - self.row(square) % 2
    }

    /// The playing square at a row and a column, if there is one.
    pub const fn square_at(self, row: u32, column: u32) -> Option<Square> {
        if row >= self.height as u32
            || column >= self.width as u32
            || (row + column).is_multiple_of(2)
        {
            return None;
        }
        Some(Square((row * self.row_len() + column / 2) as u8))
    }

    /// The square where a square comes to lie when the board is turned by 180 degrees.
    #[inline]
    pub const fn turned_square(self, square: Square) -> Square {
        Square(self.squares() as u8 - 1 - square.0)
    }

    /// All playing squares.
    #[inline]
    pub const fn mask(self) -> u128 {
        let mut mask = 0;
        let mut row = 0;
        while row < self.height as u32 {
            mask |= self.row_mask(row);
            row += 1;
        }
        mask
    }

    /// The playing squares of one row.
    #[inline]
    pub const fn row_mask(self, row: u32) -> u128 {
        ((1u128 << self.row_len()) - 1) << self.bit_of(Square((row * self.row_len()) as u8))
    }

    /// The playing squares on the long diagonal from bottom left to top right (the main road).
    pub const fn main_road(self) -> u128 {
        let mut mask = 0;
        let mut square = 0;
        while square < self.squares() as u8 {
            if self.row(Square(square)) + self.column(Square(square)) == self.width as u32 - 1 {
                mask |= 1 << self.bit_of(Square(square));
            }
            square += 1;
        }
        mask
    }

    /// Every member of `set` moved one step; those that leave the board are dropped.
    #[inline]
    pub fn step<W: Word>(self, set: W, direction: Direction) -> W {
        self.leap(set, direction, 1) & W::from_u128(self.mask())
    }

    /// Every member of `set` moved several steps at once, fewer than the board has rows. Those that
    /// leave the board are not dropped but end anywhere: the caller knows which squares can be
    /// reached.
    #[inline]
    pub fn leap<W: Word>(self, set: W, direction: Direction, steps: u32) -> W {
        let short = self.row_len();
        match direction {
            Direction::UpLeft => set >> (steps * (short + 1)),
            Direction::UpRight => set >> (steps * short),
            Direction::DownLeft => set << (steps * short),
            Direction::DownRight => set << (steps * (short + 1)),
        }
    }

    /// The set on the board turned by 180 degrees.
    #[inline]
    pub fn turn<W: Word>(self, set: W) -> W {
        set.reversed() >> (W::BITS - self.bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARDS: [Board; 4] = [
        Board { width: 6, height: 6 },
        Board { width: 8, height: 8 },
        Board { width: 10, height: 10 },
        Board { width: 12, height: 12 },
    ];

    fn squares(board: Board) -> impl Iterator<Item = Square> {
        (0..board.squares() as u8).map(Square)
    }

    #[test]
    fn squares_bits_rows_and_columns_agree() {
        for board in BOARDS {
            let mut mask = 0;
            for square in squares(board) {
                let bit = board.bit_of(square);
                assert!(bit < board.bits());
                assert_eq!(board.square_of(bit), square);
                assert_eq!(board.square_at(board.row(square), board.column(square)), Some(square));
                mask |= 1u128 << bit;
            }
            assert_eq!(mask, board.mask());
        }
    }

    #[test]
    fn a_step_is_one_row_and_one_column() {
        for board in BOARDS {
            for square in squares(board) {
                for (direction, rows, columns) in [
                    (Direction::UpLeft, -1, -1),
                    (Direction::UpRight, -1, 1),
                    (Direction::DownLeft, 1, -1),
                    (Direction::DownRight, 1, 1),
                ] {
                    let row = board.row(square) as i32 + rows;
                    let column = board.column(square) as i32 + columns;
                    let expected = if row < 0 || column < 0 {
                        0
                    } else {
                        board
                            .square_at(row as u32, column as u32)
                            .map_or(0, |to| 1u128 << board.bit_of(to))
                    };
                    assert_eq!(
                        board.step(1u128 << board.bit_of(square), direction),
                        expected,
                        "{board:?} {square:?} {direction:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_leap_is_several_steps() {
        for board in BOARDS {
            for at in squares(board).map(|square| 1u128 << board.bit_of(square)) {
                for &direction in Direction::ALL {
                    let mut next = at;
                    for steps in 1..u32::from(board.height) {
                        next = board.step(next, direction);
                        if next == 0 {
                            break;
                        }
                        assert_eq!(board.leap(at, direction, steps), next);
                    }
                }
            }
        }
    }

    #[test]
    fn turning_maps_every_square_to_its_opposite() {
        for board in BOARDS {
            for square in squares(board) {
                let turned = board.turned_square(square);
                assert_eq!(board.row(turned), board.height as u32 - 1 - board.row(square));
                assert_eq!(board.column(turned), board.width as u32 - 1 - board.column(square));
                assert_eq!(
                    board.turn(1u128 << board.bit_of(square)),
                    1u128 << board.bit_of(turned)
                );
            }
        }
    }

    #[test]
    fn the_main_road_is_where_pdn_says() {
        let road = |board: Board| -> Vec<u8> {
            board.main_road().indices().map(|bit| board.square_of(bit).0 + 1).collect()
        };
        assert_eq!(road(BOARDS[1]), [4, 8, 11, 15, 18, 22, 25, 29]);
        assert_eq!(road(BOARDS[2]), [5, 10, 14, 19, 23, 28, 32, 37, 41, 46]);
    }
}
