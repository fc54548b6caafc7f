//! Verification of tables in which several counters decide.

mod common;

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use common::{ODD, options};
use damabase_formats::stairs::{Asked, Entry, Stairs};
use damabase_formats::table::{
    Metadata, Metric, TableFile, TableInfo, Values, WriteOptions, write_table,
};
use damabase_formats::{Index, ToMove};
use damabase_generator::verify::{Proof, Report};
use damabase_generator::{Options, Silent, VerifyOptions, generate, verify};
use damabase_probe::TableSet;
use damabase_rules::draws::{Counters, DrawProfile};
use damabase_rules::{Position, Russian, VariantId, can_capture};
use tempfile::TempDir;

/// Tables of two kings against one under a profile in which a count may be on or off.
fn made() -> (TempDir, DrawProfile) {
    let (dir, profile) = (tempfile::tempdir().unwrap(), DrawProfile::from_toml(ODD).unwrap());
    let common = options(dir.path(), 0, &[Metric::Wld, Metric::Budget]);
    let slices = vec!["KKvK".parse().unwrap()];
    let options = Options { pieces: None, slices, profile: Some(profile.clone()), ..common };
    generate(VariantId::Russian, &options, &AtomicBool::new(false), &Silent).unwrap();
    (dir, profile)
}

fn verified(dir: &Path) -> Report {
    let options = VerifyOptions {
        dirs: vec![dir.to_owned()],
        slices: Vec::new(),
        sample: 1.0,
        threads: Some(2),
        max_failures: 10,
    };
    verify(VariantId::Russian, &options, &AtomicBool::new(false), &Silent).unwrap()
}

/// A position of a slice in which nothing can be taken.
fn quiet(slice: &str) -> Position<Russian> {
    let index = Index::<Russian>::new(slice.parse().unwrap(), ToMove::First);
    let mut positions = (0..index.len()).filter_map(|number| index.unrank(number));
    positions.find(|position| !can_capture(position)).unwrap()
}

#[test]
fn counters_that_need_not_be_on_are_looked_at_on_and_off() {
    let (dir, profile) = made();
    let report = verified(dir.path());
    assert!(report.is_right(), "{:?}", report.failures);
    assert!(report.tables.iter().any(|table| table.proof == Proof::Staircases));
    // One against one: the count of 6 may have come from two against one.
    let set = TableSet::<Russian>::open(&[dir.path().to_owned()]).unwrap();
    let under = set.under(&profile);
    let points = under.turning_points(&quiet("KvK")).unwrap();
    let c6 = profile.counter("C6").unwrap();
    let on = |counters: &&Counters| counters.value(c6).is_some();
    let (on, all) = (points.iter().filter(on).count(), points.len());
    assert!(0 < on && on < all, "{on} of {all}");
}

/// Codes that all mean the same.
struct Zeros;

impl Values for Zeros {
    fn read(&self, _: ToMove, _: Range<u64>, out: &mut [u16]) {
        out.fill(0);
    }
}

/// Verification once went through all combinations of whatever values a dictionary names.
#[test]
fn a_dictionary_with_too_many_values_is_a_failure() {
    let (dir, profile) = made();
    let folder = dir.path().join("russian");
    let is_budget = |path: &Path| path.to_string_lossy().contains("KKvK.budget");
    let paths = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let path = paths.into_iter().find(|path| is_budget(path)).unwrap();
    let info = {
        let file = TableFile::open(&path).unwrap();
        let metadata = file.metadata().unwrap();
        let names: Vec<String> = metadata.stairs().unwrap().unwrap().counters().to_vec();
        assert!(names.len() > 1, "{names:?}");
        let corner = |n: u32| names.iter().map(|_| Some(2 * n)).collect();
        let staircases = vec![(0..2_000).map(corner).collect()];
        let modes = vec![vec![Asked::Nothing; names.len()]];
        let entries = [vec![Entry { win: 0, loss: 0 }], vec![Entry { win: 0, loss: 0 }]];
        let forged = Stairs::new(names, modes, staircases, entries).unwrap();
        let header = file.header();
        TableInfo {
            id: header.id.clone(),
            max_code: 0,
            counts: header.sections.iter().map(|section| section.counts).collect(),
            metadata: Metadata {
                dictionary: Metadata::dictionary_of(&forged).unwrap(),
                ..metadata
            },
        }
    };
    write_table(&folder, &info, WriteOptions::default(), &Zeros).unwrap();
    let report = verified(dir.path());
    let told: Vec<String> = report.failures.iter().map(ToString::to_string).collect();
    let is_told = |text: &String| text.contains("KKvK") && text.contains("combinations");
    assert!(told.iter().any(is_told), "{told:?}");
    let set = TableSet::<Russian>::open(&[dir.path().to_owned()]).unwrap();
    assert!(set.under(&profile).turning_points(&quiet("KKvK")).is_err());
}
