//! Which of the ways to write a table is taken.

use super::encode::{encode_block, train};
use super::grammar::{self, Encoder};
use super::header::{CodingChoice, DIRECTORY_ENTRY_BYTES, Header, MAX_SUB_BLOCK, Stored};
use super::{Compression, Layout, Metric, TableError, TableInfo, Values, WriteOptions};
use crate::ToMove;

/// About how many stored bytes a sub-block of phrases has, by layout. One value is found by going
/// through half of them.
const SEARCH_BYTES: f64 = 128.0;
const COMPACT_BYTES: f64 = 1024.0;
/// Values in both sections of a small table.
const SMALL_VALUES: u64 = 1 << 23;
/// Packed bytes in a block of a small compact table for zstd, and its level.
const COMPACT_BLOCK_BYTES: u32 = 32 << 10;
const COMPACT_LEVEL: i32 = 19;
/// The least number of values in a sub-block.
const MIN_SUB_BLOCK: u32 = 256;

/// How a table is written.
pub(super) struct Choice {
    pub header: Header,
    /// Of each stored section, where values are written as phrases.
    pub encoders: Vec<Encoder>,
    /// The level of zstd, where they are packed.
    pub level: i32,
    /// All blocks, where they were written to find out how; else none.
    pub blocks: Vec<Vec<u8>>,
}

/// What may be stored, with the encoders for it and about the bits that each value takes.
struct Way {
    stored: Stored,
    encoders: Vec<Encoder>,
    bits: f64,
}

/// Looks at many of the values to find out how best to write them.
pub(super) fn choose(
    info: &TableInfo,
    options: WriteOptions,
    values: &(impl Values + ?Sized),
) -> Result<Choice, TableError> {
    let slice = info.id.slice;
    let layout = match info.id.metric {
        Metric::Budget => Layout::Search,
        _ => options.layout.unwrap_or(Layout::default_for(slice)),
    };
    let has_halves = slice.is_symmetric() && slice.first().men > 0;
    let stored = if layout == Layout::Compact && has_halves { Stored::Half } else { Stored::All };
    let packed = CodingChoice::Packed { block_bytes: options.block_bytes };
    // Before any work, whether the parts make a table.
    let header =
        |stored, coding| Header::new(info.id.clone(), info.max_code, &info.counts, stored, coding);
    let plain = header(stored, packed)?;
    let men_radix = info.id.men_radix();
    let compression = options.compression.unwrap_or(match info.id.metric {
        Metric::Wld => Compression::Phrases,
        _ => Compression::Zstd,
    });
    let is_packed = compression == Compression::Zstd || info.max_code > grammar::MAX_CODE;
    let is_one_side = layout == Layout::Compact && !slice.is_symmetric();
    let mut trained = Vec::new();
    if !is_packed || is_one_side {
        let level = is_packed.then_some(options.level);
        let threats = is_one_side || stored == Stored::Half;
        trained = train(&plain, men_radix, values, layout, level, threats)?;
    }
    let mut ways = Vec::new();
    if is_one_side {
        for (to_move, (encoder, bits)) in [ToMove::First, ToMove::Second].into_iter().zip(trained) {
            let stored = Stored::Side(to_move);
            ways.push(Way { stored, encoders: encoder.into_iter().collect(), bits });
        }
        ways.sort_by(|a, b| a.bits.total_cmp(&b.bits));
    } else {
        let bits = trained.iter().map(|&(_, bits)| bits).sum::<f64>() / trained.len() as f64;
        let encoders = trained.into_iter().filter_map(|(encoder, _)| encoder).collect();
        ways.push(Way { stored, encoders, bits });
    }
    let coding = |bits: f64| {
        if is_packed {
            return packed;
        }
        let bytes = if layout == Layout::Search { SEARCH_BYTES } else { COMPACT_BYTES };
        let values = (bytes * 8.0 / bits.max(1e-6)).min(MAX_SUB_BLOCK.into()) as u32;
        let sub_block = (values.max(MIN_SUB_BLOCK) + 1).next_power_of_two() / 2;
        CodingChoice::Grammar { sub_block }
    };
    let is_small = ways.len() as u64 * plain.section(ToMove::First).values <= SMALL_VALUES;
    let is_open = layout == Layout::Compact && options.compression.is_none() && !is_packed;
    if !(is_open && is_small) {
        let Way { stored, encoders, bits } = ways.swap_remove(0);
        return Ok(Choice {
            header: header(stored, coding(bits))?,
            encoders,
            level: options.level,
            blocks: Vec::new(),
        });
    }
    // Phrases need models, and in small tables these may take more than they save: so all ways are
    // tried.
    let mut tried = Vec::new();
    for Way { stored, encoders, bits } in ways {
        let packed = CodingChoice::Packed { block_bytes: COMPACT_BLOCK_BYTES };
        for (coding, encoders) in [(coding(bits), encoders), (packed, Vec::new())] {
            let header = header(stored, coding)?;
            let write =
                |block| encode_block(&header, men_radix, &encoders, COMPACT_LEVEL, values, block);
            let blocks = (0..header.blocks()).map(write).collect::<Result<_, _>>()?;
            tried.push(Choice { header, encoders, level: COMPACT_LEVEL, blocks });
        }
    }
    Ok(tried.into_iter().min_by_key(Choice::size).expect("there is one way at least"))
}

impl Choice {
    /// Bytes of all that depends on the choice, where all blocks are written.
    fn size(&self) -> usize {
        let models = self.encoders.iter().map(|encoder| encoder.model_bytes().len());
        let blocks = self.blocks.iter().map(|block| block.len() + DIRECTORY_ENTRY_BYTES as usize);
        models.chain(blocks).sum()
    }
}
