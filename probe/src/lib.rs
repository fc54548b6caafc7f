//! Exact values of positions from table files, for many threads at once.
//!
//! A [`TableSet`] is opened on folders of tables and answers for **every** position whose tables
//! are there: a table says nothing of positions where the mover can capture, so captures are
//! searched until no more are possible, and positions where the game is over need no table.
//! Opening only lists the folders; a file is opened when it is first needed, and decoded blocks
//! are kept in a cache of bounded size.
//!
//! ```no_run
//! use damabase_formats::{Fen, Wld};
//! use damabase_probe::TableSet;
//! use damabase_rules::Russian;
//!
//! let tables = TableSet::<Russian>::open(&["tables".into()])?;
//! // Petrov's triangle: three kings against one on the main road's neighbour.
//! let fen = Fen::<Russian>::parse("W:WK29,K30,K31:BK6").unwrap();
//! assert_eq!(tables.wld(&fen.position)?, Wld::Win);
//! for m in tables.moves(&fen.position)? {
//!     println!("{:?} {}", m.action, m.value.wld);
//! }
//! # Ok::<(), damabase_probe::ProbeError>(())
//! ```
//!
//! Where the game is chosen at run time, and by colours, as bindings for other languages need it,
//! there is [`AnyTables`] with [`Diagram`].
//!
//! [`ProbeError`] tells apart who is to blame: the caller, a table that is not there, a damaged
//! file, or the system. Nothing in this crate panics on any file or position.

mod cache;
mod diagram;
mod error;
mod files;
mod search;
mod set;
mod standing;
mod table;
mod under;

#[cfg(test)]
#[allow(dead_code)] // unit tests use a part of this
#[path = "../tests/common/mod.rs"]
mod common;

pub use diagram::{AnyTables, CountedError, Diagram, DiagramMove, open_any, open_any_mapped};
pub use error::{MissingTable, NeededBy, ProbeError};
pub use search::{MoveValue, Value};
pub use set::{DEFAULT_CACHE_BYTES, TableSet};
pub use standing::{Counted, Standing};
pub use table::Lookups;
pub use under::{CountedMove, Doubt, Under, budget_of_move};
