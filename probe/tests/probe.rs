//! The probe against a plain solver, on tables written in the test.

mod common;

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use common::Solved;
use damabase_formats::table::{Compression, Layout, WriteOptions};
use damabase_formats::{Distance, Metric, Notation, Slice, Wld};
use damabase_probe::{ProbeError, TableSet, Value};
use damabase_rules::{
    Brazilian, English, International, Pieces, Position, PositionError, Rules, Russian, Side,
    Square, Word, can_capture, legal_moves,
};

/// Every position of Russian draughts with two and three pieces, and its tables.
static SOLVED: LazyLock<Solved<Russian>> = LazyLock::new(|| Solved::new(3));

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn with<G: Rules>(solved: &Solved<G>, metrics: &[Metric]) -> Folder {
        let folder = Folder::new();
        solved.write(folder.0.path(), metrics);
        folder
    }

    fn dirs(&self) -> Vec<PathBuf> {
        vec![self.0.path().to_path_buf()]
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join("russian").join(name)
    }

    fn open(&self) -> TableSet<Russian> {
        TableSet::open(&self.dirs()).unwrap()
    }
}

fn slice(name: &str) -> Slice {
    name.parse().unwrap()
}

/// Squares by PDN number, in the mover's view: mover's men and kings, waiter's men and kings.
fn position(men: &[u8], kings: &[u8], waiter_men: &[u8], waiter_kings: &[u8]) -> Position<Russian> {
    let squares = |numbers: &[u8]| numbers.iter().map(|n| Square(n - 1)).collect::<Vec<_>>();
    Position::from_squares(
        &squares(men),
        &squares(kings),
        &squares(waiter_men),
        &squares(waiter_kings),
    )
    .unwrap()
}

const DISTANCES: &[Metric] = &[Metric::Wld, Metric::Dtw, Metric::Dtc];

fn assert_exact<G: Rules>(solved: &Solved<G>, set: &TableSet<G>) {
    let mut captures = 0;
    for (node, position) in solved.positions.iter().enumerate() {
        captures += u64::from(can_capture(position));
        let (dtw, dtc) = (solved.dtw[node], solved.dtc[node]);
        assert_eq!(set.wld(position).unwrap(), dtw.wld(), "{position:x?}");
        assert_eq!(set.dtw(position).unwrap(), dtw, "{position:x?}");
        assert_eq!(set.dtc(position).unwrap(), dtc, "{position:x?}");
        let value = Value { wld: dtw.wld(), dtw: Some(dtw), dtc: Some(dtc) };
        assert_eq!(set.value(position).unwrap(), value);
    }
    assert!(captures > 0);
}

#[test]
fn every_position_has_its_value_in_all_games() {
    fn check<G: Rules>(pieces: u32) {
        let solved = Solved::<G>::new(pieces);
        let folder = Folder::with(&solved, DISTANCES);
        assert_exact(&solved, &TableSet::open(&folder.dirs()).unwrap());
    }
    check::<Brazilian>(2);
    check::<English>(3);
    check::<International>(2);
}

#[test]
fn every_position_has_its_value_by_reading_and_by_mapping() {
    let folder = Folder::with(&SOLVED, DISTANCES);
    assert_exact(&SOLVED, &folder.open());
    // SAFETY: nothing changes the files.
    assert_exact(&SOLVED, &unsafe { TableSet::open_mapped(&folder.dirs()) }.unwrap());
}

/// All layouts and compressions, by reading and by mapping, with and without a cache: twins.
#[test]
fn every_position_has_its_value_in_every_layout() {
    for layout in [Layout::Search, Layout::Compact] {
        for compression in [Compression::Phrases, Compression::Zstd] {
            let (layout, compression) = (Some(layout), Some(compression));
            let options = WriteOptions { layout, compression, ..common::SMALL };
            let folder = Folder::new();
            SOLVED.write_with(folder.0.path(), DISTANCES, options);
            for bytes in [0, 1 << 20] {
                assert_exact(&SOLVED, &folder.open().with_cache_bytes(bytes));
                // SAFETY: nothing changes the files.
                let mapped = unsafe { TableSet::open_mapped(&folder.dirs()) }.unwrap();
                assert_exact(&SOLVED, &mapped.with_cache_bytes(bytes));
            }
        }
    }
}

#[test]
fn a_probe_of_the_cache_knows_what_was_probed_before_and_reads_nothing() {
    for (compression, layout) in [
        (Compression::Zstd, Layout::Search),
        (Compression::Phrases, Layout::Search),
        (Compression::Phrases, Layout::Compact),
    ] {
        let (layout, compression) = (Some(layout), Some(compression));
        let options = WriteOptions { layout, compression, ..common::SMALL };
        let folder = Folder::new();
        SOLVED.write_with(folder.0.path(), &[Metric::Wld], options);
        let set = folder.open();
        let known = |set: &TableSet<Russian>| {
            let mut known = 0;
            for (node, position) in SOLVED.positions.iter().enumerate() {
                set.prefetch(position);
                if let Some(value) = set.wld_if_cached(position).unwrap() {
                    assert_eq!(value, SOLVED.dtw[node].wld());
                    known += 1;
                }
            }
            known
        };
        // Positions where the game is over after any capture.
        assert!(known(&set) < SOLVED.positions.len() / 2);
        for position in &SOLVED.positions {
            set.wld(position).unwrap();
        }
        assert_eq!(known(&set), SOLVED.positions.len());
    }
}

#[test]
fn moves_have_the_value_they_lead_to_and_come_best_first() {
    let folder = Folder::with(&SOLVED, DISTANCES);
    let set = folder.open();
    for (node, position) in SOLVED.positions.iter().enumerate() {
        let moves = set.moves(position).unwrap();
        let legal = legal_moves(position);
        assert_eq!(moves.len(), legal.len());
        let place = |m: &_| legal.iter().position(|other| other == m).unwrap();
        for pair in moves.windows(2) {
            let (a, b) = (pair[0].value, pair[1].value);
            assert!(a > b || a == b && place(&pair[0].action) < place(&pair[1].action));
        }
        for m in &moves {
            let after = position.after(&m.action);
            let after = if after.mover.all().none() {
                Distance::Loss(0)
            } else {
                SOLVED.dtw[SOLVED.number(&after)]
            };
            assert_eq!(m.value.wld, after.wld().turned());
            assert_eq!(m.value.dtw, Some(after.before()));
        }
        // The best move is worth what the position is worth.
        match moves.first() {
            Some(best) => {
                assert_eq!(best.value.dtw, Some(SOLVED.dtw[node]));
                let best_dtc = match best.value.wld {
                    Wld::Draw => Some(Distance::Draw),
                    wld => moves
                        .iter()
                        .filter(|m| m.value.wld == wld)
                        .map(|m| m.value.dtc)
                        .max()
                        .unwrap(),
                };
                assert_eq!(best_dtc, Some(SOLVED.dtc[node]), "{position:x?} {moves:?}");
            }
            None => assert_eq!(SOLVED.dtw[node], Distance::Loss(0)),
        }
    }
}

#[test]
fn finished_games_need_no_table() {
    let set = Folder::new().open();
    assert_eq!((set.max_pieces(), set.slices().len()), (0, 0));
    // No piece of the mover, none of the waiter, no move (a man blocked by two).
    let none_left = position(&[], &[], &[], &[3]);
    assert_eq!(set.wld(&none_left).unwrap(), Wld::Loss);
    assert_eq!(set.dtw(&none_left).unwrap(), Distance::Loss(0));
    assert!(set.moves(&none_left).unwrap().is_empty());
    assert_eq!(set.dtc(&none_left.turned()).unwrap(), Distance::Win(0));
    assert!(set.moves(&none_left.turned()).unwrap().is_empty());
    let blocked = position(&[13], &[], &[9], &[6]);
    assert_eq!(set.value(&blocked).unwrap().dtw, Some(Distance::Loss(0)));
    // The last piece is taken.
    let last = position(&[], &[4], &[11], &[]);
    assert_eq!(set.dtc(&last).unwrap(), Distance::Win(1));
    assert_eq!(set.moves(&last).unwrap()[0].value.dtw, Some(Distance::Win(1)));
}

#[test]
fn distances_are_none_where_their_tables_are_not_there() {
    let folder = Folder::with(&SOLVED, &[Metric::Wld]);
    let set = folder.open();
    let quiet = position(&[], &[29], &[], &[3]);
    let value = set.value(&quiet).unwrap();
    assert_eq!(value, Value { wld: Wld::Draw, dtw: None, dtc: None });
    assert!(matches!(set.dtw(&quiet), Err(ProbeError::Missing(m)) if m.metric == Metric::Dtw));
    // A move into a capture of the last piece loses in two plies: that needs no table.
    for m in set.moves(&quiet).unwrap() {
        let lost = (m.value.wld == Wld::Loss).then_some(Distance::Loss(2));
        assert_eq!((m.value.dtw, m.value.dtc), (lost, lost));
    }
}

#[test]
fn unsound_positions_are_input_errors() {
    let folder = Folder::with(&SOLVED, &[Metric::Wld]);
    let set = folder.open();
    let pieces = |men, kings| Pieces { men, kings };
    let king = pieces(0, 1 << 20);
    for (mover, waiter, expected) in [
        (pieces(1, 0), king, PositionError::ManOnPromotionRow),
        (king, pieces(1 << 34, 0), PositionError::ManOnPromotionRow),
        (king, king, PositionError::Overlap),
        (pieces(1 << 20, 1 << 20), pieces(0, 1), PositionError::Overlap),
        (pieces(1 << 8, 0), king, PositionError::OffBoard),
        (pieces(1 << 63, 0), king, PositionError::OffBoard),
        (pieces(0, 0), pieces(0, 0), PositionError::Empty),
    ] {
        let position = Position { mover, waiter };
        let is_input = |error| matches!(error, ProbeError::Input(error) if error == expected);
        assert!(is_input(set.wld(&position).unwrap_err()));
        assert!(is_input(set.dtc(&position).unwrap_err()));
        assert!(is_input(set.value(&position).unwrap_err()));
        assert!(is_input(set.moves(&position).unwrap_err()));
    }
}

#[test]
fn a_missing_table_is_named_with_the_move_and_the_folders() {
    let folder = Folder::with(&SOLVED, &[Metric::Wld]);
    fs::remove_file(folder.file("KvK.wld")).unwrap();
    let other = PathBuf::from("/nowhere");
    let set = TableSet::<Russian>::open(&[other.clone(), folder.dirs()[0].clone()]).unwrap();

    let missing = |error: ProbeError| match error {
        ProbeError::Missing(missing) => *missing,
        other => panic!("{other}"),
    };
    let own = missing(set.wld(&position(&[], &[29], &[], &[3])).unwrap_err());
    assert_eq!((own.slice, own.metric, own.needed_by), (slice("KvK"), Metric::Wld, None));
    assert_eq!(*own.searched, [other.join("russian"), folder.0.path().join("russian")]);

    // A man that promotes: the position's own table is there.
    let promoting = position(&[5], &[], &[], &[32]);
    assert!(set.wld(&promoting).is_ok());
    let by_move = missing(set.moves(&promoting).unwrap_err());
    let needed_by = by_move.needed_by.unwrap();
    assert_eq!(needed_by.text(Side::White, Russian::board(), Notation::Numeric), "5-1");
    assert_eq!(needed_by.text(Side::Black, Russian::board(), Notation::Algebraic), "h2-g1");

    // A capture: king takes a man and a king is left.
    let capturing = position(&[], &[29], &[22], &[1]);
    let by_capture = missing(set.wld(&capturing).unwrap_err());
    assert!(by_capture.needed_by.unwrap().is_capture);
    assert_eq!(by_capture.slice, slice("KvK"));
    let text = by_capture.to_string();
    assert!(text.starts_with("no wld table of KvK for russian, needed because of the move a1x"));
    assert!(text.ends_with(&folder.0.path().join("russian").display().to_string()));

    assert!(set.covers(slice("MvM")) == set.covers(slice("KvK")));
    assert!(!set.covers(slice("KKvK")));
    assert_eq!(set.max_pieces(), 0);

    // More pieces than any table: not even a number for the index.
    let start = Position::<Russian>::start();
    assert_eq!(missing(set.wld(&start).unwrap_err()).slice.pieces(), 24);
    let many: Vec<u8> = (1..=17).collect();
    let crowd = position(&[], &many, &[], &[32]);
    assert_eq!(missing(set.wld(&crowd).unwrap_err()).slice.pieces(), 18);
}

#[test]
fn a_slice_is_covered_only_with_all_that_follows() {
    let folder = Folder::with(&SOLVED, &[Metric::Wld]);
    let set = folder.open();
    assert_eq!(set.max_pieces(), 3);
    assert_eq!(set.slices(), SOLVED.slices);
    assert!(SOLVED.slices.iter().all(|&slice| set.covers(slice)));
    assert!(!set.covers(slice("KKvKK")));

    fs::remove_file(folder.file("KKvK.wld")).unwrap();
    let set = folder.open();
    let covered: Vec<_> =
        SOLVED.slices.iter().filter(|&&slice| set.covers(slice)).map(Slice::to_string).collect();
    assert_eq!(covered, ["KvK", "KvM", "MvM"]);
    assert_eq!(set.max_pieces(), 2);
}

#[test]
fn the_first_folder_with_a_table_counts() {
    let good = Folder::with(&SOLVED, &[Metric::Wld]);
    let bad = Folder::new();
    fs::create_dir(bad.0.path().join("russian")).unwrap();
    fs::write(bad.file("KvM.wld"), "no table").unwrap();
    let set = |first: &Folder, second: &Folder| {
        TableSet::<Russian>::open(&[first.dirs(), second.dirs()].concat()).unwrap()
    };
    assert_eq!(set(&good, &bad).max_pieces(), 3);
    let quiet = position(&[], &[29], &[3 + 4], &[]);
    assert!(set(&good, &bad).wld(&quiet).is_ok());
    assert!(matches!(set(&bad, &good).wld(&quiet), Err(ProbeError::Damaged { path, .. })
        if path == bad.file("KvM.wld")));
}

#[test]
fn other_names_are_no_tables() {
    let folder = Folder::with(&SOLVED, &[Metric::Wld]);
    let before = folder.open().tables().count();
    for name in ["KKvKK.wld.tmp-7-0", "kkvkk.wld", "KKvKK.txt", "KKvKK.wld.lock", "README"] {
        fs::write(folder.file(name), "").unwrap();
    }
    fs::create_dir(folder.file("KKvKK.wld")).unwrap();
    assert_eq!(folder.open().tables().count(), before);
}

#[test]
fn a_damaged_table_does_not_touch_the_others() {
    let folder = Folder::with(&SOLVED, &[Metric::Wld]);
    // One truncated, one a table of something else, one of another version.
    let path = folder.file("KvM.wld");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    fs::copy(folder.file("KKvK.wld"), folder.file("KKvM.wld")).unwrap();
    let mut bytes = fs::read(folder.file("KMvK.wld")).unwrap();
    bytes[8] = 3;
    fs::write(folder.file("KMvK.wld"), bytes).unwrap();

    let set = folder.open();
    let bad = ["KvM", "KKvM", "KMvK"].map(slice);
    let mut right = 0;
    let mut damaged = 0;
    for (node, position) in SOLVED.positions.iter().enumerate() {
        match set.wld(position) {
            Ok(value) => {
                assert_eq!(value, SOLVED.dtw[node].wld());
                right += 1;
            }
            Err(ProbeError::Damaged { path, .. }) => {
                let name = path.file_stem().unwrap().to_str().unwrap();
                assert!(bad.contains(&slice(name)), "{name}");
                damaged += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(right > 0 && damaged > 0);
    assert!(set.covers(slice("KKvK")));
    let text = |name| set.table(slice(name), Metric::Wld).unwrap_err().to_string();
    assert!(text("KvM").contains("KvM.wld: the size of the file is damaged: expected "));
    assert!(text("KKvM").contains("wrong table: expected russian KKvM wld, found russian KKvK"));
    assert!(text("KMvK").ends_with("table format version 3 is not supported"));
}

#[test]
fn a_flipped_byte_is_an_error_or_the_right_value() {
    let folder = Folder::with(&SOLVED, &[Metric::Wld]);
    let path = folder.file("KvM.wld");
    let good = fs::read(&path).unwrap();
    let probed: Vec<usize> = (0..SOLVED.positions.len())
        .filter(|&node| SOLVED.positions[node].pieces() == 2)
        .step_by(5)
        .collect();
    let mut errors = 0;
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        fs::write(&path, &bad).unwrap();
        let set = folder.open().with_cache_bytes(1 << 20);
        for &node in &probed {
            match set.wld(&SOLVED.positions[node]) {
                Ok(value) => assert_eq!(value, SOLVED.dtw[node].wld(), "byte {at}"),
                Err(ProbeError::Damaged { .. }) => errors += 1,
                Err(other) => panic!("{other}"),
            }
        }
    }
    assert!(errors > 0);
}

#[test]
fn a_file_that_comes_back_is_read() {
    let folder = Folder::with(&SOLVED, &[Metric::Wld]);
    let set = folder.open();
    let (path, away) = (folder.file("KvK.wld"), folder.file("away"));
    fs::rename(&path, &away).unwrap();
    let quiet = position(&[], &[29], &[], &[3]);
    assert!(matches!(set.wld(&quiet), Err(ProbeError::Io { .. })));
    fs::rename(&away, &path).unwrap();
    assert_eq!(set.wld(&quiet).unwrap(), Wld::Draw);
}

#[test]
fn sets_and_errors_can_go_to_other_threads() {
    fn check<T: Send + Sync + 'static>() {}
    check::<TableSet<Russian>>();
    check::<TableSet<International>>();
    check::<ProbeError>();
}

#[test]
fn many_threads_get_the_right_values_from_a_small_cache() {
    const CACHE_BYTES: usize = 13_000; // 12 lines, of the tables' many
    let folder = Folder::with(&SOLVED, &[Metric::Wld]);
    for bytes in [0, CACHE_BYTES, 64 << 20] {
        let set = folder.open().with_cache_bytes(bytes);
        std::thread::scope(|scope| {
            for thread in 0..16 {
                let set = &set;
                scope.spawn(move || {
                    // Each thread its own way through the positions.
                    let len = SOLVED.positions.len();
                    for step in 0..4000 {
                        let node = (thread * 7919 + step * 104_729) % len;
                        let value = set.wld(&SOLVED.positions[node]).unwrap();
                        assert_eq!(value, SOLVED.dtw[node].wld());
                        assert!(set.cache_bytes() <= bytes);
                    }
                });
            }
        });
        assert!(bytes == 0 || set.cache_bytes() > bytes / 2 || bytes > CACHE_BYTES);
    }
}
