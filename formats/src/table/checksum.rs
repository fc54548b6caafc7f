//! Checksums: XXH3 with 64 bits.

use std::hash::Hasher;

use twox_hash::XxHash3_64;

use super::TableError;

/// The checksum of bytes: XXH3 with 64 bits.
pub fn checksum(seed: u64, bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(seed, bytes)
}

/// Fails where a checksum is not the one written down.
pub(super) fn check_sum(what: &'static str, expected: u64, found: u64) -> Result<(), TableError> {
    if expected == found {
        return Ok(());
    }
    let text = |sum: u64| format!("checksum {sum:016x}");
    Err(TableError::damaged(what, text(expected), text(found)))
}

/// A checksum of bytes that come piece by piece.
pub(super) struct Running(XxHash3_64);

impl Running {
    pub(super) fn new() -> Running {
        Running(XxHash3_64::with_seed(0))
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    pub(super) fn sum(&self) -> u64 {
        self.0.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_the_checksum_of_the_whole() {
        let bytes: Vec<u8> = (0..5000u32).map(|n| (n * 7) as u8).collect();
        let mut running = Running::new();
        for piece in bytes.chunks(77) {
            running.add(piece);
        }
        assert_eq!(running.sum(), checksum(0, &bytes));
        assert_ne!(checksum(1, &bytes), checksum(0, &bytes));
        // XXH3 of nothing, from the algorithm's published test vectors.
        assert_eq!(checksum(0, b""), 0x2d06_8005_38d3_94c2);
    }
}
