//! Positions, seen by the side to move.

use crate::{Board, Move, Rules, Square, Word};

/// One side's pieces.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Pieces<W> {
    /// Squares with men.
    pub men: W,
    /// Squares with kings.
    pub kings: W,
}

impl<W: Word> Pieces<W> {
    /// Men and kings.
    #[inline]
    pub fn all(self) -> W {
        self.men | self.kings
    }

    fn turned(self, board: Board) -> Self {
        Pieces { men: board.turn(self.men), kings: board.turn(self.kings) }
    }

    fn without(self, captured: W) -> Self {
        Pieces { men: self.men & !captured, kings: self.kings & !captured }
    }
}

/// A position as the mover sees it: the board is turned so that the mover's men go up, and
/// colours do not matter.
///
/// Positions made by [`Position::new`] are sound: pieces stand on playing squares, no two on one
/// square, and no man on the row where it would have become a king. One side may be empty.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Position<G: Rules> {
    /// The side to move.
    pub mover: Pieces<G::Word>,
    /// The other side.
    pub waiter: Pieces<G::Word>,
}

/// Why pieces do not make a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PositionError {
    /// A bit that is no playing square.
    #[error("a piece stands off the board")]
    OffBoard,
    /// Two pieces on one square (in the mover's view).
    #[error("two pieces stand on one square")]
    Overlap,
    /// A man on its promotion row.
    #[error("a man stands on its promotion row")]
    ManOnPromotionRow,
    /// No piece at all.
    #[error("there is no piece")]
    Empty,
}

impl<G: Rules> Position<G> {
    /// A position from the pieces of both sides in the mover's view.
    ///
    /// # Errors
    /// Any [`PositionError`].
    pub fn new(mover: Pieces<G::Word>, waiter: Pieces<G::Word>) -> Result<Self, PositionError> {
        let sets = [mover.men, mover.kings, waiter.men, waiter.kings];
        let mut seen = G::Word::ZERO;
        for set in sets {
            if (set & !G::squares()).any() {
                return Err(PositionError::OffBoard);
            }
            if (set & seen).any() {
                return Err(PositionError::Overlap);
            }
            seen |= set;
        }
        if (mover.men & G::promotion_row()).any() || (waiter.men & G::waiter_promotion_row()).any()
        {
            return Err(PositionError::ManOnPromotionRow);
        }
        if seen.none() {
            return Err(PositionError::Empty);
        }
        Ok(Position { mover, waiter })
    }

    /// A position from lists of squares in the mover's view: the mover's men and kings, the
    /// waiter's men and kings.
    ///
    /// # Errors
    /// Any [`PositionError`]; a square named twice counts as [`PositionError::Overlap`].
    pub fn from_squares(
        mover_men: &[Square],
        mover_kings: &[Square],
        waiter_men: &[Square],
        waiter_kings: &[Square],
    ) -> Result<Self, PositionError> {
        let set = |squares: &[Square]| {
            let mut set = G::Word::ZERO;
            for &square in squares {
                if u32::from(square.0) >= G::board().squares() {
                    return Err(PositionError::OffBoard);
                }
                let bit = G::Word::bit(G::board().bit_of(square));
                if (set & bit).any() {
                    return Err(PositionError::Overlap);
                }
                set |= bit;
            }
            Ok(set)
        };
        Position::new(
            Pieces { men: set(mover_men)?, kings: set(mover_kings)? },
            Pieces { men: set(waiter_men)?, kings: set(waiter_kings)? },
        )
    }

    /// The position in which a game starts, seen by its first mover.
    pub fn start() -> Self {
        let board = G::board();
        let mut men = G::Word::ZERO;
        for row in 0..G::VARIANT.start_rows {
            men |= G::Word::from_u128(board.row_mask(u32::from(board.height - 1 - row)));
        }
        let mover = Pieces { men, kings: G::Word::ZERO };
        Position { mover, waiter: mover.turned(board) }
    }

    /// Squares with a piece.
    #[inline]
    pub fn occupied(&self) -> G::Word {
        self.mover.all() | self.waiter.all()
    }

    /// Free squares.
    #[inline]
    pub fn free(&self) -> G::Word {
        G::squares() & !self.occupied()
    }

    /// Number of pieces.
    #[inline]
    pub fn pieces(&self) -> u32 {
        self.occupied().count()
    }

    /// The same pieces seen by the other side, as if it were to move.
    #[inline]
    pub fn turned(&self) -> Self {
        Position { mover: self.waiter.turned(G::board()), waiter: self.mover.turned(G::board()) }
    }

    /// The position after a move, seen by its new mover. The move must be legal here.
    #[inline]
    pub fn after(&self, m: &Move<G::Word>) -> Self {
        let from = G::Word::bit(G::board().bit_of(m.from));
        let to = G::Word::bit(G::board().bit_of(m.to));
        let mut mover = self.mover.without(from);
        if m.promotes || (self.mover.kings & from).any() {
            mover.kings |= to;
        } else {
            mover.men |= to;
        }
        Position { mover, waiter: self.waiter.without(m.captured) }.turned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{International, Russian};

    #[test]
    fn the_start_has_all_men_in_place() {
        let start = Position::<International>::start();
        assert_eq!(start.pieces(), 40);
        assert_eq!(start.turned(), start);
        assert_eq!(Position::<Russian>::start().pieces(), 24);
    }

    #[test]
    fn unsound_pieces_are_refused() {
        let new = |a: &[u8], b: &[u8], c: &[u8], d: &[u8]| {
            let squares = |s: &[u8]| s.iter().map(|&n| Square(n)).collect::<Vec<_>>();
            Position::<Russian>::from_squares(&squares(a), &squares(b), &squares(c), &squares(d))
        };
        assert_eq!(new(&[3], &[], &[8], &[]), Err(PositionError::ManOnPromotionRow));
        assert_eq!(new(&[8], &[], &[28], &[]), Err(PositionError::ManOnPromotionRow));
        assert_eq!(new(&[8], &[], &[], &[8]), Err(PositionError::Overlap));
        assert_eq!(new(&[8, 8], &[], &[], &[9]), Err(PositionError::Overlap));
        assert_eq!(new(&[32], &[], &[], &[9]), Err(PositionError::OffBoard));
        assert_eq!(new(&[], &[], &[], &[]), Err(PositionError::Empty));
        assert!(new(&[], &[1], &[], &[]).is_ok());
        let ghost = Pieces { men: 1 << 8, kings: 0 };
        assert_eq!(
            Position::<Russian>::new(ghost, Pieces::default()),
            Err(PositionError::OffBoard)
        );
    }
}
