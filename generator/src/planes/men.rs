//! Placements of men.

use damabase_rules::{Rules, Word};

/// All placements of one side's men, in groups of equal advancement.
pub(super) struct Men<G: Rules> {
    /// For each total of rows still to go, the placements, for the side that goes up.
    pub by_rows: Vec<Vec<G::Word>>,
}

impl<G: Rules> Men<G> {
    pub fn new(men: u8) -> Self {
        let board = G::board();
        let sets = all_men_sets::<G>(men);
        let mut by_rows = Vec::new();
        for set in sets {
            let rows: u32 = set.indices().map(|bit| board.row(board.square_of(bit))).sum();
            if by_rows.len() <= rows as usize {
                by_rows.resize(rows as usize + 1, Vec::new());
            }
            by_rows[rows as usize].push(set);
        }
        Men { by_rows }
    }
}

/// All placements of one side's men, for the side that goes up.
pub(super) fn all_men_sets<G: Rules>(men: u8) -> Vec<G::Word> {
    let squares = G::squares() & !G::promotion_row();
    let mut sets = vec![G::Word::ZERO];
    for _ in 0..men {
        let mut larger = Vec::new();
        for &set in &sets {
            let above = if set.none() { 0 } else { set.highest() + 1 };
            for bit in (squares & !G::Word::below(above)).indices() {
                larger.push(set | G::Word::bit(bit));
            }
        }
        sets = larger;
    }
    sets
}
