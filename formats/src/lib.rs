//! Everything that Damabase reads and writes: notation of positions and games, material slices, the
//! position index, and table files.

pub mod fen;
pub mod index;
pub mod notation;
pub mod pdn;
mod picture;
pub mod slice;
pub mod stairs;
pub mod table;

pub use damabase_rules::Notation;
pub use fen::{Fen, FenError, FenErrorKind};
pub use index::{Index, positions};
pub use notation::{
    MoveTextError, diagram_square, hub_text, move_text, parse_move, parse_square, square_name,
};
pub use picture::picture;
pub use slice::{Material, Slice, SliceError, ToMove};
pub use table::{Distance, Metric, TableError, TableFile, TableId, Wld};
