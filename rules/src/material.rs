//! How many men and kings a side has.

use std::fmt;

use crate::{Pieces, Word};

/// One side's number of men and kings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Material {
    /// Number of men.
    pub men: u8,
    /// Number of kings.
    pub kings: u8,
}

impl Material {
    /// Men and kings.
    #[inline]
    pub const fn pieces(self) -> u32 {
        self.men as u32 + self.kings as u32
    }

    /// The material of one side's pieces.
    #[inline]
    pub fn of<W: Word>(pieces: Pieces<W>) -> Material {
        Material { men: pieces.men.count() as u8, kings: pieces.kings.count() as u8 }
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for _ in 0..self.kings {
            f.write_str("K")?;
        }
        for _ in 0..self.men {
            f.write_str("M")?;
        }
        Ok(())
    }
}
