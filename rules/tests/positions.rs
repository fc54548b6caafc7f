//! Published positions with their complete list, or number, of legal moves.

mod common;

use std::collections::BTreeSet;

use common::*;
use damabase_rules::*;

/// A published move: the squares written, and whether it captures.
struct Written {
    squares: Vec<Square>,
    captures: bool,
}

fn read<G: Rules>(text: &str) -> Written {
    let captures = text.contains('x');
    let separator = if captures { 'x' } else { '-' };
    Written { squares: text.split(separator).map(square::<G>).collect(), captures }
}

/// What a published move takes, as far as the squares written tell: the waiter's piece between two
/// squares on one diagonal.
fn victims<G: Rules>(position: &Position<G>, side: Side, written: &Written) -> BTreeSet<u8> {
    let board = G::board();
    let mut victims = BTreeSet::new();
    for leg in written.squares.windows(2) {
        let place = |s: Square| (board.row(s) as i32, board.column(s) as i32);
        let ((row, column), (to_row, to_column)) = (place(leg[0]), place(leg[1]));
        let distance = (to_row - row).abs();
        if distance != (to_column - column).abs() {
            continue; // Not all squares are written.
        }
        for step in 1..distance {
            let [row, column] = [
                row + step * (to_row - row).signum(),
                column + step * (to_column - column).signum(),
            ];
            let between = board.square_at(row as u32, column as u32).unwrap();
            let seen = seen_by::<G>(side, between);
            if (position.waiter.all() & G::Word::bit(board.bit_of(seen))).any() {
                victims.insert(seen.0);
            }
        }
    }
    victims
}

fn check<G: Rules>(text: &str, count: usize, published: &str, case: &str) {
    let (position, side) = fen::<G>(text);
    let moves = legal_moves(&position);
    // The source of these rows lists a round trip once for each direction.
    let counting = if case == "ambiguous captures" { Counting::ByPath } else { Counting::Distinct };
    let mut listed = MoveList::new();
    legal_moves_into(&position, counting, &mut listed);
    let name = format!("{} {text} ({case})", G::VARIANT.name);
    assert_eq!(listed.len(), count, "{name}");
    if published.is_empty() {
        return;
    }
    let mut found = MoveList::new();
    for text in published.split(' ') {
        let written = read::<G>(text);
        let [from, to] =
            [written.squares[0], *written.squares.last().unwrap()].map(|s| seen_by::<G>(side, s));
        let taken = victims(&position, side, &written);
        let captured = |m: &Move<G::Word>| -> BTreeSet<u8> {
            m.captured.indices().map(|bit| G::board().square_of(bit).0).collect()
        };
        let ends = (from, to, written.captures);
        let mut fitting: Vec<_> =
            moves.iter().filter(|m| (m.from, m.to, !m.is_quiet()) == ends).collect();
        // Two squares may be the whole route or only its ends, if no other move has the same.
        if fitting.len() > 1 || written.squares.len() > 2 {
            fitting.retain(|m| captured(m) == taken);
        }
        assert_eq!(fitting.len(), 1, "{name}: {text}");
        found.push(*fitting[0]);
    }
    found.sort();
    listed.sort();
    assert_eq!(found, listed, "{name}");
}

#[test]
fn published_positions_have_the_published_moves() {
    let rows = rows(include_str!("data/rules_positions.csv"), |column| {
        ["variant", "fen", "n_moves", "moves", "case"].map(column)
    });
    assert_eq!(rows.len(), 38);
    for [variant, fen, count, moves, case] in &rows {
        let id: VariantId = variant.parse().unwrap();
        with_rules!(id, G => check::<G>(fen, count.parse().unwrap(), moves, case));
    }
}
