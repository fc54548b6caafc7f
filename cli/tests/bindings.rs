//! What a program in C is told is what the command says.

mod common;

use std::ffi::CString;

use ::damabase_c::*;
use common::{damabase_with, tables};
use serde_json::Value;

/// The number of a word, as the header has it.
fn wld(word: &Value) -> i32 {
    match word.as_str() {
        Some("win") => DAMABASE_WIN,
        Some("loss") => DAMABASE_LOSS,
        Some("draw" | "cursed-win" | "blessed-loss") => DAMABASE_DRAW,
        _ => DAMABASE_UNKNOWN,
    }
}

fn plies(number: &Value) -> i32 {
    number.as_i64().map_or(DAMABASE_NO_PLIES, |plies| plies as i32)
}

/// Sound positions of the pieces `KMvK` or `KKMvK`, with values of a counter.
fn fens(squares: u32, kings: usize, counter: &str, values: &[u32], number: usize) -> Vec<String> {
    let mut state = 7_u32;
    let mut square = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // Not on the upper row, where a man would be a king.
        6 + (state >> 16) % (squares - 5)
    };
    let mut fens = Vec::new();
    while fens.len() < number {
        let mut pieces: Vec<u32> = (0..kings + 2).map(|_| square()).collect();
        let side = if square() % 2 == 0 { "W" } else { "B" };
        let value = values[fens.len() % values.len()];
        let (man, king) = (pieces.pop().unwrap(), pieces.pop().unwrap());
        if pieces.iter().any(|&p| p == man || p == king) || man == king {
            continue;
        }
        if (1..pieces.len()).any(|i| pieces[..i].contains(&pieces[i])) {
            continue;
        }
        let kings: String = pieces.iter().map(|square| format!("K{square},")).collect();
        fens.push(format!("{side}:W{kings}{man}:BK{king}:C{counter}={value}"));
    }
    fens
}

/// Compares all calls with the command; gives how often each value came and how often several
/// counters decided.
fn compare(made: &str, variant: &str, profile: &str, counter: &str, fens: &[String]) -> [u32; 4] {
    let dir = tables(made);
    let command = format!("probe {variant} - --profile {profile} --json");
    let run = damabase_with(dir.path(), &command, fens.join("\n").as_bytes());
    let answers = run.text().lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let text = |text: &str| CString::new(text).unwrap();
    let (game, folder) = (text(variant), text(dir.path().to_str().unwrap()));
    let mut counts = [0; 4];
    unsafe {
        let handle = damabase_new();
        let opened = damabase_open(handle, game.as_ptr(), folder.as_ptr(), 0);
        assert_eq!(opened, DAMABASE_OK);
        assert_eq!(damabase_set_profile(handle, text(profile).as_ptr()), DAMABASE_OK);
        let mut names = Vec::new();
        let mut name = [0; 16];
        while damabase_counter_name(handle, names.len(), name.as_mut_ptr(), 16) == 1 {
            let bytes = name.iter().take_while(|&&byte| byte != 0).map(|&byte| byte as u8);
            names.push(String::from_utf8(bytes.collect()).unwrap());
        }
        for (fen, answer) in fens.iter().zip(answers) {
            let mut counters = vec![-1; names.len()];
            let place = names.iter().position(|name| name == counter).unwrap();
            counters[place] = fen.split('=').next_back().unwrap().parse().unwrap();
            let (mut position, mut found) =
                (damabase_position::default(), damabase_counted::default());
            assert_eq!(damabase_read_fen(handle, text(fen).as_ptr(), &mut position), DAMABASE_OK);
            let (given, len) = (counters.as_ptr(), counters.len());
            let status = damabase_probe_budget(handle, &position, given, len, &mut found);
            assert_eq!(status, DAMABASE_OK, "{fen}");
            let never = answer["budget_state"] == "never";
            let expected = damabase_counted {
                wld: wld(&answer["value"]),
                in_theory: wld(&answer["wld"]),
                budget: if never { DAMABASE_NEVER } else { plies(&answer["budget"]) },
                left: plies(&answer["plies_left"]),
                decided_by: names
                    .iter()
                    .position(|name| answer["decided_by"]["counter"] == *name)
                    .map_or(DAMABASE_NO_COUNTER, |place| place as i32),
                to_spare: plies(&answer["plies_to_spare"]),
            };
            assert_eq!(found, expected, "{fen}: {answer}");
            counts[0] += u32::from(found.wld == DAMABASE_WIN);
            counts[1] += u32::from(found.wld == DAMABASE_LOSS);
            counts[2] += u32::from(found.wld == DAMABASE_DRAW && found.in_theory == DAMABASE_WIN);
            counts[3] += u32::from(answer["budget_state"] == "several");
        }
        damabase_close(handle);
    }
    counts
}

#[test]
fn values_under_draw_rules_are_those_of_the_command() {
    let made = "international --slice KMvK --metric wld,budget";
    let positions = fens(50, 1, "C5", &[0, 4, 7, 9], 2000);
    let counts = compare(made, "international", "fmjd100-2018", "C5", &positions);
    assert!(counts[0] >= 5 && counts[2] >= 5, "{counts:?}");
    let made = "russian --slice KKMvK --metric wld,budget";
    let positions = fens(32, 2, "K15", &[0, 9, 18, 27], 1000);
    let counts = compare(made, "russian", "fmjd64", "K15", &positions);
    assert!(counts.iter().all(|&count| count >= 5), "{counts:?}");
}
