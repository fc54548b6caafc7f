//! Draw profiles and the draws of games, from outside.

mod common;

use std::fs;

use common::*;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A game published with the question how the counts of 16 and 5 moves go together
/// (leveluplounge.net, "How do the different draw rules interact with each other").
const THREE_KINGS: &str = "[GameType \"20\"]\n[FEN \"W:WK46,K47,K48:BK3\"]
1. 47-38 3-9 2. 46-23 9-22 3. 38-24 22-17 4. 48-31 17-39 5. 24-38 39-17 6. 31-42 17-22
7. 38-15 22-6 8. 42-31 6-1 9. 31-18 1-6 10. 18-13 6-17 11. 15-20 17-39 12. 13-18 39-17
13. 20-33 17x39 14. 18-13 39-33 15. 13-27 33-17 16. 23-19 17-12 17. 27-22 12-29 18. 19-32 29-12 *";

/// Runs the command on a file with a text.
fn adjudicate(text: &str, options: &str) -> Run {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("game.pdn");
    fs::write(&file, text).unwrap();
    // No tables, whatever the machine has.
    damabase_in(dir.path(), &format!("adjudicate {} {options}", file.display()))
}

fn only_game(run: &Run) -> Value {
    let report = run.json();
    assert_eq!(report["games"].as_array().unwrap().len(), 1);
    report["games"][0].clone()
}

#[test]
fn the_ply_of_the_draw_depends_on_the_profile() {
    for (profile, ply, counter) in [
        ("fmjd100-2015", 32, "C16"),
        ("fmjd100-2018", 32, "C16"),
        ("fmjd100-2024", 32, "C16"),
        ("cn100", 32, "C16"),
        ("ru100", 32, "C16"),
        ("fmjd100-2015-fresh", 36, "C5"),
        ("li-standard", 36, "H"),
    ] {
        let game = only_game(&adjudicate(THREE_KINGS, &format!("--profile {profile} --json")));
        assert_eq!(game["first_draw"], json!({ "ply": ply, "counters": [counter] }), "{profile}");
        assert_eq!(game["profile"], profile);
    }
    let game = only_game(&adjudicate(THREE_KINGS, "--json"));
    assert_eq!(game["profile"], "fmjd100-2018");
    assert_eq!(
        game["if_played_on"],
        json!({ "plies": 4, "draws": [{ "ply": 36, "counters": ["C5"] }] })
    );
    assert_eq!(game["claimable"], json!([]));
    assert_eq!(game["plies"].as_array().unwrap().len(), 36);
    let capture = &game["plies"][25];
    assert_eq!(capture["ply"], 26);
    assert_eq!(capture["move"], "17x39");
    assert_eq!(capture["counters"], json!({ "Q25": 0, "C16": 26, "C5": 0 }));
    assert_eq!((&capture["plies_left"], &capture["repetition"]), (&json!(6), &json!(1)));
    assert_eq!((&capture["value"], &capture["value_in_theory"]), (&Value::Null, &Value::Null));
    // Once drawn, the value under the rules is known without tables.
    assert_eq!(game["plies"][31]["value"], "draw");
    assert_eq!(game["start"]["plies_left"], 32);
    // No rules, no draw.
    let game = only_game(&adjudicate(THREE_KINGS, "--profile none --json"));
    assert_eq!((&game["first_draw"], &game["if_played_on"]), (&Value::Null, &Value::Null));
}

#[test]
fn claims_are_judged() {
    let right = adjudicate(THREE_KINGS, "--at 32");
    assert!(right.text().contains("A claim at ply 32 is right:"), "{right:?}");
    assert!(right.text().contains("counted from ply 0: article 6.3 (second-hand)"), "{right:?}");
    assert!(adjudicate(THREE_KINGS, "--at 33").text().contains("drawn since ply 32"));
    let wrong = adjudicate(THREE_KINGS, "--at 31");
    assert_eq!(
        wrong.failure(1),
        "a claim at ply 31 is wrong: Q25 is at 5 of 50 plies, 45 left (article 6.2); C16 is at 31 of \
         32 plies, 1 left (article 6.3); C5 is at 5 of 10 plies, 5 left (article 6.4); the position \
         has occurred 1 of 3 times (article 6.1)"
    );
    let wrong = adjudicate(THREE_KINGS, "--at 32 --profile li-standard --json");
    assert_eq!(wrong.code, 1);
    let report: Value = serde_json::from_str(&wrong.stdout).unwrap();
    let at = &report["games"][0]["at"];
    assert_eq!(at["right"], false);
    assert_eq!(
        at["counters"],
        json!([{
            "name": "H", "value": 6, "limit": 10, "left": 4, "started": 0,
            "restarted": { "ply": 26, "by": "entry-capture" },
            "article": "Standard.scala", "status": "code",
        }])
    );
    let far = adjudicate(THREE_KINGS, "--at 37");
    assert_eq!(far.failure(2), "game 1: a claim at ply 37: the game has 36 plies");
}

#[test]
fn english_draws_are_claimable_only() {
    let text = "[GameType \"21\"]\n[FEN \"B:WK32,21:BK1,9:CN40=78\"]
        1. 1-5 32-27 2. 5-1 27-32 3. 9-13 *";
    let game = only_game(&adjudicate(text, "--json"));
    assert_eq!((&game["profile"], &game["first_draw"]), (&json!("wcdf"), &Value::Null));
    assert_eq!(game["claimable"], json!([2, 3, 4]));
    assert_eq!(
        game["claims"][0],
        json!({ "ply": 2, "by": ["white", "black"], "counters": ["N40"] })
    );
    assert!(adjudicate(text, "--at 2").text().contains("is right"));
    assert_eq!(adjudicate(text, "--at 5").code, 1);
    let words = adjudicate(text, "");
    let claim = "A draw may be claimed by white or black from ply 2 (32-27) to ply 4: N40\n";
    assert!(words.text().contains(claim), "{words:?}");
}

#[test]
fn a_win_on_the_last_ply_stands() {
    let run = command("adjudicate B:WK6,K16:BK45 --variant international --json --moves")
        .arg("45-50 16-11 50-45 6-1 45-50 11-6 50-45 6-50 45-40 1x45")
        .output()
        .unwrap();
    assert!(run.status.success(), "{run:?}");
    let report: Value = serde_json::from_slice(&run.stdout).unwrap();
    let game = &report["games"][0];
    assert_eq!(game["over"], json!({ "ply": 10, "winner": "white" }));
    assert_eq!(game["first_draw"], Value::Null);
    let last = &game["plies"][9];
    assert_eq!((&last["value"], &last["value_in_theory"]), (&json!("loss"), &json!("loss")));
}

#[test]
fn tables_are_told_as_evidence() {
    let dir = TempDir::new().unwrap();
    assert_eq!(damabase_in(dir.path(), "generate international --pieces 3").code, 0);
    let file = dir.path().join("game.pdn");
    fs::write(&file, "[FEN \"W:WK2,6:BK50\"] 1. 6-1 50-28 2. 1-6 28-50 *").unwrap();
    let run = damabase_in(dir.path(), &format!("adjudicate {} --json", file.display()));
    let game = only_game(&run);
    assert_eq!(game["start"]["value_in_theory"], "win");
    assert_eq!(game["start"]["value"], Value::Null, "no tables under counters yet");
    let change = &game["changes"][0];
    let (ply, after) = (change["ply"].as_u64().unwrap() as usize, change["after"].clone());
    assert_eq!((&change["before"], &after), (&json!("win"), &json!("draw")));
    let drawn = &game["plies"][ply - 1];
    assert_eq!((&drawn["value_in_theory"], &drawn["value"]), (&json!("draw"), &json!("draw")));
    let words = damabase_in(dir.path(), &format!("adjudicate {}", file.display()));
    assert!(words.text().contains("they are evidence, no ruling"), "{words:?}");
    // Also of the position in which a draw is claimed that no count gives.
    let claim = damabase_in(dir.path(), &format!("adjudicate {} --at {ply}", file.display()));
    assert_eq!(claim.code, 1);
    let mover = if ply % 2 == 0 { "White" } else { "Black" };
    let evidence = format!(
        "(article 6.1)\n  for people to decide, not here: an agreement, an obvious win, that neither can win\n  \
         by tables, for {mover} to move: draw in theory, draw under the counters\n"
    );
    assert!(claim.stdout.ends_with(&evidence), "{claim:?}");
    let start = damabase_in(dir.path(), &format!("adjudicate {} --at 0", file.display()));
    assert!(start.stdout.ends_with("  by tables, for White to move: win in theory\n"), "{start:?}");
}

#[test]
fn games_are_annotated() {
    let run = adjudicate(THREE_KINGS, "--annotate");
    let text = run.text();
    assert!(text.starts_with("[GameType \"20\"]\n"), "{text}");
    assert!(text.contains("16. 23-19 17-12 {Drawn."), "{text}");
    let won = adjudicate("[GameType \"20\"] [Result \"2-0\"] 1. 32-28 2-0", "--annotate");
    assert!(won.text().ends_with("1. 32-28\n2-0\n"), "{won:?}");
    // The annotated game is a game: it can be read and judged again.
    let game = only_game(&adjudicate(text, "--json"));
    assert_eq!(game["first_draw"]["ply"], 32);
}

#[test]
fn games_that_cannot_be_read_do_not_hide_the_others() {
    let text = "[GameType \"20\"] 1. 32-28 19-23 2. 28-22 *\n[GameType \"20\"] 1. 32-28 *";
    let run = adjudicate(text, "--json");
    assert_eq!(run.failure(2), "1 of 2 games cannot be read");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        report["games"][0],
        json!({
            "game": 1,
            "error": "game 1, ply 3, line 1: '28-22' is no legal move here: expected 28x19"
        })
    );
    assert_eq!(report["games"][1]["plies"].as_array().unwrap().len(), 1);
    for (text, options, message) in [
        (
            "1. 22-18 *",
            "",
            "game 1: no tag GameType tells which game it is; name the variant, by --variant",
        ),
        (
            "[GameType \"40\"] *",
            "",
            "game 1: GameType '40' is not played here; name the variant, by --variant",
        ),
        ("1. 31-27 *", "--profile fmjd64", "profile 'fmjd64' is not for international"),
        ("1. 32-28 * 1. 32-28 *", "--at 1", "2 games: --at needs one, chosen by --number"),
        ("", "", "there is no game in the text"),
        ("1. 32-28 *", "--number 2", "there is no game 2 in the text, which has 1"),
        ("1. 32-28 {", "", "bad PDN: line 1: a comment begins here and does not end"),
        (
            "[FEN \"W:WK2,46,K3:BK50:H7\"] 1. 46-41 *",
            "",
            "game 1: H7 may mean any of the counters Q25, C16: give each as C<NAME>=<plies>",
        ),
    ] {
        assert_eq!(adjudicate(text, options).failure(2), message, "{text}");
    }
    assert_eq!(damabase("adjudicate nowhere.pdn").code, 5);
    let wcdf = only_game(&adjudicate("1. 9-13 *", "--profile wcdf --json"));
    assert_eq!(wcdf["variant"], "english", "the only game of its profile");
}

#[test]
fn profiles_are_told_and_may_be_files() {
    let list = damabase("profiles");
    for name in ["fmjd100-2018        international*", "li-brazilian", "turkish", "none"] {
        assert!(list.text().contains(name), "{name}: {list:?}");
    }
    let report = damabase("profiles --json").json();
    assert_eq!(report["profiles"].as_array().unwrap().len(), 22);
    let words = damabase("profiles fmjd64");
    for part in ["ROAD5  10 plies", "7.2.9", "second-hand", "taken for russian", "open points"] {
        assert!(words.text().contains(part), "{part}: {words:?}");
    }
    let one = damabase("profiles wcdf --json").json();
    assert_eq!(one["counter"][0]["limit"], 80);
    assert_eq!(one["default_for"], json!(["english"]));
    assert!(damabase("profiles chess").failure(2).starts_with("unknown draw profile 'chess'"));

    // A profile of one's own: six moves instead of sixteen.
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("mine.toml");
    let text = damabase("profiles fmjd100-2018 --toml").text().to_string();
    fs::write(&file, text.replace("limit = 32", "limit = 12")).unwrap();
    let options = format!("--profile {} --json", file.display());
    let game = only_game(&adjudicate(THREE_KINGS, &options));
    assert_eq!(game["first_draw"], json!({ "ply": 12, "counters": ["C16"] }));
    fs::write(&file, "name = 1").unwrap();
    let error = adjudicate(THREE_KINGS, &options);
    assert!(error.failure(2).contains("mine.toml: line 1: "), "{error:?}");
}
