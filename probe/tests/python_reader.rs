//! The reader in plain Python, made from the format document alone, reads what this library does.

#[allow(dead_code)] // this test needs a part of it
mod common;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{SMALL, Solved};
use damabase_formats::table::{Compression, Layout, WriteOptions};
use damabase_formats::{Index, Metric, Slice, TableFile};
use damabase_rules::{Board, Position, Rules, Russian, Word, can_capture};

/// The answers of the script for positions of a table's slice.
fn python(file: &Path, lines: &str) -> Vec<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/read-table");
    let mut child = Command::new("python3")
        .arg(script)
        .arg(file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python 3 is there");
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().lines().map(String::from).collect()
}

/// A position as the script wants it.
fn line<G: Rules>(position: &Position<G>) -> String {
    let squares = |set: G::Word| {
        let board: Board = G::board();
        let all: Vec<String> = (0..board.squares() as u8)
            .filter(|&n| (set & G::Word::bit(board.bit_of(damabase_rules::Square(n)))).any())
            .map(|n| n.to_string())
            .collect();
        if all.is_empty() { "-".to_string() } else { all.join(",") }
    };
    let Position { mover, waiter, .. } = position;
    [mover.men, mover.kings, waiter.men, waiter.kings].map(squares).join(" ") + "\n"
}

#[test]
fn a_reader_made_from_the_document_reads_the_same() {
    let solved = Solved::<Russian>::new(3);
    for layout in [Layout::Search, Layout::Compact] {
        let compression = Some(Compression::Phrases);
        let options = WriteOptions { layout: Some(layout), compression, ..SMALL };
        let folder = tempfile::tempdir().unwrap();
        solved.write_with(folder.path(), &[Metric::Wld], options);
        solved.write_with(folder.path(), &[Metric::Dtw], options);
        for (name, metric) in
            [("KKvM", "wld"), ("KMvM", "wld"), ("MvM", "wld"), ("KvK", "wld"), ("KKvK", "dtw")]
        {
            let slice: Slice = name.parse().unwrap();
            let path = folder.path().join("russian").join(format!("{name}.{metric}"));
            let file = TableFile::open(&path).unwrap();
            let (mut lines, mut expected) = (String::new(), Vec::new());
            for &to_move in slice.sides() {
                let index = Index::<Russian>::new(slice, to_move);
                for number in (0..index.len()).step_by(37) {
                    let Some(position) = index.unrank(number) else { continue };
                    if can_capture(&position) {
                        continue;
                    }
                    lines.push_str(&line(&position));
                    expected.push(if file.is_stored(to_move, number) {
                        let mut code = [0];
                        file.read(to_move, number, &mut code).unwrap();
                        code[0].to_string()
                    } else {
                        "not stored".to_string()
                    });
                }
            }
            assert!(expected.len() > 10);
            assert_eq!(python(&path, &lines), expected, "{name} {layout:?}");
        }
    }
}
