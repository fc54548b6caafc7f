//! The notation of squares and moves.
//!
//! Squares in texts are those of the diagram, White below, whoever moves; [`Square`] in a
//! [`Position`] and a [`Move`] is the mover's view. Three forms of a move are written and read:
//!
//! | form | quiet | capture |
//! |---|---|---|
//! | short (PDN) | `32-28` | `28x19`, from x to |
//! | long (PDN) | | `47x38x24x13x36`, all squares touched |
//! | Hub | `32-28` | `28x19x23`, from x to x captured squares |

use damabase_rules::{
    Board, Move, Notation, Position, Rules, Side, Square, Word, capture_path, legal_moves,
};

/// The same square in the diagram and in the mover's view (this is its own inverse).
pub fn diagram_square(side: Side, board: Board, square: Square) -> Square {
    match side {
        Side::White => square,
        Side::Black => board.turned_square(square),
    }
}

/// The name of a square of the diagram: `32`, or column letter and row from the bottom left,
/// `d2`.
///
/// ```
/// use damabase_formats::{Notation, parse_square, square_name};
/// use damabase_rules::{Rules, Russian, Square};
///
/// assert_eq!(square_name(Russian::board(), Square(28), Notation::Numeric), "29");
/// assert_eq!(square_name(Russian::board(), Square(28), Notation::Algebraic), "a1");
/// assert_eq!(parse_square(Russian::board(), "a1"), Some(Square(28)));
/// assert_eq!(parse_square(Russian::board(), "29"), Some(Square(28)));
/// ```
pub fn square_name(board: Board, square: Square, notation: Notation) -> String {
    match notation {
        Notation::Numeric => (u32::from(square.0) + 1).to_string(),
        Notation::Algebraic => {
            let column = char::from(b'a' + board.column(square) as u8);
            format!("{column}{}", u32::from(board.height) - board.row(square))
        }
    }
}

/// The square of the diagram with a name in either notation. Leading zeros are allowed in
/// numbers, as PDN's reading grammar has them. `None` if there is no such playing square.
pub fn parse_square(board: Board, name: &str) -> Option<Square> {
    let digits = name.trim_start_matches(|c: char| c.is_ascii_lowercase());
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number: u32 = digits.parse().ok()?;
    match &name.as_bytes()[..name.len() - digits.len()] {
        [] if (1..=board.squares()).contains(&number) => Some(Square((number - 1) as u8)),
        [letter] if !digits.starts_with('0') => {
            let row = u32::from(board.height).checked_sub(number)?;
            board.square_at(row, u32::from(letter - b'a'))
        }
        _ => None,
    }
}

/// A move as PDN writes it: short, or long where another of `all`, the legal moves of the
/// position, has the same origin and destination. No two legal moves of a position have the same
/// text: a path tells which pieces were captured.
///
/// ```
/// use damabase_formats::{Fen, Notation, move_text};
/// use damabase_rules::{International, legal_moves};
///
/// let text = |fen: &str| -> Vec<String> {
///     let fen = Fen::<International>::parse(fen).unwrap();
///     let all = legal_moves(&fen.position);
///     let text = |m| move_text(fen.side, &fen.position, m, &all, Notation::Numeric);
///     let mut texts: Vec<String> = all.iter().map(text).collect();
///     texts.sort();
///     texts
/// };
/// assert_eq!(text("B:W28,33:B1"), ["1-6", "1-7"]);
/// assert_eq!(text("W:W28,33:B23"), ["28x19"]);
/// // The diagram of PDN 3.0's restriction 8.
/// assert_eq!(
///     text("W:WK47:B14,19,29,31,42"),
///     ["47x38x20x9x36", "47x38x24x13x36"]
/// );
/// ```
pub fn move_text<G: Rules>(
    side: Side,
    position: &Position<G>,
    m: &Move<G::Word>,
    all: &[Move<G::Word>],
    notation: Notation,
) -> String {
    let twins = all.iter().any(|other| other != m && (other.from, other.to) == (m.from, m.to));
    let path = if twins { capture_path(position, m) } else { None };
    let ends = [m.from, m.to];
    join::<G>(side, path.as_deref().unwrap_or(&ends), m.is_quiet(), notation)
}

/// A move as the Hub protocol writes it: by numbers; a capture names its origin, its destination
/// and the captured squares in ascending order.
pub fn hub_text<G: Rules>(side: Side, m: &Move<G::Word>) -> String {
    let board = G::board();
    let mut captured: Vec<Square> = m.captured.indices().map(|b| board.square_of(b)).collect();
    captured.sort_by_key(|&square| diagram_square(side, board, square));
    let squares = [&[m.from, m.to], captured.as_slice()].concat();
    join::<G>(side, &squares, m.is_quiet(), Notation::Numeric)
}

/// Squares of the mover's view, joined as a move.
fn join<G: Rules>(side: Side, squares: &[Square], quiet: bool, notation: Notation) -> String {
    let board = G::board();
    let names: Vec<String> = squares
        .iter()
        .map(|&square| square_name(board, diagram_square(side, board, square), notation))
        .collect();
    names.join(if quiet { "-" } else { "x" })
}

/// Why a text names no move of a position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MoveTextError {
    /// The text does not have the form of a move.
    #[error("'{0}' is no move: expected squares joined by '-', 'x' or ':'")]
    Malformed(String),
    /// A part of the text names no playing square.
    #[error("'{square}' in move '{text}' is no square of the board")]
    NoSquare {
        /// The move.
        text: String,
        /// The part.
        square: String,
    },
    /// No legal move fits.
    #[error("'{0}' is no legal move here")]
    Illegal(String),
    /// More than one legal move fits.
    #[error("'{text}' may be any of {}", candidates.join(", "))]
    Ambiguous {
        /// The move.
        text: String,
        /// The texts of the moves that it may be, as [`move_text`] writes them, in the notation
        /// of the text.
        candidates: Vec<String>,
    },
}

/// Reads a legal move in any of the forms of this module, numeric or algebraic. Separators are
/// `-`, `x` and `:`; a quiet move must have `-`, a capture may have any. A long form may leave
/// out squares where the piece goes straight on. White space around the text is ignored.
///
/// Of several captures with the same ends, `28x19` is the one that captures a single piece on
/// the straight line between them, if there is one, since that is its long form.
///
/// # Errors
/// Any [`MoveTextError`]; never panics.
///
/// ```
/// use damabase_formats::{Fen, parse_move};
/// use damabase_rules::{International, Side};
///
/// let fen = Fen::<International>::parse("W:W28:B23").unwrap();
/// let capture = parse_move(fen.side, &fen.position, "28x19").unwrap();
/// assert_eq!(parse_move(fen.side, &fen.position, "28x19x23"), Ok(capture));
/// let error = parse_move(fen.side, &fen.position, "28-22").unwrap_err();
/// assert_eq!(error.to_string(), "'28-22' is no legal move here");
/// ```
pub fn parse_move<G: Rules>(
    side: Side,
    position: &Position<G>,
    text: &str,
) -> Result<Move<G::Word>, MoveTextError> {
    let quoted =
        || -> String { text.trim().chars().take(60).flat_map(char::escape_default).collect() };
    let board = G::board();
    let mut squares = Vec::new();
    for name in text.trim().split(['-', 'x', ':']) {
        let square = parse_square(board, name).ok_or_else(|| {
            if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric()) {
                MoveTextError::Malformed(quoted())
            } else {
                let square = name.chars().take(12).collect();
                MoveTextError::NoSquare { text: quoted(), square }
            }
        })?;
        squares.push(diagram_square(side, board, square));
    }
    let [from, second, rest @ ..] = squares.as_slice() else {
        return Err(MoveTextError::Malformed(quoted()));
    };
    // The third square and those after it: the rest of the path, or Hub's captured squares.
    let last = rest.last().unwrap_or(second);
    let quiet_form = !text.contains(['x', ':']);
    let captured = path_captures(position, &squares);
    let named =
        rest.iter().fold(G::Word::ZERO, |set, &square| set | G::Word::bit(board.bit_of(square)));

    let all = legal_moves(position);
    let mut fits: Vec<&Move<G::Word>> = all
        .iter()
        .filter(|m| m.from == *from && (quiet_form || !m.is_quiet()))
        .filter(|m| {
            let short = rest.is_empty() && m.to == *last;
            let long = m.to == *last && captured == Some(m.captured);
            let hub =
                m.to == *second && m.captured == named && m.captured.count() as usize == rest.len();
            short || long || hub
        })
        .collect();
    // Only short forms fit several moves; one of them may be the long form of a single capture.
    if let [_, _, ..] = fits.as_slice()
        && let Some(captured) = captured
        && captured.count() == 1
        && let Some(exact) = fits.iter().position(|m| m.captured == captured)
    {
        fits = vec![fits[exact]];
    }
    let algebraic = text.trim_start().starts_with(|c: char| c.is_ascii_alphabetic());
    let notation = if algebraic { Notation::Algebraic } else { Notation::Numeric };
    match fits.as_slice() {
        [] => Err(MoveTextError::Illegal(quoted())),
        [m] => Ok(**m),
        several => Err(MoveTextError::Ambiguous {
            text: quoted(),
            candidates: several
                .iter()
                .map(|m| move_text(side, position, m, &all, notation))
                .collect(),
        }),
    }
}

/// The waiter's pieces that lie between squares touched one after the other. `None` where the
/// squares are not the path of a capture: two of them are on no common line, a piece stands on
/// one, or between two there is something else than pieces of the waiter not passed before.
fn path_captures<G: Rules>(position: &Position<G>, squares: &[Square]) -> Option<G::Word> {
    let board = G::board();
    let bit = |square: Square| G::Word::bit(board.bit_of(square));
    let place = |square: Square| (board.row(square) as i32, board.column(square) as i32);
    let occupied = position.occupied() & !bit(*squares.first()?);
    let mut captured = G::Word::ZERO;
    for leg in squares.windows(2) {
        let ((row, column), (end_row, end_column)) = (place(leg[0]), place(leg[1]));
        let (rows, columns) = (end_row - row, end_column - column);
        if rows.abs() != columns.abs() && rows != 0 && columns != 0 {
            return None;
        }
        let mut passed = G::Word::ZERO;
        for step in 1..rows.abs().max(columns.abs()) {
            let row = row + step * rows.signum();
            let column = column + step * columns.signum();
            if let Some(square) = board.square_at(row as u32, column as u32) {
                passed |= bit(square) & occupied;
            }
        }
        let victims = position.waiter.all() & !captured;
        if passed.none() || (passed & !victims).any() || (occupied & bit(leg[1])).any() {
            return None;
        }
        captured |= passed;
    }
    Some(captured)
}
