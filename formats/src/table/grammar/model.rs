//! What symbols mean: phrases of values, and the codes of symbols.

use super::bits::{BitReader, BitWriter};
use crate::table::TableError;
use crate::table::error::check;

/// The greatest number of rules of a model.
pub(super) const MAX_RULES: usize = 4096;
/// The greatest number of values of a phrase.
pub(super) const MAX_PHRASE: u32 = 1 << 15;
/// The greatest number of bits of a code.
pub(super) const MAX_CODE_BITS: u32 = 15;

/// The symbols of a section. A symbol less than the number of values stands for that value; each
/// further one for the phrase of its rule: two symbols after each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::table) struct Model {
    /// Number of values.
    values: u16,
    rules: Box<[(u16, u16)]>,
    /// Bits of each symbol's code; 0 where it has none.
    bits: Box<[u8]>,
    /// Values in each symbol's phrase.
    lens: Box<[u16]>,
    /// The one value of each phrase that has only one; [`MIXED`] otherwise.
    uniform: Box<[u16]>,
    code: Code,
}

const MIXED: u16 = u16::MAX;

/// A canonical prefix code: codes with fewer bits first, then lower symbols.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Code {
    /// Symbols in the order of their codes.
    symbols: Box<[u16]>,
    /// For each number of bits, the code after the last one, shifted to 16 bits.
    ends: [u32; MAX_CODE_BITS as usize + 2],
    /// For each number of bits, what is added to a code to get the place of its symbol.
    places: [i32; MAX_CODE_BITS as usize + 1],
    /// The least number of bits of a code, by the first eight bits.
    start: [u8; 256],
}

impl Code {
    /// None where so many codes do not exist.
    fn new(bits: &[u8]) -> Option<Code> {
        let mut counts = [0u32; MAX_CODE_BITS as usize + 1];
        for &bits in bits {
            counts[usize::from(bits)] += 1;
        }
        counts[0] = 0;
        let mut symbols: Vec<u16> =
            (0..bits.len() as u16).filter(|&symbol| bits[usize::from(symbol)] > 0).collect();
        symbols.sort_by_key(|&symbol| bits[usize::from(symbol)]);
        let mut ends = [0; MAX_CODE_BITS as usize + 2];
        let mut places = [0; MAX_CODE_BITS as usize + 1];
        let (mut code, mut place) = (0u32, 0);
        for len in 1..counts.len() {
            code <<= 1;
            places[len] = place - code as i32;
            code += counts[len];
            place += counts[len] as i32;
            if code > 1 << len {
                return None;
            }
            ends[len] = code << (16 - len);
        }
        // A window that is no code ends here.
        ends[MAX_CODE_BITS as usize + 1] = u32::MAX;
        let mut start = [0; 256];
        for (first, start) in start.iter_mut().enumerate() {
            let is_before = |&len: &usize| (first as u32) << 8 < ends[len];
            *start = (1..ends.len()).find(is_before).unwrap_or(ends.len() - 1) as u8;
        }
        Some(Code { symbols: symbols.into(), ends, places, start })
    }

    /// The next symbol.
    #[inline]
    fn next(&self, bits: &mut BitReader) -> Option<u16> {
        let window = (bits.window() >> 48) as u32;
        let mut len = usize::from(self.start[(window >> 8) as usize]);
        while window >= self.ends[len] {
            len += 1;
        }
        let place = *self.places.get(len)? + (window >> (16 - len)) as i32;
        bits.skip(len as u32);
        self.symbols.get(place as usize).copied()
    }
}

impl Model {
    /// A model for values up to `max_code`.
    ///
    /// # Errors
    /// [`TableError::Damaged`] where rules go round in a circle, a phrase is too long, or there is
    /// no code with so many bits.
    pub(super) fn new(
        max_code: u16,
        rules: Vec<(u16, u16)>,
        bits: Vec<u8>,
    ) -> Result<Model, TableError> {
        let damaged = |found: &str| TableError::damaged("a model", "sound rules", found);
        let values = max_code + 1;
        let symbols = usize::from(values) + rules.len();
        check("the number of codes of a model", symbols, bits.len())?;
        let mut lens = vec![0u32; symbols];
        let mut uniform = vec![MIXED; symbols];
        for value in 0..values {
            (lens[usize::from(value)], uniform[usize::from(value)]) = (1, value);
        }
        // Each rule after those that it rests on, whatever order they are in. A rule that is met
        // again while it is open rests on itself.
        let mut is_open = vec![false; symbols];
        let mut todo: Vec<usize> = (usize::from(values)..symbols).rev().collect();
        while let Some(&symbol) = todo.last() {
            if lens[symbol] > 0 {
                todo.pop();
                continue;
            }
            let (left, right) = rules[symbol - usize::from(values)];
            let parts = [usize::from(left), usize::from(right)];
            if parts.iter().any(|&part| part >= symbols) {
                return Err(damaged("an unknown symbol"));
            }
            let unknown = parts.iter().filter(|&&part| lens[part] == 0);
            let before = todo.len();
            for &part in unknown {
                if is_open[part] || part == symbol {
                    return Err(damaged("a circle"));
                }
                todo.push(part);
            }
            if todo.len() > before {
                is_open[symbol] = true;
                continue;
            }
            todo.pop();
            is_open[symbol] = false;
            lens[symbol] = lens[parts[0]] + lens[parts[1]];
            if lens[symbol] > MAX_PHRASE {
                return Err(damaged("a long phrase"));
            }
            if uniform[parts[0]] == uniform[parts[1]] {
                uniform[symbol] = uniform[parts[0]];
            }
        }
        let code = Code::new(&bits).ok_or_else(|| damaged("more codes than there can be"))?;
        Ok(Model {
            values,
            rules: rules.into(),
            bits: bits.into(),
            lens: lens.into_iter().map(|len| len as u16).collect(),
            uniform: uniform.into(),
            code,
        })
    }

    /// Number of bits of a symbol that can be named in a rule.
    fn symbol_bits(values: u16, rules: usize) -> u32 {
        usize::BITS - (usize::from(values) + rules - 1).leading_zeros()
    }

    /// The bytes in a file. Rules must be in the order of their left parts.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut out = BitWriter::default();
        out.put(self.rules.len() as u32, 16);
        let mut at = 0;
        for &(left, _) in &self.rules {
            while at < left {
                out.put(0, 1);
                at += 1;
            }
            out.put(1, 1);
        }
        let width = Model::symbol_bits(self.values, self.rules.len());
        self.rules.iter().for_each(|&(_, right)| out.put(right.into(), width));
        self.bits.iter().for_each(|&bits| out.put(bits.into(), 4));
        out.finish()
    }

    /// # Errors
    /// [`TableError::Damaged`].
    pub(in crate::table) fn from_bytes(bytes: &[u8], max_code: u16) -> Result<Model, TableError> {
        let damaged = |found: &str| TableError::damaged("a model", "rules and codes", found);
        let mut reader = BitReader::new(bytes);
        let count = reader.take(16) as usize;
        let values = max_code + 1;
        if count > MAX_RULES {
            return Err(damaged("too many rules"));
        }
        let symbols = count + usize::from(values);
        let mut lefts = Vec::with_capacity(count);
        let mut at = 0;
        while lefts.len() < count {
            if reader.take(1) == 1 {
                lefts.push(at);
            } else {
                at += 1;
                if usize::from(at) >= symbols {
                    return Err(damaged("an unknown symbol"));
                }
            }
        }
        let width = Model::symbol_bits(values, count);
        let rules = lefts.into_iter().map(|left| (left, reader.take(width) as u16)).collect();
        let bits = (0..symbols).map(|_| reader.take(4) as u8).collect();
        if !reader.is_at_end() {
            return Err(damaged("another length"));
        }
        Model::new(max_code, rules, bits)
    }

    /// The value at a place of a sub-block; none where the bytes hold none.
    #[inline]
    pub(in crate::table) fn value(&self, stored: &[u8], place: u64) -> Option<u16> {
        let mut place = u32::try_from(place).ok()?;
        let mut bits = BitReader::new(stored);
        let mut symbol = loop {
            let symbol = self.code.next(&mut bits)?;
            let len = u32::from(*self.lens.get(usize::from(symbol))?);
            if place < len {
                break symbol;
            }
            place -= len;
            if bits.is_over() {
                return None;
            }
        };
        if bits.is_over() {
            return None;
        }
        // Down the rules to the value. Lengths add up, so this ends.
        while self.uniform[usize::from(symbol)] == MIXED {
            let (left, right) = self.rules[usize::from(symbol - self.values)];
            let len = u32::from(self.lens[usize::from(left)]);
            if place < len {
                symbol = left;
            } else {
                place -= len;
                symbol = right;
            }
        }
        Some(self.uniform[usize::from(symbol)])
    }

    /// All values of a sub-block; none where the bytes do not hold just them.
    pub(in crate::table) fn decode(&self, stored: &[u8], out: &mut [u16]) -> Option<()> {
        let mut bits = BitReader::new(stored);
        let mut at = 0;
        let mut open = Vec::new();
        while at < out.len() {
            open.push(self.code.next(&mut bits)?);
            while let Some(symbol) = open.pop() {
                let value = self.uniform[usize::from(symbol)];
                if value != MIXED {
                    let end = (at + usize::from(self.lens[usize::from(symbol)])).min(out.len());
                    out[at..end].fill(value);
                    at = end;
                } else {
                    let (left, right) = self.rules[usize::from(symbol - self.values)];
                    open.extend([right, left]);
                }
            }
        }
        bits.is_at_end().then_some(())
    }

    /// The symbols' phrases, in the order of symbols.
    pub(super) fn phrases(&self) -> Vec<Vec<u16>> {
        let mut open = Vec::new();
        (0..self.lens.len() as u16)
            .map(|symbol| {
                let mut phrase = Vec::with_capacity(self.lens[usize::from(symbol)].into());
                open.push(symbol);
                while let Some(symbol) = open.pop() {
                    match symbol.checked_sub(self.values) {
                        None => phrase.push(symbol),
                        Some(rule) => {
                            let (left, right) = self.rules[usize::from(rule)];
                            open.extend([right, left]);
                        }
                    }
                }
                phrase
            })
            .collect()
    }

    /// The greatest value and the rules.
    pub(super) fn into_rules(self) -> (u16, Box<[(u16, u16)]>) {
        (self.values - 1, self.rules)
    }

    /// The rules, each a symbol after those of the values.
    pub(super) fn rules(&self) -> &[(u16, u16)] {
        &self.rules
    }

    /// Bits of each symbol's code.
    pub(super) fn bits(&self) -> &[u8] {
        &self.bits
    }

    /// Writes symbols that all have codes.
    pub(super) fn write(&self, symbols: &[u16]) -> Vec<u8> {
        let mut codes = vec![0u32; self.bits.len()];
        for (place, &symbol) in self.code.symbols.iter().enumerate() {
            let bits = usize::from(self.bits[usize::from(symbol)]);
            codes[usize::from(symbol)] = (place as i32 - self.code.places[bits]) as u32;
        }
        let mut out = BitWriter::default();
        for &symbol in symbols {
            out.put(codes[usize::from(symbol)], self.bits[usize::from(symbol)].into());
        }
        out.finish()
    }
}
