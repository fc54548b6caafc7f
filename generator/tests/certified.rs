//! Values under several counters proved by a search forward, which `scripts/stairs` does for slices
//! with five pieces: here for some with three and four.

#[path = "common/certify.rs"]
mod certify;

use certify::certify;
use damabase_generator::stairs::Solver;
use damabase_rules::draws::{DrawProfile, built_in};
use damabase_rules::{Brazilian, International, Rules, Russian};

fn check<G: Rules>(profile: &DrawProfile, slices: &[&str]) {
    let mut solver = Solver::<G>::new(profile).unwrap();
    for name in slices {
        let slice = name.parse().unwrap();
        solver.solve(slice).unwrap();
        let found = certify(&solver, profile, slice, 32, 20_000);
        println!("{} {name}: {found:?}", profile.name);
        assert!(found.wins + found.losses > 4, "{} {name}: {found:?}", profile.name);
        assert_eq!(found.games, 4 * (found.wins + found.losses + found.left_out));
    }
}

#[test]
fn fmjd64() {
    check::<Russian>(built_in("fmjd64").unwrap(), &["KMvKM", "KMMvK"]);
    check::<Brazilian>(built_in("fmjd64").unwrap(), &["KMvKM"]);
}

#[test]
fn sixteen_moves_and_five() {
    check::<International>(built_in("fmjd100-2018").unwrap(), &["KMvK"]);
}

/// With other limits than those solved for, the search must find the solver wrong.
#[test]
#[should_panic(expected = "left: Some(")]
fn a_wrong_value_is_found() {
    let right = built_in("fmjd64").unwrap();
    let mut wrong = right.clone();
    for counter in &mut wrong.counters {
        counter.limit = counter.limit.map(|limit| limit + 1);
    }
    let slice = "KMvKM".parse().unwrap();
    let mut solver = Solver::<Russian>::new(&wrong).unwrap();
    solver.solve(slice).unwrap();
    certify(&solver, right, slice, 32, 100_000);
}
