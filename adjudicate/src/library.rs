//! The tables of all games, opened when a game is first asked for.

use std::any::Any;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use damabase_probe::{ProbeError, TableSet, Under};
use damabase_rules::draws::{Countdowns, DrawProfile};
use damabase_rules::{Rules, VariantId};

/// The tables of all games in some folders. Each game's are looked for once, when they are first
/// asked for.
#[derive(Debug, Default)]
pub struct Library {
    dirs: Vec<PathBuf>,
    /// By number of the variant; each holds the `TableSet` of its game.
    sets: [OnceLock<Box<dyn Any + Send + Sync>>; VariantId::ALL.len()],
    /// How profiles count in the slices that have tables, for the games that were asked for.
    countdowns: Mutex<Vec<(VariantId, Arc<Countdowns>)>>,
}

/// Profiles that are remembered, at most: there is no end of profiles of one's own.
const MOST_PROFILES: usize = 64;

impl Library {
    /// The tables in `DIR/VARIANT` for each of `dirs`; without folders there are none.
    pub fn new(dirs: Vec<PathBuf>) -> Library {
        Library { dirs, ..Default::default() }
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

    /// The tables of a game under a profile.
    ///
    /// # Errors
    /// Those of [`Library::tables`].
    pub fn under<G: Rules>(&self, profile: &DrawProfile) -> Result<Under<'_, G>, ProbeError> {
        let tables = self.tables::<G>()?;
        let mut known = self.countdowns.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |(id, countdowns): &&(VariantId, Arc<Countdowns>)| {
            *id == G::ID && countdowns.profile() == profile
        };
        if let Some((_, countdowns)) = known.iter().find(is_it) {
            return Ok(tables.under_countdowns(countdowns.clone()));
        }
        let under = tables.under(profile);
        if known.len() == MOST_PROFILES {
            known.remove(0);
        }
        known.push((G::ID, under.countdowns().clone()));
        Ok(under)
    }
}
