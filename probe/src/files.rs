//! Files that are open at the same time: as many as the system allows, and no more than are needed.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use damabase_formats::table::ReadAt;

/// Files held open at most. A search is in few slices at a time, and what it probes is held decoded;
/// the other files that may be open are the program's own.
const MOST: usize = 16;

/// The open files of a set. One that was closed to make room is opened again when it is needed.
#[derive(Debug)]
pub(crate) struct Files(Mutex<State>);

#[derive(Debug)]
struct State {
    /// By number of the table: the file, and when it was last used.
    open: HashMap<u32, (Arc<File>, u64)>,
    /// Grows with every use.
    clock: u64,
    /// How many are held open at most.
    most: usize,
}

impl Default for Files {
    fn default() -> Files {
        Files(Mutex::new(State { open: HashMap::new(), clock: 0, most: MOST }))
    }
}

impl Files {
    /// The open file of a table, and whether it was opened just now.
    fn get(&self, number: u32, path: &Path) -> io::Result<(Arc<File>, bool)> {
        // Nothing panics while it holds the lock.
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.clock += 1;
        let now = state.clock;
        if let Some((file, used)) = state.open.get_mut(&number) {
            *used = now;
            return Ok((file.clone(), false));
        }
        let most = state.most;
        state.close_all_but(most - 1);
        let file = loop {
            match File::open(path) {
                // The limit may be that of a program that needs files for itself: leave it half.
                Err(error) if is_limit(&error) && !state.open.is_empty() => {
                    state.most = (state.open.len() / 2).max(1);
                    let most = state.most;
                    state.close_all_but(most - 1);
                }
                other => break Arc::new(other?),
            }
        };
        state.open.insert(number, (file.clone(), now));
        Ok((file, true))
    }

    /// Closes the file of a table.
    fn forget(&self, number: u32) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).open.remove(&number);
    }
}

impl State {
    /// Closes the files that were not used for longest. (One that is just being read is closed by
    /// its reader.)
    fn close_all_but(&mut self, count: usize) {
        while self.open.len() > count {
            let oldest = self.open.iter().min_by_key(|(_, (_, used))| *used);
            let Some((&number, _)) = oldest else { break };
            self.open.remove(&number);
        }
    }
}

/// Whether the system refused because too many files are open.
fn is_limit(error: &io::Error) -> bool {
    // EMFILE and ENFILE; ERROR_TOO_MANY_OPEN_FILES.
    let codes: &[i32] = if cfg!(windows) { &[4] } else { &[24, 23] };
    error.raw_os_error().is_some_and(|code| codes.contains(&code))
}

/// A file that is read by positioned reads, and may be closed in between.
#[derive(Debug)]
pub(crate) struct Reopened {
    files: Arc<Files>,
    number: u32,
    path: PathBuf,
    found: Identity,
}

/// What tells a file from one that took its place.
#[derive(PartialEq, Eq, Debug)]
struct Identity {
    size_bytes: u64,
    modified: Option<std::time::SystemTime>,
    /// Device and number of the file, where the system has them.
    place: Option<(u64, u64)>,
}

impl Identity {
    fn of(metadata: &Metadata) -> Identity {
        #[cfg(unix)]
        let place = {
            use std::os::unix::fs::MetadataExt;
            Some((metadata.dev(), metadata.ino()))
        };
        #[cfg(not(unix))]
        let place = None;
        Identity { size_bytes: metadata.len(), modified: metadata.modified().ok(), place }
    }
}

impl Reopened {
    /// Opens the file of a table.
    pub(crate) fn open(files: Arc<Files>, number: u32, path: &Path) -> io::Result<Reopened> {
        let found = Identity::of(&files.get(number, path)?.0.metadata()?);
        Ok(Reopened { files, number, path: path.to_path_buf(), found })
    }
}

impl ReadAt for Reopened {
    fn size_bytes(&self) -> io::Result<u64> {
        Ok(self.found.size_bytes)
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let (file, is_new) = self.files.get(self.number, &self.path)?;
        if is_new && Identity::of(&file.metadata()?) != self.found {
            self.files.forget(self.number);
            return Err(io::Error::other("the file is another than at first"));
        }
        file.read_exact_at(buffer, offset)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(file: &Reopened) -> io::Result<[u8; 3]> {
        let mut bytes = [0; 3];
        file.read_exact_at(&mut bytes, 1)?;
        Ok(bytes)
    }

    #[test]
    fn files_are_closed_to_make_room_and_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let files = Arc::new(Files::default());
        files.0.lock().unwrap().most = 2;
        let readers: Vec<Reopened> = (0..5)
            .map(|number| {
                let path = folder.path().join(number.to_string());
                fs::write(&path, format!("-{number}{number}{number}")).unwrap();
                Reopened::open(files.clone(), number, &path).unwrap()
            })
            .collect();
        for _ in 0..3 {
            for (number, reader) in readers.iter().enumerate() {
                assert_eq!(read(reader).unwrap(), [b'0' + number as u8; 3]);
                assert_eq!(reader.size_bytes().unwrap(), 4);
                assert!(files.0.lock().unwrap().open.len() <= 2);
            }
        }
        // The last two are open: what takes the place of the last is not seen; what takes the
        // place of the first is, since it is opened again.
        for number in ["0", "4"] {
            fs::write(folder.path().join("new"), "-???").unwrap();
            fs::rename(folder.path().join("new"), folder.path().join(number)).unwrap();
        }
        assert_eq!(read(&readers[4]).unwrap(), [b'4'; 3]);
        let error = read(&readers[0]).unwrap_err();
        assert_eq!(error.to_string(), "the file is another than at first");
        assert!(read(&readers[0]).is_err());
    }
}
