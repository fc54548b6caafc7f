//! Writing a table file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::checksum::{Running, checksum};
use super::choice::{Choice, choose};
use super::encode::encode_block;
use super::grammar::Encoder;
use super::header::{DIRECTORY_ENTRY_BYTES, FINISHED_OFFSET, Header};
use super::{Counts, Metadata, TableError, TableId};
use crate::{Slice, ToMove};

/// Where a table's values come from.
pub trait Values: Sync {
    /// Puts the codes of a range of index values into `out`, which is as long as the range:
    /// [`Wld::code`](super::Wld::code) or [`Distance::code`](super::Distance::code), or
    /// [`DONT_CARE`] where the table need not hold one. In a symmetric slice only
    /// [`ToMove::First`] is asked for.
    fn read(&self, to_move: ToMove, range: Range<u64>, out: &mut [u16]);
}

/// What must be known of a table before it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableInfo {
    /// What the table is a table of.
    pub id: TableId,
    /// The greatest code among the values, [`DONT_CARE`] left out.
    pub max_code: u16,
    /// Counts of each section, in the order of [`Slice::sides`].
    pub counts: Vec<Counts>,
    /// Facts that a probe does not need.
    pub metadata: Metadata,
}

/// Whether a table is to be probed fast or to be small.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Layout {
    /// Both sides to move are stored, in short sub-blocks.
    Search,
    /// One side to move is stored, or half of a symmetric slice, in long sub-blocks; the values of
    /// the others follow by a search of one or more plies. Tables of budgets store all the same.
    Compact,
}

impl Layout {
    /// The layout of tables for which none was asked for: search up to 5 pieces, compact above.
    pub fn default_for(slice: Slice) -> Layout {
        if slice.pieces() <= 5 { Layout::Search } else { Layout::Compact }
    }

    /// The name in commands.
    pub const fn name(self) -> &'static str {
        match self {
            Layout::Search => "search",
            Layout::Compact => "compact",
        }
    }
}

impl std::str::FromStr for Layout {
    type Err = UnknownLayout;

    fn from_str(text: &str) -> Result<Layout, UnknownLayout> {
        let layouts = [Layout::Search, Layout::Compact];
        let found = layouts.into_iter().find(|layout| layout.name() == text);
        found.ok_or_else(|| UnknownLayout(text.to_string()))
    }
}

/// The name was not a layout.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown layout '{0}': expected search or compact")]
pub struct UnknownLayout(pub String);

/// How values are compressed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Compression {
    /// As phrases that are decoded in place: the smallest for win, draw and loss.
    Phrases,
    /// As digits of bytes, compressed by zstd in blocks: about as small for distances, and written
    /// in a fraction of the time.
    Zstd,
}

/// Choices that change a file's bytes but not what it says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WriteOptions {
    /// The layout; [`Layout::default_for`] if none is given.
    pub layout: Option<Layout>,
    /// The compression; if none is given, phrases for win, draw and loss, and zstd for others.
    pub compression: Option<Compression>,
    /// The compression level of zstd, 1 to 22.
    pub level: i32,
    /// Packed bytes in a block for zstd; even, at most 2^20.
    pub block_bytes: u32,
}

impl Default for WriteOptions {
    /// Level 15 and 16 KiB. (Level 19 takes half as long again and saves one part in a hundred.)
    fn default() -> WriteOptions {
        WriteOptions { layout: None, compression: None, level: 15, block_bytes: 16 << 10 }
    }
}

/// A block ready to be stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EncodedBlock {
    number: u64,
    stored: Vec<u8>,
    sum: u64,
}

/// Writes a table file block by block. The file gets its name only once it is finished; dropped
/// before that, nothing of it is left.
///
/// Blocks can be encoded on many threads ([`TableWriter::encode`] changes nothing) and must be
/// pushed in order, so the bytes do not depend on the number of threads.
///
/// ```no_run
/// # use damabase_formats::{table::*, ToMove};
/// # fn f(values: &impl Values, info: &TableInfo) -> Result<(), TableError> {
/// let options = WriteOptions::default();
/// let mut writer = TableWriter::create("tables/russian".as_ref(), info, options, values)?;
/// for block in 0..writer.blocks() {
///     let encoded = writer.encode(values, block)?;
///     writer.push(encoded)?;
/// }
/// let size_bytes = writer.finish()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct TableWriter {
    header: Header,
    identity: u64,
    level: i32,
    /// All blocks, where they had to be written to choose how; else none.
    ready: Vec<Vec<u8>>,
    metadata: Vec<u8>,
    models: Vec<u8>,
    /// Of each stored section, where values are written as phrases.
    encoders: Vec<Encoder>,
    men_radix: (u64, u64),
    directory: Vec<u8>,
    file: BufWriter<File>,
    temporary: Temporary,
    path: PathBuf,
}

impl TableWriter {
    /// Begins a table file in a folder, which is made if it is not there. Looks at many of the
    /// values to find out how best to write them.
    ///
    /// # Errors
    /// [`TableError::Unwritable`] where `info` or `options` make no table or a value is over the
    /// greatest that was announced, [`TableError::Io`].
    pub fn create(
        folder: &Path,
        info: &TableInfo,
        options: WriteOptions,
        values: &(impl Values + ?Sized),
    ) -> Result<TableWriter, TableError> {
        if !(1..=22).contains(&options.level) {
            return Err(TableError::Unwritable(format!("compression level {}", options.level)));
        }
        let metadata = info.metadata.to_bytes()?;
        let Choice { mut header, encoders, level, blocks } = choose(info, options, values)?;
        let mut models = Vec::new();
        for encoder in &encoders {
            let bytes = encoder.model_bytes();
            models.extend((bytes.len() as u32).to_le_bytes());
            models.extend(bytes);
        }
        header.metadata_len = metadata.len() as u32;
        header.models_len = models.len() as u32;
        fs::create_dir_all(folder).map_err(at("create", folder))?;
        let (temporary, file) = Temporary::create(folder, &info.id)?;
        let mut file = BufWriter::new(file);
        file.seek(SeekFrom::Start(header.blocks_offset())).map_err(at("write", &temporary.0))?;
        Ok(TableWriter {
            identity: header.identity(),
            level,
            ready: blocks,
            metadata,
            models,
            encoders,
            men_radix: info.id.men_radix(),
            directory: Vec::new(),
            file,
            temporary,
            path: folder.join(info.id.file_name()),
            header,
        })
    }

    /// Number of blocks to be pushed.
    pub fn blocks(&self) -> u64 {
        self.header.blocks()
    }

    /// Reads the values of a block and makes the block of them.
    ///
    /// # Errors
    /// [`TableError::Unwritable`] where a value is over the greatest that was announced or there
    /// is no such block.
    pub fn encode(
        &self,
        values: &(impl Values + ?Sized),
        block: u64,
    ) -> Result<EncodedBlock, TableError> {
        let (header, encoders) = (&self.header, &self.encoders);
        let stored = match self.ready.get(block as usize) {
            Some(ready) => ready.clone(),
            None => encode_block(header, self.men_radix, encoders, self.level, values, block)?,
        };
        let sum = checksum(self.identity.wrapping_add(block), &stored);
        Ok(EncodedBlock { number: block, stored, sum })
    }

    /// Stores the next block.
    ///
    /// # Errors
    /// [`TableError::Unwritable`] where another block is due, [`TableError::Io`].
    pub fn push(&mut self, block: EncodedBlock) -> Result<(), TableError> {
        let due = self.directory.len() as u64 / DIRECTORY_ENTRY_BYTES;
        if block.number != due || due >= self.blocks() {
            let message = format!("block {} where block {due} is due", block.number);
            return Err(TableError::Unwritable(message));
        }
        self.file.write_all(&block.stored).map_err(at("write", &self.temporary.0))?;
        self.header.blocks_len += block.stored.len() as u64;
        self.directory.extend(self.header.blocks_len.to_le_bytes());
        self.directory.extend(block.sum.to_le_bytes());
        Ok(())
    }

    /// Completes the file and gives it its name, in place of a file that has it; the number of
    /// bytes. When this returns, the file is on the disk.
    ///
    /// # Errors
    /// [`TableError::Unwritable`] where blocks are missing, [`TableError::Io`].
    pub fn finish(mut self) -> Result<u64, TableError> {
        let pushed = self.directory.len() as u64 / DIRECTORY_ENTRY_BYTES;
        if pushed != self.blocks() {
            let message = format!("{pushed} blocks where there are {}", self.blocks());
            return Err(TableError::Unwritable(message));
        }
        self.header.metadata_sum = checksum(self.identity, &self.metadata);
        self.header.models_sum = checksum(self.identity, &self.models);
        self.header.directory_sum = checksum(self.identity, &self.directory);
        self.complete().map_err(at("write", &self.temporary.0))?;
        fs::rename(&self.temporary.0, &self.path).map_err(at("rename", &self.temporary.0))?;
        sync_folder(&self.path).map_err(at("sync the folder of", &self.path))?;
        Ok(self.header.file_len())
    }

    /// Everything but the blocks. The byte that says that the file is finished comes last, when
    /// all the rest is on the disk.
    fn complete(&mut self) -> io::Result<()> {
        let header = self.header.to_bytes();
        let mut unfinished = header;
        unfinished[FINISHED_OFFSET] = 0;
        self.file.seek(SeekFrom::Start(0))?;
        for part in [&unfinished[..], &self.metadata, &self.models, &self.directory] {
            self.file.write_all(part)?;
        }
        self.file.flush()?;
        let file = self.file.get_mut();

        // The parts were not written in their order, so the checksum of the whole takes a second
        // look at the file.
        let mut whole = Running::new();
        whole.add(&header);
        let mut buffer = vec![0; 1 << 16];
        file.seek(SeekFrom::Start(header.len() as u64))?;
        loop {
            match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(len) => whole.add(&buffer[..len]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        file.write_all(&whole.sum().to_le_bytes())?;
        file.sync_all()?;
        file.seek(SeekFrom::Start(FINISHED_OFFSET as u64))?;
        file.write_all(&[1])?;
        file.sync_all()
    }
}

/// Writes a table on this thread; the number of bytes.
///
/// # Errors
/// Those of [`TableWriter`].
pub fn write_table(
    folder: &Path,
    info: &TableInfo,
    options: WriteOptions,
    values: &impl Values,
) -> Result<u64, TableError> {
    let mut writer = TableWriter::create(folder, info, options, values)?;
    for block in 0..writer.blocks() {
        let encoded = writer.encode(values, block)?;
        writer.push(encoded)?;
    }
    writer.finish()
}

/// Removes what killed processes left of a table in a folder. The caller must know that nobody is
/// writing this table.
///
/// # Errors
/// [`TableError::Io`].
pub fn remove_unfinished(folder: &Path, id: &TableId) -> Result<(), TableError> {
    let prefix = temporary_prefix(id);
    for entry in fs::read_dir(folder).map_err(at("list", folder))? {
        let entry = entry.map_err(at("list", folder))?;
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            fs::remove_file(entry.path()).map_err(at("remove", &entry.path()))?;
        }
    }
    Ok(())
}

fn temporary_prefix(id: &TableId) -> String {
    format!("{}.tmp-", id.file_name())
}

/// A file that is removed unless it was renamed.
#[derive(Debug)]
struct Temporary(PathBuf);

impl Temporary {
    fn create(folder: &Path, id: &TableId) -> Result<(Temporary, File), TableError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("{}{}-{number}", temporary_prefix(id), std::process::id());
            let path = folder.join(name);
            match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((Temporary(path), file)),
                // Left by a killed process that had the same number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(at("create", &path)(error)),
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // After a rename there is nothing under this name. A file that cannot be removed can
        // still not be taken for a table.
        let _ = fs::remove_file(&self.0);
    }
}

/// Makes a rename last: the entry of the file in its folder is synced.
fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        File::open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })?
            .sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

fn at(action: &str, path: &Path) -> impl FnOnce(io::Error) -> TableError + use<> {
    TableError::io(format!("{action} {}", path.display()))
}
