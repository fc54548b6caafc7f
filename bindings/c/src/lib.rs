//! Probing endgame tables of the draughts family from C and C++: `include/damabase.h`.
//!
//! This file is the header: every item in it appears there with its comment. A handle owns all
//! that belongs to it; there is no global state. No call lets a panic out: one is answered by
//! [`DAMABASE_INTERNAL`]. What calls have in common is in `handle.rs`.

// The header says once for all calls what pointers must be; see `cbindgen.toml`.
#![allow(clippy::missing_safety_doc)]

use std::ffi::{c_char, c_int};

use damabase_formats::Slice;
use damabase_probe::Diagram;

mod convert;
mod handle;

pub use handle::damabase;
use handle::{Failure, copy_text, text_of, written};

/// A call did what was asked for.
pub const DAMABASE_OK: c_int = 0;
/// An argument is wrong: a null pointer, a position that breaks the rules of the board, an unknown
/// game, or no directory was opened.
pub const DAMABASE_INPUT: c_int = 1;
/// A table is needed that is not there.
pub const DAMABASE_MISSING: c_int = 2;
/// A table file is damaged, or a table of something else.
pub const DAMABASE_DAMAGED: c_int = 3;
/// The system could not read a file or a directory.
pub const DAMABASE_IO: c_int = 4;
/// A value that would have to be read and decoded, where that was not wanted.
pub const DAMABASE_NOT_CACHED: c_int = 5;
/// A fault of this library. The handle stays usable.
pub const DAMABASE_INTERNAL: c_int = 6;

/// White to move.
pub const DAMABASE_WHITE: i32 = 0;
/// Black to move.
pub const DAMABASE_BLACK: i32 = 1;

/// The side to move loses.
pub const DAMABASE_LOSS: i32 = -1;
/// A draw.
pub const DAMABASE_DRAW: i32 = 0;
/// The side to move wins.
pub const DAMABASE_WIN: i32 = 1;

/// The value under draw rules is not known.
pub const DAMABASE_UNKNOWN: i32 = 2;

/// Number of plies that is not known, or that a draw has not.
pub const DAMABASE_NO_PLIES: i32 = -1;
/// No number of plies is enough.
pub const DAMABASE_NEVER: i32 = -2;

/// No counter.
pub const DAMABASE_NO_COUNTER: i32 = -1;

/// For damabase_open: read files from memory that the system maps to them, which is faster. While
/// a handle is open no program may then change or shorten the files in place, or take away their
/// storage (Damabase itself replaces files by renaming, which is allowed).
pub const DAMABASE_MAP: u32 = 1;

/// Bytes of the text of a move, its final zero included.
pub const DAMABASE_MOVE_TEXT: usize = 64;

/// A position: sets of squares as bits, as a diagram shows them, White below, whoever moves.
///
/// The playing squares are numbered row by row from the top left, as PDN numbers them, and after
/// every second row one bit is left out. On 10x10, square 1 is bit 0, square 10 bit 9, square 11
/// bit 11, and bits 10, 21, 32, 43 and those from 54 are always 0. On 8x8, square 8 is bit 7,
/// square 9 bit 9, and bits 8, 17, 26 and those from 35 are always 0. damabase_spread makes such a
/// set of one without gaps.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(non_camel_case_types)]
pub struct damabase_position {
    /// White's men.
    pub white_men: u64,
    /// White's kings.
    pub white_kings: u64,
    /// Black's men.
    pub black_men: u64,
    /// Black's kings.
    pub black_kings: u64,
    /// DAMABASE_WHITE or DAMABASE_BLACK: who is to move.
    pub side: i32,
}

/// What is known of a position, seen by the side to move, or of a move, seen by the side that
/// makes it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(non_camel_case_types)]
pub struct damabase_value {
    /// DAMABASE_WIN, DAMABASE_DRAW or DAMABASE_LOSS.
    pub wld: i32,
    /// Plies to the end of the game, or DAMABASE_NO_PLIES.
    pub dtw: i32,
    /// Plies to the next capture or man move, or the end of the game, or DAMABASE_NO_PLIES.
    pub dtc: i32,
}

/// A legal move and its value for the side that makes it; distances count this move too.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(non_camel_case_types)]
pub struct damabase_move {
    /// The move as PDN writes it, with a final zero.
    pub text: [c_char; DAMABASE_MOVE_TEXT],
    /// The square where the piece stands, numbered from 1 as in PDN.
    pub from: i32,
    /// The square where it ends.
    pub to: i32,
    /// 1 if a man becomes a king, else 0.
    pub promotes: i32,
    /// The pieces that are taken, as in damabase_position.
    pub captured: u64,
    /// Its value.
    pub value: damabase_value,
    /// The position that follows.
    pub after: damabase_position,
}

/// What is known of a position under draw rules, seen by the side to move.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(non_camel_case_types)]
pub struct damabase_counted {
    /// DAMABASE_WIN, DAMABASE_DRAW or DAMABASE_LOSS with the counters as they are, or
    /// DAMABASE_UNKNOWN.
    pub wld: i32,
    /// The value if nobody counted.
    pub in_theory: i32,
    /// Plies that must be left on the counters so that the win or loss counts; DAMABASE_NEVER
    /// where no number is enough, DAMABASE_NO_PLIES for a draw in theory, where several counters
    /// decide, and where it is not known.
    pub budget: i32,
    /// Plies that are left on the counter that decides: the one that has least left, or, where
    /// several decide, the one that could be greater by to_spare and no more. DAMABASE_NO_PLIES
    /// where none counts, and where it is not known.
    pub left: i32,
    /// The place of that counter, as in damabase_counter_name, or DAMABASE_NO_COUNTER.
    pub decided_by: i32,
    /// Plies that are left beyond those that are needed for a win or loss that counts;
    /// DAMABASE_NO_PLIES where nothing counts, for draws, and where it is not known.
    pub to_spare: i32,
}

/// Makes a handle without tables.
///
/// RETURN: the handle, to be given to damabase_close at the end.
///
/// NOTES: Thread safety: may be called at any time from any thread.
#[unsafe(no_mangle)]
pub extern "C" fn damabase_new() -> *mut damabase {
    std::panic::catch_unwind(|| Box::into_raw(Box::default())).unwrap_or(std::ptr::null_mut())
}

/// Adds the tables of one game in a directory to a handle.
///
/// PARAMETERS
///   handle: from damabase_new.
///   variant: the game: "international", "russian", "brazilian", "english", or its PDN GameType
///     number. The first call decides; later calls must name the same game.
///   directory: the tables lie in DIRECTORY/VARIANT, the name of the game in letters. In UTF-8
///     on Windows, else as the system has it.
///   flags: 0 or DAMABASE_MAP. Those of the last call hold for all directories.
///
/// RETURN: DAMABASE_OK, also where there is no table or no directory (damabase_tables tells their
/// number); DAMABASE_INPUT; DAMABASE_IO where a directory cannot be listed. The handle is then as
/// it was.
///
/// NOTES: Call it once for each directory. Where two have the same table, the first counts. Only
/// the names of files are read; a table is opened when it is first needed, and tables that come
/// later are not seen. Thread safety: no other call may use the handle meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_open(
    handle: *mut damabase,
    variant: *const c_char,
    directory: *const c_char,
    flags: u32,
) -> c_int {
    // SAFETY: the caller promises it, and that nobody else uses the handle.
    let Some(handle) = (unsafe { handle.as_mut() }) else { return DAMABASE_INPUT };
    handle.guarded_mut(|handle| {
        // SAFETY: the caller promises it.
        let (variant, directory) = unsafe { (text_of(variant)?, convert::path(directory)?) };
        handle.open(variant, directory, flags)
    })
}

/// Makes another handle for the same tables, with one cache for both.
///
/// PARAMETERS
///   handle: from damabase_new or damabase_clone.
///
/// RETURN: the new handle, to be given to damabase_close; null if handle is null.
///
/// NOTES: Each handle has its own error text, so threads that read error texts have a handle each.
/// damabase_open on one of them does not touch the others. Thread safety: as for a probe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_clone(handle: *const damabase) -> *mut damabase {
    // SAFETY: the caller promises it.
    let Some(handle) = (unsafe { handle.as_ref() }) else { return std::ptr::null_mut() };
    let copy = || Box::into_raw(Box::new(handle.share()));
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(copy)).unwrap_or(std::ptr::null_mut())
}

/// Closes a handle and gives back all that it owns.
///
/// PARAMETERS
///   handle: from damabase_new or damabase_clone; null does nothing.
///
/// NOTES: Thread safety: no other call may use the handle meanwhile or after. Its clones stay open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_close(handle: *mut damabase) {
    if !handle.is_null() {
        // SAFETY: the caller promises that it is ours and is used no more.
        let handle = unsafe { Box::from_raw(handle) };
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(handle)));
    }
}

/// Chooses how much memory holds decoded parts of tables.
///
/// PARAMETERS
///   handle: from damabase_new.
///   bytes: the greatest number of bytes; 64 MiB unless this is called. With 0 every probe reads
///     its file.
///
/// RETURN: DAMABASE_OK, DAMABASE_INPUT.
///
/// NOTES: Holds from the next damabase_open. Thread safety: no other call may use the handle
/// meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_set_cache(handle: *mut damabase, bytes: usize) -> c_int {
    // SAFETY: the caller promises it, and that nobody else uses the handle.
    let Some(handle) = (unsafe { handle.as_mut() }) else { return DAMABASE_INPUT };
    handle.cache_bytes = bytes;
    DAMABASE_OK
}

/// Whether the side to move wins, draws or loses, draw counters aside.
///
/// PARAMETERS
///   handle: an open handle.
///   position: any position of the game, captures or not.
///   wld: is set to DAMABASE_WIN, DAMABASE_DRAW or DAMABASE_LOSS; left alone on failure.
///
/// RETURN: DAMABASE_OK; DAMABASE_INPUT for what is no position; DAMABASE_MISSING, DAMABASE_DAMAGED,
/// DAMABASE_IO.
///
/// NOTES: Captures are searched until none is possible, so a smaller table may be missing too; the
/// error text names it and the move. A game that is over needs no table. Thread safety: any number
/// of threads may probe one handle at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_probe_wld(
    handle: *const damabase,
    position: *const damabase_position,
    wld: *mut i32,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        handle::probe(handle, position, wld, |tables, position| {
            Ok(convert::wld(tables.wld(position)?))
        })
    }
}

/// The value of a position as damabase_probe_wld tells it, if it is at hand: for places in a search
/// that must not wait for a file.
///
/// PARAMETERS
///   handle, position, wld: as for damabase_probe_wld.
///
/// RETURN: as for damabase_probe_wld; DAMABASE_NOT_CACHED where a file would have to be opened, or
/// a part of it read and decoded.
///
/// NOTES: DAMABASE_NOT_CACHED is no failure: it leaves the error text as it is. Thread safety: as
/// for a probe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_probe_wld_if_cached(
    handle: *const damabase,
    position: *const damabase_position,
    wld: *mut i32,
) -> c_int {
    let mut found = None;
    // SAFETY: as the caller promises; null is not written to.
    unsafe {
        if wld.is_null() {
            return handle::null(handle);
        }
        let status = handle::probe(handle, position, &mut found, |tables, position| {
            tables.wld_if_cached(position)
        });
        match found {
            Some(found) if status == DAMABASE_OK => wld.write(convert::wld(found)),
            None if status == DAMABASE_OK => return DAMABASE_NOT_CACHED,
            _ => {}
        }
        status
    }
}

/// The value of a position and the number of plies to the end of the game, if the winner hurries
/// and the loser delays. From tables of the metric dtw.
///
/// PARAMETERS
///   handle, position: as for damabase_probe_wld.
///   wld: is set to DAMABASE_WIN, DAMABASE_DRAW or DAMABASE_LOSS, unless null.
///   plies: is set to the number of plies, DAMABASE_NO_PLIES for a draw, unless null.
///
/// RETURN, NOTES: as for damabase_probe_wld.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_probe_dtw(
    handle: *const damabase,
    position: *const damabase_position,
    wld: *mut i32,
    plies: *mut i32,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        handle::probe_distance(handle, position, wld, plies, |tables, position| {
            tables.dtw(position)
        })
    }
}

/// The value of a position and the number of plies to the next capture or man move, or the end of
/// the game, if the winner hurries and the loser delays. From tables of the metric dtc.
///
/// PARAMETERS, RETURN, NOTES: as for damabase_probe_dtw.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_probe_dtc(
    handle: *const damabase,
    position: *const damabase_position,
    wld: *mut i32,
    plies: *mut i32,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        handle::probe_distance(handle, position, wld, plies, |tables, position| {
            tables.dtc(position)
        })
    }
}

/// All that is known of a position: its value, and the distances whose tables are there.
///
/// PARAMETERS
///   handle, position: as for damabase_probe_wld.
///   value: is filled in; left alone on failure.
///
/// RETURN, NOTES: as for damabase_probe_wld; a distance whose table is not there is no failure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_probe(
    handle: *const damabase,
    position: *const damabase_position,
    value: *mut damabase_value,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        handle::probe(handle, position, value, |tables, position| {
            Ok(convert::value(tables.value(position)?))
        })
    }
}

/// Chooses the draw rules for damabase_probe_budget.
///
/// PARAMETERS
///   handle: an open handle, which knows the game.
///   profile: a name, as `damabase profiles` lists them; or the text of a file with rules of your
///     own, which has line breaks; null for the rules that are usual for the game.
///
/// RETURN: DAMABASE_OK; DAMABASE_INPUT for an unknown name, rules of another game, or a wrong text.
///
/// NOTES: Stays chosen when further directories are opened. Thread safety: no other call may use
/// the handle meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_set_profile(
    handle: *mut damabase,
    profile: *const c_char,
) -> c_int {
    // SAFETY: the caller promises it, and that nobody else uses the handle.
    let Some(handle) = (unsafe { handle.as_mut() }) else { return DAMABASE_INPUT };
    handle.guarded_mut(|handle| {
        // SAFETY: the caller promises it.
        let asked = if profile.is_null() { None } else { Some(unsafe { text_of(profile)? }) };
        handle.set_profile(asked)
    })
}

/// The name of a counter of the draw rules chosen.
///
/// PARAMETERS
///   handle: a handle with a profile.
///   place: from 0.
///   text, size: where to write; size bytes at most, the final zero included.
///
/// RETURN: 1; 0 where there is no such counter.
///
/// NOTES: Thread safety: as for a probe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_counter_name(
    handle: *const damabase,
    place: usize,
    text: *mut c_char,
    size: usize,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        let name = handle.as_ref().and_then(|handle| handle.counter_name(place));
        copy_text(name.unwrap_or_default(), text, size);
        name.is_some().into()
    }
}

/// What a position with counters is worth under the draw rules chosen. From tables of the metrics
/// wld and budget.
///
/// PARAMETERS
///   handle: an open handle, with a profile.
///   position: as for damabase_probe_wld.
///   counters: plies on each counter, in the order of damabase_counter_name; a negative number
///     leaves a counter as it is at the start of a game from this position: off, or on at 0.
///   count: how many there are; counters beyond are as at the start. 0 (and null) for all of them.
///   value: is filled in; left alone on failure.
///
/// RETURN: as for damabase_probe_wld; DAMABASE_INPUT also where a counter that has a value is not on
/// in this position, or no profile was chosen. A missing table of budgets is no failure: wld is then
/// DAMABASE_UNKNOWN where it does not follow otherwise.
///
/// NOTES: Thread safety: as for a probe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_probe_budget(
    handle: *const damabase,
    position: *const damabase_position,
    counters: *const i32,
    count: usize,
    value: *mut damabase_counted,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        handle::guarded(handle, |handle| {
            let position = convert::diagram(position)?;
            let given: &[i32] = match count {
                0 => &[],
                _ if counters.is_null() => return Err(Failure::null()),
                _ => std::slice::from_raw_parts(counters, count),
            };
            if value.is_null() {
                return Err(Failure::null());
            }
            written(value, convert::counted(&handle.counted(&position, given)?))
        })
    }
}

/// Every legal move with its value, best first.
///
/// PARAMETERS
///   handle, position: as for damabase_probe_wld.
///   moves: room for capacity moves; may be null where capacity is 0.
///   capacity: how many moves are written at most.
///   count: is set to the number of legal moves, which may be greater than capacity. 0 where the
///     game is over.
///
/// RETURN, NOTES: as for damabase_probe_wld. Wins come before draws before losses, then quick wins
/// and slow losses first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_moves(
    handle: *const damabase,
    position: *const damabase_position,
    moves: *mut damabase_move,
    capacity: usize,
    count: *mut usize,
) -> c_int {
    if moves.is_null() && capacity > 0 {
        return handle::null(handle);
    }
    // SAFETY: as the caller promises.
    unsafe {
        handle::probe(handle, position, count, |tables, position| {
            let all = tables.moves(position)?;
            for (place, m) in all.iter().take(capacity).enumerate() {
                moves.add(place).write(convert::action(m));
            }
            Ok(all.len())
        })
    }
}

/// The greatest number of pieces up to which every position has a value.
///
/// PARAMETERS
///   handle: a handle.
///
/// RETURN: the number; 0 if there is none, or nothing was opened.
///
/// NOTES: Goes by the names of files; damage shows only when a file is opened. Thread safety: as
/// for a probe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_max_pieces(handle: *const damabase) -> i32 {
    // SAFETY: as the caller promises.
    unsafe { handle::ask(handle, 0, |tables| tables.max_pieces() as i32) }
}

/// The material of the largest win/draw/loss table: kings K and men M of both sides, "KKMvK".
///
/// PARAMETERS
///   handle: a handle.
///   text, size: where to write the name; size bytes at most, its final zero included.
///
/// RETURN: the number of its pieces; 0 if there is no table (the text is then empty).
///
/// NOTES: Thread safety: as for a probe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_largest_slice(
    handle: *const damabase,
    text: *mut c_char,
    size: usize,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        let largest = handle::ask(handle, None, convert::largest_slice);
        copy_text(&largest.map_or(String::new(), |slice| slice.to_string()), text, size);
        largest.map_or(0, |slice| slice.pieces() as i32)
    }
}

/// Whether every position with some material has a value, and every move from it.
///
/// PARAMETERS
///   handle: a handle.
///   slice: the material, "KKMvK".
///
/// RETURN: 1 or 0; 0 also where slice names no material.
///
/// NOTES: As for damabase_max_pieces.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_covers(handle: *const damabase, slice: *const c_char) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        let slice: Option<Slice> = text_of(slice).ok().and_then(|text| text.parse().ok());
        handle::ask(handle, 0, |tables| slice.is_some_and(|slice| tables.covers(slice)).into())
    }
}

/// Number of tables of all kinds that were found.
///
/// PARAMETERS
///   handle: a handle.
///
/// RETURN: the number.
///
/// NOTES: Thread safety: as for a probe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_tables(handle: *const damabase) -> usize {
    // SAFETY: as the caller promises.
    unsafe { handle::ask(handle, 0, |tables| tables.tables().len()) }
}

/// Reads a position from a FEN, "W:WK29,K30,K31:BK6".
///
/// PARAMETERS
///   handle: an open handle, which knows the game.
///   fen: the text, as PDN 3.0 has it.
///   position: is filled in; left alone on failure.
///
/// RETURN: DAMABASE_OK, DAMABASE_INPUT (the error text names the column).
///
/// NOTES: Thread safety: as for a probe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_read_fen(
    handle: *const damabase,
    fen: *const c_char,
    position: *mut damabase_position,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        handle::guarded(handle, |handle| {
            let diagram = Diagram::parse(handle.variant()?, text_of(fen)?)
                .map_err(|error| Failure::Input(format!("bad FEN: {error}")))?;
            written(position, convert::position(&diagram))
        })
    }
}

/// Writes a position as a FEN.
///
/// PARAMETERS
///   handle: an open handle, which knows the game.
///   position: a position.
///   text, size: where to write; size bytes at most, the final zero included. 256 are enough.
///
/// RETURN: DAMABASE_OK, DAMABASE_INPUT.
///
/// NOTES: Thread safety: as for a probe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_write_fen(
    handle: *const damabase,
    position: *const damabase_position,
    text: *mut c_char,
    size: usize,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        handle::guarded(handle, |handle| {
            let fen = convert::diagram(position)?.fen(handle.variant()?);
            copy_text(&fen.map_err(|error| Failure::Input(error.to_string()))?, text, size);
            Ok(())
        })
    }
}

/// A set of squares without gaps, square 1 at bit 0 and square 32 or 50 at bit 31 or 49, as
/// damabase_position has it.
///
/// PARAMETERS
///   handle: an open handle, which knows the game.
///   squares: the set.
///
/// RETURN: the set with a gap after every second row; 0 if nothing was opened. Squares that the
/// board does not have are left out.
///
/// NOTES: Thread safety: as for a probe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_spread(handle: *const damabase, squares: u64) -> u64 {
    // SAFETY: as the caller promises.
    unsafe {
        handle::ask(handle, 0, |tables| Diagram::spread(tables.variant().variant().board, squares))
    }
}

/// Why the last call that failed on this handle did so.
///
/// PARAMETERS
///   handle: a handle.
///   text, size: where to write; size bytes at most, the final zero included. May be null where
///     size is 0.
///
/// RETURN: the length of the whole text in bytes, without a final zero; 0 if no call failed.
///
/// NOTES: One line in UTF-8. A missing table is named with the move that needs it and the
/// directories searched. Thread safety: as for a probe; where several threads share the handle, the
/// text is that of any of them (see damabase_clone).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn damabase_last_error(
    handle: *const damabase,
    text: *mut c_char,
    size: usize,
) -> usize {
    // SAFETY: as the caller promises.
    unsafe {
        let error = handle.as_ref().map_or(String::new(), damabase::error_text);
        copy_text(&error, text, size);
        error.len()
    }
}

/// The version of this library.
///
/// RETURN: a text that is never freed, "0.1.0".
///
/// NOTES: Thread safety: may be called at any time from any thread.
#[unsafe(no_mangle)]
pub extern "C" fn damabase_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
