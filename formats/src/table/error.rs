//! What can be wrong with a table file.

use std::io;

/// A table file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The file could not be read or written.
    #[error("cannot {action}: {source}")]
    Io {
        /// What was tried.
        action: String,
        /// Why it failed.
        source: io::Error,
    },
    /// The file is not what was once written.
    #[error("{what} is damaged: expected {expected}, found {found}")]
    Damaged {
        /// The part of the file.
        what: &'static str,
        /// What an undamaged file has there.
        expected: String,
        /// What the file has there.
        found: String,
    },
    /// The file is whole but a table of something else.
    #[error("wrong table: expected {expected}, found {found}")]
    WrongTable {
        /// The table asked for.
        expected: String,
        /// The table found.
        found: String,
    },
    /// The file has another version of the format.
    #[error("table format version {version} is not supported")]
    Unsupported {
        /// The version found.
        version: u16,
    },
    /// The table has no values of these positions: they follow from those of other positions.
    #[error("the values asked for are not stored in this table")]
    NotStored,
    /// What is to be written makes no table; nothing was written.
    #[error("no table can be written: {0}")]
    Unwritable(String),
}

impl TableError {
    pub(super) fn io(action: impl Into<String>) -> impl FnOnce(io::Error) -> TableError {
        let action = action.into();
        move |source| TableError::Io { action, source }
    }

    pub(super) fn damaged(
        what: &'static str,
        expected: impl ToString,
        found: impl ToString,
    ) -> TableError {
        TableError::Damaged { what, expected: expected.to_string(), found: found.to_string() }
    }
}

/// Fails where a part of a file is not what it should be.
pub(super) fn check<T: PartialEq + std::fmt::Display>(
    what: &'static str,
    expected: T,
    found: T,
) -> Result<(), TableError> {
    if expected == found { Ok(()) } else { Err(TableError::damaged(what, expected, found)) }
}
