//! What the tests of this crate share: a small FEN reader, rows of published data, boards of
//! other sizes.
#![allow(dead_code)] // Each test file uses a part.

pub mod draws;
pub mod plain;

use damabase_rules::{
    Board, International, Notation, Position, Rules, Side, Square, Variant, VariantId,
};

/// A published table, its rows as the columns' names see them.
pub fn rows<T>(csv: &str, row: impl Fn(&dyn Fn(&str) -> String) -> T) -> Vec<T> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let names = reader.headers().unwrap().clone();
    let records = reader.records().map(|record| {
        let record = record.unwrap();
        row(&|name| {
            let index = names.iter().position(|n| n == name).expect("a column of the table");
            record[index].to_string()
        })
    });
    records.collect()
}

/// The square that PDN calls `text`, a number or a name like `a1`.
pub fn square<G: Rules>(text: &str) -> Square {
    let board = G::board();
    if let Ok(number) = text.parse::<u8>() {
        return Square(number - 1);
    }
    assert_eq!(G::VARIANT.notation, Notation::Algebraic, "square {text}");
    let column = u32::from(text.as_bytes()[0] - b'a');
    let row = u32::from(board.height) - text[1..].parse::<u32>().unwrap();
    board.square_at(row, column).unwrap_or_else(|| panic!("{text} is no playing square"))
}

/// A position from a FEN without ranges, and who is to move in it. A text that begins with `start`
/// is the position at the start of the game.
pub fn fen<G: Rules>(text: &str) -> (Position<G>, Side) {
    if text.starts_with("start") {
        return (Position::start(), G::VARIANT.starts);
    }
    let mut fields = text.split(':');
    let to_move = fields.next().unwrap_or_default();
    let side = |letter: &str| match letter {
        "W" => Side::White,
        "B" => Side::Black,
        _ => panic!("{text}: no side {letter}"),
    };
    let mover = side(to_move);
    let mut pieces: [Vec<Square>; 4] = Default::default();
    for field in fields {
        let owner = side(&field[..1]);
        for piece in field[1..].split(',').filter(|piece| !piece.is_empty()) {
            let (king, name) = match piece.strip_prefix('K') {
                Some(name) => (1, name),
                None => (0, piece),
            };
            let of_waiter = if owner == mover { 0 } else { 2 };
            pieces[of_waiter + king].push(seen_by::<G>(mover, square::<G>(name)));
        }
    }
    let [men, kings, waiter_men, waiter_kings] = pieces;
    (Position::from_squares(&men, &kings, &waiter_men, &waiter_kings).expect(text), mover)
}

/// A square of the diagram as `side` sees it, or the other way round.
pub fn seen_by<G: Rules>(side: Side, square: Square) -> Square {
    match side {
        Side::White => square,
        Side::Black => G::board().turned_square(square),
    }
}

/// Games that exist here only to test the generator on other boards: another game's table with
/// another board.
macro_rules! boards {
    ($($name:ident: $word:ty = $of:expr, $width:literal x $height:literal, $rows:literal rows;)*) => {
        $(
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
            pub struct $name;

            impl Rules for $name {
                type Word = $word;
                const VARIANT: Variant = Variant {
                    board: Board { width: $width, height: $height },
                    start_rows: $rows,
                    ..$of
                };
                // Unused: only the run-time choice of a variant reads it.
                const ID: VariantId = International::ID;
            }
        )*
    };
}

boards! {
    International6x6: u64 = International::VARIANT, 6 x 6, 2 rows;
    International8x10: u64 = International::VARIANT, 8 x 10, 4 rows;
    International10x8: u64 = International::VARIANT, 10 x 8, 3 rows;
    International10x12: u128 = International::VARIANT, 10 x 12, 5 rows;
    International12x10: u128 = International::VARIANT, 12 x 10, 4 rows;
    International12x12: u128 = International::VARIANT, 12 x 12, 5 rows;
    International14x14: u128 = International::VARIANT, 14 x 14, 6 rows;
    Russian6x6: u64 = damabase_rules::Russian::VARIANT, 6 x 6, 2 rows;
    English6x6: u64 = damabase_rules::English::VARIANT, 6 x 6, 2 rows;
}
