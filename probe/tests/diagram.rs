//! Tables of a game chosen at run time against the same tables of a type.

mod common;

use common::Solved;
use damabase_formats::{Fen, Metric, Slice};
use damabase_probe::{
    DEFAULT_CACHE_BYTES, Diagram, ProbeError, TableSet, open_any, open_any_mapped,
};
use damabase_rules::{Pieces, PositionError, Rules, Russian, Side, Square, VariantId};

#[test]
fn positions_by_colours_have_the_values_of_the_mover() {
    let solved = Solved::<Russian>::new(2);
    let folder = tempfile::tempdir().unwrap();
    solved.write(folder.path(), &[Metric::Wld, Metric::Dtw, Metric::Dtc]);
    let dirs = [folder.path().to_path_buf()];
    let typed = TableSet::<Russian>::open(&dirs).unwrap();
    let any = open_any(VariantId::Russian, &dirs, DEFAULT_CACHE_BYTES).unwrap();
    // SAFETY: nothing changes the files.
    let mapped = unsafe { open_any_mapped(VariantId::Russian, &dirs, 0) }.unwrap();
    assert_eq!((any.variant(), any.max_pieces(), any.tables().len()), (VariantId::Russian, 2, 9));
    assert!(any.covers("MvM".parse::<Slice>().unwrap()));
    for position in &solved.positions {
        for side in [Side::White, Side::Black] {
            let fen = Fen::new(side, *position).to_string();
            let diagram = Diagram::parse(VariantId::Russian, &fen).unwrap();
            assert_eq!(diagram.fen(VariantId::Russian), Ok(fen));
            assert_eq!(diagram.position::<Russian>(), Ok(*position));
            assert_eq!(diagram.pieces(), 2);
            for tables in [&any, &mapped] {
                assert_eq!(tables.wld(&diagram).unwrap(), typed.wld(position).unwrap());
                assert_eq!(tables.dtw(&diagram).unwrap(), typed.dtw(position).unwrap());
                assert_eq!(tables.dtc(&diagram).unwrap(), typed.dtc(position).unwrap());
                assert_eq!(tables.value(&diagram).unwrap(), typed.value(position).unwrap());
            }
            let expected = typed.moves(position).unwrap();
            let moves = any.moves(&diagram).unwrap();
            assert_eq!(moves.len(), expected.len());
            for (m, expected) in moves.iter().zip(expected) {
                assert_eq!(m.value, expected.value);
                let after = position.after(&expected.action);
                assert_eq!(m.after.position::<Russian>(), Ok(after));
                assert_eq!(m.after.side, side.other());
                let waiter = if side == Side::White { diagram.black } else { diagram.white };
                assert_eq!(m.captured & !waiter.all(), 0);
                assert_eq!(m.captured == 0, expected.action.is_quiet());
                assert_eq!(m.text.contains('x'), !expected.action.is_quiet());
            }
        }
    }
    assert_eq!(mapped.cache_bytes(), 0);
    assert!(any.cache_bytes() > 0);
}

#[test]
fn moves_are_those_of_the_diagram() {
    let folder = tempfile::tempdir().unwrap();
    let tables = open_any(VariantId::Russian, &[folder.path().to_path_buf()], 0).unwrap();
    let take = |fen| {
        let moves = tables.moves(&Diagram::parse(VariantId::Russian, fen).unwrap()).unwrap();
        assert_eq!(moves.len(), 1);
        (moves[0].text.clone(), moves[0].from.0, moves[0].to.0, moves[0].captured)
    };
    // Squares 32 (g1) and 27 (f2) are at 31 and 26 from 0, at bits 34 and 29 with the ghosts.
    assert_eq!(take("W:W32:B27"), ("g1xe3".into(), 31, 22, 1 << 29));
    // Squares 22 (c3), 26 (d2) and 31 (e1).
    assert_eq!(take("B:W26:B22"), ("c3xe1".into(), 21, 30, 1 << 28));
}

#[test]
fn unsound_positions_are_input_errors_for_both_colours() {
    let folder = tempfile::tempdir().unwrap();
    let tables = open_any(VariantId::Russian, &[folder.path().to_path_buf()], 0).unwrap();
    let pieces = |men, kings| Pieces { men, kings };
    for (white, black, expected) in [
        (pieces(0, 1 << 63), pieces(0, 1), PositionError::OffBoard),
        (pieces(0, 1 << 8), pieces(0, 1), PositionError::OffBoard),
        (pieces(0, 1), pieces(1, 0), PositionError::Overlap),
        (pieces(1, 0), pieces(0, 2), PositionError::ManOnPromotionRow),
        (pieces(0, 1), pieces(1 << Russian::board().bit_of(Square(31)), 0), {
            PositionError::ManOnPromotionRow
        }),
        (pieces(0, 0), pieces(0, 0), PositionError::Empty),
    ] {
        for side in [Side::White, Side::Black] {
            let diagram = Diagram { white, black, side };
            let is_input = |error| matches!(error, ProbeError::Input(error) if error == expected);
            assert!(is_input(tables.wld(&diagram).unwrap_err()));
            assert!(is_input(tables.dtw(&diagram).unwrap_err()));
            assert!(is_input(tables.dtc(&diagram).unwrap_err()));
            assert!(is_input(tables.value(&diagram).unwrap_err()));
            assert!(is_input(tables.moves(&diagram).unwrap_err()));
            assert_eq!(diagram.fen(VariantId::Russian), Err(expected));
        }
    }
}

#[test]
fn gaps_are_put_in() {
    for &variant in VariantId::ALL {
        let board = variant.variant().board;
        for number in 0..64 {
            let expected = match number {
                n if n < board.squares() => 1 << board.bit_of(Square(n as u8)),
                _ => 0,
            };
            assert_eq!(Diagram::spread(board, 1 << number), expected, "{variant} {number}");
        }
        assert_eq!(u128::from(Diagram::spread(board, u64::MAX)), board.mask());
    }
}

#[test]
fn a_missing_table_is_told_as_the_diagram_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let tables = open_any(VariantId::Russian, &[folder.path().to_path_buf()], 0).unwrap();
    // A black man takes a white one; a king of White stays.
    let diagram = Diagram::parse(VariantId::Russian, "B:W22,K1:B18").unwrap();
    let error = tables.wld(&diagram).unwrap_err();
    let text = error.text(Side::Black);
    let folder = folder.path().join("russian");
    let expected = format!(
        "no wld table of KvM for russian, needed because of the move d4xb2; looked in {}",
        folder.display()
    );
    assert_eq!(text, expected);
    assert!(error.to_string().contains("e5xg7 (as the mover sees the board)"));
}
