//! A solver of the plainest kind, to judge the probe by, and tables written from its values.
//!
//! It knows nothing of tables or of the search of captures: every position of a closure of slices
//! is a node with its moves, captures or not, and values are found by repeated passes.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use damabase_formats::table::{
    Compression, Counts, DONT_CARE, Layout, Metadata, TableInfo, Values, WriteOptions, write_table,
};
use damabase_formats::{Distance, Index, Metric, Slice, TableId, ToMove, Wld};
use damabase_rules::{Move, Position, Rules, Word, can_capture, legal_moves};

/// Where a move leads.
#[derive(Clone, Copy)]
enum To {
    /// To a position of the closure.
    Node(u32),
    /// To one where the opponent has no piece left.
    End,
}

/// Blocks so small that there are many.
pub const SMALL: WriteOptions = WriteOptions {
    layout: Some(Layout::Search),
    compression: Some(Compression::Zstd),
    level: 3,
    block_bytes: 256,
};

pub struct Solved<G: Rules> {
    pub slices: Vec<Slice>,
    pub positions: Vec<Position<G>>,
    number: HashMap<Position<G>, u32>,
    /// Moves of each position, and whether each is a capture or man move.
    moves: Vec<Vec<(To, bool)>>,
    pub dtw: Vec<Distance>,
    pub dtc: Vec<Distance>,
}

impl<G: Rules> Solved<G> {
    /// All positions of all slices up to `pieces`.
    pub fn new(pieces: u32) -> Solved<G> {
        let slices = Slice::closure(&Slice::with_pieces(pieces));
        let mut positions = Vec::new();
        for &slice in &slices {
            for &to_move in slice.sides() {
                let index = Index::<G>::new(slice, to_move);
                positions.extend((0..index.len()).filter_map(|n| index.unrank(n)));
            }
        }
        let number: HashMap<_, _> = positions.iter().copied().zip(0..).collect();
        let moves = positions
            .iter()
            .map(|position| {
                let to = |m: &Move<G::Word>| {
                    let after = position.after(m);
                    let from = G::Word::bit(G::board().bit_of(m.from));
                    let is_exit = !m.is_quiet() || (position.mover.men & from).any();
                    let over = after.mover.all().none();
                    (if over { To::End } else { To::Node(number[&after]) }, is_exit)
                };
                legal_moves(position).iter().map(to).collect()
            })
            .collect();
        let mut solved =
            Solved { slices, positions, number, moves, dtw: Vec::new(), dtc: Vec::new() };
        solved.dtw = solved.layers(|after, _| after.before());
        let dtw = solved.dtw.clone();
        solved.dtc = solved.layers_within(&dtw);
        solved
    }

    pub fn number(&self, position: &Position<G>) -> usize {
        self.number[position] as usize
    }

    /// Values ply by ply: in pass n the positions won and lost in n plies are found.
    fn layers(&self, of_move: impl Fn(Distance, bool) -> Distance) -> Vec<Distance> {
        let mut values: Vec<Option<Distance>> = vec![None; self.positions.len()];
        for plies in 0.. {
            let mut found = Vec::new();
            for (node, moves) in self.moves.iter().enumerate() {
                if values[node].is_some() {
                    continue;
                }
                let known: Vec<Option<Distance>> = moves
                    .iter()
                    .map(|&(to, is_exit)| {
                        let after = match to {
                            To::Node(after) => values[after as usize],
                            To::End => Some(Distance::Loss(0)),
                        };
                        after.map(|after| of_move(after, is_exit))
                    })
                    .collect();
                if known.contains(&Some(Distance::Win(plies))) {
                    found.push((node, Distance::Win(plies)));
                } else if known.iter().all(|v| matches!(v, Some(Distance::Loss(_))))
                    && known.iter().flatten().filter_map(|v| v.plies()).max().unwrap_or(0) == plies
                {
                    found.push((node, Distance::Loss(plies)));
                }
            }
            // No gaps: a value of n plies needs one of n - 1.
            if found.is_empty() && plies > 0 {
                break;
            }
            for (node, value) in found {
                values[node] = Some(value);
            }
        }
        values.into_iter().map(|value| value.unwrap_or(Distance::Draw)).collect()
    }

    /// Distances to the next capture or man move, where it is known who wins.
    fn layers_within(&self, dtw: &[Distance]) -> Vec<Distance> {
        let wld = |to| match to {
            To::Node(after) => dtw[after as usize].wld(),
            To::End => Wld::Loss,
        };
        let mut values: Vec<Option<Distance>> = vec![None; self.positions.len()];
        for plies in 0.. {
            let mut found = Vec::new();
            for (node, moves) in self.moves.iter().enumerate() {
                if values[node].is_some() {
                    continue;
                }
                let of_move = |&(to, is_exit): &(To, bool)| match (wld(to), is_exit) {
                    (Wld::Loss, true) => Some(Distance::Win(1)),
                    (Wld::Win, true) => Some(Distance::Loss(1)),
                    (Wld::Draw, _) => Some(Distance::Draw),
                    (_, false) => match to {
                        To::Node(after) => values[after as usize].map(Distance::before),
                        To::End => None,
                    },
                };
                let known: Vec<Option<Distance>> = moves.iter().map(of_move).collect();
                let longest = known.iter().flatten().filter_map(|v| v.plies()).max().unwrap_or(0);
                match dtw[node].wld() {
                    Wld::Win if known.contains(&Some(Distance::Win(plies))) => {
                        found.push((node, Distance::Win(plies)));
                    }
                    Wld::Loss if known.iter().all(Option::is_some) && longest == plies => {
                        found.push((node, Distance::Loss(plies)));
                    }
                    _ => {}
                }
            }
            if found.is_empty() && plies > 0 {
                break;
            }
            for (node, value) in found {
                values[node] = Some(value);
            }
        }
        for (value, dtw) in values.iter().zip(dtw) {
            assert_eq!(value.is_none(), *dtw == Distance::Draw);
        }
        values.into_iter().map(|value| value.unwrap_or(Distance::Draw)).collect()
    }

    fn code(&self, metric: Metric, node: usize) -> u16 {
        match metric {
            Metric::Wld => self.dtw[node].wld().code(),
            Metric::Dtw => self.dtw[node].code().unwrap(),
            Metric::Dtc => self.dtc[node].code().unwrap(),
            _ => panic!("not solved"),
        }
    }

    /// Writes the tables of all slices by some metrics into `dir`.
    pub fn write(&self, dir: &Path, metrics: &[Metric]) {
        self.write_with(dir, metrics, SMALL);
    }

    /// [`Solved::write`] with options of the caller's choice.
    pub fn write_with(&self, dir: &Path, metrics: &[Metric], options: WriteOptions) {
        for &slice in &self.slices {
            for &metric in metrics {
                self.write_one_with(dir, slice, metric, options);
            }
        }
    }

    #[allow(dead_code)] // not every test needs it
    pub fn write_one(&self, dir: &Path, slice: Slice, metric: Metric) {
        self.write_one_with(dir, slice, metric, SMALL);
    }

    fn write_one_with(&self, dir: &Path, slice: Slice, metric: Metric, options: WriteOptions) {
        let source = Source::<G> {
            solved: self,
            metric,
            indexes: [ToMove::First, ToMove::Second].map(|to_move| Index::new(slice, to_move)),
        };
        let mut info = TableInfo {
            id: TableId::new(G::ID, slice, metric),
            max_code: 0,
            counts: Vec::new(),
            metadata: Metadata::default(),
        };
        for &to_move in slice.sides() {
            let mut counts = Counts::default();
            let index = &source.indexes[to_move as usize];
            for position in (0..index.len()).filter_map(|n| index.unrank(n)) {
                counts.positions += 1;
                let node = self.number(&position);
                match self.dtw[node].wld() {
                    Wld::Win => counts.wins += 1,
                    Wld::Draw => counts.draws += 1,
                    Wld::Loss => counts.losses += 1,
                }
                if !can_capture(&position) {
                    info.max_code = info.max_code.max(self.code(metric, node));
                }
            }
            info.counts.push(counts);
        }
        write_table(&dir.join(G::VARIANT.name), &info, options, &source).unwrap();
    }
}

struct Source<'a, G: Rules> {
    solved: &'a Solved<G>,
    metric: Metric,
    indexes: [Index<G>; 2],
}

impl<G: Rules> Values for Source<'_, G> {
    fn read(&self, to_move: ToMove, range: Range<u64>, out: &mut [u16]) {
        for (n, code) in range.zip(out) {
            *code = match self.indexes[to_move as usize].unrank(n) {
                Some(position) if !can_capture(&position) => {
                    self.solved.code(self.metric, self.solved.number(&position))
                }
                _ => DONT_CARE,
            };
        }
    }
}
