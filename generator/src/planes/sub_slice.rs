//! One sub-slice: all men fixed, kings anywhere, both sides to move.
//!
//! All planes are in one layout: the *axis side* goes up, the bits are the squares of one of its
//! kings. The other side's moves are those of the row numbers. With `k` like kings a position is
//! held `k` times, once for each king in the role of the axis; all copies are worked out alike.

use damabase_rules::{Direction, King, Rules, Word};

use super::captures::Exits;
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
    /// Won so far.
    pub won: Vec<W>,
    /// Lost so far.
    pub lost: Vec<W>,
    /// Found in this step to be won, respectively lost.
    new_won: Vec<W>,
    new_lost: Vec<W>,
}

impl<W: Word> Planes<W> {
    /// Makes room for `rows` rows; their content is undefined.
    pub fn resize(&mut self, rows: usize) {
        for plane in [
            &mut self.captures,
            &mut self.exits,
            &mut self.exit_won,
            &mut self.exit_held,
            &mut self.won,
            &mut self.lost,
            &mut self.new_won,
            &mut self.new_lost,
        ] {
            plane.resize(rows, W::ZERO);
        }
    }

    /// Writes what the exits of one row give.
    pub fn set_exits(&mut self, row: usize, captures: W, exits: &Exits<W>) {
        self.captures[row] = captures;
        self.exits[row] = exits.any;
        self.exit_won[row] = exits.won;
        self.exit_held[row] = exits.held;
    }

    /// Takes over what was found and forgets it; false if it was nothing.
    fn commit(&mut self) -> bool {
        let mut any = W::ZERO;
        let rows = self.won.iter_mut().zip(&mut self.lost);
        for ((won, lost), (new_won, new_lost)) in rows.zip(self.new_won.iter().zip(&self.new_lost))
        {
            any |= *new_won | *new_lost;
            *won |= *new_won;
            *lost |= *new_lost;
        }
        any.any()
    }
}

/// Which side moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mover {
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
    carry: Vec<(W, W)>,
}

/// A level of the solution and what became known in it.
pub(super) struct Level<'a, W> {
    /// Plies.
    pub number: u16,
    pub mover: Mover,
    pub won: &'a [W],
    pub lost: &'a [W],
}

impl<W: Word> SubSlice<W> {
    /// Makes room for `rows` rows.
    pub fn resize(&mut self, rows: usize) {
        self.free.resize(rows, W::ZERO);
        self.axis_side.resize(rows);
        self.other.resize(rows);
    }

    /// Solves for win, draw and loss: steps of the one and the other side in turn until neither
    /// finds anything.
    pub fn solve<G: Rules<Word = W>>(&mut self, companions: &Sets<G>, others: &Sets<G>) {
        for planes in [&mut self.axis_side, &mut self.other] {
            planes.won.copy_from_slice(&planes.exit_won);
            for row in 0..planes.lost.len() {
                planes.lost[row] = planes.captures[row] & !planes.exit_held[row];
            }
        }
        let mut idle = 0;
        let mut mover = Mover::AxisSide;
        while idle < 2 {
            self.step(mover, companions, others);
            let found = self.planes(mover).commit();
            idle = if found { 0 } else { idle + 1 };
            mover = match mover {
                Mover::AxisSide => Mover::Other,
                Mover::Other => Mover::AxisSide,
            };
        }
    }

    /// Solves level by level for the number of plies to the next capture or man move (dtc):
    /// each level is worked out from the level before alone, so the level in which a value is
    /// found is its distance. Calls `found` with what each level brings.
    pub fn solve_levels<G: Rules<Word = W>>(
        &mut self,
        companions: &Sets<G>,
        others: &Sets<G>,
        mut found: impl FnMut(Level<'_, W>),
    ) {
        for planes in [&mut self.axis_side, &mut self.other] {
            planes.won.fill(W::ZERO);
            planes.lost.fill(W::ZERO);
        }
        let movers = [Mover::AxisSide, Mover::Other];
        for number in 0.. {
            for mover in movers {
                self.step(mover, companions, others);
                let planes = self.planes(mover);
                for row in 0..planes.won.len() {
                    if number == 0 {
                        // Lost at once: no exit and, since nothing is won yet, no quiet move.
                        planes.new_won[row] = W::ZERO;
                        planes.new_lost[row] &= !planes.exits[row];
                    } else {
                        let lost = planes.captures[row] & !planes.exit_held[row];
                        planes.new_won[row] |= planes.exit_won[row] & !planes.won[row];
                        planes.new_lost[row] |= lost & !planes.lost[row];
                    }
                }
            }
            let mut any = false;
            for mover in movers {
                let planes = self.planes(mover);
                found(Level { number, mover, won: &planes.new_won, lost: &planes.new_lost });
                any |= planes.commit();
            }
            if number > 0 && !any {
                return;
            }
        }
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
        let SubSlice { free, axis_side, other, carry } = self;
        let (moving, reached) = match mover {
            Mover::AxisSide => (axis_side, &*other),
            Mover::Other => (other, &*axis_side),
        };
        // First the positions with a king move to one that is lost for the other side (in
        // new_won), and with a king move to one that is not won for it (in new_lost).
        let mut board = KingMoves {
            free,
            to_won: &reached.won,
            to_lost: &reached.lost,
            reach_lost: &mut moving.new_won,
            reach_open: &mut moving.new_lost,
        };
        match mover {
            Mover::AxisSide => {
                board.axis_king::<G>();
                board.companions(companions, others.len(), carry);
            }
            Mover::Other => {
                board.reach_lost.fill(W::ZERO);
                board.reach_open.fill(W::ZERO);
                board.others(others);
            }
        }
        for row in 0..free.len() {
            let quiet = free[row] & !moving.captures[row];
            let open = moving.new_lost[row] | moving.exit_held[row];
            moving.new_won[row] &= quiet & !moving.won[row];
            moving.new_lost[row] = quiet & !open & !moving.lost[row];
        }
    }
}

/// Quiet king moves of one side, all rows at once.
struct KingMoves<'a, W> {
    free: &'a [W],
    to_won: &'a [W],
    to_lost: &'a [W],
    reach_lost: &'a mut [W],
    reach_open: &'a mut [W],
}

impl<W: Word> KingMoves<'_, W> {
    /// Moves of the axis king; overwrites what was reached.
    fn axis_king<G: Rules<Word = W>>(&mut self) {
        for row in 0..self.free.len() {
            let free = self.free[row];
            let (lost, open) = (self.to_lost[row], free & !self.to_won[row]);
            self.reach_lost[row] = back_from::<G>(lost, free);
            self.reach_open[row] = back_from::<G>(open, free);
        }
    }

    /// Moves of the other kings of the axis side.
    fn companions<G: Rules<Word = W>>(
        &mut self,
        companions: &Sets<G>,
        others: usize,
        carry: &mut Vec<(W, W)>,
    ) {
        carry.resize(others, (W::ZERO, W::ZERO));
        for walk in companions.each_walk() {
            carry.fill((W::ZERO, W::ZERO));
            for &set in walk {
                self.pass::<G>(set as usize * others, carry);
            }
            carry.fill((W::ZERO, W::ZERO));
            for &set in walk.iter().rev() {
                self.pass::<G>(set as usize * others, carry);
            }
        }
    }

    /// Moves of the other side's kings.
    fn others<G: Rules<Word = W>>(&mut self, others: &Sets<G>) {
        if others.walks.is_empty() {
            return;
        }
        for base in (0..self.free.len()).step_by(others.len()) {
            for walk in others.each_walk() {
                let mut carry = [(W::ZERO, W::ZERO)];
                for &set in walk {
                    self.pass::<G>(base + set as usize, &mut carry);
                }
                carry = [(W::ZERO, W::ZERO)];
                for &set in walk.iter().rev() {
                    self.pass::<G>(base + set as usize, &mut carry);
                }
            }
        }
    }

    /// One step of a walk over neighbouring rows from `first`: `carry` holds what the squares
    /// passed so far offer to a king that stands here, and takes along what this square offers.
    #[inline]
    fn pass<G: Rules<Word = W>>(&mut self, first: usize, carry: &mut [(W, W)]) {
        let rows = first..first + carry.len();
        let free = &self.free[rows.clone()];
        let to_won = &self.to_won[rows.clone()];
        let to_lost = &self.to_lost[rows.clone()];
        let reach_lost = &mut self.reach_lost[rows.clone()];
        let reach_open = &mut self.reach_open[rows];
        for n in 0..carry.len() {
            let (lost, open) = carry[n];
            reach_lost[n] |= lost & free[n];
            reach_open[n] |= open & free[n];
            let here = free[n];
            carry[n] = match G::VARIANT.king {
                King::Flying => ((lost | to_lost[n]) & here, (open | !to_won[n]) & here),
                King::Short => (to_lost[n] & here, !to_won[n] & here),
            };
        }
    }
}

/// The squares from which a king can move to a square of `targets` through `free` squares.
#[inline]
fn back_from<G: Rules>(targets: G::Word, free: G::Word) -> G::Word {
    let board = G::board();
    let mut reach = G::Word::ZERO;
    for &direction in Direction::ALL {
        let mut front = targets;
        match G::VARIANT.king {
            King::Short => reach |= board.step(front, direction),
            King::Flying => {
                while front.any() {
                    front = board.step(front, direction) & free;
                    reach |= front;
                }
            }
        }
    }
    reach & free
}
