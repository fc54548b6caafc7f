//! Values that were worked out by hand or by other solvers, read from tables of budgets. "Needs N"
//! is the number of plies that must be left.
//!
//! The examples have numbers (there is no 9); `rules/tests/draws.rs` tests what they say of
//! counters, and tells where the text that they come from says more than its articles do.
//!
//! | example | test |
//! |---|---|
//! | 1 to 4, 17: five moves | `five_moves` |
//! | 1b, 6: sixteen moves | `sixteen_moves` |
//! | 5: one of three kings is taken, MIN, FRESH and KEEP | `a_king_of_three_is_taken` |
//! | 7: sixteen moves after a capture | `captures_that_leave_three_against_one` |
//! | 8: three kings on 8x8 | `three_kings_against_one_on_8x8` |
//! | 10: a promotion | `promotion_starts_one_count_and_leaves_another`, `a_promotion_may_save_a_win` |
//! | 11: 25 moves with kings only | `twenty_five_king_moves` |
//! | 12: two counters | `two_counters` |
//! | 13: lidraughts on the main road | `a_step_onto_the_main_road_draws` |
//! | 14: Frisian, two kings against one | `seven_moves` |
//! | 15: Frisian, three moves with one king | none: the game is not played |
//! | 16: man moves and the five moves | `a_man_move_does_not_stop_the_five` |
//! | 18: English claims | `forty_moves_are_claimed` |
//!
//! The positions of 10, 12, 13 and 18 are drawn in theory, or by the move that the example plays; so
//! beside each there is one of the same kind in which the counters decide.

mod common;

use std::sync::atomic::AtomicBool;

use common::forward::{follow, values};
use common::options;
use damabase_formats::table::{Compression, Metric, WriteOptions};
use damabase_formats::{Distance, Fen, Slice, ToMove};
use damabase_generator::{Options, Silent, generate, stats};
use damabase_probe::{Counted, Standing, TableSet};
use damabase_rules::draws::{self, DrawProfile, Replay, Seeds};
use damabase_rules::{
    Brazilian, English, International, Rules, Russian, Side, Square, legal_moves,
};
use tempfile::TempDir;

use Standing::{BlessedLoss, CursedWin, Draw, Loss, Win};

/// Tables under a profile.
struct Tables<G: Rules> {
    set: TableSet<G>,
    profile: DrawProfile,
    _dir: TempDir,
}

impl<G: Rules> Tables<G> {
    fn new(profile: &DrawProfile, slices: &[&str]) -> Tables<G> {
        Tables::with(profile, slices, &[Metric::Wld, Metric::Budget])
    }

    fn with(profile: &DrawProfile, slices: &[&str], metrics: &[Metric]) -> Tables<G> {
        let dir = tempfile::tempdir().unwrap();
        let options = Options {
            pieces: None,
            slices: slices.iter().map(|name| name.parse().unwrap()).collect(),
            profile: Some(profile.clone()),
            // Quick to write.
            write: WriteOptions {
                compression: Some(Compression::Zstd),
                level: 1,
                ..WriteOptions::default()
            },
            ..options(dir.path(), 0, metrics)
        };
        generate(G::ID, &options, &AtomicBool::new(false), &Silent).unwrap();
        let set = TableSet::open(&[dir.path().to_owned()]).unwrap();
        Tables { set, profile: profile.clone(), _dir: dir }
    }

    fn built_in(profile: &str, slices: &[&str]) -> Tables<G> {
        Tables::new(draws::built_in(profile).unwrap(), slices)
    }

    /// A game that begins with a FEN, in which counters may be given.
    fn game(&self, fen: &str) -> Replay<'_, G> {
        let fen = Fen::<G>::parse(fen).unwrap();
        let seeds = Seeds { half_moves: fen.half_moves, counters: fen.counters };
        Replay::new(&self.profile, fen.side, fen.position, &seeds).unwrap()
    }

    fn value(&self, game: &Replay<G>) -> Counted {
        let now = game.now();
        self.set.under(&self.profile).value(&now.position, &now.counters).unwrap()
    }

    fn standing(&self, fen: &str) -> Standing {
        self.value(&self.game(fen)).standing.unwrap()
    }

    /// Checks that a position needs so many plies, and what it is worth at each value of a counter
    /// with such a limit.
    fn needs(&self, fen: &str, needed: Distance, counter: &str, limit: u32) {
        let found = self.value(&self.game(fen));
        assert_eq!(found.budget, Some(needed), "{fen} {}", self.profile.name);
        let plies = u32::from(needed.plies().unwrap());
        for value in 0..limit + 3 {
            let expected = match (needed, value + plies <= limit) {
                (Distance::Win(_), true) => Win,
                (Distance::Win(_), false) => CursedWin,
                (_, true) => Loss,
                (_, false) => BlessedLoss,
            };
            let fen = format!("{fen}:C{counter}={value}");
            assert_eq!(self.standing(&fen), expected, "{fen} {}", self.profile.name);
        }
    }
}

/// Plays a move given by the numbers of its squares.
fn play<G: Rules>(game: &mut Replay<G>, from: u8, to: u8) {
    let now = game.now();
    let square = |number: u8| match now.side {
        Side::White => Square(number - 1),
        Side::Black => G::board().turned_square(Square(number - 1)),
    };
    let (from, to) = (square(from), square(to));
    let moves = legal_moves(&now.position);
    let action = *moves.iter().find(|m| m.from == from && m.to == to).expect("a legal move");
    game.play(action).unwrap();
}

#[test]
fn five_moves() {
    let tables = Tables::<International>::built_in("fmjd100-2018", &["KMvK"]);
    // White's fifth move is ply 9 or 10.
    tables.needs("W:WK2,6:BK50", Distance::Win(9), "C5", 10);
    assert_eq!(tables.standing("W:WK2,6:BK50:CC5=1"), Win);
    assert_eq!(tables.standing("W:WK2,6:BK50:CC5=2"), CursedWin);
    tables.needs("B:WK1,K7:BK45", Distance::Loss(8), "C5", 10);

    // Published by Taille: won on the very last ply, White's fifth move.
    let mut game = tables.game("B:WK6,K16:BK45");
    let moves = [
        (45, 50),
        (16, 11),
        (50, 45),
        (6, 1),
        (45, 50),
        (11, 6),
        (50, 45),
        (6, 50),
        (45, 40),
        (1, 45),
    ];
    for (ply, (from, to)) in moves.into_iter().enumerate() {
        let value = tables.value(&game);
        // Black's first move is the mistake; from his second on both sides play to the very ply.
        let expected = match ply {
            0 => Draw,
            ply if ply % 2 == 1 => Win,
            _ => Loss,
        };
        assert_eq!(value.standing, Some(expected), "{ply}");
        if ply >= 2 {
            assert_eq!(value.to_spare, Some(0), "{ply}");
        }
        if ply == 9 {
            assert_eq!((value.standing, value.budget), (Some(Win), Some(Distance::Win(1))));
            assert_eq!(value.left.unwrap().plies, Some(1));
            assert_eq!(legal_moves(&game.now().position).len(), 1);
        }
        play(&mut game, from, to);
    }
    assert_eq!(game.now().winner, Some(Side::White));
    assert_eq!((tables.value(&game).standing, game.first_draw()), (Some(Loss), None));
    // The same position a pair of moves later: the draw came before.
    for counted in [10, 11] {
        assert_eq!(tables.standing(&format!("W:WK1,K50:BK40:CC5={counted}")), CursedWin);
    }

    // The weak side's last ply: the end of the game comes first.
    assert_eq!(tables.standing("B:WK28:BK33:CC5=9"), Win);
    assert_eq!(tables.standing("B:WK28:BK33:CC5=10"), CursedWin);
}

/// Longest win with the stronger side to move and longest loss with the weaker to move.
fn longest<G: Rules>(tables: &Tables<G>, slice: &str) -> (u32, u32) {
    let slice: Slice = slice.parse().unwrap();
    let found = stats(&tables.set).unwrap();
    let sides = &found.iter().find(|found| found.slice == slice).unwrap().sides;
    let of = |to_move: ToMove| {
        let side = sides.iter().find(|side| side.to_move == to_move).unwrap_or(&sides[0]);
        &side.statistics.iter().find(|(metric, _)| *metric == Metric::Budget).unwrap().1
    };
    (of(ToMove::First).longest_win_plies.unwrap(), of(ToMove::Second).longest_loss_plies.unwrap())
}

#[test]
fn sixteen_moves() {
    let tables = Tables::<International>::built_in("fmjd100-2018", &["KMMvK"]);
    for (slice, expected) in [
        ("KvK", (3, 2)),
        ("KKvK", (7, 8)),
        ("KMvK", (9, 8)),
        ("KKKvK", (15, 16)),
        ("KKMvK", (31, 32)),
        ("KMMvK", (29, 18)),
    ] {
        assert_eq!(longest(&tables, slice), expected, "{slice}");
    }
    // The extreme cases: White's sixteenth move.
    tables.needs("W:WK40,K45,50:BK11", Distance::Win(31), "C16", 32);
    tables.needs("B:WK40,K45,50:BK7", Distance::Loss(32), "C16", 32);
    tables.needs("B:WK13,K19,K37:BK8", Distance::Loss(16), "C16", 32);

    let fresh = Tables::<International>::built_in("fmjd100-2015-fresh", &["KKMvK"]);
    assert_eq!(longest(&fresh, "KKMvK"), (28, 29));
}

/// Published with the question which rule draws it: 13... 17x39 leaves two kings.
#[test]
fn a_king_of_three_is_taken() {
    let moves = [
        (47, 38),
        (3, 9),
        (46, 23),
        (9, 22),
        (38, 24),
        (22, 17),
        (48, 31),
        (17, 39),
        (24, 38),
        (39, 17),
        (31, 42),
        (17, 22),
        (38, 15),
        (22, 6),
        (42, 31),
        (6, 1),
        (31, 18),
        (1, 6),
        (18, 13),
        (6, 17),
        (15, 20),
        (17, 39),
        (13, 18),
        (39, 17),
        (20, 33),
        (17, 39),
        (18, 13),
        (39, 33),
        (13, 27),
        (33, 17),
        (23, 19),
        (17, 12),
        (27, 22),
        (12, 29),
        (19, 32),
        (29, 12),
    ];
    let built_in = |name| draws::built_in(name).unwrap().clone();
    // KEEP: the sixteen moves alone go on.
    let text = draws::toml_text("fmjd100-2018").unwrap();
    let text = text.replacen("name = \"C5\"", "name = \"C5\"\nunless = \"C16\"", 1);
    let keep = DrawProfile::from_toml(&text).unwrap();
    for (profile, left_at_26, drawn_at) in [
        (built_in("fmjd100-2018"), 6, 32),
        (built_in("fmjd100-2015-fresh"), 10, 36),
        (built_in("li-standard"), 10, 36),
        (keep, 6, 32),
    ] {
        let tables = Tables::<International>::new(&profile, &["KKKvK"]);
        let profile = &profile.name;
        let mut game = tables.game("W:WK46,K47,K48:BK3");
        // Every ply follows from the one after it: nobody can do better than the tables say.
        let mut before = tables.value(&game);
        assert_eq!(before.left.unwrap().plies, Some(32));
        for (n, (from, to)) in moves.into_iter().enumerate() {
            play(&mut game, from, to);
            let now = tables.value(&game);
            let left = now.left.unwrap().plies.unwrap();
            if n + 1 == 26 {
                assert_eq!(left, left_at_26, "{profile}");
            }
            if game.first_draw().is_none_or(|first| first > n) && left > 0 {
                let best = before.standing.unwrap().result();
                assert!(best >= now.standing.unwrap().turned().result(), "{profile} {n}");
            }
            before = now;
        }
        assert_eq!(game.first_draw(), Some(drawn_at), "{profile}");
    }
}

#[test]
fn captures_that_leave_three_against_one() {
    let tables = Tables::<International>::built_in("fmjd100-2018", &["KKKvK"]);
    // White's capture makes example 6: sixteen plies of the 32 are needed.
    let mut game = tables.game("W:WK13,K19,K26:BK8,31");
    play(&mut game, 26, 37);
    let value = tables.value(&game);
    assert_eq!((value.standing, value.budget), (Some(Loss), Some(Distance::Loss(16))));
    assert_eq!((value.left.unwrap().plies, value.to_spare), (Some(32), Some(16)));
    // The lone king's capture: White is to move, and needs no more than its sixteen moves.
    let mut game = tables.game("B:WK43,K45,K49,9:BK4");
    play(&mut game, 4, 13);
    let value = tables.value(&game);
    assert_eq!((value.standing, value.left.unwrap().plies), (Some(Win), Some(32)));
    assert_eq!((value.budget, value.to_spare), (Some(Distance::Win(5)), Some(27)));
    tables.needs("W:WK43,K45,K49:BK13", Distance::Win(5), "C16", 32);
}

/// Three kings or more against one, alone and with the five moves after it.
fn three_kings(limit: u32) -> DrawProfile {
    DrawProfile::from_toml(&format!(
        r#"
name = "k3"
title = "three kings against one, and five moves"
variants = ["russian"]
source = "article 7.2.4 and 7.2.8 alone"

[[counter]]
name = "K3"
limit = {limit}
article = "7.2.4"
status = "second-hand"
text = "three kings or more against one"
start = [{{ weak = {{ men = 0, kings = 1 }}, strong = {{ men = 0, kings = "3+" }} }}]

[[counter]]
name = "C5"
limit = 10
article = "7.2.8"
status = "second-hand"
text = "two pieces or one against a king"
start = [{{ weak = {{ men = 0, kings = 1 }}, strong = {{ pieces = "1-2", kings = "1+" }} }}]
"#
    ))
    .unwrap()
}

#[test]
fn three_kings_against_one_on_8x8() {
    let fen = "B:WK2,K7,K13:BK16";
    for limit in [30, 36] {
        let tables = Tables::<Russian>::new(&three_kings(limit), &["KKKvK"]);
        tables.needs(fen, Distance::Loss(23), "K3", limit);
        assert_eq!(longest(&tables, "KKKvK"), (22, 23));
    }
    // No five moves follow, but 30 without a capture.
    let profile = draws::built_in("cn64-russian").unwrap();
    let metrics = [Metric::Wld, Metric::Budget, Metric::Dtw];
    let tables = Tables::<Russian>::with(profile, &["KKKvK"], &metrics);
    tables.needs(fen, Distance::Loss(23), "K3", 36);
    // Without counters it takes longer: no piece is given up for a fresh count.
    let position = tables.game(fen).now().position;
    assert_eq!(tables.set.dtw(&position).unwrap(), Distance::Loss(26));
}

#[test]
fn promotion_starts_one_count_and_leaves_another() {
    let tables = Tables::<Russian>::built_in("cn64-russian", &["KKMvK"]);
    for (counted, left) in [(0, 36), (22, 36), (23, 36), (24, 35), (50, 9), (58, 1)] {
        let mut game = tables.game(&format!("W:WK32,K31,5:BK12:CN30={counted}"));
        play(&mut game, 5, 1);
        assert_eq!(tables.value(&game).left.unwrap().plies, Some(left), "{counted}");
    }
}

#[test]
fn a_promotion_may_save_a_win() {
    // The example is won for a while, though not by 5-1.
    let chinese = Tables::<Russian>::built_in("cn64-russian", &["KKMvK"]);
    chinese.needs("W:WK32,K31,5:BK12", Distance::Win(16), "N30", 60);
    assert_eq!(chinese.standing("B:WK32,K31,K1:BK12"), Draw);
    // One ply is left. In the rules of the FMJD a promotion begins both counts anew.
    let fmjd = Tables::<Russian>::built_in("fmjd64", &["KKMvK"]);
    assert_eq!(fmjd.standing("W:WK5,6,K9:BK32:CK15=29:CB45=59"), Win);
    assert_eq!(fmjd.standing("W:WK5,6,K9:BK32:CK15=30:CB45=59"), CursedWin);
    assert_eq!(fmjd.standing("W:WK5,6,K9:BK32:CK15=29:CB45=60"), CursedWin);
    // In the Chinese ones it is one of the 30 rounds.
    assert_eq!(chinese.standing("W:WK5,6,K9:BK32:CN30=30"), Win);
    assert_eq!(chinese.standing("W:WK5,6,K9:BK32:CN30=59"), CursedWin);
}

/// Values with every pair of counts near their limits, against those of a graph of all that can
/// follow.
#[test]
fn two_counters() {
    let tables = Tables::<Russian>::built_in("fmjd64", &["KMvKM"]);
    let standing = |fen: &str, kings: u32, balance: u32| {
        tables.standing(&format!("{fen}:CK15={kings}:CB45={balance}"))
    };
    // A king's ply is left, and the man's move wins: then the thirty moves decide.
    let man = "W:WK8,15:B1,K29";
    assert_eq!([50, 58, 60].map(|n| standing(man, 29, n)), [Win, CursedWin, CursedWin]);
    assert_eq!(standing(man, 30, 50), CursedWin);
    // Kings' moves win: the fifteen decide.
    let king = "W:WK8,14:BK4,6";
    assert_eq!([0, 24, 28].map(|n| standing(king, n, 50)), [Win, Win, CursedWin]);
    // The example: drawn with any counts.
    let example = "W:WK29,21:BK4,12";
    assert_eq!([standing(example, 0, 0), standing(example, 28, 50)], [Draw, Draw]);

    let profile = &tables.profile;
    let mut starts = Vec::new();
    for fen in [man, king, example] {
        for (kings, balance) in (24..=30).flat_map(|k| (54..=60).map(move |b| (k, b))) {
            let game = tables.game(&format!("{fen}:CK15={kings}:CB45={balance}"));
            starts.push((game.now().position, game.now().counters));
        }
    }
    let asked = starts.len();
    let (states, nodes) = follow(profile, starts);
    let under = tables.set.under(profile);
    for ((position, counters), expected) in states.iter().zip(values(&nodes)).take(asked) {
        let found = under.result(position, counters).unwrap();
        assert_eq!(found, Some(expected), "{position:?} {counters:?}");
    }
}

#[test]
fn a_step_onto_the_main_road_draws() {
    let lidraughts = Tables::<Russian>::built_in("li-russian", &["KKMvK"]);
    let fmjd = Tables::<Russian>::built_in("fmjd64", &["KKMvK"]);
    // The example: drawn in theory, and by 32-18 at once.
    let mut game = lidraughts.game("B:WK1,K2,21:BK32:H40");
    assert_eq!(lidraughts.value(&game).standing, Some(Draw));
    play(&mut game, 32, 18);
    assert_eq!(lidraughts.value(&game).left.unwrap().plies, Some(0));
    // One that is lost, but for the step from 29 plies on.
    let lost = "B:WK1,10,K13:BK31";
    assert_eq!([0, 28].map(|n| lidraughts.standing(&format!("{lost}:H{n}"))), [Loss, Loss]);
    for plies in [29, 40, 59] {
        let mut game = lidraughts.game(&format!("{lost}:H{plies}"));
        assert_eq!(lidraughts.value(&game).standing, Some(BlessedLoss), "{plies}");
        play(&mut game, 31, 22);
        assert_eq!(game.first_draw(), Some(1), "{plies}");
    }
    // By the text a count of five moves begins there.
    let mut game = fmjd.game(&format!("{lost}:CB45=40"));
    assert_eq!(fmjd.value(&game).standing, Some(Loss));
    play(&mut game, 31, 22);
    assert_eq!((fmjd.value(&game).standing, game.first_draw()), (Some(Win), None));
}

/// Frisian art. 18 with the moves of international draughts: what two kings need there.
#[test]
fn seven_moves() {
    let text = draws::toml_text("frisian-2011").unwrap();
    let text = text.replace("\"frisian\"", "\"international\"");
    let profile = DrawProfile::from_toml(&text).unwrap();
    let tables = Tables::<International>::new(&profile, &["KKvK"]);
    tables.needs("B:WK1,K7:BK45", Distance::Loss(8), "F7", 14);
    tables.needs("W:WK2,K6:BK50", Distance::Win(7), "F7", 14);
    assert_eq!(tables.standing("W:WK1,K50:BK40:CF7=13"), Win);
    assert_eq!(tables.standing("W:WK1,K50:BK40:CF7=14"), CursedWin);
    assert_eq!(longest(&tables, "KKvK"), (7, 8));
}

#[test]
fn forty_moves_are_claimed() {
    let tables = Tables::<English>::built_in("wcdf", &["KMvKM"]);
    // The example: drawn with any count; the king's move makes it claimable, the man's does not.
    for (from, to, left) in [(1, 5, 0), (9, 13, 80)] {
        let mut game = tables.game("B:WK32,21:BK1,9:CN40=79");
        assert_eq!(tables.value(&game).standing, Some(Draw));
        play(&mut game, from, to);
        assert_eq!(tables.value(&game).left.unwrap().plies, Some(left));
        assert_eq!(game.now().due.len(), usize::from(left == 0));
    }
    // A win by a man's move needs one ply, before a claim; kings' moves need their plies.
    tables.needs("W:WK10,19:B3,K30", Distance::Win(1), "N40", 80);
    tables.needs("W:WK7,K8:B15,K16", Distance::Win(3), "N40", 80);
}

#[test]
fn a_man_move_does_not_stop_the_five() {
    let tables = Tables::<Brazilian>::built_in("cn64-brazilian", &["KMvK"]);
    // Three plies win. The tenth completes; no move of White ends the game on it.
    tables.needs("W:W21,K29:BK4", Distance::Win(3), "C5", 10);
    assert_eq!(tables.standing("W:W21,K29:BK4:CC5=9"), CursedWin);
    // Unless it wins.
    assert_eq!(tables.standing("W:W21,K29:BK25:CC5=9"), Win);
    assert_eq!(tables.standing("W:W21,K29:BK25:CC5=10"), CursedWin);
    let mut game = tables.game("W:W21,K29:BK4:CC5=9");
    play(&mut game, 21, 17);
    assert_eq!(game.first_draw(), Some(1));
    assert_eq!(tables.value(&game).standing.unwrap().result(), damabase_formats::Wld::Draw);
}

#[test]
fn twenty_five_king_moves() {
    let tables = Tables::<International>::built_in("fmjd100-2018", &["KMvKM"]);
    let mut game = tables.game("W:WK46,31:BK5,20:H49");
    play(&mut game, 46, 41);
    let value = tables.value(&game);
    assert_eq!(value.left.unwrap().plies, Some(0));
    assert_eq!(value.standing.unwrap().result(), damabase_formats::Wld::Draw);
    let mut game = tables.game("W:WK46,31:BK5,20:H49");
    play(&mut game, 31, 27);
    assert_eq!(tables.value(&game).left.unwrap().plies, Some(50));
}
