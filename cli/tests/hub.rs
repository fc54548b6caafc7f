//! `damabase hub`: the protocol, and what is played.

mod common;

use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::sync::LazyLock;

use common::{command, finish, spawn, tables};
use tempfile::TempDir;

static RUSSIAN: LazyLock<TempDir> =
    LazyLock::new(|| tables("russian --pieces 4 --metric wld,dtw,dtc"));

/// What the engine says to some lines.
fn talk(arguments: &str, dir: &Path, lines: &[&str]) -> Vec<String> {
    let mut hub = command(&format!("hub {arguments}"));
    let mut child = spawn(hub.arg("--dir").arg(dir).stdin(Stdio::piped()));
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all((lines.join("\n") + "\n").as_bytes()).unwrap();
    drop(stdin); // it ends when nobody is there any more
    let run = finish(child);
    assert_eq!((run.code, &*run.stderr), (0, ""), "{run:?}");
    run.stdout.lines().map(str::to_string).collect()
}

/// The position with some pieces, as the protocol has it: `W` and squares from 1 with their letters.
fn position(side: char, squares: usize, pieces: &[(usize, char)]) -> String {
    let mut letters = vec!['e'; squares];
    for &(square, letter) in pieces {
        letters[square - 1] = letter;
    }
    side.to_string() + &letters.into_iter().collect::<String>()
}

fn petrov() -> String {
    position('W', 32, &[(29, 'W'), (30, 'W'), (31, 'W'), (6, 'B')])
}

#[test]
fn it_introduces_itself() {
    let lines = talk("--variant russian", RUSSIAN.path(), &["hub", "init", "ping", "quit", "ping"]);
    assert!(lines[0].starts_with("id name=Damabase version="));
    assert_eq!(
        lines[1],
        "param name=variant value=russian type=enum values=\"normal russian brazilian english\""
    );
    assert!(
        lines[2].starts_with("param name=profile value=\"default\" type=enum values=\"default ")
    );
    assert_eq!(
        lines[3],
        format!("param name=tables value=\"{}\" type=string", RUSSIAN.path().display())
    );
    assert_eq!(lines[4..], ["wait", "ready", "pong"]);
}

#[test]
fn the_best_move_is_played() {
    let lines = talk(
        "--variant 25",
        RUSSIAN.path(),
        &["init", &format!("pos pos={}", petrov()), "level move-time=1", "go think"],
    );
    // Petrov's triangle.
    assert_eq!(
        lines[1],
        "info depth=1 score=99.79 nodes=1 time=0.00 pv=\"29-18 6-10\" message=\"win in 21 plies\""
    );
    assert_eq!(lines[2], "done move=29-18 ponder=6-10");
    // Stop, ponder-hit and what it does not know are nothing to it.
    let odd = ["stop", "ponder-hit", "new-game", "", "  ", "level", "dance now=yes"];
    assert_eq!(talk("", RUSSIAN.path(), &odd), [""; 0]);
}

#[test]
fn a_capture_is_written_with_its_victims() {
    let pieces = [(29, 'W'), (22, 'B'), (13, 'b'), (3, 'b')];
    let lines = talk(
        "--variant russian",
        RUSSIAN.path(),
        &[&format!("pos pos={}", position('W', 32, &pieces)), "go analyze"],
    );
    let done = lines.last().unwrap();
    assert!(done.starts_with("done move=29x"), "{done}");
    assert!(done.split(' ').next_back().is_some());
}

#[test]
fn moves_of_the_game_count() {
    // After a move by each side it is another position.
    let moves = "29-18 6-1";
    let lines = talk(
        "--variant russian",
        RUSSIAN.path(),
        &[&format!("pos pos={} moves=\"{moves}\"", petrov()), "go think"],
    );
    assert!(lines[0].contains("score=99.81"), "{lines:?}");
    assert!(lines[0].ends_with("message=\"win in 19 plies\""));
    // A counter of draws that has run nearly to its end: 3 against 1 in 15 moves.
    let shuffle = "29-25 6-1 25-29 1-6 ".repeat(5);
    let lines = talk(
        "--variant russian",
        RUSSIAN.path(),
        &[&format!("pos pos={} moves=\"{shuffle}\"", petrov()), "go think"],
    );
    assert!(lines[0].contains("message=\"won in theory in 21 plies; "), "{lines:?}");
}

#[test]
fn parameters_choose_the_game_and_the_rules() {
    let pos = format!("pos pos={}", petrov());
    let dir = RUSSIAN.path();
    let empty = tempfile::tempdir().unwrap();
    // Set before init, and changed after.
    let lines = talk(
        "",
        empty.path(),
        &[
            "set-param name=variant value=russian",
            &format!("set-param name=tables value=\"{}\"", dir.display()),
            "init",
            &pos,
            "go think",
            "set-param name=variant value=normal",
            "go think",
            "set-param name=variant value=losing",
            "init",
            "set-param name=variant value=russian",
            "set-param name=profile value=nobody",
            "init",
            "set-param name=profile value=fmjd100-2018",
            "init",
            "set-param name=profile value=default",
            "set-param name=colour value=red",
            "go think",
        ],
    );
    assert_eq!(lines[0], "ready");
    assert_eq!(lines[2], "done move=29-18 ponder=6-10");
    assert_eq!(lines[3], "error message=\"the position has 32 squares, international has 50\"");
    assert_eq!(lines[4..6], ["error message=\"variant 'losing' is not played\"", "ready"]);
    assert!(lines[6].starts_with("error message=\"unknown draw profile 'nobody'"));
    assert!(lines[8].starts_with("error message=\""), "{lines:?}");
    assert_eq!(lines.last().unwrap(), "done move=29-18 ponder=6-10");
}

#[test]
fn what_is_not_covered_is_said() {
    let crowd = [(29, 'W'), (30, 'W'), (31, 'W'), (6, 'B'), (5, 'B')];
    let lines = talk(
        "--variant russian",
        RUSSIAN.path(),
        &[&format!("pos pos={}", position('W', 32, &crowd)), "go think"],
    );
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("error message=\"not covered: after 29-"), "{lines:?}");
    assert!(lines[0].contains(" no wld table of KKKvKK for russian; looked in "));
    assert!(lines[1].starts_with("done move="));
    // A capture into tables is covered all the same.
    let crowd = [(29, 'W'), (22, 'B'), (13, 'b'), (12, 'b'), (3, 'b')];
    let lines = talk(
        "--variant russian",
        RUSSIAN.path(),
        &[&format!("pos pos={}", position('W', 32, &crowd)), "go think"],
    );
    assert!(lines[0].starts_with("info "), "{lines:?}");
}

#[test]
fn bad_positions_are_errors() {
    let two = position('W', 32, &[(1, 'w'), (32, 'B')]);
    let over = position('W', 32, &[(32, 'B')]);
    let good = petrov();
    for (line, text) in [
        ("", "no position was given"),
        ("pos", "a position begins with W or B"),
        ("pos pos=Weee", "the position has 3 squares, russian has 32"),
        (&format!("pos pos={two}"), "unsound position: a man stands on its promotion row"),
        (&format!("pos pos={}", good.replace('B', "?")), "'?' is no square"),
        (&format!("pos pos={good} moves=\"29-18 6-3\""), "'6-3' is "),
        (&format!("pos pos={over}"), "the game is over"),
    ] {
        let lines = talk("--variant russian", RUSSIAN.path(), &[line, "go think"]);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].starts_with(&format!("error message=\"{text}")), "{lines:?}");
    }
    let bad = common::damabase_in(RUSSIAN.path(), "hub --profile nobody");
    assert!(bad.failure(2).contains("unknown draw profile 'nobody'"));
}
