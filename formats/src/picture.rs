//! The board as text.

use damabase_rules::{Position, Rules, Side, Square, Word};

use crate::notation::diagram_square;

/// Draws a position for a terminal: White at the bottom, `w` and `b` for men, `W` and `B` for
/// kings, `.` for free playing squares. Each row ends with the numbers of its squares; an 8x8
/// board also shows algebraic coordinates. Plain ASCII, no newline at the end.
///
/// ```
/// use damabase_formats::{Fen, picture};
/// use damabase_rules::{Brazilian, International};
///
/// let fen = Fen::<International>::parse("B:WK29,K30,31:BK6,7").unwrap();
/// assert_eq!(picture(fen.side, &fen.position), "\
/// |   .   .   .   .   . |  1-5
/// | B   b   .   .   .   |  6-10
/// |   .   .   .   .   . | 11-15
/// | .   .   .   .   .   | 16-20
/// |   .   .   .   .   . | 21-25
/// | .   .   .   W   W   | 26-30
/// |   w   .   .   .   . | 31-35
/// | .   .   .   .   .   | 36-40
/// |   .   .   .   .   . | 41-45
/// | .   .   .   .   .   | 46-50");
///
/// let fen = Fen::<Brazilian>::parse("W:Wa1,Kb8:Bh8").unwrap();
/// assert_eq!(picture(fen.side, &fen.position), "\
/// 8 |   W   .   .   b |  1-4
/// 7 | .   .   .   .   |  5-8
/// 6 |   .   .   .   . |  9-12
/// 5 | .   .   .   .   | 13-16
/// 4 |   .   .   .   . | 17-20
/// 3 | .   .   .   .   | 21-24
/// 2 |   .   .   .   . | 25-28
/// 1 | w   .   .   .   | 29-32
///     a b c d e f g h");
/// ```
pub fn picture<G: Rules>(side: Side, position: &Position<G>) -> String {
    let board = G::board();
    let (width, height) = (u32::from(board.width), u32::from(board.height));
    let algebraic = crate::fen::has_algebraic(board);
    let mut lines = Vec::new();
    for row in 0..height {
        let mut line = if algebraic { format!("{} |", height - row) } else { String::from("|") };
        for column in 0..width {
            line.push(' ');
            line.push(board.square_at(row, column).map_or(' ', |s| symbol(side, position, s)));
        }
        let first = row * board.row_len() + 1;
        line.push_str(&format!(" | {first:2}-{}", first + board.row_len() - 1));
        lines.push(line);
    }
    if algebraic {
        lines.push("    a b c d e f g h".to_string());
    }
    lines.join("\n")
}

/// What stands on a square of the diagram.
fn symbol<G: Rules>(side: Side, position: &Position<G>, square: Square) -> char {
    let board = G::board();
    let bit = G::Word::bit(board.bit_of(diagram_square(side, board, square)));
    let (mover, waiter) = match side {
        Side::White => (['w', 'W'], ['b', 'B']),
        Side::Black => (['b', 'B'], ['w', 'W']),
    };
    for (pieces, [man, king]) in [(position.mover, mover), (position.waiter, waiter)] {
        if (pieces.men & bit).any() {
            return man;
        }
        if (pieces.kings & bit).any() {
            return king;
        }
    }
    '.'
}
