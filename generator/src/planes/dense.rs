//! The values of a slice in the order of the position index, ready to be written to table files.

use std::ops::Range;
use std::sync::OnceLock;

use damabase_formats::table::{Counts, Metric, SectionStatistics, Values};
use damabase_formats::{Slice, ToMove};

use super::chunks::Chunks;
use super::levels::eight_numbers;
use super::order::BitWriter;

/// What is counted of the positions with one side to move, captures included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Tally {
    pub counts: Counts,
    pub captures: u64,
    /// Of each metric, by [`Metric::ALL`].
    pub extremes: [Extremes; Metric::ALL.len()],
}

/// The greatest values of a metric.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Extremes {
    pub win_plies: Option<u16>,
    pub loss_plies: Option<u16>,
    /// The greatest code of a position without capture.
    pub stored: u16,
}

impl Extremes {
    /// Takes note of a position's distance code.
    #[inline]
    pub fn see(&mut self, code: u16, capture: bool) {
        if !capture {
            self.stored = self.stored.max(code);
        }
        if code > 0 {
            let longest =
                if code.is_multiple_of(2) { &mut self.win_plies } else { &mut self.loss_plies };
            *longest = (*longest).max(Some((code - 1) / 2));
        }
    }

    pub fn add(&mut self, other: Extremes) {
        self.win_plies = self.win_plies.max(other.win_plies);
        self.loss_plies = self.loss_plies.max(other.loss_plies);
        self.stored = self.stored.max(other.stored);
    }
}

impl Tally {
    pub fn add(&mut self, other: &Tally) {
        self.counts.positions += other.counts.positions;
        self.counts.wins += other.counts.wins;
        self.counts.draws += other.counts.draws;
        self.counts.losses += other.counts.losses;
        self.captures += other.captures;
        for (own, other) in self.extremes.iter_mut().zip(&other.extremes) {
            own.add(*other);
        }
    }
}

/// The codes of one metric with one side to move, sub-slice by sub-slice. What is stored is the
/// code plus one, and 0 for a don't-care, so that what is never written is a hole.
pub(super) enum Codes {
    /// Of sub-slices of one position.
    Single(Chunks<u16>),
    /// Of sub-slices of several.
    Digits(Box<Digits>),
}

/// A plane of bits for each binary digit of the codes, made when it is first needed.
pub(super) struct Digits {
    planes: [OnceLock<Chunks<u8>>; 16],
    sub_slices: usize,
    /// Bytes of a sub-slice in each plane.
    bytes: usize,
}

impl Codes {
    /// Room for sub-slices of `kings` positions.
    pub fn new(sub_slices: usize, kings: usize) -> Codes {
        if kings == 1 {
            return Codes::Single(Chunks::new(sub_slices, 1));
        }
        let planes = std::array::from_fn(|_| OnceLock::new());
        Codes::Digits(Box::new(Digits { planes, sub_slices, bytes: kings.div_ceil(8) }))
    }

    /// Bytes of memory that this takes at most where codes have so many digits.
    pub fn size_bytes(digits: usize, sub_slices: u64, kings: u64) -> u64 {
        let digits = digits as u64;
        sub_slices * if kings == 1 { 2 } else { digits * kings.div_ceil(8) }
    }

    /// Writes the code of a sub-slice of one position.
    ///
    /// # Safety
    /// As for [`Chunks::write`].
    ///
    /// # Panics
    /// Where sub-slices have several.
    pub unsafe fn write_single(&self, sub_slice: usize, code: u16) {
        let Codes::Single(codes) = self else { panic!("a sub-slice has more than one position") };
        // SAFETY: passed on to the caller.
        unsafe { codes.write(sub_slice)[0] = code.wrapping_add(1) };
    }

    /// A writer of one binary digit of what is stored for a sub-slice. Of each sub-slice the
    /// digits from the lowest to the highest one that is not 0 everywhere are to be written.
    ///
    /// # Safety
    /// As for [`Chunks::write`], until the writer is gone.
    ///
    /// # Panics
    /// Where sub-slices have one position only.
    pub unsafe fn digit(&self, sub_slice: usize, digit: usize) -> BitWriter<'_> {
        let Codes::Digits(digits) = self else { panic!("a single position has no digits") };
        let plane = || Chunks::new(digits.sub_slices, digits.bytes);
        // SAFETY: passed on to the caller.
        BitWriter::new(unsafe { digits.planes[digit].get_or_init(plane).write(sub_slice) })
    }
}

/// The values of one metric of a solved slice. Positions where the mover can capture are
/// [`DONT_CARE`], as holes are.
pub struct Dense {
    pub(super) slice: Slice,
    pub(super) metric: Metric,
    /// Number of index values of a sub-slice.
    pub(super) kings: usize,
    /// In the order of [`Slice::sides`].
    pub(super) sections: Vec<(Codes, Tally)>,
}

impl Dense {
    /// The slice.
    pub fn slice(&self) -> Slice {
        self.slice
    }

    /// The metric.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// Counts over all positions, captures included, in the order of [`Slice::sides`].
    pub fn counts(&self) -> Vec<Counts> {
        self.sections.iter().map(|(_, tally)| tally.counts).collect()
    }

    /// The greatest code that is not [`DONT_CARE`].
    pub fn max_code(&self) -> u16 {
        let stored = |(_, tally): &(_, Tally)| tally.extremes[self.metric as usize].stored;
        self.sections.iter().map(stored).max().unwrap_or(0)
    }

    /// Further numbers, in the order of [`Slice::sides`].
    pub fn statistics(&self) -> Vec<SectionStatistics> {
        let statistics = |(_, tally): &(_, Tally)| {
            let extremes = &tally.extremes[self.metric as usize];
            SectionStatistics {
                captures: tally.captures,
                longest_win_plies: extremes.win_plies.map(u32::from),
                longest_loss_plies: extremes.loss_plies.map(u32::from),
            }
        };
        self.sections.iter().map(statistics).collect()
    }
}

impl Values for &Dense {
    fn read(&self, to_move: ToMove, range: Range<u64>, out: &mut [u16]) {
        match &self.sections[to_move as usize].0 {
            Codes::Single(codes) => {
                for (sub_slice, code) in range.zip(out) {
                    // SAFETY: nobody writes any more once the solver has handed out the slice.
                    *code = unsafe { codes.get(sub_slice as usize, 0) }.wrapping_sub(1);
                }
            }
            Codes::Digits(digits) => digits.read(range.start as usize, self.kings, out),
        }
    }
}

impl Digits {
    /// Reads neighbouring codes from an index on; sub-slices have `kings` positions.
    fn read(&self, first: usize, kings: usize, mut out: &mut [u16]) {
        let planes: Vec<&Chunks<u8>> = self.planes.iter().map_while(OnceLock::get).collect();
        let (mut sub_slice, mut place) = (first / kings, first % kings);
        while !out.is_empty() {
            let (byte, skip) = (place / 8, place % 8);
            let len = (8 - skip).min(kings - place).min(out.len());
            // SAFETY: nobody writes any more once the solver has handed out the slice.
            let digits = planes.iter().map(|plane| unsafe { plane.get(sub_slice, byte) });
            let codes = eight_numbers(digits).map(|stored| stored.wrapping_sub(1));
            let (now, later) = out.split_at_mut(len);
            now.copy_from_slice(&codes[skip..skip + len]);
            out = later;
            place += len;
            if place == kings {
                (sub_slice, place) = (sub_slice + 1, 0);
            }
        }
    }
}
