//! One sub-slice: all men fixed, kings anywhere, both sides to move.
//!
//! All planes are in one layout: the *axis side* goes up, the bits are the squares of one of its
//! kings. The other side's moves are those of the row numbers. With `k` like kings a position is
//! held `k` times, once for each king in the role of the axis; all copies are worked out alike.

use std::sync::atomic::{AtomicBool, Ordering};

use damabase_rules::{Rules, Word};

use super::dense::Extremes;
use super::finish::distance_code;
use super::gather::Exits;
use super::levels::Levels;
use super::moves::{BLOCK, Targets, in_blocks};
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
    /// Where plies to the end are asked for: the level from which an exit that wins counts, or
    /// from which all exits that lose count.
    pub exit_levels: Levels<W>,
    /// Won so far.
    pub won: Vec<W>,
    /// Lost so far.
    pub lost: Vec<W>,
    /// The level in which each value was found, and the greatest.
    pub levels: Levels<W>,
    pub extremes: Extremes,
    /// A quiet king move leads to a position that is lost for the other side, respectively to one
    /// that is not won for it.
    reach_lost: Vec<W>,
    reach_open: Vec<W>,
    /// Whether that was worked out in this solution.
    reached: bool,
    /// Found in this step or level to be won or lost.
    found: Vec<W>,
    /// Exits decide, but they do not count yet.
    uncounted: Vec<W>,
    /// The next level in which an exit of a row begins to count; [`u16::MAX`] if there is none.
    next_level: Vec<u16>,
}

/// What the levels of a solution count, and so from which level an exit counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Distance {
    /// Plies to the next exit (dtc): all exits count from level 1.
    ToExit,
    /// Plies to the end of the game (dtw), or those that must be left on a counter (budget): an
    /// exit counts from the level that is given for it.
    ToEnd,
}

impl<W: Word> Planes<W> {
    /// Makes room for what exits give `rows` rows; its content is undefined.
    pub fn resize(&mut self, rows: usize) {
        let Planes { captures, exits, exit_won, exit_held, won, lost, .. } = self;
        for plane in [captures, exits, exit_won, exit_held, won, lost] {
            plane.resize(rows, W::ZERO);
        }
        self.exit_levels.clear();
    }

    /// Writes what the exits of one row give.
    pub fn set_exits(&mut self, row: usize, captures: W, exits: &Exits<W>) {
        self.captures[row] = captures;
        self.exits[row] = exits.any;
        self.exit_won[row] = exits.won;
        self.exit_held[row] = exits.held;
    }

    /// Makes room to work.
    fn start(&mut self) {
        let rows = self.exits.len();
        for plane in [&mut self.reach_lost, &mut self.reach_open, &mut self.found] {
            plane.resize(rows, W::ZERO);
        }
        self.reached = false;
    }

    /// Nothing is known and no exit counts.
    fn start_levels(&mut self, distance: Distance) {
        self.start();
        self.won.fill(W::ZERO);
        self.lost.fill(W::ZERO);
        self.levels.clear();
        self.extremes = Extremes::default();
        if distance == Distance::ToEnd {
            let decided =
                |row: usize| self.exits[row] & (self.exit_won[row] | !self.exit_held[row]);
            self.uncounted.clear();
            self.uncounted.extend((0..self.exits.len()).map(decided));
            self.next_level.clear();
            self.next_level.resize(self.exits.len(), 0);
        }
    }

    /// Lets the exits count that count from this level. Gives whether there are such, and whether
    /// more are to come.
    fn count_exits(&mut self, level: u16, distance: Distance) -> (bool, bool) {
        match distance {
            Distance::ToExit => {
                let any = || self.exits.iter().any(|exits| exits.any());
                (level == 1, level == 0 && any())
            }
            Distance::ToEnd => {
                let (mut counted, mut more) = (false, false);
                for row in 0..self.exits.len() {
                    if self.next_level[row] <= level {
                        self.next_level[row] = self.count_row(row, level);
                        counted = true;
                    }
                    more |= self.next_level[row] != u16::MAX;
                }
                (counted, more)
            }
        }
    }

    /// Lets exits of a row count; gives the level in which the next one will.
    fn count_row(&mut self, row: usize, level: u16) -> u16 {
        let from = self.exit_levels.row(row);
        let uncounted = &mut self.uncounted[row];
        *uncounted &= !from.digits().at_most(level.into());
        from.digits().least(*uncounted).unwrap_or(u16::MAX)
    }

    /// Takes over what counted exits and quiet moves win and lose. Gives what was new.
    fn commit(&mut self, free: &[W], exits: Counted, parallel: bool) -> Found {
        let Planes { captures, exit_won, exit_held, reach_lost, reach_open, .. } = self;
        let uncounted = match exits {
            Counted::None => Some(&self.exits),
            Counted::All => None,
            Counted::Some => Some(&self.uncounted),
        };
        let new = [const { AtomicBool::new(false) }; 4];
        let planes = [&mut self.won[..], &mut self.lost, &mut self.found];
        in_blocks(parallel, BLOCK, planes, |first, [won, lost, found]| {
            let rows = first..first + won.len();
            let [free, captures, exit_won, exit_held, reach_lost, reach_open] =
                [free, captures, exit_won, exit_held, reach_lost, reach_open]
                    .map(|p| &p[rows.clone()]);
            let uncounted = uncounted.map(|p| &p[rows.clone()]);
            let mut any = [W::ZERO; 4];
            for n in 0..won.len() {
                let quiet = free[n] & !captures[n];
                let uncounted = uncounted.map_or(W::ZERO, |plane| plane[n]);
                let exit_won = exit_won[n] & !uncounted;
                let held = exit_held[n] | uncounted;
                let new_won = (exit_won | quiet & reach_lost[n]) & !won[n];
                let new_lost = (captures[n] | quiet & !reach_open[n]) & !held & !lost[n];
                won[n] |= new_won;
                lost[n] |= new_lost;
                found[n] = new_won | new_lost;
                any[0] |= new_won & quiet;
                any[1] |= new_won;
                any[2] |= new_lost & quiet;
                any[3] |= new_lost;
            }
            for (new, any) in new.iter().zip(any) {
                if any.any() {
                    new.store(true, Ordering::Relaxed);
                }
            }
        });
        let [quiet_won, won, quiet_lost, lost] = new.map(AtomicBool::into_inner);
        Found { quiet_won, won, quiet_lost, lost }
    }

    /// Writes down in which level the values were found that have just been taken over.
    fn note(&mut self, level: u16, new: Found) {
        self.levels.note(level, &self.found);
        for (new, won, capture) in [
            (new.quiet_won, true, false),
            (new.won, true, true),
            (new.quiet_lost, false, false),
            (new.lost, false, true),
        ] {
            if new {
                self.extremes.see(distance_code(won, !won, level), capture);
            }
        }
    }
}

/// Which exits count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Counted {
    None,
    All,
    /// All but those that are uncounted.
    Some,
}

/// Whether something was found: wins and losses, of positions without capture and of any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Found {
    quiet_won: bool,
    won: bool,
    quiet_lost: bool,
    lost: bool,
}

impl Found {
    fn any(self) -> bool {
        self.won || self.lost
    }
}

/// Which side moves: the side whose king is the axis, or the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mover {
    AxisSide,
    Other,
}

const MOVERS: [Mover; 2] = [Mover::AxisSide, Mover::Other];

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
    /// Solves for win, draw and loss: steps of the one and the other side in turn, as long as what
    /// a side's moves lead to has changed since its last step.
    pub fn solve<G: Rules<Word = W>>(&mut self, companions: &Sets<G>, others: &Sets<G>) {
        for planes in [&mut self.axis_side, &mut self.other] {
            planes.start();
            planes.won.copy_from_slice(&planes.exit_won);
            for row in 0..planes.lost.len() {
                planes.lost[row] = planes.captures[row] & !planes.exit_held[row];
            }
        }
        let can_move = [true, !others.walks.is_empty()];
        let mut stale = [true; 2];
        while stale[0] || stale[1] {
            for mover in MOVERS {
                if std::mem::take(&mut stale[mover as usize]) {
                    self.reach(mover, companions, others);
                    let found = self.commit(mover, Counted::All).any();
                    stale[1 - mover as usize] |= found && can_move[1 - mover as usize];
                }
            }
        }
    }

    /// Solves level by level: each is worked out from the level before alone, so the level in
    /// which a value is found is its distance in plies. It ends with a level that finds nothing
    /// while no exit waits for a later one, or with level `top`.
    ///
    /// In level 0 a position is lost that has neither an exit nor a king move. Where the level
    /// before has found nothing for one side, the other side's moves lead to what they led to.
    pub fn solve_levels<G: Rules<Word = W>>(
        &mut self,
        companions: &Sets<G>,
        others: &Sets<G>,
        distance: Distance,
        top: u16,
    ) {
        for mover in MOVERS {
            self.planes(mover).start_levels(distance);
        }
        let can_move = [true, !others.walks.is_empty()];
        let mut stale = [true; 2];
        for level in 0..=top {
            for mover in MOVERS {
                if stale[mover as usize] {
                    self.reach(mover, companions, others);
                }
            }
            let moved = std::mem::take(&mut stale);
            let mut waits = false;
            for mover in MOVERS {
                let (counted, more) = self.planes(mover).count_exits(level, distance);
                waits |= more;
                if !counted && !moved[mover as usize] {
                    continue;
                }
                let exits = match (distance, level) {
                    (Distance::ToEnd, _) => Counted::Some,
                    (Distance::ToExit, 0) => Counted::None,
                    (Distance::ToExit, _) => Counted::All,
                };
                let found = self.commit(mover, exits);
                if found.any() {
                    self.planes(mover).note(level, found);
                    stale[1 - mover as usize] = can_move[1 - mover as usize];
                }
            }
            if !waits && stale == [false; 2] {
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

    fn commit(&mut self, mover: Mover, exits: Counted) -> Found {
        let SubSlice { free, axis_side, other, parallel } = self;
        let planes = if mover == Mover::AxisSide { axis_side } else { other };
        planes.commit(free, exits, *parallel)
    }

    /// Works out where `mover`'s quiet king moves lead, given what is known of the positions
    /// there.
    fn reach<G: Rules<Word = W>>(&mut self, mover: Mover, companions: &Sets<G>, others: &Sets<G>) {
        let SubSlice { free, axis_side, other, parallel } = self;
        let (moving, reached) = match mover {
            Mover::AxisSide => (axis_side, &*other),
            Mover::Other => (other, &*axis_side),
        };
        let mut to = Targets {
            free,
            won: &reached.won,
            lost: &reached.lost,
            changed: std::mem::replace(&mut moving.reached, true).then_some(&reached.found),
            parallel: *parallel,
        };
        let Planes { reach_lost, reach_open, .. } = moving;
        match mover {
            Mover::AxisSide => {
                // Other kings lead from row to row, on top of what the axis king reaches.
                if !companions.walks.is_empty() {
                    to.changed = None;
                }
                to.axis_king::<G>(reach_lost, reach_open);
                to.companions(companions, others.len(), reach_lost, reach_open);
            }
            Mover::Other => to.others(others, reach_lost, reach_open),
        }
    }
}
