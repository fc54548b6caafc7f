//! No bytes make the reader of table files panic or take memory that they do not justify. The
//! checksums are made right first, or nothing behind them would ever be reached.
#![no_main]

use damabase_formats::{TableFile, ToMove};
use libfuzzer_sys::fuzz_target;
use twox_hash::XxHash3_64;

fn sum(seed: u64, bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(seed, bytes)
}

/// Writes the checksums of the parts, as docs/format.md has them.
fn seal(bytes: &mut [u8]) -> Option<()> {
    let u32_at = |bytes: &[u8], at: usize| {
        u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize
    };
    let u64_at = |bytes: &[u8], at: usize| {
        u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes")) as usize
    };
    let identity = sum(0, bytes.get(..120)?);
    let models = 168 + u32_at(bytes, 120);
    let directory = models + u32_at(bytes, 124);
    let blocks = bytes.len().checked_sub(8)?.checked_sub(u64_at(bytes, 128))?;
    let mut start = 0;
    for (number, at) in (directory..blocks).step_by(16).enumerate() {
        let end = u64_at(bytes.get(..at + 16)?, at);
        let stored = bytes.get(blocks.checked_add(start)?..blocks.checked_add(end)?)?;
        let sum = sum(identity.wrapping_add(number as u64), stored);
        bytes[at + 8..at + 16].copy_from_slice(&sum.to_le_bytes());
        start = end;
    }
    for (start, end, at) in
        [(168, models, 136), (models, directory, 144), (directory, blocks, 152)]
    {
        let sum = sum(identity, bytes.get(start..end)?);
        bytes[at..at + 8].copy_from_slice(&sum.to_le_bytes());
    }
    let header = sum(0, &bytes[..160]);
    bytes[160..168].copy_from_slice(&header.to_le_bytes());
    let footer = bytes.len() - 8;
    let whole = sum(0, &bytes[..footer]);
    bytes[footer..].copy_from_slice(&whole.to_le_bytes());
    Some(())
}

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    if bytes.len() > 180 {
        let _ = seal(&mut bytes);
    }
    let Ok(file) = TableFile::new(bytes) else { return };
    let _ = file.metadata();
    for chunk in (0..8).chain([u64::MAX]) {
        let _ = file.chunk(chunk);
        for place in [0, 1, 1000, u64::MAX] {
            let _ = file.code_in_place(chunk, place);
        }
    }
    let mut codes = [0; 50];
    for side in [ToMove::First, ToMove::Second] {
        let _ = file.read(side, 0, &mut codes);
        let _ = file.read(side, u64::MAX - 3, &mut codes);
    }
});
