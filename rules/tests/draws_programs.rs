//! The cases in which programs disagree with the texts and with each other. For each way of
//! counting that a profile can say, there is one: those of lidraughts come with the program, the
//! others are below, and stand for what pydraughts 0.6.7, py-draughts 1.10.1, PlayStrategy, DCTL
//! and a program that takes plies for moves do.
//!
//! | rule | disagreement | test |
//! |---|---|---|
//! | 25 moves, 10x10 | none | `all_count_25_moves_alike` |
//! | three pieces against a king, 10x10 | pydraughts: one streak of king moves; py-draughts: goes on for ever; lidraughts: one clock | `three_against_one_on_10x10`, `draws.rs`: `the_same_game_is_drawn_at_ply_32_or_at_ply_36` |
//! | two against a king, 10x10 | the same | `two_against_one_on_10x10` |
//! | 15 king moves, 8x8 | lidraughts: not with 4 to 7 pieces | `fifteen_king_moves`, `lidraughts_has_one_clock` |
//! | three kings or more, 8x8 | both packages: a capture restarts it | `three_kings_or_more` |
//! | 30 and 60 moves, 8x8 | pydraughts: by side, where both have as many; py-draughts: none | `thirty_moves_with_four_or_five_pieces` |
//! | main road, 8x8 | pydraughts: since the last capture; py-draughts: none; lidraughts: over the game | `the_main_road`, `lidraughts_tallies_the_main_road_over_the_game`, `lidraughts_draws_at_once_on_the_main_road` |
//! | two against a king, 8x8 | pydraughts: since the last capture, and not one against one; py-draughts: none | `two_against_one_on_8x8` |
//! | Frisian two kings, one king | 14 and 4 plies of one streak; py-draughts also 25 moves and repetition | `frisian_kings` |
//! | English | py-draughts: 40 plies; PlayStrategy: man moves do not restart | `english_forty_moves` |
//! | Italian | three occurrences or four | `italian_repetitions` |
//! | Turkish, one piece each | pydraughts: 4 plies | `turkish_single_pieces` |
//! | pool | DCTL: 30 plies; PlayStrategy: as lidraughts' Russian | `pool_three_kings` |
//! | Portuguese | none known | `draws_profiles.rs`: `other_federations_are_data_too` |
//! | plies taken for moves | 15 moves are over after 16 plies | `plies_taken_for_moves` |
//! | no counters (hcheckers, Scan) | repetition alone | `programs_without_counters` |
//!
//! No profile can say the following, which is no counting: captures that need not be made and
//! White's first move in py-draughts' English game, the tally of three moves with one Frisian king,
//! hcheckers' wish to avoid the position before, and the numbers of games in PDN.

mod common;

use std::sync::LazyLock;

use common::draws::*;
use damabase_rules::draws::*;
use damabase_rules::*;

/// A program's counters as a profile: for each name, limit, and the other fields of it.
fn program(counters: &[(&str, Option<u32>, &str)], occurrences: Option<u32>) -> DrawProfile {
    let mut text = "name = \"p\"\ntitle = \"\"\nvariants = []\nsource = \"its code\"\n".to_string();
    let words = "article = \"\"\nstatus = \"code\"\ntext = \"\"\n";
    for (name, limit, fields) in counters {
        text += &format!("[[counter]]\nname = \"{name}\"\n{words}{fields}\n");
        text += &limit.map_or(String::new(), |limit| format!("limit = {limit}\n"));
    }
    if let Some(count) = occurrences {
        text += &format!("[repetition]\n{words}count = {count}\n");
    }
    DrawProfile::from_toml(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

const KING_MOVES: &str = "restart = [\"capture\", \"man-move\"]";
const LONE_KING: &str = "weak = { men = 0, kings = 1 }";
const ROAD: &str = "road = \"weak-king-alone\"";

/// `[{ ... }]`: a lone king against these pieces.
fn against(strong: &str) -> String {
    format!("[{{ {LONE_KING}, strong = {{ {strong} }} }}]")
}

/// A case with a limit of its own, and restarts as [`KING_MOVES`].
fn case(when: &str, limit: u32) -> String {
    format!("{{ when = {when}, limit = {limit}, {KING_MOVES} }}")
}

/// pydraughts, 10x10: `consecutive_noncapture_king_moves`, with limits by material.
fn pydraughts_100() -> &'static DrawProfile {
    static PROFILE: LazyLock<DrawProfile> = LazyLock::new(|| {
        let three = case(&against("pieces = 3, kings = \"1+\""), 32);
        let two = case(&against("pieces = \"1-2\", kings = \"1+\""), 10);
        program(&[("Q", Some(50), &format!("{KING_MOVES}\ncase = [{three}, {two}]"))], Some(3))
    });
    &PROFILE
}

/// py-draughts, 10x10: counts of 16 and 5 that begin where their material first comes up, and go
/// on whatever comes after.
fn py_draughts_100() -> &'static DrawProfile {
    static PROFILE: LazyLock<DrawProfile> = LazyLock::new(|| {
        let always = |strong: &str| format!("start = {}\nkeep = [{{}}]", against(strong));
        let (c16, c5) =
            (always("pieces = 3, kings = \"1+\""), always("pieces = \"1-2\", kings = \"1+\""));
        let counters =
            [("Q", Some(50), KING_MOVES), ("C16", Some(32), &c16), ("C5", Some(10), &c5)];
        program(&counters, Some(3))
    });
    &PROFILE
}

/// pydraughts, 8x8: the streak of king moves, and `moves_since_last_capture` with limits by
/// material, 4 to 7 pieces on each side and as many kings.
fn pydraughts_64() -> &'static DrawProfile {
    static PROFILE: LazyLock<DrawProfile> = LazyLock::new(|| {
        let mut cases = Vec::new();
        let mut add = |when: String, limit: u32| {
            cases.push(format!("{{ when = {when}, limit = {limit}, restart = [\"capture\"] }}"));
        };
        for (pieces, limit) in [(4, 60), (5, 60), (6, 120), (7, 120)] {
            let side = |kings: u32| format!("{{ pieces = {pieces}, kings = {kings} }}");
            let classes: Vec<String> = (1..=pieces)
                .map(|kings| format!("{{ weak = {0}, strong = {0} }}", side(kings)))
                .collect();
            add(format!("[{}]", classes.join(", ")), limit);
        }
        let road =
            format!("[{{ {LONE_KING}, strong = {{ pieces = 3, kings = \"1+\" }}, {ROAD} }}]");
        add(road, 10);
        add(against("pieces = 2, kings = \"1+\""), 10);
        let since = format!("restart = [\"capture\"]\ncase = [{}]", cases.join(", "));
        program(&[("Q", Some(30), KING_MOVES), ("S", None, &since)], Some(3))
    });
    &PROFILE
}

/// py-draughts, 8x8: 15 king moves, and 15 moves of three kings by the same clock.
fn py_draughts_64() -> &'static DrawProfile {
    static PROFILE: LazyLock<DrawProfile> =
        LazyLock::new(|| program(&[("Q", Some(30), KING_MOVES)], Some(3)));
    &PROFILE
}

/// A count of king moves with this limit, and a repetition.
fn king_moves(limit: u32, occurrences: Option<u32>) -> DrawProfile {
    program(&[("Q", Some(limit), KING_MOVES)], occurrences)
}

fn play<'p, G: Rules>(
    profile: &'p DrawProfile,
    start: &str,
    values: &[(&str, u32)],
    moves: &str,
) -> Replay<'p, G> {
    game_with(profile, start, &seeds(values), moves)
}

/// Whether a counter is at its limit on the board.
fn is_due<G: Rules>(replay: &Replay<G>, name: &str) -> bool {
    left(replay, name) == Some(0)
}

#[test]
fn all_count_25_moves_alike() {
    let (start, moves) = ("W:WK46,31:BK5,20", "1. 46-41");
    for (profile, name) in [
        (pydraughts_100(), "Q"),
        (py_draughts_100(), "Q"),
        (profile("li-standard"), "H"),
        (profile("fmjd100-2018"), "Q25"),
    ] {
        let replay = play::<International>(profile, start, &[(name, 49)], moves);
        assert_eq!((replay.first_draw(), is_due(&replay, name)), (Some(1), true), "{name}");
        let replay = play::<International>(profile, start, &[(name, 49)], "1. 31-27");
        assert_eq!((value(&replay, name), replay.first_draw()), (Some(0), None), "{name}");
    }
}

#[test]
fn three_against_one_on_10x10() {
    // One of three kings is taken at ply 26. A streak begins anew there, a count does not.
    let ends = |profile: &DrawProfile| {
        play::<International>(profile, THREE_KINGS, &[], THREE_KINGS_MOVES).first_draw()
    };
    assert_eq!((ends(pydraughts_100()), ends(py_draughts_100())), (Some(36), Some(32)));
    // A man's move begins a streak anew, and not the sixteen moves.
    let (start, moves) = ("W:WK46,K47,31:BK5", "1. 31-26");
    for (profile, name, expected) in [
        (pydraughts_100(), "Q", 0),
        (py_draughts_100(), "C16", 21),
        (profile("li-standard"), "H", 21),
        (profile("fmjd100-2018"), "C16", 21),
        (profile("fmjd100-2015-fresh"), "C16", 21),
    ] {
        let replay = play::<International>(profile, start, &[(name, 20)], moves);
        assert_eq!(value(&replay, name), Some(expected), "{name}");
    }
    // So pydraughts draws later than 32 plies, or earlier where a FEN brings a count from before
    // the material: in a game a capture or promotion makes it, and both restart the streak.
    let replay = play::<International>(pydraughts_100(), start, &[("Q", 31)], "1. 46-41");
    assert_eq!(replay.first_draw(), Some(1));
    let promoted =
        play::<International>(pydraughts_100(), "W:W6,44,45:BK50", &[("Q", 31)], "1. 6-1");
    assert_eq!((value(&promoted, "Q"), promoted.first_draw()), (Some(0), None));
    // The last king is lost: py-draughts goes on counting, the text has no such class.
    let (start, moves) = ("B:WK28,35,36:BK5", "1... 5x32");
    let goes_on = play::<International>(py_draughts_100(), start, &[("C16", 20)], moves);
    assert_eq!(value(&goes_on, "C16"), Some(21));
    let ends = game::<International>("fmjd100-2018", start, &[("C16", 20)], moves);
    assert_eq!(value(&ends, "C16"), None);
}

#[test]
fn two_against_one_on_10x10() {
    let (start, moves) = ("W:WK2,16:BK50", "1. 16-11");
    for (profile, name, expected) in [
        (pydraughts_100(), "Q", 0),
        (py_draughts_100(), "C5", 5),
        (profile("li-standard"), "H", 5),
        (profile("fmjd100-2018"), "C5", 5),
    ] {
        let replay = play::<International>(profile, start, &[(name, 4)], moves);
        assert_eq!(value(&replay, name), Some(expected), "{name}");
        assert_eq!(left(&replay, name), Some(10 - expected), "{name}");
    }
    // Both counts run in py-draughts, as in the later text; the smaller remainder decides.
    let values = [("C16", 31), ("C5", 3)];
    for profile in [py_draughts_100(), profile("fmjd100-2018")] {
        let replay = play::<International>(profile, "W:WK2,K16:BK50", &values, "1. 2-7");
        assert_eq!(replay.first_draw(), Some(1));
        assert_eq!((is_due(&replay, "C16"), is_due(&replay, "C5")), (true, false));
    }
}

#[test]
fn fifteen_king_moves() {
    let (start, moves) = ("W:WK29,21:BK4,12", "1. 29-25");
    for (profile, name, expected) in [
        (pydraughts_64(), "Q", Some(1)),
        (py_draughts_64(), "Q", Some(1)),
        (profile("fmjd64"), "K15", Some(1)),
        (profile("li-russian"), "H", None),
    ] {
        let replay = play::<Russian>(profile, start, &[(name, 29)], moves);
        assert_eq!((value(&replay, name), replay.first_draw()), (Some(30), expected), "{name}");
    }
}

#[test]
fn three_kings_or_more() {
    // Four kings become three: the count goes on, a streak begins anew.
    let (start, moves) = ("B:WK6,K29,K31,K32:BK1", "1... 1x10");
    for (profile, name, expected) in [
        (profile("fmjd64"), "K3", 5),
        (pydraughts_64(), "Q", 0),
        (py_draughts_64(), "Q", 0),
        (profile("li-russian"), "H", 0),
    ] {
        let replay = play::<Russian>(profile, start, &[(name, 4)], moves);
        assert_eq!(
            (value(&replay, name), left(&replay, name)),
            (Some(expected), Some(30 - expected))
        );
    }
}

#[test]
fn thirty_moves_with_four_or_five_pieces() {
    // Four pieces on the board, and four on each side; a man's move is the sixtieth ply.
    let four = "W:WK29,21:BK4,12";
    let eight = "W:WK29,21,22,24:BK4,12,11,3";
    let ends = |profile: &DrawProfile, start: &str, name: &str, most: u32| {
        play::<Russian>(profile, start, &[(name, most - 1)], "1. 21-17").first_draw()
    };
    assert_eq!(ends(profile("fmjd64"), four, "B45", 60), Some(1));
    assert_eq!(ends(profile("li-russian"), four, "H", 60), Some(1));
    assert_eq!(ends(pydraughts_64(), four, "S", 60), None);
    assert_eq!(ends(py_draughts_64(), four, "Q", 30), None);
    assert_eq!(ends(pydraughts_64(), eight, "S", 60), Some(1));
    let official = game::<Russian>("fmjd64", eight, &[], "1. 21-17");
    assert_eq!((value(&official, "B45"), value(&official, "B67")), (None, None));
    // Six on the board, and six on each side.
    let six = "W:WK29,21,22:BK4,12,11";
    assert_eq!(ends(profile("fmjd64"), six, "B67", 120), Some(1));
    assert_eq!(ends(pydraughts_64(), six, "S", 120), None);
    let twelve = "W:WK29,21,22,23,24,28:BK4,12,11,3,2,1";
    assert_eq!(ends(pydraughts_64(), twelve, "S", 120), Some(1));
    // Where one side has a king more pydraughts does not count.
    let unequal = "W:WK29,21,22,K30:BK4,12,11,3";
    assert_eq!(ends(pydraughts_64(), unequal, "S", 60), None);
    // A promotion restarts the official count alone.
    let (start, moves) = ("W:WK32,K31,5:BK12", "1. 5-1");
    let replay = play::<Russian>(pydraughts_64(), start, &[("S", 20)], moves);
    assert_eq!((value(&replay, "S"), value(&replay, "Q")), (Some(21), Some(0)));
    let replay = game::<Russian>("fmjd64", start, &[("B45", 20)], moves);
    assert_eq!(value(&replay, "B45"), Some(0));
}

#[test]
fn the_main_road() {
    // The lone king steps onto the road 20 plies after the last capture.
    let (start, moves) = ("B:WK1,K2,21:BK32", "1... 32-18");
    let replay = play::<Russian>(pydraughts_64(), start, &[("S", 20)], moves);
    assert_eq!((replay.first_draw(), is_due(&replay, "S")), (Some(1), true));
    // Off the road it has no limit, and the count goes on.
    let replay = play::<Russian>(pydraughts_64(), start, &[("S", 20)], "1... 32-28");
    assert_eq!((value(&replay, "S"), left(&replay, "S")), (Some(21), None));
    // The text begins there, py-draughts has no such rule, lidraughts draws at 30.
    let replay = game::<Russian>("fmjd64", start, &[("B45", 20)], moves);
    assert_eq!((value(&replay, "ROAD5"), left(&replay, "ROAD5")), (Some(0), Some(10)));
    assert_eq!(replay.first_draw(), None);
    let replay = play::<Russian>(py_draughts_64(), start, &[("Q", 20)], moves);
    assert_eq!(left(&replay, "Q"), Some(9));
    let replay = game::<Russian>("li-russian", start, &[("H", 20)], moves);
    assert_eq!(left(&replay, "H"), Some(9));
}

#[test]
fn two_against_one_on_8x8() {
    let shuffle = "1. 1-5 32-28 2. 5-1 28-32 ".repeat(3);
    let ends = |profile: &DrawProfile, start: &str, name: &str| {
        let replay = play::<Russian>(profile, start, &[], &shuffle);
        let counter = replay.profile().counter(name).unwrap();
        let is_due = |record: &Record<Russian>| {
            record.due.iter().any(|due| matches!(due.cause, Cause::Counter(i) if i == counter))
        };
        replay.records().iter().position(is_due)
    };
    let (two, one) = ("W:WK1,21:BK32", "W:WK1:BK32");
    for (profile, name, expected) in [
        (profile("fmjd64"), "C5", [Some(10), Some(10)]),
        (profile("li-russian"), "H", [Some(10), Some(10)]),
        (pydraughts_64(), "S", [Some(10), None]),
        (py_draughts_64(), "Q", [None, None]),
    ] {
        assert_eq!([two, one].map(|start| ends(profile, start, name)), expected, "{name}");
    }
    // A promotion makes two against one, 20 plies after the last capture: pydraughts draws at once.
    let (start, moves) = ("W:W5,21:BK32", "1. 5-1");
    let replay = play::<Russian>(pydraughts_64(), start, &[("S", 20)], moves);
    assert_eq!(replay.first_draw(), Some(1));
    let replay = game::<Russian>("fmjd64", start, &[], moves);
    assert_eq!(value(&replay, "C5"), Some(0));
}

/// With the moves of international draughts: counters see no captures along rows.
#[test]
fn frisian_kings() {
    let [two, one] = ["kings = 2", "kings = 1"]
        .map(|kings| format!("[{{ {LONE_KING}, strong = {{ men = 0, {kings} }} }}]"));
    let cases = format!("{KING_MOVES}\ncase = [{}, {}]", case(&two, 14), case(&one, 4));
    // pydraughts has no limit elsewhere, py-draughts that of 25 moves, and repetition.
    let pydraughts = program(&[("Q", None, &cases)], None);
    let py_draughts = program(&[("Q", Some(50), &cases)], Some(3));
    for profile in [&pydraughts, &py_draughts] {
        let replay = play::<International>(profile, "W:WK46,K47:BK3", &[("Q", 13)], "1. 46-41");
        assert_eq!(replay.first_draw(), Some(1));
        let replay = play::<International>(profile, "W:WK46:BK3", &[("Q", 3)], "1. 46-41");
        assert_eq!(replay.first_draw(), Some(1));
    }
    let replay = game::<International>("frisian-2011", "W:WK46,K47:BK3", &[("F7", 13)], "1. 46-41");
    assert_eq!(replay.first_draw(), Some(1));
    // The text has nothing for 25 moves and repetitions.
    let (start, moves) = ("W:WK46,31:BK3,20", "46-41 3-8 41-46 8-3 46-41 3-8 41-46 8-3");
    for (profile, expected) in
        [(&pydraughts, None), (&py_draughts, Some(8)), (profile("frisian-2011"), None)]
    {
        assert_eq!(play::<International>(profile, start, &[], moves).first_draw(), expected);
    }
    let replay = play::<International>(&py_draughts, start, &[("Q", 49)], "46-41");
    assert_eq!(replay.first_draw(), Some(1));
}

#[test]
fn english_forty_moves() {
    let pydraughts = king_moves(80, Some(3));
    let py_draughts = king_moves(40, Some(3));
    let no_promotion = "restart = [\"capture\", \"promotion\"]";
    let playstrategy = program(&[("Q", Some(80), no_promotion)], Some(3));
    let start = "B:WK32,21:BK1,9";
    let at = |profile: &DrawProfile, counted: u32, moves: &str| {
        let replay = play::<English>(profile, start, &[("Q", counted)], moves);
        (value(&replay, "Q").unwrap(), replay.first_draw().is_some())
    };
    assert_eq!(at(&pydraughts, 79, "1... 1-5"), (80, true));
    assert_eq!(at(&py_draughts, 39, "1... 1-5"), (40, true));
    assert_eq!(at(&playstrategy, 79, "1... 1-5"), (80, true));
    assert_eq!(at(&pydraughts, 79, "1... 9-13"), (0, false));
    assert_eq!(at(&py_draughts, 39, "1... 9-13"), (0, false));
    // A man's move is none of the forty in the text, and one here.
    assert_eq!(at(&playstrategy, 79, "1... 9-13"), (80, true));
    let official = game::<English>("wcdf", start, &[("N40", 79)], "1... 9-13");
    assert_eq!(value(&official, "N40"), Some(0));
    // The text's draw is claimed, not automatic.
    let official = game::<English>("wcdf", start, &[("N40", 79)], "1... 1-5");
    assert_eq!((official.first_draw(), is_due(&official, "N40")), (None, true));
}

#[test]
fn italian_repetitions() {
    // The kings walk to and fro; every fourth ply the first position comes back.
    let shuffle = "1. 32-27 1-5 2. 27-32 5-1 ".repeat(3);
    let pydraughts = king_moves(80, Some(3));
    let dctl = king_moves(80, Some(4));
    for (profile, expected) in [(&pydraughts, 8), (&dctl, 12), (profile("fid"), 12)] {
        let replay = play::<English>(profile, "W:WK32,21:BK1,9", &[], &shuffle);
        assert_eq!(replay.first_draw(), Some(expected));
    }
}

#[test]
fn turkish_single_pieces() {
    // pydraughts counts 4 plies since the last capture; the text draws at once.
    let one = "when = [{ weak = { pieces = 1 }, strong = { pieces = 1 } }]";
    let since = format!(
        "restart = [\"capture\"]\ncase = [{{ {one}, limit = 4, restart = [\"capture\"] }}]"
    );
    let pydraughts = program(&[("S", None, &since)], Some(3));
    let moves = "46-41 4-9 41-46 9-13";
    let replay = play::<International>(&pydraughts, "W:WK46:B4", &[], moves);
    assert_eq!(replay.first_draw(), Some(4));
    let replay = game::<International>("turkish", "W:WK46:B4", &[], moves);
    assert_eq!(replay.first_draw(), Some(0));
}

#[test]
fn pool_three_kings() {
    let start = "W:WK30,K1,K2:BK32";
    let dctl = king_moves(30, Some(3));
    for (profile, name, most) in
        [(profile("apca"), "K13", 26), (&dctl, "Q", 30), (profile("li-russian"), "H", 30)]
    {
        let at = |counted| play::<Russian>(profile, start, &[(name, counted)], "1. 30-26");
        assert_eq!(at(most - 2).first_draw(), None, "{name}");
        assert_eq!(at(most - 1).first_draw(), Some(1), "{name}");
    }
}

/// A program tests `i - start > 15` with `i` a ply.
#[test]
fn plies_taken_for_moves() {
    let hasty = king_moves(16, None);
    let start = "W:WK29,21:BK4,12";
    let replay = play::<Russian>(&hasty, start, &[("Q", 15)], "1. 29-25");
    assert_eq!(replay.first_draw(), Some(1));
    let replay = game::<Russian>("fmjd64", start, &[("K15", 15)], "1. 29-25");
    assert_eq!((replay.first_draw(), left(&replay, "K15")), (None, Some(14)));
}

#[test]
fn programs_without_counters() {
    // Scan's games end with the third occurrence, and with nothing else.
    let scan = program(&[], Some(3));
    let replay = play::<International>(&scan, THREE_KINGS, &[], THREE_KINGS_MOVES);
    assert_eq!(replay.first_draw(), None);
    let shuffle = "46-41 3-8 41-46 8-3 ".repeat(2);
    let replay = play::<International>(&scan, "W:WK46:BK3", &[], &shuffle);
    assert_eq!(replay.first_draw(), Some(8));
    let none = play::<International>(profile("none"), "W:WK46:BK3", &[], &shuffle);
    assert_eq!(none.first_draw(), None);
}

#[test]
fn lidraughts_draws_at_once_on_the_main_road() {
    let start = "B:WK1,K2,21:BK32";
    let clock = Seeds { half_moves: Some(40), counters: Vec::new() };
    for name in ["li-russian", "li-brazilian"] {
        let replay = game_with::<Russian>(profile(name), start, &clock, "1... 32-18");
        assert_eq!((value(&replay, "H"), replay.first_draw()), (Some(41), Some(1)), "{name}");
        // Off the road there would be 60.
        let replay = game_with::<Russian>(profile(name), start, &clock, "1... 32-28");
        assert_eq!((left(&replay, "H"), replay.first_draw()), (Some(19), None), "{name}");
    }
    let replay = game::<Russian>("fmjd64", start, &[("B45", 40)], "1... 32-18");
    assert_eq!((value(&replay, "ROAD5"), value(&replay, "B45")), (Some(0), Some(41)));
}

#[test]
fn lidraughts_tallies_the_main_road_over_the_game() {
    // The lone king walks on the road, leaves it, and comes back; White's kings stay off it.
    let start = "B:WK1,K2,K3:BK22";
    let there = "22-29 1-5 29-25 5-1 25-29 1-5 29-25 5-1 25-29 1-5";
    let replay = game::<Russian>("li-russian", start, &[], there);
    // Ten plies on the road are recorded, and ten are on the clock.
    assert_eq!((value(&replay, "TALLY"), value(&replay, "H")), (Some(10), Some(10)));
    assert_eq!(replay.first_draw(), Some(10));

    let away = "22-29 1-5 29-25 5-1 25-30 1-5 30-25 5-1 25-29 1-5 29-25 5-1 25-29 1-5";
    let replay = game::<Russian>("li-russian", start, &[], away);
    assert_eq!(value(&replay, "TALLY"), Some(12));
    assert_eq!(replay.first_draw(), Some(12));
    // The federation's text begins anew on return.
    let replay = game::<Russian>("fmjd64", start, &[], away);
    let road = replay.profile().counter("ROAD5").unwrap();
    assert_eq!(replay.records()[5].counters.value(road), None);
    assert_eq!(replay.records()[7].counters.value(road), Some(0));
    assert_eq!((value(&replay, "ROAD5"), value(&replay, "K3")), (Some(7), Some(14)));
    assert_eq!(replay.records()[7].origins[road].started, 7);
}

#[test]
fn lidraughts_has_one_clock() {
    // 15 king moves do not count with 4 to 7 pieces.
    let clock = Seeds { half_moves: Some(29), counters: Vec::new() };
    let replay =
        game_with::<Russian>(profile("li-russian"), "W:WK29,21:BK4,12", &clock, "1. 29-25");
    assert_eq!((value(&replay, "H"), left(&replay, "H")), (Some(30), Some(30)));
    // A man move there goes on, one with other material does not; without a king there is none.
    let replay =
        game_with::<Russian>(profile("li-russian"), "W:WK29,21:BK4,12", &clock, "1. 21-17");
    assert_eq!(value(&replay, "H"), Some(30));
    let eight = "W:WK29,21,22,24:BK4,12,11,3";
    let replay = game_with::<Russian>(profile("li-russian"), eight, &clock, "1. 21-17");
    assert_eq!((value(&replay, "H"), left(&replay, "H")), (Some(0), Some(30)));
    let replay = game_with::<Russian>(profile("li-russian"), "W:WK29,21:B12", &clock, "1. 21-17");
    assert_eq!(value(&replay, "H"), None);
    // At most 100 come from a FEN.
    let clock = Seeds { half_moves: Some(118), counters: Vec::new() };
    let six = "W:WK29,21,22:BK4,12,11";
    let replay = game_with::<Russian>(profile("li-russian"), six, &clock, "");
    assert_eq!((value(&replay, "H"), left(&replay, "H")), (Some(100), Some(20)));
    // International: the limit follows the material, the first promotion restarts.
    let replay = game::<International>("li-standard", "W:W6,44:BK50", &[("H", 20)], "1. 6-1 50x33");
    assert_eq!(replay.records()[1].counters.value(0), Some(0));
    // The capture that leaves one against one does not.
    assert_eq!((value(&replay, "H"), left(&replay, "H")), (Some(1), Some(9)));
}
