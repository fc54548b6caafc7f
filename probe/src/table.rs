//! One table of a set: a file that is opened when it is first needed.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use damabase_formats::table::{DONT_CARE, ReadAt};
use damabase_formats::{Index, TableError, TableFile, TableId, ToMove};
use damabase_rules::{Position, Rules};
use memmap2::Mmap;

use crate::ProbeError;
use crate::cache::{Cache, Key, LINE_WORDS};
use crate::files::{Files, Reopened};

/// How files are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Access {
    /// By positioned reads.
    files: Arc<Files>,
    /// From a mapping, where one is asked for and the system gives it.
    map: Option<Map>,
}

/// Maps a file to memory.
pub(crate) type Map = fn(&Path) -> io::Result<Mmap>;

impl Access {
    /// By positioned reads.
    pub(crate) fn reading() -> Access {
        Access::default()
    }

    /// From mappings that a function makes; by positioned reads where it fails.
    pub(crate) fn mapping(map: Map) -> Access {
        Access { map: Some(map), ..Access::default() }
    }
}

/// A table that is known to be there.
#[derive(Debug)]
pub(crate) struct Table<G: Rules> {
    pub(crate) id: TableId,
    pub(crate) path: PathBuf,
    /// Its number in the set, for the cache.
    pub(crate) number: u32,
    pub(crate) access: Access,
    /// Whole, or damaged for good. Failures of the system are not remembered: they may pass. In a
    /// box, since most tables of a large set are never used.
    state: OnceLock<Result<Box<Open<G>>, Arc<TableError>>>,
}

#[derive(Debug)]
struct Open<G: Rules> {
    file: TableFile<Box<dyn ReadAt>>,
    first: Index<G>,
    second: Index<G>,
    /// The logarithm of the number of bits of a code in the cache: 1 to 4.
    log_bits: u32,
    /// Lines that the cache has of a chunk.
    lines_in_chunk: u64,
}

/// Where in the cache a code is.
struct Line {
    key: Key,
    word: usize,
    /// Place of the lowest bit of the code in its word.
    shift: u32,
}

/// What a probe may do for a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effort {
    /// Open files, read and decode them.
    Any,
    /// Nothing that takes long.
    OnlyCached,
}

/// Where the values of probes came from, to choose the size of the cache by. A probe looks up one
/// value, or several where it resolves captures or a side to move that is not stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Lookups {
    /// In the cache.
    pub cached: u64,
    /// Found in the file's bytes in memory without decoding more than that value.
    pub in_place: u64,
    /// Decoded with a part of the table, after reading it where it is not in memory.
    pub decoded: u64,
}

/// What a table says of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// Its code.
    Code(u16),
    /// Nothing: its value follows from those of the positions that follow.
    NotStored,
    /// It is not in the cache.
    NotCached,
}

impl<G: Rules> Open<G> {
    fn new(id: &TableId, file: TableFile<Box<dyn ReadAt>>) -> Open<G> {
        let log_bits = match file.header().max_code {
            0..=3 => 1,
            4..=15 => 2,
            16..=255 => 3,
            _ => 4,
        };
        let line_values = (64 >> log_bits) * LINE_WORDS as u64;
        Open {
            first: Index::new(id.slice, ToMove::First),
            second: Index::new(id.slice, ToMove::Second),
            log_bits,
            lines_in_chunk: file.chunk_values().div_ceil(line_values),
            file,
        }
    }

    #[inline]
    fn index(&self, to_move: ToMove) -> &Index<G> {
        match to_move {
            ToMove::First => &self.first,
            ToMove::Second => &self.second,
        }
    }

    #[inline]
    fn mask(&self) -> u16 {
        ((1u32 << (1 << self.log_bits)) - 1) as u16
    }

    #[inline]
    fn line(&self, table: u32, chunk: u64, place: u64) -> Line {
        let log_per_word = 6 - self.log_bits;
        let word = place >> log_per_word;
        let line = chunk * self.lines_in_chunk + word / LINE_WORDS as u64;
        Line {
            key: Key::new(table, line),
            word: (word % LINE_WORDS as u64) as usize,
            shift: ((place & ((1 << log_per_word) - 1)) as u32) << self.log_bits,
        }
    }
}

impl<G: Rules> Table<G> {
    pub(crate) fn new(id: TableId, path: PathBuf, number: u32, access: Access) -> Table<G> {
        Table { id, path, number, access, state: OnceLock::new() }
    }

    /// The code of a position that has the table's material.
    #[inline]
    pub(crate) fn code(
        &self,
        position: &Position<G>,
        to_move: ToMove,
        cache: &Cache,
        effort: Effort,
        lookups: &mut Lookups,
    ) -> Result<Found, ProbeError> {
        let open = match self.state.get() {
            Some(state) => self.opened(state)?,
            None if effort == Effort::OnlyCached => return Ok(Found::NotCached),
            None => self.open_now()?,
        };
        let index = open.index(to_move).rank(position);
        if !open.file.has_value(to_move, index, position) {
            return Ok(Found::NotStored);
        }
        let (chunk, place) = open.file.locate(to_move, index);
        let line = open.line(self.number, chunk, place);
        if let Some(word) = cache.get(line.key, line.word) {
            lookups.cached += 1;
            return Ok(Found::Code((word >> line.shift) as u16 & open.mask()));
        }
        let code = match open.file.code_in_place(chunk, place) {
            Some(code) => {
                let code = code.map_err(|error| self.error(error))?;
                lookups.in_place += 1;
                if effort == Effort::Any && cache.is_asked_again(line.key) {
                    self.decode(open, chunk, Some(place), cache)?;
                }
                code
            }
            None if effort == Effort::OnlyCached => return Ok(Found::NotCached),
            None => {
                let codes = self.decode(open, chunk, None, cache)?;
                lookups.decoded += 1;
                // A place beyond a chunk is none of a position that has the table's material.
                codes.get(place as usize).copied().unwrap_or(DONT_CARE)
            }
        };
        Ok(Found::Code(code))
    }

    /// [`Table::code`] of a table that stores all positions, as those of budgets do, whatever the
    /// effort.
    pub(crate) fn code_of_all(
        &self,
        position: &Position<G>,
        to_move: ToMove,
        cache: &Cache,
    ) -> Result<u16, ProbeError> {
        match self.code(position, to_move, cache, Effort::Any, &mut Lookups::default())? {
            Found::Code(code) => Ok(code),
            Found::NotStored | Found::NotCached => Err(self.no_value(DONT_CARE)),
        }
    }

    /// Decodes a chunk, and keeps the lines around a place of it, or all of its lines.
    #[cold]
    fn decode(
        &self,
        open: &Open<G>,
        chunk: u64,
        only: Option<u64>,
        cache: &Cache,
    ) -> Result<Vec<u16>, ProbeError> {
        let codes = open.file.chunk(chunk).map_err(|error| self.error(error))?;
        let per_word = 64 >> open.log_bits;
        for (number, codes) in (0..).zip(codes.chunks(per_word * LINE_WORDS)) {
            let start = number * (per_word * LINE_WORDS) as u64;
            let line = open.line(self.number, chunk, start);
            if only.is_none_or(|place| open.line(self.number, chunk, place).key.is_beside(line.key))
            {
                let word = |codes: &[u16]| {
                    let bits = 1 << open.log_bits;
                    codes.iter().rev().fold(0u64, |word, &code| word << bits | u64::from(code))
                };
                cache.insert(line.key, codes.chunks(per_word).map(word));
            }
        }
        Ok(codes)
    }

    /// Asks the processor to fetch what a probe of a position reads first.
    #[inline]
    pub(crate) fn prefetch(&self, position: &Position<G>, to_move: ToMove, cache: &Cache) {
        if let Some(Ok(open)) = self.state.get() {
            let index = open.index(to_move).rank(position);
            let (chunk, place) = open.file.locate(to_move, index);
            cache.prefetch(open.line(self.number, chunk, place).key);
        }
    }

    /// The open file.
    pub(crate) fn file(&self) -> Result<&TableFile<Box<dyn ReadAt>>, ProbeError> {
        Ok(&self.open()?.file)
    }

    #[inline]
    fn open(&self) -> Result<&Open<G>, ProbeError> {
        match self.state.get() {
            Some(state) => self.opened(state),
            None => self.open_now(),
        }
    }

    /// Opens the file. Where several threads do it at once, the first one's result stays.
    #[cold]
    fn open_now(&self) -> Result<&Open<G>, ProbeError> {
        let state = match self.read_header() {
            Ok(file) => Ok(Box::new(Open::new(&self.id, file))),
            Err(error @ TableError::Io { .. }) => return Err(self.error(error)),
            Err(error) => Err(Arc::new(error)),
        };
        self.opened(self.state.get_or_init(|| state))
    }

    #[inline]
    fn opened<'a>(
        &self,
        state: &'a Result<Box<Open<G>>, Arc<TableError>>,
    ) -> Result<&'a Open<G>, ProbeError> {
        match state {
            Ok(open) => Ok(open),
            Err(error) => Err(self.shared_error(error.clone())),
        }
    }

    fn read_header(&self) -> Result<TableFile<Box<dyn ReadAt>>, TableError> {
        // Some file systems refuse to map: reading is as right, only slower.
        let mapping = self.access.map.and_then(|map| map(&self.path).ok());
        let reader: Box<dyn ReadAt> = match mapping {
            Some(mapping) => Box::new(Mapped(mapping)),
            None => {
                let file = Reopened::open(self.access.files.clone(), self.number, &self.path);
                let action = "open the file".into();
                Box::new(file.map_err(|source| TableError::Io { action, source })?)
            }
        };
        let table = TableFile::new(reader)?;
        table.check_is(&self.id)?;
        Ok(table)
    }

    /// The error of a code that stands for no value. A header with a greatest code over its
    /// metric's is refused, so this should not be seen.
    #[cold]
    pub(crate) fn no_value(&self, code: u16) -> ProbeError {
        let (expected, found) = (format!("a {}", self.id.metric), format!("code {code}"));
        self.error(TableError::Damaged { what: "a value", expected, found })
    }

    /// The error of a probe that this file is to blame for.
    fn error(&self, error: TableError) -> ProbeError {
        self.shared_error(Arc::new(error))
    }

    #[cold]
    fn shared_error(&self, source: Arc<TableError>) -> ProbeError {
        table_error(&self.path, source)
    }
}

/// An error of the system or of a file, with the path.
pub(crate) fn table_error(path: &Path, source: Arc<TableError>) -> ProbeError {
    let path = path.to_path_buf();
    match *source {
        TableError::Io { .. } => ProbeError::Io { path, source },
        _ => ProbeError::Damaged { path, source },
    }
}

/// The bytes of a file where the system has mapped them.
struct Mapped(Mmap);

impl ReadAt for Mapped {
    fn size_bytes(&self) -> std::io::Result<u64> {
        self.0[..].size_bytes()
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
        self.0[..].read_exact_at(buffer, offset)
    }

    fn borrow_at(&self, offset: u64, len: usize) -> Option<&[u8]> {
        self.0[..].borrow_at(offset, len)
    }
}
