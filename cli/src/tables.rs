//! Where tables lie.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use damabase_rules::VariantId;

use crate::failure::Failure;

/// The folder given, else that of the environment variable `DAMABASE_DIR`, else a data folder of
/// the user.
///
/// # Errors
/// [`Failure::Input`] where there is none of these.
pub fn folder(given: Option<PathBuf>) -> Result<PathBuf, Failure> {
    given.or_else(|| variable("DAMABASE_DIR").map(PathBuf::from)).or_else(data_folder).ok_or_else(
        || Failure::Input("no folder for tables: give --dir or set DAMABASE_DIR".to_string()),
    )
}

/// The failure where a folder has no table of a game.
pub fn none(variant: VariantId, dir: &Path) -> Failure {
    let folder = dir.join(variant.variant().name);
    Failure::Missing(format!(
        "no tables of {variant} in {}; 'damabase generate {variant} --pieces 3' makes some",
        folder.display()
    ))
}

/// The folder for tables among the user's data, by the customs of the system.
fn data_folder() -> Option<PathBuf> {
    let home = || variable("HOME").map(PathBuf::from);
    let data = if cfg!(windows) {
        PathBuf::from(variable("LOCALAPPDATA")?)
    } else if cfg!(target_os = "macos") {
        home()?.join("Library/Application Support")
    } else {
        // XDG base directories: a relative path is to be ignored.
        match variable("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute()) {
            Some(data) => data,
            None => home()?.join(".local/share"),
        }
    };
    Some(data.join("damabase"))
}

/// An environment variable that is set and not empty.
fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}
