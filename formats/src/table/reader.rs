//! Reading a table file.

use std::fs::File;
use std::path::Path;

use super::checksum::{Running, check_sum, checksum};
use super::codec::Block;
use super::error::check;
use super::header::{DIRECTORY_ENTRY_BYTES, FINISHED_OFFSET, HEADER_BYTES, Header};
use super::{Metadata, ReadAt, TableError, TableId};
use crate::ToMove;

/// An open table file.
///
/// Opening checks the header, the size of the file and the block directory; each block is checked
/// when it is decoded. What no probe reads, such as the metadata, is checked only by
/// [`TableFile::verify`].
pub struct TableFile<R = File> {
    reader: R,
    header: Header,
    identity: u64,
    /// End of each block, counted from the first block's start, and checksum; 8 bytes each.
    directory: Box<[u8]>,
}

impl<R> std::fmt::Debug for TableFile<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableFile").field("header", &self.header).finish_non_exhaustive()
    }
}

impl TableFile {
    /// Opens a file, to be read by positioned reads.
    ///
    /// # Errors
    /// Those of [`TableFile::new`].
    pub fn open(path: &Path) -> Result<TableFile, TableError> {
        let action = || format!("open {}", path.display());
        TableFile::new(File::open(path).map_err(|error| TableError::io(action())(error))?)
    }
}

impl<R: ReadAt> TableFile<R> {
    /// Takes the bytes of a table file.
    ///
    /// # Errors
    /// [`TableError::Io`], [`TableError::Damaged`], [`TableError::Unsupported`], or
    /// [`TableError::WrongTable`] where the table is of an unknown game.
    pub fn new(reader: R) -> Result<TableFile<R>, TableError> {
        let size = reader.size_bytes().map_err(TableError::io("find the size"))?;
        if size < HEADER_BYTES as u64 {
            let expected = format!("at least {HEADER_BYTES}");
            return Err(TableError::damaged("the size of the file", expected, size));
        }
        let mut bytes = [0; HEADER_BYTES];
        reader.read_exact_at(&mut bytes, 0).map_err(TableError::io("read the header"))?;
        let header = Header::from_bytes(&bytes)?;
        // After this, no length that the header tells is greater than the file.
        header.check_size(size)?;
        let mut directory = vec![0; header.directory_len() as usize].into_boxed_slice();
        reader
            .read_exact_at(&mut directory, header.directory_offset())
            .map_err(TableError::io("read the directory"))?;
        let identity = header.identity();
        check_sum("the directory", header.directory_sum, checksum(identity, &directory))?;
        let file = TableFile { reader, header, identity, directory };
        let mut start = 0;
        for block in 0..file.header.blocks() {
            let end = file.entry(block).0;
            let len = end.saturating_sub(start);
            if len == 0 || len > file.header.codec.max_stored() {
                let found = format!("{end} after {start}");
                return Err(TableError::damaged("the directory", "ascending ends", found));
            }
            start = end;
        }
        check("the size of the blocks", file.header.blocks_len, start)?;
        Ok(file)
    }

    /// What the header says.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Number of bytes of the file.
    pub fn size_bytes(&self) -> u64 {
        self.header.file_len()
    }

    /// Fails where the file holds another table than the one expected.
    ///
    /// # Errors
    /// [`TableError::WrongTable`].
    pub fn check_is(&self, expected: &TableId) -> Result<(), TableError> {
        self.header.check_is(expected)
    }

    /// The block that holds the value of an index value, and the value's place in it.
    ///
    /// # Panics
    /// Never; where the index value is out of range, there is no such block or place.
    #[inline]
    pub fn locate(&self, to_move: ToMove, index: u64) -> (u64, u64) {
        let per_block = self.header.codec.block_values();
        let first = self.header.section(to_move).first_block;
        (first.saturating_add(index / per_block), index % per_block)
    }

    /// Reads, checks and decodes a block.
    ///
    /// # Errors
    /// [`TableError::Damaged`], also where there is no such block; [`TableError::Io`].
    pub fn block(&self, block: u64) -> Result<Block, TableError> {
        let values = self.header.values_in_block(block);
        if values == 0 {
            let expected = format!("less than {}", self.header.blocks());
            return Err(TableError::damaged("a block number", expected, block));
        }
        let start = if block == 0 { 0 } else { self.entry(block - 1).0 };
        let (end, sum) = self.entry(block);
        let offset = self.header.blocks_offset() + start;
        let len = (end - start) as usize; // at most `max_stored`
        let decode = |stored: &[u8]| {
            let found = checksum(self.identity.wrapping_add(block), stored);
            check_sum("a block", sum, found)?;
            self.header.codec.decode(stored, values)
        };
        if let Some(stored) = self.reader.borrow_at(offset, len) {
            return decode(stored);
        }
        let mut stored = vec![0; len];
        self.reader
            .read_exact_at(&mut stored, offset)
            .map_err(|error| TableError::io(format!("read block {block}"))(error))?;
        decode(&stored)
    }

    /// The code at a place of a decoded block of this file.
    ///
    /// # Errors
    /// [`TableError::Damaged`] where there is none.
    #[inline]
    pub fn code(&self, block: &Block, place: u64) -> Result<u16, TableError> {
        self.header.codec.value(block, place)
    }

    /// Reads the codes of index values from `start` on, to be used where many are wanted. Where
    /// the mover can capture, and at holes, they mean nothing.
    ///
    /// # Errors
    /// Those of [`TableFile::block`]; [`TableError::Damaged`] also where the range reaches beyond
    /// the section.
    pub fn read(&self, to_move: ToMove, start: u64, out: &mut [u16]) -> Result<(), TableError> {
        let section = self.header.section(to_move);
        if start.checked_add(out.len() as u64).is_none_or(|end| end > section.values) {
            let found = format!("{} from {start}", out.len());
            return Err(TableError::damaged("a range", section.values, found));
        }
        let mut current = None;
        for (index, code) in (start..).zip(out) {
            let (number, place) = self.locate(to_move, index);
            let block = match current.take() {
                Some((held, block)) if held == number => block,
                _ => self.block(number)?,
            };
            *code = self.code(&block, place)?;
            current = Some((number, block));
        }
        Ok(())
    }

    /// Facts that a probe does not need.
    ///
    /// # Errors
    /// [`TableError::Damaged`], [`TableError::Io`].
    pub fn metadata(&self) -> Result<Metadata, TableError> {
        let mut bytes = vec![0; self.header.metadata_len as usize];
        self.reader
            .read_exact_at(&mut bytes, self.header.metadata_offset())
            .map_err(TableError::io("read the metadata"))?;
        let found = checksum(self.identity, &bytes);
        check_sum("the metadata", self.header.metadata_sum, found)?;
        Metadata::from_bytes(&bytes)
    }

    /// Reads the whole file and checks every byte of it: the whole file's checksum, the metadata,
    /// and that every block holds values in range and nothing else. Whether the values are right
    /// is another question.
    ///
    /// # Errors
    /// [`TableError::Damaged`], [`TableError::Io`].
    pub fn verify(&self) -> Result<(), TableError> {
        let size = self.reader.size_bytes().map_err(TableError::io("find the size"))?;
        self.header.check_size(size)?;
        let mut whole = Running::new();
        let mut buffer = vec![0; 1 << 16];
        let mut offset = 0;
        let footer = self.header.footer_offset();
        while offset < footer {
            let len = buffer.len().min((footer - offset).try_into().unwrap_or(usize::MAX));
            self.reader
                .read_exact_at(&mut buffer[..len], offset)
                .map_err(TableError::io("read the file"))?;
            if offset == 0 {
                check("the finished flag", 1, buffer[FINISHED_OFFSET])?;
            }
            whole.add(&buffer[..len]);
            offset += len as u64;
        }
        let mut sum = [0; 8];
        self.reader
            .read_exact_at(&mut sum, footer)
            .map_err(TableError::io("read the whole file's checksum"))?;
        check_sum("the whole file", u64::from_le_bytes(sum), whole.sum())?;
        self.metadata()?;
        for number in 0..self.header.blocks() {
            let block = self.block(number)?;
            self.header.codec.check_block(&block, self.header.values_in_block(number))?;
        }
        Ok(())
    }

    /// The end and the checksum of a block that is in the directory.
    #[inline]
    fn entry(&self, block: u64) -> (u64, u64) {
        let at = (block * DIRECTORY_ENTRY_BYTES) as usize;
        let number = |at: usize| {
            u64::from_le_bytes(self.directory[at..at + 8].try_into().expect("eight bytes"))
        };
        (number(at), number(at + 8))
    }
}
