//! The block codec: values to packed bytes to stored bytes, and back.
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
        Packing { base, per_byte }
    }

    pub(super) fn per_byte(self) -> u8 {
        self.per_byte
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

    /// The value at a place; none where the byte is out of range.
    #[inline]
    fn value(self, block: &Block, place: u64) -> Option<u16> {
        match self.per_byte {
            0 => {
                let at = place.checked_mul(2)?;
                let value = u16::from_le_bytes([block.byte(at)?, block.byte(at + 1)?]);
                (u32::from(value) < self.base).then_some(value)
            }
            1 => {
                let byte = block.byte(place)?;
                (u32::from(byte) < self.base).then_some(byte.into())
            }
            per_byte => {
                let (at, digit) = (place / u64::from(per_byte), place % u64::from(per_byte));
                let mut rest = u32::from(block.byte(at)?);
                let mut value = 0;
                for n in 0..per_byte {
                    if u64::from(n) == digit {
                        value = rest % self.base;
                    }
                    rest /= self.base;
                }
                (rest == 0).then_some(value as u16)
            }
        }
    }
}

/// The packed bytes of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// All bytes, or one where they are all the same.
    bytes: Box<[u8]>,
    /// Number of packed bytes.
    len: usize,
}

impl Block {
    /// Memory that the block takes, in bytes.
    pub fn size_bytes(&self) -> usize {
        size_of::<Block>() + self.bytes.len()
    }

    #[inline]
    fn byte(&self, at: u64) -> Option<u8> {
        let at = usize::try_from(at).ok()?;
        if self.bytes.len() == 1 && at < self.len {
            return Some(self.bytes[0]);
        }
        self.bytes.get(at).copied()
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

    /// The value at a place of a decoded block.
    ///
    /// # Errors
    /// [`TableError::Damaged`] where the bytes there stand for no value.
    #[inline]
    pub(super) fn value(self, block: &Block, place: u64) -> Result<u16, TableError> {
        self.packing
            .value(block, place)
            .ok_or_else(|| TableError::damaged("a packed value", "a code in range", "another byte"))
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

    /// The packed bytes of a block of `values` values.
    pub(super) fn decode(self, stored: &[u8], values: u64) -> Result<Block, TableError> {
        thread_local! {
            static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> =
                const { RefCell::new(None) };
        }
        let len = self.packing.bytes(values) as usize;
        if let &[byte] = stored {
            return Ok(Block { bytes: Box::new([byte]), len });
        }
        // The buffer has the exact size and zstd writes nothing elsewhere, whatever the bytes say.
        let mut bytes = vec![0u8; len].into_boxed_slice();
        let found = DECOMPRESSOR.with_borrow_mut(|slot| {
            let decompressor = match slot {
                Some(decompressor) => decompressor,
                None => slot.insert(Decompressor::new().map_err(TableError::io("start zstd"))?),
            };
            decompressor.decompress_to_buffer(stored, &mut bytes[..]).map_err(|error| {
                TableError::damaged("a block", format!("{len} packed bytes"), error)
            })
        })?;
        check("the size of a block", len, found)?;
        Ok(Block { bytes, len })
    }

    /// Fails where a decoded block holds anything but `values` values and their padding.
    pub(super) fn check_block(self, block: &Block, values: u64) -> Result<(), TableError> {
        let padded = match self.packing.per_byte {
            0 => values,
            per_byte => values.next_multiple_of(per_byte.into()),
        };
        let mut last = 0;
        for place in 0..padded {
            let value = self.value(block, place)?;
            if place >= values {
                check("the padding of a block", last, value)?;
            }
            last = value;
        }
        Ok(())
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
        let per_byte = |max_code, squares| Packing::new(max_code, squares).per_byte();
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
                    let block = codec.decode(&stored, len).unwrap();
                    codec.check_block(&block, len).unwrap();
                    let read: Vec<u16> =
                        (0..len).map(|place| codec.value(&block, place).unwrap()).collect();
                    assert_eq!(read, values);
                    let constant = vec![max_code; len as usize];
                    let stored = codec.encode(&constant, 3).unwrap();
                    let block = codec.decode(&stored, len).unwrap();
                    codec.check_block(&block, len).unwrap();
                    assert_eq!(codec.value(&block, len - 1).unwrap(), max_code);
                    // Another length than the block's.
                    if stored.len() > 1 {
                        assert!(codec.decode(&stored, codec.block_values() * 2).is_err());
                    }
                }
            }
        }
    }

    #[test]
    fn bytes_out_of_range_are_no_values() {
        let codec = Codec { packing: Packing::new(2, 32), block_bytes: 64 };
        let block = codec.decode(&[81], 8).unwrap(); // 3^4
        assert!(codec.value(&block, 0).is_err());
        assert!(codec.check_block(&block, 8).is_err());
        let block = codec.decode(&[80], 8).unwrap();
        assert_eq!(codec.value(&block, 7).unwrap(), 2);
        assert!(codec.value(&block, 8).is_err());
        // 2, 2 and padding 0 where 2 is due.
        let block = codec.decode(&[8], 2).unwrap();
        assert!(codec.check_block(&block, 2).is_err());
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
