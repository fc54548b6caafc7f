//! The grammar codec: values as phrases from a dictionary, each phrase with a code of few bits.
//!
//! A section has a [`Model`]: rules that make phrases of two shorter ones, down to single values,
//! and a prefix code. Values are cut into *sub-blocks*, each a row of codes that begins with a
//! byte of its own; so one value is found by adding up the lengths of phrases and going down the
//! rules, without decoding the rest. A sub-block's last phrase may be longer than what is left.

mod bits;
mod model;
mod parse;
mod train;

pub(super) use model::Model;

pub(super) use parse::Effort;
use parse::{Phrases, Scratch};

use super::{DONT_CARE, TableError};

/// The greatest code for which values can be written as phrases: they need a symbol each.
pub(super) const MAX_CODE: u16 = 1023;

/// Writes sub-blocks.
#[derive(Debug)]
pub(super) struct Encoder {
    model: Model,
    phrases: Phrases,
    effort: Effort,
}

impl Encoder {
    /// An encoder for a section of which these are pieces, with [`DONT_CARE`] where no value is
    /// needed; and about the bits that it takes for each value.
    pub(super) fn train(
        pieces: &[Vec<u16>],
        max_code: u16,
        effort: Effort,
    ) -> Result<(Encoder, f64), TableError> {
        let (model, bits_per_value) = train::train(pieces, max_code, effort)?;
        let phrases = Phrases::new(&model, |symbol| match model.bits()[symbol] {
            0 => None,
            bits => Some(bits.into()),
        });
        Ok((Encoder { model, phrases, effort }, bits_per_value))
    }

    /// The model's bytes in a file.
    pub(super) fn model_bytes(&self) -> Vec<u8> {
        self.model.to_bytes()
    }

    /// The stored bytes of blocks of values: see `docs/format.md`.
    pub(super) fn encode(&self, values: &[u16], sub_block: usize) -> Vec<u8> {
        let first = values.iter().copied().find(|&value| value != DONT_CARE).unwrap_or(0);
        if values.iter().all(|&value| value == first || value == DONT_CARE) {
            return first.to_le_bytes().to_vec();
        }
        let mut scratch = Scratch::default();
        let encode = |values: &[u16]| {
            self.model.write(&self.phrases.parse(values, self.effort, &mut scratch))
        };
        let parts: Vec<Vec<u8>> = values.chunks(sub_block).map(encode).collect();
        let len: usize = parts.iter().map(Vec::len).sum();
        let width = end_bytes(parts.len(), 2 * parts.len() + len);
        let mut out = Vec::with_capacity(width * parts.len() + len);
        let mut end = 0;
        for part in &parts {
            end += part.len();
            out.extend_from_slice(&end.to_le_bytes()[..width]);
        }
        parts.iter().for_each(|part| out.extend_from_slice(part));
        out
    }
}

/// A sub-block within a stored block.
#[derive(Clone, Copy)]
pub(super) enum Part<'a> {
    /// All values of the block are the same.
    Constant(u16),
    /// Codes of symbols.
    Coded(&'a Model, &'a [u8]),
}

impl<'a> Part<'a> {
    /// Finds a sub-block in a block of so many.
    ///
    /// # Errors
    /// [`TableError::Damaged`] where the block's bytes are not such a block's.
    #[inline]
    pub(super) fn new(
        model: &'a Model,
        max_code: u16,
        stored: &'a [u8],
        sub_blocks: usize,
        number: usize,
    ) -> Result<Part<'a>, TableError> {
        if let &[low, high] = stored {
            let value = u16::from_le_bytes([low, high]);
            return if value <= max_code { Ok(Part::Constant(value)) } else { Err(damaged()) };
        }
        let width = end_bytes(sub_blocks, stored.len());
        let end = |number: usize| {
            let bytes = stored.get(number * width..number * width + width)?;
            let mut end = [0; 8];
            end[..width].copy_from_slice(bytes);
            Some(u64::from_le_bytes(end) as usize)
        };
        let part = || {
            let start = if number == 0 { 0 } else { end(number - 1)? };
            let codes = stored.get(width * sub_blocks..)?;
            let end = end(number)?;
            // The last one ends with the block.
            if number + 1 == sub_blocks && end != codes.len() {
                return None;
            }
            codes.get(start..end)
        };
        part().map(|codes| Part::Coded(model, codes)).ok_or_else(damaged)
    }

    /// The value at a place of a sub-block of so many values.
    ///
    /// # Errors
    /// [`TableError::Damaged`] where the bytes hold none.
    #[inline]
    pub(super) fn code(self, place: u64, values: u64) -> Result<u16, TableError> {
        let code = match self {
            _ if place >= values => None,
            Part::Constant(value) => Some(value),
            Part::Coded(model, codes) => model.value(codes, place),
        };
        code.ok_or_else(damaged)
    }

    /// All values of a sub-block of so many.
    ///
    /// # Errors
    /// [`TableError::Damaged`] where the bytes do not hold just them.
    pub(super) fn decode(self, values: usize) -> Result<Vec<u16>, TableError> {
        let mut out = vec![0; values];
        match self {
            Part::Constant(value) => out.fill(value),
            Part::Coded(model, codes) => model.decode(codes, &mut out).ok_or_else(damaged)?,
        }
        Ok(out)
    }
}

#[cold]
fn damaged() -> TableError {
    TableError::damaged("a block", "phrases that make its values", "other bytes")
}

/// Bytes of each end of a sub-block in a block with so many stored bytes: two where they would
/// do.
fn end_bytes(sub_blocks: usize, stored: usize) -> usize {
    if stored > usize::from(u16::MAX) + 2 * sub_blocks { 4 } else { 2 }
}
