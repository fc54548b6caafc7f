//! Finished values as bit planes, addressed the way the next slices ask for them.
//!
//! A [`Plane`] holds the values of all positions with one material in which the side that *has
//! just moved* goes up. So a solver that looks where a move of its own leads never has to turn
//! the board: its own pieces stand where they stood. Values are those of the side to move, which
//! goes down.
//!
//! The squares of one king, the *axis*, are the bits of a word; everything else is the number of
//! the word. The axis is a king of the side that has just moved, or, where that side has none, of
//! the side to move.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use damabase_formats::Material;
use damabase_formats::index::binomial;
use damabase_rules::{Rules, Word};
use memmap2::Mmap;

use super::chunks::{Chunks, Plain};
use super::lanes::{Digit, Digits};
use super::levels::Levels;
use super::sets;

/// Which side's king is the bit axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Axis {
    /// The side that goes up.
    Own,
    /// The side that goes down.
    Opponent,
    /// Neither side has a king.
    None,
}

/// Values as two sets of axis squares: where the side to move wins, and where it loses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub(super) struct Values<W> {
    pub won: W,
    pub lost: W,
}

// SAFETY: two words of the same size, without padding.
unsafe impl<W: Word> Plain for Values<W> {}

impl<W: Word> Values<W> {
    /// The same value for every axis square.
    #[inline]
    pub fn broadcast(won: bool, lost: bool) -> Self {
        let all = |set: bool| if set { !W::ZERO } else { W::ZERO };
        Values { won: all(won), lost: all(lost) }
    }

    /// The value of one axis square for every axis square.
    #[inline]
    pub fn pick(self, axis: W) -> Self {
        Values::broadcast((self.won & axis).any(), (self.lost & axis).any())
    }
}

/// How the words of a slice are numbered: by men, then by the axis side's other kings, then by
/// the other side's kings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub own: Material,
    pub opponent: Material,
    pub axis: Axis,
    /// Number of men configurations of each side.
    pub own_men: usize,
    pub opponent_men: usize,
    /// Number of sets of the axis side's other kings.
    pub companions: usize,
    /// Number of sets of the other side's kings.
    pub others: usize,
}

impl Shape {
    pub fn new<G: Rules>(own: Material, opponent: Material) -> Shape {
        let men = |men: u8| binomial(G::board().squares() - G::board().row_len(), men.into());
        let kings = |kings: u8| sets::count::<G>(kings.into());
        let (axis, companions, others) = if own.kings > 0 {
            (Axis::Own, kings(own.kings - 1), kings(opponent.kings))
        } else if opponent.kings > 0 {
            (Axis::Opponent, kings(opponent.kings - 1), 1)
        } else {
            (Axis::None, 1, 1)
        };
        Shape {
            own,
            opponent,
            axis,
            own_men: men(own.men) as usize,
            opponent_men: men(opponent.men) as usize,
            companions,
            others,
        }
    }

    /// Words of one sub-slice.
    #[inline]
    pub fn rows(&self) -> usize {
        self.companions * self.others
    }

    /// Elements that a plane of this shape has for each sub-slice, array by array.
    fn lens(&self, digits: usize) -> [usize; ARRAYS] {
        match self.axis {
            Axis::None => [0, 1, 0, digits.min(1)],
            _ => [self.rows(), 0, self.rows() * digits, 0],
        }
    }

    /// Sizes of a plane's arrays in bytes where numbers have so many digits.
    pub fn sizes<G: Rules>(&self, digits: usize) -> [u64; ARRAYS] {
        let lens = self.lens(digits);
        let bytes = [size_of::<Values<G::Word>>(), 1, size_of::<Digit<G::Word>>(), 2];
        std::array::from_fn(|n| {
            let elements = (self.sub_slices() as u64).saturating_mul(lens[n] as u64);
            elements.saturating_mul(bytes[n] as u64)
        })
    }

    /// Number of sub-slices, those in which men would overlap included.
    pub fn sub_slices(&self) -> usize {
        self.own_men * self.opponent_men
    }

    /// The number of the sub-slice with men of these numbers, each seen by the men's side.
    #[inline]
    pub fn sub_slice(&self, own_men: usize, opponent_men: usize) -> usize {
        own_men * self.opponent_men + opponent_men
    }
}

/// Arrays of a plane.
pub(super) const ARRAYS: usize = 4;

/// Values of all positions of a material, see the module's text.
///
/// Where plies to the end of the game (or those that must be left on a counter) are kept, they are
/// kept as *numbers*: plies and one, which mean nothing where the value is a draw.
pub(super) struct Plane<G: Rules> {
    pub shape: Shape,
    /// One chunk for each sub-slice, empty for [`Axis::None`].
    words: Chunks<Values<G::Word>>,
    /// For [`Axis::None`], one for each sub-slice: 0 drawn, 1 won, 2 lost.
    bytes: Chunks<u8>,
    /// Binary digits that numbers have room for; 0 where none are kept.
    digits: usize,
    /// Digits that they have so far.
    used: AtomicUsize,
    /// For each of `words` the digits of its numbers, the lowest first.
    numbers: Chunks<Digit<G::Word>>,
    /// For each of `bytes` its number.
    men_numbers: Chunks<u16>,
}

impl<G: Rules> Plane<G> {
    /// A plane with nothing in it, and room for so many digits of numbers.
    pub fn new(own: Material, opponent: Material, digits: usize) -> Self {
        let shape = Shape::new::<G>(own, opponent);
        let lens = shape.lens(digits);
        let count = |len: usize| if len == 0 { 0 } else { shape.sub_slices() };
        Plane {
            shape,
            words: Chunks::new(count(lens[0]), lens[0]),
            bytes: Chunks::new(count(lens[1]), lens[1]),
            digits,
            used: AtomicUsize::new(0),
            numbers: Chunks::new(count(lens[2]), lens[2]),
            men_numbers: Chunks::new(count(lens[3]), lens[3]),
        }
    }

    /// Digits that numbers have room for; 0 where none are kept.
    pub fn digits(&self) -> usize {
        self.digits
    }

    /// The plane whose arrays are at these places of a mapped file, each given as its first byte
    /// and its size. None where they do not suit.
    pub fn mapped(
        own: Material,
        opponent: Material,
        digits: usize,
        map: &Arc<Mmap>,
        places: [(usize, usize); ARRAYS],
    ) -> Option<Self> {
        let shape = Shape::new::<G>(own, opponent);
        let lens = shape.lens(digits);
        if places.map(|(_, size)| size as u64) != shape.sizes::<G>(digits) {
            return None;
        }
        let [words, bytes, numbers, men_numbers] = places;
        Some(Plane {
            shape,
            words: Chunks::mapped(map, words.0, words.1, lens[0])?,
            bytes: Chunks::mapped(map, bytes.0, bytes.1, lens[1])?,
            digits,
            used: AtomicUsize::new(digits),
            numbers: Chunks::mapped(map, numbers.0, numbers.1, lens[2])?,
            men_numbers: Chunks::mapped(map, men_numbers.0, men_numbers.1, lens[3])?,
        })
    }

    /// The arrays as bytes.
    ///
    /// # Safety
    /// The plane is finished.
    pub unsafe fn arrays(&self) -> [&[u8]; ARRAYS] {
        let Plane { words, bytes, numbers, men_numbers, .. } = self;
        // SAFETY: nobody writes a finished plane.
        unsafe { [words.bytes(), bytes.bytes(), numbers.bytes(), men_numbers.bytes()] }
    }

    /// Bytes of memory that the plane takes.
    pub fn memory_bytes(&self) -> u64 {
        self.words.memory_bytes()
            + self.bytes.memory_bytes()
            + self.numbers.memory_bytes()
            + self.men_numbers.memory_bytes()
    }

    /// The words of one sub-slice, to be written.
    ///
    /// # Safety
    /// As for [`Chunks::write`].
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn fill(&self, sub_slice: usize) -> &mut [Values<G::Word>] {
        // SAFETY: passed on to the caller.
        unsafe { self.words.write(sub_slice) }
    }

    /// Writes the numbers of one sub-slice, if they are kept.
    ///
    /// # Safety
    /// As for [`Chunks::write`].
    pub unsafe fn fill_numbers(&self, sub_slice: usize, levels: &Levels<G::Word>) {
        if self.digits > 0 {
            // Those who read the sub-slice do so after this thread has told that it is finished.
            self.used.fetch_max(levels.digits().len(), Ordering::Relaxed);
            // SAFETY: passed on to the caller.
            levels.write(unsafe { self.numbers.write(sub_slice) }, self.digits);
        }
    }

    /// Writes the value of a position without kings, and its plies, if they are kept.
    ///
    /// # Safety
    /// As for [`Chunks::write`].
    pub unsafe fn fill_men(&self, sub_slice: usize, won: bool, lost: bool, plies: u16) {
        // SAFETY: passed on to the caller.
        unsafe {
            self.bytes.write(sub_slice)[0] = u8::from(won) + 2 * u8::from(lost);
            if self.digits > 0 {
                self.men_numbers.write(sub_slice)[0] = plies + 1;
            }
        }
    }

    /// The values of a row.
    #[inline]
    pub fn word(&self, sub_slice: usize, row: usize) -> Values<G::Word> {
        // SAFETY: the solver reads only sub-slices that are finished, and a finished one is
        // never written again.
        unsafe { self.words.get(sub_slice, row) }
    }

    /// The value of a position without kings.
    pub fn men_value(&self, sub_slice: usize) -> Values<G::Word> {
        // SAFETY: as in `word`.
        let byte = unsafe { self.bytes.get(sub_slice, 0) };
        Values::broadcast(byte & 1 != 0, byte & 2 != 0)
    }

    /// The numbers of a row.
    ///
    /// # Panics
    /// Where numbers are not kept.
    #[inline]
    pub fn numbers(&self, sub_slice: usize, row: usize) -> Digits<'_, G::Word> {
        let used = self.used.load(Ordering::Relaxed);
        // SAFETY: as in `word`.
        Digits(unsafe { self.numbers.read(sub_slice, row * self.digits, used) })
    }

    /// The number of a position without kings.
    ///
    /// # Panics
    /// Where numbers are not kept.
    pub fn men_number(&self, sub_slice: usize) -> u16 {
        // SAFETY: as in `word`.
        unsafe { self.men_numbers.get(sub_slice, 0) }
    }
}
