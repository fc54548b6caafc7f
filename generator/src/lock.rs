//! One process at a time works on a slice of a folder.

use std::fs::{File, TryLockError, remove_file};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// How often a process looks whether another is done.
const PAUSE: Duration = Duration::from_millis(100);

/// An advisory lock, held until dropped; a killed process holds none.
pub(crate) struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Takes the lock of a path, whose file is made. While another process holds it, calls
    /// `waiting` every now and then with whether it is the first time; none once that says stop.
    pub fn take(path: &Path, mut waiting: impl FnMut(bool) -> bool) -> io::Result<Option<Lock>> {
        let mut first = true;
        loop {
            let file = File::options().create(true).append(true).open(path)?;
            match file.try_lock() {
                // The holder before may have removed the file since it was opened here; then
                // this lock keeps nobody out.
                Ok(()) if is_still(&file, path) => {
                    return Ok(Some(Lock { file, path: path.to_owned() }));
                }
                Ok(()) => {}
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) => {
                    if !waiting(first) {
                        return Ok(None);
                    }
                    first = false;
                    sleep(PAUSE);
                }
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Only where a waiting process can tell that its file is gone. A file that stays does no
        // harm.
        if cfg!(unix) {
            let _ = remove_file(&self.path);
        }
        let _ = self.file.unlock();
    }
}

#[cfg(unix)]
fn is_still(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), path.metadata()) {
        (Ok(a), Ok(b)) => a.ino() == b.ino() && a.dev() == b.dev(),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_still(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_and_nothing_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("KvK.lock");
        let first = Lock::take(&path, |_| false).unwrap().unwrap();
        assert!(Lock::take(&path, |_| false).unwrap().is_none());
        let mut calls = 0;
        let mut held = Some(first);
        let second = Lock::take(&path, |first| {
            assert_eq!(first, calls == 0);
            calls += 1;
            held = None;
            true
        });
        assert!(second.unwrap().is_some());
        assert_eq!(calls, 1);
        assert_eq!(path.exists(), !cfg!(unix));
    }
}
