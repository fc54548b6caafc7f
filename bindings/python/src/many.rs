//! Many positions at once.

use damabase_probe::{AnyTables, Diagram, ProbeError};
use damabase_rules::{Board, Pieces, Side};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::failure;

/// Bytes of a set of squares.
const SET: usize = 8;

/// Probes positions that are given as arrays of sets of squares in the machine's byte order, square
/// n at bit n - 1: White's men and kings, Black's men and kings; and an array of flags. A position
/// whose table is missing gets the default, if there is one.
pub(crate) fn probe<T: Copy>(
    tables: &dyn AnyTables,
    pieces: [&[u8]; 4],
    white_to_move: &[u8],
    default: Option<T>,
    call: impl Fn(&Diagram) -> Result<T, ProbeError>,
) -> PyResult<Vec<T>> {
    let len = white_to_move.len();
    if pieces.iter().any(|sets| sets.len() != len * SET) {
        return Err(PyValueError::new_err("arrays of different lengths"));
    }
    let board = tables.variant().variant().board;
    let mut values = Vec::with_capacity(len);
    for (n, &white) in white_to_move.iter().enumerate() {
        let sets = pieces.map(|sets| {
            let mut bytes = [0; SET];
            bytes.copy_from_slice(&sets[n * SET..][..SET]);
            u64::from_ne_bytes(bytes)
        });
        let side = if white != 0 { Side::White } else { Side::Black };
        let Some(position) = diagram(board, sets, side) else {
            let text = format!("position {n}: unsound position: a piece stands off the board");
            return Err(PyValueError::new_err(text));
        };
        values.push(match (call(&position), default) {
            (Ok(value), _) => value,
            (Err(ProbeError::Missing(_)), Some(default)) => default,
            (Err(ProbeError::Input(error)), _) => {
                let text = format!("position {n}: unsound position: {error}");
                return Err(PyValueError::new_err(text));
            }
            (Err(error), _) => return Err(failure(error, side)),
        });
    }
    Ok(values)
}

fn diagram(board: Board, sets: [u64; 4], side: Side) -> Option<Diagram> {
    if sets.iter().any(|set| set >> board.squares() != 0) {
        return None;
    }
    let [men, kings, black_men, black_kings] = sets.map(|set| Diagram::spread(board, set));
    Some(Diagram {
        white: Pieces { men, kings },
        black: Pieces { men: black_men, kings: black_kings },
        side,
    })
}
