//! Captures of a whole word of positions at once.
//!
//! The same search as the scalar one in `damabase_rules`, except that one king, the axis, stands
//! on *every* free square at once, and each branch carries the set of axis squares for which it
//! exists. The axis king is
//!
//! - *absent*, when it makes the capture itself: all its squares from which it strikes the same
//!   first victim from the same side go the same way;
//! - a *blocker*, when it belongs to the mover and another piece captures;
//! - a *target*, when it belongs to the waiter: a blocker, or a victim. Once it is a victim its
//!   square is known, and the branch goes on with one position.

use damabase_rules::{Direction, King, Pieces, Priority, Promotion, Rules, Word};

use super::gather::{Gather, Groups};
use super::lines::Lines;
use super::plane::Axis;
use super::store::{Asked, Store};

/// Everything but the axis king, seen by the mover.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<W> {
    pub mover: Pieces<W>,
    pub waiter: Pieces<W>,
    /// Squares without a piece.
    pub free: W,
}

impl<W: Word> Row<W> {
    /// Squares where the axis king can stand. Where there is no axis, one bit off the board stands
    /// for the one position there is.
    #[inline]
    pub fn axis_squares<G: Rules<Word = W>>(&self, axis: Axis) -> W {
        match axis {
            Axis::Own | Axis::Opponent => self.free,
            Axis::None => W::bit(G::board().bits()),
        }
    }
}

/// Where the axis king is while another piece moves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AxisKing {
    Absent,
    Blocker,
    Target,
    /// Captured in this branch, so that its square is no longer free; or there is none.
    Gone,
}

struct Search<'a, G: Rules, E> {
    store: &'a Store<G>,
    row: &'a Row<G::Word>,
    /// Squares without a piece other than the axis king; the moving piece's origin is one.
    free: G::Word,
    /// The waiter's pieces that may still be taken, the axis king apart.
    victims: G::Word,
    captured: G::Word,
    taken: usize,
    axis: AxisKing,
    /// Mover's pieces without the one that captures.
    rest: Pieces<G::Word>,
    /// By number of pieces taken (all under 0 where the choice is free).
    found: &'a mut Groups<E>,
}

/// The captures of all positions of a row; [`Axis::Own`] is the mover. `found` is room to work
/// in.
pub(super) fn captures<'a, G: Rules, E: Gather<G>>(
    store: &Store<G>,
    row: &Row<G::Word>,
    axis: Axis,
    found: &'a mut Groups<E>,
) -> &'a mut E {
    found.clear();
    let mut search = Search {
        store,
        row,
        free: row.free,
        victims: row.waiter.all(),
        captured: G::Word::ZERO,
        taken: 0,
        axis: match axis {
            Axis::Own => AxisKing::Absent,
            Axis::Opponent => AxisKing::Target,
            Axis::None => AxisKing::Gone,
        },
        rest: row.mover,
        found,
    };
    if axis == Axis::Own {
        search.axis_king();
        search.axis = AxisKing::Blocker;
    }
    let squares = row.axis_squares::<G>(axis);
    for from in row.mover.all().indices() {
        let from = G::Word::bit(from);
        search.free = row.free | from;
        search.rest = Pieces { men: row.mover.men & !from, kings: row.mover.kings & !from };
        if (row.mover.men & from).any() {
            search.man(from, squares);
        } else {
            search.rays(from, Direction::ALL, squares);
        }
    }
    found.best::<G>()
}

impl<G: Rules, E: Gather<G>> Search<'_, G, E> {
    /// Captures that the axis king makes.
    fn axis_king(&mut self) {
        let board = G::board();
        for victim in self.victims.indices() {
            let victim = G::Word::bit(victim);
            for &direction in Direction::ALL {
                let first = board.step(victim, direction) & self.free;
                if first.none() {
                    continue;
                }
                // All squares from which it strikes this victim from this side.
                let mut from = G::Word::ZERO;
                let mut next = board.step(victim, direction.opposite()) & self.free;
                while next.any() {
                    from |= next;
                    if G::VARIANT.king == King::Short {
                        break;
                    }
                    next = board.step(next, direction.opposite()) & self.free;
                }
                if from.any() {
                    self.jump(victim, first, direction, from);
                }
            }
        }
    }

    /// Whether the axis king can be in the way.
    #[inline]
    fn blocks(&self) -> bool {
        matches!(self.axis, AxisKing::Blocker | AxisKing::Target)
    }

    /// The pieces that can be victims: with axis squares of `mask`, where the axis king can be one.
    #[inline]
    fn prey(&self, mask: G::Word) -> G::Word {
        if self.axis == AxisKing::Target { self.victims | mask } else { self.victims }
    }

    /// The axis squares of `mask` that leave `square` free.
    #[inline]
    fn around(&self, mask: G::Word, square: G::Word) -> G::Word {
        if self.blocks() { mask & !square } else { mask }
    }

    /// Follows all captures of a man on `at`; gives the axis squares for which there is one.
    fn man(&mut self, at: G::Word, mask: G::Word) -> G::Word {
        let board = G::board();
        let mut found = G::Word::ZERO;
        if (Lines::<G>::man(at) & self.prey(mask)).none() {
            return found;
        }
        for &direction in G::VARIANT.man_captures {
            let victim = board.step(at, direction);
            let to = board.step(victim, direction) & self.free;
            if to.none() {
                continue;
            }
            if (victim & self.victims).any() {
                let mask = self.around(mask, to);
                if mask.any() {
                    found |= mask;
                    self.take(victim);
                    self.man_lands(to, mask);
                    self.put_back(victim);
                }
            } else if self.axis == AxisKing::Target && (victim & mask & self.free).any() {
                found |= victim;
                self.take_axis(victim);
                self.man_lands(to, victim);
                self.put_back_axis(victim);
            }
        }
        found
    }

    fn man_lands(&mut self, to: G::Word, mask: G::Word) {
        let promotes = (to & G::promotion_row()).any();
        let continued = if promotes && G::VARIANT.promotion == Promotion::InPassing {
            self.rays(to, Direction::ALL, mask)
        } else {
            self.man(to, mask)
        };
        let ends = mask & !continued;
        if ends.any() {
            let mut own = self.rest;
            if promotes {
                own.kings |= to;
            } else {
                own.men |= to;
            }
            self.leaf(own, ends);
        }
    }

    /// Follows all captures of a king on `at` that begin in `directions`; gives the axis squares
    /// for which there is one.
    fn rays(&mut self, at: G::Word, directions: &[Direction], mask: G::Word) -> G::Word {
        let mut found = G::Word::ZERO;
        for &direction in directions {
            found |= self.ray(at, direction, mask);
        }
        found
    }

    fn ray(&mut self, at: G::Word, direction: Direction, mut mask: G::Word) -> G::Word {
        let board = G::board();
        let mut found = G::Word::ZERO;
        if (Lines::<G>::king(at, direction) & self.prey(mask)).none() {
            return found;
        }
        let mut next = board.step(at, direction);
        while (next & self.free).any() {
            if self.blocks() {
                if self.axis == AxisKing::Target && (next & mask).any() {
                    let first = board.step(next, direction) & self.free;
                    if first.any() {
                        found |= next;
                        self.take_axis(next);
                        self.jump_on(first, direction, next);
                        self.put_back_axis(next);
                    }
                }
                mask &= !next;
            }
            if G::VARIANT.king == King::Short {
                return found;
            }
            next = board.step(next, direction);
        }
        let victim = next & self.victims;
        let first = board.step(victim, direction) & self.free;
        let mask = self.around(mask, first);
        if first.any() && mask.any() {
            found |= mask;
            self.jump(victim, first, direction, mask);
        }
        found
    }

    /// A king jumps over a victim that is not the axis king and lands on `first` or beyond.
    fn jump(&mut self, victim: G::Word, first: G::Word, direction: Direction, mask: G::Word) {
        self.take(victim);
        self.jump_on(first, direction, mask);
        self.put_back(victim);
    }

    fn jump_on(&mut self, first: G::Word, direction: Direction, mask: G::Word) {
        let board = G::board();
        let turns: &[Direction] = match direction {
            Direction::UpLeft | Direction::DownRight => &[Direction::UpRight, Direction::DownLeft],
            Direction::UpRight | Direction::DownLeft => &[Direction::UpLeft, Direction::DownRight],
        };
        let mut continued = self.ray(first, direction, mask);
        let (mut landing, mut open) = (first, mask);
        while landing.any() && open.any() {
            continued |= self.rays(landing, turns, open);
            if G::VARIANT.king == King::Short {
                break;
            }
            landing = board.step(landing, direction) & self.free;
            open = self.around(open, landing);
        }
        let (mut landing, mut open) = (first, mask & !continued);
        if open.none() {
            return;
        }
        if self.axis == AxisKing::Absent {
            let mut landings = landing;
            while G::VARIANT.king == King::Flying && landing.any() {
                landing = board.step(landing, direction) & self.free;
                landings |= landing;
            }
            self.axis_leaf(landings, open);
            return;
        }
        while landing.any() && open.any() {
            let own = Pieces { men: self.rest.men, kings: self.rest.kings | landing };
            self.leaf(own, open);
            if G::VARIANT.king == King::Short {
                break;
            }
            landing = board.step(landing, direction) & self.free;
            open = self.around(open, landing);
        }
    }

    /// The end of captures by another piece than the axis king, for the axis squares of `mask`.
    fn leaf(&mut self, own: Pieces<G::Word>, mask: G::Word) {
        let asked = match self.axis {
            AxisKing::Blocker => Asked::Own,
            AxisKing::Target => Asked::Opponent,
            AxisKing::Gone | AxisKing::Absent => Asked::Gone,
        };
        let (store, left) = (self.store, self.left());
        self.record().add(store, mask, own, left, asked);
    }

    /// The end of captures by the axis king on any of `landings`, from all squares of `mask`.
    fn axis_leaf(&mut self, landings: G::Word, mask: G::Word) {
        let (store, own, left) = (self.store, self.row.mover, self.left());
        self.record().add_best(store, mask, landings, own, left);
    }

    fn record(&mut self) -> &mut E {
        let group = if G::VARIANT.priority == Priority::MostPieces { self.taken } else { 0 };
        self.found.group(group)
    }

    /// The waiter's pieces that are left, the axis king apart.
    fn left(&self) -> Pieces<G::Word> {
        Pieces {
            men: self.row.waiter.men & !self.captured,
            kings: self.row.waiter.kings & !self.captured,
        }
    }

    fn take(&mut self, victim: G::Word) {
        self.victims &= !victim;
        self.captured |= victim;
        self.taken += 1;
    }

    fn put_back(&mut self, victim: G::Word) {
        self.victims |= victim;
        self.captured &= !victim;
        self.taken -= 1;
    }

    fn take_axis(&mut self, square: G::Word) {
        self.axis = AxisKing::Gone;
        self.free &= !square;
        self.taken += 1;
    }

    fn put_back_axis(&mut self, square: G::Word) {
        self.axis = AxisKing::Target;
        self.free |= square;
        self.taken -= 1;
    }
}
