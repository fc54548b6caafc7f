//! From rows of words to the order of the position index, whole words at a time.

use damabase_formats::index::king_order;
use damabase_rules::{Rules, Word};

use super::sets::{Sets, order_of};
use super::turn::transpose;

/// How the positions of a sub-slice with one side to move follow each other in the index: by the
/// kings of the side not to move, then by those of the side to move, in colexicographic order.
///
/// So while all but the first of the axis side's kings stand still, the first takes one square
/// after the other, up to the next king: any of the axis side's kings can be the axis, hence these
/// are the first bits of one word, in the order of squares.
pub(super) struct IndexOrder<W> {
    /// Whether the kings of the axis side change fastest: whether it is to move.
    axis_fastest: bool,
    /// In order: the numbers of the sets of the axis side's kings but the first, and how many
    /// squares there are for the first.
    companions: Vec<(usize, u32)>,
    /// In order: the numbers of the sets of the other side's kings.
    others: Vec<usize>,
    /// In order: the bits of the squares.
    squares: Vec<u32>,
    /// For each byte of a word and what it may be: its bits in the order of squares.
    sorted: Vec<[W; 256]>,
}

impl<W: Word> IndexOrder<W> {
    /// The order with `side` to move, 0 for the axis side and 1 for the other side.
    pub fn new<G: Rules<Word = W>>(companions: &Sets<G>, others: &Sets<G>, side: usize) -> Self {
        let board = G::board();
        let bit = |bit: u32| if side == 0 { bit } else { board.bits() - 1 - bit };
        let squares: Vec<u32> =
            king_order(board).into_iter().map(|square| bit(board.bit_of(square))).collect();
        let in_order = |sets: &Sets<G>| order_of(&sets.index_places()[side]);
        let with_room = |set: u32| {
            let members = companions.sets[set as usize];
            let first = squares.iter().position(|&square| (members & W::bit(square)).any());
            (set as usize, first.unwrap_or(squares.len()) as u32)
        };
        let mut sorted = vec![[W::ZERO; 256]; board.bits().div_ceil(8) as usize];
        for (place, &square) in (0..).zip(&squares) {
            for (byte, word) in sorted[square as usize / 8].iter_mut().enumerate() {
                if byte >> (square % 8) & 1 == 1 {
                    *word |= W::bit(place);
                }
            }
        }
        IndexOrder {
            axis_fastest: side == 0,
            companions: in_order(companions).into_iter().map(with_room).collect(),
            others: in_order(others).into_iter().map(|set| set as usize).collect(),
            squares,
            sorted,
        }
    }

    /// Writes the bits of a plane, given row by row, in index order. `strip` is room to work in.
    pub fn write(&self, plane: impl Fn(usize) -> W, bits: &mut BitWriter<'_>, strip: &mut Vec<W>) {
        let others = self.others.len();
        if self.axis_fastest || others == 1 {
            for &other in &self.others {
                for &(companions, squares) in &self.companions {
                    bits.push(self.sort(plane(companions * others + other)), squares);
                }
            }
            return;
        }
        for &(companions, squares) in &self.companions {
            let first = companions * others;
            strip.clear();
            for others in self.others.chunks(W::BITS as usize) {
                let block = strip.len();
                strip.extend(others.iter().map(|&other| plane(first + other)));
                strip.resize(block + W::BITS as usize, W::ZERO);
                transpose(&mut strip[block..]);
            }
            for &square in &self.squares[..squares as usize] {
                let mut left = others as u32;
                for block in strip.chunks_exact(W::BITS as usize) {
                    let len = left.min(W::BITS);
                    bits.push(block[square as usize], len);
                    left -= len;
                }
            }
        }
    }

    /// The bits of a word in the order of squares.
    #[inline]
    fn sort(&self, word: W) -> W {
        let byte = |n: usize| (word >> (8 * n as u32)).to_u128() as usize & 0xff;
        let bytes = self.sorted.iter().enumerate();
        bytes.fold(W::ZERO, |sorted, (n, table)| sorted | table[byte(n)])
    }
}

/// Writes bits one after the other, the first in the lowest place of a byte.
pub(super) struct BitWriter<'a> {
    bytes: &'a mut [u8],
    /// Bits that are not written yet, fewer than 64.
    bits: u64,
    len: u32,
}

impl<'a> BitWriter<'a> {
    /// Writes to `bytes`; bits beyond the end are dropped.
    pub fn new(bytes: &'a mut [u8]) -> Self {
        BitWriter { bytes, bits: 0, len: 0 }
    }

    /// Writes the lowest `len` bits of a word.
    #[inline]
    pub fn push<W: Word>(&mut self, word: W, len: u32) {
        let word = word.to_u128();
        self.push_64(word as u64, len.min(64));
        if W::BITS > 64 && len > 64 {
            self.push_64((word >> 64) as u64, len - 64);
        }
    }

    #[inline]
    fn push_64(&mut self, bits: u64, len: u32) {
        let bits = bits & u64::below(len);
        self.bits |= bits << self.len;
        self.len += len;
        if self.len >= 64 {
            self.flush(8);
            self.len -= 64;
            // What did not fit: none of it if all bits were needed to fill up.
            self.bits = bits.checked_shr(len - self.len).unwrap_or(0);
        }
    }

    fn flush(&mut self, bytes: usize) {
        let bytes = bytes.min(self.bytes.len());
        let (now, later) = std::mem::take(&mut self.bytes).split_at_mut(bytes);
        now.copy_from_slice(&self.bits.to_le_bytes()[..bytes]);
        self.bytes = later;
    }
}

impl Drop for BitWriter<'_> {
    fn drop(&mut self) {
        self.flush(self.len.div_ceil(8) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_follow_each_other_without_gaps() {
        let pushed: Vec<(u64, u32)> =
            (0..40).map(|n| (0x9e37_79b9_7f4a_7c15_u64.rotate_left(n), (n * 7) % 65)).collect();
        let expected: Vec<bool> = pushed
            .iter()
            .flat_map(|&(bits, len)| (0..len).map(move |n| bits >> n & 1 == 1))
            .collect();
        let mut bytes = vec![0; expected.len().div_ceil(8)];
        let mut writer = BitWriter::new(&mut bytes);
        pushed.iter().for_each(|&(bits, len)| writer.push(bits, len));
        drop(writer);
        for (n, &bit) in expected.iter().enumerate() {
            assert_eq!(bytes[n / 8] >> (n % 8) & 1 == 1, bit, "{n}");
        }
    }

    #[test]
    fn wide_words_are_written_whole() {
        let mut bytes = [0; 16];
        let mut writer = BitWriter::new(&mut bytes);
        let word = 0x0123_4567_89ab_cdef_0011_2233_4455_6677_u128;
        writer.push(word, 3);
        writer.push(word >> 3, 125);
        drop(writer);
        assert_eq!(u128::from_le_bytes(bytes), word);
    }
}
