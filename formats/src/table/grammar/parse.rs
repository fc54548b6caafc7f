//! Writing values as phrases. Places that need no value match every phrase.

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::model::Model;
use crate::table::DONT_CARE;

/// How hard to look for the symbols that take the fewest bits. (On all 4-piece slices of Russian
/// draughts, [`Effort::MIDDLE`] makes tables 3 % smaller than [`Effort::QUICK`] in three times the
/// time, [`Effort::THOROUGH`] 6 % in ten times.)
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

/// The phrases that have codes, as a tree in which phrases with the same beginning share it.
#[derive(Debug)]
pub(super) struct Phrases {
    /// All phrases after each other.
    text: Vec<u16>,
    /// The first is the root, whose label is empty.
    nodes: Vec<Node>,
    /// Bits of each symbol's code.
    bits: Vec<f32>,
}

#[derive(Clone, Debug)]
struct Node {
    /// The part of the text between the parent and this node.
    label: (u32, u32),
    child: Option<u32>,
    sibling: Option<u32>,
    /// The symbol whose phrase ends here.
    symbol: Option<u16>,
}

/// Room for a walk through the tree, and what it found: lengths and symbols.
#[derive(Default)]
pub(super) struct Scratch {
    open: Vec<(u32, usize)>,
    found: Vec<(usize, u16)>,
    /// Places to go on from, with the bits that lead there.
    front: VecDeque<(usize, f32)>,
    /// Of each place, the symbol that leads there and where it begins.
    steps: Vec<(u16, usize)>,
}

impl Phrases {
    /// The phrases of a model with the bits that each symbol takes; none for symbols that are
    /// not to be used.
    pub(super) fn new(model: &Model, bits: impl Fn(usize) -> Option<f32>) -> Phrases {
        let root = Node { label: (0, 0), child: None, sibling: None, symbol: None };
        let mut tree = Phrases { text: Vec::new(), nodes: vec![root], bits: Vec::new() };
        for (symbol, phrase) in model.phrases().into_iter().enumerate() {
            let bits = bits(symbol);
            tree.bits.push(bits.unwrap_or(f32::MAX));
            if bits.is_some() {
                tree.add(symbol as u16, &phrase);
            }
        }
        tree
    }

    fn label(&self, node: u32) -> &[u16] {
        let (start, end) = self.nodes[node as usize].label;
        &self.text[start as usize..end as usize]
    }

    fn children(&self, node: u32) -> impl Iterator<Item = u32> {
        let next = |&node: &u32| self.nodes[node as usize].sibling;
        std::iter::successors(self.nodes[node as usize].child, next)
    }

    fn new_child(&mut self, parent: u32, label: (u32, u32)) -> u32 {
        let sibling = self.nodes[parent as usize].child;
        self.nodes.push(Node { label, child: None, sibling, symbol: None });
        let node = self.nodes.len() as u32 - 1;
        self.nodes[parent as usize].child = Some(node);
        node
    }

    fn add(&mut self, symbol: u16, phrase: &[u16]) {
        let start = self.text.len() as u32;
        let end = start + phrase.len() as u32;
        self.text.extend_from_slice(phrase);
        let (mut node, mut at) = (0, start);
        while at < end {
            let next = self.text[at as usize];
            let Some(child) = self.children(node).find(|&child| self.label(child)[0] == next)
            else {
                node = self.new_child(node, (at, end));
                break;
            };
            let same = self
                .label(child)
                .iter()
                .zip(&self.text[at as usize..end as usize])
                .take_while(|(a, b)| a == b)
                .count() as u32;
            at += same;
            let (label_start, label_end) = self.nodes[child as usize].label;
            if label_start + same < label_end {
                // The child keeps its number and becomes the upper part; what was below it goes
                // to a new node.
                let middle = label_start + same;
                let old = self.nodes[child as usize].clone();
                self.nodes.push(Node { label: (middle, label_end), sibling: None, ..old });
                let lower = self.nodes.len() as u32 - 1;
                let upper = &mut self.nodes[child as usize];
                upper.label = (label_start, middle);
                (upper.child, upper.symbol) = (Some(lower), None);
            }
            node = child;
        }
        self.nodes[node as usize].symbol = Some(symbol);
    }

    /// Finds all phrases that a text can begin with. A phrase that reaches beyond the text
    /// matches where it begins with the text.
    fn find(&self, text: &[u16], scratch: &mut Scratch) {
        let Scratch { open, found, .. } = scratch;
        found.clear();
        open.push((0, 0));
        while let Some((node, at)) = open.pop() {
            let label = self.label(node);
            let matches = |(a, b): (&u16, &u16)| a == b || *b == DONT_CARE;
            if !label.iter().zip(&text[at..]).all(matches) {
                continue;
            }
            let end = at + label.len();
            if let Some(symbol) = self.nodes[node as usize].symbol {
                found.push((end, symbol));
            }
            if end >= text.len() {
                // Phrases below this node do no more than its own, if it has one.
                if self.nodes[node as usize].symbol.is_none() {
                    open.extend(self.children(node).map(|child| (child, text.len())));
                }
                continue;
            }
            let next = text[end];
            for child in self.children(node) {
                if next == DONT_CARE || self.label(child)[0] == next {
                    open.push((child, end));
                }
            }
        }
    }

    /// Writes values as the symbols that take about the fewest bits. There must be a symbol for
    /// every single value.
    ///
    pub(super) fn parse(&self, values: &[u16], effort: Effort, scratch: &mut Scratch) -> Vec<u16> {
        let Scratch { mut front, mut steps, .. } = std::mem::take(scratch);
        steps.clear();
        steps.resize(values.len() + 1, (0, 0));
        front.clear();
        front.push_back((0, 0.0));
        while let Some((at, so_far)) = front.pop_front() {
            if at == values.len() {
                break;
            }
            self.find(&values[at..], scratch);
            let found = &mut scratch.found;
            found.sort_unstable_by_key(|&(len, _)| Reverse(len));
            let (mut tried, mut last) = (0, 0);
            for &(len, symbol) in found.iter() {
                // Phrases of one length, which differ where no value is needed, count once.
                tried += usize::from(len != last);
                last = len;
                if tried > effort.tried {
                    break;
                }
                let to = values.len().min(at + len);
                let bits = so_far + self.bits[usize::from(symbol)];
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
