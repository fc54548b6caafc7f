//! Bits in bytes, the first bit the highest of its byte.

/// Collects bits.
#[derive(Default)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    /// Bits that wait for their byte to be full, in the lowest places.
    waiting: u64,
    count: u32,
}

impl BitWriter {
    /// Adds the lowest `count` bits of a number, at most 32, the highest of them first.
    pub(super) fn put(&mut self, bits: u32, count: u32) {
        debug_assert!(count <= 32 && u64::from(bits) < 1 << count);
        self.waiting = self.waiting << count | u64::from(bits);
        self.count += count;
        while self.count >= 8 {
            self.count -= 8;
            self.bytes.push((self.waiting >> self.count) as u8);
        }
        self.waiting &= (1 << self.count) - 1;
    }

    /// The bytes, the last one filled up with zeros.
    pub(super) fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.put(0, 8 - self.count);
        }
        self.bytes
    }
}

/// Reads bits; beyond the end there are zeros without end.
pub(super) struct BitReader<'a> {
    rest: &'a [u8],
    /// The next bits from the highest place on, zeros after them.
    window: u64,
    /// Number of bits in the window that are of the bytes.
    count: u32,
    /// Number of bits taken from beyond the end.
    missing: u32,
}

impl<'a> BitReader<'a> {
    #[inline]
    pub(super) fn new(bytes: &'a [u8]) -> BitReader<'a> {
        BitReader { rest: bytes, window: 0, count: 0, missing: 0 }
    }

    /// The next bits from the highest place on, at least 32 of them.
    #[inline]
    pub(super) fn window(&mut self) -> u64 {
        if self.count < 32 {
            if let Some((word, rest)) = self.rest.split_first_chunk::<4>() {
                self.window |= u64::from(u32::from_be_bytes(*word)) << (32 - self.count);
                (self.rest, self.count) = (rest, self.count + 32);
            } else {
                for &byte in self.rest {
                    self.window |= u64::from(byte) << (56 - self.count);
                    self.count += 8;
                }
                self.rest = &[];
            }
        }
        self.window
    }

    /// Goes on by at most 32 bits that were in the window.
    #[inline]
    pub(super) fn skip(&mut self, bits: u32) {
        self.window <<= bits;
        if bits > self.count {
            self.missing += bits - self.count;
            self.count = 0;
        } else {
            self.count -= bits;
        }
    }

    /// The next bits as a number, at most 32 of them.
    pub(super) fn take(&mut self, bits: u32) -> u32 {
        if bits == 0 {
            return 0;
        }
        let number = (self.window() >> (64 - bits)) as u32;
        self.skip(bits);
        number
    }

    /// Whether bits were taken that are not there.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.missing > 0
    }

    /// Whether all that is left are fewer than eight zeros.
    pub(super) fn is_at_end(&mut self) -> bool {
        let window = self.window();
        self.missing == 0 && self.rest.is_empty() && self.count < 8 && window == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_read_as_written() {
        let numbers: Vec<(u32, u32)> = (0..500u32)
            .map(|n| (n * 7 % 33, n))
            .map(|(c, n)| (n & ((1u64 << c) - 1) as u32, c))
            .collect();
        let mut writer = BitWriter::default();
        numbers.iter().for_each(|&(bits, count)| writer.put(bits, count));
        let bytes = writer.finish();
        let total: u32 = numbers.iter().map(|&(_, count)| count).sum();
        assert_eq!(bytes.len() as u32, total.div_ceil(8));
        let mut reader = BitReader::new(&bytes);
        for (bits, count) in numbers {
            assert_eq!(reader.take(count), bits);
        }
        assert!(reader.is_at_end());
        reader.take(8);
        assert!(reader.is_over());
    }
}
