//! Everything that Damabase reads and writes: notation, material slices, the position index, and
//! table files.

pub mod index;
pub mod slice;

pub use index::{Index, positions};
pub use slice::{Material, Slice, SliceError, ToMove};
