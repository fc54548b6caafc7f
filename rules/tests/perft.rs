//! Published perft figures, every row: those that take a second or so in the ordinary tests, the
//! rest in ignored tests up to `DAMABASE_PERFT_NODES` leaves (`scripts/perft-deep`).

mod common;

use std::time::Instant;

use common::*;
use damabase_rules::*;

/// Leaves of the largest row that the ordinary tests count.
const QUICK: u64 = 20_000_000;
/// Leaves of the largest row that the ignored tests count, if they are not told otherwise.
const DEEP: u64 = 1_000_000_000;

struct Row {
    variant: String,
    board: String,
    fen: String,
    description: String,
    depth: u32,
    nodes: u64,
    counting: Counting,
}

fn table() -> Vec<Row> {
    rows(include_str!("data/perft.csv"), |column| Row {
        variant: column("variant"),
        board: column("board"),
        fen: column("fen"),
        description: column("description"),
        depth: column("depth").parse().unwrap(),
        nodes: column("nodes").parse().unwrap(),
        counting: match column("capture_counting") {
            text if text.starts_with("distinct") => Counting::Distinct,
            text if text.starts_with("by path") => Counting::ByPath,
            text => panic!("capture counting {text}"),
        },
    })
}

fn deep_limit() -> u64 {
    match std::env::var("DAMABASE_PERFT_NODES") {
        Ok(text) => text.parse().expect("DAMABASE_PERFT_NODES is a number of leaves"),
        Err(_) => DEEP,
    }
}

/// Counts all rows of a game and board with `from..to` leaves.
fn check<G: Rules>(variant: &str, board: &str, from: u64, to: u64) {
    let mut leaves = 0;
    let mut positions = 0;
    let start = Instant::now();
    let of_game = |row: &Row| row.variant == variant && row.board == board;
    for row in table().iter().filter(|row| of_game(row) && (from..to).contains(&row.nodes)) {
        let (position, _) = fen::<G>(&row.fen);
        let counted = perft(&position, row.depth, row.counting);
        let Row { description, depth, counting, .. } = row;
        assert_eq!(counted, row.nodes, "{variant} {board} {description}, {depth} {counting:?}");
        leaves += counted;
        positions += 1;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{variant} {board}: {positions} rows, {leaves} leaves, {:.1} million a second",
        leaves as f64 / seconds / 1e6
    );
    if from == 0 {
        assert!(positions > 0, "no row of {variant} on {board}");
    }
}

macro_rules! games {
    ($($name:ident: $type:ty = $variant:literal, $board:literal;)*) => {
        $(
            mod $name {
                use super::*;

                #[test]
                fn quick() {
                    check::<$type>($variant, $board, 0, QUICK);
                }

                #[test]
                #[ignore = "minutes; run by scripts/perft-deep"]
                fn deep() {
                    check::<$type>($variant, $board, QUICK, deep_limit());
                }
            }
        )*

        /// Every row belongs to a test.
        #[test]
        fn no_row_is_left_out() {
            for row in table() {
                let tested = [$(($variant, $board)),*];
                let game = (row.variant.as_str(), row.board.as_str());
                assert!(tested.contains(&game), "{game:?}");
            }
        }
    };
}

games! {
    international: International = "international", "10x10";
    russian: Russian = "russian", "8x8";
    brazilian: Brazilian = "brazilian", "8x8";
    english: English = "english", "8x8";
    international_6x6: International6x6 = "international rules", "6x6";
    international_8x10: International8x10 = "international rules", "ktar 8x10";
    international_10x8: International10x8 = "international rules", "spantsiretti 10 wide x 8 high";
    international_10x12: International10x12 = "international rules", "ktar 10x12";
    international_12x10: International12x10 = "international rules", "12 wide x 10 high";
    international_12x12: International12x12 = "canadian", "12x12";
    international_14x14: International14x14 = "international rules", "14x14";
    english_6x6: English6x6 = "english", "6x6";
}

/// Leaves behind each first move of a game of English draughts, as published.
fn divided() -> Vec<(u32, Square, Square, u64)> {
    rows(include_str!("data/perft_divide_english.csv"), |column| {
        let first_move = column("first_move");
        let (from, to) = first_move.split_once('-').unwrap();
        // Black begins.
        let [from, to] = [from, to].map(|s| seen_by::<English>(Side::Black, square::<English>(s)));
        (column("depth").parse().unwrap(), from, to, column("nodes").parse().unwrap())
    })
}

/// The first moves published are the first moves there are, and together give the published total.
#[test]
fn english_first_moves_add_up() {
    let moves = legal_moves(&Position::<English>::start());
    for depth in [18, 19, 20, 28] {
        let of_depth: Vec<_> = divided().into_iter().filter(|row| row.0 == depth).collect();
        assert_eq!(of_depth.len(), moves.len());
        for (_, from, to, _) in &of_depth {
            assert!(moves.iter().any(|m| (m.from, m.to) == (*from, *to)), "{from:?}-{to:?}");
        }
        let total = table().into_iter().find(|row| {
            (row.variant.as_str(), row.board.as_str(), row.depth) == ("english", "8x8", depth)
        });
        let sum: u64 = of_depth.iter().map(|row| row.3).sum();
        assert_eq!(sum, total.unwrap().nodes, "depth {depth}");
    }
}

#[test]
#[ignore = "hours; run by scripts/perft-deep with a high limit"]
fn deep_english_first_moves() {
    let start = Position::<English>::start();
    for (depth, from, to, nodes) in divided().into_iter().filter(|row| row.3 <= deep_limit()) {
        let first = legal_moves(&start).into_iter().find(|m| (m.from, m.to) == (from, to)).unwrap();
        assert_eq!(
            perft(&start.after(&first), depth - 1, Counting::ByPath),
            nodes,
            "{from:?}-{to:?}"
        );
    }
}
