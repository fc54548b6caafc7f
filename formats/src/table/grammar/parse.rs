//! Writing values as phrases. Places that need no value match every phrase.

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::model::Model;
use crate::table::DONT_CARE;

/// How hard to look for the symbols that take the fewest bits. (Of international draughts' KMMvKK,
/// [`Effort::MIDDLE`] makes a table that is 6 % smaller than [`Effort::QUICK`] does, and writes it in
/// 1.5 times the time; a compact one is 8 % smaller with [`Effort::THOROUGH`].)
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::table) struct Effort {
    /// Phrases that are tried at a place, the longest first.
    tried: usize,
    /// A place is not looked at where another one further on is reached with so many bits less.
    slack_bits: f32,
}

impl Effort {
    pub(in crate::table) const QUICK: Effort = Effort { tried: 5, slack_bits: 0.0 };
    pub(in crate::table) const MIDDLE: Effort = Effort { tried: 5, slack_bits: 1.0 };
    pub(in crate::table) const THOROUGH: Effort = Effort { tried: 8, slack_bits: 4.0 };
}

/// Values of which two bits each fill a word.
const WORD: usize = 64;
/// Phrases that are looked at together.
const GROUP: usize = 512;

/// The phrases that have codes, the longest first, and of those with one length that with the fewest
/// bits.
#[derive(Debug)]
pub(super) struct Phrases {
    phrases: Vec<Phrase>,
    /// The values of all phrases, each beginning with a new word: the lower bits of 64 values, and
    /// the upper ones of the last two.
    words: Vec<[u64; 2]>,
    /// For each of the first places of a phrase and each value of two bits, which phrases can have
    /// it there, group by group.
    fitting: Vec<[u64; GROUP / 64]>,
    /// The values themselves, where two bits are too few for a value.
    values: Vec<Vec<u16>>,
    /// The fewest bits of a symbol.
    least_bits: f32,
}

#[derive(Debug)]
struct Phrase {
    len: u32,
    /// Where its words begin.
    words: u32,
    bits: f32,
    symbol: u16,
}

/// A phrase that fits: its values, as far as there is text, its bits and its symbol.
#[derive(Clone, Copy)]
struct Found {
    len: usize,
    bits: f32,
    symbol: u16,
}

/// Room for the parsing of a text.
#[derive(Default)]
pub(super) struct Scratch {
    /// The lower bits of 64 values, the upper ones, and where a value is needed.
    planes: Vec<[u64; 3]>,
    found: Vec<Found>,
    /// Places to go on from, with the bits that lead there.
    front: VecDeque<(usize, f32)>,
    /// Of each place, the symbol that leads there and where it begins.
    steps: Vec<(u16, usize)>,
}

impl Scratch {
    fn set_planes(&mut self, values: &[u16]) {
        self.planes.clear();
        self.planes.extend(values.chunks(WORD).map(planes));
    }

    /// The planes from a place on, where no value is needed after the end.
    #[inline]
    fn planes_at(&self, place: usize) -> [u64; 3] {
        let (word, shift) = (place / WORD, place % WORD);
        let at = |word: usize| self.planes.get(word).copied().unwrap_or_default();
        let (low, high) = (at(word), at(word + 1));
        std::array::from_fn(|plane| low[plane] >> shift | (high[plane] << 1) << (WORD - 1 - shift))
    }
}

/// The planes of up to 64 values.
fn planes(values: &[u16]) -> [u64; 3] {
    let mut planes = [0; 3];
    for (place, &value) in values.iter().enumerate() {
        let is_needed = u64::from(value != DONT_CARE);
        planes[0] |= (u64::from(value & 1) & is_needed) << place;
        planes[1] |= (u64::from(value >> 1 & 1) & is_needed) << place;
        planes[2] |= is_needed << place;
    }
    planes
}

impl Phrases {
    /// The phrases of a model with the bits that each symbol takes; none for symbols that are
    /// not to be used.
    pub(super) fn new(model: &Model, bits: impl Fn(usize) -> Option<f32>) -> Phrases {
        let texts = model.phrases();
        let is_wide = texts.len() - model.rules().len() > 4;
        let mut used: Vec<(usize, f32)> =
            (0..texts.len()).filter_map(|symbol| Some((symbol, bits(symbol)?))).collect();
        used.sort_unstable_by(|a, b| {
            let len = |symbol: usize| Reverse(texts[symbol].len());
            (len(a.0).cmp(&len(b.0))).then(a.1.total_cmp(&b.1)).then(a.0.cmp(&b.0))
        });
        let groups = used.len().div_ceil(GROUP);
        let mut fitting = vec![[0; GROUP / 64]; groups * WORD * 4];
        let (mut words, mut phrases, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for (number, &(symbol, bits)) in used.iter().enumerate() {
            let text = &texts[symbol];
            phrases.push(Phrase {
                len: text.len() as u32,
                words: words.len() as u32,
                bits,
                symbol: symbol as u16,
            });
            words.extend(text.chunks(WORD).map(|values| {
                let [low, high, _] = planes(values);
                [low, high]
            }));
            for place in 0..WORD {
                for value in 0..4 {
                    if text.get(place).is_none_or(|&own| own % 4 == value) {
                        let row = row(place, value.into(), number / GROUP, groups);
                        fitting[row][number % GROUP / 64] |= 1 << (number % 64);
                    }
                }
            }
            if is_wide {
                values.push(text.clone());
            }
        }
        let least_bits = used.iter().map(|&(_, bits)| bits).fold(f32::MAX, f32::min);
        Phrases { phrases, words, fitting, values, least_bits }
    }

    /// Finds the longest phrases that the text from a place on can begin with, `tried` of different
    /// lengths, and of those with one length that with the fewest bits; but none shorter than
    /// `least`. A phrase that reaches beyond the text matches where it begins with the text.
    fn find(&self, text: &[u16], at: usize, least: usize, tried: usize, scratch: &mut Scratch) {
        let len = text.len() - at;
        let [low, high, mut care] = scratch.planes_at(at);
        let groups = self.phrases.len().div_ceil(GROUP);
        let (mut rows, mut places) = ([0; WORD], 0);
        while care != 0 {
            let place = care.trailing_zeros();
            care &= care - 1;
            let value = low >> place & 1 | (high >> place & 1) << 1;
            rows[places] = row(place as usize, value as usize, 0, groups);
            places += 1;
        }
        scratch.found.clear();
        for (group, phrases) in self.phrases.chunks(GROUP).enumerate() {
            if (phrases[0].len as usize).min(len) < least {
                return;
            }
            let mut fit = [u64::MAX; GROUP / 64];
            for row in &rows[..places] {
                let fitting = &self.fitting[row + group];
                fit = std::array::from_fn(|word| fit[word] & fitting[word]);
                if fit.iter().fold(0, |any, word| any | word) == 0 {
                    break;
                }
            }
            for (word, mut fit) in fit.into_iter().enumerate() {
                while fit != 0 {
                    let number = word * 64 + fit.trailing_zeros() as usize;
                    fit &= fit - 1;
                    // The last group is not full.
                    let Some(phrase) = phrases.get(number) else { return };
                    let own = (phrase.len as usize).min(len);
                    let last = scratch.found.last().map_or(usize::MAX, |found| found.len);
                    if own < least || own < last && scratch.found.len() == tried {
                        return;
                    }
                    if !self.matches(group * GROUP + number, text, at, scratch) {
                        continue;
                    }
                    let found = Found { len: own, bits: phrase.bits, symbol: phrase.symbol };
                    match scratch.found.last_mut() {
                        Some(last) if last.len == own => {
                            if found.bits < last.bits {
                                *last = found;
                            }
                        }
                        _ => scratch.found.push(found),
                    }
                }
            }
        }
    }

    /// Whether a phrase that has what the text has in the first places has it everywhere.
    #[inline]
    fn matches(&self, number: usize, text: &[u16], at: usize, scratch: &Scratch) -> bool {
        let phrase = &self.phrases[number];
        let len = phrase.len as usize;
        for word in 1..len.div_ceil(WORD) {
            let [low, high] = self.words[phrase.words as usize + word];
            let [text_low, text_high, care] = scratch.planes_at(at + word * WORD);
            let differ = ((low ^ text_low) | (high ^ text_high)) & care;
            if differ << (WORD - (len - word * WORD).min(WORD)) != 0 {
                return false;
            }
        }
        let Some(values) = self.values.get(number) else { return true };
        values.iter().zip(&text[at..]).all(|(a, b)| a == b || *b == DONT_CARE)
    }

    /// Writes values as the symbols that take about the fewest bits. There must be a symbol for
    /// every single value.
    pub(super) fn parse(&self, values: &[u16], effort: Effort, scratch: &mut Scratch) -> Vec<u16> {
        scratch.set_planes(values);
        let (mut front, mut steps) =
            (std::mem::take(&mut scratch.front), std::mem::take(&mut scratch.steps));
        steps.clear();
        steps.resize(values.len() + 1, (0, 0));
        front.clear();
        front.push_back((0, 0.0));
        while let Some((at, so_far)) = front.pop_front() {
            if at == values.len() {
                break;
            }
            // What is worse than a place further on that is reached already is of no use.
            let bits = so_far + self.least_bits;
            let is_better = |&&(_, other): &&(usize, f32)| other + effort.slack_bits <= bits;
            let least = front.iter().rev().find(is_better).map_or(0, |&(place, _)| place - at + 1);
            self.find(values, at, least, effort.tried, scratch);
            for &Found { len, bits, symbol } in &scratch.found {
                let to = at + len;
                let bits = so_far + bits;
                let place = front.partition_point(|&(other, _)| other < to);
                let is_same = front.get(place).is_some_and(|&(other, _)| other == to);
                if is_same && front[place].1 <= bits
                    || front.iter().skip(place).any(|&(_, other)| other + effort.slack_bits <= bits)
                {
                    continue;
                }
                if is_same {
                    front[place].1 = bits;
                } else {
                    front.insert(place, (to, bits));
                }
                front.retain(|&(other, others)| other >= to || others < bits + effort.slack_bits);
                steps[to] = (symbol, at);
            }
        }
        let mut symbols = Vec::new();
        let mut at = values.len();
        // The caller sees where no symbols lead to the end.
        while at > 0 {
            let (symbol, from) = steps[at];
            if from == at {
                break;
            }
            symbols.push(symbol);
            at = from;
        }
        symbols.reverse();
        (scratch.front, scratch.steps) = (front, steps);
        symbols
    }
}

/// Where the phrases of a group are that can have a value in a place.
fn row(place: usize, value: usize, group: usize, groups: usize) -> usize {
    (place * 4 + value) * groups + group
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Values that are often the same for long, and those that are not needed.
    fn values(max_code: u16) -> impl Strategy<Value = Vec<u16>> {
        let run = (prop_oneof![2 => 0..=max_code, 1 => Just(DONT_CARE)], 1..90usize);
        prop::collection::vec(run, 1..12).prop_map(|runs| {
            runs.into_iter().flat_map(|(value, len)| std::iter::repeat_n(value, len)).collect()
        })
    }

    /// A model with rules of any two symbols that are not longer than a text.
    fn model(max_code: u16) -> impl Strategy<Value = Model> {
        prop::collection::vec((any::<u16>(), any::<u16>()), 0..900).prop_map(move |pairs| {
            let values = usize::from(max_code) + 1;
            let mut lens = vec![1; values];
            let mut rules = Vec::new();
            for (left, right) in pairs {
                // Many rules with what came last: long phrases.
                let symbol = |any: u16| {
                    let back = if any.is_multiple_of(2) { 8 } else { lens.len() };
                    lens.len() - 1 - usize::from(any / 2) % back.min(lens.len())
                };
                let (left, right) = (symbol(left), symbol(right));
                if lens[left] + lens[right] < 400 {
                    rules.push((left as u16, right as u16));
                    lens.push(lens[left] + lens[right]);
                }
            }
            let bits = vec![13; lens.len()];
            Model::new(max_code, rules, bits).expect("a model")
        })
    }

    /// All phrases one by one: of each length the fewest bits.
    fn plain(
        model: &Model,
        bits: impl Fn(usize) -> Option<f32>,
        text: &[u16],
    ) -> BTreeMap<usize, f32> {
        let mut fit = BTreeMap::new();
        for (symbol, phrase) in model.phrases().into_iter().enumerate() {
            let Some(bits) = bits(symbol) else { continue };
            if phrase.iter().zip(text).all(|(a, b)| a == b || *b == DONT_CARE) {
                let least = fit.entry(phrase.len().min(text.len())).or_insert(bits);
                *least = bits.min(*least);
            }
        }
        fit
    }

    fn finds_what_fits(
        model: &Model,
        text: &[u16],
        least: usize,
        tried: usize,
    ) -> Result<(), TestCaseError> {
        // Some are not to be used, and many differ in bits.
        let bits = |symbol: usize| {
            (symbol < 3 || !symbol.is_multiple_of(5)).then_some((symbol * 7 % 11) as f32 + 1.0)
        };
        let phrases = Phrases::new(model, bits);
        let texts = model.phrases();
        let mut scratch = Scratch::default();
        scratch.set_planes(text);
        for at in (0..text.len()).step_by(7) {
            phrases.find(text, at, least, tried, &mut scratch);
            let expected = plain(model, bits, &text[at..]);
            let longest: Vec<(usize, f32)> =
                expected.into_iter().rev().filter(|&(len, _)| len >= least).take(tried).collect();
            let found: Vec<(usize, f32)> =
                scratch.found.iter().map(|found| (found.len, found.bits)).collect();
            prop_assert_eq!(found, longest);
            for found in &scratch.found {
                let symbol = usize::from(found.symbol);
                prop_assert_eq!(Some(found.bits), bits(symbol));
                prop_assert_eq!(found.len, texts[symbol].len().min(text.len() - at));
            }
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn the_longest_phrases_are_found(
            (model, text) in (model(2), values(2)), least in 0..20usize, tried in 1..9usize,
        ) {
            finds_what_fits(&model, &text, least, tried)?;
        }

        #[test]
        fn values_of_many_bits_are_told_apart(
            (model, text) in (model(9), values(9)), least in 0..20usize, tried in 1..9usize,
        ) {
            finds_what_fits(&model, &text, least, tried)?;
        }

        #[test]
        fn a_text_is_its_symbols_phrases((model, text) in (model(2), values(2))) {
            let texts = model.phrases();
            for effort in [Effort::QUICK, Effort::MIDDLE, Effort::THOROUGH] {
                let phrases = Phrases::new(&model, |_| Some(10.0));
                let symbols = phrases.parse(&text, effort, &mut Scratch::default());
                let written: Vec<u16> =
                    symbols.iter().flat_map(|&symbol| &texts[usize::from(symbol)]).copied().collect();
                prop_assert!(written.len() >= text.len());
                for (a, b) in written.iter().zip(&text) {
                    prop_assert!(a == b || *b == DONT_CARE);
                }
            }
        }
    }
}
