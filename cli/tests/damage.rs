//! Tables that are missing, damaged or wrong, and folders that cannot be used.

mod common;

use std::fs;
use std::ops::Range;
use std::path::Path;

use common::{damabase, damabase_in, damabase_with, files, tables};
use damabase_formats::table::{TableFile, TableInfo, Values, WriteOptions, write_table};
use damabase_formats::{Index, ToMove};
use damabase_rules::{Position, Russian, can_capture};

#[test]
fn missing_tables_are_code_3() {
    let dir = tempfile::tempdir().unwrap();
    for arguments in ["stats russian", "verify russian"] {
        let run = damabase_in(dir.path(), arguments);
        assert!(run.failure(3).starts_with("no tables of russian in "), "{run:?}");
    }
    let run = damabase_in(dir.path(), "probe russian W:WK1:BK9");
    let failure = run.failure(3);
    assert!(failure.starts_with("no wld table of KvK for russian; looked in "), "{failure}");
    assert!(failure.ends_with("'damabase generate russian --slice KvK' makes it"), "{failure}");

    let dir = tables("russian --slice KKvK");
    fs::remove_file(dir.path().join("russian/KvK.wld")).unwrap();
    // a1 takes on e5 or f6; one king is left against one.
    let run = damabase_in(dir.path(), "probe russian W:WKa1:BKd4,Kh2");
    let failure = run.failure(3);
    assert!(failure.starts_with("no wld table of KvK for russian, needed because of the move a1x"));
    let run = damabase_in(dir.path(), "verify russian --progress none");
    assert!(run.failure(3).contains("KvK"), "{run:?}");
    // Positions that need no such table have their value.
    assert_eq!(damabase_in(dir.path(), "probe russian W:WKa1:B").code, 0);
}

#[test]
fn damaged_tables_are_code_4_and_made_again() {
    let dir = tables("russian --pieces 3");
    let folder = dir.path().join("russian");
    let whole = files(&folder);
    let path = folder.join("KKvK.wld");

    // A byte in the middle: of a block, the directory or the metadata.
    for part in [4, 2] {
        let mut bytes = whole["KKvK.wld"].clone();
        let at = 168 + (bytes.len() - 168) / part;
        bytes[at] ^= 0x10;
        fs::write(&path, bytes).unwrap();
        let run = damabase_in(dir.path(), "verify russian --progress none");
        assert!(run.failure(4).contains("KKvK.wld: "), "{run:?}");
    }
    // Cut short.
    fs::write(&path, &whole["KKvK.wld"][..300]).unwrap();
    for arguments in ["stats russian", "verify russian", "probe russian W:WK1,K2:BK32"] {
        let run = damabase_in(dir.path(), arguments);
        assert!(run.failure(4).contains("KKvK.wld: "), "{run:?}");
    }
    let run = damabase_with(dir.path(), "probe russian -", b"W:WK1:BK9\nW:WK1,K2:BK32\nx\n");
    assert!(run.failure(4).contains("KKvK.wld: "), "{run:?}");
    assert!(run.stdout.lines().nth(1).unwrap().contains("\"kind\":\"damaged\""), "{run:?}");
    // A table of something else in its place.
    fs::write(&path, &whole["KMvK.wld"]).unwrap();
    assert!(damabase_in(dir.path(), "probe russian W:WK1,K2:BK32").failure(4).contains("KKvK"));
    assert_eq!(damabase_in(dir.path(), "generate russian --pieces 3").code, 4);

    fs::write(&path, &whole["KKvK.wld"][..300]).unwrap();
    let run = damabase_in(dir.path(), "generate russian --pieces 3 --progress none");
    assert!(run.stderr.contains("KKvK.wld: ") && run.stderr.contains("making it again"), "{run:?}");
    assert_eq!(run.code, 0);
    assert_eq!(files(&folder), whole);
}

/// The values of a table, but for one.
struct AllButOne {
    file: TableFile,
    wrong: u64,
}

impl Values for AllButOne {
    fn read(&self, to_move: ToMove, range: Range<u64>, out: &mut [u16]) {
        self.file.read(to_move, range.start, out).unwrap();
        if to_move == ToMove::First && range.contains(&self.wrong) {
            let code = &mut out[(self.wrong - range.start) as usize];
            *code = if *code == 1 { 2 } else { 1 };
        }
    }
}

#[test]
fn a_wrong_value_in_a_sound_file_is_code_1() {
    let dir = tables("russian --slice KKvK");
    let path = dir.path().join("russian/KKvK.wld");
    let wrong_table = |wrong: u64, folder: &Path| {
        let file = TableFile::open(&path).unwrap();
        let header = file.header();
        let info = TableInfo {
            id: header.id.clone(),
            max_code: header.max_code,
            counts: header.sections.iter().map(|section| section.counts).collect(),
            metadata: file.metadata().unwrap(),
        };
        write_table(folder, &info, WriteOptions::default(), &AllButOne { file, wrong }).unwrap();
    };
    let good = fs::read(&path).unwrap();
    let verify_with = |table: &Path, options: &str| {
        fs::copy(table, &path).unwrap();
        let run = damabase_in(dir.path(), &format!("verify russian {options}"));
        fs::write(&path, &good).unwrap();
        run
    };
    // Values of positions with captures mean nothing, so take one without.
    let index = Index::<Russian>::new("KKvK".parse().unwrap(), ToMove::First);
    let stored = |number: &u64| {
        index.unrank(*number).is_some_and(|position: Position<Russian>| !can_capture(&position))
    };
    for start in [0, 3_000, 9_000] {
        let wrong = (start..index.len()).find(stored).unwrap();
        let other = tempfile::tempdir().unwrap();
        wrong_table(wrong, other.path());
        let run = verify_with(&other.path().join("KKvK.wld"), "--progress none");
        // The file, the position and both values.
        let failure = run.failure(1);
        assert!(failure.contains("KKvK.wld: W:W") && failure.contains(" is "), "{failure}");
        assert!(failure.contains("successors make it"), "{failure}");
        assert!(run.stdout.contains("\nwrong: "), "{run:?}");
        let json = verify_with(&other.path().join("KKvK.wld"), "--progress none --json");
        assert_eq!(json.code, 1);
        let report: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
        assert_eq!(report["right"], false);
        assert!(report["problems"][0]["file"].as_str().unwrap().ends_with("KKvK.wld"));
    }
}

#[test]
fn folders_that_cannot_be_used_are_code_5() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    for arguments in [
        "generate russian --pieces 2",
        "stats russian",
        "verify russian",
        "probe russian W:WK1:BK9",
    ] {
        let run = damabase_in(&file, arguments);
        assert!(run.failure(5).contains("file"), "{arguments}: {run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{arguments}: {run:?}");
    }
    // A folder where a table should be.
    let dir = tables("russian --slice KvK");
    fs::remove_file(dir.path().join("russian/KvK.wld")).unwrap();
    fs::create_dir(dir.path().join("russian/KvK.wld")).unwrap();
    damabase_in(dir.path(), "generate russian --slice KvK").failure(5);
    assert_eq!(damabase("stats russian --dir /dev/null").code, if cfg!(unix) { 5 } else { 3 });
}
