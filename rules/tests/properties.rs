//! The move generator on random positions with many kings, against the plain generator of
//! `common/plain.rs` and against its own promises.

mod common;

use std::collections::BTreeSet;

use common::plain::{self, Grid, PlainMove, plain_move};
use common::{English6x6, International6x6, Russian6x6};
use damabase_rules::*;
use proptest::prelude::*;

/// What may stand on a square.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Stone {
    Man,
    King,
    WaiterMan,
    WaiterKing,
}

/// Random positions with both sides on the board; of two pieces on a square the first stays.
fn positions<G: Rules>() -> impl Strategy<Value = Position<G>> {
    let squares = G::board().squares() as u8;
    let stones = |kinds: &'static [Stone], most| {
        prop::collection::vec((0..squares, prop::sample::select(kinds)), 1..=most)
    };
    // A few kings of the mover among many victims give the long captures.
    let mover = stones(&[Stone::Man, Stone::King, Stone::King], 5);
    let waiter = stones(&[Stone::WaiterMan, Stone::WaiterKing], 14);
    (mover, waiter).prop_filter_map("no piece left", |(mover, waiter)| {
        place::<G>(mover.into_iter().chain(waiter))
    })
}

fn place<G: Rules>(stones: impl Iterator<Item = (u8, Stone)>) -> Option<Position<G>> {
    let mut position = Position::<G>::default();
    for (square, stone) in stones {
        let bit = G::Word::bit(G::board().bit_of(Square(square)));
        let barred = match stone {
            Stone::Man => G::promotion_row(),
            Stone::WaiterMan => G::waiter_promotion_row(),
            Stone::King | Stone::WaiterKing => G::Word::ZERO,
        };
        if ((position.occupied() | barred) & bit).any() {
            continue;
        }
        match stone {
            Stone::Man => position.mover.men |= bit,
            Stone::King => position.mover.kings |= bit,
            Stone::WaiterMan => position.waiter.men |= bit,
            Stone::WaiterKing => position.waiter.kings |= bit,
        }
    }
    Position::new(position.mover, position.waiter).ok()
}

/// Checks everything that is promised of the moves in one position.
fn check<G: Rules>(position: &Position<G>) {
    let game = plain::game(G::VARIANT.name, G::board().width);
    let grid = Grid::of(position);
    let moves = legal_moves(position);

    let distinct: BTreeSet<PlainMove> = moves.iter().map(plain_move::<G>).collect();
    assert_eq!(distinct.len(), moves.len(), "a move is listed twice");
    assert_eq!(distinct, plain::legal_moves(&game, &grid));

    let mut list = MoveList::new();
    captures(position, Counting::ByPath, &mut list);
    assert!(list.len() >= moves.iter().filter(|m| !m.is_quiet()).count());
    assert!(list.iter().all(|m| moves.contains(m)), "only the order of victims may differ");
    captures(position, Counting::Distinct, &mut list);
    assert_eq!(can_capture(position), !list.is_empty());
    assert_eq!(moves.iter().any(|m| m.is_quiet()), list.is_empty() && !moves.is_empty());

    for m in &moves {
        let after = position.after(m);
        assert_eq!(Position::new(after.mover, after.waiter), Ok(after), "{m:?}");
        assert_eq!(Grid::of(&after), grid.after(&plain_move::<G>(m)), "{m:?}");
        assert_eq!(after.pieces() + m.captured.count(), position.pieces());
        legal_moves(&after);
        match capture_path(position, m) {
            Some(path) => plain::check_path(&game, &grid, &plain_move::<G>(m), &path),
            None => assert!(m.is_quiet(), "{m:?} has no path"),
        }
    }
    assert_eq!(position.turned().turned(), *position);
}

macro_rules! properties {
    ($($name:ident: $type:ty;)*) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(20_000))]
            $(
                #[test]
                fn $name(position in positions::<$type>()) {
                    check(&position);
                }
            )*
        }
    };
}

properties! {
    international: International;
    russian: Russian;
    brazilian: Brazilian;
    english: English;
}

/// Checks every position on the board with up to three pieces, or four of which the mover has at
/// most one; returns their number.
fn check_all<G: Rules>(stones: &mut Vec<(u8, Stone)>) -> u64 {
    let of_mover = stones.iter().filter(|s| matches!(s.1, Stone::Man | Stone::King)).count();
    if stones.len() > 3 && of_mover > 1 {
        return 0;
    }
    let mut checked = 0;
    if !stones.is_empty() {
        match place::<G>(stones.iter().copied()) {
            Some(position) if position.pieces() as usize == stones.len() => check(&position),
            _ => return 0, // A man on its promotion row.
        }
        checked = 1;
    }
    if stones.len() < 4 {
        let next = stones.last().map_or(0, |stone| stone.0 + 1);
        for square in next..G::board().squares() as u8 {
            for stone in [Stone::Man, Stone::King, Stone::WaiterMan, Stone::WaiterKing] {
                stones.push((square, stone));
                checked += check_all::<G>(stones);
                stones.pop();
            }
        }
    }
    checked
}

/// How many these are on 6x6: from the product of (1 + m + 2w)^3 (1 + 2m + w)^3 (1 + 2m + 2w)^12,
/// a factor for every square of the three kinds, the terms m^a w^b with a + b from 1 to 3, or a
/// at most 1 and a + b = 4.
const SMALL_POSITIONS: u64 = 213_742;

#[test]
fn every_small_position_international() {
    assert_eq!(check_all::<International6x6>(&mut Vec::new()), SMALL_POSITIONS);
}

#[test]
fn every_small_position_russian() {
    assert_eq!(check_all::<Russian6x6>(&mut Vec::new()), SMALL_POSITIONS);
}

#[test]
fn every_small_position_english() {
    assert_eq!(check_all::<English6x6>(&mut Vec::new()), SMALL_POSITIONS);
}

/// A side may be without pieces; nothing then moves or is taken.
#[test]
fn a_side_without_pieces_is_no_trouble() {
    fn check_empty<G: Rules>() {
        let only = Pieces { men: G::Word::ZERO, kings: G::Word::bit(0) };
        let none = Pieces::default();
        assert!(legal_moves(&Position::<G>::new(none, only).unwrap()).is_empty());
        check(&Position::<G>::new(only, none).unwrap());
    }
    for &id in VariantId::ALL {
        with_rules!(id, G => check_empty::<G>());
    }
}

/// A move that is no capture of the position has no path.
#[test]
fn no_path_for_a_move_that_is_not_there() {
    let position = Position::<International>::start();
    for m in legal_moves(&position) {
        assert_eq!(capture_path(&position, &m), None);
        let wrong = Move { captured: 1, ..m };
        assert_eq!(capture_path(&position, &wrong), None);
    }
}
