//! In which order the sub-slices of a slice can be solved.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use damabase_formats::{Index, Slice, ToMove};
use damabase_rules::{Rules, Word};

/// A sub-slice with one or both sides to move: the side, and the first of its index values.
/// Where turning the board gives the same men in a symmetric slice, one part is its own twin.
pub(crate) type Parts = Vec<(ToMove, u64)>;

/// The sub-slices of a slice in waves, the most advanced men first.
pub(crate) fn waves<G: Rules>(slice: Slice, index: &[Index<G>; 2]) -> Vec<Vec<Parts>> {
    let mut waves: BTreeMap<Reverse<u32>, Vec<Parts>> = BTreeMap::new();
    let [first, second] = index;
    for block in (0..first.len()).step_by(first.kings_len() as usize) {
        let mut positions = (block..block + first.kings_len()).filter_map(|n| first.unrank(n));
        // None where men share a square.
        let Some(position) = positions.next() else { continue };
        let turned = position.turned();
        let twin_rank = if slice.is_symmetric() { first } else { second }.rank(&turned);
        let twin = twin_rank - twin_rank % first.kings_len();
        let parts = if !slice.is_symmetric() {
            vec![(ToMove::First, block), (ToMove::Second, twin)]
        } else if block < twin {
            vec![(ToMove::First, block), (ToMove::First, twin)]
        } else if block == twin {
            vec![(ToMove::First, block)]
        } else {
            continue;
        };
        let wave = Reverse(advance::<G>(position.mover.men) + advance::<G>(turned.mover.men));
        waves.entry(wave).or_default().push(parts);
    }
    waves.into_values().collect()
}

/// How many rows the mover's men have left behind them, in total.
fn advance<G: Rules>(men: G::Word) -> u32 {
    let board = G::board();
    men.indices().map(|bit| u32::from(board.height) - 1 - board.row(board.square_of(bit))).sum()
}
