//! Legal moves: the scalar move generator, one text for all variants.
//!
//! Captured pieces stay on the board, and block, until the move is over (FMJD art. 4.8, 4.11).

use smallvec::SmallVec;

use crate::{Direction, King, Position, Priority, Promotion, Rules, Square, Word};

/// A legal move, in the mover's view of the position where it is played.
///
/// Two captures that differ only in the order of victims are the same move: they lead to the
/// same position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move<W> {
    /// Where the piece stands.
    pub from: Square,
    /// Where it ends.
    pub to: Square,
    /// Whether a man becomes a king.
    pub promotes: bool,
    /// The waiter's pieces that are taken.
    pub captured: W,
}

impl<W: Word> Move<W> {
    /// Whether nothing is taken.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        self.captured.none()
    }
}

/// A list of moves that stays on the stack in all but the wildest positions.
pub type MoveList<W> = SmallVec<[Move<W>; 32]>;

/// When two captures count as two moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counting {
    /// When they differ in origin, destination or the set of victims.
    Distinct,
    /// When they also differ only in the order of victims, as many published perft figures count.
    ByPath,
}

/// All legal moves, each once. Empty where the mover has lost for want of a move.
///
/// ```
/// use damabase_rules::{International, Position, legal_moves};
/// assert_eq!(legal_moves(&Position::<International>::start()).len(), 9);
/// ```
pub fn legal_moves<G: Rules>(position: &Position<G>) -> MoveList<G::Word> {
    let mut list = MoveList::new();
    legal_moves_into(position, Counting::Distinct, &mut list);
    list
}

/// Replaces the content of `list` by the legal moves.
pub fn legal_moves_into<G: Rules>(
    position: &Position<G>,
    counting: Counting,
    list: &mut MoveList<G::Word>,
) {
    captures(position, counting, list);
    if list.is_empty() {
        quiet_moves(position, list);
    }
}

/// Replaces the content of `list` by the moves without capture, legal only where there is no
/// capture.
pub fn quiet_moves<G: Rules>(position: &Position<G>, list: &mut MoveList<G::Word>) {
    list.clear();
    let board = G::board();
    let free = position.free();
    let mut push = |from: u32, to: u32, promotes: bool| {
        list.push(Move {
            from: board.square_of(from),
            to: board.square_of(to),
            promotes,
            captured: G::Word::ZERO,
        });
    };
    for from in position.mover.men.indices() {
        for &direction in G::VARIANT.man_moves {
            let to = board.step(G::Word::bit(from), direction) & free;
            if to.any() {
                push(from, to.lowest(), (to & G::promotion_row()).any());
            }
        }
    }
    for from in position.mover.kings.indices() {
        for &direction in Direction::ALL {
            let mut to = board.step(G::Word::bit(from), direction) & free;
            while to.any() {
                push(from, to.lowest(), false);
                if G::VARIANT.king == King::Short {
                    break;
                }
                to = board.step(to, direction) & free;
            }
        }
    }
}

/// Whether the mover has a capture (and so must capture).
pub fn can_capture<G: Rules>(position: &Position<G>) -> bool {
    let board = G::board();
    let free = position.free();
    let victims = position.waiter.all();
    let hits = |attackers: G::Word, direction: Direction| {
        (board.step(board.step(attackers, direction) & victims, direction) & free).any()
    };
    if position.mover.men.any() {
        for &direction in G::VARIANT.man_captures {
            if hits(position.mover.men, direction) {
                return true;
            }
        }
    }
    if position.mover.kings.any() {
        for &direction in Direction::ALL {
            let mut reach = position.mover.kings;
            if G::VARIANT.king == King::Flying {
                let mut front = reach;
                while front.any() {
                    front = board.step(front, direction) & free;
                    reach |= front;
                }
            }
            if hits(reach, direction) {
                return true;
            }
        }
    }
    false
}

/// Replaces the content of `list` by the legal captures.
pub fn captures<G: Rules>(
    position: &Position<G>,
    counting: Counting,
    list: &mut MoveList<G::Word>,
) {
    list.clear();
    search_captures(position, &mut |capture, _| {
        let taken = capture.captured.count();
        if G::VARIANT.priority == Priority::MostPieces
            && let Some(first) = list.first()
        {
            let most = first.captured.count();
            if taken < most {
                return;
            }
            if taken > most {
                list.clear();
            }
        }
        if counting == Counting::ByPath || !list.contains(capture) {
            list.push(*capture);
        }
    });
}

/// The squares that a capturing piece touches, its origin first and its destination last: after
/// each victim the square where it turns, or the one right behind the victim where it goes
/// straight on. Of several ways to make the same capture the first found is given. `None` where
/// `capture` is no capture of this position.
pub fn capture_path<G: Rules>(
    position: &Position<G>,
    capture: &Move<G::Word>,
) -> Option<Vec<Square>> {
    let mut found = None;
    search_captures(position, &mut |leaf, path| {
        if leaf == capture && found.is_none() {
            let mut squares = path.to_vec();
            squares.push(leaf.to);
            found = Some(squares);
        }
    });
    found
}

/// Calls `leaf` with every completed capture and the squares touched before its last, whatever
/// the variant's priority says of it.
fn search_captures<G: Rules>(
    position: &Position<G>,
    leaf: &mut impl FnMut(&Move<G::Word>, &[Square]),
) {
    if !can_capture(position) {
        return;
    }
    let board = G::board();
    for from in position.mover.all().indices() {
        let origin = G::Word::bit(from);
        let mut search = CaptureSearch::<G, _> {
            free: position.free() | origin,
            victims: position.waiter.all(),
            captured: G::Word::ZERO,
            path: SmallVec::new(),
            leaf,
        };
        search.path.push(board.square_of(from));
        if (position.mover.men & origin).any() {
            search.man(origin);
        } else {
            search.king(origin, Direction::ALL, false);
        }
    }
}

/// One piece's captures, depth first.
struct CaptureSearch<'a, G: Rules, F> {
    /// Free squares; the piece's origin is one of them.
    free: G::Word,
    /// Pieces that may still be taken.
    victims: G::Word,
    /// Pieces taken so far: neither free nor victims, so they block.
    captured: G::Word,
    /// Squares touched so far, the origin first.
    path: SmallVec<[Square; 16]>,
    leaf: &'a mut F,
}

impl<G: Rules, F: FnMut(&Move<G::Word>, &[Square])> CaptureSearch<'_, G, F> {
    /// Follows all captures of a man on `at`; false if there is none.
    fn man(&mut self, at: G::Word) -> bool {
        let board = G::board();
        let mut found = false;
        for &direction in G::VARIANT.man_captures {
            let victim = board.step(at, direction) & self.victims;
            let to = board.step(victim, direction) & self.free;
            if to.none() {
                continue;
            }
            found = true;
            self.take(victim);
            let promoted = (to & G::promotion_row()).any();
            let continued = self.through(to, |search| {
                if promoted && G::VARIANT.promotion == Promotion::InPassing {
                    search.king(to, Direction::ALL, true)
                } else {
                    search.man(to)
                }
            });
            if !continued {
                self.emit(to, promoted);
            }
            self.put_back(victim);
        }
        found
    }

    /// Follows all captures of a king on `at` that begin in `directions`; false if there is none.
    /// `promoted` says that it was a man when the move began.
    fn king(&mut self, at: G::Word, directions: &[Direction], promoted: bool) -> bool {
        let mut found = false;
        for &direction in directions {
            found |= self.ray(at, direction, promoted);
        }
        found
    }

    /// Follows all captures of a king on `at` that begin in one direction; false if there is
    /// none. A capture goes on from any landing square from which it can; only if there is no
    /// such square do they all end it.
    fn ray(&mut self, at: G::Word, direction: Direction, promoted: bool) -> bool {
        let board = G::board();
        let flying = G::VARIANT.king == King::Flying;
        let mut next = board.step(at, direction);
        while flying && (next & self.free).any() {
            next = board.step(next, direction);
        }
        let victim = next & self.victims;
        let first = board.step(victim, direction) & self.free;
        if first.none() {
            return false;
        }
        self.take(victim);
        let mut landings = first;
        let mut last = first;
        if flying {
            let mut next = board.step(first, direction) & self.free;
            while next.any() {
                landings |= next;
                last = next;
                next = board.step(next, direction) & self.free;
            }
        }
        let turns: &[Direction] = match direction {
            Direction::UpLeft | Direction::DownRight => &[Direction::UpRight, Direction::DownLeft],
            Direction::UpRight | Direction::DownLeft => &[Direction::UpLeft, Direction::DownRight],
        };
        let mut continued = false;
        for landing in landings.indices() {
            let landing = G::Word::bit(landing);
            continued |= self.through(landing, |search| search.king(landing, turns, promoted));
        }
        continued |= self.through(first, |search| search.ray(last, direction, promoted));
        if !continued {
            for landing in landings.indices() {
                self.emit(G::Word::bit(landing), promoted);
            }
        }
        self.put_back(victim);
        true
    }

    /// Runs `follow` with `square` on the path.
    fn through(&mut self, square: G::Word, follow: impl FnOnce(&mut Self) -> bool) -> bool {
        self.path.push(G::board().square_of(square.lowest()));
        let found = follow(self);
        self.path.pop();
        found
    }

    fn take(&mut self, victim: G::Word) {
        self.victims &= !victim;
        self.captured |= victim;
    }

    fn put_back(&mut self, victim: G::Word) {
        self.victims |= victim;
        self.captured &= !victim;
    }

    fn emit(&mut self, to: G::Word, promotes: bool) {
        let capture = Move {
            from: self.path[0],
            to: G::board().square_of(to.lowest()),
            promotes,
            captured: self.captured,
        };
        (self.leaf)(&capture, &self.path);
    }
}
