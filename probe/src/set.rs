//! The tables of one game that are there.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use damabase_formats::slice::MAX_PIECES;
use damabase_formats::table::{NO_PROFILE, ReadAt};
use damabase_formats::{Metric, Slice, TableError, TableFile, TableId};
use damabase_rules::Rules;
use memmap2::Mmap;
use rustc_hash::FxHashMap;

use crate::cache::Cache;
use crate::table::{Access, Table, table_error};
use crate::under::Dictionaries;
use crate::{MissingTable, ProbeError};

/// The size of the cache of decoded blocks, unless it is told, in bytes.
pub const DEFAULT_CACHE_BYTES: usize = 64 << 20;

/// The tables of one game in a list of folders.
///
/// Probing takes `&self`, from any number of threads. A set sees the files that were there when
/// it was opened; a file that cannot be opened is tried again at the next probe that needs it,
/// a file that is damaged is not.
#[derive(Debug)]
pub struct TableSet<G: Rules> {
    /// Those without draw counters in the order of `keys`, then the others.
    tables: Vec<Table<G>>,
    /// A number for the metric and slice of each table without draw counters, ascending.
    keys: Vec<u32>,
    /// Places of the tables with draw counters, by metric and slice.
    under_profiles: FxHashMap<u32, Vec<usize>>,
    /// Slices with a win/draw/loss table, all of whose successors are in this set too.
    covered: BTreeSet<Slice>,
    searched: Arc<[PathBuf]>,
    pub(crate) cache: Cache,
    pub(crate) dictionaries: Dictionaries,
}

impl<G: Rules> TableSet<G> {
    /// The tables in `DIR/VARIANT` for each of `dirs`, to be read by positioned reads. Where two
    /// folders have the same table, the first counts. A folder that is not there is empty; a set
    /// without tables is no error.
    ///
    /// # Errors
    /// [`ProbeError::Io`] where a folder cannot be listed.
    pub fn open(dirs: &[PathBuf]) -> Result<TableSet<G>, ProbeError> {
        TableSet::with_access(dirs, &Access::reading())
    }

    /// The same tables, read from memory that the system maps to the files. Where it refuses to
    /// map a file, the file is read as [`TableSet::open`] would.
    ///
    /// # Errors
    /// [`ProbeError::Io`] where a folder cannot be listed.
    ///
    /// # Safety
    /// - While the set lives, no process may change or shorten the table files. (Damabase itself
    ///   never does: it replaces files by renaming.)
    /// - The storage must stay: the system ends a process that reads a mapping whose file it can
    ///   no longer read.
    pub unsafe fn open_mapped(dirs: &[PathBuf]) -> Result<TableSet<G>, ProbeError> {
        let map = |path: &Path| {
            // SAFETY: the caller promises that the file is not changed while the set, which owns
            // the mapping, lives.
            unsafe { Mmap::map(&File::open(path)?) }
        };
        TableSet::with_access(dirs, &Access::mapping(map))
    }

    /// The set with an empty cache of another size in bytes; with 0 bytes every probe reads its
    /// file.
    pub fn with_cache_bytes(mut self, bytes: usize) -> TableSet<G> {
        self.cache = Cache::new(bytes);
        self
    }

    /// Memory that the cache takes at present, in bytes.
    pub fn cache_bytes(&self) -> usize {
        self.cache.bytes()
    }

    fn with_access(dirs: &[PathBuf], access: &Access) -> Result<TableSet<G>, ProbeError> {
        let searched: Vec<PathBuf> = dirs.iter().map(|dir| dir.join(G::VARIANT.name)).collect();
        let mut found: Vec<(TableId, PathBuf)> = Vec::new();
        for folder in &searched {
            found.extend(list::<G>(folder)?);
        }
        // Stable, so the first folder's file stays.
        let order = |id: &TableId| {
            let profile = if id.profile == NO_PROFILE { "" } else { &id.profile };
            (profile.to_string(), key(id.slice, id.metric))
        };
        found.sort_by_cached_key(|(id, _)| order(id));
        found.dedup_by(|(one, _), (other, _)| one == other);
        let mut keys = Vec::with_capacity(found.len());
        let mut under_profiles: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        let mut tables = Vec::with_capacity(found.len());
        for (number, (id, path)) in (0..).zip(found) {
            let key = key(id.slice, id.metric);
            if id.profile == NO_PROFILE {
                keys.push(key);
            } else {
                under_profiles.entry(key).or_default().push(tables.len());
            }
            tables.push(Table::new(id, path, number, access.clone()));
        }
        let mut set = TableSet {
            tables,
            keys,
            under_profiles,
            covered: BTreeSet::new(),
            searched: searched.into(),
            cache: Cache::new(DEFAULT_CACHE_BYTES),
            dictionaries: Dictionaries::default(),
        };
        // In order, each slice after all that it depends on.
        for slice in set.slices() {
            if slice.successors().iter().all(|successor| set.covered.contains(successor)) {
                set.covered.insert(slice);
            }
        }
        Ok(set)
    }

    /// Whether every position with this material has a win/draw/loss value here, and every move
    /// from it: whether the tables of the slice and of all slices that can follow are there. The
    /// files may still turn out to be damaged.
    pub fn covers(&self, slice: Slice) -> bool {
        self.covered.contains(&slice)
    }

    /// The greatest number of pieces up to which every slice is covered; 0 if there is none.
    pub fn max_pieces(&self) -> u32 {
        (2..=MAX_PIECES)
            .take_while(|&pieces| Slice::with_pieces(pieces).iter().all(|&s| self.covers(s)))
            .last()
            .unwrap_or(0)
    }

    /// The slices that have a win/draw/loss table here, each after all that it depends on.
    pub fn slices(&self) -> Vec<Slice> {
        let wld = |table: &&Table<G>| table.id.metric == Metric::Wld;
        let mut slices: Vec<Slice> =
            self.tables.iter().filter(wld).map(|table| table.id.slice).collect();
        slices.sort();
        slices
    }

    /// All tables and their files, ordered by metric and material; those with draw counters last.
    pub fn tables(&self) -> impl Iterator<Item = (&TableId, &Path)> {
        self.tables.iter().map(|table| (&table.id, table.path.as_path()))
    }

    /// The open file of a table, for its counts and metadata, or to verify it.
    ///
    /// # Errors
    /// [`ProbeError::Missing`], [`ProbeError::Damaged`], [`ProbeError::Io`].
    pub fn table(
        &self,
        slice: Slice,
        metric: Metric,
    ) -> Result<&TableFile<Box<dyn ReadAt>>, ProbeError> {
        self.find(slice, metric).ok_or_else(|| self.missing(slice, metric))?.file()
    }

    /// The table of a slice, if it is there.
    #[inline]
    pub(crate) fn find(&self, slice: Slice, metric: Metric) -> Option<&Table<G>> {
        if slice.pieces() > MAX_PIECES {
            return None;
        }
        Some(&self.tables[self.keys.binary_search(&key(slice, metric)).ok()?])
    }

    /// The table of a slice whose values depend on draw rules, if it is there.
    pub(crate) fn find_under(
        &self,
        slice: Slice,
        metric: Metric,
        profile: &str,
    ) -> Option<&Table<G>> {
        if slice.pieces() > MAX_PIECES {
            return None;
        }
        let places = self.under_profiles.get(&key(slice, metric))?;
        places.iter().map(|&place| &self.tables[place]).find(|table| table.id.profile == profile)
    }

    /// The open file of a table, given by its id.
    ///
    /// # Errors
    /// [`ProbeError::Missing`], [`ProbeError::Damaged`], [`ProbeError::Io`].
    pub fn table_of(&self, id: &TableId) -> Result<&TableFile<Box<dyn ReadAt>>, ProbeError> {
        let table = match id.profile.as_str() {
            NO_PROFILE => self.find(id.slice, id.metric),
            profile => self.find_under(id.slice, id.metric, profile),
        };
        table.ok_or_else(|| self.missing_under(id.slice, id.metric, &id.profile))?.file()
    }

    #[cold]
    pub(crate) fn missing(&self, slice: Slice, metric: Metric) -> ProbeError {
        self.missing_under(slice, metric, NO_PROFILE)
    }

    #[cold]
    pub(crate) fn missing_under(&self, slice: Slice, metric: Metric, profile: &str) -> ProbeError {
        ProbeError::Missing(Box::new(MissingTable {
            variant: G::ID,
            slice,
            metric,
            profile: profile.to_string(),
            needed_by: None,
            searched: self.searched.clone(),
        }))
    }
}

/// The number of a metric and a slice; unique for slices of at most [`MAX_PIECES`] pieces.
#[inline]
fn key(slice: Slice, metric: Metric) -> u32 {
    let (first, second) = (slice.first(), slice.second());
    [first.men, first.kings, second.men, second.kings]
        .into_iter()
        .fold(metric as u32, |key, count| key << 4 | u32::from(count))
}

/// The tables in a folder, by their names.
fn list<G: Rules>(folder: &Path) -> Result<Vec<(TableId, PathBuf)>, ProbeError> {
    let error = |source: io::Error| {
        table_error(folder, Arc::new(TableError::Io { action: "list the folder".into(), source }))
    };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(absent) if absent.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(other) => return Err(error(other)),
    };
    let mut tables = Vec::new();
    for entry in entries {
        let entry = entry.map_err(error)?;
        let name = entry.file_name();
        if let Some(id) = name.to_str().and_then(|name| TableId::from_file_name(G::ID, name))
            && entry.path().is_file()
        {
            tables.push((id, entry.path()));
        }
    }
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use damabase_rules::Russian;

    use super::*;

    #[test]
    fn where_the_system_refuses_to_map_files_are_read() {
        static REFUSED: AtomicU32 = AtomicU32::new(0);
        let refuse = |_: &Path| {
            REFUSED.fetch_add(1, Ordering::Relaxed);
            Err(io::ErrorKind::Unsupported.into())
        };
        let solved = crate::common::Solved::<Russian>::new(2);
        let folder = tempfile::tempdir().unwrap();
        solved.write(folder.path(), &[Metric::Wld]);
        let dirs = [folder.path().to_path_buf()];
        let set = TableSet::<Russian>::with_access(&dirs, &Access::mapping(refuse)).unwrap();
        for (node, position) in solved.positions.iter().enumerate() {
            assert_eq!(set.wld(position).unwrap(), solved.dtw[node].wld());
        }
        assert_eq!(REFUSED.load(Ordering::Relaxed), 3);
    }
}
