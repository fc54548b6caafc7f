//! Making tables, their statistics, and probing them.

mod common;

use std::fmt::Write as _;
use std::fs;

use common::{command, damabase_in, damabase_with, fields, files, finish, spawn, tables, texts};
use serde_json::Value;

const VALUE_FIELDS: [&str; 5] = ["budget", "budget_state", "dtc", "dtw", "wld"];

#[test]
fn generate_reports_what_it_made_and_makes_nothing_twice() {
    let dir = tempfile::tempdir().unwrap();
    let first = damabase_in(dir.path(), "generate russian --pieces 3 --progress plain");
    assert_eq!(first.code, 0, "{first:?}");
    assert!(first.stderr.starts_with("9 slices with 199,520 positions to do\n"), "{first:?}");
    assert!(first.stderr.contains("\n9 of 9 slices done: 199,520 positions in "), "{first:?}");
    let header = "slice  positions    wins   draws  losses  bytes  bits/position\nKvK          992     194     796       2  ";
    assert!(first.stdout.starts_with(header), "{first:?}");
    assert!(first.stdout.contains("\n9 slices made, 0 were there, in "), "{first:?}");
    let made = files(&dir.path().join("russian"));
    let names: Vec<&str> = made.keys().map(|name| &**name).collect();
    let expected = [
        "KKvK.wld", "KKvM.wld", "KMvK.wld", "KMvM.wld", "KvK.wld", "KvM.wld", "MMvK.wld",
        "MMvM.wld", "MvM.wld",
    ];
    assert_eq!(names, expected);

    let again = damabase_in(dir.path(), "generate russian --pieces 3 --json");
    assert_eq!(again.stderr, "0 slices with 0 positions to do\n");
    let json = again.json();
    let all = [
        "bits_per_position",
        "bytes",
        "dir",
        "draws",
        "losses",
        "positions",
        "slices",
        "variant",
        "wins",
    ];
    assert_eq!(fields(&json), all);
    let row = &json["slices"][0];
    let of_slice = [
        "bits_per_position",
        "bytes",
        "draws",
        "files",
        "losses",
        "made",
        "positions",
        "slice",
        "wins",
    ];
    assert_eq!(fields(row), of_slice);
    assert_eq!(row["made"], false);
    assert_eq!(row["bytes"], made["KvK.wld"].len());
    assert_eq!(row["files"][0]["metric"], "wld");
    assert_eq!(row["files"][0]["bytes"], made["KvK.wld"].len());
    let bytes: usize = made.values().map(Vec::len).sum();
    assert_eq!(json["bytes"], bytes);
    assert_eq!(files(&dir.path().join("russian")), made);
}

#[test]
fn slices_are_made_with_what_they_depend_on_and_bytes_do_not_depend_on_threads() {
    let one = tables("english --slice kvmk --threads 1");
    let made = files(&one.path().join("english"));
    assert_eq!(made.keys().collect::<Vec<_>>(), ["KKvK.wld", "KMvK.wld", "KvK.wld", "KvM.wld"]);
    let many = tables("21 --slice KMvK KvK --threads 4 --metric wld");
    assert_eq!(files(&many.path().join("english")), made);
}

#[test]
fn estimates_are_printed_and_nothing_is_made() {
    let dir = tempfile::tempdir().unwrap();
    let estimate = "generate international --pieces 6 --estimate";
    let json = damabase_in(dir.path(), &format!("{estimate} --json")).json();
    let numbers =
        ["disk_bytes", "least_memory_bytes", "memory_bytes", "positions", "seconds", "slice"];
    assert_eq!(fields(&json["slices"][0]), numbers);
    let of_all = [
        "disk_bytes",
        "least_memory_bytes",
        "memory_bytes",
        "positions",
        "seconds",
        "slices",
        "variant",
    ];
    assert_eq!(fields(&json), of_all);
    let run = damabase_in(dir.path(), estimate);
    assert!(run.text().contains("\nMMMvMMM "), "{run:?}");
    assert_eq!(run.stderr, "");
    assert!(files(dir.path()).is_empty());
}

#[test]
fn little_memory_gives_the_same_bytes_and_too_little_is_code_2() {
    let (roomy, tight) = (tables("russian --pieces 4"), tables("russian --pieces 4 --memory 6MiB"));
    assert!(files(&roomy.path().join("russian")) == files(&tight.path().join("russian")));
    let dir = tempfile::tempdir().unwrap();
    let run = damabase_in(dir.path(), "generate russian --pieces 4 --memory 1MiB --progress none");
    assert!(run.failure(2).contains("memory"), "{run:?}");
    // It says so before it begins.
    assert!(files(&dir.path().join("russian")).is_empty());
}

#[test]
fn the_folder_is_the_option_else_the_variable_else_the_users() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let run = |option: bool, variable: Option<&str>| {
        let mut command = command("generate russian --slice KvK --progress none");
        command.env("HOME", at("home")).env("LOCALAPPDATA", at("home")).env_remove("XDG_DATA_HOME");
        if option {
            command.arg("--dir").arg(at("option"));
        }
        if let Some(name) = variable {
            command.env("DAMABASE_DIR", if name.is_empty() { name.into() } else { at(name) });
        }
        assert_eq!(finish(spawn(&mut command)).code, 0);
    };
    run(true, Some("variable"));
    assert!(at("option/russian/KvK.wld").exists() && !at("variable").exists());
    run(false, Some("variable"));
    assert!(at("variable/russian/KvK.wld").exists() && !at("home").exists());
    run(false, Some(""));
    assert!(at("home").exists());
    if cfg!(target_os = "linux") {
        assert!(at("home/.local/share/damabase/russian/KvK.wld").exists());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn folders_may_have_any_name() {
    use std::os::unix::ffi::OsStringExt;
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join(std::ffi::OsString::from_vec(b"a b\xff".to_vec()));
    let json = damabase_in(&dir, "generate russian --slice KvK --json").json();
    assert!(json["dir"].as_str().unwrap().ends_with("a b\u{fffd}"), "{json}");
    assert_eq!(damabase_in(&dir, "verify russian --json").json()["right"], true);
    assert!(damabase_in(&dir, "probe russian W:WK1:BK9").text().contains("White to move: "));
}

#[test]
fn stats_count_by_slice_and_by_number_of_pieces() {
    let dir = tables("russian --pieces 3");
    let json = damabase_in(dir.path(), "stats russian --json").json();
    assert_eq!(fields(&json), ["bytes", "files", "pieces", "slices", "variant"]);
    let slices = json["slices"].as_array().unwrap();
    let of_slice =
        ["bytes", "draws", "longest_win", "losses", "positions", "slice", "to_move", "wins"];
    for row in slices {
        assert_eq!(fields(row), of_slice);
        let number = |field: &str| row[field].as_u64().unwrap();
        assert_eq!(number("wins") + number("draws") + number("losses"), number("positions"));
        let path = dir.path().join(format!("russian/{}.wld", row["slice"].as_str().unwrap()));
        assert_eq!(number("bytes"), fs::metadata(path).unwrap().len());
    }
    // Computed by an independent solver: side to move 1K v 1K; 2K v 1K.
    let find = |slice: &str, to_move: &str| {
        let found = slices.iter().find(|row| row["slice"] == slice && row["to_move"] == to_move);
        let row = found.unwrap_or_else(|| panic!("no {slice} {to_move}"));
        ["wins", "draws", "losses"].map(|field| row[field].as_u64().unwrap())
    };
    assert_eq!(find("KvK", "first"), [194, 796, 2]);
    assert_eq!(find("KKvK", "first"), [5628, 9252, 0]);
    assert_eq!(slices.iter().filter(|row| row["slice"] == "KvK").count(), 1);
    let sum = |rows: &Value, field: &str| -> u64 {
        rows.as_array().unwrap().iter().map(|row| row[field].as_u64().unwrap()).sum()
    };
    for field in ["positions", "wins", "draws", "losses"] {
        assert_eq!(sum(&json["pieces"], field), sum(&json["slices"], field), "{field}");
    }
    let text = damabase_in(dir.path(), "stats russian");
    let mut lines = text.text().lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let kvk = lines.find(|cells| cells.first() == Some(&"KvK")).unwrap();
    assert_eq!(kvk[..6], ["KvK", "first", "992", "194", "796", "2"]);
    assert!(lines.any(|cells| cells.starts_with(&["3", "second", "98,016"])), "{text:?}");
}

#[test]
fn probe_gives_the_value_and_all_moves_best_first() {
    let dir = tables("russian --pieces 3");
    let probe = |fen: &str| damabase_in(dir.path(), &format!("probe russian {fen} --json")).json();
    let json = probe("W:WKa1,Kc1:BKa3.");
    let all = [
        "budget",
        "budget_state",
        "dtc",
        "dtw",
        "fen",
        "moves",
        "profile",
        "slice",
        "variant",
        "wld",
    ];
    assert_eq!(fields(&json), all);
    assert_eq!(json["variant"], "russian");
    assert_eq!(json["fen"], "W:WK29,K30:BK21");
    assert_eq!(json["slice"], "KKvK");
    let (names, values) = (texts(&json["moves"], "move"), texts(&json["moves"], "wld"));
    assert_eq!(names.len(), 7 + 6);
    for m in json["moves"].as_array().unwrap() {
        let own: Vec<&str> = fields(m).into_iter().filter(|name| *name != "move").collect();
        assert_eq!(own, VALUE_FIELDS);
        assert_eq!((&m["budget"], &m["budget_state"]), (&Value::Null, &"missing".into()));
    }
    let rank = |wld: &str| ["win", "draw", "loss"].iter().position(|name| *name == wld);
    assert!(values.is_sorted_by_key(|wld| rank(wld)), "{values:?}");
    assert_eq!(json["wld"].as_str(), Some(values[0]));

    // Captures: the king must take; all moves end the game.
    let json = probe("W:WK29,K30:BK25");
    assert_eq!((&json["wld"], &json["dtw"], &json["dtc"]), (&"win".into(), &1.into(), &1.into()));
    assert_eq!(texts(&json["moves"], "move").len(), 7);
    // Black to move, its man may promote; the text of the move is that of the diagram.
    assert!(texts(&probe("B:WK4:B25")["moves"], "move").contains(&"b2-a1"));
    // No piece, no move, nobody to play against.
    let over = probe("B:WK4:B");
    assert_eq!((&over["wld"], &over["dtw"]), (&"loss".into(), &0.into()));
    assert_eq!(over["moves"], Value::Array(Vec::new()));
    let blocked = probe("W:Wa5:Bb6,c7");
    assert_eq!((&blocked["wld"], &blocked["dtw"]), (&"loss".into(), &0.into()));
    let won = probe("W:WK4:B");
    assert_eq!((&won["wld"], &won["dtw"]), (&"win".into(), &0.into()));

    let run = damabase_in(dir.path(), "probe 25 W:WK29,K30:BK21 --notation numeric");
    assert!(run.text().starts_with("russian  W:WK29,K30:BK21  KKvK\n\n8 |   .   "), "{run:?}");
    assert!(run.text().contains("\nmove   value\n"), "{run:?}");
    assert!(run.text().contains("\n29-25  "), "{run:?}");
    let run = damabase_in(dir.path(), "probe russian W:Wa5:Bb6,c7");
    assert!(
        run.text().ends_with("\nWhite to move: loss, since it has no legal move.\n"),
        "{run:?}"
    );
}

#[test]
fn a_batch_answers_line_by_line_in_order_whatever_the_lines() {
    let dir = tables("russian --pieces 3");
    let mut input = String::new();
    let mut expected = Vec::new();
    for n in 0..30_000u32 {
        let (white, black) = (1 + n % 32, 1 + (n * 7 + 3) % 32);
        let line = match n % 1000 {
            17 => "no FEN".to_string(),
            18 => String::new(),
            19 => "W:WK1,K2,K3:BK32".to_string(), // no tables of four pieces
            _ if white == black => "W:WK5:BK5".to_string(),
            _ => format!("{}:WK{white}:BK{black}", if n % 2 == 0 { "W" } else { "B" }),
        };
        expected.push(match n % 1000 {
            17 | 18 => Err((n + 1, "input")),
            19 => Err((n + 1, "missing")),
            _ if white == black => Err((n + 1, "input")),
            _ => Ok(line.clone()),
        });
        // Line ends of both kinds.
        writeln!(input, "{line}{}", if n % 3 == 0 { "\r" } else { "" }).unwrap();
    }
    let run = damabase_with(dir.path(), "probe russian -", input.as_bytes());
    assert!(run.failure(3).starts_with("no wld table of KKKvK for russian"), "{}", run.stderr);
    let wrong = expected.iter().filter(|line| line.is_err()).count();
    assert!(run.stderr.starts_with(&format!(
        "{wrong} of 30000 lines have no answer, the first of them line 18\n"
    )));
    assert_eq!(run.stdout.lines().count(), expected.len());
    for (line, expected) in run.stdout.lines().zip(expected) {
        let json: Value = serde_json::from_str(line).unwrap();
        match expected {
            Ok(fen) => assert_eq!(json["fen"], fen),
            Err((number, kind)) => {
                assert_eq!(fields(&json), ["error", "kind", "line"]);
                assert_eq!((&json["line"], &json["kind"]), (&number.into(), &kind.into()));
            }
        }
    }
}

#[test]
fn a_batch_gives_what_single_probes_give_and_its_worst_code() {
    let dir = tables("international --pieces 2");
    let fens = ["W:WK46:BK5", "B:W10:BK46", "W:W6:B1", "B:WK1:B"];
    let input = fens.join("\n"); // no newline at the end
    let run = damabase_with(dir.path(), "probe international -", input.as_bytes());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    for (line, fen) in run.stdout.lines().zip(fens) {
        let single = damabase_in(dir.path(), &format!("probe international {fen} --json"));
        assert_eq!(line, single.stdout.trim_end());
    }
    assert_eq!(damabase_with(dir.path(), "probe international -", b"").code, 0);
    let run = damabase_with(dir.path(), "probe international -", b"W:W\xff\nW:WK46:BK5\n");
    assert!(run.failure(2).starts_with("bad FEN: "), "{run:?}");
    assert_eq!(run.stdout.lines().count(), 2);
}

#[test]
fn all_that_is_generated_verifies() {
    for (variant, pieces) in
        [("russian", 4), ("brazilian", 4), ("english", 4), ("international", 3)]
    {
        let dir = tables(&format!("{variant} --pieces {pieces}"));
        let run = damabase_in(dir.path(), &format!("verify {variant} --json --progress none"));
        let json = run.json();
        assert_eq!((&json["right"], &json["failures"]), (&true.into(), &0.into()));
        let stats = damabase_in(dir.path(), &format!("stats {variant} --json")).json();
        let sum = |rows: &Value| -> u64 {
            rows.as_array().unwrap().iter().map(|row| row["positions"].as_u64().unwrap()).sum()
        };
        assert_eq!(sum(&json["tables"]), sum(&stats["slices"]), "{variant}");
    }
}

#[test]
fn famous_positions_have_their_published_values() {
    let dir = tables("russian --pieces 4 --metric wld,dtw,dtc");
    for (fen, wld, dtw) in [
        ("W:WK29,K30,K31:BK6", "win", Some(21)), // Petrov's triangle; Timoneda
        ("W:WK29,K30,K31:BK3", "win", Some(21)),
        ("W:WK22,K10,K23:BK2", "win", Some(9)),
        ("W:WK28,17,22:BK32", "win", Some(51)), // Sargin
        ("W:WK32:B1,15", "win", Some(13)),
        ("W:WK30,K31,K32:BK15", "draw", None), // the main road
    ] {
        let json = damabase_in(dir.path(), &format!("probe russian {fen} --json")).json();
        assert_eq!((&json["wld"], &json["dtw"]), (&wld.into(), &dtw.into()), "{fen}");
        assert!(json["dtc"].is_u64() == dtw.is_some(), "{fen}");
        assert_eq!(
            (&json["moves"][0]["wld"], &json["moves"][0]["dtw"]),
            (&wld.into(), &dtw.into())
        );
    }
    let text = damabase_in(dir.path(), "probe russian W:WK29,K30,K31:BK6");
    assert!(text.text().contains("\nWhite to move: win in 21 plies, capture or man move in "));
    assert!(text.text().contains("\nmove   value  dtw  dtc\na1-d4  win     21   "), "{text:?}");

    let dir = tables("international --pieces 3 --metric wld,dtw");
    let json = damabase_in(dir.path(), "probe international W:W23:B5,6 --json").json();
    assert_eq!(
        (&json["wld"], &json["dtw"], &json["dtc"]),
        (&"win".into(), &29.into(), &Value::Null)
    );
}

#[test]
fn verify_finds_all_right() {
    let dir = tables("brazilian --pieces 3");
    let json = damabase_in(dir.path(), "verify brazilian --json --progress none").json();
    let all = ["dir", "failures", "files", "problems", "right", "tables", "variant"];
    assert_eq!(fields(&json), all);
    assert_eq!((&json["right"], &json["files"]), (&true.into(), &9.into()));
    assert_eq!(fields(&json["tables"][0]), ["metric", "positions", "proof", "slice"]);
    let positions: u64 =
        json["tables"].as_array().unwrap().iter().map(|t| t["positions"].as_u64().unwrap()).sum();
    assert_eq!(positions, 199_520);
    let run = damabase_in(dir.path(), "verify brazilian --sample 0.1");
    assert!(run.text().contains("\nall right: 9 files in "), "{run:?}");
}
