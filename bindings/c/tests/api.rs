//! The calls of the C interface, called from Rust, against the tables that they read.

mod common;

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::Path;
use std::{fs, ptr, thread};

use ::damabase::*;
use common::tables;
use damabase_formats::{Distance, Fen, Index, Metric, Slice, ToMove, Wld};
use damabase_probe::TableSet;
use damabase_rules::draws::{self, Seeds};
use damabase_rules::{International, Russian, Side, VariantId};

const EMPTY: damabase_value = damabase_value { wld: 9, dtw: 9, dtc: 9 };

/// A handle that closes itself.
struct Handle(*mut damabase);

// SAFETY: the header allows any number of threads to probe one handle.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        unsafe { damabase_close(self.0) };
    }
}

impl Handle {
    fn new() -> Handle {
        Handle(damabase_new())
    }

    fn open(&self, variant: &str, dir: &std::path::Path) -> c_int {
        let variant = CString::new(variant).unwrap();
        let dir = CString::new(dir.to_str().unwrap()).unwrap();
        unsafe { damabase_open(self.0, variant.as_ptr(), dir.as_ptr(), 0) }
    }

    fn position(&self, fen: &str) -> damabase_position {
        let fen = CString::new(fen).unwrap();
        let mut position = damabase_position::default();
        let status = unsafe { damabase_read_fen(self.0, fen.as_ptr(), &mut position) };
        assert_eq!(status, DAMABASE_OK, "{}", self.error());
        position
    }

    fn wld(&self, position: &damabase_position) -> Result<i32, c_int> {
        let mut wld = 9;
        match unsafe { damabase_probe_wld(self.0, position, &mut wld) } {
            DAMABASE_OK => Ok(wld),
            status => {
                assert_eq!(wld, 9);
                Err(status)
            }
        }
    }

    fn error(&self) -> String {
        text(|to, size| unsafe { damabase_last_error(self.0, to, size) })
    }
}

fn text(call: impl Fn(*mut c_char, usize) -> usize) -> String {
    let len = call(ptr::null_mut(), 0);
    let mut bytes = vec![1 as c_char; len + 1];
    assert_eq!(call(bytes.as_mut_ptr(), bytes.len()), len);
    let text = unsafe { CStr::from_ptr(bytes.as_ptr()) };
    text.to_str().unwrap().to_string()
}

fn number(wld: Wld) -> i32 {
    match wld {
        Wld::Loss => DAMABASE_LOSS,
        Wld::Draw => DAMABASE_DRAW,
        Wld::Win => DAMABASE_WIN,
    }
}

fn plies(distance: Option<Distance>) -> i32 {
    distance.and_then(Distance::plies).map_or(DAMABASE_NO_PLIES, i32::from)
}

#[test]
fn every_position_has_the_value_of_its_table() {
    let dir = tables(VariantId::Russian, 3, &[Metric::Wld, Metric::Dtw, Metric::Dtc]);
    let set = TableSet::<Russian>::open(&[dir.path().to_path_buf()]).unwrap();
    let handle = Handle::new();
    assert_eq!(handle.open("25", dir.path()), DAMABASE_OK);
    let mut moves: Vec<damabase_move> = Vec::with_capacity(64);
    for slice in Slice::closure(&Slice::with_pieces(3)) {
        for &to_move in slice.sides() {
            let index = Index::<Russian>::new(slice, to_move);
            for n in (0..index.len()).step_by(3) {
                let Some(position) = index.unrank(n) else { continue };
                let side = if n % 2 == 0 { Side::White } else { Side::Black };
                let given = handle.position(&Fen::new(side, position).to_string());
                let expected = set.value(&position).unwrap();
                let mut value = EMPTY;
                assert_eq!(unsafe { damabase_probe(handle.0, &given, &mut value) }, DAMABASE_OK);
                assert_eq!(value.wld, number(expected.wld));
                assert_eq!((value.dtw, value.dtc), (plies(expected.dtw), plies(expected.dtc)));
                assert_eq!(handle.wld(&given), Ok(value.wld));
                let calls =
                    [(damabase_probe_dtw as Call, value.dtw), (damabase_probe_dtc, value.dtc)];
                for (call, expected) in calls {
                    let (mut wld, mut plies) = (9, 9);
                    let status = unsafe { call(handle.0, &given, &mut wld, &mut plies) };
                    assert_eq!((status, wld, plies), (DAMABASE_OK, value.wld, expected));
                }
                let mut count = 0;
                unsafe {
                    let room = moves.as_mut_ptr();
                    assert_eq!(damabase_moves(handle.0, &given, room, 64, &mut count), DAMABASE_OK);
                    moves.set_len(count);
                }
                let expected = set.moves(&position).unwrap();
                assert_eq!(count, expected.len());
                for (m, expected) in moves.iter().zip(&expected) {
                    assert_eq!(m.value.dtw, plies(expected.value.dtw));
                    assert_eq!(m.captured.count_ones(), expected.action.captured.count_ones());
                    assert_eq!(m.promotes == 1, expected.action.promotes);
                    assert_eq!(m.after.side, 1 - given.side);
                    let name = unsafe { CStr::from_ptr(m.text.as_ptr()) }.to_str().unwrap();
                    assert_eq!(name.contains('x'), m.captured != 0);
                    let theirs = if side == Side::White {
                        given.white_men | given.white_kings
                    } else {
                        given.black_men | given.black_kings
                    };
                    let bit = |square| unsafe { damabase_spread(handle.0, 1_u64 << (square - 1)) };
                    assert_ne!(bit(m.from) & theirs, 0);
                    let moved = if side == Side::White {
                        m.after.white_men | m.after.white_kings
                    } else {
                        m.after.black_men | m.after.black_kings
                    };
                    assert_eq!(moved, theirs & !bit(m.from) | bit(m.to));
                }
            }
        }
    }
}

type Call =
    unsafe extern "C" fn(*const damabase, *const damabase_position, *mut i32, *mut i32) -> c_int;

#[test]
fn failures_have_their_status_and_text() {
    let dir = tables(VariantId::Russian, 2, &[Metric::Wld]);
    let handle = Handle::new();
    assert_eq!(handle.wld(&damabase_position::default()), Err(DAMABASE_INPUT));
    assert_eq!(handle.error(), "no directory was opened");
    assert_eq!(handle.open("russian", dir.path()), DAMABASE_OK);
    // Nothing on the board, a bit that is no square, two pieces on a square, no side to move.
    let good = handle.position("W:WK1:BK32");
    for (bad, expected) in [
        (damabase_position::default(), "unsound position: there is no piece"),
        (
            damabase_position { white_men: 1 << 60, ..good },
            "unsound position: a piece stands off the board",
        ),
        (
            damabase_position { side: 1, black_kings: 1 << 60, ..good },
            "unsound position: a piece stands off the board",
        ),
        (
            damabase_position { black_kings: 1, ..good },
            "unsound position: two pieces stand on one square",
        ),
        (
            damabase_position { white_men: 2, ..good },
            "unsound position: a man stands on its promotion row",
        ),
        (damabase_position { side: -1, ..good }, "-1 is no side to move"),
    ] {
        assert_eq!(handle.wld(&bad), Err(DAMABASE_INPUT));
        assert_eq!(handle.error(), expected);
    }
    assert_eq!(handle.wld(&handle.position("B:WK1,K2:BK32,21")), Err(DAMABASE_MISSING));
    let looked = format!("; looked in {}", dir.path().join("russian").display());
    assert_eq!(handle.error(), format!("no wld table of KKvKM for russian{looked}"));
    let mut plies = 9;
    let status = unsafe { damabase_probe_dtw(handle.0, &good, ptr::null_mut(), &mut plies) };
    assert_eq!((status, plies), (DAMABASE_MISSING, 9));
    // As much of a text as there is room for.
    let mut short = [1 as c_char; 6];
    unsafe { damabase_last_error(handle.0, short.as_mut_ptr(), 6) };
    assert_eq!(unsafe { CStr::from_ptr(short.as_ptr()) }, c"no dt");

    fs::write(dir.path().join("russian/KvK.wld"), "no table").unwrap();
    assert_eq!(handle.wld(&good), Err(DAMABASE_DAMAGED));
    assert!(handle.error().contains("KvK.wld: "));
    fs::remove_file(dir.path().join("russian/KvM.wld")).unwrap();
    assert_eq!(handle.wld(&handle.position("W:WK1:B12")), Err(DAMABASE_IO));
}

#[test]
fn draw_rules_make_draws_of_wins() {
    let dir = tables(VariantId::International, 3, &[Metric::Wld, Metric::Budget]);
    let set = TableSet::<International>::open(&[dir.path().to_path_buf()]).unwrap();
    let profile = draws::default_profile(VariantId::International);
    let under = set.under(profile);
    let handle = Handle::new();
    let set_profile = |name: Option<&CStr>| unsafe {
        damabase_set_profile(handle.0, name.map_or(ptr::null(), CStr::as_ptr))
    };
    let probe = |position: &damabase_position, counters: &[i32]| {
        let mut value = damabase_counted::default();
        let (first, count) = (counters.as_ptr(), counters.len());
        match unsafe { damabase_probe_budget(handle.0, position, first, count, &mut value) } {
            DAMABASE_OK => Ok(value),
            status => Err((status, handle.error())),
        }
    };
    assert_eq!(set_profile(None), DAMABASE_INPUT);
    assert_eq!(handle.open("international", Path::new("/nowhere")), DAMABASE_OK);
    let position = handle.position("W:WK1,K2:BK50");
    assert_eq!(probe(&position, &[]).unwrap_err().1, "no draw profile was chosen");
    assert_eq!(set_profile(Some(c"nobody")), DAMABASE_INPUT);
    assert_eq!(set_profile(Some(c"wcdf")), DAMABASE_INPUT);
    assert_eq!(set_profile(None), DAMABASE_OK);
    // The choice holds for directories that come later.
    assert_eq!(handle.open("international", dir.path()), DAMABASE_OK);
    let name = |place| {
        let mut name = [1 as c_char; 16];
        let found = unsafe { damabase_counter_name(handle.0, place, name.as_mut_ptr(), 16) };
        (found, unsafe { CStr::from_ptr(name.as_ptr()) }.to_str().unwrap().to_string())
    };
    let names: Vec<String> = (0..profile.counters.len()).map(|place| name(place).1).collect();
    assert!(names.iter().zip(&profile.counters).all(|(name, counter)| *name == counter.name));
    assert_eq!(name(names.len()), (0, String::new()));

    let c5 = names.iter().position(|name| name == "C5").unwrap();
    let (mut wins, mut cursed) = (0, 0);
    let index = Index::<International>::new("KMvK".parse().unwrap(), ToMove::First);
    for n in (0..index.len()).step_by(7) {
        let Some(position) = index.unrank(n) else { continue };
        let given = handle.position(&Fen::new(Side::Black, position).to_string());
        for plies in [0, 5, 9, 10] {
            let mut counters = vec![-1; names.len()];
            counters[c5] = plies;
            let found = probe(&given, &counters).unwrap();
            let seeds = Seeds { half_moves: None, counters: vec![("C5".into(), plies as u32)] };
            let start = profile.start(&position, &seeds).unwrap();
            let expected = under.value(&position, &start).unwrap();
            let result = expected.standing.map(|standing| standing.result());
            assert_eq!(found.wld, result.map_or(DAMABASE_UNKNOWN, number));
            assert_eq!(found.in_theory, number(expected.in_theory));
            if [DAMABASE_WIN, DAMABASE_LOSS].contains(&found.wld) {
                // Where the game is over, nothing counts any more.
                let spare = if found.budget == 0 { -1 } else { found.left - found.budget };
                assert_eq!(found.to_spare, spare);
                wins += u32::from(found.wld == DAMABASE_WIN);
            } else {
                assert_eq!(found.to_spare, DAMABASE_NO_PLIES);
                cursed += u32::from(found.in_theory == DAMABASE_WIN);
            }
            if plies == 0 {
                assert_eq!(probe(&given, &[]), Ok(found));
            }
        }
    }
    assert!(wins > 100 && cursed > 100, "{wins} {cursed}");
    // Rules of one's own, as a text.
    let toml = draws::toml_text("fmjd100-2018").unwrap().replace("fmjd100-2018", "mine");
    let before = probe(&position, &[]);
    assert_eq!(set_profile(Some(&CString::new(toml).unwrap())), DAMABASE_OK);
    assert_eq!(probe(&position, &[]), before);
    assert_eq!(set_profile(Some(c"name = 3\n")), DAMABASE_INPUT);
    assert!(handle.error().contains("line 1"), "{}", handle.error());
    assert_eq!(probe(&position, &[]), before);
    // Values that do not fit.
    let mut counters = vec![-1; names.len()];
    counters[c5] = 3;
    let men = handle.position("W:W31:B1");
    assert_eq!(probe(&men, &counters).unwrap_err().1, "counter 'C5' is not on in this position");
    counters.push(0);
    assert!(probe(&position, &counters).unwrap_err().1.contains("has no counter at "));
    let big = handle.position("W:WK1,K2:BK50,K49");
    assert_eq!(probe(&big, &[]).unwrap_err().0, DAMABASE_MISSING);
    let null =
        unsafe { damabase_probe_budget(handle.0, &position, ptr::null(), 1, ptr::null_mut()) };
    assert_eq!(null, DAMABASE_INPUT);
}

#[test]
fn a_value_is_at_hand_once_it_was_asked_for() {
    let dir = tables(VariantId::Russian, 2, &[Metric::Wld]);
    let handle = Handle::new();
    assert_eq!(handle.open("russian", dir.path()), DAMABASE_OK);
    let cached = |position: &damabase_position| {
        let mut wld = 9;
        (unsafe { damabase_probe_wld_if_cached(handle.0, position, &mut wld) }, wld)
    };
    let position = handle.position("W:WK29:B7");
    assert_eq!(cached(&position), (DAMABASE_NOT_CACHED, 9));
    assert_eq!(handle.error(), "");
    // It may be kept at the second time only.
    let wld = [(); 3].map(|()| handle.wld(&position).unwrap())[2];
    assert_eq!(cached(&position), (DAMABASE_OK, wld));
    // A capture of the last piece needs no table.
    assert_eq!(cached(&handle.position("W:WK29:B22")), (DAMABASE_OK, DAMABASE_WIN));
    let missing = handle.position("W:WK1,K2:BK32");
    assert_eq!(cached(&missing), (DAMABASE_MISSING, 9));
    assert_eq!(cached(&damabase_position::default()), (DAMABASE_INPUT, 9));
    let null = unsafe { damabase_probe_wld_if_cached(handle.0, &position, ptr::null_mut()) };
    assert_eq!(null, DAMABASE_INPUT);
}

#[test]
fn directories_are_added_one_by_one() {
    let two = tables(VariantId::Russian, 2, &[Metric::Wld]);
    let three = tables(VariantId::Russian, 3, &[Metric::Wld]);
    fs::remove_file(three.path().join("russian/KvK.wld")).unwrap();
    let handle = Handle::new();
    let largest = || {
        let mut name = [1 as c_char; 16];
        let pieces = unsafe { damabase_largest_slice(handle.0, name.as_mut_ptr(), name.len()) };
        (pieces, unsafe { CStr::from_ptr(name.as_ptr()) }.to_str().unwrap().to_string())
    };
    assert_eq!(largest(), (0, String::new()));
    assert_eq!(handle.open("russian", three.path()), DAMABASE_OK);
    assert_eq!(unsafe { (damabase_max_pieces(handle.0), damabase_tables(handle.0)) }, (0, 8));
    let covers = |slice: &CStr| unsafe { damabase_covers(handle.0, slice.as_ptr()) };
    assert_eq!((covers(c"KKvK"), covers(c"KvK")), (0, 0));
    assert_eq!(handle.open("russian", two.path()), DAMABASE_OK);
    assert_eq!(unsafe { (damabase_max_pieces(handle.0), damabase_tables(handle.0)) }, (3, 9));
    assert_eq!((covers(c"KKvK"), covers(c"KKvKK")), (1, 0));
    assert_eq!(largest(), (3, "MMvM".to_string()));
    assert_eq!(handle.wld(&handle.position("W:WK1,K2:BK32")), Ok(DAMABASE_DRAW));
    // A failure leaves the handle as it was.
    assert_eq!(handle.open("english", two.path()), DAMABASE_INPUT);
    assert_eq!(handle.error(), "the handle is open for russian, not for english");
    assert_eq!(unsafe { damabase_max_pieces(handle.0) }, 3);
}

#[test]
fn threads_share_a_handle_or_have_their_own() {
    let dir = tables(VariantId::Russian, 3, &[Metric::Wld]);
    let handle = Handle::new();
    assert_eq!(handle.open("russian", dir.path()), DAMABASE_OK);
    let fens = ["W:WK29,K30:BK6", "B:WK29,K30:BK6", "W:WK29:BK22", "W:W29:B4,5", "B:W29,31:B1"];
    let expected: Vec<_> = fens.map(|fen| handle.wld(&handle.position(fen))).to_vec();
    assert!(expected.contains(&Ok(DAMABASE_WIN)));
    thread::scope(|scope| {
        for number in 0..16 {
            let (handle, expected) = (&handle, &expected);
            scope.spawn(move || {
                let own = Handle(unsafe { damabase_clone(handle.0) });
                for round in 0..200 {
                    for (fen, expected) in fens.iter().zip(expected) {
                        let position = handle.position(fen);
                        assert_eq!(handle.wld(&position), *expected);
                        assert_eq!(own.wld(&position), *expected);
                    }
                    let bad = format!("W:W{}", 100 + number * 1000 + round);
                    let bad = CString::new(bad).unwrap();
                    let mut position = damabase_position::default();
                    unsafe { damabase_read_fen(own.0, bad.as_ptr(), &mut position) };
                    let own_error = own.error();
                    assert!(own_error.contains(&format!("{}", 100 + number * 1000 + round)));
                }
            });
        }
    });
}
