//! A number for each bit of a word, as binary digits: what is done to one is done to all at once.

use damabase_rules::Word;

use super::chunks::Plain;

/// Binary digits of a number, at most.
pub(super) const MAX_DIGITS: usize = 16;

/// Binary digits that the numbers up to `greatest` need.
pub(super) fn digits(greatest: u32) -> usize {
    (u32::BITS - greatest.leading_zeros()) as usize
}

/// One binary digit of the numbers of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(transparent)]
pub(super) struct Digit<W>(pub W);

// SAFETY: a word.
unsafe impl<W: Word> Plain for Digit<W> {}

/// A number for each bit of a word, wherever the digits lie, the lowest first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digits<'a, W>(pub &'a [Digit<W>]);

impl<W: Word> Digits<'_, W> {
    /// The number of one bit.
    #[inline]
    pub fn get(self, bit: u32) -> u16 {
        let digit =
            |(place, digit): (usize, &Digit<W>)| u16::from((digit.0 & W::bit(bit)).any()) << place;
        self.0.iter().enumerate().map(digit).sum()
    }

    /// Where the number is less than that of `other`.
    #[inline]
    pub fn below(self, other: Digits<'_, W>) -> W {
        let both = self.0.len().min(other.0.len());
        let mut below = W::ZERO;
        for (own, other) in self.0[..both].iter().zip(&other.0[..both]) {
            below = (!own.0 & other.0) | (!(own.0 ^ other.0) & below);
        }
        other.0[both..].iter().for_each(|digit| below |= digit.0);
        self.0[both..].iter().for_each(|digit| below &= !digit.0);
        below
    }

    /// Where the number is `limit` or less.
    #[inline]
    pub fn at_most(self, limit: u32) -> W {
        if digits(limit) > self.0.len() {
            return !W::ZERO;
        }
        let mut at_most = !W::ZERO;
        for (place, digit) in self.0.iter().enumerate() {
            let bit = limit >> place & 1;
            at_most = if bit == 1 { !digit.0 | at_most } else { !digit.0 & at_most };
        }
        at_most
    }

    /// The least number of the bits of `mask`; none where there are no bits.
    #[inline]
    pub fn least(self, mask: W) -> Option<u16> {
        self.extreme(mask, |digit| !digit)
    }

    /// The greatest number of the bits of `mask`; none where there are no bits.
    #[inline]
    pub fn greatest(self, mask: W) -> Option<u16> {
        self.extreme(mask, |digit| digit)
    }

    /// The number that is left when, digit by digit from the highest, only the bits of `mask` stay
    /// that are `better`, if there are any.
    #[inline]
    fn extreme(self, mut mask: W, better: impl Fn(W) -> W) -> Option<u16> {
        for digit in self.0.iter().rev() {
            let ahead = mask & better(digit.0);
            if ahead.any() {
                mask = ahead;
            }
        }
        mask.any().then(|| self.get(mask.lowest()))
    }

    /// The numbers and `more`, which must stay below 2^16.
    pub fn plus(self, more: u16) -> Lanes<W> {
        let len = (self.0.len().max(digits(more.into())) + 1).min(MAX_DIGITS);
        let mut sum = Lanes { len, ..Lanes::default() };
        let own = self.0.iter().copied().chain(std::iter::repeat(Digit(W::ZERO)));
        let mut carry = W::ZERO;
        for (place, (sum, Digit(digit))) in sum.digits[..len].iter_mut().zip(own).enumerate() {
            (sum.0, carry) = match more >> place & 1 {
                1 => (!(digit ^ carry), digit | carry),
                _ => (digit ^ carry, digit & carry),
            };
        }
        sum
    }

    /// The numbers less `less`, and 1 where that would be less than 1.
    pub fn minus(self, less: u32) -> Lanes<W> {
        let mut rest = Lanes { len: self.0.len(), ..Lanes::default() };
        let mut borrow = W::ZERO;
        for (place, (rest, &Digit(digit))) in rest.digits.iter_mut().zip(self.0).enumerate() {
            (rest.0, borrow) = match less >> place & 1 {
                1 => (!(digit ^ borrow), !digit | borrow),
                _ => (digit ^ borrow, !digit & borrow),
            };
        }
        rest.put(self.at_most(less), 1);
        rest
    }
}

/// A number below 2^16 for each bit of a word, at first 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lanes<W> {
    /// All 0 from `len` on.
    digits: [Digit<W>; MAX_DIGITS],
    len: usize,
}

impl<W: Word> Lanes<W> {
    /// Numbers from their digits, the lowest first.
    ///
    /// # Panics
    /// With more than [`MAX_DIGITS`].
    #[inline]
    pub fn from_digits(digits: impl ExactSizeIterator<Item = W>) -> Self {
        let mut lanes = Lanes { len: digits.len(), ..Lanes::default() };
        lanes.digits[..lanes.len].iter_mut().zip(digits).for_each(|(own, digit)| own.0 = digit);
        lanes
    }

    /// The digits in use.
    #[inline]
    pub fn digits(&self) -> Digits<'_, W> {
        Digits(&self.digits[..self.len])
    }

    /// Makes all numbers 0.
    #[inline]
    pub fn clear(&mut self) {
        self.digits[..self.len].fill(Digit(W::ZERO));
        self.len = 0;
    }

    /// Gives the bits of `mask` the same number.
    #[inline]
    pub fn put(&mut self, mask: W, number: u16) {
        self.len = self.len.max(digits(number.into()));
        for (place, own) in self.digits[..self.len].iter_mut().enumerate() {
            if number >> place & 1 == 1 {
                own.0 |= mask;
            } else {
                own.0 &= !mask;
            }
        }
    }

    /// Takes the numbers of the bits of `mask` from `others`.
    #[inline]
    pub fn replace(&mut self, mask: W, Digits(others): Digits<'_, W>) {
        self.len = self.len.max(others.len());
        let (both, above) = self.digits[..self.len].split_at_mut(others.len());
        for (own, other) in both.iter_mut().zip(others) {
            own.0 = (own.0 & !mask) | (other.0 & mask);
        }
        above.iter_mut().for_each(|own| own.0 &= !mask);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lanes(numbers: &[u16; 64]) -> Lanes<u64> {
        let mut lanes = Lanes::default();
        (0..).zip(numbers).for_each(|(bit, &number)| lanes.put(1 << bit, number));
        lanes
    }

    fn set(of: impl Fn(usize) -> bool) -> u64 {
        (0..64).filter(|&bit| of(bit)).map(|bit| 1 << bit).sum()
    }

    /// Numbers of all sizes, many of them equal.
    fn number() -> impl Strategy<Value = u16> {
        (any::<u16>(), 0..16u32).prop_map(|(number, shift)| number >> shift)
    }

    proptest! {
        #[test]
        fn lanes_do_what_numbers_do(
            a in proptest::array::uniform32(number()),
            b in proptest::array::uniform32(number()),
            small in 0..16u32,
            c in number(),
            mask in any::<u64>(),
        ) {
            let a: [u16; 64] = std::array::from_fn(|n| a[n % 32] >> (n / 32 * 3));
            let b: [u16; 64] = std::array::from_fn(|n| b[n % 32] >> (n / 32 * 2) >> small);
            let (left, right) = (lanes(&a), lanes(&b));
            for bit in 0..64 {
                prop_assert_eq!(left.digits().get(bit), a[bit as usize]);
            }
            prop_assert_eq!(left.digits().below(right.digits()), set(|n| a[n] < b[n]));
            prop_assert_eq!(right.digits().below(left.digits()), set(|n| b[n] < a[n]));
            prop_assert_eq!(left.digits().at_most(c.into()), set(|n| a[n] <= c));
            let chosen = |n: &usize| mask >> n & 1 == 1;
            let those = || (0..64).filter(chosen).map(|n| a[n]);
            prop_assert_eq!(left.digits().least(mask), those().min());
            prop_assert_eq!(left.digits().greatest(mask), those().max());
            let (mut mixed, mut put) = (left, left);
            mixed.replace(mask, right.digits());
            put.put(mask, c);
            let mut cleared = put;
            cleared.clear();
            cleared.replace(mask, right.digits());
            let less = left.digits().minus(c.into());
            let half = lanes(&a.map(|number| number / 2));
            let sum = half.digits().plus(c / 2);
            for n in 0..64 {
                let get = |lanes: &Lanes<u64>| lanes.digits().get(n as u32);
                prop_assert_eq!(get(&mixed), if chosen(&n) { b[n] } else { a[n] });
                prop_assert_eq!(get(&put), if chosen(&n) { c } else { a[n] });
                prop_assert_eq!(get(&cleared), if chosen(&n) { b[n] } else { 0 });
                prop_assert_eq!(get(&less), a[n].saturating_sub(c).max(1));
                prop_assert_eq!(get(&sum), a[n] / 2 + c / 2);
            }
        }
    }

    #[test]
    fn wide_words_and_far_limits() {
        for number in [0, 1, 2, 255, 256, u16::MAX] {
            let mut lanes = Lanes::<u128>::default();
            lanes.put(!0, number);
            let numbers = lanes.digits();
            assert_eq!([0, 64, 127].map(|bit| numbers.get(bit)), [number; 3]);
            assert_eq!(numbers.at_most(u32::MAX), u128::MAX);
            assert_eq!(numbers.minus(u32::MAX).digits().get(3), 1);
            assert_eq!(numbers.least(0), None);
            let digits = numbers.0.iter().map(|digit| digit.0);
            assert_eq!(Lanes::from_digits(digits).digits().get(100), number);
        }
        assert_eq!([0, 1, 2, 3, 50, 65_535].map(digits), [0, 1, 2, 2, 6, 16]);
    }
}
