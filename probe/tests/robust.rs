//! What goes wrong on users' machines: damage, files that change, too few open files, threads.

mod common;

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Barrier, LazyLock};

use common::Solved;
use damabase_formats::table::{Counts, Metadata, TableInfo, Values, WriteOptions, write_table};
use damabase_formats::{Index, Metric, Slice, TableId, ToMove, Wld, positions};
use damabase_probe::{ProbeError, TableSet};
use damabase_rules::{
    Brazilian, English, Pieces, Position, Rules, Russian, Word, can_capture, legal_moves,
};

/// Every position of Russian draughts with two and three pieces, and its tables.
static SOLVED: LazyLock<Solved<Russian>> = LazyLock::new(|| Solved::new(3));

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    SOLVED.write(folder.path(), &[Metric::Wld]);
    folder
}

fn open(dirs: &[&Path]) -> TableSet<Russian> {
    let dirs: Vec<PathBuf> = dirs.iter().map(|dir| dir.to_path_buf()).collect();
    TableSet::open(&dirs).unwrap()
}

/// Probes every position: how many were right, and the files that were to blame for the others.
fn probe_all(set: &TableSet<Russian>) -> (usize, Vec<String>) {
    let mut right = 0;
    let mut blamed = Vec::new();
    for (node, position) in SOLVED.positions.iter().enumerate() {
        match set.wld(position) {
            Ok(value) => {
                assert_eq!(value, SOLVED.dtw[node].wld());
                right += 1;
            }
            Err(ProbeError::Damaged { path, .. } | ProbeError::Io { path, .. }) => {
                blamed.push(path.file_stem().unwrap().to_str().unwrap().to_string());
            }
            Err(other) => panic!("{other}"),
        }
    }
    blamed.sort();
    blamed.dedup();
    (right, blamed)
}

#[test]
fn one_damaged_file_of_three_harms_only_what_needs_it() {
    let folder = tempfile::tempdir().unwrap();
    let two = Solved::<Russian>::new(2);
    two.write(folder.path(), &[Metric::Wld]);
    for name in ["KvK", "KvM", "MvM"] {
        let path = folder.path().join(format!("russian/{name}.wld"));
        let good = fs::read(&path).unwrap();
        let truncated = [0, 1, 8, 40, 100, good.len() / 2, good.len() - 1];
        let mut bad: Vec<Vec<u8>> = truncated.iter().map(|&len| good[..len].to_vec()).collect();
        bad.push(vec![0; good.len()]);
        bad.push([good.as_slice(), b"more"].concat());
        bad.push(b"PK\x03\x04 no table at all".to_vec());
        for bytes in bad {
            fs::write(&path, &bytes).unwrap();
            let set = open(&[folder.path()]);
            let (mut right, mut wrong) = (0, 0);
            for (node, position) in two.positions.iter().enumerate() {
                let needs = Slice::of(position).0.to_string() == name && !can_capture(position);
                match set.wld(position) {
                    Ok(value) => {
                        assert_eq!(value, two.dtw[node].wld());
                        right += 1;
                    }
                    Err(ProbeError::Damaged { path: blamed, .. }) => {
                        assert!(needs && blamed == path);
                        wrong += 1;
                    }
                    Err(other) => panic!("{other}"),
                }
            }
            assert!(right > 1000 && wrong > 100, "{name} {} bytes", bytes.len());
        }
        fs::write(&path, &good).unwrap();
    }
}

#[test]
fn tables_of_another_game_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    Solved::<Brazilian>::new(2).write(folder.path(), &[Metric::Wld]);
    fs::rename(folder.path().join("brazilian"), folder.path().join("russian")).unwrap();
    let set = open(&[folder.path()]);
    let mut refused = 0;
    for position in SOLVED.positions.iter().filter(|position| position.pieces() == 2) {
        match set.wld(position) {
            // A capture of the last piece, or no move at all.
            Ok(_) => assert!(can_capture(position) || legal_moves(position).is_empty()),
            Err(error @ ProbeError::Damaged { .. }) => {
                assert!(error.to_string().contains("wrong table: expected russian "), "{error}");
                refused += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(refused > 1000);
}

#[test]
fn overlapping_folders_give_one_table_each() {
    let whole = folder();
    let (left, right) = (folder(), folder());
    let names = ["KvK", "KvM", "MvM", "KKvK", "KMvK", "MMvK", "KKvM", "KMvM", "MMvM"];
    for (place, name) in names.iter().enumerate() {
        // Each table is missing on one side or on none.
        let dir = [&left, &right][place % 2];
        if place % 3 != 0 {
            fs::remove_file(dir.path().join(format!("russian/{name}.wld"))).unwrap();
        }
    }
    for dirs in [
        vec![left.path(), right.path()],
        vec![right.path(), left.path()],
        vec![left.path(), whole.path(), right.path(), left.path()],
        vec![whole.path(), whole.path()],
    ] {
        let set = open(&dirs);
        assert_eq!((set.tables().count(), set.max_pieces()), (9, 3));
        assert_eq!(probe_all(&set), (SOLVED.positions.len(), vec![]));
    }
}

#[test]
fn files_that_change_while_open_give_errors_or_what_they_were() {
    let folder = folder();
    let path = folder.path().join("russian/KKvM.wld");
    let good = fs::read(&path).unwrap();
    // Without a cache, so that every probe reads.
    let set = open(&[folder.path()]).with_cache_bytes(0);
    let all = SOLVED.positions.len();
    assert_eq!(probe_all(&set), (all, vec![]));

    // Truncated in place, to something and to nothing.
    for len in [good.len() as u64 / 2, 0] {
        OpenOptions::new().write(true).open(&path).unwrap().set_len(len).unwrap();
        let (right, blamed) = probe_all(&set);
        assert!(right < all && blamed == ["KKvM"], "{blamed:?}");
    }
    // What comes back is read again.
    File::create(&path).unwrap().write_all(&good).unwrap();
    assert_eq!(probe_all(&set), (all, vec![]));

    // Overwritten in place.
    let mut bad = good.clone();
    bad[good.len() / 2..].iter_mut().for_each(|byte| *byte ^= 0x55);
    File::create(&path).unwrap().write_all(&bad).unwrap();
    let (right, blamed) = probe_all(&set);
    assert!(right < all && blamed == ["KKvM"], "{blamed:?}");
    File::create(&path).unwrap().write_all(&good).unwrap();

    // Replaced by renaming, or deleted: the file that was opened is still there.
    if cfg!(unix) {
        fs::write(folder.path().join("other"), "no table").unwrap();
        fs::rename(folder.path().join("other"), &path).unwrap();
        assert_eq!(probe_all(&set), (all, vec![]));
        fs::remove_file(&path).unwrap();
        assert_eq!(probe_all(&set), (all, vec![]));
    }
}

#[test]
fn sixteen_threads_may_open_the_same_new_table() {
    let folder = folder();
    let quiet: Vec<usize> = (0..SOLVED.positions.len())
        .filter(|&node| Slice::of(&SOLVED.positions[node]).0.to_string() == "KKvK")
        .filter(|&node| !can_capture(&SOLVED.positions[node]))
        .collect();
    for round in 0..50 {
        let set = open(&[folder.path()]);
        let start = Barrier::new(16);
        std::thread::scope(|scope| {
            for thread in 0..16 {
                let (set, start, quiet) = (&set, &start, &quiet);
                scope.spawn(move || {
                    start.wait();
                    for step in 0..20 {
                        let node = quiet[(round * 31 + thread * 97 + step) % quiet.len()];
                        let value = set.wld(&SOLVED.positions[node]).unwrap();
                        assert_eq!(value, SOLVED.dtw[node].wld());
                    }
                });
            }
        });
    }
}

#[test]
fn what_is_no_position_is_never_missing() {
    let empty = open(&[Path::new("/nowhere")]);
    let mut state = 1_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let (mut unsound, mut missing) = (0, 0);
    for n in 0..200_000 {
        // Few bits, so that a part of them makes positions; and now and then anything at all.
        let mut set = || {
            let bits =
                if n % 10 == 0 { random() } else { random() & random() & random() & random() };
            if n % 3 == 0 { bits } else { bits & Russian::squares() }
        };
        let pieces = |men, kings| Pieces { men, kings };
        let (mover, waiter) = (pieces(set(), set()), pieces(set(), set()));
        let sound = Position::<Russian>::new(mover, waiter);
        let position = Position { mover, waiter };
        for error in [empty.wld(&position).err(), empty.moves(&position).err()] {
            match (error, &sound) {
                (Some(ProbeError::Input(found)), Err(expected)) => {
                    assert_eq!(found, *expected);
                    unsound += 1;
                }
                (Some(ProbeError::Missing(_)), Ok(_)) => missing += 1,
                (None, Ok(_)) => {}
                (error, sound) => panic!("{position:x?}: {sound:?} {error:?}"),
            }
        }
    }
    assert!(unsound > 10_000 && missing > 1_000, "{unsound} {missing}");
}

/// Tables in which everything is drawn, of all slices up to four pieces: 69 files of a game.
fn write_drawn<G: Rules>(dir: &Path) {
    struct Constant(u16);
    impl Values for Constant {
        fn read(&self, _: ToMove, _: std::ops::Range<u64>, out: &mut [u16]) {
            out.fill(self.0);
        }
    }
    for slice in Slice::closure(&Slice::with_pieces(4)) {
        for (metric, code) in [(Metric::Wld, Wld::Draw.code()), (Metric::Dtw, 0), (Metric::Dtc, 0)]
        {
            let all = positions(G::board(), slice);
            let counts = Counts { positions: all, draws: all, wins: 0, losses: 0 };
            let info = TableInfo {
                id: TableId::new(G::ID, slice, metric),
                max_code: code,
                counts: vec![counts; slice.sides().len()],
                metadata: Metadata::default(),
            };
            let options = WriteOptions { level: 1, ..WriteOptions::default() };
            write_table(&dir.join(G::VARIANT.name), &info, options, &Constant(code)).unwrap();
        }
    }
}

/// Where the test below finds its tables, when it runs itself anew under a limit.
const LIMITED: &str = "DAMABASE_TEST_LIMITED";

#[test]
#[cfg(unix)]
fn two_hundred_tables_fit_a_limit_of_64_open_files() {
    fn quiet<G: Rules>(slice: Slice, to_move: ToMove) -> Position<G> {
        let index = Index::<G>::new(slice, to_move);
        let all = (0..index.len()).filter_map(|n| index.unrank(n));
        let is_quiet =
            |p: &Position<G>| !can_capture(p) && !can_capture(&p.turned()) && p.waiter.all().any();
        all.skip(50).find(is_quiet).unwrap()
    }
    fn probe<G: Rules>(set: &TableSet<G>) {
        for (id, _) in set.tables() {
            for &to_move in id.slice.sides() {
                let position = quiet::<G>(id.slice, to_move);
                match id.metric {
                    Metric::Wld => assert_eq!(set.wld(&position).unwrap(), Wld::Draw),
                    Metric::Dtw => assert_eq!(set.dtw(&position).unwrap().wld(), Wld::Draw),
                    _ => assert_eq!(set.dtc(&position).unwrap().wld(), Wld::Draw),
                }
            }
        }
    }
    if let Some(dir) = std::env::var_os(LIMITED) {
        let dirs = [PathBuf::from(dir)];
        let russian = TableSet::<Russian>::open(&dirs).unwrap().with_cache_bytes(0);
        let brazilian = TableSet::<Brazilian>::open(&dirs).unwrap().with_cache_bytes(0);
        let english = TableSet::<English>::open(&dirs).unwrap().with_cache_bytes(0);
        for _ in 0..2 {
            probe(&russian);
            probe(&brazilian);
            probe(&english);
        }
        // The program has room for files of its own.
        let own: Vec<File> = (0..4).map(|_| File::open("/dev/null").unwrap()).collect();
        probe(&russian);
        let tables = russian.tables().chain(brazilian.tables()).chain(english.tables());
        println!("probed {} tables, {} files besides", tables.count(), own.len());
        return;
    }
    // Three games under the limit; and one under a limit that its tables reach.
    let (three, one) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_drawn::<Russian>(three.path());
    write_drawn::<Brazilian>(three.path());
    write_drawn::<English>(three.path());
    write_drawn::<Russian>(one.path());
    for (limit, folder, tables) in [(64, three.path(), 207), (18, one.path(), 69)] {
        let done = std::process::Command::new("sh")
            .arg("-c")
            .arg(format!("ulimit -n {limit}; exec \"$0\" \"$@\""))
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "two_hundred_tables_fit_a_limit_of_64_open_files"])
            .args(["--nocapture", "--test-threads=1"])
            .env(LIMITED, folder)
            .output()
            .unwrap();
        let (out, err) =
            (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert!(done.status.success(), "{out}{err}");
        assert!(out.contains(&format!("probed {tables} tables, 4 files besides")), "{out}{err}");
    }
}
