//! FEN, the notation of positions, as PDN 3.0 has it.
//!
//! ```text
//! W:WK29,K30,K31:BK6           White to move; kings on 29, 30, 31 against a king on 6
//! B:W31-50:B1-20:H0:F1         ranges; lidraughts' counters, read and written back
//! W:WKa1,c3:Bb8.               algebraic squares on 8x8, final dot: read, not written
//! ```
//!
//! The reader takes whatever the grammar of PDN 3.0 allows, and nothing else: it names the column
//! of what it does not understand and drops nothing. The writer has one form for each position.
//! Grammar: PDN 3.0, section "FEN tag".

use std::fmt;
use std::str::FromStr;

use damabase_rules::{Board, Position, Rules, Side, Square, Word};

mod read;

/// A position with the side to move and the counters that came with it.
///
/// ```
/// use damabase_formats::Fen;
/// use damabase_rules::{International, Side};
///
/// let fen: Fen<International> = r#"[FEN "B : BK6 : W K29-30, K31."]"#.parse().unwrap();
/// assert_eq!(fen.side, Side::Black);
/// assert_eq!(fen.to_string(), "B:WK29,K30,K31:BK6");
///
/// let error = "W:WK29,51:BK6".parse::<Fen<International>>().unwrap_err();
/// assert_eq!(error.to_string(), "column 8: square 51 is not on the board, which has 1 to 50");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fen<G: Rules> {
    /// The side to move.
    pub side: Side,
    /// The pieces, in the view of the side to move.
    pub position: Position<G>,
    /// Plies since the last capture or man move, as lidraughts writes them (`:H<plies>`).
    pub half_moves: Option<u32>,
    /// Number of the move that follows, from 1 (lidraughts' `:F<number>`).
    pub full_moves: Option<u32>,
    /// Named counters in the order of the text (`:C<NAME>=<value>`), no name twice. A name is a
    /// letter followed by letters, digits, `_` and `-`; other names cannot be read back.
    pub counters: Vec<(String, u32)>,
}

impl<G: Rules> Fen<G> {
    /// A position without counters.
    pub fn new(side: Side, position: Position<G>) -> Self {
        Fen { side, position, half_moves: None, full_moves: None, counters: Vec::new() }
    }

    /// Reads a FEN, bare, in quotes or as a PDN tag. Never panics.
    ///
    /// # Errors
    /// The first thing in the text that is no FEN of a sound position, with its column.
    pub fn parse(text: &str) -> Result<Self, FenError> {
        read::read(text)
    }
}

impl<G: Rules> FromStr for Fen<G> {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Self, FenError> {
        Fen::parse(text)
    }
}

/// Writes the one strict form: White first, squares as numbers in ascending order, no ranges, no
/// spaces, no final dot.
impl<G: Rules> fmt::Display for Fen<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let white_view = match self.side {
            Side::White => self.position,
            Side::Black => self.position.turned(),
        };
        write!(f, "{}", self.side.letter())?;
        for (side, pieces) in [(Side::White, white_view.mover), (Side::Black, white_view.waiter)] {
            write!(f, ":{}", side.letter())?;
            for (i, bit) in pieces.all().indices().enumerate() {
                let comma = if i == 0 { "" } else { "," };
                let king = if (pieces.kings & G::Word::bit(bit)).any() { "K" } else { "" };
                write!(f, "{comma}{king}{}", number(G::board().square_of(bit)))?;
            }
        }
        if let Some(plies) = self.half_moves {
            write!(f, ":H{plies}")?;
        }
        if let Some(number) = self.full_moves {
            write!(f, ":F{number}")?;
        }
        for (name, value) in &self.counters {
            write!(f, ":C{name}={value}")?;
        }
        Ok(())
    }
}

/// PDN's number of a square.
fn number(square: Square) -> u32 {
    u32::from(square.0) + 1
}

/// Whether PDN has algebraic squares for a board: its grammar knows `a1` to `h8` only.
pub(crate) fn has_algebraic(board: Board) -> bool {
    board.width == 8 && board.height == 8
}

/// Why a text is no FEN, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("column {column}: {kind}")]
pub struct FenError {
    /// Where the trouble begins: characters of the given text, from 1. One past the last
    /// character where something is missing at the end.
    pub column: usize,
    /// What is wrong.
    pub kind: FenErrorKind,
}

/// What is wrong with a FEN.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FenErrorKind {
    /// The text does not begin with the side to move.
    #[error("expected the side to move, 'W' or 'B', found {}", Found(*.0))]
    NoSide(Option<char>),
    /// `?` for a colour: allowed by PDN, but no position to play from.
    #[error("'?' names no colour: expected 'W' or 'B'")]
    UnknownColour,
    /// Something else than the grammar allows here.
    #[error("expected {expected}, found {}", Found(*.found))]
    Unexpected {
        /// What could stand here.
        expected: &'static str,
        /// What stands here; `None` at the end of the text.
        found: Option<char>,
    },
    /// A character outside ASCII, of which FEN has none.
    #[error("{} is no character of a FEN", Found(Some(*.0)))]
    NonAscii(char),
    /// A square number that the board does not have.
    #[error("square {number} is not on the board, which has 1 to {last}")]
    OffBoard {
        /// The number as written, shortened if very long.
        number: String,
        /// The highest number of a square.
        last: u32,
    },
    /// An algebraic square that is light.
    #[error("square {0} is a light square, not played on")]
    LightSquare(String),
    /// An algebraic square on a board that is not 8x8.
    #[error("algebraic squares exist on 8x8 only: expected a square number")]
    NotAlgebraic,
    /// Numbers and algebraic squares in one FEN.
    #[error("square numbers and algebraic squares in one text")]
    MixedNotation,
    /// A range that runs from a higher number to a lower one.
    #[error("range {first}-{last} runs backwards")]
    BackwardRange {
        /// Its first number.
        first: u32,
        /// Its last number.
        last: u32,
    },
    /// Two pieces on one square.
    #[error("two pieces on square {0}")]
    Overlap(String),
    /// A man where it would have become a king.
    #[error("a man on its promotion row, square {0}")]
    ManOnPromotionRow(String),
    /// A piece that is taken in a capture not yet over, as lidraughts writes it.
    #[error("ghost piece '{0}': a capture is not over, so this is no position to move in")]
    GhostPiece(char),
    /// One side's pieces given twice.
    #[error("the pieces of '{}' were already given", .0.letter())]
    DuplicateSide(Side),
    /// A field given twice.
    #[error("field '{0}' was already given")]
    DuplicateField(String),
    /// A field that is neither a side's pieces nor a counter known here.
    #[error("unknown field '{0}'")]
    UnknownField(String),
    /// A counter beyond 32 bits.
    #[error("the value of field '{0}' is too large")]
    ValueTooLarge(String),
    /// Neither side has a piece.
    #[error("neither side has a piece")]
    NoPieces,
}

/// A character in a message, or the lack of one.
struct Found(Option<char>);

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(c) if c.is_ascii_graphic() => write!(f, "'{c}'"),
            Some(c) => write!(f, "'{}'", c.escape_default()),
            None => f.write_str("the end of the text"),
        }
    }
}
