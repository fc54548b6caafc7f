//! The variants as data: one table of constants each, with the article behind every constant.

use std::fmt;
use std::hash::Hash;
use std::str::FromStr;

use crate::{Board, Direction, Word};

/// A player. Used only where colours matter to people: notation, diagrams, who starts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// White, at the bottom of the diagram; White's men go up.
    White,
    /// Black, at the top of the diagram.
    Black,
}

impl Side {
    /// The other player.
    #[inline]
    pub const fn other(self) -> Side {
        match self {
            Side::White => Side::Black,
            Side::Black => Side::White,
        }
    }

    /// The letter that FEN uses, `W` or `B`.
    pub const fn letter(self) -> char {
        match self {
            Side::White => 'W',
            Side::Black => 'B',
        }
    }
}

/// How a king moves and captures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum King {
    /// One step in any direction; captures an adjacent piece and lands right behind it.
    Short,
    /// Any number of free squares; captures at any distance and lands on any free square behind.
    Flying,
}

/// Which of the possible captures are legal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Priority {
    /// Any capture, as long as it is completed.
    Free,
    /// Only captures that take the greatest number of pieces.
    MostPieces,
}

/// When a man that reaches the last row becomes a king.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promotion {
    /// Only where its move ends there.
    AtEnd,
    /// At once, also within a capture, which it continues as a king.
    InPassing,
}

/// How squares are written in the variant's PDN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    /// By number from the top left, from 1.
    Numeric,
    /// By column letter and row number from the bottom left, `a1`.
    Algebraic,
}

/// The rules of movement of one game. Draw rules are not part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variant {
    /// The name in commands, folders and table files.
    pub name: &'static str,
    /// The PDN GameType number.
    pub game_type: u8,
    /// The board.
    pub board: Board,
    /// Rows that each player's men fill at the start of the game.
    pub start_rows: u8,
    /// Who moves first.
    pub starts: Side,
    /// Directions in which the mover's men move without capturing.
    pub man_moves: &'static [Direction],
    /// Directions in which the mover's men capture.
    pub man_captures: &'static [Direction],
    /// How kings move.
    pub king: King,
    /// Which captures may be chosen.
    pub priority: Priority,
    /// When men become kings.
    pub promotion: Promotion,
    /// How PDN writes squares.
    pub notation: Notation,
}

/// International draughts. FMJD, Annex 1 "Official FMJD rules of international draughts" (2015).
const INTERNATIONAL: Variant = Variant {
    name: "international",
    game_type: 20,                          // PDN 3.0, tag GameType
    board: Board { width: 10, height: 10 }, // art. 2.1-2.4
    start_rows: 4,                          // art. 2.8
    starts: Side::White,                    // art. 3.3
    man_moves: Direction::UP,               // art. 3.4
    man_captures: Direction::ALL,           // art. 4.2
    king: King::Flying,                     // art. 3.9, 4.3
    priority: Priority::MostPieces,         // art. 4.13
    promotion: Promotion::AtEnd,            // art. 4.15
    notation: Notation::Numeric,            // art. 2.6
};

/// Russian draughts. Rules of FMJD-64 (the Codex of 2004 has the same in arts. 1.4-1.5).
const RUSSIAN: Variant = Variant {
    name: "russian",
    game_type: 25, // PDN 3.0, tag GameType
    board: Board { width: 8, height: 8 },
    start_rows: 3,
    starts: Side::White,
    man_moves: Direction::UP,
    man_captures: Direction::ALL,
    king: King::Flying,
    priority: Priority::Free,        // Codex art. 1.5.3; FMJD-64 art. 4.13
    promotion: Promotion::InPassing, // Codex art. 1.5.15; FMJD-64 art. 4.14
    notation: Notation::Algebraic,   // PDN 3.0, GameType 25: A0
};

/// Brazilian draughts: the international rules on 8x8. FMJD-64 Brazilian version;
/// CBD summary rules, items 12-15.
const BRAZILIAN: Variant = Variant {
    name: "brazilian",
    game_type: 26, // PDN 3.0, tag GameType
    board: Board { width: 8, height: 8 },
    start_rows: 3,
    starts: Side::White,
    man_moves: Direction::UP,
    man_captures: Direction::ALL,
    king: King::Flying,
    priority: Priority::MostPieces, // FMJD-64 art. 4.16
    promotion: Promotion::AtEnd,    // CBD item 14
    notation: Notation::Algebraic,  // PDN 3.0, GameType 26: A0
};

/// English draughts, American checkers. WCDF Rules of Draughts, arts. 1.1-1.20.
const ENGLISH: Variant = Variant {
    name: "english",
    game_type: 21,                        // PDN 3.0, tag GameType
    board: Board { width: 8, height: 8 }, // WCDF 1.1-1.3
    start_rows: 3,                        // WCDF 1.8
    starts: Side::Black,                  // WCDF 1.9
    man_moves: Direction::UP,             // WCDF 1.12
    man_captures: Direction::UP,          // WCDF 1.15
    king: King::Short,                    // WCDF 1.14, 1.17
    priority: Priority::Free,             // WCDF 1.20
    // The move ends on promotion (WCDF 1.16): a man never captures backwards, so it could not
    // go on from the last row as a man, and it is a king only once the move is over.
    promotion: Promotion::AtEnd,
    notation: Notation::Numeric,
};

/// A type that names a variant, so that code can be made for each one from one text.
pub trait Rules: Copy + Eq + Ord + Hash + fmt::Debug + Default + Send + Sync + 'static {
    /// A word that holds the board's squares and ghosts.
    type Word: Word;
    /// The variant's table.
    const VARIANT: Variant;
    /// The variant's name as a value.
    const ID: VariantId;

    /// The board.
    #[inline]
    fn board() -> Board {
        Self::VARIANT.board
    }

    /// All playing squares.
    #[inline]
    fn squares() -> Self::Word {
        Self::Word::from_u128(const { Self::VARIANT.board.mask() })
    }

    /// The row where the mover's men become kings.
    #[inline]
    fn promotion_row() -> Self::Word {
        Self::Word::from_u128(const { Self::VARIANT.board.row_mask(0) })
    }

    /// The row where the waiter's men become kings.
    #[inline]
    fn waiter_promotion_row() -> Self::Word {
        let last = const { Self::VARIANT.board.row_mask(Self::VARIANT.board.height as u32 - 1) };
        Self::Word::from_u128(last)
    }

    /// The long diagonal from bottom left to top right, the same when the board is turned.
    #[inline]
    fn main_road() -> Self::Word {
        // Left to the compiler, it would be put together square by square each time.
        Self::Word::from_u128(const { Self::VARIANT.board.main_road() })
    }
}

/// The name was not a variant.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown variant '{0}': expected one of {names}", names = VariantId::names())]
pub struct UnknownVariant(pub String);

macro_rules! variants {
    ($($(#[$doc:meta])* $name:ident: $word:ty = $table:ident,)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
            pub struct $name;

            impl Rules for $name {
                type Word = $word;
                const VARIANT: Variant = $table;
                const ID: VariantId = VariantId::$name;
            }
        )*

        /// A variant chosen at run time. [`with_rules!`](crate::with_rules) goes from here to
        /// code that is generic over [`Rules`].
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum VariantId {
            $($(#[$doc])* $name,)*
        }

        impl VariantId {
            /// All variants.
            pub const ALL: &'static [VariantId] = &[$(VariantId::$name),*];

            /// The variant's table.
            pub const fn variant(self) -> &'static Variant {
                match self {
                    $(VariantId::$name => &$table,)*
                }
            }
        }
    };
}

variants! {
    /// International draughts, 10x10.
    International: u64 = INTERNATIONAL,
    /// Russian draughts, 8x8.
    Russian: u64 = RUSSIAN,
    /// Brazilian draughts, 8x8.
    Brazilian: u64 = BRAZILIAN,
    /// English draughts, 8x8.
    English: u64 = ENGLISH,
}

/// Runs an expression with a type name bound to the [`Rules`] of a [`VariantId`].
///
/// ```
/// use damabase_rules::{Rules, VariantId, with_rules};
/// let id: VariantId = "25".parse().unwrap();
/// let name = with_rules!(id, G => G::VARIANT.name);
/// assert_eq!(name, "russian");
/// ```
#[macro_export]
macro_rules! with_rules {
    ($id:expr, $G:ident => $body:expr) => {
        match $id {
            $crate::VariantId::International => {
                type $G = $crate::International;
                $body
            }
            $crate::VariantId::Russian => {
                type $G = $crate::Russian;
                $body
            }
            $crate::VariantId::Brazilian => {
                type $G = $crate::Brazilian;
                $body
            }
            $crate::VariantId::English => {
                type $G = $crate::English;
                $body
            }
        }
    };
}

impl VariantId {
    /// All names, for messages.
    pub fn names() -> String {
        let names: Vec<_> = Self::ALL.iter().map(|id| id.variant().name).collect();
        names.join(", ")
    }
}

impl fmt::Display for VariantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.variant().name)
    }
}

impl FromStr for VariantId {
    type Err = UnknownVariant;

    /// Reads a name or a PDN GameType number.
    fn from_str(text: &str) -> Result<Self, UnknownVariant> {
        Self::ALL
            .iter()
            .copied()
            .find(|id| {
                let variant = id.variant();
                variant.name == text || variant.game_type.to_string() == text
            })
            .ok_or_else(|| UnknownVariant(text.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_game_types_are_read() {
        for &id in VariantId::ALL {
            assert_eq!(id.variant().name.parse(), Ok(id));
            assert_eq!(id.variant().game_type.to_string().parse(), Ok(id));
            assert_eq!(crate::with_rules!(id, G => G::ID), id);
        }
        let message = "chess".parse::<VariantId>().unwrap_err().to_string();
        assert_eq!(
            message,
            "unknown variant 'chess': expected one of international, russian, brazilian, english"
        );
    }
}
