//! Exact values of a slice in memory.

use std::collections::TryReserveError;
use std::ops::Range;

use damabase_formats::table::{DONT_CARE, Metric, Values};
use damabase_formats::{Index, Slice, ToMove};
use damabase_rules::Rules;

use crate::solver::SolveError;

/// Exact values of both sides to move, by index value; the second is empty where the slice is
/// symmetric.
pub(crate) struct Exact(pub(crate) [Codes; 2]);

/// Value codes in as many bytes as their metric needs.
pub(crate) enum Codes {
    Bytes(Vec<u8>),
    Words(Vec<u16>),
}

impl Exact {
    /// Room for a slice, all holes.
    ///
    /// # Errors
    /// [`SolveError::TooLarge`].
    pub fn new<G: Rules>(metric: Metric, slice: Slice) -> Result<Exact, SolveError> {
        let too_large = |_| SolveError::TooLarge { slice };
        let room = |to_move| {
            let there = slice.sides().contains(&to_move);
            let len = if there { Index::<G>::new(slice, to_move).len() } else { 0 };
            let len = usize::try_from(len).map_err(|_| SolveError::TooLarge { slice })?;
            Ok(match metric {
                Metric::Wld => Codes::Bytes(filled(u8::MAX, len).map_err(too_large)?),
                _ => Codes::Words(filled(DONT_CARE, len).map_err(too_large)?),
            })
        };
        Ok(Exact([room(ToMove::First)?, room(ToMove::Second)?]))
    }
}

/// A vector of equal elements, unless there is no room for it.
fn filled<T: Clone>(element: T, len: usize) -> Result<Vec<T>, TryReserveError> {
    let mut vector = Vec::new();
    vector.try_reserve_exact(len)?;
    vector.resize(len, element);
    Ok(vector)
}

impl Values for Exact {
    fn read(&self, to_move: ToMove, range: Range<u64>, out: &mut [u16]) {
        for (number, code) in range.zip(out) {
            *code = self.0[to_move as usize].get(number);
        }
    }
}

impl Codes {
    #[inline]
    pub fn get(&self, number: u64) -> u16 {
        match self {
            Codes::Bytes(codes) if codes[number as usize] == u8::MAX => DONT_CARE,
            Codes::Bytes(codes) => codes[number as usize].into(),
            Codes::Words(codes) => codes[number as usize],
        }
    }

    pub fn write(&mut self, first: u64, from: &[u16]) {
        let range = first as usize..first as usize + from.len();
        match self {
            Codes::Bytes(codes) => {
                // Codes of wld fit; the don't-care code keeps its low byte, u8::MAX.
                codes[range].iter_mut().zip(from).for_each(|(to, &code)| *to = code as u8);
            }
            Codes::Words(codes) => codes[range].copy_from_slice(from),
        }
    }
}
