//! Machine words that hold a set of board squares.

use std::fmt::{Debug, LowerHex};
use std::hash::Hash;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not, Shl, Shr};

/// A set of squares as bits: `u64` for boards up to 50 squares, `u128` for 72.
///
/// Bits are numbered as in [`Board`](crate::Board): ghost bits included.
pub trait Word:
    Copy
    + Eq
    + Ord
    + Hash
    + Debug
    + LowerHex
    + Default
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// The empty set.
    const ZERO: Self;
    /// Number of bits in the word.
    const BITS: u32;

    /// The low bits of `bits`.
    fn from_u128(bits: u128) -> Self;
    /// The word, widened.
    fn to_u128(self) -> u128;
    /// The set with the one bit `index`. Panics in debug builds if out of range.
    fn bit(index: u32) -> Self;
    /// Number of members.
    fn count(self) -> u32;
    /// Index of the lowest member; [`Self::BITS`] for the empty set.
    fn lowest(self) -> u32;
    /// Index of the highest member; panics in debug builds for the empty set.
    fn highest(self) -> u32;
    /// All bits below `index`, which is at most [`Self::BITS`].
    fn below(index: u32) -> Self;
    /// The set without its lowest member; the empty set stays empty.
    fn without_lowest(self) -> Self;
    /// The word with its bits in the opposite order.
    fn reversed(self) -> Self;

    /// Whether the set has a member.
    #[inline]
    fn any(self) -> bool {
        self != Self::ZERO
    }

    /// Whether the set has no member.
    #[inline]
    fn none(self) -> bool {
        self == Self::ZERO
    }

    /// The members' bit indices, lowest first.
    #[inline]
    fn indices(self) -> Indices<Self> {
        Indices(self)
    }
}

/// Iterator over the members of a [`Word`], lowest first.
#[derive(Clone, Debug)]
pub struct Indices<W>(W);

impl<W: Word> Iterator for Indices<W> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.0.none() {
            return None;
        }
        let lowest = self.0.lowest();
        self.0 = self.0.without_lowest();
        Some(lowest)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.count() as usize;
        (len, Some(len))
    }
}

impl<W: Word> ExactSizeIterator for Indices<W> {}

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
            const ZERO: Self = 0;
            const BITS: u32 = <$type>::BITS;

            #[inline]
            fn from_u128(bits: u128) -> Self {
                bits as $type
            }
            #[inline]
            fn to_u128(self) -> u128 {
                self as u128
            }
            #[inline]
            fn bit(index: u32) -> Self {
                1 << index
            }
            #[inline]
            fn count(self) -> u32 {
                self.count_ones()
            }
            #[inline]
            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }
            #[inline]
            fn highest(self) -> u32 {
                <$type>::BITS - 1 - self.leading_zeros()
            }
            #[inline]
            fn below(index: u32) -> Self {
                if index == <$type>::BITS { <$type>::MAX } else { (1 << index) - 1 }
            }
            #[inline]
            fn without_lowest(self) -> Self {
                self & self.wrapping_sub(1)
            }
            #[inline]
            fn reversed(self) -> Self {
                self.reverse_bits()
            }
        }
    };
}

word!(u64);
word!(u128);
