//! The production solver: bit-plane retrograde analysis.
//!
//! Inside a slice the only moves that can be taken back are quiet king moves with all men where
//! they are. So a slice falls apart into *sub-slices*, one for each placement of all men, and
//! whatever leaves a sub-slice (an *exit*: a capture, a man move, a promotion) leads to one that
//! is solved already. For each sub-slice, both sides to move together:
//!
//! 1. [`exits`] follows all exits, a whole word of positions at once ([`captures`]), and looks up
//!    where they lead ([`store`]);
//! 2. [`sub_slice`] lets the kings move, again all positions at once, until nothing changes;
//! 3. the values go to the store, where later slices look them up, and to the [`dense`] arrays in
//!    the order of the position index, from which table files are written.
//!
//! The layout of words and rows is told in [`plane`]; [`turn`] goes from one side's view of it to
//! the other's. Nothing here is special to a variant.

mod captures;
mod chunks;
mod countdown;
mod dense;
mod exits;
mod finish;
mod gather;
mod job;
mod lanes;
mod levels;
mod lines;
#[doc(hidden)]
pub mod measure;
mod memory;
mod men;
mod moves;
mod order;
mod plane;
mod sets;
mod solver;
mod store;
mod sub_slice;
mod turn;
mod working;

pub use dense::Dense;
pub use solver::PlaneSolver;
