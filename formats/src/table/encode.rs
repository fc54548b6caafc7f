//! From the values of a section to the bytes of its blocks.

use std::ops::Range;

use damabase_rules::with_rules;

use super::codec::fill_dont_cares;
use super::grammar::{Effort, Encoder};
use super::header::{Coding, Header, Section};
use super::threats::leave_out_threats;
use super::{DONT_CARE, Layout, TableError, Values};

/// Values from which a model is made: so many at most, in pieces from all over the section.
const SAMPLE: u64 = 1 << 22;
const SAMPLE_PIECE: u64 = 1 << 13;

/// Reads the values of a block and writes them as its header says.
pub(super) fn encode_block(
    header: &Header,
    men_radix: (u64, u64),
    encoders: &[Encoder],
    level: i32,
    values: &(impl Values + ?Sized),
    block: u64,
) -> Result<Vec<u8>, TableError> {
    let (section, start, len) = header
        .range_of_block(block)
        .ok_or_else(|| TableError::Unwritable(format!("there is no block {block}")))?;
    let threats = header.leaves_out_threats();
    let mut codes = read(header, men_radix, values, section, start..start + len, threats)?;
    match header.coding {
        Coding::Packed(codec) => {
            fill_dont_cares(&mut codes);
            codec.encode(&codes, level)
        }
        Coding::Grammar { sub_block } => {
            let encoder = &encoders[usize::from(section.first_block > 0)];
            Ok(encoder.encode(&codes, sub_block as usize))
        }
    }
}

/// Reads values of a section, and blots out those that are not to be stored: threats too, if so
/// said.
fn read(
    header: &Header,
    men_radix: (u64, u64),
    values: &(impl Values + ?Sized),
    section: &Section,
    range: Range<u64>,
    threats: bool,
) -> Result<Vec<u16>, TableError> {
    let mut codes = vec![DONT_CARE; (range.end - range.start) as usize];
    values.read(section.to_move, range.clone(), &mut codes);
    let most = header.max_code;
    let first = range.start;
    for (index, code) in range.zip(&mut codes) {
        if !header.stored.has(section.to_move, index, men_radix) {
            *code = DONT_CARE;
        }
        if *code > most && *code != DONT_CARE {
            let message = format!("code {code} at index {index} is over the greatest, {most}");
            return Err(TableError::Unwritable(message));
        }
    }
    if threats {
        let id = &header.id;
        with_rules!(id.variant, G => {
            leave_out_threats::<G>(id.slice, section.to_move, first, &mut codes);
        });
    }
    Ok(codes)
}

/// About the bits that a value of each section takes, with an encoder for phrases; or, without
/// one, where values are packed and compressed at a level of zstd. `threats` are left out or not.
pub(super) fn train(
    header: &Header,
    men_radix: (u64, u64),
    values: &(impl Values + ?Sized),
    layout: Layout,
    zstd: Option<i32>,
    threats: bool,
) -> Result<Vec<(Option<Encoder>, f64)>, TableError> {
    let train_section = |section: &Section| {
        let pieces = section.values.div_ceil(SAMPLE_PIECE);
        let taken = pieces.min(SAMPLE / SAMPLE_PIECE);
        let mut sample = Vec::new();
        for number in 0..taken {
            let start = number * pieces / taken * SAMPLE_PIECE;
            let range = start..section.values.min(start + SAMPLE_PIECE);
            sample.push(read(header, men_radix, values, section, range, threats)?);
        }
        if let (Some(level), Coding::Packed(codec)) = (zstd, header.coding) {
            let (mut bytes, mut len) = (0, 0);
            for piece in &mut sample {
                fill_dont_cares(piece);
                bytes += codec.encode(piece, level)?.len();
                len += piece.len();
            }
            return Ok((None, bytes as f64 * 8.0 / len as f64));
        }
        let effort = match layout {
            Layout::Search => Effort::MIDDLE,
            Layout::Compact => Effort::THOROUGH,
        };
        let (encoder, bits) = Encoder::train(&sample, header.max_code, effort)?;
        Ok((Some(encoder), bits))
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = header
            .sections
            .iter()
            .map(|section| scope.spawn(move || train_section(section)))
            .collect();
        let joined = threads.into_iter().map(|thread| match thread.join() {
            Ok(trained) => trained,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.collect()
    })
}
