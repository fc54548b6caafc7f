//! The level in which each value was found, as binary digits.

use damabase_rules::Word;

/// For each position the level in which it was found to be won or lost, plus one, and 0 where it
/// was not: a plane for each binary digit, so that a level is noted by operations on words.
#[derive(Clone, Debug, Default)]
pub(super) struct Levels<W> {
    /// The lowest digit first. Planes beyond those in use are room left from other work.
    digits: Vec<Vec<W>>,
    used: usize,
}

impl<W: Word> Levels<W> {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.used = 0;
    }

    /// Notes that a level found the positions of `found`, none of which was found before.
    pub fn note(&mut self, level: u16, found: &[W]) {
        let number = u32::from(level) + 1;
        while number >> self.used > 0 {
            self.add_digit(found.len());
        }
        let digits = self.digits[..self.used].iter_mut().enumerate();
        for (_, digit) in digits.filter(|(place, _)| number >> place & 1 == 1) {
            for (digit, &found) in digit.iter_mut().zip(found) {
                *digit |= found;
            }
        }
    }

    /// The digits, the lowest first.
    pub fn digits(&self) -> &[Vec<W>] {
        &self.digits[..self.used]
    }

    /// Adds a highest digit, at first 0 everywhere.
    pub fn add_digit(&mut self, rows: usize) -> &mut [W] {
        if self.used == self.digits.len() {
            self.digits.push(Vec::new());
        }
        self.used += 1;
        let digit = &mut self.digits[self.used - 1];
        digit.clear();
        digit.resize(rows, W::ZERO);
        digit
    }

    /// Writes the levels, one for each bit of each row; they mean nothing where none was noted.
    pub fn write(&self, out: &mut [u16]) {
        for (row, out) in out.chunks_exact_mut(W::BITS as usize).enumerate() {
            for (byte, out) in (0..).step_by(8).zip(out.chunks_exact_mut(8)) {
                let digits = self.digits().iter().map(|digit| (digit[row] >> byte).to_u128() as u8);
                out.copy_from_slice(&eight_numbers(digits).map(|number| number.wrapping_sub(1)));
            }
        }
    }
}

/// Eight numbers from their binary digits, the lowest first: in each byte one digit of all eight.
#[inline]
pub(super) fn eight_numbers(digits: impl Iterator<Item = u8>) -> [u16; 8] {
    let mut halves = [0; 2];
    for (place, byte) in digits.enumerate() {
        halves[place / 8] |= u64::from(byte) << (8 * (place % 8));
    }
    let [low, high] = halves.map(|half| transpose_bytes(half).to_le_bytes());
    std::array::from_fn(|n| u16::from_le_bytes([low[n], high[n]]))
}

/// Transposes eight bytes: bit `c` of byte `r` becomes bit `r` of byte `c`.
#[inline]
fn transpose_bytes(mut bytes: u64) -> u64 {
    for (shift, mask) in
        [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)]
    {
        let swap = (bytes ^ (bytes >> shift)) & mask;
        bytes ^= swap ^ (swap << shift);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read_as_noted() {
        let mut levels = Levels::<u64>::default();
        for (clear, noted) in [[0, 1, 6, 300], [2, 3, 9, 10]].into_iter().enumerate() {
            levels.clear();
            for (bit, &level) in noted.iter().enumerate() {
                levels.note(level, &[1 << bit, 0, 1 << (60 + bit)]);
            }
            let mut out = [0; 3 * 64];
            levels.write(&mut out);
            assert_eq!(out[..4], noted, "{clear}");
            assert_eq!(out[2 * 64 + 60..], noted, "{clear}");
        }
    }

    #[test]
    fn numbers_of_sixteen_digits() {
        let numbers = [0, 1, 2, 0x8000, 0xffff, 0x1234, 0x00ff, 0x0100];
        let digits = (0..16)
            .map(|place| (0..8).fold(0, |byte, n| byte | ((numbers[n] >> place & 1) as u8) << n));
        assert_eq!(eight_numbers(digits), numbers);
    }
}
