//! One sub-slice: all men fixed, kings anywhere, both sides to move.
//!
//! All planes are in one layout: the *axis side* goes up, the bits are the squares of one of its
//! kings. The other side's moves are those of the row numbers. With `k` like kings a position is
//! held `k` times, once for each king in the role of the axis; all copies are worked out alike.

use std::sync::atomic::{AtomicBool, Ordering};

use damabase_rules::{Direction, King, Rules, Word};
use rayon::prelude::*;

use super::chunks::Shared;
use super::gather::Exits;
use super::sets::Sets;

/// What is known of the positions of one sub-slice with one side to move.
#[derive(Clone, Debug, Default)]
pub(super) struct Planes<W> {
    /// The mover can capture: the value comes from exits alone.
    pub captures: Vec<W>,
    /// The mover has an exit (a capture, a man move or a promotion).
    pub exits: Vec<W>,
    /// An exit wins.
    pub exit_won: Vec<W>,
    /// An exit does not lose.
    pub exit_held: Vec<W>,
    /// Where plies to the end are asked for, one for each bit: the level from which an exit that
    /// wins counts, and the level from which all exits that lose count.
    pub win_level: Vec<u16>,
    pub loss_level: Vec<u16>,
    /// Won so far.
    pub won: Vec<W>,
    /// Lost so far.
    pub lost: Vec<W>,
    /// The level in which a value was found, one for each bit.
    pub plies: Vec<u16>,
    /// Found in this step to be won, respectively lost.
    new_won: Vec<W>,
    new_lost: Vec<W>,
    /// Won by an exit that counts in this level.
    counted_won: Vec<W>,
    /// There are exits that lose but do not count yet.
    waiting: Vec<W>,
    /// The next level in which an exit of a row begins to count; [`u16::MAX`] if there is none.
    next_level: Vec<u16>,
}

/// What the levels of a solution count, and so from which level an exit counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Distance {
    /// Plies to the next exit (dtc): all exits count from level 1.
    ToExit,
    /// Plies to the end of the game (dtw): an exit counts from the level that is given for it.
    ToEnd,
}

impl<W: Word> Planes<W> {
    /// Makes room for `rows` rows; their content is undefined.
    pub fn resize(&mut self, rows: usize, distance: Option<Distance>) {
        let words = [
            &mut self.captures,
            &mut self.exits,
            &mut self.exit_won,
            &mut self.exit_held,
            &mut self.won,
            &mut self.lost,
            &mut self.new_won,
            &mut self.new_lost,
        ];
        for plane in words {
            plane.resize(rows, W::ZERO);
        }
        if distance.is_some() {
            self.counted_won.resize(rows, W::ZERO);
            self.waiting.resize(rows, W::ZERO);
            self.plies.resize(rows * W::BITS as usize, 0);
        }
        if distance == Some(Distance::ToEnd) {
            self.next_level.resize(rows, u16::MAX);
            self.win_level.resize(rows * W::BITS as usize, u16::MAX);
            self.loss_level.resize(rows * W::BITS as usize, 0);
        }
    }

    /// Writes what the exits of one row give.
    pub fn set_exits(&mut self, row: usize, captures: W, exits: &Exits<W>) {
        self.captures[row] = captures;
        self.exits[row] = exits.any;
        self.exit_won[row] = exits.won;
        self.exit_held[row] = exits.held;
    }

    /// Nothing is known and no exit counts.
    fn start_levels(&mut self) {
        self.won.fill(W::ZERO);
        self.lost.fill(W::ZERO);
        self.counted_won.fill(W::ZERO);
        self.waiting.copy_from_slice(&self.exits);
        self.next_level.fill(0);
    }

    /// Lets the exits count that count from this level; true if more are to come.
    fn count_exits(&mut self, level: u16, distance: Distance) -> bool {
        match distance {
            Distance::ToExit => {
                if level == 1 {
                    self.counted_won.copy_from_slice(&self.exit_won);
                    self.waiting.fill(W::ZERO);
                }
                level == 0 && self.exits.iter().any(|exits| exits.any())
            }
            Distance::ToEnd => {
                let mut more = false;
                for row in 0..self.exits.len() {
                    if self.next_level[row] <= level {
                        self.next_level[row] = self.count_row(row, level);
                    }
                    more |= self.next_level[row] != u16::MAX;
                }
                more
            }
        }
    }

    /// Lets exits of a row count; gives the level in which the next one will.
    fn count_row(&mut self, row: usize, level: u16) -> u16 {
        let lanes = row * W::BITS as usize;
        let mut next = u16::MAX;
        for square in (self.exit_won[row] & !self.counted_won[row]).indices() {
            let from = self.win_level[lanes + square as usize];
            if from <= level {
                self.counted_won[row] |= W::bit(square);
            } else {
                next = next.min(from);
            }
        }
        for square in (self.waiting[row] & !self.exit_held[row]).indices() {
            let from = self.loss_level[lanes + square as usize];
            if from <= level {
                self.waiting[row] &= !W::bit(square);
            } else {
                next = next.min(from);
            }
        }
        next
    }

    /// Adds what counted exits win and lose to what quiet moves do.
    fn add_counted(&mut self) {
        for row in 0..self.won.len() {
            let lost = self.captures[row] & !self.exit_held[row] & !self.lost[row];
            self.new_won[row] |= self.counted_won[row] & !self.won[row];
            self.new_lost[row] = (self.new_lost[row] | lost) & !self.waiting[row];
        }
    }

    /// Takes over what was found; false if it was nothing.
    fn commit(&mut self, parallel: bool) -> bool {
        let (new_won, new_lost) = (&self.new_won, &self.new_lost);
        let found = AtomicBool::new(false);
        in_blocks(parallel, BLOCK, &mut self.won, &mut self.lost, |first, won, lost| {
            let mut any = W::ZERO;
            for (n, (won, lost)) in won.iter_mut().zip(lost).enumerate() {
                any |= new_won[first + n] | new_lost[first + n];
                *won |= new_won[first + n];
                *lost |= new_lost[first + n];
            }
            if any.any() {
                found.store(true, Ordering::Relaxed);
            }
        });
        found.into_inner()
    }

    /// Writes down in which level the values were found that are about to be taken over.
    fn record(&mut self, level: u16) {
        for row in 0..self.won.len() {
            for square in (self.new_won[row] | self.new_lost[row]).indices() {
                self.plies[row * W::BITS as usize + square as usize] = level;
            }
        }
    }
}

/// Which side moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mover {
    /// The side whose king is the axis.
    AxisSide,
    /// The other side.
    Other,
}

/// A sub-slice in the course of its solution.
#[derive(Clone, Debug, Default)]
pub(super) struct SubSlice<W> {
    /// Squares where the axis king can stand, row by row: the positions.
    pub free: Vec<W>,
    pub axis_side: Planes<W>,
    pub other: Planes<W>,
    /// Work on the rows in parallel.
    pub parallel: bool,
}

impl<W: Word> SubSlice<W> {
    /// Solves for win, draw and loss: steps of the one and the other side in turn until neither
    /// finds anything.
    pub fn solve<G: Rules<Word = W>>(&mut self, companions: &Sets<G>, others: &Sets<G>) {
        for planes in [&mut self.axis_side, &mut self.other] {
            planes.won.copy_from_slice(&planes.exit_won);
            for row in 0..planes.lost.len() {
                planes.lost[row] = planes.captures[row] & !planes.exit_held[row];
            }
        }
        let parallel = self.parallel;
        let mut idle = 0;
        let mut mover = Mover::AxisSide;
        while idle < 2 {
            self.step(mover, companions, others);
            let found = self.planes(mover).commit(parallel);
            idle = if found { 0 } else { idle + 1 };
            mover = match mover {
                Mover::AxisSide => Mover::Other,
                Mover::Other => Mover::AxisSide,
            };
        }
    }

    /// Solves level by level: each is worked out from the level before alone, so the level in
    /// which a value is found is its distance in plies. It ends with a level that finds nothing
    /// while no exit waits for a later one.
    ///
    /// In level 0 a position is lost that has neither an exit nor a king move.
    pub fn solve_levels<G: Rules<Word = W>>(
        &mut self,
        companions: &Sets<G>,
        others: &Sets<G>,
        distance: Distance,
    ) {
        let parallel = self.parallel;
        let movers = [Mover::AxisSide, Mover::Other];
        for mover in movers {
            self.planes(mover).start_levels();
        }
        for level in 0..u16::MAX {
            let mut more = false;
            for mover in movers {
                more |= self.planes(mover).count_exits(level, distance);
                self.step(mover, companions, others);
                self.planes(mover).add_counted();
            }
            for mover in movers {
                let planes = self.planes(mover);
                planes.record(level);
                more |= planes.commit(parallel);
            }
            if !more {
                return;
            }
        }
    }

    /// The axis side's planes for 0, the other's for 1.
    pub fn side(&self, side: usize) -> &Planes<W> {
        if side == 0 { &self.axis_side } else { &self.other }
    }

    fn planes(&mut self, mover: Mover) -> &mut Planes<W> {
        match mover {
            Mover::AxisSide => &mut self.axis_side,
            Mover::Other => &mut self.other,
        }
    }

    /// Finds what `mover`'s quiet king moves win and lose, given what is known of the positions
    /// they lead to.
    fn step<G: Rules<Word = W>>(&mut self, mover: Mover, companions: &Sets<G>, others: &Sets<G>) {
        let SubSlice { free, axis_side, other, parallel } = self;
        let (moving, reached) = match mover {
            Mover::AxisSide => (axis_side, &*other),
            Mover::Other => (other, &*axis_side),
        };
        let to = Targets { free, won: &reached.won, lost: &reached.lost, parallel: *parallel };
        // First the positions with a king move to one that is lost for the other side (in
        // new_won), and with a king move to one that is not won for it (in new_lost).
        let Planes { captures, exit_held, won, lost, new_won, new_lost, .. } = moving;
        match mover {
            Mover::AxisSide => {
                to.axis_king::<G>(new_won, new_lost);
                to.companions(companions, others.len(), new_won, new_lost);
            }
            Mover::Other => to.others(others, new_won, new_lost),
        }
        in_blocks(*parallel, BLOCK, new_won, new_lost, |first, new_won, new_lost| {
            for (n, (new_won, new_lost)) in new_won.iter_mut().zip(new_lost).enumerate() {
                let row = first + n;
                let quiet = free[row] & !captures[row];
                let open = *new_lost | exit_held[row];
                *new_won &= quiet & !won[row];
                *new_lost = quiet & !open & !lost[row];
            }
        });
    }
}

/// Rows that one thread works on at a time.
const BLOCK: usize = 1 << 14;

/// Calls `work` with two planes block by block, each with the number of its first row.
fn in_blocks<W: Word>(
    parallel: bool,
    block: usize,
    one: &mut [W],
    two: &mut [W],
    work: impl Fn(usize, &mut [W], &mut [W]) + Sync,
) {
    if parallel {
        let blocks = one.par_chunks_mut(block).zip(two.par_chunks_mut(block));
        blocks.enumerate().for_each(|(n, (one, two))| work(n * block, one, two));
    } else {
        let blocks = one.chunks_mut(block).zip(two.chunks_mut(block));
        blocks.enumerate().for_each(|(n, (one, two))| work(n * block, one, two));
    }
}

/// What is known of the positions that quiet king moves lead to, all rows at once.
#[derive(Clone, Copy)]
pub(super) struct Targets<'a, W> {
    pub free: &'a [W],
    pub won: &'a [W],
    pub lost: &'a [W],
    pub parallel: bool,
}

impl<W: Word> Targets<'_, W> {
    /// Moves of the axis king; overwrites what was reached.
    pub fn axis_king<G: Rules<Word = W>>(&self, reach_lost: &mut [W], reach_open: &mut [W]) {
        in_blocks(self.parallel, BLOCK, reach_lost, reach_open, |first, lost, open| {
            let rows = lost.len();
            let mut row = 0;
            while row < rows {
                // As many rows beside each other as the compiler makes vectors of.
                let n = if row + ABREAST <= rows { ABREAST } else { 1 };
                let free = &self.free[first + row..][..n];
                let to_won = &self.won[first + row..][..n];
                let to_lost = &self.lost[first + row..][..n];
                if n == ABREAST {
                    self.axis_rows::<G, ABREAST>(
                        free,
                        to_won,
                        to_lost,
                        &mut lost[row..],
                        &mut open[row..],
                    );
                } else {
                    self.axis_rows::<G, 1>(
                        free,
                        to_won,
                        to_lost,
                        &mut lost[row..],
                        &mut open[row..],
                    );
                }
                row += n;
            }
        });
    }

    /// Moves of the axis king in `N` rows.
    #[inline(always)]
    fn axis_rows<G: Rules<Word = W>, const N: usize>(
        &self,
        free: &[W],
        to_won: &[W],
        to_lost: &[W],
        reach_lost: &mut [W],
        reach_open: &mut [W],
    ) {
        let free: [W; N] = std::array::from_fn(|n| free[n]);
        let open = std::array::from_fn(|n| free[n] & !to_won[n]);
        let lost = std::array::from_fn(|n| to_lost[n]);
        reach_lost[..N].copy_from_slice(&back_from::<G, N>(lost, free));
        reach_open[..N].copy_from_slice(&back_from::<G, N>(open, free));
    }

    /// Moves of the other kings of the axis side: walks from row to row, all sets of the other
    /// side's kings beside each other.
    fn companions<G: Rules<Word = W>>(
        &self,
        companions: &Sets<G>,
        others: usize,
        reach_lost: &mut [W],
        reach_open: &mut [W],
    ) {
        if companions.walks.is_empty() {
            return;
        }
        let reach = [Shared::new(reach_lost), Shared::new(reach_open)];
        let work = |first: usize| {
            let columns = COLUMNS.min(others - first);
            let mut carry = [(W::ZERO, W::ZERO); COLUMNS];
            companions.each_walk_both_ways(|set| match set {
                None => carry[..columns].fill((W::ZERO, W::ZERO)),
                Some(set) => {
                    let row = set * others + first;
                    // SAFETY: of each row these columns are nobody else's.
                    let [lost, open] = unsafe { reach.each_ref().map(|r| r.range(row, columns)) };
                    self.pass::<G>(row, &mut carry[..columns], lost, open);
                }
            });
        };
        let firsts = (0..others).step_by(COLUMNS);
        if self.parallel {
            firsts.collect::<Vec<_>>().into_par_iter().for_each(work);
        } else {
            firsts.for_each(work);
        }
    }

    /// Moves of the other side's kings; overwrites what was reached.
    fn others<G: Rules<Word = W>>(
        &self,
        others: &Sets<G>,
        reach_lost: &mut [W],
        reach_open: &mut [W],
    ) {
        in_blocks(self.parallel, others.len(), reach_lost, reach_open, |first, lost, open| {
            lost.fill(W::ZERO);
            open.fill(W::ZERO);
            let mut carry = [(W::ZERO, W::ZERO)];
            others.each_walk_both_ways(|set| match set {
                None => carry = [(W::ZERO, W::ZERO)],
                Some(set) => self.pass::<G>(
                    first + set,
                    &mut carry,
                    &mut lost[set..set + 1],
                    &mut open[set..set + 1],
                ),
            });
        });
    }

    /// One step of a walk over neighbouring rows from `first`: `carry` holds what the squares
    /// passed so far offer to a king that stands here, and takes along what this square offers.
    #[inline(always)]
    pub fn pass<G: Rules<Word = W>>(
        &self,
        first: usize,
        carry: &mut [(W, W)],
        reach_lost: &mut [W],
        reach_open: &mut [W],
    ) {
        let rows = first..first + carry.len();
        let (free, to_won, to_lost) =
            (&self.free[rows.clone()], &self.won[rows.clone()], &self.lost[rows]);
        for (n, carry) in carry.iter_mut().enumerate() {
            let (lost, open) = *carry;
            let here = free[n];
            reach_lost[n] |= lost & here;
            reach_open[n] |= open & here;
            *carry = match G::VARIANT.king {
                King::Flying => ((lost | to_lost[n]) & here, (open | !to_won[n]) & here),
                King::Short => (to_lost[n] & here, !to_won[n] & here),
            };
        }
    }
}

/// Neighbouring sets of the other side's kings that are walked beside each other.
const COLUMNS: usize = 512;

/// Rows in which the axis king moves at once.
const ABREAST: usize = 4;

/// For each row the squares from which a king can move to a square of `targets` through `free`
/// squares.
#[inline(always)]
fn back_from<G: Rules, const N: usize>(targets: [G::Word; N], free: [G::Word; N]) -> [G::Word; N] {
    let board = G::board();
    let mut reach = [G::Word::ZERO; N];
    for &direction in Direction::ALL {
        let mut front = targets;
        loop {
            let mut any = G::Word::ZERO;
            for n in 0..N {
                front[n] = board.step(front[n], direction) & free[n];
                reach[n] |= front[n];
                any |= front[n];
            }
            if G::VARIANT.king == King::Short || any.none() {
                break;
            }
        }
    }
    reach
}
