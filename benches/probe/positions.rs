//! The positions that are probed.

use damabase_formats::{Index, Slice};
use damabase_probe::{ProbeError, TableSet};
use damabase_rules::{Pieces, Position, Rules, Square, Word, can_capture};

use crate::search::{Found, Search};

/// Plies that the search looks ahead.
const DEPTH: u32 = 9;
/// Positions that are kept of the search from one position, so that many searches have their part.
const FROM_ONE: usize = 2000;

/// Numbers that look random (SplitMix64), the same in every run.
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let bits = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }
}

/// Legal positions of many slices with either side to move, each with the same probability.
pub struct Uniform<G: Rules> {
    /// The indexes, and the sum of the lengths up to each.
    indexes: Vec<(Index<G>, u64)>,
    random: Random,
}

impl<G: Rules> Uniform<G> {
    pub fn new(slices: &[Slice], seed: u64) -> Uniform<G> {
        let mut end = 0;
        let mut indexes = Vec::new();
        for &slice in slices {
            for &to_move in slice.sides() {
                let index = Index::new(slice, to_move);
                end += index.len();
                indexes.push((index, end));
            }
        }
        Uniform { indexes, random: Random::new(seed) }
    }
}

impl<G: Rules> Iterator for Uniform<G> {
    type Item = Position<G>;

    fn next(&mut self) -> Option<Position<G>> {
        let all = self.indexes.last()?.1;
        loop {
            let number = self.random.below(all);
            let (index, end) =
                &self.indexes[self.indexes.partition_point(|(_, end)| *end <= number)];
            // Numbers with two pieces on one square are drawn again.
            if let Some(position) = index.unrank(end - 1 - number) {
                return Some(position);
            }
        }
    }
}

/// A set of positions that are probed one after the other.
pub struct Positions<G: Rules> {
    pub name: &'static str,
    pub all: Vec<Position<G>>,
}

/// All sets, and what the search met.
pub fn sets<G: Rules>(
    tables: &TableSet<G>,
    count: usize,
) -> Result<(Vec<Positions<G>>, Found), ProbeError> {
    let slices = tables.slices();
    let take = |seed, is_wanted: fn(&Position<G>) -> bool| -> Vec<Position<G>> {
        Uniform::new(&slices, seed).filter(is_wanted).take(count).collect()
    };
    let (searched, found) = searched(tables, count)?;
    let sets = vec![
        Positions { name: "quiet", all: take(1, |position| !can_capture(position)) },
        Positions { name: "random", all: take(2, |_| true) },
        Positions { name: "search", all: searched },
        Positions { name: "captures", all: take(3, |position| can_capture(position)) },
    ];
    Ok((sets, found))
}

/// Positions in the order in which a search probes them.
fn searched<G: Rules>(
    tables: &TableSet<G>,
    count: usize,
) -> Result<(Vec<Position<G>>, Found), ProbeError> {
    let mut random = Random::new(4);
    let mut search = Search::new(tables, FROM_ONE);
    while search.probed.len() < count {
        let root = root::<G>(&mut random);
        search.run(&root, DEPTH)?;
    }
    search.probed.truncate(count);
    Ok((search.probed, search.found))
}

/// A position with four pieces of the mover and three or four of the waiter, each a king with
/// probability 1/4, anywhere on the board.
fn root<G: Rules>(random: &mut Random) -> Position<G> {
    let board = G::board();
    loop {
        let mut sides = [Pieces { men: G::Word::ZERO, kings: G::Word::ZERO }; 2];
        let pieces = 7 + random.below(2);
        for n in 0..pieces {
            let square = Square(random.below(board.squares().into()) as u8);
            let bit = G::Word::bit(board.bit_of(square));
            let side = &mut sides[(n % 2) as usize];
            *(if random.below(4) == 0 { &mut side.kings } else { &mut side.men }) |= bit;
        }
        if let Ok(position) = Position::new(sides[0], sides[1])
            && u64::from(position.pieces()) == pieces
        {
            return position;
        }
    }
}
