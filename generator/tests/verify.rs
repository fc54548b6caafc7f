//! Verification finds nothing wrong with right tables, and whatever was planted in wrong ones.

mod common;

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use common::options;
use damabase_formats::table::{
    Counts, Metric, TableFile, TableInfo, Values, Wld, WriteOptions, write_table,
};
use damabase_formats::{Fen, Index, Slice, ToMove, positions};
use damabase_generator::verify::{Problem, Proof, Report};
use damabase_generator::{Silent, VerifyError, VerifyOptions, generate, stats, verify};
use damabase_probe::{ProbeError, TableSet};
use damabase_rules::{Russian, Side, VariantId, can_capture, legal_moves, with_rules};

const ALL: [Metric; 3] = [Metric::Wld, Metric::Dtc, Metric::Dtw];

fn made(variant: VariantId, pieces: u32, metrics: &[Metric]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let options = options(dir.path(), pieces, metrics);
    generate(variant, &options, &AtomicBool::new(false), &Silent).unwrap();
    dir
}

fn verified(variant: VariantId, dir: &Path, sample: f64) -> Report {
    let options = VerifyOptions {
        dirs: vec![dir.to_owned()],
        slices: Vec::new(),
        sample,
        threads: Some(2),
        max_failures: 1000,
    };
    verify(variant, &options, &AtomicBool::new(false), &Silent).unwrap()
}

fn messages(report: &Report) -> String {
    report.failures.iter().map(|failure| format!("{failure}\n")).collect()
}

/// Every position of every table is checked, and right.
fn check_all(variant: VariantId, pieces: u32, metrics: &[Metric], wld_proof: Proof) {
    let dir = made(variant, pieces, metrics);
    let report = verified(variant, dir.path(), 1.0);
    assert!(report.is_right(), "{}", messages(&report));
    let slices = (2..=pieces).flat_map(Slice::with_pieces).count();
    assert_eq!(report.files as usize, slices * metrics.len());
    assert_eq!(report.tables.len(), slices * metrics.len());
    for table in &report.tables {
        let sides = table.slice.sides().len() as u64;
        assert_eq!(
            table.stored + table.derived,
            sides * positions(variant.variant().board, table.slice)
        );
        let expected = if table.metric == Metric::Wld { wld_proof } else { Proof::Distances };
        assert_eq!(table.proof, expected);
    }
    // The counts, which verification has just counted again.
    let stats = with_rules!(variant, G => {
        stats(&TableSet::<G>::open(&[dir.path().to_owned()]).unwrap()).unwrap()
    });
    assert_eq!(stats.len(), slices);
    let derived: u64 = report.tables.iter().map(|table| table.derived).sum();
    let captures = stats.iter().flat_map(|slice| &slice.sides).flat_map(|side| &side.statistics);
    assert_eq!(captures.map(|(_, statistics)| statistics.captures).sum::<u64>(), derived);
}

#[test]
fn all_tables_up_to_three_pieces_are_right() {
    for &variant in VariantId::ALL {
        check_all(variant, 3, &ALL, Proof::Compared(Metric::Dtw));
    }
}

#[test]
fn wins_and_losses_without_distances_are_traced() {
    for &variant in VariantId::ALL {
        check_all(variant, 3, &[Metric::Wld], Proof::Traced);
    }
}

#[test]
#[ignore = "takes minutes"]
fn all_tables_up_to_four_pieces_are_right() {
    for variant in [VariantId::Russian, VariantId::Brazilian, VariantId::English] {
        check_all(variant, 4, &ALL, Proof::Compared(Metric::Dtw));
        check_all(variant, 4, &[Metric::Wld], Proof::Traced);
    }
}

/// Values in memory, first side to move first.
struct Planted([Vec<u16>; 2]);

impl Values for Planted {
    fn read(&self, to_move: ToMove, range: Range<u64>, out: &mut [u16]) {
        let range = range.start as usize..range.end as usize;
        out.copy_from_slice(&self.0[to_move as usize][range]);
    }
}

/// Replaces a table of Russian draughts by one with changed values.
fn plant(
    dir: &Path,
    slice: &str,
    metric: Metric,
    change: impl FnOnce(&mut [Vec<u16>; 2], &mut Vec<Counts>),
) {
    let folder = dir.join("russian");
    let slice: Slice = slice.parse().unwrap();
    let file = TableFile::open(&folder.join(format!("{slice}.{metric}"))).unwrap();
    let mut values = [Vec::new(), Vec::new()];
    for section in &file.header().sections {
        let values = &mut values[section.to_move as usize];
        values.resize(section.values as usize, 0);
        file.read(section.to_move, 0, values).unwrap();
    }
    let mut counts = file.header().sections.iter().map(|section| section.counts).collect();
    change(&mut values, &mut counts);
    let header = file.header();
    let info = TableInfo {
        id: header.id.clone(),
        max_code: header.max_code,
        counts,
        metadata: file.metadata().unwrap(),
    };
    write_table(&folder, &info, WriteOptions::default(), &Planted(values)).unwrap();
}

#[test]
fn a_single_wrong_value_is_found_and_named() {
    let slice = "KKvM";
    for metric in ALL {
        let dir = made(VariantId::Russian, 3, &ALL);
        let index = Index::<Russian>::new(slice.parse().unwrap(), ToMove::Second);
        let mut planted = None;
        plant(dir.path(), slice, metric, |values, _| {
            for number in (0..index.len()).skip(9_000) {
                let Some(position) = index.unrank(number) else { continue };
                let code = &mut values[1][number as usize];
                // A lost position becomes a draw, or is lost one ply sooner or later.
                let wrong = match (metric, *code) {
                    (Metric::Wld, 0) => 1,
                    (Metric::Wld, _) => continue,
                    (_, code) if code % 2 == 0 => continue,
                    (_, code) => code.checked_sub(2).unwrap_or(code + 2),
                };
                if !can_capture(&position) {
                    *code = wrong;
                    planted = Some(Fen::new(Side::White, position).to_string());
                    return;
                }
            }
        });
        let planted = planted.expect("there is a lost position");
        let report = verified(VariantId::Russian, dir.path(), 1.0);
        assert!(!report.is_right());
        assert!(report.failures_counted >= report.failures.len() as u64);
        let name = format!("{slice}.{metric}");
        let found = report.failures.iter().any(|failure| {
            failure.path.ends_with(&name)
                && matches!(&failure.problem, Problem::Value { fen, .. } if *fen == planted)
        });
        // The wrong value itself, whatever it does to its predecessors.
        assert!(found, "{planted} not in\n{}", messages(&report));
        assert!(messages(&report).contains(&name));
        if metric == Metric::Wld {
            let is_sign = |problem: &Problem| matches!(problem, Problem::Sign { .. });
            assert!(report.failures.iter().any(|failure| is_sign(&failure.problem)));
            let is_count = |problem: &Problem| matches!(problem, Problem::Count { .. });
            assert!(report.failures.iter().any(|failure| is_count(&failure.problem)));
        }
    }
}

/// Makes the first side win all drawn positions of KKvK in which nobody can show that it does not:
/// where the first side is to move it "wins" because it can go to a "loss", and where the second
/// is to move it "loses" because it can only go to "wins".
fn plant_circles(dir: &Path) -> u64 {
    let slice: Slice = "KKvK".parse().unwrap();
    let set = TableSet::<Russian>::open(&[dir.to_owned()]).unwrap();
    let [first, second] =
        [ToMove::First, ToMove::Second].map(|to_move| Index::<Russian>::new(slice, to_move));
    let mut planted = 0;
    plant(dir, "KKvK", Metric::Wld, |values, counts| {
        let drawn = |index: &Index<Russian>| -> Vec<u64> {
            (0..index.len())
                .filter(|&number| {
                    index.unrank(number).is_some_and(|position| {
                        !can_capture(&position) && set.wld(&position).unwrap() == Wld::Draw
                    })
                })
                .collect()
        };
        let (mut wins, mut losses) = (drawn(&first), drawn(&second));
        for &number in &wins {
            values[0][number as usize] = 2;
        }
        for &number in &losses {
            values[1][number as usize] = 0;
        }
        // Take back what contradicts its successors until nothing does.
        loop {
            let value = |values: &[Vec<u16>; 2], position| -> u16 {
                let (found, to_move) = Slice::of(&position);
                if found != slice || can_capture(&position) {
                    return set.wld(&position).unwrap().code();
                }
                let index = if to_move == ToMove::First { &first } else { &second };
                values[to_move as usize][index.rank(&position) as usize]
            };
            let before = wins.len() + losses.len();
            for (side, index, numbers, claimed, needs_all) in
                [(0, &first, &mut wins, 0, false), (1, &second, &mut losses, 2, true)]
            {
                let stays = |number: u64, values: &[Vec<u16>; 2]| {
                    let position = index.unrank(number).unwrap();
                    let moves = legal_moves(&position);
                    let fits = |m: &_| value(values, position.after(m)) == claimed;
                    if needs_all { moves.iter().all(fits) } else { moves.iter().any(fits) }
                };
                let gone: Vec<u64> =
                    numbers.iter().copied().filter(|&n| !stays(n, values)).collect();
                for &number in &gone {
                    values[side][number as usize] = 1;
                }
                numbers.retain(|number| !gone.contains(number));
            }
            if wins.len() + losses.len() == before {
                break;
            }
        }
        counts[0].draws -= wins.len() as u64;
        counts[0].wins += wins.len() as u64;
        counts[1].draws -= losses.len() as u64;
        counts[1].losses += losses.len() as u64;
        planted = (wins.len() + losses.len()) as u64;
    });
    planted
}

#[test]
fn wins_that_rest_on_each_other_are_found() {
    // A table of wins, draws and losses can agree with all successors and be wrong.
    let dir = made(VariantId::Russian, 3, &[Metric::Wld]);
    let planted = plant_circles(dir.path());
    assert!(planted > 1000, "{planted}");
    for name in ["KKvM", "KMvK", "KMvM", "MMvK", "MMvM"] {
        fs::remove_file(dir.path().join("russian").join(format!("{name}.wld"))).unwrap();
    }
    let report = verified(VariantId::Russian, dir.path(), 1.0);
    assert_eq!(report.failures_counted, planted, "{}", messages(&report));
    for failure in &report.failures {
        assert!(matches!(failure.problem, Problem::Circular { .. }), "{failure}");
    }
    // What agrees with its successors cannot be seen in a sample.
    let sampled = verified(VariantId::Russian, dir.path(), 0.5);
    assert!(sampled.is_right());
    assert!(sampled.tables.iter().all(|table| table.proof == Proof::Sampled));

    // With distances it can, and need not be traced.
    let dir = made(VariantId::Russian, 3, &[Metric::Wld, Metric::Dtc]);
    let planted = plant_circles(dir.path());
    let report = verified(VariantId::Russian, dir.path(), 1.0);
    let is_sign = |problem: &Problem| matches!(problem, Problem::Sign { other: Metric::Dtc, .. });
    assert!(report.failures.iter().all(|failure| is_sign(&failure.problem)));
    assert!(report.failures_counted >= planted);
}

#[test]
fn damaged_and_missing_tables_are_failures() {
    let dir = made(VariantId::English, 3, &[Metric::Wld]);
    let file = |name: &str| dir.path().join("english").join(name);
    let mut bytes = fs::read(file("KMvK.wld")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 16;
    fs::write(file("KMvK.wld"), bytes).unwrap();
    fs::remove_file(file("KvK.wld")).unwrap();
    let report = verified(VariantId::English, dir.path(), 1.0);
    let damaged = report.failures.iter().any(|failure| {
        failure.path == file("KMvK.wld")
            && matches!(failure.problem, Problem::Unreadable(ProbeError::Damaged { .. }))
    });
    let missing = report.failures.iter().any(|failure| {
        failure.path == file("KKvK.wld")
            && matches!(failure.problem, Problem::Unreadable(ProbeError::Missing(_)))
    });
    assert!(damaged && missing, "{}", messages(&report));
    assert!(messages(&report).contains("KvK"));
    // The others are still checked.
    assert!(report.tables.iter().any(|table| table.slice.to_string() == "MvM"));
}

#[test]
fn a_sample_is_a_part_and_the_same_each_time() {
    let dir = made(VariantId::Brazilian, 3, &[Metric::Dtw]);
    let count = |report: &Report| -> u64 {
        report.tables.iter().map(|table| table.stored + table.derived).sum()
    };
    let whole = count(&verified(VariantId::Brazilian, dir.path(), 1.0));
    let part = count(&verified(VariantId::Brazilian, dir.path(), 0.1));
    assert!((whole / 11..whole / 9).contains(&part), "{part} of {whole}");
    assert_eq!(count(&verified(VariantId::Brazilian, dir.path(), 0.1)), part);
    for sample in [0.0, -1.0, 1.5, f64::NAN] {
        let options = VerifyOptions {
            dirs: vec![dir.path().to_owned()],
            slices: Vec::new(),
            sample,
            threads: None,
            max_failures: 10,
        };
        let result = verify(VariantId::Brazilian, &options, &AtomicBool::new(false), &Silent);
        assert!(matches!(result, Err(VerifyError::Sample(_))));
    }
    let options = VerifyOptions {
        dirs: vec![dir.path().to_owned()],
        slices: Vec::new(),
        sample: 1.0,
        threads: None,
        max_failures: 10,
    };
    let result = verify(VariantId::Brazilian, &options, &AtomicBool::new(true), &Silent);
    assert!(matches!(result, Err(VerifyError::Interrupted)));
}

#[test]
fn named_slices_alone_are_verified() {
    let dir = made(VariantId::Russian, 2, &[Metric::Wld]);
    let options = VerifyOptions {
        dirs: vec![dir.path().to_owned()],
        slices: vec!["KvM".parse().unwrap()],
        sample: 1.0,
        threads: Some(2),
        max_failures: 1,
    };
    let report = verify(VariantId::Russian, &options, &AtomicBool::new(false), &Silent).unwrap();
    assert_eq!(report.tables.len(), 1);
    assert_eq!(report.tables[0].slice.to_string(), "KvM");
}
