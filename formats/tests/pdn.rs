//! PDN: real files, every form the grammar knows, errors, and texts that are no PDN at all.

use damabase_formats::pdn::{self, Game, Item, Outcome, PdnError, RawGame};
use damabase_formats::{Fen, Notation, move_text, notation::diagram_square};
use damabase_rules::{
    Brazilian, English, International, Position, Rules, Russian, Side, Word, legal_moves,
};
use proptest::prelude::*;

mod random;

const GAMES: &str = include_str!("data/games.pdn");

fn read(text: &str) -> Vec<RawGame> {
    pdn::read(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The one game of a text.
fn game<G: Rules>(text: &str) -> Game<G> {
    let games = read(text);
    assert_eq!(games.len(), 1, "{text}");
    games[0].resolve().unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn error<G: Rules>(text: &str) -> String {
    match pdn::read(text) {
        Err(error) => error.to_string(),
        Ok(games) => games[0].resolve::<G>().unwrap_err().to_string(),
    }
}

/// The position at the end of a game.
fn end<G: Rules>(game: &Game<G>) -> String {
    let (mut side, mut position) = (game.start.side, game.start.position);
    for played in &game.line.moves {
        position = position.after(&played.action);
        side = side.other();
    }
    Fen::new(side, position).to_string()
}

#[test]
fn published_games_are_read() {
    let games = read(GAMES);
    let plies: Vec<(Option<u32>, usize, Option<Outcome>)> = games
        .iter()
        .map(|raw| {
            let plies = match raw.game_type() {
                Some(21) => raw.resolve::<English>().unwrap().line.moves.len(),
                Some(25) => raw.resolve::<Russian>().unwrap().line.moves.len(),
                _ => raw.resolve::<International>().unwrap().line.moves.len(),
            };
            (raw.game_type(), plies, raw.result)
        })
        .collect();
    assert_eq!(
        plies,
        [
            (Some(20), 74, Some(Outcome::Unknown)),
            (Some(20), 117, Some(Outcome::Unknown)),
            (Some(21), 48, Some(Outcome::Unknown)),
            (None, 8, None),
            (None, 36, None),
            (None, 100, Some(Outcome::Draw)),
            (Some(25), 7, Some(Outcome::WhiteWins)),
        ]
    );
    assert_eq!(games[0].tag("white"), Some("Mikhalchenko,I."));
    assert_eq!(games[1].tag("PlyCount"), Some("117"));
    let analysis = games[1].resolve::<International>().unwrap();
    assert_eq!(analysis.line.comments, ["an analysis"]);
    let seventh = &analysis.line.moves[7]; // 4... 19-23
    let variation = &seventh.variations[0];
    assert_eq!(variation.comments, ["also"]);
    assert_eq!(variation.moves[0].comments, ["followed by"]);
    assert_eq!(variation.moves.len(), 5);
    assert_eq!(analysis.line.moves[90].nags, [1]);
    let live = games[3].resolve::<International>().unwrap();
    assert_eq!(live.line.moves[0].comments, ["[%clock w0:00:00 B0:00:05]"]);
    // Black starts in checkers, and has the men on 1 to 12.
    let checkers = games[2].resolve::<English>().unwrap();
    assert_eq!(checkers.start.side, Side::Black);
    assert_eq!(games[5].greatest_square(), Some(50));
    assert_eq!(games[6].greatest_square(), None);
}

#[test]
fn games_are_written_as_they_were_read() {
    fn check<G: Rules>(raw: &RawGame) -> String {
        let game = raw.resolve::<G>().unwrap();
        let text = game.to_string();
        let again = read(&text);
        assert_eq!(again.len(), 1, "{text}");
        let mut twin = again[0].resolve::<G>().unwrap();
        twin.number = game.number;
        assert_eq!(end(&twin), end(&game));
        assert_eq!((&twin.line, &twin.start), (&game.line, &game.start), "{text}");
        assert!(text.lines().all(|line| line.starts_with('[') || line.len() <= 80), "{text}");
        assert_eq!(twin.to_string(), text, "writing is stable");
        text
    }
    let games = read(GAMES);
    for raw in &games {
        match raw.game_type() {
            Some(21) => check::<English>(raw),
            Some(25) => check::<Russian>(raw),
            _ => check::<International>(raw),
        };
    }
    let text = check::<English>(&games[2]);
    assert!(text.contains("1. 9-14 22-17 2. 11-15 25-22 3. 15-19 {the Double"), "{text}");
    assert!(text.contains("Corner Dyke} 3... 23x16 4."), "{text}");
    assert!(check::<International>(&games[4]).starts_with("[GameType \"20\"]\n"));
}

#[test]
fn a_game_from_a_position_keeps_its_side_and_number() {
    let text = "[GameType \"20\"]\n[FEN \"B:WK6,K16:BK45:F7\"]\n7... 45-50 8. 16-11 *\n";
    let game = game::<International>(text);
    assert_eq!(game.start.side, Side::Black);
    assert_eq!(game.to_string(), text);
    // White to move first in checkers is the second half of a move.
    let text = "[GameType \"21\"]\n[FEN \"W:W22:B9\"]\n1... 22-18 2. 9-13 *\n";
    assert_eq!(self::game::<English>(text).to_string(), text);
    // A set-up that is switched off.
    let off = "[SetUp \"0\"]\n[FEN \"B:WK6,K16:BK45\"]\n1. 32-28 *\n";
    assert_eq!(self::game::<International>(off).start.position, Position::start());
    // A start colour that is not the custom.
    let black = self::game::<Russian>("[GameType \"25,B,8,8,A0,0\"] 1. b6-c5 *");
    assert_eq!(black.start.side, Side::Black);
}

#[test]
fn moves_are_read_in_every_form() {
    for (fen, texts) in [
        (
            "W:WK26:B8,9,10,11,19",
            &["1. d2xh6xf8xc5xa7", "1.26:12:3:14:5", "d2*h6*f8*c5*a7", "d2h6f8c5a7"][..],
        ),
        (
            "W:WK26:B22,8",
            &[
                "1. d2xb4",
                "1. d2:b4",
                "1. d2*b4",
                "1.26x17",
                "1 . 26:17",
                "1. ... 26x17",
                "26X17*",
                "1. d2b4! (!?) $5 {a} ; b\n % c\n",
            ],
        ),
        ("W:WK29:B11", &["29x04", "a1xh8"]),
    ] {
        let read = |text| game::<Russian>(&format!("[FEN \"{fen}\"] {text}")).line.moves[0].action;
        let first = read(&texts[0]);
        assert!(texts.iter().all(|text| read(text) == first), "{fen}");
    }
    let forms =
        ["1. c3-d4 b6-a5", "1. c3d4 b6a5", "1. 22-18 9-13", "22-18 09-13", "1.22-18 1...9-13"];
    let ends: Vec<String> = forms.iter().map(|text| end(&game::<Russian>(text))).collect();
    assert!(ends.iter().all(|fen| *fen == ends[0]), "{ends:?}");
    let marked = game::<International>("1. 32-28!! (?) 19-23* $4 *");
    assert_eq!(marked.line.moves[0].strength, "!!?");
    assert_eq!(marked.line.moves[1].nags, [7, 4]);
    assert_eq!(marked.result, Some(Outcome::Unknown));
    let capture = game::<International>("1. 32-28 19-23 2. 28*19 14:23 1/2");
    assert_eq!((capture.line.moves.len(), capture.result), (4, Some(Outcome::Draw)));
    // Columns of an older program, in the PDN tests of py-draughts.
    let columns = "1.32-28 19-23  2.28 x19 14 X 23  3.34-29 23 :\t34  4.40 x29*! 10-14";
    let columns = game::<International>(columns);
    assert_eq!(columns.line.moves.len(), 8);
    assert_eq!((&columns.line.moves[6].nags, columns.result), (&vec![7], None));
    // The game type as PlayOK writes it.
    let head = "[GameType \"20,W,10,10,N1,0\"] ";
    assert_eq!(game::<International>(&format!("{head}1. 32-28 18-23 0-1")).line.moves.len(), 2);
}

#[test]
fn results_separate_games_and_variations_have_none() {
    let games = read("1. 32-28 (1. 33-28 *) 2-0 {resigned} * 1. 34-30 0-2 [A \"1\"] [B \"2\"] 1-1");
    let results: Vec<Option<Outcome>> = games.iter().map(|game| game.result).collect();
    let expected = [Outcome::WhiteWins, Outcome::BlackWins, Outcome::Draw].map(Some);
    assert_eq!(results, expected);
    assert_eq!(games.iter().map(|game| game.number).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(games[0].body.last(), Some(&Item::Comment("resigned".to_string())));
    assert_eq!(games[2].tags.len(), 2);
    for (word, outcome) in [
        ("1-0", Outcome::WhiteWins),
        ("2-0", Outcome::WhiteWins),
        ("0-1", Outcome::BlackWins),
        ("0-2", Outcome::BlackWins),
        ("1/2-1/2", Outcome::Draw),
        ("1-1", Outcome::Draw),
        ("1/2", Outcome::Draw),
        ("0-0", Outcome::NoPoints),
        ("*", Outcome::Unknown),
    ] {
        let mut game = game::<International>(&format!("32-28 {word}"));
        assert_eq!(game.result, Some(outcome), "{word}");
        assert!(game.to_string().ends_with(&format!(" 32-28 {word}\n")), "{game}");
        // Another result is not written as the old one was.
        game.result = Some(Outcome::BlackWins);
        let end = if word == "0-2" { "0-2" } else { "0-1" };
        assert!(game.to_string().ends_with(&format!(" 32-28 {end}\n")), "{game}");
    }
    assert!(read("").is_empty());
    assert!(read(" * * 1-0 % nothing").is_empty());
}

#[test]
fn tags_keep_what_is_written() {
    let game = game::<International>("[Event \"a \\\"b\\\" \\\\ \\c\"] [ Site  \"Žatec\" ] *");
    let value = |name: &str| game.tags.iter().find(|tag| tag.0 == name).unwrap().1.as_str();
    assert_eq!((value("Event"), value("Site")), ("a \"b\" \\ \\c", "Žatec"));
    let written = game.to_string();
    assert_eq!(read(&written)[0].tags[1..], game.tags[..], "{written}");
    // Older files are Latin-1.
    assert_eq!(pdn::decode(b"[Site \"Li\xe8ge\"]"), "[Site \"Liège\"]");
    assert_eq!(pdn::decode("\u{feff}[Site \"Liège\"]".as_bytes()), "[Site \"Liège\"]");
}

#[test]
fn errors_say_where_and_what() {
    for (text, expected) in [
        (
            "1. 32-28 19-23 2. 28-22 *",
            "game 1, ply 3, line 1: '28-22' is no legal move here: expected 28x19",
        ),
        (
            "1. 32-28\n(1. 33-28 19-23\n2. 28-22) *",
            "game 1, ply 3, line 3: '28-22' is no legal move here: expected 28x19",
        ),
        (
            "[FEN \"W:WK47:B14,19,29,31,42\"] 1. 47x36 *",
            "game 1, ply 1, line 1: '47x36' may be any of 47x38x20x9x36, 47x38x24x13x36",
        ),
        (
            "[FEN \"W:W6:BK1\"] 1. 6-1 *",
            "game 1, ply 1, line 1: '6-1' is no legal move here: there is none, the game is over",
        ),
        // Found by fuzzing: a piece can go on where nothing is left to beat, but the game is over.
        (
            "[FEN \"W:W46:B\"] 1. 46-41 *",
            "game 1, ply 1, line 1: '46-41' is no legal move here: there is none, the game is over",
        ),
        ("[FEN \"W:W6,6:BK1\"] *", "game 1: bad FEN: column 6: two pieces on square 6"),
        (
            "1. 32-51",
            "game 1, ply 1, line 1: '51' in move '32-51' is no square of the board: expected 31-26, 31-27, 32-27, 32-28, 33-28, 33-29, 34-29, 34-30, 35-30",
        ),
        (
            "[GameType \"20,W,10,10,N0,0\"] *",
            "game 1: GameType '20,W,10,10,N0,0': expected '20,W,10,10,N2,0'",
        ),
        ("\n1. 32-28 {a\nb", "line 2: a comment begins here and does not end"),
        ("1. 32-28\n(1. 33-28", "line 2: a variation begins here and does not end"),
        ("1. 32-28 ) *", "line 1: ')' ends no variation"),
        ("(1. 32-28) *", "game 1: a variation before the first move of a line"),
        ("! 1. 32-28 *", "game 1: a mark of strength before the first move of a line"),
        ("$1 1. 32-28 *", "game 1: a numeric mark before the first move of a line"),
        ("[Event \"a]\n1. 32-28", "line 1: expected a tag like [Name \"value\"]"),
        ("[Event a]", "line 1: expected a tag like [Name \"value\"]"),
        ("1. 32-28 $x", "line 1: expected a number after '$'"),
        ("1. Kg7 *", "line 1: 'Kg7' is neither a move nor a result"),
        ("1. 3228 1823", "line 1: '3228' is neither a move nor a result"),
        ("1. - - *", "line 1: '-' is neither a move nor a result"),
        ("1. 32-28 é", "line 1: unexpected character '\\u{e9}'"),
        ("1. 32-28 /FEN \"W:W1\"/", "line 1: positions within a game are not read"),
    ] {
        assert_eq!(error::<International>(text), expected, "{text}");
    }
    let Err(PdnError::Move(bad)) = read("1. 32-28 17-21 2. 31-22 *")[0].resolve::<International>()
    else {
        panic!("an illegal move is no error");
    };
    assert_eq!((bad.game, bad.ply, bad.text.as_str()), (1, 3, "31-22"));
    assert!(bad.candidates.contains(&"31-27".to_string()), "{:?}", bad.candidates);
}

#[test]
fn deep_nesting_is_refused() {
    let nested = |depth: usize| {
        let mut text = "1. 32-28 ".to_string();
        text.push_str(&"(1. 33-28 ".repeat(depth));
        text.push_str(&")".repeat(depth));
        text
    };
    let game = game::<International>(&nested(pdn::MAX_DEPTH));
    assert_eq!(read(&game.to_string()).len(), 1);
    assert_eq!(
        error::<International>(&nested(pdn::MAX_DEPTH + 1)),
        "line 1: variations are nested deeper than 64"
    );
    assert!(error::<International>(&"(".repeat(1_000_000)).contains("deeper"));
}

/// A game played at random from a random position, written by hand of this test.
fn played<G: Rules>(
    side: Side,
    start: Position<G>,
    choices: &[u8],
    notation: Notation,
) -> (String, Vec<damabase_rules::Move<G::Word>>) {
    let (mut now, mut position, mut moves) = (side, start, Vec::new());
    let mut text = format!("[FEN \"{}\"]\n", Fen::new(side, start));
    for &choice in choices {
        let all = legal_moves(&position);
        if all.is_empty() || position.waiter.all() == G::Word::ZERO {
            break;
        }
        let action = all[usize::from(choice) % all.len()];
        text.push_str(&move_text(now, &position, &action, &all, notation));
        text.push(' ');
        moves.push(action);
        position = position.after(&action);
        now = now.other();
    }
    (text, moves)
}

macro_rules! random_games {
    ($($name:ident: $G:ty, $notation:ident;)*) => {
        proptest! {
            #![proptest_config(ProptestConfig {
                failure_persistence: None,
                ..ProptestConfig::default()
            })]
            $(
                #[test]
                fn $name(
                    (side, start) in random::position::<$G>(),
                    choices in prop::collection::vec(any::<u8>(), 0..30),
                ) {
                    let (text, moves) = played(side, start, &choices, Notation::$notation);
                    let game = game::<$G>(&text);
                    let read: Vec<_> = game.line.moves.iter().map(|m| m.action).collect();
                    prop_assert_eq!(&read, &moves);
                    let again = self::game::<$G>(&game.to_string());
                    prop_assert_eq!(again.line, game.line);
                }
            )*
        }
    };
}

random_games! {
    international_games: International, Numeric;
    russian_games: Russian, Algebraic;
    brazilian_games: Brazilian, Algebraic;
    english_games: English, Numeric;
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        cases: 2000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC*") {
        for game in pdn::read(&text).unwrap_or_default() {
            let _ = game.resolve::<International>();
        }
    }

    #[test]
    fn no_likely_text_makes_the_reader_panic(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "1.", "12...", "32-28", "19-23", "28x19", "28*19", "a1-b2", "*", "2-0", "(", ")",
                "{", "}", "{x}", "!", "(!)", "$1", "$", "[", "]", "[A \"b\"]", "\"", "\\", ";",
                "%", "\n", "/", "x", "-", ".", "[FEN \"B:W1:BK2\"]", "é", "[GameType \"25\"]",
            ]),
            0..40,
        ),
        space in prop::sample::select(vec!["", " ", "\n"]),
    ) {
        let text = words.join(space);
        for raw in pdn::read(&text).unwrap_or_default() {
            if let Ok(game) = raw.resolve::<International>() {
                let written = game.to_string();
                let again = pdn::read(&written);
                prop_assert!(again.is_ok(), "{text:?} {written:?} {again:?}");
            }
            let _ = raw.resolve::<Russian>();
        }
    }

    #[test]
    fn no_bytes_make_the_decoder_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = pdn::read(&pdn::decode(&bytes));
    }
}

#[test]
fn squares_are_those_of_the_diagram() {
    let game = game::<English>("1. 11-15 *");
    let board = English::board();
    let from = diagram_square(Side::Black, board, game.line.moves[0].action.from);
    assert_eq!(from.0 + 1, 11);
}
