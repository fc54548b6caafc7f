//! A small alpha-beta search that probes tables wherever they cover a position, to find out which
//! positions a search asks for, and in which order.

use damabase_formats::Wld;
use damabase_probe::{ProbeError, TableSet};
use damabase_rules::{Position, Rules, Word, legal_moves};

/// More than any sum of pieces.
const WON: i32 = 10_000;
/// Entries of the table of positions that were searched; a power of two.
const ENTRIES: usize = 1 << 16;

/// Nodes from one root at most: some searches are long and capture little.
const NODES: u64 = 200_000;

/// What searches met.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    /// Positions from which a search began.
    pub roots: u64,
    /// Positions met.
    pub nodes: u64,
    /// Positions probed.
    pub probed: u64,
}

/// A score of a searched position: exact, or only known to be at least or at most that.
#[derive(Clone, Copy)]
struct Entry<G: Rules> {
    position: Position<G>,
    depth: u32,
    at_least: i32,
    at_most: i32,
}

pub struct Search<'a, G: Rules> {
    tables: &'a TableSet<G>,
    pieces: u32,
    /// The positions that were probed, in order.
    pub probed: Vec<Position<G>>,
    pub found: Found,
    /// Positions to keep from one root.
    most: usize,
    /// A search ends when so many positions are kept,
    end: usize,
    /// or so many nodes were met.
    last_node: u64,
    entries: Vec<Option<Entry<G>>>,
}

impl<'a, G: Rules> Search<'a, G> {
    /// A search that ends when it has probed `most` positions, or met [`NODES`].
    pub fn new(tables: &'a TableSet<G>, most: usize) -> Search<'a, G> {
        let pieces = tables.max_pieces();
        let (probed, found) = (Vec::new(), Found::default());
        Search {
            tables,
            pieces,
            probed,
            found,
            most,
            end: 0,
            last_node: 0,
            entries: vec![None; ENTRIES],
        }
    }

    /// Searches from one position, so many plies ahead, and further while there are captures.
    pub fn run(&mut self, root: &Position<G>, depth: u32) -> Result<(), ProbeError> {
        self.end = self.probed.len() + self.most;
        self.last_node = self.found.nodes + NODES;
        self.entries.fill(None);
        self.found.roots += 1;
        self.score(root, depth, -WON, WON)?;
        Ok(())
    }

    /// The score for the mover, exact between `alpha` and `beta`.
    fn score(
        &mut self,
        position: &Position<G>,
        depth: u32,
        mut alpha: i32,
        beta: i32,
    ) -> Result<i32, ProbeError> {
        if self.probed.len() >= self.end || self.found.nodes >= self.last_node {
            return Ok(0); // nobody needs the score any more
        }
        self.found.nodes += 1;
        if position.mover.all().none() {
            return Ok(-WON);
        }
        if position.pieces() <= self.pieces {
            self.probed.push(*position);
            self.found.probed += 1;
            // Wins in tables score less than won games, but more than any pieces.
            return Ok(match self.tables.wld(position)? {
                Wld::Win => WON / 2,
                Wld::Draw => 0,
                Wld::Loss => -WON / 2,
            });
        }
        let place = place(position);
        if let Some(entry) = &self.entries[place]
            && entry.position == *position
            && entry.depth == depth
        {
            if entry.at_least >= beta || entry.at_least == entry.at_most {
                return Ok(entry.at_least);
            }
            if entry.at_most <= alpha {
                return Ok(entry.at_most);
            }
        }
        let moves = legal_moves(position);
        let Some(first) = moves.first() else { return Ok(-WON) };
        if depth == 0 && first.is_quiet() {
            return Ok(pieces(position));
        }
        let mut after: Vec<Position<G>> = moves.iter().map(|m| position.after(m)).collect();
        after.sort_by_key(pieces);
        let before = alpha;
        let mut best = -WON;
        for next in &after {
            best = best.max(-self.score(next, depth.saturating_sub(1), -beta, -alpha)?);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        let at_least = if best > before { best } else { -WON };
        let at_most = if best < beta { best } else { WON };
        self.entries[place] = Some(Entry { position: *position, depth, at_least, at_most });
        Ok(best)
    }
}

/// What the mover has more than the waiter: a man is 100, a king 300; and a little for men that
/// have come far.
fn pieces<G: Rules>(position: &Position<G>) -> i32 {
    let board = G::board();
    let rows = |men: G::Word| -> i32 {
        men.indices().map(|bit| board.row(board.square_of(bit)) as i32).sum()
    };
    let count = |set: G::Word| set.count() as i32;
    let (mover, waiter) = (position.mover, position.waiter);
    // A mover's man has come far where its row is low, a waiter's where it is high.
    100 * (count(mover.men) - count(waiter.men)) + 300 * (count(mover.kings) - count(waiter.kings))
        - rows(mover.men)
        + (i32::from(board.height) - 1) * count(waiter.men)
        - rows(waiter.men)
}

fn place<G: Rules>(position: &Position<G>) -> usize {
    let sets =
        [position.mover.men, position.mover.kings, position.waiter.men, position.waiter.kings];
    let mixed = sets.iter().fold(0u64, |mixed, set| {
        let bits = mixed.rotate_left(29) ^ set.to_u128() as u64;
        bits.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    (mixed >> 40) as usize % ENTRIES
}
