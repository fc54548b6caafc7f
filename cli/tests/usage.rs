//! Help, wrong usage, and the commands that need no tables.

mod common;

use common::{command, damabase, fields, texts};

const COMMANDS: [&str; 8] =
    ["generate", "probe", "verify", "stats", "moves", "perft", "profiles", "adjudicate"];

#[test]
fn help_names_all_commands_and_exit_codes_and_gives_examples() {
    let help = damabase("--help");
    for name in ["board", "serve"] {
        // A picture, and a server that describes its own JSON.
        assert!(help.text().contains(&format!("\n  {name} ")), "{name}");
        let own = damabase(&format!("{name} --help"));
        assert!(own.text().contains("Examples:\n  damabase "), "{name}");
    }
    for name in COMMANDS {
        assert!(help.text().contains(&format!("\n  {name} ")), "{name}");
        let own = damabase(&format!("{name} --help"));
        assert!(own.text().contains("Examples:\n  damabase "), "{name}");
        assert!(own.text().contains("\nJSON"), "{name}");
    }
    for code in ["0  ", "1  ", "2  ", "3  ", "4  ", "5  ", "130"] {
        assert!(help.text().contains(&format!("\n  {code}  ")), "{code}");
    }
    assert!(damabase("--version").text().starts_with("damabase "));
    assert_eq!(damabase("").code, 2);
}

#[test]
fn wrong_usage_is_one_line_and_code_2() {
    for (arguments, message) in [
        ("moves chess W:W1:B2", "invalid value 'chess' for '<VARIANT>': unknown variant 'chess'"),
        ("moves russian", "the following required arguments were not provided: <FEN>"),
        ("moves russian W:W33:B2", "bad FEN: column 4: square 33 is not on the board"),
        ("moves russian W:W9,9:B2", "bad FEN: column 6: two pieces on square 9"),
        ("moves 20 K", "bad FEN: column 1: expected the side to move"),
        ("perft english", "the following required arguments were not provided: --depth"),
        ("perft english --depth 0", "invalid value '0' for '--depth"),
        ("perft english --depth 3 --count twice", "invalid value 'twice' for '--count"),
        ("perft english W:W --depth 3", "bad FEN: "),
        ("generate russian", "the following required arguments were not provided: --pieces <N>"),
        ("generate russian --pieces 1", "1 pieces: expected 2 to 12"),
        ("generate russian --pieces x", "invalid value 'x' for '--pieces <N>'"),
        ("generate russian --slice KvQ", "invalid value 'KvQ' for '--slice <SLICE>...'"),
        ("generate russian --pieces 2 --metric dtx", "invalid value 'dtx' for '--metric"),
        ("generate russian --pieces 2 --threads 0", "invalid value '0' for '--threads"),
        ("probe russian", "the following required arguments were not provided: <FEN>"),
        ("probe russian W:WK40:B2", "bad FEN: column 5"),
        ("verify russian --sample 0", "a sample of 0"),
        ("verify russian --sample 1.5", "a sample of 1.5"),
        ("verify russian --sample much", "invalid value 'much' for '--sample"),
        ("stats", "the following required arguments were not provided: <VARIANT>"),
        ("fly", "unrecognized subcommand 'fly'"),
        ("moves russian W:W9:B2 --loud", "unexpected argument '--loud' found"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let run = common::finish(common::spawn(command(arguments).env("DAMABASE_DIR", dir.path())));
        let failure = run.failure(2);
        assert!(failure.starts_with(message), "{arguments}: {failure}");
        assert_eq!((run.stderr.lines().count(), run.stdout.len()), (1, 0), "{arguments}: {run:?}");
    }
}

#[test]
fn moves_are_listed_in_the_notation_asked_for() {
    let run = damabase("moves russian W:WKa1:Bd4,g7 --json");
    let json = run.json();
    assert_eq!(fields(&json), ["fen", "moves", "variant"]);
    assert_eq!(json["variant"], "russian");
    assert_eq!(json["fen"], "W:WK29:B8,18");
    assert_eq!(fields(&json["moves"][0]), ["fen", "hub", "move"]);
    assert_eq!(texts(&json["moves"], "move"), ["a1xh8"]);
    assert_eq!(texts(&json["moves"], "hub"), ["29x4x8x18"]);
    assert_eq!(texts(&json["moves"], "fen"), ["B:WK4:B"]);
    let numeric = damabase("moves 25 W:WKa1:Bd4,g7 --json --notation numeric").json();
    assert_eq!(texts(&numeric["moves"], "move"), ["29x4"]);

    // PDN 3.0, restriction 8: both captures go from 47 to 36.
    let text = damabase("moves international W:WK47:B14,19,29,31,42");
    assert!(text.text().contains("\n| .   W   .   .   .   | 46-50\n"), "{text:?}");
    assert!(
        text.text().contains(
            "2 legal moves:\n  47x38x20x9x36   B:WK36:B19\n  47x38x24x13x36  B:WK36:B14\n"
        ),
        "{text:?}"
    );
    let none = damabase("moves english W:W5:B1");
    assert!(none.text().contains("White to move has no legal move."), "{none:?}");
}

#[test]
fn perft_counts_as_published() {
    // International, from the start (Aart Bik).
    let run = damabase("perft international --depth 6 --json").json();
    assert_eq!(fields(&run), ["count", "depth", "depths", "fen", "leaves", "variant"]);
    let leaves: Vec<u64> =
        run["depths"].as_array().unwrap().iter().map(|d| d["leaves"].as_u64().unwrap()).collect();
    assert_eq!(leaves, [9, 81, 658, 4265, 27117, 167140]);
    assert_eq!((&run["leaves"], &run["depth"]), (&167140.into(), &6.into()));
    assert!(damabase("perft international --depth 6").text().contains("\n6      167,140\n"));

    let divided = damabase("perft english --depth 5 --divide --json").json();
    assert_eq!(divided["moves"].as_array().unwrap().len(), 7);
    let sum: u64 =
        divided["moves"].as_array().unwrap().iter().map(|m| m["leaves"].as_u64().unwrap()).sum();
    assert_eq!(sum, 7361);
    assert_eq!(divided["leaves"], 7361);
    assert_eq!(divided["fen"].as_str().unwrap().chars().next(), Some('B'));

    // One king takes the same four men around a square in two directions.
    let around = "perft russian W:WKb4:Bc5,e5,e3,c3 --depth 1 --json";
    let (distinct, path) =
        (damabase(around).json(), damabase(&format!("{around} --count path")).json());
    assert!(path["leaves"].as_u64() > distinct["leaves"].as_u64(), "{distinct} {path}");
    assert_eq!((&distinct["count"], &path["count"]), (&"distinct".into(), &"path".into()));
    let divided = damabase(&format!("{around} --count path --divide")).json();
    let mut moves = texts(&divided["moves"], "move");
    let all = moves.len();
    moves.sort();
    moves.dedup();
    assert_eq!(moves.len(), all, "a move comes twice");
}

#[test]
#[cfg(unix)]
fn nobody_reading_is_no_failure() {
    use std::process::Stdio;
    let mut child = common::spawn(command("perft international --depth 7").stderr(Stdio::piped()));
    drop(child.stdout.take());
    let run = common::finish(child);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_code_5() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = command("perft international --depth 2").stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(5));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("error: standard output: "), "{message}");
}
