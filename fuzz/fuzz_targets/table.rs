//! No bytes make the reader of table files panic, hang or take memory that they do not justify, nor a
//! probe of the table that they are. Lengths and checksums are made right first, or nothing behind them
//! would ever be reached. Where values can be had in several ways, all agree.
//!
//! The first byte says what is made right: see [`repair`].
#![no_main]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::RefCell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use damabase_formats::stairs::Stairs;
use damabase_formats::table::ReadAt;
use damabase_formats::{Index, Metric, TableFile, TableId, ToMove, Wld};
use damabase_probe::{ProbeError, TableSet};
use damabase_rules::draws::{self, DrawProfile, Seeds};
use damabase_rules::{Rules, VariantId, with_rules};
use libfuzzer_sys::fuzz_target;
use twox_hash::XxHash3_64;

/// Memory that a run may hold at a time. A block has at most 1 MiB of packed bytes, of 8 values of
/// two bytes each, and may be decoded into one buffer and copied into another.
const MOST_BYTES: usize = 64 << 20;

/// Counts what is allocated.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is done by the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(held, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn sum(seed: u64, bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(seed, bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

fn put(bytes: &mut [u8], at: usize, number: u64) {
    bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
}

/// Makes a file of the bytes that is right outside, as docs/format.md has it. With `lengths`, what a
/// change of the number of bytes has made wrong is made right as well: the blocks end where the file
/// does.
fn repair(bytes: &mut [u8], lengths: bool) -> Option<()> {
    let size = bytes.len() as u64;
    let lens = u64_at(bytes, 120)?;
    let models = 168 + u64::from(lens as u32);
    let directory = models + (lens >> 32);
    if lengths && directory < size {
        // The number of blocks is what the directory says itself: its ends ascend.
        let entry = |n: u64| u64_at(bytes, usize::try_from(directory + 16 * n).ok()?);
        let mut entries = 1;
        while entry(entries).is_some_and(|end| entry(entries - 1).is_some_and(|old| old < end))
            && entry(entries)? <= size
        {
            entries += 1;
        }
        let blocks_len = (size - 8).checked_sub(directory + 16 * entries)?;
        put(bytes, 128, blocks_len);
        put(bytes, usize::try_from(directory + 16 * (entries - 1)).ok()?, blocks_len);
    }
    let identity = sum(0, bytes.get(..120)?);
    let blocks = (size - 8).checked_sub(u64_at(bytes, 128)?)?;
    let part = |start: u64, end: u64| -> Option<std::ops::Range<usize>> {
        Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    };
    let mut start = 0;
    for (number, at) in (directory..blocks).step_by(16).enumerate() {
        let end = u64_at(bytes, usize::try_from(at).ok()?)?;
        let range = part(blocks.checked_add(start)?, blocks.checked_add(end)?)?;
        let sum = sum(identity.wrapping_add(number as u64), bytes.get(range)?);
        if at + 16 > blocks {
            return None;
        }
        put(bytes, at as usize + 8, sum);
        start = end;
    }
    for (start, end, at) in [(168, models, 136), (models, directory, 144), (directory, blocks, 152)]
    {
        let sum = sum(identity, bytes.get(part(start, end)?)?);
        put(bytes, at, sum);
    }
    let header = sum(0, &bytes[..160]);
    put(bytes, 160, header);
    let footer = bytes.len() - 8;
    let whole = sum(0, &bytes[..footer]);
    put(bytes, footer, whole);
    Some(())
}

/// A file that cannot be read where it lies.
struct Far<'a>(&'a [u8]);

impl ReadAt for Far<'_> {
    fn size_bytes(&self) -> io::Result<u64> {
        self.0.size_bytes()
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.0.read_exact_at(buffer, offset)
    }
}

/// Asks a dictionary what codes mean: a win or loss has a margin, and is one within it.
fn climb(stairs: &Stairs, max_code: u16) {
    for to_move in [ToMove::First, ToMove::Second] {
        for code in (0..=max_code.min(20)).chain([u16::MAX]) {
            climb_one(stairs, to_move, code);
        }
    }
}

fn climb_one(stairs: &Stairs, to_move: ToMove, code: u16) {
    let _ = stairs.turning_points(to_move, code);
    for value in [None, Some(0), Some(7), Some(u32::MAX)] {
        let mut values = vec![value; stairs.counters().len()];
        let result = stairs.value(to_move, code, &values);
        let Some(margin) = stairs.margin(to_move, code, &values) else { continue };
        assert!(matches!(result, Some(Wld::Win | Wld::Loss)), "{result:?}");
        if let (Some(place), Some(spare)) = (margin.counter, margin.spare_plies) {
            let value = values[place].expect("a counter that is on");
            values[place] = Some(value.checked_add(spare).expect("a number of plies"));
            let _ = stairs.value(to_move, code, &values);
        }
    }
}

/// Reads all parts, some of them in several ways. Gives what the header says the file is called.
fn read(bytes: &[u8]) -> Option<(VariantId, String)> {
    let near = TableFile::new(bytes.to_vec()).ok()?;
    let far = TableFile::new(Far(bytes)).expect("what can be opened in one way can be in another");
    let header = near.header();
    if let Ok(metadata) = near.metadata()
        && let Ok(Some(stairs)) = metadata.stairs()
    {
        climb(&stairs, header.max_code);
    }
    for section in &header.sections {
        let side = section.to_move;
        for start in [0, section.values / 3, section.values.saturating_sub(40)] {
            let mut codes = [[0; 40]; 2];
            let found = near.read(side, start, &mut codes[0]).is_ok();
            assert_eq!(far.read(side, start, &mut codes[1]).is_ok(), found);
            if !found {
                continue;
            }
            assert_eq!(codes[0], codes[1]);
            for (index, &code) in (start..).zip(&codes[0]).step_by(13) {
                assert!(code <= header.max_code, "{code}");
                if !near.is_stored(side, index) {
                    continue;
                }
                let (chunk, place) = near.locate(side, index);
                if let Some(there) = near.code_in_place(chunk, place) {
                    assert_eq!(there.expect("a chunk that was decoded before"), code);
                }
            }
        }
    }
    for chunk in [header.blocks(), u64::MAX] {
        let _ = (near.chunk(chunk), near.code_in_place(chunk, u64::MAX));
        let _ = near.code_in_place(0, chunk);
    }
    let _ = near.read(ToMove::Second, u64::MAX - 3, &mut [0; 10]);
    let _ = near.verify();
    Some((header.id.variant, header.id.file_name()))
}

/// Profiles under which several counters may decide, by the name in their tables.
static STAIRS: LazyLock<Vec<(String, DrawProfile)>> = LazyLock::new(|| {
    let own = DrawProfile::from_toml(include_str!("../two-counters.toml")).expect("a profile");
    draws::all().iter().cloned().chain([own]).map(|one| (one.stairs_id(), one)).collect()
});

/// Probes positions of the table in a folder where it is the only one.
fn probe<G: Rules>(folder: &Path, name: &str, seed: u64) -> Result<(), ProbeError> {
    let set = TableSet::<G>::open(&[folder.to_path_buf()])?;
    let id = TableId::from_file_name(G::ID, name).expect("a name that was made");
    let own =
        STAIRS.iter().find(|(stairs, profile)| *stairs == id.profile && profile.is_for(G::ID));
    let under = set.under(own.map_or(draws::default_profile(G::ID), |(_, profile)| profile));
    for &side in id.slice.sides() {
        let index = Index::<G>::new(id.slice, side);
        let mut place = seed;
        for _ in 0..6 {
            place = place
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let Some(position) = index.unrank(place % index.len()) else { continue };
            match id.metric {
                Metric::Dtw => {
                    let _ = set.dtw(&position);
                }
                Metric::Dtc => {
                    let _ = set.dtc(&position);
                }
                Metric::Budget => {
                    let _ = under.budget(&position);
                    if let Ok(start) = under.profile().start(&position, &Seeds::default()) {
                        let _ = under.result(&position, &start);
                    }
                }
                _ => {
                    let value = set.wld(&position);
                    if let Ok(value) = value {
                        // The second time from the cache.
                        assert_eq!(set.wld(&position).ok(), Some(value));
                    }
                }
            }
        }
    }
    Ok(())
}

thread_local! {
    /// A folder of this process, in memory where there is such a thing.
    static FOLDER: RefCell<Option<PathBuf>> = const { RefCell::new(None) };
}

fn folder() -> PathBuf {
    FOLDER.with_borrow_mut(|folder| {
        let made = || {
            let memory = Path::new("/dev/shm");
            let parent = if memory.is_dir() { memory.into() } else { std::env::temp_dir() };
            let folder = parent.join(format!("damabase-fuzz-{}", std::process::id()));
            for variant in VariantId::ALL {
                fs::create_dir_all(folder.join(variant.variant().name)).expect("a folder");
            }
            folder
        };
        folder.get_or_insert_with(made).clone()
    })
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, rest)) = bytes.split_first() else { return };
    let held = HELD.load(Ordering::Relaxed);
    MOST.store(held, Ordering::Relaxed);
    let mut bytes = rest.to_vec();
    if bytes.len() > 180 && first % 8 != 0 {
        let _ = repair(&mut bytes, first % 2 == 1);
    }
    if let Some((variant, name)) = read(&bytes) {
        let folder = folder();
        let file = folder.join(variant.variant().name).join(&name);
        // Opening a file takes much longer than reading it.
        if first >= 128 && fs::write(&file, &bytes).is_ok() {
            with_rules!(variant, G => {
                let _ = probe::<G>(&folder, &name, sum(0, &bytes));
            });
            let _ = fs::remove_file(&file);
        }
    }
    let most = MOST.load(Ordering::Relaxed) - held;
    assert!(most <= MOST_BYTES, "{most} bytes of memory");
});
