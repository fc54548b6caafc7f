//! The tables of all games, opened when a game is first asked for.

use std::any::Any;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

use damabase_formats::TableId;
use damabase_probe::{ProbeError, TableSet, Under};
use damabase_rules::draws::{Countdowns, DrawProfile};
use damabase_rules::{Rules, VariantId};

/// The tables of all games in some folders. Each game's are looked for when they are first asked
/// for.
#[derive(Debug, Default)]
pub struct Library {
    dirs: Vec<PathBuf>,
    /// How long what was found is taken to be all there is; none for ever.
    every: Option<Duration>,
    /// By number of the variant.
    places: [Place; VariantId::ALL.len()],
}

/// Where a game's tables are kept.
#[derive(Debug, Default)]
struct Place {
    /// The [`Shelf`] of its game.
    shelf: RwLock<Option<Arc<dyn Any + Send + Sync>>>,
    looked: Mutex<Looked>,
}

/// What was found when the folders were last looked through.
#[derive(Debug, Default)]
struct Looked {
    at: Option<Instant>,
    files: Vec<Seen>,
    times: u64,
}

/// A table file: its path, its size in bytes, and when it was changed.
type Seen = (PathBuf, u64, Option<SystemTime>);

/// The tables of a game that were there at one time.
#[derive(Debug)]
pub struct Shelf<G: Rules> {
    tables: TableSet<G>,
    edition: u64,
    /// How profiles that were asked for count in the slices that have tables.
    countdowns: Mutex<Vec<Arc<Countdowns>>>,
}

/// Profiles that are remembered, at most: there is no end of profiles of one's own.
const MOST_PROFILES: usize = 64;

impl Library {
    /// The tables in `DIR/VARIANT` for each of `dirs`, as they are when a game is first asked for;
    /// without folders there are none.
    pub fn new(dirs: Vec<PathBuf>) -> Library {
        Library { dirs, ..Default::default() }
    }

    /// The same, but where a game is asked for so long after its folders were last looked through,
    /// they are looked through again: tables that were added, replaced or taken away count from
    /// then on.
    pub fn watching(dirs: Vec<PathBuf>, every: Duration) -> Library {
        Library { dirs, every: Some(every), ..Default::default() }
    }

    /// The folders.
    pub fn dirs(&self) -> &[PathBuf] {
        &self.dirs
    }

    /// The tables of a game.
    ///
    /// # Errors
    /// [`ProbeError::Io`] where a folder cannot be listed; the next call tries again. Folders that
    /// could be listed before stand as they were then.
    pub fn shelf<G: Rules>(&self) -> Result<Arc<Shelf<G>>, ProbeError> {
        let place = &self.places[G::ID as usize];
        let kept = || {
            let shelf = place.shelf.read().unwrap_or_else(PoisonError::into_inner).clone();
            shelf.map(|shelf| {
                shelf.downcast().unwrap_or_else(|_| unreachable!("another game's tables"))
            })
        };
        let mut looked = match (kept(), self.every) {
            (Some(shelf), None) => return Ok(shelf),
            // Who comes while another looks is content with what was there.
            (Some(shelf), Some(_)) => match place.looked.try_lock() {
                Ok(looked) => looked,
                Err(_) => return Ok(shelf),
            },
            (None, _) => place.looked.lock().unwrap_or_else(PoisonError::into_inner),
        };
        let kept = kept();
        if let Some(shelf) = &kept {
            let is_new = |at: Instant| self.every.is_none_or(|every| at.elapsed() < every);
            if looked.at.is_some_and(is_new) {
                return Ok(shelf.clone());
            }
        }
        let files = self.files::<G>();
        looked.at = Some(Instant::now());
        if let Some(shelf) = &kept
            && looked.files == files
        {
            return Ok(shelf.clone());
        }
        let tables = match (TableSet::open(&self.dirs), kept) {
            (Ok(tables), _) => tables,
            (Err(_), Some(shelf)) => return Ok(shelf),
            (Err(error), None) => return Err(error),
        };
        looked.files = files;
        looked.times += 1;
        let shelf = Arc::new(Shelf { tables, edition: looked.times, countdowns: Mutex::default() });
        *place.shelf.write().unwrap_or_else(PoisonError::into_inner) = Some(shelf.clone());
        Ok(shelf)
    }

    /// The table files of a game. What cannot be read is not there: opening the tables tells.
    fn files<G: Rules>(&self) -> Vec<Seen> {
        let mut files = Vec::new();
        for dir in &self.dirs {
            let entries = fs::read_dir(dir.join(G::VARIANT.name)).into_iter().flatten().flatten();
            for entry in entries {
                let name = entry.file_name();
                let id = name.to_str().and_then(|name| TableId::from_file_name(G::ID, name));
                // The file that a link leads to, not the link.
                if let (Some(_), Ok(file)) = (id, fs::metadata(entry.path())) {
                    files.push((entry.path(), file.len(), file.modified().ok()));
                }
            }
        }
        files.sort();
        files
    }
}

impl<G: Rules> Shelf<G> {
    /// The tables.
    pub fn tables(&self) -> &TableSet<G> {
        &self.tables
    }

    /// A number that is another one for every set of tables that a library has found for the game.
    pub fn edition(&self) -> u64 {
        self.edition
    }

    /// The tables under a profile.
    pub fn under(&self, profile: &DrawProfile) -> Under<'_, G> {
        let mut known = self.countdowns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(countdowns) = known.iter().find(|known| known.profile() == profile) {
            return self.tables.under_countdowns(countdowns.clone());
        }
        let under = self.tables.under(profile);
        if known.len() == MOST_PROFILES {
            known.remove(0);
        }
        known.push(under.countdowns().clone());
        under
    }
}
