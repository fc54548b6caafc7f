//! Tables of budgets against the plain solver for draw counters, at every counter value: all slices
//! up to 3 pieces, all profiles that come with the program. More pieces: `scripts/prove-budgets`.

#[path = "common/judge.rs"]
mod judge;

use damabase_formats::Slice;
use damabase_rules::draws;
use damabase_rules::{Brazilian, English, International, Rules, Russian};

/// Judges every profile of a game; everything at one position in every `stride`.
fn judge_all<G: Rules>(stride: u64, expected: usize) {
    let profiles = draws::all().iter().filter(|profile| profile.is_for(G::ID));
    let mut judged = 0;
    for profile in profiles {
        let all: Vec<Slice> = (2..=3).flat_map(Slice::with_pieces).collect();
        let slices = judge::one_number(profile, &all);
        let dir = tempfile::tempdir().unwrap();
        let verdict = judge::judge::<G>(profile, &slices, stride, dir.path());
        println!("{} {}: {verdict:?}", G::VARIANT.name, profile.name);
        // No position goes without an answer with a fresh count.
        assert!(verdict.compared >= verdict.positions, "{}: {verdict:?}", profile.name);
        if !profile.counters.is_empty() {
            assert!(verdict.cursed > 10_000, "{}: {verdict:?}", profile.name);
        }
        judged += 1;
    }
    assert!(judged >= expected, "{judged} profiles");
}

#[test]
fn international() {
    judge_all::<International>(4001, 7);
}

#[test]
fn russian() {
    judge_all::<Russian>(401, 4);
}

#[test]
fn brazilian() {
    judge_all::<Brazilian>(401, 4);
}

#[test]
fn english() {
    judge_all::<English>(401, 1);
}
