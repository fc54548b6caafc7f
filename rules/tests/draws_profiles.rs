//! Profiles as files, profiles of other games, and counters given by a FEN.

mod common;

use common::draws::*;
use common::fen;
use damabase_rules::draws::*;
use damabase_rules::*;

#[test]
fn other_federations_are_data_too() {
    // Frisian art. 18 and the Turkish draw are counted like all others.
    let replay = game::<International>("frisian-2011", "W:WK46,K47:BK3", &[], "1. 46-41 3-8");
    assert_eq!((value(&replay, "F7"), left(&replay, "F7")), (Some(2), Some(12)));
    let replay = game::<International>("turkish", "W:WK46:B3", &[], "");
    assert_eq!(due(&replay, 0), ["ONE"]);
    let replay = game::<Russian>("fpd", "W:WK29,K1,K2:BK32", &[], "1. 29-25 32-28 2. 1-6");
    assert_eq!((value(&replay, "R12"), value(&replay, "N20")), (Some(3), Some(3)));
    let replay = game::<Russian>("fpd", "W:WK29,K1,K2:BK32", &[], "1. 29-25 32-28 2. 25-30");
    assert_eq!(value(&replay, "R12"), None);
    let replay = game::<Russian>("apca", "W:WK30,K1,K2:BK32", &[("K13", 25)], "1. 30-26");
    assert_eq!(due(&replay, 1), ["K13"]);
    let replay = game::<International>("none", "W:WK46:BK3", &[], "1. 46-41 3-8");
    assert!(replay.first_draw().is_none() && replay.now().counters == Counters::default());
}

#[test]
fn values_from_a_fen_must_say_which_counter_they_mean() {
    let start = |name: &str, text: &str, half_moves: Option<u32>, values: &[(&str, u32)]| {
        let seeds = Seeds { half_moves, ..seeds(values) };
        let counters = profile(name).start(&fen::<International>(text).0, &seeds);
        counters.map(|c| (0..3).map(|i| c.value(i)).collect::<Vec<_>>())
    };
    let (two, many) = ("W:WK2,K6:BK50", "W:WK2,K6:BK50,K49");
    assert_eq!(start("fmjd100-2018", many, Some(7), &[]), Ok(vec![Some(7), None, None]));
    let error = start("fmjd100-2018", two, Some(7), &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "H7 may mean any of the counters Q25, C5: give each as C<NAME>=<plies>"
    );
    // H0 says what is true anyway; once the others are named, H is clear.
    assert_eq!(start("fmjd100-2018", two, Some(0), &[]), Ok(vec![Some(0), None, Some(0)]));
    let named = start("fmjd100-2018", two, Some(7), &[("C5", 3)]);
    assert_eq!(named, Ok(vec![Some(7), None, Some(3)]));
    // Under MIN two against one may come from three against one.
    let carried = start("fmjd100-2018", two, None, &[("C16", 20), ("C5", 3)]);
    assert_eq!(carried, Ok(vec![Some(0), Some(20), Some(3)]));
    assert_eq!(
        start("fmjd100-2015-fresh", two, None, &[("C16", 20)]),
        Err(SeedError::NotOn("C16".to_string()))
    );
    let error = start("fmjd100-2018", two, None, &[("K15", 1)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "profile 'fmjd100-2018' has no counter 'K15': it has Q25, C16, C5"
    );
    assert_eq!(
        start("fmjd100-2018", two, None, &[("C5", 70_000)]),
        Err(SeedError::TooLarge(70_000))
    );
    assert_eq!(
        start("fmjd100-2018", two, None, &[("C5", 3), ("C16", 8), ("C5", 4)]),
        Err(SeedError::Twice("C5".to_string()))
    );
    // Two streaks: H may be either.
    let russian = profile("fmjd64").start(
        &fen::<Russian>("W:WK29,21:BK4,12").0,
        &Seeds { half_moves: Some(9), counters: Vec::new() },
    );
    assert!(matches!(russian, Err(SeedError::Ambiguous { half_moves: 9, .. })));
}

#[test]
fn faulty_profiles_are_refused() {
    let head = "name = \"x\"\ntitle = \"\"\nvariants = []\nsource = \"\"\n";
    let counter = |name: &str, more: &str| {
        format!(
            "[[counter]]\nname = \"{name}\"\narticle = \"\"\nstatus = \"read\"\ntext = \"\"\n{more}\n"
        )
    };
    let error =
        |text: &str| DrawProfile::from_toml(&format!("{head}{text}")).unwrap_err().to_string();
    assert!(DrawProfile::from_toml(&format!("{head}{}", counter("A", ""))).is_ok());
    assert_eq!(
        error("limti = 3"),
        "line 5: unknown field `limti`, expected one of `name`, `title`, `variants`, `source`, `open`, `counter`, `repetition`"
    );
    assert_eq!(
        error(&counter("A", "start = [{ weak = { kings = \"2-1\" } }]")),
        "line 10: '2-1' is no span: expected '3', '4-5' or '1+'"
    );
    assert_eq!(
        error(&counter("repetition", "")),
        "'repetition' is no name for a counter: expected a letter followed by letters and digits"
    );
    assert_eq!(
        error(&counter("A=", "")),
        "'A=' is no name for a counter: expected a letter followed by letters and digits"
    );
    assert_eq!(error(&[counter("A", ""), counter("A", "")].concat()), "there are two counters 'A'");
    assert_eq!(
        error(&counter("A", "unless = \"A\"")),
        "counter 'A' names 'A', which is no earlier counter"
    );
    assert_eq!(error(&counter("A", "limit = 65535")), "limit 65535 is too large: at most 65534");
    let nine: String = (0..9).map(|i| counter(&format!("A{i}"), "")).collect();
    assert_eq!(error(&nine), "9 counters: a profile has at most 8");
    let rule = "[repetition]\narticle = \"\"\nstatus = \"read\"\ntext = \"\"\n";
    assert_eq!(
        error(&format!("{rule}count = 1")),
        "a repetition of 1: expected at least 2 occurrences"
    );
    assert_eq!(
        error(&format!("{rule}count = 3\nsince = \"B\"")),
        "the rule of repetition names 'B', which is no counter"
    );
    assert_eq!(
        profile("wcdf").checked_for(VariantId::Russian).unwrap_err().to_string(),
        "profile 'wcdf' is not for russian"
    );
}

#[test]
fn the_example_in_the_documentation_is_a_profile() {
    let text = include_str!("../../docs/draw-profiles.md");
    let (_, rest) = text.split_once("## A file\n").unwrap();
    let (file, _) = rest.split_once("\n**Classes.**").unwrap();
    let file: Vec<&str> = file.lines().map(|line| line.trim_start()).collect();
    let example = DrawProfile::from_toml(&file.join("\n")).unwrap();
    let replay =
        game_with::<International>(&example, THREE_KINGS, &Seeds::default(), THREE_KINGS_MOVES);
    assert_eq!(replay.first_draw(), Some(32));
}
