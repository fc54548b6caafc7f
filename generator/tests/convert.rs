//! Tables in another layout have the same values, position by position.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use damabase_formats::Slice;
use damabase_formats::table::{Layout, Metric, Stored, WriteOptions};
use damabase_generator::VerifyOptions;
use damabase_generator::{
    ConvertOptions, GenerateError, Options, Silent, convert, generate, verify,
};
use damabase_probe::TableSet;
use damabase_rules::{Rules, Russian};

fn options(from: &tempfile::TempDir, to: &tempfile::TempDir, layout: Layout) -> ConvertOptions {
    ConvertOptions {
        from: from.path().to_path_buf(),
        to: to.path().to_path_buf(),
        slices: Vec::new(),
        write: WriteOptions { layout: Some(layout), ..WriteOptions::default() },
        threads: Some(2),
    }
}

/// The tables of a folder.
fn bytes(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    fs::read_dir(dir.join("russian"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_file())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .filter(|(name, _)| !name.ends_with(".lock"))
        .collect()
}

#[test]
fn layouts_are_converted_and_back() {
    let stop = AtomicBool::new(false);
    let [search, compact, back] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let made = Options {
        dir: search.path().to_path_buf(),
        pieces: Some(3),
        metrics: vec![Metric::Wld, Metric::Dtw, Metric::Dtc],
        ..Options::default()
    };
    generate(Russian::ID, &made, &stop, &Silent).unwrap();
    let tables = convert(Russian::ID, &options(&search, &compact, Layout::Compact), &stop, &Silent);
    let tables = tables.unwrap();
    assert_eq!(tables.len(), 9 * 3);
    let sum = |bytes: fn(&_) -> u64| tables.iter().map(bytes).sum::<u64>();
    assert!(sum(|table| table.bytes_after) < sum(|table| table.bytes_before));
    let open =
        |dir: &tempfile::TempDir| TableSet::<Russian>::open(&[dir.path().to_path_buf()]).unwrap();
    let slice: Slice = "KKvM".parse().unwrap();
    let set = open(&compact);
    assert!(matches!(set.table(slice, Metric::Wld).unwrap().header().stored, Stored::Side(_)));
    // A proof of its own that all values are right.
    let dirs = vec![compact.path().to_path_buf()];
    let verified =
        VerifyOptions { dirs, slices: vec![], sample: 1.0, threads: None, max_failures: 9 };
    let report = verify(Russian::ID, &verified, &stop, &Silent).unwrap();
    assert_eq!((report.failures_counted, report.tables.len()), (0, 27));

    convert(Russian::ID, &options(&compact, &back, Layout::Search), &stop, &Silent).unwrap();
    assert_eq!(bytes(search.path()), bytes(back.path()));

    let same = convert(Russian::ID, &options(&compact, &compact, Layout::Search), &stop, &Silent);
    assert!(matches!(same, Err(GenerateError::SameFolder(_))));
    // What a slice depends on must be there.
    fs::remove_file(compact.path().join("russian/KvK.wld")).unwrap();
    let failed = convert(Russian::ID, &options(&compact, &back, Layout::Search), &stop, &Silent);
    assert!(matches!(failed, Err(GenerateError::Probe(_))), "{failed:?}");
}
