//! Facts about a table, and what its codes mean where they are no numbers. The only place that
//! knows bincode.

use bincode::config::{Configuration, Limit, LittleEndian, Varint};
use bincode::{Decode, Encode};

use super::TableError;
use crate::stairs::Stairs;

/// The greatest size of the metadata in bytes.
pub const MAX_METADATA_BYTES: usize = 1 << 20;

const CONFIG: Configuration<LittleEndian, Varint, Limit<MAX_METADATA_BYTES>> =
    bincode::config::standard().with_limit::<MAX_METADATA_BYTES>();

/// Facts about a table. A probe needs none of them but the dictionary.
#[derive(Clone, PartialEq, Eq, Debug, Default, Encode, Decode)]
pub struct Metadata {
    /// Name and version of the program that made the table.
    pub generator: String,
    /// Statistics of each section, in the order of the sections.
    pub sections: Vec<SectionStatistics>,
    /// Further facts as names and texts.
    pub notes: Vec<(String, String)>,
    /// Where codes stand for staircases: what they mean, as the bytes of a
    /// [`Stairs`](crate::stairs::Stairs) compressed by zstd; else empty.
    pub dictionary: Vec<u8>,
}

/// The greatest size of a dictionary, in bytes.
const MAX_DICTIONARY_BYTES: usize = 1 << 24;

/// Statistics of the positions with one side to move.
#[derive(Clone, PartialEq, Eq, Debug, Default, Encode, Decode)]
pub struct SectionStatistics {
    /// Positions where the mover can capture.
    pub captures: u64,
    /// Greatest distance of a won position in plies, by the table's metric; none if unknown.
    pub longest_win_plies: Option<u32>,
    /// Greatest distance of a lost position in plies, by the table's metric; none if unknown.
    pub longest_loss_plies: Option<u32>,
}

impl Metadata {
    /// A dictionary as [`Metadata::dictionary`] has it.
    ///
    /// # Errors
    /// [`TableError::Unwritable`].
    pub fn dictionary_of(stairs: &Stairs) -> Result<Vec<u8>, TableError> {
        let unwritable = |error| TableError::Unwritable(format!("dictionary: {error}"));
        zstd::bulk::compress(&stairs.to_bytes(), 19).map_err(unwritable)
    }

    /// What codes mean; none where they are values.
    ///
    /// # Errors
    /// [`TableError::Damaged`].
    pub fn stairs(&self) -> Result<Option<Stairs>, TableError> {
        if self.dictionary.is_empty() {
            return Ok(None);
        }
        let damaged =
            |found: String| TableError::damaged("metadata", "a dictionary of staircases", found);
        let bytes = zstd::bulk::decompress(&self.dictionary, MAX_DICTIONARY_BYTES)
            .map_err(|error| damaged(error.to_string()))?;
        Stairs::from_bytes(&bytes).map(Some).map_err(|error| damaged(error.to_string()))
    }

    /// # Errors
    /// [`TableError::Unwritable`] where it takes more than [`MAX_METADATA_BYTES`].
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, TableError> {
        let bytes = bincode::encode_to_vec(self, CONFIG)
            .map_err(|error| TableError::Unwritable(format!("metadata: {error}")))?;
        if bytes.len() > MAX_METADATA_BYTES {
            let message = format!("metadata of {} bytes, over {MAX_METADATA_BYTES}", bytes.len());
            return Err(TableError::Unwritable(message));
        }
        Ok(bytes)
    }

    /// # Errors
    /// [`TableError::Damaged`] where the bytes are not exactly one [`Metadata`].
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Metadata, TableError> {
        let damaged = |found: String| TableError::damaged("metadata", "facts", found);
        let (metadata, len) = bincode::decode_from_slice(bytes, CONFIG)
            .map_err(|error| damaged(error.to_string().replace('\n', " ")))?;
        if len != bytes.len() {
            return Err(damaged(format!("{} bytes more", bytes.len() - len)));
        }
        Ok(metadata)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_read_as_written_and_limited() {
        let metadata = Metadata {
            generator: "test".into(),
            sections: vec![SectionStatistics {
                captures: 1 << 40,
                longest_win_plies: Some(300),
                longest_loss_plies: None,
            }],
            notes: vec![("name".into(), "text".into())],
            dictionary: vec![7],
        };
        let bytes = metadata.to_bytes().unwrap();
        assert_eq!(Metadata::from_bytes(&bytes).unwrap(), metadata);
        for len in 0..bytes.len() {
            assert!(Metadata::from_bytes(&bytes[..len]).is_err());
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(Metadata::from_bytes(&longer).is_err());
        // A length of 2^64 - 1: must be refused before anything is allocated.
        assert!(Metadata::from_bytes(&[0xfd, 255, 255, 255, 255, 255, 255, 255, 255]).is_err());
        let large = Metadata { generator: "x".repeat(MAX_METADATA_BYTES), ..Metadata::default() };
        assert!(matches!(large.to_bytes(), Err(TableError::Unwritable(_))));
    }
}
