//! The values of a slice in the order of the position index.

use damabase_formats::{Slice, ToMove};

use super::chunks::Chunks;

/// A position where the mover can capture, or no position at all, as a two-bit code; 0 to 2 are
/// loss, draw and win.
pub(super) const DONT_CARE: u8 = 3;

/// Numbers of positions of one side to move, captures included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// All positions.
    pub positions: u64,
    /// Positions that the side to move wins.
    pub wins: u64,
    /// Positions that it loses.
    pub losses: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.positions += other.positions;
        self.wins += other.wins;
        self.losses += other.losses;
    }
}

/// The values of one side to move.
pub struct Section {
    /// Which side is to move.
    pub to_move: ToMove,
    /// Number of index values with the same men.
    pub(super) kings: usize,
    /// Two bits a value, each sub-slice from a byte of its own.
    pub(super) wld: Chunks<u8>,
    /// Sixteen bits a value, if asked for: 0 draw, 2n + 1 loss and 2n + 2 win in n plies.
    pub(super) dtc: Option<Chunks<u16>>,
    /// How many positions there are and what they are worth.
    pub counts: Counts,
}

impl Section {
    pub(super) fn new(to_move: ToMove, sub_slices: usize, kings: usize, dtc: bool) -> Self {
        Section {
            to_move,
            kings,
            wld: Chunks::new(sub_slices, kings.div_ceil(4)),
            dtc: dtc.then(|| Chunks::new(sub_slices, kings)),
            counts: Counts::default(),
        }
    }

    /// Writes the win, draw and loss codes of one sub-slice.
    ///
    /// # Safety
    /// As for [`Chunks::write`].
    pub(super) unsafe fn write_wld(&self, sub_slice: usize, codes: &[u8]) {
        // SAFETY: passed on to the caller.
        let packed = unsafe { self.wld.write(sub_slice) };
        for (packed, codes) in packed.iter_mut().zip(codes.chunks(4)) {
            *packed = codes.iter().rev().fold(0, |byte, &code| byte << 2 | code);
        }
    }

    /// The two-bit code of an index value.
    #[inline]
    pub(super) fn wld_code(&self, index: u64) -> u8 {
        let (sub_slice, place) = (index as usize / self.kings, index as usize % self.kings);
        // SAFETY: a section is read only after the solver has filled it.
        let byte = unsafe { self.wld.get(sub_slice, place / 4) };
        byte >> (2 * (place % 4)) & 3
    }
}

/// The values of a slice.
pub struct Dense {
    /// The slice.
    pub slice: Slice,
    /// One section for each side to move; one where the slice is symmetric.
    pub sections: Vec<Section>,
}
