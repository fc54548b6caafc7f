//! The fixed header of a table file, and everything that follows from it. See
//! `docs/format.md` for the bytes.

use damabase_rules::VariantId;

use super::checksum::{check_sum, checksum};
use super::codec::{Codec, Packing};
use super::error::check;
use super::metadata::MAX_METADATA_BYTES;
use super::{Metric, TableError, TableId, grammar};
use crate::{Material, Slice, ToMove, positions};

/// The first bytes of a table file. The first is no ASCII letter, the others show whether line
/// ends were changed on the way.
const MAGIC: [u8; 8] = *b"\x89DMB\r\n\x1a\n";

/// The format version that this library reads and writes.
pub const FORMAT_VERSION: u16 = 2;

pub(super) const HEADER_BYTES: usize = 168;
pub(super) const FOOTER_BYTES: u64 = 8;
pub(super) const DIRECTORY_ENTRY_BYTES: u64 = 16;
/// Where the byte is that says that the file is finished.
pub(super) const FINISHED_OFFSET: usize = 10;
/// Bytes that are known before the first block: their checksum is the file's identity.
const IDENTITY_BYTES: usize = 120;
const CHECKSUM_OFFSET: usize = 160;
/// Two models with all the rules that there can be take less.
const MAX_MODELS_BYTES: u32 = 1 << 16;
const MAX_BLOCK_BYTES: u32 = 1 << 20;
/// Sub-blocks in a block of phrases.
const SUB_BLOCKS: u64 = 32;
/// The greatest number of values in a sub-block.
pub(super) const MAX_SUB_BLOCK: u32 = 1 << 16;

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

/// Which positions a table has values of. Those of the others follow from values of positions one
/// or more plies on. (See also [`Header::leaves_out_threats`].)
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stored {
    /// All.
    All,
    /// Those where a certain side is to move.
    Side(ToMove),
    /// Of a symmetric slice, those that are not in the upper half
    /// ([`Index::is_in_upper_half`](crate::Index::is_in_upper_half)).
    Half,
}

impl Stored {
    /// Whether the value of an index value is among them, in a slice with this radix of men.
    #[inline]
    pub(super) fn has(self, to_move: ToMove, index: u64, men_radix: (u64, u64)) -> bool {
        match self {
            Stored::All => true,
            Stored::Side(side) => side == to_move,
            Stored::Half => {
                let men = index / men_radix.0;
                men / men_radix.1 <= men % men_radix.1
            }
        }
    }
}

/// A codec and the size of its parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CodingChoice {
    /// Packed bytes in a block.
    Packed { block_bytes: u32 },
    /// Values in a sub-block.
    Grammar { sub_block: u32 },
}

/// How values become bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Coding {
    /// As digits of bytes, compressed by zstd.
    Packed(Codec),
    /// As phrases, so many values in a sub-block.
    Grammar { sub_block: u32 },
}

impl Coding {
    /// Values that are decoded together.
    #[inline]
    pub(super) fn chunk_values(self) -> u64 {
        match self {
            Coding::Packed(codec) => codec.block_values(),
            Coding::Grammar { sub_block } => sub_block.into(),
        }
    }

    /// Values in a block that is not the last of its section.
    #[inline]
    pub(super) fn block_values(self) -> u64 {
        self.chunk_values() * self.chunks_in_block()
    }

    #[inline]
    pub(super) fn chunks_in_block(self) -> u64 {
        match self {
            Coding::Packed(_) => 1,
            Coding::Grammar { .. } => SUB_BLOCKS,
        }
    }

    /// The greatest number of stored bytes of a block.
    pub(super) fn max_stored(self) -> u64 {
        match self {
            Coding::Packed(codec) => codec.max_stored(),
            // An end and at most two bytes for each value.
            Coding::Grammar { sub_block } => SUB_BLOCKS * (4 + 2 * u64::from(sub_block)),
        }
    }
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
    /// Number of blocks; 0 where the section is not stored.
    pub blocks: u64,
    /// Number of the section's first chunk, a part that is decoded at a time.
    pub(super) first_chunk: u64,
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
    /// Which positions have values.
    pub stored: Stored,
    pub(super) coding: Coding,
    pub(super) metadata_len: u32,
    pub(super) models_len: u32,
    pub(super) blocks_len: u64,
    pub(super) metadata_sum: u64,
    pub(super) models_sum: u64,
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
        stored: Stored,
        coding: CodingChoice,
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
        match coding {
            CodingChoice::Packed { block_bytes } => {
                if !(2..=MAX_BLOCK_BYTES).contains(&block_bytes) || !block_bytes.is_multiple_of(2) {
                    return unwritable(format!("block size {block_bytes}"));
                }
            }
            CodingChoice::Grammar { sub_block } => {
                if !(1..=MAX_SUB_BLOCK).contains(&sub_block) {
                    return unwritable(format!("sub-blocks of {sub_block} values"));
                }
                if max_code > grammar::MAX_CODE {
                    return unwritable(format!("phrases of codes up to {max_code}"));
                }
            }
        }
        if match stored {
            Stored::All => false,
            // What budgets of other positions follow from is not simple.
            _ if id.metric == Metric::Budget => true,
            Stored::Side(_) => id.slice.is_symmetric(),
            Stored::Half => !id.slice.is_symmetric(),
        } {
            return unwritable(format!("{stored:?} of {}", id.slice));
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
        let coding = match coding {
            CodingChoice::Packed { block_bytes } => {
                let packing = Packing::new(max_code, board.squares());
                Coding::Packed(Codec { packing, block_bytes })
            }
            CodingChoice::Grammar { sub_block } => Coding::Grammar { sub_block },
        };
        let expected = positions(board, id.slice);
        let mut sections = Vec::new();
        let (mut first_block, mut first_chunk) = (0, 0);
        for (&to_move, &counts) in sides.iter().zip(counts) {
            let sum = [counts.wins, counts.draws, counts.losses]
                .into_iter()
                .try_fold(0, u64::checked_add);
            if counts.positions != expected || sum != Some(expected) {
                return unwritable(format!("counts do not add up to {expected} positions"));
            }
            let values = id.section_len(to_move);
            let is_stored = !matches!(stored, Stored::Side(side) if side != to_move);
            let parts = |len: u64| if is_stored { values.div_ceil(len) } else { 0 };
            let blocks = parts(coding.block_values());
            sections.push(Section { to_move, values, first_block, blocks, first_chunk, counts });
            first_block += blocks;
            first_chunk += parts(coding.chunk_values());
        }
        Ok(Header {
            id,
            max_code,
            sections,
            stored,
            coding,
            metadata_len: 0,
            models_len: 0,
            blocks_len: 0,
            metadata_sum: 0,
            models_sum: 0,
            directory_sum: 0,
        })
    }

    /// Whether positions have no values either where the waiter threatens to capture and a search
    /// of the moves is sure to end ([`is_left_out`](super::is_left_out)): so it is where not all is
    /// stored.
    pub fn leaves_out_threats(&self) -> bool {
        self.stored != Stored::All
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

    /// The section of a block, the first index value in it and the number of values.
    pub(super) fn range_of_block(&self, block: u64) -> Option<(&Section, u64, u64)> {
        let section = self.sections.iter().find(|section| {
            (section.first_block..section.first_block + section.blocks).contains(&block)
        })?;
        let start = (block - section.first_block) * self.coding.block_values();
        Some((section, start, (section.values - start).min(self.coding.block_values())))
    }

    /// The section of a chunk and the chunk's number in it.
    pub(super) fn section_of_chunk(&self, chunk: u64) -> Option<(&Section, u64)> {
        let section = self
            .sections
            .iter()
            .rev()
            .find(|section| section.blocks > 0 && section.first_chunk <= chunk)?;
        let number = chunk - section.first_chunk;
        (number < section.values.div_ceil(self.coding.chunk_values())).then_some((section, number))
    }

    pub(super) fn metadata_offset(&self) -> u64 {
        HEADER_BYTES as u64
    }

    pub(super) fn models_offset(&self) -> u64 {
        self.metadata_offset() + u64::from(self.metadata_len)
    }

    pub(super) fn directory_offset(&self) -> u64 {
        self.models_offset() + u64::from(self.models_len)
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
        let (coding, unit) = match self.coding {
            Coding::Packed(codec) => (0, codec.block_bytes),
            Coding::Grammar { sub_block } => (1, sub_block),
        };
        bytes.push(coding);
        bytes.push(match self.stored {
            Stored::All => 0,
            Stored::Side(ToMove::First) => 1,
            Stored::Side(ToMove::Second) => 2,
            Stored::Half => 3,
        });
        bytes.extend(unit.to_le_bytes());
        for section in &self.sections {
            let Counts { wins, draws, losses, .. } = section.counts;
            for number in [wins, draws, losses] {
                bytes.extend(number.to_le_bytes());
            }
        }
        bytes.resize(IDENTITY_BYTES, 0);
        bytes.extend(self.metadata_len.to_le_bytes());
        bytes.extend(self.models_len.to_le_bytes());
        for number in [self.blocks_len, self.metadata_sum, self.models_sum, self.directory_sum] {
            bytes.extend(number.to_le_bytes());
        }
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
                let at = |field: usize| u64_at(72 + 24 * section + 8 * field);
                // Whether they add up is looked at below.
                let positions = positions(variant.variant().board, slice);
                Counts { positions, wins: at(0), draws: at(1), losses: at(2) }
            })
            .collect();
        let unit = u32::from(u16_at(68)) | u32::from(u16_at(70)) << 16;
        let coding = match bytes[66] {
            0 => CodingChoice::Packed { block_bytes: unit },
            1 => CodingChoice::Grammar { sub_block: unit },
            number => return Err(damaged(format!("codec number {number}"))),
        };
        let stored = match bytes[67] {
            0 => Stored::All,
            1 => Stored::Side(ToMove::First),
            2 => Stored::Side(ToMove::Second),
            3 => Stored::Half,
            number => return Err(damaged(format!("stored positions number {number}"))),
        };
        let mut header = Header::new(id, u16_at(64), &counts, stored, coding)
            .map_err(|error| damaged(error.to_string()))?;
        header.metadata_len = u64_at(120) as u32;
        header.models_len = (u64_at(120) >> 32) as u32;
        header.blocks_len = u64_at(128);
        header.metadata_sum = u64_at(136);
        header.models_sum = u64_at(144);
        header.directory_sum = u64_at(152);
        if header.metadata_len > MAX_METADATA_BYTES as u32 {
            return Err(damaged(format!("{} bytes of metadata", header.metadata_len)));
        }
        if header.models_len > MAX_MODELS_BYTES {
            return Err(damaged(format!("{} bytes of models", header.models_len)));
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
        Header::new(id, 2, &[counts; 2], Stored::All, CodingChoice::Packed { block_bytes: 64 })
            .unwrap()
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
            Header::new(id, max_code, counts, Stored::All, CodingChoice::Packed { block_bytes })
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
