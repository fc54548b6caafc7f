//! The values of a slice in the order of the position index, ready to be written to table files.

use std::ops::Range;

use damabase_formats::table::{Counts, DONT_CARE, Metric, SectionStatistics, Values};
use damabase_formats::{Slice, ToMove};

use super::chunks::Chunks;

/// The two-bit code of [`DONT_CARE`]; 0 to 2 are those of the metric wld.
const DONT_CARE_BITS: u8 = 3;

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
}

impl Tally {
    pub fn add(&mut self, other: &Tally) {
        self.counts.positions += other.counts.positions;
        self.counts.wins += other.counts.wins;
        self.counts.draws += other.counts.draws;
        self.counts.losses += other.counts.losses;
        self.captures += other.captures;
        for (own, other) in self.extremes.iter_mut().zip(&other.extremes) {
            own.win_plies = own.win_plies.max(other.win_plies);
            own.loss_plies = own.loss_plies.max(other.loss_plies);
            own.stored = own.stored.max(other.stored);
        }
    }
}

/// The codes of one metric with one side to move, sub-slice by sub-slice.
pub(super) enum Codes {
    /// Two bits each, every sub-slice from a byte of its own.
    Bits(Chunks<u8>),
    /// Sixteen bits each.
    Words(Chunks<u16>),
}

impl Codes {
    /// Room for sub-slices of `kings` positions, at first all [`DONT_CARE`].
    pub fn new(metric: Metric, sub_slices: usize, kings: usize) -> Codes {
        match metric {
            Metric::Wld => Codes::Bits(Chunks::new(sub_slices, kings.div_ceil(4), u8::MAX)),
            _ => Codes::Words(Chunks::new(sub_slices, kings, DONT_CARE)),
        }
    }

    /// Bytes of memory that this takes.
    pub fn size_bytes(metric: Metric, sub_slices: u64, kings: u64) -> u64 {
        sub_slices * if metric == Metric::Wld { kings.div_ceil(4) } else { 2 * kings }
    }

    /// Writes the codes of one sub-slice.
    ///
    /// # Safety
    /// As for [`Chunks::write`].
    pub unsafe fn write(&self, sub_slice: usize, codes: &[u16]) {
        match self {
            Codes::Bits(_) => {
                // SAFETY: passed on to the caller.
                let mut bits = unsafe { self.bits(sub_slice) };
                for &code in codes {
                    bits.push(if code == DONT_CARE { DONT_CARE_BITS } else { code as u8 });
                }
            }
            // SAFETY: passed on to the caller.
            Codes::Words(words) => unsafe { words.write(sub_slice) }.copy_from_slice(codes),
        }
    }

    /// A writer of the two-bit codes of one sub-slice.
    ///
    /// # Safety
    /// As for [`Chunks::write`], until the writer is gone.
    ///
    /// # Panics
    /// Where the codes are not of two bits.
    pub unsafe fn bits(&self, sub_slice: usize) -> BitWriter<'_> {
        let Codes::Bits(bits) = self else { panic!("codes of distances take more than two bits") };
        // SAFETY: passed on to the caller.
        BitWriter { bytes: unsafe { bits.write(sub_slice) }.iter_mut(), byte: 0, codes: 0 }
    }
}

/// Writes two-bit codes one after the other, the first in the lowest bits.
pub(super) struct BitWriter<'a> {
    bytes: std::slice::IterMut<'a, u8>,
    /// Codes that wait for their byte to be full.
    byte: u8,
    codes: u32,
}

impl BitWriter<'_> {
    /// Writes a code of two bits; codes beyond the end are dropped.
    #[inline(always)]
    pub fn push(&mut self, code: u8) {
        self.byte |= code << (2 * self.codes);
        self.codes += 1;
        if self.codes == 4 {
            self.flush();
        }
    }

    #[inline(always)]
    fn flush(&mut self) {
        if let Some(byte) = self.bytes.next() {
            *byte = self.byte;
        }
        (self.byte, self.codes) = (0, 0);
    }
}

impl Drop for BitWriter<'_> {
    fn drop(&mut self) {
        if self.codes > 0 {
            self.flush();
        }
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
        let codes = &self.sections[to_move as usize].0;
        let kings = self.kings;
        let (mut sub_slice, mut place) =
            (range.start as usize / kings, range.start as usize % kings);
        for code in out {
            // SAFETY: nobody writes any more once the solver has handed out the slice.
            *code = unsafe {
                match codes {
                    Codes::Bits(bits) => {
                        match bits.get(sub_slice, place / 4) >> (2 * (place % 4)) & 3 {
                            DONT_CARE_BITS => DONT_CARE,
                            code => code.into(),
                        }
                    }
                    Codes::Words(words) => words.get(sub_slice, place),
                }
            };
            place += 1;
            if place == kings {
                (sub_slice, place) = (sub_slice + 1, 0);
            }
        }
    }
}
