//! Finding the phrases that describe values in the fewest bits.
//!
//! Larsson and Moffat, "Offline dictionary-based compression" (1999): the pair of neighbours that
//! is met most often becomes a new symbol, again and again. Here many pairs are replaced in a
//! pass, and the places that need no value are given those that suit the phrases found, after
//! which better phrases are found ([`ROUNDS`] times).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::model::{MAX_CODE_BITS, MAX_PHRASE, MAX_RULES, Model};
use super::parse::{Effort, Phrases, Scratch};
use crate::table::TableError;
use crate::table::codec::fill_dont_cares;

/// How often phrases are looked for.
const ROUNDS: usize = 3;
/// How often values are written anew with what was learned of the phrases.
const PASSES: usize = 4;
/// A rule takes about 20 bits, and saves at most about two where it is used.
const MIN_USES: u32 = 6;
/// The part of the pairs, by how often the most frequent is met, that are replaced in one pass.
const PASS: f64 = 0.5;

/// Between pieces of a sample.
const GAP: u16 = u16::MAX;

/// A model for values like these, pieces of the section with [`DONT_CARE`] where none is needed,
/// and the bits that it takes for each value.
pub(super) fn train(
    pieces: &[Vec<u16>],
    max_code: u16,
    effort: Effort,
) -> Result<(Model, f64), TableError> {
    let mut filled = pieces.to_vec();
    filled.iter_mut().for_each(|piece| fill_dont_cares(piece));
    let mut scratch = Scratch::default();
    for round in 1.. {
        let rules = pairs(&filled, max_code);
        // Any bits at first: the shortest codes for the symbols that came first.
        let symbols = usize::from(max_code) + 1 + rules.len();
        let rough = (symbols as f32).log2();
        let model = Model::new(max_code, rules, flat(symbols))?;
        let texts = model.phrases();
        let mut count = |phrases: &Phrases, effort: Effort| {
            let mut uses = vec![0; symbols];
            filled.clear();
            for piece in pieces {
                let parsed = phrases.parse(piece, effort, &mut scratch);
                let mut text = Vec::with_capacity(piece.len());
                for symbol in parsed {
                    uses[usize::from(symbol)] += 1;
                    text.extend_from_slice(&texts[usize::from(symbol)]);
                }
                text.truncate(piece.len());
                filled.push(text);
            }
            uses
        };
        let mut uses = count(&Phrases::new(&model, |_| Some(rough)), effort);
        if round < ROUNDS {
            continue;
        }
        // With the right bits, and without phrases that are hardly used. Which bits are right is found
        // with little effort.
        for pass in 1..=PASSES {
            let bits = worth(&model, max_code, &uses);
            let effort = if pass < PASSES { Effort::QUICK } else { effort };
            uses = count(&Phrases::new(&model, |symbol| bits[symbol]), effort);
        }
        return finish(model, uses, pieces);
    }
    unreachable!("the loop ends in a round")
}

/// The bits of each symbol that is used so often; none for one whose rule takes more bits than it
/// saves.
fn worth(model: &Model, max_code: u16, uses: &[u32]) -> Vec<Option<f32>> {
    let values = usize::from(max_code) + 1;
    let total: u32 = uses.iter().sum();
    let bits: Vec<f32> =
        uses.iter().map(|&uses| -((uses as f32 + 0.3) / total as f32).log2()).collect();
    let rule_bits = (uses.len() as f32).log2() + 6.0;
    let mut worth: Vec<Option<f32>> = bits.iter().copied().map(Some).collect();
    // What a phrase takes without its symbol: that of its parts.
    let mut least = bits.clone();
    for (rule, &(left, right)) in model.rules().iter().enumerate() {
        let symbol = values + rule;
        let parts = least[usize::from(left)] + least[usize::from(right)];
        let saved = uses[symbol] as f32 * (parts - bits[symbol]);
        if saved < rule_bits {
            worth[symbol] = None;
            least[symbol] = parts;
        }
    }
    worth
}

/// Bits for so many symbols that can all be told apart.
fn flat(symbols: usize) -> Vec<u8> {
    vec![(usize::BITS - (symbols - 1).leading_zeros()).max(1) as u8; symbols]
}

/// Drops the rules that are not used, puts the others in order, and makes the code.
fn finish(model: Model, uses: Vec<u32>, pieces: &[Vec<u16>]) -> Result<(Model, f64), TableError> {
    let (max_code, rules) = model.into_rules();
    let values = usize::from(max_code) + 1;
    let mut is_needed: Vec<bool> = uses.iter().map(|&uses| uses > 0).collect();
    for (rule, &(left, right)) in rules.iter().enumerate().rev() {
        if is_needed[values + rule] {
            (is_needed[usize::from(left)], is_needed[usize::from(right)]) = (true, true);
        }
    }
    // Rules in the order of their left parts take fewer bits. Numbers and order depend on each
    // other: each turn puts those rules in place whose left parts are.
    let mut kept: Vec<usize> = (0..rules.len()).filter(|&rule| is_needed[values + rule]).collect();
    let mut number: Vec<u16> = (0..uses.len() as u16).collect();
    loop {
        for (place, &rule) in kept.iter().enumerate() {
            number[values + rule] = (values + place) as u16;
        }
        let left = |&rule: &usize| number[usize::from(rules[rule].0)];
        if kept.is_sorted_by_key(left) {
            break;
        }
        kept.sort_by_key(left);
    }
    let mut new_uses = uses[..values].to_vec();
    new_uses.extend(kept.iter().map(|&rule| uses[values + rule]));
    // Every value can be met in what was not in the sample, and so can rare phrases.
    new_uses[..values].iter_mut().for_each(|uses| *uses = (*uses).max(1));
    let bits = code_bits(&new_uses);
    let sum: u64 = new_uses.iter().zip(&bits).map(|(&n, &b)| u64::from(n) * u64::from(b)).sum();
    let len: usize = pieces.iter().map(Vec::len).sum();
    let renamed = |&rule: &usize| {
        let (left, right) = rules[rule];
        (number[usize::from(left)], number[usize::from(right)])
    };
    let rules = kept.iter().map(renamed).collect();
    Ok((Model::new(max_code, rules, bits)?, sum as f64 / len.max(1) as f64))
}

/// Pairs become symbols as long as that saves anything.
fn pairs(pieces: &[Vec<u16>], max_code: u16) -> Vec<(u16, u16)> {
    let values = usize::from(max_code) + 1;
    let mut text: Vec<u16> = Vec::new();
    for piece in pieces {
        text.extend_from_slice(piece);
        text.push(GAP);
    }
    let mut rules: Vec<(u16, u16)> = Vec::new();
    let mut lens = vec![1u32; values];
    while rules.len() < MAX_RULES {
        let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
        let mut at = 0;
        while at + 1 < text.len() {
            let (left, right) = (text[at], text[at + 1]);
            if left != GAP
                && right != GAP
                && lens[usize::from(left)] + lens[usize::from(right)] <= MAX_PHRASE
            {
                *counts.entry(u32::from(left) << 16 | u32::from(right)).or_default() += 1;
                // Three like symbols hold one pair.
                at += usize::from(left == right && text.get(at + 2) == Some(&left));
            }
            at += 1;
        }
        let mut frequent: Vec<(Reverse<u32>, u32)> = counts
            .into_iter()
            .filter(|&(_, uses)| uses >= MIN_USES)
            .map(|(pair, uses)| (Reverse(uses), pair))
            .collect();
        frequent.sort_unstable();
        let Some(&(Reverse(most), _)) = frequent.first() else { break };
        let room = (MAX_RULES - rules.len()).min(64.max(lens.len() / 8));
        let mut new: FxHashMap<u32, u16> = FxHashMap::default();
        let (mut lefts, mut rights) = (FxHashSet::default(), FxHashSet::default());
        for (Reverse(uses), pair) in frequent {
            if new.len() == room || f64::from(uses) < f64::from(most) * PASS {
                break;
            }
            let (left, right) = ((pair >> 16) as u16, pair as u16);
            // Pairs that can overlap would be replaced less often than they were counted.
            if rights.contains(&left)
                || lefts.contains(&right)
                || left == right && lefts.contains(&left)
            {
                continue;
            }
            new.insert(pair, lens.len() as u16);
            lens.push(lens[usize::from(left)] + lens[usize::from(right)]);
            rules.push((left, right));
            lefts.insert(left);
            rights.insert(right);
        }
        let (mut from, mut to) = (0, 0);
        while from < text.len() {
            let next = text.get(from + 1).copied().unwrap_or(GAP);
            match new.get(&(u32::from(text[from]) << 16 | u32::from(next))) {
                Some(&symbol) => {
                    text[to] = symbol;
                    from += 2;
                }
                None => {
                    text[to] = text[from];
                    from += 1;
                }
            }
            to += 1;
        }
        text.truncate(to);
    }
    rules
}

/// Bits of the codes of symbols that are used so often (Huffman's), at most [`MAX_CODE_BITS`]; 0
/// for symbols that are not used.
fn code_bits(uses: &[u32]) -> Vec<u8> {
    let mut weights: Vec<u64> = uses.iter().map(|&uses| uses.into()).collect();
    loop {
        let used = weights.iter().enumerate().filter(|&(_, &weight)| weight > 0);
        let mut heap: BinaryHeap<Reverse<(u64, usize)>> =
            used.map(|(symbol, &weight)| Reverse((weight, symbol))).collect();
        let mut parents = vec![usize::MAX; weights.len()];
        if heap.len() == 1 {
            return weights.iter().map(|&weight| u8::from(weight > 0)).collect();
        }
        while let (Some(Reverse(a)), Some(Reverse(b))) = (heap.pop(), heap.pop()) {
            let parent = parents.len();
            parents.push(usize::MAX);
            (parents[a.1], parents[b.1]) = (parent, parent);
            if heap.is_empty() {
                break;
            }
            heap.push(Reverse((a.0 + b.0, parent)));
        }
        // Parents have greater numbers.
        let mut depths = vec![0u32; parents.len()];
        for node in (0..parents.len()).rev() {
            if parents[node] != usize::MAX {
                depths[node] = depths[parents[node]] + 1;
            }
        }
        depths.truncate(weights.len());
        if depths.iter().all(|&depth| depth <= MAX_CODE_BITS) {
            return depths.into_iter().map(|depth| depth as u8).collect();
        }
        // Rare symbols are taken to be less rare until all codes are short enough.
        weights.iter_mut().for_each(|weight| *weight = weight.div_ceil(2));
    }
}
