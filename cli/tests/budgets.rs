//! Tables of budgets from outside: made, probed under a profile, verified, counted, played.

mod common;

use std::fs;
use std::path::Path;

use common::{Run, damabase, damabase_in, damabase_with, files, tables};
use serde_json::{Value, json};

/// The only budget table of a slice in a folder.
fn budget_file(folder: &Path, slice: &str) -> String {
    let all = files(folder);
    let mut found =
        all.keys().filter(|name| name.starts_with(&format!("{slice}.")) && name.contains("budget"));
    let name = found.next().unwrap_or_else(|| panic!("no budgets of {slice}: {:?}", all.keys()));
    assert_eq!(found.next(), None);
    name.clone()
}

const OWN: &str = r#"
name = "own"
title = "Four moves"
variants = ["russian"]
source = "made up"

[[counter]]
name = "C4"
limit = 8
article = "1"
status = "read"
text = "a king against two kings or one: four moves each"
start = [{ weak = { men = 0, kings = 1 }, strong = { pieces = "1-2", kings = "1+" } }]
"#;

#[test]
fn the_default_profile_and_a_named_one_share_what_counts_alike() {
    let dir = tables("international --slice KKKvK --metric wld,budget");
    let folder = dir.path().join("international");
    let default = files(&folder);
    assert_eq!(default.len(), 6, "{:?}", default.keys());
    let generate = |profile: &str| {
        let text =
            format!("international --slice KKKvK --metric budget --profile {profile} --json");
        let run = damabase_in(dir.path(), &format!("generate {text}"));
        let rows = run.json()["slices"].as_array().unwrap().clone();
        rows.iter().filter(|row| row["made"] == true).count()
    };
    // The default is fmjd100-2018, and these two have the same counters.
    for profile in ["fmjd100-2018", "ru100"] {
        assert_eq!(generate(profile), 0, "{profile}");
        assert_eq!(files(&folder), default);
    }
    assert!(generate("li-standard") > 0);
    assert!(files(&folder).len() > default.len());
    let run = damabase_in(dir.path(), "verify international --progress none");
    assert!(run.text().contains("\nall right: "), "{run:?}");
}

#[test]
fn a_profile_of_ones_own_is_made_probed_and_played() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("own.toml");
    fs::write(&file, OWN).unwrap();
    let file = file.display();
    let generate = format!("generate russian --slice KKvK --metric wld,budget --profile {file}");
    let run = damabase_in(dir.path(), &format!("{generate} --progress none"));
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    let probe = |fen: &str| {
        damabase_in(dir.path(), &format!("probe russian {fen} --profile {file} --json")).json()
    };
    let json = probe("W:WK29,K30:BK25");
    assert_eq!((&json["profile"], &json["value"]), (&json!("own"), &json!("win")));
    assert_eq!((&json["plies_left"], &json["budget"]), (&json!(8), &json!(1)));
    assert_eq!(json["decided_by"], json!({ "counter": "C4", "article": "1", "status": "read" }));
    assert_eq!(probe("W:WK29,K30:BK25:CC4=7")["value"], "win");
    assert_eq!(probe("W:WK29,K30:BK25:CC4=8")["value"], "cursed-win");
    let line = format!("line russian W:WK29,K30:BK25:CC4=7 --profile {file} --json");
    assert_eq!(damabase_in(dir.path(), &line).json()["result"], "white");
    // The table holds its profile, so that nothing else is needed.
    assert!(damabase_in(dir.path(), "verify russian --progress none").text().contains("all right"));
    // A text that is no profile.
    fs::write(dir.path().join("own.toml"), "name = 1").unwrap();
    assert!(damabase_in(dir.path(), &generate).failure(2).contains("own.toml: "));
}

/// A failure of usage: one line, and nothing made.
fn refused(run: &Run) -> String {
    let text = run.failure(2).to_string();
    assert_eq!((run.stderr.lines().count(), run.stdout.len()), (1, 0), "{run:?}");
    text
}

#[test]
fn a_profile_of_another_game_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    for command in [
        "generate international --pieces 2 --metric budget --profile fmjd64",
        "probe international W:WK1:BK9 --profile fmjd64",
        "line international W:WK1:BK9 --profile fmjd64",
    ] {
        assert!(refused(&damabase_in(dir.path(), command)).contains("fmjd64"), "{command}");
    }
    let run = damabase_in(dir.path(), "generate russian --pieces 2 --metric budget --profile fmjd");
    assert!(refused(&run).starts_with("unknown draw profile 'fmjd'"), "{run:?}");
    assert!(files(dir.path()).is_empty());
}

#[test]
fn where_several_counters_decide_all_of_them_are_asked() {
    // The main road is a count of its own.
    let list = damabase("profiles fmjd64 --pieces 4 --json").json();
    let slices = list["slices"].as_array().unwrap();
    let find = |name: &str| slices.iter().find(|row| row["slice"] == name).unwrap();
    assert_eq!((&find("KKvK")["one_number"], &find("KKvK")["top"]), (&json!(true), &json!(10)));
    assert_eq!(find("KKKvK")["one_number"], false);
    assert!(find("KKKvK")["why"].as_str().unwrap().contains("ROAD5"), "{list}");
    let text = damabase("profiles fmjd64 --pieces 4");
    assert!(text.text().contains("\n  KKvK         10\n"), "{text:?}");
    assert!(text.text().contains("\nslices in which several counters decide\n  "), "{text:?}");

    let dir = tables("russian --slice KKKvK --metric wld,budget");
    let probe = |counters: &str| {
        let fen = format!("B:WK2,K7,K13:BK16{counters}");
        damabase_in(dir.path(), &format!("probe russian {fen} --profile fmjd64 --json")).json()
    };
    assert_eq!(probe("")["value"], "loss");
    assert_eq!(probe(":CK15=29")["value"], "blessed-loss");
    // What a fresh count makes of the whole slice.
    let json = damabase_in(dir.path(), "stats russian --profile fmjd64 --json").json();
    let rows = json["profiles"][0]["slices"].as_array().unwrap();
    let row = rows.iter().find(|row| row["slice"] == "KKKvK").unwrap();
    assert_eq!((&row["limit"], &row["longest"]), (&Value::Null, &Value::Null));
    assert!(row["counters"].as_array().unwrap().contains(&json!("ROAD5")), "{row}");
    let fen = row["tightest_fen"].as_str().unwrap();
    let probe = format!("probe russian {fen} --profile fmjd64 --json");
    let probed = damabase_in(dir.path(), &probe).json();
    assert_eq!(probed["plies_to_spare"], row["least_spare"], "{row} {probed}");
    assert!(row["least_spare"].is_u64());
}

#[test]
fn probe_tells_the_ply_from_which_a_win_is_too_late() {
    let dir = tables("international --slice KMvK --metric wld,budget");
    let run = |options: &str| {
        damabase_in(dir.path(), &format!("probe international W:WK2,6:BK50{options}"))
    };
    // Needs 9 of the 10 plies.
    for (counted, value, spare) in
        [(0, "win", json!(1)), (1, "win", json!(0)), (2, "cursed-win", Value::Null)]
    {
        for options in [
            format!(" --profile fmjd100-2018 --counter C5={counted}"),
            format!(" --counter C5={counted}"),
        ] {
            let json = run(&format!("{options} --json")).json();
            assert_eq!(json["value"], value, "{options}: {json}");
            assert_eq!((&json["wld"], &json["budget"]), (&json!("win"), &json!(9)));
            assert_eq!(json["budget_state"], "exact");
            assert_eq!(json["plies_left"], 10 - counted);
            assert_eq!(json["plies_to_spare"], spare);
            assert_eq!(json["counters"]["C5"], counted);
            assert_eq!(json["decided_by"]["counter"], "C5");
            assert_eq!(json["decided_by"]["article"], "6.4");
            // The best move is worth what the position is.
            assert_eq!(json["moves"][0]["value"], value);
        }
        // The FEN's own counters go before those of the command line.
        let json = run(&format!(":CC5={counted} --profile fmjd100-2018 --counter C5=9 --json"));
        assert_eq!(json.json()["value"], value);
    }
    let text = run(" --counter C5=2");
    assert!(
        text.text().contains("\nUnder fmjd100-2018: cursed-win: needs 9 plies, 8 left on C5 "),
        "{text:?}"
    );

    for (options, message) in [
        (" --counter C7=1", "C7"),
        (" --counter C5", "expected NAME=PLIES"),
        (" --counter C5=many", "no number of plies"),
        (":CC7=1 --profile fmjd100-2018", "C7"),
        (":H4 --profile fmjd100-2018", "H4"),
    ] {
        let failure = refused(&run(options));
        assert!(failure.contains(message), "{options}: {failure}");
    }
}

#[test]
fn a_batch_under_a_profile_gives_what_single_probes_give() {
    let dir = tables("international --slice KMvK --metric wld,budget");
    let fens = ["W:WK2,6:BK50:CC5=1", "W:WK2,6:BK50:CC5=2", "B:WK1,K7:BK45", "W:WK46:BK5"];
    let profile = "--profile fmjd100-2018";
    let input = format!("{}\nW:WK2,6:BK50:CC9=1\n", fens.join("\n"));
    let run =
        damabase_with(dir.path(), &format!("probe international - {profile}"), input.as_bytes());
    assert_eq!(run.code, 2);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 5);
    for (line, fen) in lines.iter().zip(fens) {
        let single =
            damabase_in(dir.path(), &format!("probe international {fen} {profile} --json"));
        assert_eq!(*line, single.stdout.trim_end());
    }
    let last: Value = serde_json::from_str(lines[4]).unwrap();
    assert_eq!((&last["kind"], &last["line"]), (&json!("input"), &json!(5)));
}

#[test]
fn a_line_ends_in_time_or_in_a_draw() {
    let dir = tables("international --slice KMvK --metric wld,budget");
    let line = |options: &str| {
        damabase_in(dir.path(), &format!("line international W:WK2,6:BK50 {options} --json")).json()
    };
    for (counted, result, plies) in [(0, "white", 9), (1, "white", 9), (2, "draw", 8)] {
        let json = line(&format!("--counter C5={counted}"));
        assert_eq!(json["result"], result, "{json}");
        assert_eq!(json["plies"].as_array().unwrap().len(), plies, "{json}");
        assert_eq!(json["unless_repetition"], false);
        let by = if result == "draw" { json!(["C5"]) } else { json!([]) };
        assert_eq!(json["by"], by);
        // The capture that ends the game ends the count.
        for (n, ply) in json["plies"].as_array().unwrap().iter().take(8).enumerate() {
            assert_eq!(ply["counters"]["C5"], counted + n + 1, "{json}");
            assert_eq!(ply["plies_left"], 10 - (counted + n + 1), "{json}");
        }
    }
}

#[test]
fn damaged_budgets_are_found() {
    let dir = tables("russian --slice KKvK --metric wld,budget --profile cn64-russian");
    let folder = dir.path().join("russian");
    let name = budget_file(&folder, "KKvK");
    let path = folder.join(&name);
    let whole = fs::read(&path).unwrap();
    let verify = || damabase_in(dir.path(), "verify russian --progress none");
    assert!(verify().text().contains("all right"));
    // A byte of a block, of the directory or the metadata.
    for part in [4, 2] {
        let mut bytes = whole.clone();
        let at = 256 + (bytes.len() - 256) / part;
        bytes[at] ^= 0x10;
        fs::write(&path, bytes).unwrap();
        assert!(verify().failure(4).contains(&name), "{part}");
    }
    // A byte of the profile that the file was made for: 60 plies become 61.
    let note = b"limit = 60";
    let at = whole.windows(note.len()).position(|bytes| bytes == note).expect("the profile");
    let mut bytes = whole.clone();
    bytes[at + note.len() - 1] = b'1';
    fs::write(&path, bytes).unwrap();
    assert!(verify().failure(4).contains(&name));
    // The budgets of other rules under this name.
    let other = tables("russian --slice KKvK --metric wld,budget --profile fmjd64");
    let folder = other.path().join("russian");
    fs::copy(folder.join(budget_file(&folder, "KKvK")), &path).unwrap();
    assert!(verify().failure(4).contains(&name));
}

#[test]
fn statistics_know_budgets_and_what_counters_do_to_wins() {
    let dir = tables("international --slice KMvK --metric wld,budget");
    let stats = damabase_in(dir.path(), "stats international --json").json();
    let slices = stats["slices"].as_array().unwrap();
    assert_eq!(slices.iter().filter(|row| row["slice"] == "KMvK").count(), 2);
    assert_eq!(stats["files"], 8);
    let profiles = "--profile fmjd100-2018,ru100";
    let json = damabase_in(dir.path(), &format!("stats international {profiles} --json")).json();
    let section = &json["profiles"][0];
    assert_eq!(json["profiles"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&section["profile"], &section["also"]),
        (&json!("fmjd100-2018"), &json!(["ru100"]))
    );
    let rows = section["slices"].as_array().unwrap();
    let row = rows.iter().find(|row| row["slice"] == "KMvK").unwrap();
    assert_eq!((&row["limit"], &row["counters"]), (&json!(10), &json!(["C5"])));
    assert_eq!(row["least_spare"], 1);
    // No win is lost from a fresh count, and the longest needs 9 plies.
    assert_eq!((&row["wins"], &row["longest"]), (&row["wins_in_time"], &json!(9)));
    assert_eq!(row["effect"], "wide enough");
    let sum = |field: &str| -> u64 {
        let rows = slices.iter().filter(|row| row["slice"] == "KMvK");
        rows.map(|row| row[field].as_u64().unwrap()).sum()
    };
    assert_eq!(row["wins"].as_u64().unwrap(), sum("wins") + sum("losses"));
    assert_eq!(row["positions"].as_u64().unwrap(), sum("positions"));
    // The position named needs what is said.
    let fen = row["tightest_fen"].as_str().unwrap();
    let probe = format!("probe international {fen} --profile fmjd100-2018 --json");
    assert_eq!(damabase_in(dir.path(), &probe).json()["budget"], 9);
    let page = damabase_in(dir.path(), &format!("stats international {profiles} --markdown"));
    assert!(page.text().contains("\n| KMvK | C5 | 10 | "), "{page:?}");
    // A count that is one ply too short for the longest win, and boards that show it.
    let rules =
        damabase("profiles fmjd100-2018 --toml").text().replace("limit = 10\n", "limit = 8\n");
    let (file, boards) = (dir.path().join("short.toml"), dir.path().join("boards"));
    fs::write(&file, rules).unwrap();
    let profile = format!("--profile {}", file.display());
    let generate = format!("generate international --slice KMvK --metric wld,budget {profile}");
    damabase_in(dir.path(), &format!("{generate} --progress none")).text();
    let boards_name = boards.display();
    let command = format!("stats international {profile} --markdown --boards {boards_name}");
    let page = damabase_in(dir.path(), &command);
    assert!(page.text().contains("\n| KKvK | C5 | 8 | "), "{page:?}");
    assert!(page.text().contains(" | none | 8 | 0 | **exactly wide enough** |"), "{page:?}");
    assert!(page.text().contains(" | 8 | 0 | **too narrow** |"), "{page:?}");
    for slice in ["KKvK", "KMvK"] {
        let name = format!("international-fmjd100-2018-{slice}.svg");
        assert!(page.text().contains(&format!("]({boards_name}/{name})")), "{page:?}");
        assert!(fs::read_to_string(boards.join(name)).unwrap().starts_with("<svg"));
    }
    let dir = tables("international --slice KvK");
    let run = damabase_in(dir.path(), "stats international --profile li-standard");
    assert!(run.failure(3).starts_with("no tables of budgets under li-standard"), "{run:?}");
}

/// A position of `adjudicate --json` with its counters, for `probe`.
fn counted_fen(ply: &Value) -> String {
    let counters = ply["counters"].as_object().unwrap().iter();
    let counters = counters.map(|(name, value)| format!(":C{name}={value}"));
    format!("{}{}", ply["fen"].as_str().unwrap(), counters.collect::<String>())
}

#[test]
fn a_judged_game_tells_when_the_win_was_let_slip() {
    let dir = tables("international --slice KKKvK --metric wld,budget");
    let probe = |fen: &str| {
        let text = format!("probe international {fen} --profile fmjd100-2018 --json");
        damabase_in(dir.path(), &text).json()
    };
    // Won in 5 plies, and 5 are left. White plays what wins in theory, but not in time.
    let fen = "W:WK13,K19,K37:BK2:CC16=27:CQ25=27";
    let all = probe(fen);
    assert_eq!((&all["budget"], &all["plies_left"]), (&json!(5), &json!(5)));
    let slow =
        all["moves"].as_array().unwrap().iter().find(|m| m["value"] == "cursed-win").unwrap();
    let (needed, slow) = (&slow["budget"], slow["move"].as_str().unwrap());
    assert!(needed.as_u64().unwrap() > 4, "{needed}");
    let game = |moves: &str| {
        let file = dir.path().join("game.pdn");
        fs::write(&file, format!("[GameType \"20\"]\n[FEN \"{fen}\"]\n{moves} *\n")).unwrap();
        format!("adjudicate {} --profile fmjd100-2018", file.display())
    };
    let judged = |moves: &str| {
        damabase_in(dir.path(), &format!("{} --json", game(moves))).json()["games"][0].clone()
    };
    let moves = format!("1. {slow}");
    let found = judged(&moves);
    assert_eq!(
        found["counted_changes"],
        json!([{ "ply": 1, "move": slow, "before": "win", "after": "draw", "left": 4, "needed": needed }])
    );
    assert_eq!((&found["changes"], &found["first_draw"]), (&json!([]), &Value::Null));
    let text = damabase_in(dir.path(), &game(&moves));
    let sentence = format!(
        "\nUnder the counters win for White until {slow} at ply 1, then draw: 4 plies were left, {needed} are needed.\n"
    );
    assert!(text.text().contains(&sentence), "{text:?}");

    // Played on with any moves, also beyond the draw: every ply has what a probe says of it.
    let mut random = 7u64;
    let mut compared = 0;
    for _ in 0..8 {
        let mut moves = moves.clone();
        for number in 1..8 {
            let now = judged(&moves)["plies"].as_array().unwrap().last().unwrap().clone();
            let all = probe(&counted_fen(&now));
            let next = all["moves"].as_array().unwrap();
            if next.is_empty() {
                break;
            }
            for (field, probed) in
                [("budget", "budget"), ("plies_left", "plies_left"), ("value_in_theory", "wld")]
            {
                assert_eq!(now[field], all[probed], "{field}: {now} {all}");
            }
            let value = match all["value"].as_str().unwrap() {
                value @ ("win" | "loss") => value,
                _ => "draw",
            };
            assert_eq!(now["value"], value, "{now} {all}");
            compared += 1;
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let text = next[(random >> 33) as usize % next.len()]["move"].as_str().unwrap();
            let turn = number / 2 + 1;
            let turn = if number % 2 == 0 { format!("{turn}. ") } else { String::new() };
            moves = format!("{moves} {turn}{text}");
        }
    }
    assert!(compared > 16, "{compared}");
}
