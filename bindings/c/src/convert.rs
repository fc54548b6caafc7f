//! Between the types of C and those of Rust.

use std::ffi::{CStr, c_char};
use std::path::PathBuf;

use damabase_formats::{Distance, Metric, Slice, Wld};
use damabase_probe::{AnyTables, Counted, Diagram, DiagramMove, Value};
use damabase_rules::{Pieces, Side};

use crate::handle::Failure;
use crate::{
    DAMABASE_BLACK, DAMABASE_DRAW, DAMABASE_LOSS, DAMABASE_MOVE_TEXT, DAMABASE_NEVER,
    DAMABASE_NO_COUNTER, DAMABASE_NO_PLIES, DAMABASE_UNKNOWN, DAMABASE_WHITE, DAMABASE_WIN,
    damabase_counted, damabase_move, damabase_position, damabase_value,
};

pub(crate) fn wld(wld: Wld) -> i32 {
    match wld {
        Wld::Loss => DAMABASE_LOSS,
        Wld::Draw => DAMABASE_DRAW,
        Wld::Win => DAMABASE_WIN,
    }
}

pub(crate) fn plies(distance: Option<Distance>) -> i32 {
    distance.and_then(|distance| distance.plies()).map_or(DAMABASE_NO_PLIES, i32::from)
}

pub(crate) fn value(value: Value) -> damabase_value {
    damabase_value { wld: wld(value.wld), dtw: plies(value.dtw), dtc: plies(value.dtc) }
}

pub(crate) fn counted(counted: &Counted) -> damabase_counted {
    let number = |plies: Option<u32>| {
        plies.and_then(|plies| i32::try_from(plies).ok()).unwrap_or(DAMABASE_NO_PLIES)
    };
    let result = counted.standing.map(|standing| standing.result());
    damabase_counted {
        wld: result.map_or(DAMABASE_UNKNOWN, wld),
        in_theory: wld(counted.in_theory),
        budget: match counted.budget {
            Some(Distance::Draw) if counted.in_theory != Wld::Draw => DAMABASE_NEVER,
            budget => plies(budget),
        },
        left: number(counted.left.and_then(|left| left.plies)),
        decided_by: counted
            .left
            .and_then(|left| left.decided_by)
            .and_then(|place| i32::try_from(place).ok())
            .unwrap_or(DAMABASE_NO_COUNTER),
        to_spare: match result {
            Some(Wld::Win | Wld::Loss) => number(counted.to_spare),
            _ => DAMABASE_NO_PLIES,
        },
    }
}

/// The position that a caller points to.
///
/// # Safety
/// The pointer points to a position, or is null.
pub(crate) unsafe fn diagram(position: *const damabase_position) -> Result<Diagram, Failure> {
    // SAFETY: as the caller promises.
    let Some(position) = (unsafe { position.as_ref() }) else {
        return Err(Failure::Input("an argument is null".to_string()));
    };
    let side = match position.side {
        DAMABASE_WHITE => Side::White,
        DAMABASE_BLACK => Side::Black,
        other => return Err(Failure::Input(format!("{other} is no side to move"))),
    };
    Ok(Diagram {
        white: Pieces { men: position.white_men, kings: position.white_kings },
        black: Pieces { men: position.black_men, kings: position.black_kings },
        side,
    })
}

pub(crate) fn position(diagram: &Diagram) -> damabase_position {
    damabase_position {
        white_men: diagram.white.men,
        white_kings: diagram.white.kings,
        black_men: diagram.black.men,
        black_kings: diagram.black.kings,
        side: match diagram.side {
            Side::White => DAMABASE_WHITE,
            Side::Black => DAMABASE_BLACK,
        },
    }
}

pub(crate) fn action(action: &DiagramMove) -> damabase_move {
    let mut text = [0; DAMABASE_MOVE_TEXT];
    // No move of a board with 50 squares is longer; the last byte stays 0 all the same.
    for (to, byte) in text[..DAMABASE_MOVE_TEXT - 1].iter_mut().zip(action.text.bytes()) {
        *to = byte as c_char;
    }
    damabase_move {
        text,
        from: i32::from(action.from.0) + 1,
        to: i32::from(action.to.0) + 1,
        promotes: action.promotes.into(),
        captured: action.captured,
        value: value(action.value),
        after: position(&action.after),
    }
}

pub(crate) fn largest_slice(tables: &dyn AnyTables) -> Option<Slice> {
    let wld = tables.tables().into_iter().filter(|&(_, metric)| metric == Metric::Wld);
    wld.map(|(slice, _)| slice).max()
}

/// A path given by the caller.
///
/// # Safety
/// It ends with a zero, or is null.
pub(crate) unsafe fn path(path: *const c_char) -> Result<PathBuf, Failure> {
    if path.is_null() {
        return Err(Failure::Input("an argument is null".to_string()));
    }
    // SAFETY: as the caller promises.
    let path = unsafe { CStr::from_ptr(path) };
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        Ok(std::ffi::OsStr::from_bytes(path.to_bytes()).into())
    }
    #[cfg(not(unix))]
    {
        let text = path.to_str();
        Ok(text.map_err(|_| Failure::Input("a path is not in UTF-8".to_string()))?.into())
    }
}
