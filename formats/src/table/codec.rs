//! The packed codec: values to packed bytes to stored bytes, and back.
//!
//! Values of a block are digits of bytes, the first value the least significant digit; then the
//! packed bytes are compressed by zstd, or stored as one byte where they are all the same.

use std::cell::RefCell;

use zstd::bulk::{Compressor, Decompressor};

use super::error::check;
use super::{DONT_CARE, TableError};

/// How values are packed in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Packing {
    /// Number of different codes; at least 2.
    base: u32,
    /// Values in a byte; 0 where a value takes two bytes.
    per_byte: u8,
    /// The greatest code; less than the base, and not always by one.
    max_code: u16,
}

impl Packing {
    /// The packing for codes up to `max_code` on a board with so many squares: as many values a
    /// byte as fit and divide the squares, so that rows of the index begin with a byte.
    pub(super) fn new(max_code: u16, squares: u32) -> Packing {
        let base = (u32::from(max_code) + 1).max(2);
        let fits = |&values: &u32| {
            squares.is_multiple_of(values)
                && base.checked_pow(values).is_some_and(|codes| codes <= 256)
        };
        let per_byte = (1..=8).filter(fits).max().unwrap_or(0) as u8;
        Packing { base, per_byte, max_code }
    }

    /// Number of values in so many packed bytes, an even number.
    pub(super) fn values(self, bytes: u32) -> u64 {
        match self.per_byte {
            0 => u64::from(bytes / 2),
            values => u64::from(bytes) * u64::from(values),
        }
    }

    /// Number of packed bytes for so many values.
    pub(super) fn bytes(self, values: u64) -> u64 {
        match self.per_byte {
            0 => values * 2,
            per_byte => values.div_ceil(per_byte.into()),
        }
    }

    /// Packs values that are all less than the base. A last byte that is not full is filled up
    /// with its last value.
    fn pack(self, values: &[u16]) -> Vec<u8> {
        if self.per_byte == 0 {
            return values.iter().flat_map(|value| value.to_le_bytes()).collect();
        }
        let byte = |group: &[u16]| {
            (0..usize::from(self.per_byte)).rev().fold(0, |byte, digit| {
                byte * self.base + u32::from(*group.get(digit).unwrap_or(&group[group.len() - 1]))
            }) as u8
        };
        values.chunks(self.per_byte.into()).map(byte).collect()
    }

    /// Puts the values of packed bytes into `out`; none where a byte stands for no values, a value is
    /// greater than the greatest code, or the padding is not the last value.
    fn unpack(self, packed: &[u8], out: &mut [u16]) -> Option<()> {
        if self.per_byte == 0 {
            for (value, bytes) in out.iter_mut().zip(packed.chunks_exact(2)) {
                *value = u16::from_le_bytes([bytes[0], bytes[1]]);
            }
            return self.in_range(out);
        }
        for (values, &byte) in out.chunks_mut(self.per_byte.into()).zip(packed) {
            let mut rest = u32::from(byte);
            for value in &mut *values {
                *value = (rest % self.base) as u16;
                rest /= self.base;
            }
            for _ in values.len()..self.per_byte.into() {
                if rest % self.base != u32::from(values[values.len() - 1]) {
                    return None;
                }
                rest /= self.base;
            }
            if rest > 0 {
                return None;
            }
        }
        // Digits to the base are in range by themselves, unless all codes are 0.
        if self.max_code == 0 { self.in_range(out) } else { Some(()) }
    }

    fn in_range(self, values: &[u16]) -> Option<()> {
        values.iter().all(|&value| value <= self.max_code).then_some(())
    }
}

/// How a table's values become stored bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Codec {
    pub(super) packing: Packing,
    /// Packed bytes in a block that is not the last of its section; even.
    pub(super) block_bytes: u32,
}

impl Codec {
    /// The greatest number of stored bytes of a block.
    pub(super) fn max_stored(self) -> u64 {
        zstd::zstd_safe::compress_bound(self.block_bytes as usize) as u64
    }

    /// Number of values in a block that is not the last of its section.
    #[inline]
    pub(super) fn block_values(self) -> u64 {
        self.packing.values(self.block_bytes)
    }

    /// The stored bytes of values that are all in range.
    pub(super) fn encode(self, values: &[u16], level: i32) -> Result<Vec<u8>, TableError> {
        let packed = self.packing.pack(values);
        if let Some(&first) = packed.first()
            && packed.iter().all(|&byte| byte == first)
        {
            return Ok(vec![first]);
        }
        Compressor::new(level)
            .and_then(|mut compressor| compressor.compress(&packed))
            .map_err(TableError::io("compress a block"))
    }

    /// The values of a stored block of `values` values.
    ///
    /// # Errors
    /// [`TableError::Damaged`] where the bytes do not hold just them.
    pub(super) fn decode(self, stored: &[u8], values: usize) -> Result<Vec<u16>, TableError> {
        thread_local! {
            static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> =
                const { RefCell::new(None) };
        }
        let len = self.packing.bytes(values as u64) as usize;
        // The buffer has the exact size and zstd writes nothing elsewhere, whatever the bytes say.
        let mut packed = vec![0u8; len];
        if let &[byte] = stored {
            packed.fill(byte);
        } else {
            let found = DECOMPRESSOR.with_borrow_mut(|slot| {
                let decompressor = match slot {
                    Some(decompressor) => decompressor,
                    None => slot.insert(Decompressor::new().map_err(TableError::io("start zstd"))?),
                };
                decompressor.decompress_to_buffer(stored, &mut packed[..]).map_err(|error| {
                    TableError::damaged("a block", format!("{len} packed bytes"), error)
                })
            })?;
            check("the size of a block", len, found)?;
        }
        let mut out = vec![0; values];
        let unpacked = self.packing.unpack(&packed, &mut out);
        unpacked.ok_or_else(|| {
            TableError::damaged("a block", "values in range and their padding", "other bytes")
        })?;
        Ok(out)
    }
}

/// Gives values to the places that need none, so that the block compresses best: the value before,
/// else the first value there is. (Measured on packed blocks of all 4-piece slices of Russian and
/// all 3-piece slices of international draughts: repeating the value of the row above, a king's
/// row before, makes files 14 % larger. A search for the longest match of packed bytes would make
/// them 6 % smaller.)
pub(super) fn fill_dont_cares(values: &mut [u16]) {
    let mut last = values.iter().copied().find(|&value| value != DONT_CARE).unwrap_or(0);
    for value in values {
        if *value == DONT_CARE {
            *value = last;
        }
        last = *value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_divides_the_board() {
        let per_byte = |max_code, squares| Packing::new(max_code, squares).per_byte;
        assert_eq!(per_byte(2, 32), 4);
        assert_eq!(per_byte(2, 50), 5);
        assert_eq!(per_byte(2, 72), 4);
        assert_eq!(per_byte(0, 32), 8);
        assert_eq!(per_byte(1, 50), 5);
        assert_eq!(per_byte(15, 32), 2);
        assert_eq!(per_byte(16, 32), 1);
        assert_eq!(per_byte(255, 50), 1);
        assert_eq!(per_byte(256, 50), 0);
    }

    #[test]
    fn every_block_is_read_as_written() {
        for max_code in [0u16, 1, 2, 3, 6, 15, 16, 255, 256, 1000, u16::MAX - 1] {
            for squares in [32, 50] {
                let codec = Codec { packing: Packing::new(max_code, squares), block_bytes: 64 };
                for len in 1..=codec.block_values() {
                    let values: Vec<u16> = (0..len)
                        .map(|n| (n * n * 31 / 7 % (u64::from(max_code) + 1)) as u16)
                        .collect();
                    let stored = codec.encode(&values, 3).unwrap();
                    assert!(stored.len() as u64 <= codec.max_stored());
                    assert_eq!(codec.decode(&stored, values.len()).unwrap(), values);
                    let constant = vec![max_code; len as usize];
                    let stored = codec.encode(&constant, 3).unwrap();
                    assert_eq!(codec.decode(&stored, values.len()).unwrap(), constant);
                    // Another length than the block's.
                    if stored.len() > 1 {
                        assert!(codec.decode(&stored, 2 * codec.block_values() as usize).is_err());
                    }
                }
            }
        }
    }

    #[test]
    fn bytes_out_of_range_are_no_values() {
        let codec = Codec { packing: Packing::new(2, 32), block_bytes: 64 };
        assert!(codec.decode(&[81], 8).is_err()); // 3^4
        assert_eq!(codec.decode(&[80], 8).unwrap(), [2; 8]);
        // Found by fuzzing: where all values are 0, the base is 2 nevertheless.
        let codec = Codec { packing: Packing::new(0, 32), block_bytes: 64 };
        assert!(codec.decode(&[1], 8).is_err());
        assert_eq!(codec.decode(&[0], 8).unwrap(), [0; 8]);
        let codec = Codec { packing: Packing::new(2, 32), block_bytes: 64 };
        // 2, 2 and padding 0 where 2 is due.
        assert!(codec.decode(&[8], 2).is_err());
    }

    #[test]
    fn dont_cares_continue_the_run() {
        const X: u16 = DONT_CARE;
        let filled = |values: &[u16]| {
            let mut values = values.to_vec();
            fill_dont_cares(&mut values);
            values
        };
        assert_eq!(filled(&[X, X, 1, 2, X, X, 0, X]), [1, 1, 1, 2, 2, 2, 0, 0]);
        assert_eq!(filled(&[X, X]), [0, 0]);
        assert_eq!(filled(&[]), [0; 0]);
    }
}
