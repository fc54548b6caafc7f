//! Values that were worked out by hand or by other solvers, read from tables of budgets. "Needs N"
//! is the number of plies that must be left.

mod common;

use std::sync::atomic::AtomicBool;

use common::options;
use damabase_formats::table::{Compression, Metric, WriteOptions};
use damabase_formats::{Distance, Fen, Slice, ToMove};
use damabase_generator::{Options, Silent, generate, stats};
use damabase_probe::{Counted, Standing, TableSet};
use damabase_rules::draws::{self, DrawProfile, Replay, Seeds};
use damabase_rules::{Brazilian, International, Rules, Russian, Square, legal_moves};
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
            ..options(dir.path(), 0, &[Metric::Wld, Metric::Budget])
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
        damabase_rules::Side::White => Square(number - 1),
        damabase_rules::Side::Black => G::board().turned_square(Square(number - 1)),
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
    assert_eq!(game.now().winner, Some(damabase_rules::Side::White));
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
    for (profile, left_at_26, drawn_at) in
        [("fmjd100-2018", 6, 32), ("fmjd100-2015-fresh", 10, 36), ("li-standard", 10, 36)]
    {
        let tables = Tables::<International>::built_in(profile, &["KKKvK"]);
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
    let tables = Tables::<Russian>::built_in("cn64-russian", &["KKKvK"]);
    tables.needs(fen, Distance::Loss(23), "K3", 36);
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
fn a_man_move_does_not_stop_the_five() {
    let tables = Tables::<Brazilian>::built_in("cn64-brazilian", &["KMvK"]);
    // The tenth ply completes; no move of White ends the game on it.
    let standing = tables.standing("W:W21,K29:BK4:CC5=9");
    assert!(standing == CursedWin || standing == Draw);
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
