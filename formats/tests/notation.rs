//! Notation of moves, and the picture of the board.

use damabase_formats::{
    Fen, MoveTextError, Notation, hub_text, move_text, parse_move, parse_square, picture,
    square_name,
};
use damabase_rules::{
    Brazilian, English, International, Position, Rules, Russian, Side, Square, legal_moves,
};
use proptest::prelude::*;

mod random;

/// All legal moves as text, sorted.
fn texts<G: Rules>(fen: &str, notation: Notation) -> Vec<String> {
    let fen = Fen::<G>::parse(fen).unwrap();
    let all = legal_moves(&fen.position);
    let mut texts: Vec<String> =
        all.iter().map(|m| move_text(fen.side, &fen.position, m, &all, notation)).collect();
    texts.sort();
    texts
}

/// The Hub form of the move that a text names, or the error's message.
fn hub_of<G: Rules>(fen: &str, text: &str) -> Result<String, String> {
    let fen = Fen::<G>::parse(fen).unwrap();
    parse_move(fen.side, &fen.position, text)
        .map(|m| hub_text::<G>(fen.side, &m))
        .map_err(|error| error.to_string())
}

#[test]
fn moves_are_written_in_the_view_of_the_diagram() {
    // FMJD 3.4, 3.5: men move up for White, down for Black.
    assert_eq!(texts::<International>("W:W28", Notation::Numeric), ["28-22", "28-23"]);
    assert_eq!(texts::<International>("B:B13", Notation::Numeric), ["13-18", "13-19"]);
    assert_eq!(texts::<International>("W:W28:B23", Notation::Numeric), ["28x19"]);
    assert_eq!(texts::<International>("B:W28:B23", Notation::Numeric), ["23x32"]);
    assert_eq!(texts::<Russian>("W:Wa1,h2:Bb2,h8", Notation::Algebraic), ["a1xc3"]);
    assert_eq!(texts::<Russian>("B:Wa1:Bh8", Notation::Algebraic), ["h8-g7"]);
}

#[test]
fn captures_with_the_same_ends_are_written_in_full() {
    // PDN 3.0, "PDN 3.0 Restrictions" 7: 47x36 alone is ambiguous.
    let fen = "W:WK47:B14,19,29,31,42";
    assert_eq!(texts::<International>(fen, Notation::Numeric), ["47x38x20x9x36", "47x38x24x13x36"]);
    assert_eq!(
        hub_of::<International>(fen, "47x36"),
        Err("'47x36' may be any of 47x38x20x9x36, 47x38x24x13x36".into())
    );
    assert_eq!(hub_of::<International>(fen, "47x38x20x9x36"), Ok("47x36x14x29x31x42".into()));
    assert_eq!(
        hub_of::<International>(fen, "c1:a3"),
        Err("'c1:a3' may be any of c1xe3xi7xg9xa3, c1xe3xh6xf8xa3".into())
    );
    // Without the square where it goes straight on, and by the captured squares in any order.
    assert_eq!(hub_of::<International>(fen, "47x20x9x36"), Ok("47x36x14x29x31x42".into()));
    assert_eq!(hub_of::<International>(fen, "47:36:31:14:42:29"), Ok("47x36x14x29x31x42".into()));
    assert_eq!(hub_of::<International>(fen, "47-38-24-13-36"), Ok("47x36x19x29x31x42".into()));
    // PDN: these leave out a turn, or turn where the piece cannot.
    for text in ["47x24x36", "47x33x19x13x36", "47x38x24x13"] {
        assert_eq!(
            hub_of::<International>(fen, text),
            Err(format!("'{text}' is no legal move here"))
        );
    }
}

#[test]
fn a_round_trip_is_read_in_both_directions() {
    let fen = "W:W38:B22,23,32,33";
    let hub = Ok("38x38x22x23x32x33".to_string());
    assert_eq!(hub_of::<International>(fen, "38x27x18x29x38"), hub);
    assert_eq!(hub_of::<International>(fen, "38x29x18x27x38"), hub);
    assert_eq!(hub_of::<International>(fen, "38x38"), hub);
}

#[test]
fn a_path_passes_no_piece_twice() {
    let fen = "W:W28:B23";
    assert!(hub_of::<International>(fen, "28x19").is_ok());
    assert!(hub_of::<International>(fen, "28x19x28x19").is_err());
}

#[test]
fn texts_of_many_forms_are_read() {
    let hub = |text| hub_of::<Russian>("W:Wa1,h2:Bb2,h8", text);
    for text in ["a1xc3", "a1:c3", "a1-c3", "29x22", "29:22", "29-22", "29x22x25", " a1:c3\n"] {
        assert_eq!(hub(text), Ok("29x22x25".into()), "{text}");
    }
    let hub = |text| hub_of::<International>("B:W32,33:B01,K2", text);
    assert_eq!(hub("01-07"), Ok("1-7".into()));
    assert_eq!(hub("2-30"), Ok("2-30".into()));
}

#[test]
fn texts_that_name_no_move_are_refused() {
    let error = |text| hub_of::<International>("W:W32:B1", text).unwrap_err();
    for text in ["", "-", "32", "32-", "32--28", "32 - 28", "32-28!", "é", "32×28"] {
        assert!(error(text).contains("is no move: expected squares"), "{text}: {}", error(text));
    }
    assert_eq!(error("32-51"), "'51' in move '32-51' is no square of the board");
    assert_eq!(error("0-28"), "'0' in move '0-28' is no square of the board");
    assert_eq!(error("a2-b3"), "'a2' in move 'a2-b3' is no square of the board");
    assert_eq!(error("32-37"), "'32-37' is no legal move here");
    assert_eq!(error("1-6"), "'1-6' is no legal move here");
    // A quiet move is no capture.
    assert_eq!(error("32x28"), "'32x28' is no legal move here");
    assert_eq!(error("32:28"), "'32:28' is no legal move here");
}

#[test]
fn squares_have_names_in_both_notations() {
    fn check<G: Rules>() {
        let board = G::board();
        for square in (0..board.squares() as u8).map(Square) {
            for notation in [Notation::Numeric, Notation::Algebraic] {
                let name = square_name(board, square, notation);
                assert_eq!(parse_square(board, &name), Some(square), "{name}");
            }
        }
    }
    check::<International>();
    check::<Russian>();
    // 8x8: 1 = b8, 4 = h8, 29 = a1, 32 = g1.
    for (number, name) in [("1", "b8"), ("4", "h8"), ("29", "a1"), ("32", "g1")] {
        assert_eq!(parse_square(Russian::board(), name), parse_square(Russian::board(), number));
    }
    for name in ["", "a", "a0", "a01", "b1", "i1", "A1", "33", "0", "-1", "+1", "aa1", "1a", "é"] {
        assert_eq!(parse_square(Russian::board(), name), None, "{name}");
    }
}

/// Every text of every legal move is different from the others and names its move.
fn check_moves<G: Rules>(side: Side, position: &Position<G>) -> Result<(), TestCaseError> {
    let all = legal_moves(position);
    let mut seen = std::collections::HashSet::new();
    for m in &all {
        for notation in [Notation::Numeric, Notation::Algebraic] {
            let text = move_text(side, position, m, &all, notation);
            prop_assert_eq!(parse_move(side, position, &text), Ok(*m), "{}", text);
            prop_assert!(seen.insert(text));
        }
        let hub = hub_text::<G>(side, m);
        prop_assert_eq!(parse_move(side, position, &hub), Ok(*m), "{}", hub);
    }
    // The other side's picture of the same position differs in nothing but the letters.
    let drawn = picture(side, position);
    let turned = picture(side.other(), &position.turned());
    prop_assert_eq!(&drawn, &turned);
    prop_assert!(drawn.is_ascii() && drawn.lines().all(|line| line == line.trim_end()));
    let pieces = drawn.split('|').filter(|part| !part.contains(char::is_numeric));
    let pieces = pieces.flat_map(str::chars).filter(|c| "wWbB".contains(*c)).count();
    prop_assert_eq!(pieces as u32, position.pieces());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn texts_of_legal_moves_are_different_and_read_back(
        international in random::position::<International>(),
        russian in random::position::<Russian>(),
        brazilian in random::position::<Brazilian>(),
        english in random::position::<English>(),
    ) {
        check_moves(international.0, &international.1)?;
        check_moves(russian.0, &russian.1)?;
        check_moves(brazilian.0, &brazilian.1)?;
        check_moves(english.0, &english.1)?;
    }

    #[test]
    fn arbitrary_texts_do_no_harm(
        any in any::<String>(),
        likely in "[0-9a-h]{1,2}([x:-][0-9a-h]{1,2}){0,5}",
        position in random::position::<Russian>(),
    ) {
        for text in [any, likely] {
            match parse_move(position.0, &position.1, &text) {
                Ok(m) => prop_assert!(legal_moves(&position.1).contains(&m)),
                Err(MoveTextError::Ambiguous { candidates, .. }) => {
                    prop_assert!(candidates.len() > 1);
                }
                Err(error) => prop_assert!(!error.to_string().contains(char::is_control)),
            }
        }
    }
}
