//! Programs in C and C++ that use the library, also under valgrind.
#![cfg(unix)] // compilers of other systems are called otherwise

mod common;

use std::fmt::Write;
use std::fs;
use std::process::{Command, Stdio};

use common::{Linking, compile, run, tables, valgrind};
use damabase_formats::{Index, Metric, Slice, Wld};
use damabase_probe::TableSet;
use damabase_rules::{International, Pieces, Position, VariantId, can_capture};

const ALL: &[Metric] = &[Metric::Wld, Metric::Dtw, Metric::Dtc];

#[test]
fn the_example_tells_values_and_moves() {
    let dir = tables(VariantId::Russian, 3, ALL);
    for linking in [Linking::Static, Linking::Shared] {
        let program = compile("examples/probe.c", dir.path(), linking);
        let call = |command: &mut Command, fen| {
            run(command.args(["russian", fen, "/nowhere"]).arg(dir.path()))
        };
        // A king that takes one of two, and the other side then.
        let text = call(&mut Command::new(&program), "W:WK29:BK22,4");
        let expected = "\
win dtw 3 dtc 1
a1xf6 win dtw 3 B:WK11:B4
a1xe5 win dtw 3 B:WK15:B4
a1xd4 win dtw 3 B:WK18:B4
a1xg7 loss dtw 2 B:WK8:B4
";
        assert_eq!(text, expected);
        let bad = Command::new(&program).args(["russian", "W:W", "/nowhere"]).output().unwrap();
        assert_eq!(bad.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&bad.stderr).starts_with("error 1: bad FEN: column "));
        let missing = ["russian", "W:WK1,K2:BK31,K32", "/nowhere"];
        let missing = Command::new(&program).args(missing).output().unwrap();
        assert_eq!(missing.status.code(), Some(2));
        assert_eq!(
            String::from_utf8_lossy(&missing.stderr),
            "error 2: no wld table of KKvKK for russian; looked in /nowhere/russian\n"
        );
        if let Some(mut command) = valgrind(&program) {
            assert_eq!(call(&mut command, "W:WK29:BK22,4"), text);
        }
    }
}

#[test]
fn a_thousand_handles_leave_nothing_behind() {
    let dir = tables(VariantId::Russian, 3, ALL);
    let program = compile("tests/cycles.c", dir.path(), Linking::Static);
    let call = |command: &mut Command, number| {
        run(command.args(["russian", "W:WK29,K30:BK6"]).arg(dir.path()).arg(number))
    };
    call(&mut Command::new(&program), "1000");
    if let Some(mut command) = valgrind(&program) {
        call(&mut command, "25");
    }
}

#[test]
fn the_drivers_calls_answer_every_position() {
    let dir = tables(VariantId::International, 3, &[Metric::Wld]);
    let set = TableSet::<International>::open(&[dir.path().to_path_buf()]).unwrap();
    let mut lines = String::new();
    let (mut number, mut captures) = (0, 0);
    let mut add = |position: &Position<International>, white_moves: bool, value: i32| {
        let (white, black) = match white_moves {
            true => (position.mover, position.waiter),
            false => {
                let turned = position.turned();
                (turned.mover, turned.waiter)
            }
        };
        let (white_all, black_all) = (white.all(), black.all());
        let kings = white.kings | black.kings;
        let colour = i32::from(white_moves);
        writeln!(lines, "{black_all:x} {white_all:x} {kings:x} {colour} {value}").unwrap();
        number += 1;
    };
    for slice in Slice::closure(&Slice::with_pieces(3)) {
        for &to_move in slice.sides() {
            let index = Index::<International>::new(slice, to_move);
            for n in (0..index.len()).step_by(61) {
                let Some(position) = index.unrank(n) else { continue };
                captures += u32::from(can_capture(&position));
                let value = match set.wld(&position).unwrap() {
                    Wld::Win => 1,
                    Wld::Loss => 2,
                    Wld::Draw => 3,
                };
                add(&position, n % 2 == 0, value);
            }
        }
    }
    assert!(captures > 1000);
    // Positions without an answer, and none.
    add(&Position::start(), true, -2);
    let king = Pieces { men: 0, kings: 1 };
    add(&Position { mover: king, waiter: king }, true, 0);
    add(&Position { mover: Pieces { men: 1 << 10, kings: 0 }, waiter: king }, true, 0);
    // A side without pieces.
    add(&Position { mover: king, waiter: Pieces::default() }, true, 1);
    add(&Position { mover: Pieces::default(), waiter: king }, true, 2);

    let input = dir.path().join("positions");
    fs::write(&input, lines).unwrap();
    let program = compile("tests/egdb.cpp", dir.path(), Linking::Static);
    let call = |command: &mut Command| {
        let input = Stdio::from(fs::File::open(&input).unwrap());
        run(command.arg(dir.path()).stdin(input))
    };
    assert_eq!(call(&mut Command::new(&program)).trim(), number.to_string());
    if let Some(mut command) = valgrind(&program) {
        assert_eq!(call(&mut command).trim(), number.to_string());
    }
}
