//! The fixed header of a table file, and everything that follows from it. See
//! `docs/format-v1.md` for the bytes.

use damabase_rules::VariantId;

use super::checksum::{check_sum, checksum};
use super::codec::{Codec, Packing};
use super::error::check;
use super::metadata::MAX_METADATA_BYTES;
use super::{Metric, TableError, TableId};
use crate::{Material, Slice, ToMove, positions};

/// The first bytes of a table file. The first is no ASCII letter, the others show whether line
/// ends were changed on the way.
const MAGIC: [u8; 8] = *b"\x89DMB\r\n\x1a\n";

/// The format version that this library reads and writes.
pub const FORMAT_VERSION: u16 = 1;

pub(super) const HEADER_BYTES: usize = 256;
pub(super) const FOOTER_BYTES: u64 = 8;
pub(super) const DIRECTORY_ENTRY_BYTES: u64 = 16;
/// Where the byte is that says that the file is finished.
pub(super) const FINISHED_OFFSET: usize = 10;
/// Bytes that are known before the first block: their checksum is the file's identity.
const IDENTITY_BYTES: usize = 168;
const CHECKSUM_OFFSET: usize = 248;
const MAX_BLOCK_BYTES: u32 = 1 << 20;

/// How many positions of a section have which value; positions with captures are counted too,
/// holes are not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// All positions.
    pub positions: u64,
    /// Positions where the mover wins.
    pub wins: u64,
    /// Drawn positions.
    pub draws: u64,
    /// Positions where the mover loses.
    pub losses: u64,
}

/// The part of a table with one side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// Who is to move.
    pub to_move: ToMove,
    /// Number of index values.
    pub values: u64,
    /// Number of the section's first block in the file.
    pub first_block: u64,
    /// Number of blocks.
    pub blocks: u64,
    /// How many positions have which value.
    pub counts: Counts,
}

/// What the header of a table file says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// What the table is a table of.
    pub id: TableId,
    /// The greatest code of a value in the table.
    pub max_code: u16,
    /// The sections, one or two.
    pub sections: Vec<Section>,
    pub(super) codec: Codec,
    pub(super) metadata_len: u64,
    pub(super) blocks_len: u64,
    pub(super) metadata_sum: u64,
    pub(super) directory_sum: u64,
}

impl Header {
    /// A header of a file to be written; lengths and checksums are still open.
    ///
    /// # Errors
    /// [`TableError::Unwritable`] where the parts do not make a table.
    pub(super) fn new(
        id: TableId,
        max_code: u16,
        counts: &[Counts],
        block_bytes: u32,
    ) -> Result<Header, TableError> {
        let unwritable = |message: String| Err(TableError::Unwritable(message));
        if id.profile.is_empty()
            || id.profile.len() > 32
            || !id.profile.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        {
            return unwritable(format!("'{}' is no name of a profile", id.profile));
        }
        if max_code > id.metric.max_code() {
            return unwritable(format!("greatest code {max_code} of metric {}", id.metric));
        }
        if !(2..=MAX_BLOCK_BYTES).contains(&block_bytes) || !block_bytes.is_multiple_of(2) {
            return unwritable(format!("block size {block_bytes}"));
        }
        let sides = id.slice.sides();
        if counts.len() != sides.len() {
            return unwritable(format!(
                "{} sections where there are {}",
                counts.len(),
                sides.len()
            ));
        }
        let board = id.variant.variant().board;
        let codec = Codec { packing: Packing::new(max_code, board.squares()), block_bytes };
        let expected = positions(board, id.slice);
        let mut sections = Vec::new();
        let mut first_block = 0;
        for (&to_move, &counts) in sides.iter().zip(counts) {
            let sum = [counts.wins, counts.draws, counts.losses]
                .into_iter()
                .try_fold(0, u64::checked_add);
            if counts.positions != expected || sum != Some(expected) {
                return unwritable(format!("counts do not add up to {expected} positions"));
            }
            let values = id.section_len(to_move);
            let blocks = values.div_ceil(codec.block_values());
            sections.push(Section { to_move, values, first_block, blocks, counts });
            first_block += blocks;
        }
        Ok(Header {
            id,
            max_code,
            sections,
            codec,
            metadata_len: 0,
            blocks_len: 0,
            metadata_sum: 0,
            directory_sum: 0,
        })
    }

    /// Number of blocks of all sections.
    pub fn blocks(&self) -> u64 {
        self.sections.iter().map(|section| section.blocks).sum()
    }

    /// The section with a side to move. In a symmetric slice both are the same.
    pub fn section(&self, to_move: ToMove) -> &Section {
        match (to_move, &self.sections[..]) {
            (ToMove::Second, [_, second]) => second,
            _ => &self.sections[0],
        }
    }

    /// Number of values in a block of the file; 0 where there is no such block.
    pub(super) fn values_in_block(&self, block: u64) -> u64 {
        self.range_of_block(block).map_or(0, |(_, _, len)| len)
    }

    /// The section of a block, the first index value in it and the number of values.
    pub(super) fn range_of_block(&self, block: u64) -> Option<(&Section, u64, u64)> {
        let section = self.sections.iter().find(|section| {
            (section.first_block..section.first_block + section.blocks).contains(&block)
        })?;
        let start = (block - section.first_block) * self.codec.block_values();
        Some((section, start, (section.values - start).min(self.codec.block_values())))
    }

    pub(super) fn metadata_offset(&self) -> u64 {
        HEADER_BYTES as u64
    }

    pub(super) fn directory_offset(&self) -> u64 {
        self.metadata_offset() + self.metadata_len
    }

    pub(super) fn directory_len(&self) -> u64 {
        self.blocks().saturating_mul(DIRECTORY_ENTRY_BYTES)
    }

    pub(super) fn blocks_offset(&self) -> u64 {
        self.directory_offset().saturating_add(self.directory_len())
    }

    pub(super) fn footer_offset(&self) -> u64 {
        self.blocks_offset().saturating_add(self.blocks_len)
    }

    pub(super) fn file_len(&self) -> u64 {
        self.footer_offset().saturating_add(FOOTER_BYTES)
    }

    /// The header's bytes, as those of a finished file.
    pub(super) fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        let padded = |text: &str, len: usize| {
            let mut field = text.as_bytes().to_vec();
            field.resize(len, 0);
            field
        };
        let (first, second) = (self.id.slice.first(), self.id.slice.second());
        bytes.extend(MAGIC);
        bytes.extend(FORMAT_VERSION.to_le_bytes());
        bytes.push(1);
        bytes.push(self.id.metric.number());
        bytes.extend([first.men, first.kings, second.men, second.kings]);
        bytes.extend(padded(self.id.variant.variant().name, 16));
        bytes.extend(padded(&self.id.profile, 32));
        bytes.extend(self.max_code.to_le_bytes());
        bytes.push(self.codec.packing.per_byte());
        bytes.push(self.sections.len() as u8);
        bytes.extend(self.codec.block_bytes.to_le_bytes());
        for section in &self.sections {
            let Counts { positions, wins, draws, losses } = section.counts;
            for number in [section.values, section.blocks, positions, wins, draws, losses] {
                bytes.extend(number.to_le_bytes());
            }
        }
        bytes.resize(IDENTITY_BYTES, 0);
        for number in [
            self.metadata_offset(),
            self.metadata_len,
            self.directory_offset(),
            self.directory_len(),
            self.blocks_offset(),
            self.blocks_len,
            self.file_len(),
            self.metadata_sum,
            self.directory_sum,
        ] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.resize(CHECKSUM_OFFSET, 0);
        bytes.extend(checksum(0, &bytes).to_le_bytes());
        bytes.try_into().expect("the fields fill the header")
    }

    /// The seed of the checksums of the file's parts.
    pub(super) fn identity(&self) -> u64 {
        checksum(0, &self.to_bytes()[..IDENTITY_BYTES])
    }

    /// # Errors
    /// [`TableError::Damaged`], [`TableError::Unsupported`], or [`TableError::WrongTable`] where
    /// the table is of a game that this library does not know.
    pub(super) fn from_bytes(bytes: &[u8; HEADER_BYTES]) -> Result<Header, TableError> {
        let u16_at = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let u64_at = |at: usize| {
            u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes of the header"))
        };
        let text_at = |at: usize, len: usize| {
            String::from_utf8_lossy(&bytes[at..at + len]).trim_end_matches('\0').to_string()
        };
        if bytes[..8] != MAGIC {
            return Err(TableError::damaged("the magic number", "a table file", "another file"));
        }
        if u16_at(8) != FORMAT_VERSION {
            return Err(TableError::Unsupported { version: u16_at(8) });
        }
        if bytes[FINISHED_OFFSET] != 1 {
            let found = "a file that was never finished";
            return Err(TableError::damaged("the file", "a finished file", found));
        }
        let found = checksum(0, &bytes[..CHECKSUM_OFFSET]);
        check_sum("the header", u64_at(CHECKSUM_OFFSET), found)?;

        // From here on a fault is not an accident; but it must not do harm either.
        let damaged = |found: String| TableError::damaged("the header", "sound fields", found);
        let name = text_at(16, 16);
        let variant: VariantId = name.parse().map_err(|_| TableError::WrongTable {
            expected: format!("one of {}", VariantId::names()),
            found: name.clone(),
        })?;
        let metric = Metric::from_number(bytes[11])
            .ok_or_else(|| damaged(format!("metric number {}", bytes[11])))?;
        let material = |at: usize| Material { men: bytes[at], kings: bytes[at + 1] };
        let (first, second) = (material(12), material(14));
        if first.pieces() + second.pieces() > crate::slice::MAX_PIECES
            || first.pieces() == 0
            || second.pieces() == 0
        {
            return Err(damaged(format!("{} and {} pieces", first.pieces(), second.pieces())));
        }
        let slice = Slice::new(first, second);
        let id = TableId { variant, slice, metric, profile: text_at(32, 32) };
        let counts: Vec<Counts> = (0..slice.sides().len())
            .map(|section| {
                let at = |field: usize| u64_at(72 + 48 * section + 8 * field);
                Counts { positions: at(2), wins: at(3), draws: at(4), losses: at(5) }
            })
            .collect();
        let block_bytes = u32::from(u16_at(68)) | u32::from(u16_at(70)) << 16;
        let mut header = Header::new(id, u16_at(64), &counts, block_bytes)
            .map_err(|error| damaged(error.to_string()))?;
        header.metadata_len = u64_at(176);
        header.blocks_len = u64_at(208);
        header.metadata_sum = u64_at(224);
        header.directory_sum = u64_at(232);
        if header.metadata_len > MAX_METADATA_BYTES as u64 {
            return Err(damaged(format!("{} bytes of metadata", header.metadata_len)));
        }
        // All other fields follow from these.
        if let Some(at) = header.to_bytes().iter().zip(bytes).position(|(a, b)| a != b) {
            return Err(damaged(format!("a contradiction at byte {at}")));
        }
        Ok(header)
    }

    /// Fails where the table is not the one expected.
    pub(super) fn check_is(&self, expected: &TableId) -> Result<(), TableError> {
        if self.id == *expected {
            return Ok(());
        }
        Err(TableError::WrongTable { expected: expected.to_string(), found: self.id.to_string() })
    }

    /// Fails where the file does not have the size that the header tells.
    pub(super) fn check_size(&self, size_bytes: u64) -> Result<(), TableError> {
        check("the size of the file", self.file_len(), size_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        let slice: Slice = "KMvM".parse().unwrap();
        let id = TableId::new(VariantId::Russian, slice, Metric::Wld);
        let all = positions(VariantId::Russian.variant().board, slice);
        let counts = Counts { positions: all, wins: all - 3, draws: 2, losses: 1 };
        Header::new(id, 2, &[counts; 2], 64).unwrap()
    }

    #[test]
    fn a_header_is_read_as_written() {
        let mut header = header();
        header.metadata_len = 10;
        header.blocks_len = 1000;
        header.directory_sum = 77;
        assert_eq!(Header::from_bytes(&header.to_bytes()).unwrap(), header);
        assert_eq!(header.blocks(), 2 * (28 * 28 * 32u64).div_ceil(256));
    }

    #[test]
    fn fields_that_contradict_are_refused_even_with_a_right_checksum() {
        let bytes = header().to_bytes();
        for at in 8..CHECKSUM_OFFSET {
            for flip in [1, 0x80, 0xff] {
                let mut bad = bytes;
                bad[at] ^= flip;
                let sum = checksum(0, &bad[..CHECKSUM_OFFSET]);
                bad[CHECKSUM_OFFSET..].copy_from_slice(&sum.to_le_bytes());
                if let Ok(read) = Header::from_bytes(&bad) {
                    // A header of another table, or with other checksums and lengths.
                    assert_eq!(read.to_bytes(), bad, "byte {at}");
                }
            }
        }
    }

    #[test]
    fn parts_that_make_no_table_are_refused() {
        let good = header();
        let new = |profile: &str, max_code, counts: &[Counts], block_bytes| {
            let id = TableId { profile: profile.into(), ..good.id.clone() };
            Header::new(id, max_code, counts, block_bytes)
        };
        let counts = [good.sections[0].counts; 2];
        assert!(new("none", 2, &counts, 64).is_ok());
        for bad in [
            new("", 2, &counts, 64),
            new("a b", 2, &counts, 64),
            new(&"x".repeat(33), 2, &counts, 64),
            new("none", 3, &counts, 64),
            new("none", 2, &counts[..1], 64),
            new("none", 2, &[Counts { wins: u64::MAX, ..counts[0] }; 2], 64),
            new("none", 2, &counts, 0),
            new("none", 2, &counts, 63),
            new("none", 2, &counts, MAX_BLOCK_BYTES + 2),
        ] {
            assert!(matches!(bad, Err(TableError::Unwritable(_))));
        }
    }
}
