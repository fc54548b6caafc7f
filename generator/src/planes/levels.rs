//! The level in which each value was found, as binary digits.

use damabase_rules::Word;

use super::lanes::{Digit, Digits, Lanes};

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

    /// Sets the numbers of a row of which none was set before.
    pub fn set_row(&mut self, row: usize, rows: usize, Digits(numbers): Digits<'_, W>) {
        while self.used < numbers.len() {
            self.add_digit(rows);
        }
        for (plane, digit) in self.digits.iter_mut().zip(numbers) {
            plane[row] = digit.0;
        }
    }

    /// The numbers of a row.
    #[inline]
    pub fn row(&self, row: usize) -> Lanes<W> {
        Lanes::from_digits(self.digits().iter().map(|digit| digit[row]))
    }

    /// Writes the numbers row by row, with room for `room` digits in each.
    ///
    /// # Panics
    /// Where that is too little.
    pub fn write(&self, out: &mut [Digit<W>], room: usize) {
        assert!(self.used <= room, "a level is greater than it can be");
        for (row, out) in out.chunks_exact_mut(room).enumerate() {
            let digits = self.digits().iter().map(|digit| Digit(digit[row]));
            out.iter_mut().zip(digits).for_each(|(out, digit)| *out = digit);
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
            for (bit, &level) in (0..).zip(&noted) {
                assert_eq!(levels.row(0).digits().get(bit), level + 1, "{clear}");
                assert_eq!(levels.row(1).digits().get(bit), 0, "{clear}");
                assert_eq!(levels.row(2).digits().get(60 + bit), level + 1, "{clear}");
            }
            let mut out = [Digit(0); 3 * 10];
            levels.write(&mut out, 10);
            let mut copy = Levels::default();
            for row in [2, 0, 1] {
                copy.set_row(row, 3, Digits(&out[10 * row..][..10]));
                let (copy, noted) = (copy.row(row), levels.row(row));
                assert_eq!(copy.digits().below(noted.digits()), 0);
                assert_eq!(noted.digits().below(copy.digits()), 0);
            }
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
