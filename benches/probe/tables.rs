//! The tables that are probed.

use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use damabase_formats::Metric;
use damabase_formats::Slice;
use damabase_formats::table::{Layout, WriteOptions};
use damabase_generator::{ConvertOptions, Options, Silent, convert, generate};
use damabase_rules::{Rules, VariantId};

/// How files are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Mapped,
    Read,
}

impl Access {
    pub fn name(self) -> &'static str {
        match self {
            Access::Mapped => "mapped",
            Access::Read => "read",
        }
    }

    /// Opens the tables of a game.
    pub fn open<G: Rules>(
        self,
        dir: &Path,
        cache_bytes: usize,
    ) -> Result<damabase_probe::TableSet<G>, damabase_probe::ProbeError> {
        let dirs = [dir.to_path_buf()];
        let tables = match self {
            // SAFETY: the tables are in a folder that nobody else is asked to write to, and files
            // are replaced by renaming only.
            Access::Mapped => unsafe { damabase_probe::TableSet::open_mapped(&dirs) },
            Access::Read => damabase_probe::TableSet::open(&dirs),
        };
        Ok(tables?.with_cache_bytes(cache_bytes))
    }
}

pub const LAYOUTS: [Layout; 2] = [Layout::Search, Layout::Compact];

/// The folder of the tables in a layout.
pub fn folder(dir: &Path, layout: Layout) -> PathBuf {
    dir.join(layout.name())
}

/// Makes what tables are not there yet.
pub fn make(variant: VariantId, dir: &Path, pieces: u32) -> Result<(), Box<dyn Error>> {
    let [search, compact] = LAYOUTS.map(|layout| folder(dir, layout));
    let write = |layout| WriteOptions { layout: Some(layout), ..WriteOptions::default() };
    let stop = AtomicBool::new(false);
    let options = Options {
        dir: search.clone(),
        pieces: Some(pieces),
        metrics: vec![Metric::Wld],
        write: write(Layout::Search),
        ..Options::default()
    };
    generate(variant, &options, &stop, &Silent)?;
    // What is there is not made again.
    let there =
        |slice: &Slice| compact.join(variant.variant().name).join(format!("{slice}.wld")).is_file();
    let slices: Vec<Slice> = Slice::closure(&Slice::with_pieces(pieces));
    let slices: Vec<Slice> = slices.into_iter().filter(|slice| !there(slice)).collect();
    if !slices.is_empty() {
        let options = ConvertOptions {
            from: search,
            to: compact,
            slices,
            write: write(Layout::Compact),
            threads: None,
        };
        convert(variant, &options, &stop, &Silent)?;
    }
    Ok(())
}

/// The table files of a game in a folder.
fn files<G: Rules>(dir: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let tables = Access::Read.open::<G>(dir, 0)?;
    Ok(tables.tables().map(|(_, path)| path.to_path_buf()).collect())
}

/// Number of bytes of all tables of a game in a folder.
pub fn size_bytes<G: Rules>(dir: &Path) -> Result<u64, Box<dyn Error>> {
    let mut sum = 0;
    for file in files::<G>(dir)? {
        sum += fs::metadata(file)?.len();
    }
    Ok(sum)
}

/// Copies the tables of a game to another folder and asks the system to drop them from memory.
pub fn cold_copy<G: Rules>(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    let to = to.join(G::VARIANT.name);
    fs::create_dir_all(&to)?;
    for file in files::<G>(from)? {
        let copy = to.join(file.file_name().unwrap_or_default());
        fs::copy(&file, &copy)?;
        let copy = File::open(&copy)?;
        copy.sync_all()?;
        #[cfg(target_os = "linux")]
        rustix::fs::fadvise(&copy, 0, None, rustix::fs::Advice::DontNeed)?;
    }
    Ok(())
}

/// Fills a folder with files under the names of so many tables of a game. They hold nothing:
/// opening a set only lists them.
pub fn make_names<G: Rules>(dir: &Path, count: usize) -> Result<(), Box<dyn Error>> {
    let folder = dir.join(G::VARIANT.name);
    fs::create_dir_all(&folder)?;
    let slices = (2..).flat_map(Slice::with_pieces);
    for slice in slices.take(count) {
        fs::write(folder.join(format!("{slice}.wld")), [0; 200])?;
    }
    Ok(())
}
