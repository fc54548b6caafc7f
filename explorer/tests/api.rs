//! The HTTP API from outside.

mod common;

use common::*;
use damabase_explorer::{Limits, OPENAPI};
use damabase_formats::Metric;
use damabase_rules::VariantId;
use serde_json::{Value, json};

/// The fields of an object, in order of the alphabet.
fn fields(object: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = object.as_object().unwrap().keys().map(|k| &**k).collect();
    names.sort();
    names
}

#[test]
fn a_position_has_its_value_its_counters_and_its_moves_best_first() {
    let answer = get("/russian?fen=%5BFEN%20%22W:WKa1,Kc3:BKb8%22%5D&profile=none").ok();
    assert_eq!(answer["fen"], "W:WK22,K29:BK1");
    assert_eq!((&answer["variant"], &answer["slice"]), (&json!("russian"), &json!("KKvK")));
    assert_eq!((&answer["side"], &answer["profile"]), (&json!("white"), &json!("none")));
    assert_eq!((&answer["counters"], &answer["claim"]), (&json!([]), &Value::Null));
    // Moves of the same value for the mover, better ones first.
    let order = ["win", "draw", "loss"];
    let places: Vec<usize> = answer["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| order.iter().position(|name| row["wld"] == *name).unwrap())
        .collect();
    assert!(places.is_sorted() && !places.is_empty(), "{places:?}");
    assert_eq!(answer["wld"], answer["moves"][0]["wld"]);
    assert_eq!(answer["category"], answer["wld"], "no rules, no doubt");
}

#[test]
fn a_capture_of_the_last_piece_wins() {
    let quick = get("/international?fen=W:WK28:B23").ok();
    assert_eq!((&quick["category"], &quick["wld"]), (&json!("win"), &json!("win")));
    assert_eq!((&quick["dtw"], &quick["dtc"]), (&json!(1), &json!(1)));
    assert_eq!(quick["text"][0], "White wins in 1 ply: needs 1 ply, 50 are left.");
    let row = &quick["moves"][0];
    assert_eq!((&row["path"][0], &row["captures"]), (&json!(28), &json!([23])));
    assert_eq!((&row["converts"], &row["promotes"]), (&json!(true), &json!(false)));
    assert_eq!(row["child"]["wld"], "loss");
    assert_eq!(
        (&row["wdl"], &row["dtm"], &row["checkmate"]),
        (&json!(-2), &json!(0), &json!(true))
    );
    assert_eq!((&quick["wdl"], &quick["dtz"], &quick["dtm"]), (&json!(2), &json!(1), &json!(1)));
}

#[test]
fn counters_decide_what_a_win_is_worth() {
    // Seven plies are needed of the ten of article 6.4.
    for (counted, category, spare, text) in [
        (0, "win", 3, "White wins in 7 plies: needs 7 plies, 10 are left."),
        (3, "win", 0, "White wins in 7 plies: needs 7 plies, 7 are left."),
        (
            4,
            "cursed-win",
            -1,
            "Draw by the rules (fmjd100-2018): White would win in theory in 7 plies: \
                               needs 7 plies, 6 are left.",
        ),
    ] {
        let answer = get(&format!("/international?fen=W:WK2,K6:BK50&counters=C5={counted}")).ok();
        assert_eq!((&answer["category"], &answer["wld"]), (&json!(category), &json!("win")));
        assert_eq!((&answer["budget"], &answer["spare"]), (&json!(7), &json!(spare)));
        assert_eq!(answer["text"][0], text);
        assert_eq!(answer["wdl"], if category == "win" { 2 } else { 1 });
        let best = &answer["moves"][0];
        assert_eq!((&best["category"], &best["spare"]), (&json!(category), &json!(spare)));
        assert_eq!(
            best["child"]["category"],
            if category == "win" { "loss" } else { "blessed-loss" }
        );
    }
    // Where no table tells, the quickest win may: if no counter comes in between, and no repetition.
    let asked = "/russian?fen=W:WK29,K30:B5&profile=cn64-russian";
    for (counted, category) in [(57, "win"), (58, "unknown")] {
        let answer = get(&format!("{asked}&counters=N30={counted}")).ok();
        assert_eq!((&answer["category"], &answer["dtw"]), (&json!(category), &json!(3)));
        assert_eq!((&answer["budget"], &answer["spare"]), (&Value::Null, &Value::Null));
    }
    let fen = "/russian?fen=W:WK29,K32:BK1&profile=li-russian";
    let answer = get(fen).ok();
    let again = get(&format!("{fen}&history=a1-b2,b8-a7,b2-a1,a7-b8,a1-b2,b8-a7,b2-a1,a7-b8")).ok();
    assert_eq!((&answer["fen"], &answer["wld"]), (&again["fen"], &again["wld"]));
    assert!(again["repetition"].as_u64() > answer["repetition"].as_u64(), "{again}");
}

#[test]
fn a_move_that_ends_the_game_comes_first() {
    // The others win, too, and leave more plies than are needed.
    let answer = get("/international?fen=W:WK28,K19:B45").ok();
    let rows: Vec<(&str, u64)> = answer["moves"].as_array().unwrap()[..3]
        .iter()
        .map(|row| (row["move"].as_str().unwrap(), row["dtw"].as_u64().unwrap()))
        .collect();
    assert_eq!(rows, [("28-50", 1), ("28-6", 5), ("19-23", 7)]);
    assert_eq!(answer["moves"][0]["checkmate"], true);
    let line = get("/international/line?fen=W:WK28,K19:B45").ok();
    assert_eq!(line["moves"].as_array().unwrap().len(), 1);
}

/// The budget of a king's move depends on counters that restart at different moves.
#[test]
fn where_several_counters_decide_the_plies_to_spare_are_told() {
    let dir = tempfile::tempdir().unwrap();
    make(dir.path(), VariantId::Russian, &["KKKvK"], &[Metric::Wld, Metric::Dtw, Metric::Budget]);
    let server = start(dir.path(), Limits::default());
    let ask = |query: &str| {
        send(server, "GET", &format!("/russian?fen=W:WK29,K30,K31:BK6{query}"), "", b"").ok()
    };
    let fresh = ask("");
    assert_eq!((&fresh["category"], &fresh["budget"]), (&json!("win"), &Value::Null));
    assert_eq!(fresh["spare"], 12);
    assert_eq!(fresh["text"][0], "White wins in 21 plies: 12 plies to spare on K15.");
    assert_eq!(fresh["moves"][0]["spare"], 12);
    // As many as are to spare, and one more.
    for (counted, category, text) in [
        (12, "win", "White wins in 21 plies: 0 plies to spare on K15."),
        (13, "cursed-win", "Draw by the rules (fmjd64): White would win in theory in 21 plies."),
    ] {
        let answer = ask(&format!("&counters=K15={counted},K3={counted}"));
        assert_eq!((&answer["category"], &answer["text"][0]), (&json!(category), &json!(text)));
    }
    let game = "[GameType \"25\"] [FEN \"W:WK29,K30,K31:BK6\"] 1. a1-b2 *";
    let report = send(server, "POST", "/adjudicate", "", game.as_bytes()).ok();
    let (start, ply) = (&report["games"][0]["start"], &report["games"][0]["plies"][0]);
    assert_eq!((&start["spare"], &start["value"]), (&json!(12), &json!("win")));
    assert_eq!((&ply["budget"], &ply["value"]), (&Value::Null, &json!("loss")));
}

#[test]
fn why_a_value_is_not_known_is_told() {
    let text = |target: &str| get(target).ok()["text"].clone();
    let all = text("/russian?fen=W:WK29,K30:B5&profile=cn64-russian&counters=N30=58");
    assert_eq!(
        all[0],
        "White wins in theory in 3 plies; whether in time for the draw rules (cn64-russian) is not \
         known."
    );
    let why = all[1].as_str().unwrap();
    let (file, makes) = why
        .strip_prefix("There is no table ")
        .and_then(|rest| rest.split_once(" of draw counters: "))
        .unwrap_or_else(|| panic!("{why}"));
    assert!(file.starts_with("KKvM.budget-") && !file.contains(' '), "{file}");
    assert_eq!(
        makes,
        "'damabase generate russian --slice KKvM --metric budget --profile cn64-russian' makes it."
    );
    // With 5 plies left to a draw by king moves, 5 of 10 have been counted against a lone king.
    let all = text("/international?fen=W:WK2,K6:BK50&counters=Q25=45");
    assert!(all[0].as_str().unwrap().ends_with(" is not known."), "{all}");
    assert_eq!(all[1], "No game has these values of the counters.");
    // A capture away from what is there.
    let dir = tempfile::tempdir().unwrap();
    make(dir.path(), VariantId::Russian, &["KKvK"], &[Metric::Wld]);
    std::fs::remove_file(dir.path().join("russian/KvK.wld")).unwrap();
    let server = start(dir.path(), Limits::default());
    let reply = send(server, "GET", "/russian?fen=B:WK18,K4:BK14", "", b"");
    assert_eq!(
        reply.refusal(404).1,
        "there is no table KvK.wld, needed after c5xg1: 'damabase generate russian --slice KvK' \
         makes it"
    );
}

#[test]
fn counters_come_from_the_fen_from_the_query_and_from_the_moves() {
    let counters = |query: &str| -> Vec<(String, u64, u64)> {
        let answer = get(&format!("/international?{query}")).ok();
        let of = |c: &Value| {
            (
                c["name"].as_str().unwrap().into(),
                c["value"].as_u64().unwrap(),
                c["left"].as_u64().unwrap(),
            )
        };
        answer["counters"].as_array().unwrap().iter().map(of).collect()
    };
    let named = |values: &[(&str, u64, u64)]| -> Vec<(String, u64, u64)> {
        values.iter().map(|&(name, value, left)| (name.into(), value, left)).collect()
    };
    let fen = "fen=W:WK46,K47:BK3";
    assert_eq!(counters(fen), named(&[("Q25", 0, 50), ("C5", 0, 10)]));
    assert_eq!(counters(&format!("{fen}:CC5%3D4")), named(&[("Q25", 0, 50), ("C5", 4, 6)]));
    assert_eq!(
        counters(&format!("{fen}:CC5%3D4&counters=C5=6,%20Q25=8")),
        named(&[("Q25", 8, 42), ("C5", 6, 4)])
    );
    let moves = "history=47-38,3-9%2038-33";
    assert_eq!(counters(&format!("{fen}&{moves}")), named(&[("Q25", 3, 47), ("C5", 3, 7)]));
    let answer = get(&format!("/international?{fen}&{moves}")).ok();
    assert_eq!((&answer["fen"], &answer["repetition"]), (&json!("B:WK33,K46:BK9"), &json!(1)));
    // A draw that stands.
    let answer = get(&format!("/international?{fen}&counters=C5=10")).ok();
    assert_eq!(
        answer["claim"],
        json!({ "kind": "automatic", "by": "C5", "article": "6.4", "status": "second-hand",
                "plies_left": 0 })
    );
    assert_eq!(answer["moves"][0]["claim"]["plies_left"], 0);
    let answer =
        get(&format!("/international?{fen}&history=46-41,3-8,41-46,8-3,46-41,3-8,41-46,8-3")).ok();
    assert_eq!((&answer["repetition"], &answer["claim"]["by"]), (&json!(3), &json!("repetition")));
    assert_eq!(answer["claim"]["plies_left"], 0);
}

/// Article 1.32.1 of the WCDF: the player to move may claim when a move of his would make the third
/// occurrence. The loser does, the winner does not.
#[test]
fn a_claim_is_made_by_who_does_not_win() {
    let dir = tempfile::tempdir().unwrap();
    make(dir.path(), VariantId::English, &["KKvK"], &[Metric::Wld, Metric::Dtw, Metric::Budget]);
    let server = start(dir.path(), Limits::default());
    let ask = |path: &str, history: &str| {
        let target = format!("/english{path}?fen=W:WK32,K31:BK1&history={history}");
        send(server, "GET", &target, "", b"").ok()
    };
    let history = "32-28,1-5,28-32,5-1,32-28,1-5,28-32";
    let loser = ask("", history);
    assert_eq!(
        (&loser["claim"]["by"], &loser["claim"]["plies_left"]),
        (&json!("repetition"), &json!(0))
    );
    assert_eq!((&loser["category"], &loser["wld"]), (&json!("blessed-loss"), &json!("loss")));
    assert_eq!(
        loser["text"][0],
        "Draw by the rules (wcdf): White would win in theory in 34 plies."
    );
    assert_eq!(ask("/line", history)["end"], "draw");
    // Before it White has to play something else.
    let before = ask("", "32-28,1-5,28-32,5-1,32-28,1-5");
    let row = |text: &str| {
        let rows = before["moves"].as_array().unwrap();
        rows.iter().find(|row| row["move"] == text).unwrap()["category"].clone()
    };
    assert_eq!((row("28-32"), &before["category"]), (json!("cursed-win"), &json!("win")));
    assert_ne!(before["moves"][0]["move"], "28-32");
    // White may claim, too, and does not: there is a way around.
    let winner = ask("", &format!("{history},5-1"));
    assert_eq!(
        (&winner["claim"]["by"], &winner["category"]),
        (&json!("repetition"), &json!("win"))
    );
    assert_eq!(ask("/line", &format!("{history},5-1"))["end"], "win");
}

#[test]
fn wrong_input_is_code_400_with_the_column() {
    for (target, field, column, message) in [
        ("/russian?fen=W:WK29,99:BK6", "fen", json!(8), "fen: column 8: square 99"),
        ("/russian?fen=hello", "fen", json!(1), "fen: column 1: expected the side to move"),
        (
            "/russian?profile=fmjd",
            "profile",
            Value::Null,
            "profile: unknown draw profile 'fmjd': expected one of fmjd64",
        ),
        (
            "/russian?profile=wcdf",
            "profile",
            Value::Null,
            "profile: profile 'wcdf' is not for russian",
        ),
        ("/russian?profile=../../etc/passwd.toml", "profile", Value::Null, "profile: unknown"),
        (
            "/russian?counters=K15=1,x",
            "counters",
            json!(7),
            "counters: column 7: expected NAME=PLIES",
        ),
        ("/russian?counters=K15=-1", "counters", json!(1), "counters: column 1: expected a number"),
        (
            "/russian?fen=W:WK29:BK6&counters=C5=1,K15=99999999",
            "counters",
            json!(6),
            "counters: column 6: 99999999 plies are too many",
        ),
        (
            "/russian?fen=W:WK29:BK6&counters=C7=1",
            "counters",
            json!(1),
            "counters: column 1: profile 'fmjd64' has no counter 'C7'",
        ),
        (
            "/russian?fen=W:WK29:BK6:CK3=1&counters=K15=1",
            "fen",
            json!(12),
            "fen: column 12: counter 'K3' is not on in this position",
        ),
        (
            "/russian?fen=W:WK29:BK6:H4",
            "fen",
            json!(12),
            "fen: column 12: H4 may mean any of the counters K15, C5",
        ),
        (
            "/russian?fen=W:WK29:BK6&counters=H=4",
            "counters",
            json!(1),
            "counters: column 1: H4 may mean any",
        ),
        (
            "/russian?fen=W:WK29:BK6&history=a1-b2%20b8-b9",
            "history",
            json!(7),
            "history: column 7: ",
        ),
        ("/russian/line?plies=401", "plies", Value::Null, "plies: expected a number up to 400"),
        ("/russian/stats?slice=KQvK", "slice", Value::Null, "'KQvK' is no slice"),
        ("/russian/board.svg?turned=maybe", "turned", Value::Null, "turned: expected 0 or 1"),
    ] {
        let reply = get(target);
        let (kind, error) = reply.refusal(400);
        assert_eq!(kind, "input");
        assert!(error.starts_with(message), "{target}: {error}");
        assert_eq!(
            (&reply.json()["field"], &reply.json()["column"]),
            (&json!(field), &column),
            "{target}"
        );
    }
    assert!(get("/russian?fen=a&fen=b").refusal(400).1.contains("duplicate field"));
    let long = "a1-b2,b2-a1,".repeat(600);
    let reply = get(&format!("/russian?fen=W:WK29:BK4&history={long}"));
    assert_eq!(reply.status, 400, "{reply:?}");
}

#[test]
fn what_is_not_there_is_code_404_and_says_what() {
    let reply = get("/international?fen=W:WK46,K47,K48:BK3");
    assert_eq!(
        reply.refusal(404),
        (
            "missing".into(),
            "the tables have up to 3 pieces, and 4 are on the board: 'damabase generate \
             international --slice KKKvK' makes it"
                .into()
        )
    );
    // The moves are there all the same, so one can play on.
    let answer = reply.json();
    assert_eq!((&answer["category"], &answer["wld"]), (&json!("unknown"), &Value::Null));
    assert!(answer["moves"].as_array().unwrap().len() > 10);
    assert_eq!(get("/international").status, 404, "the start of the game");
    assert_eq!(
        get("/english?fen=W:W32:B1").refusal(404).1,
        "there is no table of english: 'damabase generate english --pieces 4' makes some"
    );
    assert_eq!(
        get("/russian").refusal(404).1,
        "the tables have up to 3 pieces, and 24 are on the board"
    );
    assert_eq!(get("/russian/stats?slice=KKKvK").refusal(404).1, "no table of KKKvK for russian");
    let unknown =
        "unknown variant 'chess': expected one of international, russian, brazilian, english";
    for target in ["/chess", "/chess/line", "/chess/stats", "/chess/board.svg"] {
        assert_eq!(get(target).refusal(404).1, unknown);
    }
    for target in ["/russian/nothing", "/assets/nothing", "/assets/..%2Fpage.html", "/%ff"] {
        assert_eq!(get(target).refusal(404).0, "input", "{target}");
    }
    assert_eq!(send(*SERVER, "DELETE", "/russian", "", b"").refusal(405).0, "input");
    assert_eq!(send(*SERVER, "GET", "/adjudicate", "", b"").status, 405);
}

#[test]
fn a_line_leads_to_the_end() {
    let line = get("/russian/line?fen=W:WK29,K31:B13&profile=none").ok();
    assert_eq!(line["end"], "win");
    let first = get("/russian?fen=W:WK29,K31:B13&profile=none").ok();
    assert_eq!(line["moves"].as_array().unwrap().len() as u64, first["dtw"].as_u64().unwrap());
    assert_eq!(get("/russian/line?fen=W:WK29,K31:B13&plies=1").ok()["end"], "limit");
    assert_eq!(get("/russian/line").ok()["end"], "unknown");
    // King against king comes back to where it was.
    assert_eq!(get("/russian/line?fen=W:WK29:BK6&profile=none").ok()["end"], "draw");
}

#[test]
fn statistics_are_those_of_the_tables() {
    let stats = get("/russian/stats").ok();
    let slices = stats["slices"].as_array().unwrap();
    let row =
        slices.iter().find(|row| row["slice"] == "KKvK" && row["to_move"] == "first").unwrap();
    let detail = get("/russian/stats?slice=KKvK").ok();
    let side = &detail["sides"][0];
    for name in ["positions", "wins", "draws", "losses"] {
        assert_eq!(row[name], side[name]);
    }
    assert_eq!((&detail["metric"], &side["one_in"]), (&json!("dtw"), &json!(1)));
    let bins = side["wins_by_plies"].as_array().unwrap();
    let longest = bins.last().unwrap()["plies"].clone();
    assert_eq!(row["longest_win"], longest);
    // The position shown takes as long as it says.
    let shown = &side["longest"][0];
    assert_eq!(shown["plies"], longest);
    let fen = shown["fen"].as_str().unwrap();
    assert_eq!(get(&format!("/russian?fen={fen}")).ok()["dtw"], longest);
    assert_eq!(get("/english/stats").ok()["slices"], json!([]));
}

#[test]
fn games_are_judged() {
    let game = "[GameType \"20\"] [FEN \"W:WK46,K47:BK3\"] 1. 47-38 3-9 2. 38-32 9-3 3. 32-38 3-9 \
        4. 38-32 9-3 5. 32-38 3-9 6. 38-32 *";
    let report = post("/adjudicate", game).ok();
    let judged = &report["games"][0];
    assert_eq!(judged["first_draw"], json!({ "ply": 9, "counters": ["repetition"] }));
    assert!(judged["text"].as_str().unwrap().starts_with("game 1  international"));
    assert_eq!(judged["plies"][3]["limits"], json!({ "Q25": 50, "C5": 10 }));
    assert_eq!(judged["plies"].as_array().unwrap().len(), 11);
    let claim = post("/adjudicate?at=3&profile=li-standard&variant=20", game).ok();
    assert_eq!(claim["games"][0]["at"]["right"], false);
    // Several games: one that is wrong does not hide the others.
    let report = post("/adjudicate", &format!("{game}\n{}", game.replace("47-38", "47-1"))).ok();
    assert!(report["games"][1]["error"].as_str().unwrap().contains("'47-1' is no legal move"));
    for (query, text, message) in [
        ("", "", "there is no game in the text"),
        ("", "1. 32-28 {", "bad PDN: line 1"),
        ("", "[GameType \"99\"] 1. 32-28", "game 1: GameType '99' is not played here"),
        ("?at=x", game, "at: expected a number of plies"),
        ("?profile=x", game, "unknown draw profile 'x'"),
        ("?variant=x", game, "unknown variant 'x'"),
        ("?variant=russian", game, "game 1: "),
    ] {
        let (kind, error) = post(&format!("/adjudicate{query}"), text).refusal(400);
        assert_eq!(kind, "input");
        assert!(error.starts_with(message), "{error}");
    }
    let endless = format!("1. 46-41 3-8 {}", "41-46 8-3 46-41 3-8 ".repeat(2500));
    let endless = format!("[FEN \"W:WK46:BK3\"] {endless}");
    assert_eq!(
        post("/adjudicate?variant=20", &endless).refusal(400).1,
        "10002 plies: at most 10000 are judged at once"
    );
    let many = "1. 32-28 *\n".repeat(65);
    assert!(
        post("/adjudicate?variant=20", &many).refusal(400).1.starts_with("65 games: at most 64")
    );
}

#[test]
fn the_description_has_every_address_and_every_field() {
    let api: Value = serde_json::from_str(OPENAPI).unwrap();
    assert_eq!(get("/openapi.json").ok(), api);
    let schema = |name: &str| fields(&api["components"]["schemas"][name]["properties"]);
    let answer = get("/russian?fen=W:WK29:BK6").ok();
    let missing = get("/russian").json();
    assert_eq!(fields(&missing), schema("Answer"));
    assert!(fields(&answer).iter().all(|name| schema("Answer").contains(name)));
    assert_eq!(fields(&answer["moves"][0]), schema("Move"));
    assert_eq!(fields(&answer["claim"]), schema("Claim"));
    assert_eq!(fields(&answer["counters"][0]), schema("Counter"));
    assert_eq!(fields(&get("/russian/line?fen=W:WK29:BK6").ok()), schema("Line"));
    assert_eq!(fields(&get("/russian/stats").ok()), schema("Statistics"));
    assert_eq!(fields(&get("/russian/stats?slice=KvK").ok()), schema("Detail"));
    assert_eq!(fields(&get("/health").ok()), schema("Health"));
    let judged = post("/adjudicate?variant=20", "1. 32-28 *").ok();
    assert_eq!(fields(&judged["games"][0]), schema("Game"));
    assert_eq!(fields(&judged["games"][0]["start"]), schema("Ply"));
    for path in fields(&api["paths"]) {
        let target = path.replace("{variant}", "russian");
        let method =
            fields(&api["paths"][path]).into_iter().find(|name| ["get", "post"].contains(name));
        let reply = send(*SERVER, &method.unwrap().to_uppercase(), &target, "", b"");
        assert!(![405, 500].contains(&reply.status), "{path}: {reply:?}");
    }
}

#[test]
fn pictures_are_given() {
    let reply = get("/russian/board.svg?fen=W:WK29:BK6&history=a1-b2&turned=1");
    assert!(reply.head.contains("content-type: image/svg+xml"), "{reply:?}");
    assert!(reply.body.contains("data-turned=\"true\"") && reply.body.contains("square last"));
    assert!(reply.head.contains("content-security-policy: default-src 'none'"), "{reply:?}");
}
