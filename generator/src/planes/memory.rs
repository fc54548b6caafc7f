//! How much memory a slice takes.

use damabase_formats::Slice;
use damabase_formats::index::binomial;
use damabase_formats::table::Metric;
use damabase_rules::{Rules, Word};

use super::dense::Codes;
use super::sets;
use super::solver::keeps_plies;
use super::store::{Axis, Shape};
use crate::solver::Memory;

/// Planes of words that are held for each row of a sub-slice in work, free squares and both sides
/// to move; for each row in the other side's layout.
const PLANES: u64 = 19;
const TURNED_PLANES: u64 = 9;
/// Binary digits of levels, at most.
const DIGITS: u64 = 16;

/// The memory that solving a slice takes.
pub(super) fn of<G: Rules>(slice: Slice, metrics: &[Metric], threads: usize) -> Memory {
    let sides = slice.sides().len() as u64;
    let (first, second) = (slice.first(), slice.second());
    let plies = keeps_plies(metrics);
    let shape = Shape::new::<G>(first, second);
    let turned = Shape::new::<G>(second, first);
    let plane = |shape: &Shape| shape.sizes::<G>(plies).iter().sum::<u64>();
    let kept = if sides == 1 { plane(&shape) } else { plane(&shape) + plane(&turned) };

    let count = |kings: u8| sets::count::<G>(kings.into()) as u64;
    let kings = count(first.kings) * count(second.kings);
    let codes =
        |&metric: &Metric| sides * Codes::size_bytes(metric, shape.sub_slices() as u64, kings);
    let codes: u64 = metrics.iter().map(codes).sum();

    let rows = shape.rows().max(turned.rows()) as u64;
    let word = size_of::<G::Word>() as u64;
    let lanes = 2 * u64::from(G::Word::BITS);
    let mut row = word * (PLANES + TURNED_PLANES);
    if metrics.iter().any(|&metric| metric != Metric::Wld) {
        row += word * 2 * DIGITS;
    }
    if plies {
        row += word * (DIGITS + 6) + 6 * lanes + 3 * 2;
    }
    let scratch = match shape.axis {
        Axis::None => 0,
        _ => rows * row,
    };
    let at_once = if first.men + second.men == 0 { 1 } else { threads.max(1) as u64 };
    Memory { kept, working: codes + scratch * at_once + tables::<G>(slice) }
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
