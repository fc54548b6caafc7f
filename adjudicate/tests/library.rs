//! The tables of a library, as they are at one time or as they come and go.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use damabase_adjudicate::Library;
use damabase_formats::Metric;
use damabase_generator::{Options, Silent, generate};
use damabase_rules::draws::default_profile;
use damabase_rules::{Russian, VariantId};

fn make(dir: &Path, slice: &str) {
    let options = Options {
        dir: dir.to_path_buf(),
        slices: vec![slice.parse().unwrap()],
        metrics: vec![Metric::Wld],
        ..Options::default()
    };
    generate(VariantId::Russian, &options, &AtomicBool::new(false), &Silent).unwrap();
}

#[test]
fn a_library_that_watches_sees_what_comes_and_goes() {
    let dir = tempfile::tempdir().unwrap();
    let dirs = vec![dir.path().to_path_buf()];
    let watching = Library::watching(dirs.clone(), Duration::ZERO);
    let patient = Library::watching(dirs.clone(), Duration::from_secs(3600));
    let once = Library::new(dirs);
    let slices = |library: &Library| {
        let shelf = library.shelf::<Russian>().unwrap();
        (shelf.edition(), shelf.tables().slices().len())
    };
    for library in [&watching, &patient, &once] {
        assert_eq!(slices(library), (1, 0));
    }
    make(dir.path(), "KvK");
    assert_eq!(slices(&watching), (2, 1));
    // Nothing is new, so the same tables stay open.
    let shelf = watching.shelf::<Russian>().unwrap();
    assert!(Arc::ptr_eq(&shelf, &watching.shelf::<Russian>().unwrap()));
    // Files of other names are none of its tables.
    fs::write(dir.path().join("russian/notes.txt"), "").unwrap();
    assert!(Arc::ptr_eq(&shelf, &watching.shelf::<Russian>().unwrap()));
    make(dir.path(), "KvM");
    // Who has the old tables keeps them.
    assert_eq!((slices(&watching), shelf.tables().slices().len()), ((3, 2), 1));
    fs::remove_file(dir.path().join("russian/KvM.wld")).unwrap();
    assert_eq!(slices(&watching), (4, 1));
    for library in [&patient, &once] {
        assert_eq!(slices(library), (1, 0));
    }
}

#[test]
fn a_folder_that_cannot_be_listed_leaves_what_was_there() {
    let dir = tempfile::tempdir().unwrap();
    make(dir.path(), "KvK");
    let library = Library::watching(vec![dir.path().to_path_buf()], Duration::ZERO);
    let shelf = library.shelf::<Russian>().unwrap();
    let folder = dir.path().join("russian");
    fs::rename(&folder, dir.path().join("away")).unwrap();
    fs::write(&folder, "no folder").unwrap();
    assert!(Arc::ptr_eq(&shelf, &library.shelf::<Russian>().unwrap()));
    fs::remove_file(&folder).unwrap();
    fs::rename(dir.path().join("away"), &folder).unwrap();
    assert_eq!(library.shelf::<Russian>().unwrap().tables().slices().len(), 1);
    // A library that never saw them tells.
    fs::rename(&folder, dir.path().join("away")).unwrap();
    fs::write(&folder, "no folder").unwrap();
    let late = Library::watching(vec![dir.path().to_path_buf()], Duration::ZERO);
    assert!(late.shelf::<Russian>().is_err());
}

#[test]
fn profiles_are_worked_out_once() {
    let library = Library::default();
    let shelf = library.shelf::<Russian>().unwrap();
    let profile = default_profile(VariantId::Russian);
    let one = shelf.under(profile).countdowns().clone();
    assert!(Arc::ptr_eq(&one, shelf.under(profile).countdowns()));
}
