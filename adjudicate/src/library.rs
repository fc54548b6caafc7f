//! The tables of all games, opened when a game is first asked for.

use std::any::Any;
use std::path::PathBuf;
use std::sync::OnceLock;

use damabase_probe::{ProbeError, TableSet};
use damabase_rules::{Rules, VariantId};

/// The tables of all games in some folders. Each game's are looked for once, when they are first
/// asked for.
#[derive(Debug, Default)]
pub struct Library {
    dirs: Vec<PathBuf>,
    /// By number of the variant; each holds the `TableSet` of its game.
    sets: [OnceLock<Box<dyn Any + Send + Sync>>; VariantId::ALL.len()],
}

impl Library {
    /// The tables in `DIR/VARIANT` for each of `dirs`; without folders there are none.
    pub fn new(dirs: Vec<PathBuf>) -> Library {
        Library { dirs, sets: Default::default() }
    }

    /// The folders.
    pub fn dirs(&self) -> &[PathBuf] {
        &self.dirs
    }

    /// The tables of a game.
    ///
    /// # Errors
    /// [`ProbeError::Io`] where a folder cannot be listed; the next call tries again.
    pub fn tables<G: Rules>(&self) -> Result<&TableSet<G>, ProbeError> {
        let cell = &self.sets[G::ID as usize];
        let set = match cell.get() {
            Some(set) => set,
            None => {
                // Where several threads open at once, the first one's set stays.
                let set: Box<dyn Any + Send + Sync> = Box::new(TableSet::<G>::open(&self.dirs)?);
                cell.get_or_init(|| set)
            }
        };
        Ok(set.downcast_ref().unwrap_or_else(|| unreachable!("another game's tables")))
    }
}
