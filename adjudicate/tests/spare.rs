//! Plies to spare where several counters decide: by so many all of them can be greater, and by no
//! more. The better moves are those that leave more of them to the winner.

use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use damabase_adjudicate::{End, line};
use damabase_formats::{Fen, Index, Metric, ToMove, Wld};
use damabase_generator::{Options, Silent, generate};
use damabase_probe::{Counted, TableSet, Under};
use damabase_rules::draws::{Counters, Replay, Seeds, default_profile};
use damabase_rules::{Position, Rules, Russian, Side, VariantId};
use tempfile::TempDir;

/// Two kings and a man against a king, and what follows, under the default draw rules.
static TABLES: LazyLock<(TempDir, TableSet<Russian>)> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let options = Options {
        dir: dir.path().to_path_buf(),
        slices: vec!["KKMvK".parse().unwrap()],
        metrics: vec![Metric::Wld, Metric::Budget],
        profile: Some(default_profile(VariantId::Russian).clone()),
        ..Options::default()
    };
    generate(VariantId::Russian, &options, &AtomicBool::new(false), &Silent).unwrap();
    let tables = TableSet::open(&[dir.path().to_path_buf()]).unwrap();
    (dir, tables)
});

/// All counters so much greater.
fn raised<G: Rules>(under: &Under<G>, counters: &Counters, more: u32) -> Counters {
    let value = |i| counters.value(i).map(|value| value + more);
    let values: Vec<_> = (0..under.profile().counters.len()).map(value).collect();
    Counters::from_values(&values)
}

#[test]
fn plies_to_spare_are_exact() {
    let profile = default_profile(VariantId::Russian);
    let under = TABLES.1.under(profile);
    let (mut captures, mut quiet) = (0, 0);
    let mut check = |position: &Position<Russian>, counted: u32| {
        let fresh = profile.start(position, &Seeds::default()).unwrap();
        let counters = raised(&under, &fresh, counted);
        let value = under.value(position, &counters).unwrap();
        let (Some(spare), Some(standing)) = (value.to_spare, value.standing) else { return };
        let result = |more| under.result(position, &raised(&under, &counters, more)).unwrap();
        let told = format!("{position:?} {counted}: {value:?}");
        assert_eq!(result(spare), Some(standing.result()), "{told}");
        assert_eq!(result(spare + 1), Some(Wld::Draw), "{told}");
        // The counter named is one of this profile that is on, with its own plies left.
        let left = value.left.unwrap();
        let named = left.decided_by.unwrap();
        assert_eq!(left.plies, profile.left(named, &counters, position), "{told}");
        assert!(left.plies.is_some_and(|plies| plies > spare), "{told}");
        match damabase_rules::can_capture(position) {
            true => captures += 1,
            false => quiet += 1,
        }
    };
    for to_move in [ToMove::First, ToMove::Second] {
        let index = Index::<Russian>::new("KKKvK".parse().unwrap(), to_move);
        for number in (0..index.len()).step_by(397) {
            let Some(position) = index.unrank(number) else { continue };
            for counted in [0, 3, 9, 20] {
                check(&position, counted);
            }
        }
    }
    assert!(captures > 50 && quiet > 150, "{captures} {quiet}");
}

#[test]
fn the_loser_holds_out_and_the_winner_keeps_his_plies() {
    let profile = default_profile(VariantId::Russian);
    let under = TABLES.1.under(profile);
    // After each move of the winner the loser can give himself up to a capture at once.
    let fen = Fen::<Russian>::parse("W:WK29,K30,K31:BK6").unwrap();
    let game = Replay::new(profile, fen.side, fen.position, &Seeds::default()).unwrap();
    let played = line(&under, &game, 400).unwrap();
    assert_eq!(played.end, End::Won(Side::White));
    let plies = played.game.records().len() - 1;
    assert!((21..=30).contains(&plies), "{plies}");
    // With every ply of the winner nothing is lost, with every one of the loser's nothing given.
    let spare = |value: &Counted| value.to_spare;
    let spare: Vec<Option<u32>> = played.values.iter().map(spare).collect();
    assert_eq!(spare[..15], [Some(12); 15], "{spare:?}");
}

/// The winner once moved his king to and fro while more plies were left before the man's move than
/// would be after it.
#[test]
fn a_move_that_restarts_a_counter_is_not_put_off() {
    let profile = default_profile(VariantId::Russian);
    let under = TABLES.1.under(profile);
    for fen in [
        "W:WK25,K27,5:BK17:CK15=3:CB45=3",
        "W:WK20,8,K16:BK14:CK15=3:CB45=3",
        "B:WK7,K1,15:BK30",
        "W:WK31:B3,K9,K18:CK15=8:CB45=8",
    ] {
        let fen = Fen::<Russian>::parse(fen).unwrap();
        let seeds = Seeds { half_moves: fen.half_moves, counters: fen.counters.clone() };
        let game = Replay::new(profile, fen.side, fen.position, &seeds).unwrap();
        let played = line(&under, &game, 400).unwrap();
        assert!(matches!(played.end, End::Won(_)), "{fen}: {:?}", played.end);
        assert!(played.game.records().iter().all(|record| record.occurrences == 1), "{fen}");
    }
}
