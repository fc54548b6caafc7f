//! How much memory a slice takes.

use damabase_formats::Slice;
use damabase_formats::index::binomial;
use damabase_formats::table::Metric;
use damabase_rules::Rules;

use super::dense::Codes;
use super::lanes::MAX_DIGITS;
use super::plane::{Axis, Shape};
use super::sets;
use super::solver::axis_and_other;
use crate::solver::Memory;

/// Planes of words that are held for each row of a sub-slice in work: free squares, and for both
/// sides to move those of exits, of values and of moves.
const PLANES: usize = 1 + 2 * (4 + 2 + 3);
/// The same in the other side's layout: exits and values.
const TURNED_PLANES: usize = 4 + 2;

/// The memory that solving a slice takes where plies that are kept have so many binary digits (0
/// if none are kept).
pub(super) fn of<G: Rules>(
    slice: Slice,
    metrics: &[Metric],
    digits: usize,
    threads: usize,
) -> Memory {
    let sides = slice.sides().len() as u64;
    let (axis, other) = axis_and_other(slice);
    let shape = Shape::new::<G>(axis, other);
    let turned = Shape::new::<G>(other, axis);
    let plane = |shape: &Shape| shape.sizes::<G>(digits).iter().sum::<u64>();
    let kept = if sides == 1 { plane(&shape) } else { plane(&shape) + plane(&turned) };

    let count = |kings: u8| sets::count::<G>(kings.into()) as u64;
    let kings = count(axis.kings) * count(other.kings);
    let codes = |&metric: &Metric| {
        let digits = match metric {
            Metric::Wld => 2,
            // Twice the plies and one.
            Metric::Budget => digits + 1,
            _ => MAX_DIGITS,
        };
        sides * Codes::size_bytes(digits, shape.sub_slices() as u64, kings)
    };
    let codes: u64 = metrics.iter().map(codes).sum();

    // Levels in which values are found.
    let levels = metrics.iter().map(|&metric| match metric {
        Metric::Wld => 0,
        Metric::Dtc => MAX_DIGITS,
        _ => digits,
    });
    let mut words = PLANES + 2 * levels.max().unwrap_or(0);
    if digits > 0 {
        // Levels of exits, which of them do not count, and the next level in which some will.
        words += 2 * (digits + 1) + 1;
    }
    let word = size_of::<G::Word>();
    let scratch = match shape.axis {
        Axis::None => 0,
        _ => (shape.rows() * words + turned.rows() * (TURNED_PLANES + digits)) * word,
    };
    let at_once = if axis.men + other.men == 0 { 1 } else { threads.max(1) as u64 };
    Memory { kept, working: codes + scratch as u64 * at_once + tables::<G>(slice) }
}

/// Tables of king sets.
fn tables<G: Rules>(slice: Slice) -> u64 {
    let squares = G::board().squares();
    let most = slice.first().kings.max(slice.second().kings);
    (1..=u32::from(most))
        .map(|kings| {
            let set = size_of::<G::Word>() as u64 + 4 + 2 * 12;
            // Each set without one king, and both diagonals of every square for that one.
            binomial(squares, kings) * set
                + binomial(squares, kings - 1) * 2 * u64::from(squares) * 2 * 4
        })
        .sum()
}
