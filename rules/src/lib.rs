//! The games: boards, variants as data, positions, legal moves, and draw rules ([`draws`]).
//!
//! A variant is a table of constants ([`Variant`]); everything that plays is generic over a
//! [`Rules`] type that names one, so the compiler makes a generator for each game from one text.
//! Positions are seen by the side to move, whose men go up ([`Position`]).
//!
//! ```
//! use damabase_rules::{International, Position, Square, legal_moves};
//!
//! // White king on 28, Black king on 44, White to move: it may go to any of 12 squares.
//! let position = Position::<International>::from_squares(&[], &[Square(27)], &[], &[Square(43)]).unwrap();
//! let moves = legal_moves(&position);
//! assert!(moves.iter().all(|m| m.is_quiet() || m.captured.count_ones() == 1));
//! ```

mod board;
pub mod draws;
mod material;
mod moves;
mod perft;
mod position;
mod variant;
mod word;

pub use board::{Board, Direction, Square};
pub use material::Material;
pub use moves::{
    Counting, Move, MoveList, can_capture, capture_path, captures, legal_moves, legal_moves_into,
    quiet_moves,
};
pub use perft::perft;
pub use position::{Pieces, Position, PositionError};
pub use variant::{
    Brazilian, English, International, King, Notation, Priority, Promotion, Rules, Russian, Side,
    UnknownVariant, Variant, VariantId,
};
pub use word::{Indices, Word};
