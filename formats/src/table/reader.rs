//! Reading a table file.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use damabase_rules::{Position, Rules};

use super::checksum::{Running, check_sum, checksum};
use super::error::check;
use super::grammar::{Model, Part};
use super::header::{
    Coding, DIRECTORY_ENTRY_BYTES, FINISHED_OFFSET, HEADER_BYTES, Header, Section, Stored,
};
use super::{Metadata, ReadAt, TableError, TableId, is_left_out};
use crate::ToMove;

/// An open table file.
///
/// Opening checks the header, the size of the file, the models of phrases and the block directory;
/// each block is checked when it is first used. What no probe reads, such as the metadata, is checked only by
/// [`TableFile::verify`].
pub struct TableFile<R = File> {
    reader: R,
    header: Header,
    identity: u64,
    /// End of each block, counted from the first block's start, and checksum; 8 bytes each.
    directory: Box<[u8]>,
    /// Of each stored section, where values are written as phrases.
    models: Vec<Model>,
    /// A bit for each block whose checksum was found right where it lies in memory.
    checked: Box<[AtomicU64]>,
    /// Where the number of values in a chunk is a power of two: of which.
    chunk_shift: Option<u32>,
    /// Index values with the same men; placements of the waiter's men.
    men_radix: (u64, u64),
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

/// Reads and checks the models of a file.
fn read_models(reader: &impl ReadAt, header: &Header) -> Result<Vec<Model>, TableError> {
    let mut bytes = vec![0; header.models_len as usize];
    reader
        .read_exact_at(&mut bytes, header.models_offset())
        .map_err(TableError::io("read the models"))?;
    check_sum("the models", header.models_sum, checksum(header.identity(), &bytes))?;
    let mut rest = &bytes[..];
    let mut models = Vec::new();
    if let Coding::Grammar { .. } = header.coding {
        let short = || TableError::damaged("the models", "a model's length", "too few bytes");
        for _ in header.sections.iter().filter(|section| section.blocks > 0) {
            let (len, after) = rest.split_first_chunk().ok_or_else(short)?;
            let len = u32::from_le_bytes(*len) as usize;
            let (model, after) = after.split_at_checked(len).ok_or_else(short)?;
            models.push(Model::from_bytes(model, header.max_code)?);
            rest = after;
        }
    }
    check("the size of the models", 0, rest.len())?;
    Ok(models)
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
        let models = read_models(&reader, &header)?;
        let chunk = header.coding.chunk_values();
        let file = TableFile {
            chunk_shift: chunk.is_power_of_two().then(|| chunk.trailing_zeros()),
            men_radix: header.id.men_radix(),
            checked: (0..header.blocks().div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
            reader,
            header,
            identity,
            directory,
            models,
        };
        let mut start = 0;
        for block in 0..file.header.blocks() {
            let end = file.entry(block).0;
            let len = end.saturating_sub(start);
            if len == 0 || len > file.header.coding.max_stored() {
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

    /// Whether the value of an index value is in the table.
    #[inline]
    pub fn is_stored(&self, to_move: ToMove, index: u64) -> bool {
        self.header.stored.has(to_move, index, self.men_radix)
    }

    /// Whether the value of a position without captures, whose index value this is, is in the table:
    /// where threats are left out, a threat is not.
    #[inline]
    pub fn has_value<G: Rules>(&self, to_move: ToMove, index: u64, position: &Position<G>) -> bool {
        self.is_stored(to_move, index)
            && !(self.header.leaves_out_threats() && is_left_out(position))
    }

    /// The chunk that holds the value of an index value, and the value's place in it. A chunk is
    /// a part of a section that is decoded at a time; no two of a file have the same number.
    ///
    /// # Panics
    /// Never; where the index value is out of range or not stored, the chunk or the place means
    /// nothing.
    #[inline]
    pub fn locate(&self, to_move: ToMove, index: u64) -> (u64, u64) {
        let values = self.header.coding.chunk_values();
        let first = self.header.section(to_move).first_chunk;
        // Most lengths are powers of two.
        match self.chunk_shift {
            Some(shift) => (first.saturating_add(index >> shift), index & (values - 1)),
            None => (first.saturating_add(index / values), index % values),
        }
    }

    /// Number of values in a chunk that is not the last of its section.
    #[inline]
    pub fn chunk_values(&self) -> u64 {
        self.header.coding.chunk_values()
    }

    /// The code at a place of a chunk, if it can be found without decoding the chunk: where the
    /// file is in memory and its codec permits.
    ///
    /// # Errors
    /// [`TableError::Damaged`].
    #[inline]
    pub fn code_in_place(&self, chunk: u64, place: u64) -> Option<Result<u16, TableError>> {
        if let Coding::Packed(_) = self.header.coding {
            return None;
        }
        let (section, number) = self.header.section_of_chunk(chunk)?;
        let block = section.first_block + number / self.header.coding.chunks_in_block();
        let (offset, len) = self.extent(block);
        let stored = self.reader.borrow_at(offset, len)?;
        let code = self.checked(block, stored).and_then(|()| {
            let values = self.values_of_chunk(section, number);
            self.part(section, number, stored)?.code(place, values)
        });
        Some(code)
    }

    /// Reads, checks and decodes a chunk.
    ///
    /// # Errors
    /// [`TableError::Damaged`], also where there is no such chunk; [`TableError::Io`].
    pub fn chunk(&self, chunk: u64) -> Result<Vec<u16>, TableError> {
        let (section, number) = self
            .header
            .section_of_chunk(chunk)
            .ok_or_else(|| TableError::damaged("a chunk's number", "one of the file", chunk))?;
        let block = section.first_block + number / self.header.coding.chunks_in_block();
        let values = self.values_of_chunk(section, number) as usize;
        let (offset, len) = self.extent(block);
        let decode = |stored: &[u8]| match self.header.coding {
            Coding::Packed(codec) => codec.decode(stored, values),
            Coding::Grammar { .. } => self.part(section, number, stored)?.decode(values),
        };
        if let Some(stored) = self.reader.borrow_at(offset, len) {
            self.checked(block, stored)?;
            return decode(stored);
        }
        let mut stored = vec![0; len];
        self.reader
            .read_exact_at(&mut stored, offset)
            .map_err(|error| TableError::io(format!("read block {block}"))(error))?;
        self.check_block(block, &stored)?;
        decode(&stored)
    }

    /// Reads the codes of index values from `start` on, to be used where many are wanted. Where
    /// the mover can capture, and at holes, they mean nothing.
    ///
    /// # Errors
    /// Those of [`TableFile::chunk`]; [`TableError::Damaged`] also where the range reaches beyond
    /// the section; [`TableError::NotStored`] where the side's section is not in the file. (Codes
    /// of the other half of a symmetric slice mean nothing.)
    pub fn read(&self, to_move: ToMove, start: u64, out: &mut [u16]) -> Result<(), TableError> {
        let section = self.header.section(to_move);
        if matches!(self.header.stored, Stored::Side(side) if side != to_move) {
            return Err(TableError::NotStored);
        }
        if start.checked_add(out.len() as u64).is_none_or(|end| end > section.values) {
            let found = format!("{} from {start}", out.len());
            return Err(TableError::damaged("a range", section.values, found));
        }
        let mut at = 0;
        while at < out.len() {
            let (chunk, place) = self.locate(to_move, start + at as u64);
            let values = self.chunk(chunk)?;
            let values = &values[place as usize..];
            let len = values.len().min(out.len() - at);
            out[at..at + len].copy_from_slice(&values[..len]);
            at += len;
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
        for section in self.header.sections.iter().filter(|section| section.blocks > 0) {
            for number in 0..section.values.div_ceil(self.chunk_values()) {
                self.chunk(section.first_chunk + number)?;
            }
        }
        Ok(())
    }

    /// Number of values of a section's chunk.
    #[inline]
    fn values_of_chunk(&self, section: &Section, number: u64) -> u64 {
        let len = self.header.coding.chunk_values();
        (section.values - number * len).min(len)
    }

    /// The part of a stored block of phrases that holds a chunk.
    #[inline]
    fn part<'a>(
        &'a self,
        section: &Section,
        number: u64,
        stored: &'a [u8],
    ) -> Result<Part<'a>, TableError> {
        let in_block = self.header.coding.chunks_in_block();
        let chunks = section.values.div_ceil(self.header.coding.chunk_values());
        let first = number / in_block * in_block;
        let sub_blocks = (chunks - first).min(in_block) as usize;
        // There is a model for each stored section, which the constructor has seen to.
        let model = &self.models[usize::from(section.first_block > 0)];
        Part::new(model, self.header.max_code, stored, sub_blocks, (number - first) as usize)
    }

    /// Fails where a block in memory is not what was written. Each is looked at once.
    #[inline]
    fn checked(&self, block: u64, stored: &[u8]) -> Result<(), TableError> {
        let (word, bit) = (&self.checked[(block / 64) as usize], 1 << (block % 64));
        if word.load(Ordering::Relaxed) & bit == 0 {
            self.check_block(block, stored)?;
            word.fetch_or(bit, Ordering::Relaxed);
        }
        Ok(())
    }

    #[cold]
    fn check_block(&self, block: u64, stored: &[u8]) -> Result<(), TableError> {
        let found = checksum(self.identity.wrapping_add(block), stored);
        check_sum("a block", self.entry(block).1, found)
    }

    /// The place of a block in the file and the number of its bytes.
    #[inline]
    fn extent(&self, block: u64) -> (u64, usize) {
        let start = if block == 0 { 0 } else { self.entry(block - 1).0 };
        let len = self.entry(block).0 - start; // at most `max_stored`
        (self.header.blocks_offset() + start, len as usize)
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
