//! Statistics as files, for publishing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use damabase_generator::stats;
use damabase_probe::{ProbeError, TableSet};
use damabase_rules::{Rules, VariantId};

use crate::page::STYLE;
use crate::statistics::{Statistics, detail};
use crate::stats_page::{self, Files, game_file, slice_file};

/// Positions of a slice that are looked at for its distances, for each side to move.
const MOST_POSITIONS: u64 = 1 << 26;

/// Why a site could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SiteError {
    /// A table is damaged or cannot be read.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// A file cannot be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Writes the statistics of a game as pages in a folder, which is made if it is not there:
/// `VARIANT.html`, `VARIANT-SLICE.html` for each slice, `style.css`, and `index.html`, which lists
/// the games whose pages are there. Gives the number of pages.
///
/// # Errors
/// [`SiteError`].
pub fn write_site<G: Rules>(tables: &TableSet<G>, folder: &Path) -> Result<usize, SiteError> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|source| SiteError::Write { path, source })
    };
    fs::create_dir_all(folder)
        .map_err(|source| SiteError::Write { path: folder.to_path_buf(), source })?;
    write("style.css", STYLE)?;
    let slices = stats(tables)?;
    let statistics = Statistics::new(G::ID, &slices);
    write(&game_file(G::VARIANT.name), &stats_page::game(&statistics, &Files))?;
    let mut pages = 1;
    for slice in slices {
        if let Some(detail) = detail(tables, slice.slice, MOST_POSITIONS)? {
            let name = slice_file(G::VARIANT.name, &detail.slice);
            write(&name, &stats_page::slice(&detail, &Files))?;
            pages += 1;
        }
    }
    let there = VariantId::ALL.iter().map(|variant| variant.variant().name);
    let there: Vec<&str> = there.filter(|name| folder.join(game_file(name)).is_file()).collect();
    write("index.html", &stats_page::index(&there))?;
    Ok(pages + 1)
}
