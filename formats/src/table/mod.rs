//! Table files: one slice's values by one metric, compressed in blocks that are read one by one.
//!
//! [`TableWriter`] takes values from anything that is [`Values`] and writes a file;
//! [`TableFile`] reads it from anything that is [`ReadAt`]. A file says of every index value
//! ([`Index`](crate::Index)) what the position is worth to its mover, except where the mover can
//! capture: there it holds whatever compresses best. The bytes are described in
//! `docs/format.md`.

mod checksum;
mod choice;
mod codec;
mod encode;
mod error;
mod grammar;
mod header;
mod id;
mod io;
mod metadata;
mod reader;
mod threats;
mod value;
mod writer;

pub use checksum::checksum;
pub use error::TableError;
pub use header::{Counts, FORMAT_VERSION, Header, Section, Stored};
pub use id::{Metric, NO_PROFILE, TableId, UnknownMetric};
pub use io::ReadAt;
pub use metadata::{MAX_METADATA_BYTES, Metadata, SectionStatistics};
pub use reader::TableFile;
pub use threats::is_left_out;
pub use value::{DONT_CARE, Distance, Wld};
pub use writer::{
    Compression, EncodedBlock, Layout, TableInfo, TableWriter, UnknownLayout, Values, WriteOptions,
    remove_unfinished, write_table,
};
