//! The position index against its definition and against published counts.

use damabase_formats::index::{binomial, positions};
use damabase_formats::{Index, Material, Slice, ToMove};
use damabase_rules::{Board, International, Rules, Russian};
use proptest::prelude::*;

/// Every index value of every slice with up to `pieces` pieces: unrank and rank are inverses and
/// the values that are no hole are as many as the formula says.
fn check_exhaustively<G: Rules>(pieces: u32) {
    for slice in (2..=pieces).flat_map(Slice::with_pieces) {
        for to_move in [ToMove::First, ToMove::Second] {
            let index = Index::<G>::new(slice, to_move);
            let mut count = 0;
            for number in 0..index.len() {
                if let Some(position) = index.unrank(number) {
                    assert_eq!(index.rank(&position), number, "{slice} {to_move:?}");
                    assert_eq!(Slice::of(&position).0, slice);
                    count += 1;
                }
            }
            assert_eq!(count, positions(G::board(), slice), "{slice} {to_move:?}");
            assert_eq!(index.unrank(index.len()), None);
        }
    }
}

#[test]
fn every_position_of_small_slices_has_its_own_number() {
    check_exhaustively::<Russian>(4);
    check_exhaustively::<International>(3);
}

#[test]
fn both_sides_to_move_see_the_same_men() {
    // The mover's men rank as the waiter's do when the board is turned.
    let slice: Slice = "KKMvKM".parse().unwrap();
    let index = Index::<Russian>::new(slice, ToMove::First);
    let twin = Index::<Russian>::new(slice, ToMove::Second);
    let men = |position| {
        let rank = index.rank(&position) / index.kings_len();
        (rank / binomial(28, 1), rank % binomial(28, 1))
    };
    for number in (0..index.len()).step_by(1009) {
        if let Some(position) = index.unrank(number) {
            let rank = twin.rank(&position.turned()) / twin.kings_len();
            let (mover, waiter) = men(position);
            assert_eq!((rank / binomial(28, 1), rank % binomial(28, 1)), (waiter, mover));
        }
    }
}

fn large_slice() -> impl Strategy<Value = (Slice, ToMove)> {
    (0..=3u8, 0..=3u8, 0..=3u8, 0..=3u8, any::<bool>())
        .prop_filter("both sides have a piece", |(a, b, c, d, _)| a + b > 0 && c + d > 0)
        .prop_map(|(a, b, c, d, first)| {
            (
                Slice::new(Material { men: a, kings: b }, Material { men: c, kings: d }),
                if first { ToMove::First } else { ToMove::Second },
            )
        })
}

proptest! {
    #[test]
    fn random_numbers_of_large_slices_go_there_and_back((slice, to_move) in large_slice(), share in 0.0..1.0f64) {
        let index = Index::<International>::new(slice, to_move);
        let number = (index.len() as f64 * share) as u64;
        if let Some(position) = index.unrank(number) {
            prop_assert_eq!(index.rank(&position), number);
        }
    }
}

fn board(name: &str) -> Option<Board> {
    let size = match name {
        "6x6" => 6,
        "8x8" => 8,
        "10x10" => 10,
        "12x12" => 12,
        _ => return None,
    };
    Some(Board { width: size, height: size })
}

fn rows(text: &str) -> Vec<csv::StringRecord> {
    csv::Reader::from_reader(text.as_bytes()).records().map(Result::unwrap).collect()
}

#[test]
fn slices_have_the_published_number_of_positions() {
    let rows = rows(include_str!("data/slice_counts.csv"));
    assert!(rows.len() > 100);
    for row in rows {
        let digits: Vec<u8> = row[2].bytes().map(|digit| digit - b'0').collect();
        let slice = Slice::new(
            Material { men: digits[0], kings: digits[1] },
            Material { men: digits[2], kings: digits[3] },
        );
        assert_eq!(positions(board(&row[0]).unwrap(), slice).to_string(), row[3], "{row:?}");
    }
}

#[test]
fn piece_counts_have_the_published_number_of_positions() {
    let mut checked = 0;
    for row in rows(include_str!("data/position_counts.csv")) {
        let (Some(board), Ok(pieces)) = (board(&row[0]), row[1].parse()) else { continue };
        let total: u64 = Slice::with_pieces(pieces)
            .into_iter()
            .map(|slice| if slice.is_symmetric() { 1 } else { 2 } * positions(board, slice))
            .sum();
        match &row[2] {
            "two-sided (both sides >=1 piece)" => {}
            "kings only 1v1" | "kings only 2v1" | "kings only 2v2" | "kings only 3v2"
            | "kings only 4v4" | "kings only 5v5" => {
                let digits: Vec<u8> =
                    row[2].bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
                let kings = |kings| Material { men: 0, kings };
                let slice = Slice::new(kings(digits[0]), kings(digits[1]));
                assert_eq!(positions(board, slice).to_string(), row[3], "{row:?}");
                checked += 1;
                continue;
            }
            _ => continue,
        }
        assert_eq!(total.to_string(), row[3], "{row:?}");
        checked += 1;
    }
    assert!(checked > 20, "{checked}");
}
