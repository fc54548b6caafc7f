//! One table of a set: a file that is opened when it is first needed.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use damabase_formats::table::ReadAt;
use damabase_formats::{Index, TableError, TableFile, TableId, ToMove};
use damabase_rules::{Position, Rules};
use memmap2::Mmap;

use crate::ProbeError;
use crate::cache::Cache;
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
    /// Whole, or damaged for good. Failures of the system are not remembered: they may pass.
    state: OnceLock<Result<Open<G>, Arc<TableError>>>,
}

#[derive(Debug)]
struct Open<G: Rules> {
    file: TableFile<Box<dyn ReadAt>>,
    first: Index<G>,
    second: Index<G>,
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
    ) -> Result<u16, ProbeError> {
        let open = self.open()?;
        let index = match to_move {
            ToMove::First => &open.first,
            ToMove::Second => &open.second,
        };
        let (block, place) = open.file.locate(to_move, index.rank(position));
        let key = (self.number, block);
        if let Some(code) = cache.get(key, |block| open.file.code(block, place)) {
            return code.map_err(|error| self.error(error));
        }
        let decoded = open.file.block(block).map_err(|error| self.error(error))?;
        let code = open.file.code(&decoded, place).map_err(|error| self.error(error))?;
        cache.insert(key, decoded);
        Ok(code)
    }

    /// The open file.
    pub(crate) fn file(&self) -> Result<&TableFile<Box<dyn ReadAt>>, ProbeError> {
        Ok(&self.open()?.file)
    }

    #[inline]
    fn open(&self) -> Result<&Open<G>, ProbeError> {
        match self.state.get() {
            Some(state) => state.as_ref().map_err(|error| self.shared_error(error.clone())),
            None => self.open_now(),
        }
    }

    /// Opens the file. Where several threads do it at once, the first one's result stays.
    #[cold]
    fn open_now(&self) -> Result<&Open<G>, ProbeError> {
        let state = match self.read_header() {
            Ok(file) => Ok(Open {
                file,
                first: Index::new(self.id.slice, ToMove::First),
                second: Index::new(self.id.slice, ToMove::Second),
            }),
            Err(error @ TableError::Io { .. }) => return Err(self.error(error)),
            Err(error) => Err(Arc::new(error)),
        };
        self.state.get_or_init(|| state).as_ref().map_err(|error| self.shared_error(error.clone()))
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
