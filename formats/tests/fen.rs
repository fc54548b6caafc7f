//! FEN: what is read, how it is written, what is refused and why.

use damabase_formats::Fen;
use damabase_rules::{
    Brazilian, English, International, Rules, Russian, Side, VariantId, with_rules,
};
use proptest::prelude::*;

mod random;

const INTL: VariantId = VariantId::International;
const RUSS: VariantId = VariantId::Russian;
const ENGL: VariantId = VariantId::English;

/// What a text is written as after reading, or the message of its error.
fn rewritten(variant: VariantId, text: &str) -> Result<String, String> {
    with_rules!(variant, G => {
        Fen::<G>::parse(text).map(|fen| fen.to_string()).map_err(|error| error.to_string())
    })
}

/// Texts and their strict form. Source: examples of PDN 3.0 ("FEN tag", "PDN Grammars"), of
/// lidraughts' FEN, and own ones for each liberty that the grammar gives.
const GOOD: &[(VariantId, &str, &str)] = &[
    // PDN 3.0, examples
    (
        INTL,
        r#"[FEN "B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29"]"#,
        "B:WK10,K15,18,24,27,28:B12,16,20,K22,K25,K29",
    ),
    (
        ENGL,
        r#"[FEN "B:W18,19,21,23,24,26,29,30,31,32:B1,2,3,4,6,7,9,10,11,12"]"#,
        "B:W18,19,21,23,24,26,29,30,31,32:B1,2,3,4,6,7,9,10,11,12",
    ),
    (
        INTL,
        r#"[FEN "W:W31-50:B1-20"]"#,
        "W:W31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50\
         :B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20",
    ),
    // The grammar: order, dot, ranges, kings in ranges, leading zeros
    (INTL, "W:WK29,K30,K31:BK6", "W:WK29,K30,K31:BK6"),
    (INTL, "W:BK6:WK31,K30,K29", "W:WK29,K30,K31:BK6"),
    (INTL, "B:BK6:WK31,K30,K29", "B:WK29,K30,K31:BK6"),
    (INTL, "W:WK29,K30,K31:BK6.", "W:WK29,K30,K31:BK6"),
    (INTL, "W:WK29-31:BK6", "W:WK29,K30,K31:BK6"),
    (INTL, "W:WK29-31,28:BK6", "W:W28,K29,K30,K31:BK6"),
    (INTL, "W:W7-7:BK06", "W:W7:BK6"),
    (INTL, "W:W28,K01:B0010", "W:WK1,28:B10"),
    (INTL, "W:W6:B45", "W:W6:B45"),
    (INTL, "W:WK1:BK50", "W:WK1:BK50"),
    // One side without pieces
    (INTL, "W:W28", "W:W28:B"),
    (INTL, "B:B13", "B:W:B13"),
    (INTL, "B:W28", "B:W28:B"),
    (INTL, "W:W28:B", "W:W28:B"),
    (INTL, "W:W:B13.", "W:W:B13"),
    (INTL, "W:B:W28", "W:W28:B"),
    // Algebraic squares, on 8x8
    (RUSS, "W:Wa1,Kh8:Bb8", "W:WK4,29:B1"),
    (RUSS, "B:BKa1:WKb8,c3.", "B:WK1,22:BK29"),
    (ENGL, "W:Wa1:Bh8", "W:W29:B4"),
    // Wrapper, quotes, spaces
    (INTL, "\"W:W28:B13\"", "W:W28:B13"),
    (INTL, "  W : W 28 , K 30 - 31 : B 13 .  \r\n", "W:W28,K30,K31:B13"),
    (INTL, " [ FEN  \" W:W28:B13. \" ] ", "W:W28:B13"),
    (INTL, "[FEN\"W:W28:B13\"]\n", "W:W28:B13"),
    // Counters
    (INTL, "W:W28:B13:H0:F1", "W:W28:B13:H0:F1"),
    (INTL, "W:W28:B13:F007:H12.", "W:W28:B13:H12:F7"),
    (INTL, "W:H3:W28:B13", "W:W28:B13:H3"),
    (INTL, "[FEN \"B:B13:W28:H4294967295\"]", "B:W28:B13:H4294967295"),
    (RUSS, "W:WK29:BK4:CB45=7", "W:WK29:BK4:CB45=7"),
    (RUSS, "W:WK29:BK4:CZ=0:H1:Ck_15-a=16", "W:WK29:BK4:H1:CZ=0:Ck_15-a=16"),
];

#[test]
fn good_texts_are_read_and_written_strictly() {
    for &(variant, text, strict) in GOOD {
        assert_eq!(rewritten(variant, text).as_deref(), Ok(strict), "{text}");
        assert_eq!(rewritten(variant, strict).as_deref(), Ok(strict), "{strict}");
    }
}

/// Texts that are refused, with the whole message.
const BAD: &[(VariantId, &str, &str)] = &[
    // Nothing, or no side to move
    (INTL, "", "column 1: expected the side to move, 'W' or 'B', found the end of the text"),
    (INTL, "   ", "column 4: expected the side to move, 'W' or 'B', found the end of the text"),
    (INTL, ":W28:B13", "column 1: expected the side to move, 'W' or 'B', found ':'"),
    (INTL, "28", "column 1: expected the side to move, 'W' or 'B', found '2'"),
    (INTL, "w:W28:B13", "column 1: expected the side to move, 'W' or 'B', found 'w'"),
    (INTL, "?:W28:B13", "column 1: '?' names no colour: expected 'W' or 'B'"),
    (INTL, "W:?28:B13", "column 3: '?' names no colour: expected 'W' or 'B'"),
    (INTL, "[FEN \"\"]", "column 7: expected the side to move, 'W' or 'B', found '\"'"),
    // Another notation
    (
        INTL,
        "rnbqkbnr/pppppppp/8/8 w KQkq - 0 1",
        "column 1: expected the side to move, 'W' or 'B', found 'r'",
    ),
    (INTL, "Wbbbbb", "column 2: expected ':', '.' or the end, found 'b'"),
    (INTL, "WW28:B13", "column 2: expected ':', '.' or the end, found 'W'"),
    // No pieces
    (INTL, "W", "column 2: neither side has a piece"),
    (INTL, "W.", "column 3: neither side has a piece"),
    (INTL, "W:W:B", "column 6: neither side has a piece"),
    (INTL, "B:H3", "column 5: neither side has a piece"),
    // Squares that there are not
    (INTL, "W:W51:B13", "column 4: square 51 is not on the board, which has 1 to 50"),
    (INTL, "W:WK51:B13", "column 5: square 51 is not on the board, which has 1 to 50"),
    (INTL, "W:W0:B13", "column 4: square 0 is not on the board, which has 1 to 50"),
    (INTL, "W:W28,00:B13", "column 7: square 00 is not on the board, which has 1 to 50"),
    (RUSS, "W:W28:BK33", "column 9: square 33 is not on the board, which has 1 to 32"),
    (INTL, "W:W48-51:B13", "column 7: square 51 is not on the board, which has 1 to 50"),
    (
        INTL,
        "W:W4294967297:B13",
        "column 4: square 4294967297 is not on the board, which has 1 to 50",
    ),
    (
        INTL,
        "W:W1111111111111111111111111111111111:B13",
        "column 4: square 111111111111111111111111... is not on the board, which has 1 to 50",
    ),
    (INTL, "W:W-5:B13", "column 4: expected a square or 'K', found '-'"),
    (INTL, "W:W50-31:B13", "column 4: range 50-31 runs backwards"),
    (INTL, "W:W31-:B13", "column 7: expected a square number, found ':'"),
    (INTL, "W:WK31-K33:B13", "column 8: expected a square number, found 'K'"),
    (INTL, "W:W31-33-35:B13", "column 9: expected ',', ':', '.' or the end, found '-'"),
    // Algebraic squares
    (INTL, "W:Wa1:Bb8", "column 4: algebraic squares exist on 8x8 only: expected a square number"),
    (RUSS, "W:Wa2:Bb8", "column 4: square a2 is a light square, not played on"),
    (RUSS, "W:Wa9:Bb8", "column 5: expected a row from 1 to 8, found '9'"),
    (RUSS, "W:Wa10:Bb8", "column 5: expected a row from 1 to 8, found '1'"),
    (RUSS, "W:Wi1:Bb8", "column 4: expected a square or 'K', found 'i'"),
    (RUSS, "W:WA1:Bb8", "column 4: expected a square or 'K', found 'A'"),
    (RUSS, "W:Wa:Bb8", "column 5: expected the row of the square, found ':'"),
    (RUSS, "W:Wab1:Bb8", "column 5: expected the row of the square, found 'b'"),
    (RUSS, "W:Wa1,30:Bb8", "column 7: square numbers and algebraic squares in one text"),
    (RUSS, "W:Wa1:B1", "column 8: square numbers and algebraic squares in one text"),
    (RUSS, "W:Wa1-c1:Bb8", "column 6: expected ',', ':', '.' or the end, found '-'"),
    // Pieces where they cannot be
    (INTL, "W:W28,28:B13", "column 7: two pieces on square 28"),
    (INTL, "W:W28,K28:B13", "column 7: two pieces on square 28"),
    (INTL, "W:W28:B13,K28", "column 11: two pieces on square 28"),
    (INTL, "W:W28:BK27-29", "column 8: two pieces on square 28"),
    (RUSS, "W:Wa1:BKa1", "column 8: two pieces on square a1"),
    (INTL, "W:W28,5:B13", "column 7: a man on its promotion row, square 5"),
    (INTL, "B:B28,46:W13", "column 7: a man on its promotion row, square 46"),
    (INTL, "W:W1-20:B31-50", "column 4: a man on its promotion row, square 1"),
    (RUSS, "W:Wb8:Ba3", "column 4: a man on its promotion row, square b8"),
    (ENGL, "W:W28:B29", "column 8: a man on its promotion row, square 29"),
    // Letters
    (
        INTL,
        "W:WG28:B13",
        "column 4: ghost piece 'G': a capture is not over, so this is no position to move in",
    ),
    (
        INTL,
        "W:W28:B13,P14",
        "column 11: ghost piece 'P': a capture is not over, so this is no position to move in",
    ),
    (INTL, "W:WM28:B13", "column 4: expected a square or 'K', found 'M'"),
    (INTL, "W:Wk28:B13", "column 4: expected a square or 'K', found 'k'"),
    (INTL, "W:WKK28:B13", "column 5: expected a square, found 'K'"),
    (INTL, "W:WK:B13", "column 5: expected a square, found ':'"),
    (INTL, "W:W28x:B13", "column 6: expected ',', ':', '.' or the end, found 'x'"),
    (INTL, "W:W28,:B13", "column 7: expected a square or 'K', found ':'"),
    (INTL, "W:W,28:B13", "column 4: expected a square or 'K', found ','"),
    (INTL, "W:W28 29:B13", "column 7: expected ',', ':', '.' or the end, found '2'"),
    (INTL, "W:W28,B13", "column 7: expected a square or 'K', found 'B'"),
    (INTL, "W:W28;B13", "column 6: expected ',', ':', '.' or the end, found ';'"),
    (INTL, "W:W28:B13\0", "column 10: expected ',', ':', '.' or the end, found '\\u{0}'"),
    // Outside ASCII: columns count characters
    (INTL, "W:W28,é:B13", "column 7: '\\u{e9}' is no character of a FEN"),
    (INTL, "W:W２８:B13", "column 4: '\\u{ff12}' is no character of a FEN"),
    (INTL, "W:W28:é13", "column 7: '\\u{e9}' is no character of a FEN"),
    (
        INTL,
        "\u{feff}W:W28:B13",
        "column 1: expected the side to move, 'W' or 'B', found '\\u{feff}'",
    ),
    (INTL, "W:W28:B13 ü x", "column 11: '\\u{fc}' is no character of a FEN"),
    // Fields
    (INTL, "W:W28:B13:W29", "column 11: the pieces of 'W' were already given"),
    (INTL, "W:W28:B13:B", "column 11: the pieces of 'B' were already given"),
    (INTL, "W:W:W28:B13", "column 5: the pieces of 'W' were already given"),
    (INTL, "W:W28:13", "column 7: unknown field '13'"),
    (INTL, "W:W28:B13:H0:F1:+0+328", "column 17: unknown field '+0+328'"),
    (INTL, "W:W28:B13:X5.", "column 11: unknown field 'X5'"),
    (INTL, "W:w28:b13", "column 3: unknown field 'w28'"),
    (INTL, "W:W28:B13:H1:H1", "column 14: field 'H' was already given"),
    (INTL, "W:W28:B13:F1:H1:F2", "column 17: field 'F' was already given"),
    (INTL, "W:W28:B13:H", "column 12: expected a number, found the end of the text"),
    (INTL, "W:W28:B13:H-1", "column 12: expected a number, found '-'"),
    (INTL, "W:W28:B13:H4294967296", "column 12: the value of field 'H' is too large"),
    (INTL, "W:W28:B13:CK15=4294967296", "column 16: the value of field 'CK15' is too large"),
    (INTL, "W:W28:B13:CK15", "column 15: expected '=', found the end of the text"),
    (INTL, "W:W28:B13:C=1", "column 12: expected the name of a counter, found '='"),
    (INTL, "W:W28:B13:CA=1:CA=1", "column 16: field 'CA' was already given"),
    (
        INTL,
        "W:W28:B13:",
        "column 11: expected 'W', 'B' or another field, found the end of the text",
    ),
    (INTL, "W::W28:B13", "column 3: expected 'W', 'B' or another field, found ':'"),
    (INTL, "W:W28:B13:.", "column 11: expected 'W', 'B' or another field, found '.'"),
    // The end
    (INTL, "W:W28:B13..", "column 11: expected ':', '.' or the end, found '.'"),
    (INTL, "W:W28.:B13", "column 7: expected ':', '.' or the end, found ':'"),
    (INTL, "W:W28:B13. W", "column 12: expected ':', '.' or the end, found 'W'"),
    // Wrappers
    (INTL, "[FEN W:W28:B13]", "column 6: expected '\"', found 'W'"),
    (INTL, "[FEM \"W:W28:B13\"]", "column 4: expected '[FEN \"', found 'M'"),
    (INTL, "[FEN \"W:W28:B13\"", "column 17: expected ']', found the end of the text"),
    (INTL, "[FEN \"W:W28:B13", "column 16: expected '\"', found the end of the text"),
    (INTL, "[FEN \"W:W28:B13]", "column 16: expected ',', ':', '.' or the end, found ']'"),
    (INTL, "W:W28:B13\"", "column 10: expected the end of the text, found '\"'"),
    (INTL, "\"W:W28:B13\"]", "column 12: expected the end of the text, found ']'"),
    (INTL, "\"W:W28:B13\" 1", "column 13: expected the end of the text, found '1'"),
];

#[test]
fn bad_texts_are_refused_where_they_are_wrong() {
    let wrong: Vec<String> = BAD
        .iter()
        .map(|&(variant, text, message)| (text, message, rewritten(variant, text)))
        .filter(|(_, message, result)| *result != Err(message.to_string()))
        .map(|(text, message, result)| format!("{text:?}\n  expected {message}\n  got {result:?}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(BAD.len() >= 40);
}

#[test]
fn black_to_move_sees_the_board_turned() {
    let white = Fen::<International>::parse("W:W28:BK1").unwrap();
    let black = Fen::<International>::parse("B:W28:BK1").unwrap();
    assert_eq!((white.side, black.side), (Side::White, Side::Black));
    assert_eq!(black.position, white.position.turned());
    assert_eq!((white.position.mover.men.count_ones(), white.position.mover.kings), (1, 0));
    assert_eq!((black.position.mover.men, black.position.mover.kings.count_ones()), (0, 1));
}

/// Writing, reading and writing again changes nothing, whatever the counters.
fn check_fixed_point<G: Rules>(fen: &Fen<G>) -> Result<(), TestCaseError> {
    let text = fen.to_string();
    let read = Fen::<G>::parse(&text);
    prop_assert_eq!(read.as_ref(), Ok(fen), "{}", text);
    prop_assert_eq!(read.unwrap().to_string(), text);
    Ok(())
}

fn fens<G: Rules>() -> impl Strategy<Value = Fen<G>> {
    let counters = prop::collection::btree_map("[A-Za-z][A-Za-z0-9_-]{0,5}", any::<u32>(), 0..4);
    (random::position::<G>(), any::<Option<u32>>(), any::<Option<u32>>(), counters).prop_map(
        |((side, position), half_moves, full_moves, counters)| Fen {
            half_moves,
            full_moves,
            counters: counters.into_iter().rev().collect(),
            ..Fen::new(side, position)
        },
    )
}

/// A text with some characters put in, taken out or changed.
fn mutated(text: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let character = prop_oneof![
        6 => prop::sample::select("WBK?GPHFC:,.-=0123456789abhi[]\" \t".chars().collect::<Vec<_>>()),
        1 => any::<char>(),
    ];
    let change = (any::<prop::sample::Index>(), 0..3u8, character);
    (text, prop::collection::vec(change, 1..4)).prop_map(|(text, changes)| {
        let mut characters: Vec<char> = text.chars().collect();
        for (at, kind, character) in changes {
            let at = at.index(characters.len() + 1);
            match kind {
                0 => characters.insert(at, character),
                _ if at == characters.len() => {}
                1 => characters[at] = character,
                _ => drop(characters.remove(at)),
            }
        }
        characters.into_iter().collect()
    })
}

/// Reads any text: an error lies within it, and what is read is written so that it reads the same.
fn check_any_text<G: Rules>(text: &str) -> Result<(), TestCaseError> {
    match Fen::<G>::parse(text) {
        Ok(fen) => check_fixed_point(&fen),
        Err(error) => {
            prop_assert!((1..=text.chars().count() + 1).contains(&error.column), "{:?}", error);
            let message = error.to_string();
            prop_assert!(message.is_ascii() && !message.contains(char::is_control));
            prop_assert!(message.len() < 160, "{}", message);
            Ok(())
        }
    }
}

proptest! {
    #[test]
    fn writing_is_a_fixed_point(
        international in fens::<International>(),
        russian in fens::<Russian>(),
        brazilian in fens::<Brazilian>(),
        english in fens::<English>(),
    ) {
        check_fixed_point(&international)?;
        check_fixed_point(&russian)?;
        check_fixed_point(&brazilian)?;
        check_fixed_point(&english)?;
    }

    #[test]
    fn arbitrary_texts_do_no_harm(text in any::<String>()) {
        check_any_text::<International>(&text)?;
        check_any_text::<Russian>(&text)?;
    }

    #[test]
    fn texts_of_fen_characters_do_no_harm(text in "[WB?KGPHFC:,.=0-9a-i\" -]{0,24}") {
        check_any_text::<International>(&text)?;
        check_any_text::<Russian>(&format!("W:W{text}"))?;
    }

    #[test]
    fn changed_fens_do_no_harm(
        text in mutated(fens::<International>().prop_map(|fen| fen.to_string())),
        known in mutated(prop::sample::select(GOOD).prop_map(|(_, text, _)| text.to_string())),
    ) {
        check_any_text::<International>(&text)?;
        check_any_text::<Russian>(&known)?;
    }
}
