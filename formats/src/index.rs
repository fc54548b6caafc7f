//! The position index: positions of a slice with a given side to move, numbered.
//!
//! A position is written as four sets of squares, each ranked as a combination (colexicographic:
//! the set {a < b < c} has rank C(a,1) + C(b,2) + C(c,3)), and the four ranks as digits of one
//! number, the most significant first: the mover's men, the waiter's men, the waiter's kings, the
//! mover's kings. So positions that differ only in the mover's kings are neighbours.
//!
//! - Men are counted over the squares where they can stand: the mover's over all but row 0, in
//!   the order of squares; the waiter's over all but the last row, in the order of squares of the
//!   turned board. A slice and its twin with the other side to move then see the same numbers.
//! - Kings are counted over all squares in *main-road order*: the long diagonal from bottom left
//!   to top right first, then the diagonals beside it outwards. A king's diagonal is then mostly
//!   a run of neighbours, which halves the number of runs in the table.
//!
//! Numbers where two pieces would share a square are *holes*: [`Index::unrank`] gives none.

use std::marker::PhantomData;

use damabase_rules::{Board, Pieces, Position, Rules, Square, Word};
use smallvec::SmallVec;

use crate::slice::{MAX_PIECES, Material, Slice, ToMove};

/// Binomial coefficients C(n, k) for all squares n and pieces k; saturating.
const BINOMIALS: [[u64; MAX_PIECES as usize + 1]; 129] = {
    let mut table = [[0u64; MAX_PIECES as usize + 1]; 129];
    let mut n = 0;
    while n < table.len() {
        table[n][0] = 1;
        let mut k = 1;
        while n > 0 && k < table[n].len() {
            table[n][k] = table[n - 1][k - 1].saturating_add(table[n - 1][k]);
            k += 1;
        }
        n += 1;
    }
    table
};

/// The number of ways to choose `k` of `n` squares.
///
/// # Panics
/// Where n is over 128 or k over [`MAX_PIECES`].
#[inline]
pub const fn binomial(n: u32, k: u32) -> u64 {
    BINOMIALS[n as usize][k as usize]
}

/// Squares in an order of their own, for sets to be ranked over.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Order {
    /// Place of each bit; unused for bits that are not in the order.
    place: [u8; 128],
    /// Bit at each place.
    bits: Vec<u8>,
}

impl Order {
    fn new(bits: Vec<u8>) -> Order {
        let mut place = [u8::MAX; 128];
        for (n, &bit) in bits.iter().enumerate() {
            place[usize::from(bit)] = n as u8;
        }
        Order { place, bits }
    }

    fn len(&self) -> u32 {
        self.bits.len() as u32
    }

    /// Rank of a set whose members are all in the order.
    #[inline]
    fn rank<W: Word>(&self, set: W) -> u64 {
        // Sets are small: an insertion into a sorted array beats anything clever.
        let mut places = [0u8; MAX_PIECES as usize];
        let mut len = 0;
        for bit in set.indices() {
            let place = self.place[bit as usize];
            let mut at = len;
            while at > 0 && places[at - 1] > place {
                places[at] = places[at - 1];
                at -= 1;
            }
            places[at] = place;
            len += 1;
        }
        places[..len]
            .iter()
            .enumerate()
            .map(|(n, &place)| BINOMIALS[usize::from(place)][n + 1])
            .sum()
    }

    /// The set of `count` members with a rank that is in range.
    fn unrank<W: Word>(&self, mut rank: u64, count: u32) -> W {
        let mut set = W::ZERO;
        let mut below = self.len();
        for left in (1..=count).rev() {
            below -= 1;
            while binomial(below, left) > rank {
                below -= 1;
            }
            rank -= binomial(below, left);
            set |= W::bit(u32::from(self.bits[below as usize]));
        }
        set
    }
}

/// A walk through an index from number to number, without unranking all of each.
#[derive(Debug)]
pub(crate) struct Walk<'a, G: Rules> {
    index: &'a Index<G>,
    number: u64,
    mover_men: G::Word,
    waiter_men: G::Word,
    /// Places of the waiter's kings and of the mover's in their order, ascending.
    kings: [SmallVec<[u8; 4]>; 2],
}

impl<'a, G: Rules> Walk<'a, G> {
    /// A walk that begins with a number in range.
    pub(crate) fn new(index: &'a Index<G>, number: u64) -> Walk<'a, G> {
        let (mover, waiter) = index.unrank_sets(number);
        let places = |kings: G::Word| {
            let place = |bit: u32| index.kings.place[bit as usize];
            let mut places: SmallVec<[u8; 4]> = kings.indices().map(place).collect();
            places.sort_unstable();
            places
        };
        let kings = [places(waiter.kings), places(mover.kings)];
        Walk { index, number, mover_men: mover.men, waiter_men: waiter.men, kings }
    }

    /// The position with the number; none for holes.
    #[inline]
    pub(crate) fn position(&self) -> Option<Position<G>> {
        let [waiter, mover] = &self.kings;
        let set = |places: &[u8]| {
            let bit = |&place: &u8| G::Word::bit(self.index.kings.bits[usize::from(place)].into());
            places.iter().map(bit).fold(G::Word::ZERO, |set, bit| set | bit)
        };
        let mover = Pieces { men: self.mover_men, kings: set(mover) };
        Position::new(mover, Pieces { men: self.waiter_men, kings: set(waiter) }).ok()
    }

    /// Goes on to the next number, if that is in range.
    #[inline]
    pub(crate) fn step(&mut self) {
        self.number += 1;
        let squares = self.index.kings.len() as u8;
        if !self.kings.iter_mut().rev().any(|places| step(places, squares))
            && self.number < self.index.len()
        {
            *self = Walk::new(self.index, self.number);
        }
    }
}

/// The places of the set with the next rank among sets of places below `end`. After the last comes
/// the first, and `false`.
#[inline]
fn step(places: &mut [u8], end: u8) -> bool {
    for at in 0..places.len() {
        if places[at] + 1 < places.get(at + 1).copied().unwrap_or(end) {
            places[at] += 1;
            return true;
        }
        // It goes back to the beginning, and the next one on.
        places[at] = at as u8;
    }
    false
}

/// King squares in main-road order.
pub fn king_order(board: Board) -> Vec<Square> {
    let mut squares: Vec<Square> = (0..board.squares() as u8).map(Square).collect();
    squares.sort_by_key(|&square| {
        let (row, column) = (board.row(square) as i32, board.column(square) as i32);
        ((row + column - (i32::from(board.width) - 1)).abs(), row + column, row - column)
    });
    squares
}

/// Numbers the positions of one slice with one side to move, from 0 to [`Index::len`].
///
/// ```
/// use damabase_formats::{Index, Slice, ToMove};
/// use damabase_rules::Russian;
/// let index = Index::<Russian>::new("KvK".parse().unwrap(), ToMove::First);
/// assert_eq!(index.len(), 32 * 32);
/// assert_eq!((0..index.len()).filter(|&n| index.unrank(n).is_some()).count(), 992);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Index<G: Rules> {
    mover: Material,
    waiter: Material,
    mover_men: Order,
    waiter_men: Order,
    kings: Order,
    /// Number of placements of each set: mover's men, waiter's men, waiter's kings, mover's kings.
    radix: [u64; 4],
    rules: PhantomData<G>,
}

impl<G: Rules> Index<G> {
    /// The index of a slice with one side to move.
    ///
    /// # Panics
    /// Where the number of positions does not fit 64 bits; no slice of [`MAX_PIECES`] pieces on
    /// boards up to 128 squares comes near with real material.
    pub fn new(slice: Slice, to_move: ToMove) -> Index<G> {
        let board = G::board();
        let (mover, waiter) = slice.mover_waiter(to_move);
        let bits = |squares: Vec<Square>| {
            squares.into_iter().map(|square| board.bit_of(square) as u8).collect::<Vec<_>>()
        };
        let men: Vec<Square> = (board.row_len() as u8..board.squares() as u8).map(Square).collect();
        let turned = men.iter().map(|&square| board.turned_square(square)).collect();
        let mover_men = Order::new(bits(men));
        let waiter_men = Order::new(bits(turned));
        let kings = Order::new(bits(king_order(board)));
        let radix = [
            binomial(mover_men.len(), mover.men.into()),
            binomial(waiter_men.len(), waiter.men.into()),
            binomial(kings.len(), waiter.kings.into()),
            binomial(kings.len(), mover.kings.into()),
        ];
        radix
            .iter()
            .try_fold(1u64, |product, &n| product.checked_mul(n))
            .expect("the slice has fewer than 2^64 placements");
        Index { mover, waiter, mover_men, waiter_men, kings, radix, rules: PhantomData }
    }

    /// Number of index values, holes included.
    #[inline]
    #[allow(clippy::len_without_is_empty)] // never empty
    pub fn len(&self) -> u64 {
        self.radix.iter().product()
    }

    /// Number of neighbours that differ only in the mover's kings.
    #[inline]
    pub fn row_len(&self) -> u64 {
        self.radix[3]
    }

    /// Number of index values with the same men.
    #[inline]
    pub fn kings_len(&self) -> u64 {
        self.radix[2] * self.radix[3]
    }

    /// Number of placements of the waiter's men.
    #[inline]
    pub fn waiter_men_len(&self) -> u64 {
        self.radix[1]
    }

    /// Whether the mover's men have a greater number than the waiter's, in a symmetric slice. Such
    /// a position can be left out of a table: a king's move leads to one that is not of the upper
    /// half, and men's moves come to an end.
    #[inline]
    pub fn is_in_upper_half(&self, number: u64) -> bool {
        let men = number / self.kings_len();
        men / self.radix[1] > men % self.radix[1]
    }

    /// Material of the side to move and of the other side.
    pub fn mover_waiter(&self) -> (Material, Material) {
        (self.mover, self.waiter)
    }

    /// The number of a position that has this material.
    ///
    /// # Panics
    /// In debug builds, where the material is another. In release builds the result is then
    /// meaningless, but a number.
    #[inline]
    pub fn rank(&self, position: &Position<G>) -> u64 {
        debug_assert_eq!(Material::of(position.mover), self.mover);
        debug_assert_eq!(Material::of(position.waiter), self.waiter);
        let mut rank = self.mover_men.rank(position.mover.men);
        rank = rank * self.radix[1] + self.waiter_men.rank(position.waiter.men);
        rank = rank * self.radix[2] + self.kings.rank(position.waiter.kings);
        rank * self.radix[3] + self.kings.rank(position.mover.kings)
    }

    /// The position with a number; none for holes and for numbers out of range.
    pub fn unrank(&self, number: u64) -> Option<Position<G>> {
        if number >= self.len() {
            return None;
        }
        let (mover, waiter) = self.unrank_sets(number);
        Position::new(mover, waiter).ok()
    }

    /// The pieces that a number stands for, some of which may share a square.
    fn unrank_sets(&self, number: u64) -> (Pieces<G::Word>, Pieces<G::Word>) {
        let (rest, mover_kings) = (number / self.radix[3], number % self.radix[3]);
        let (rest, waiter_kings) = (rest / self.radix[2], rest % self.radix[2]);
        let (mover_men, waiter_men) = (rest / self.radix[1], rest % self.radix[1]);
        let mover = Pieces {
            men: self.mover_men.unrank::<G::Word>(mover_men, self.mover.men.into()),
            kings: self.kings.unrank(mover_kings, self.mover.kings.into()),
        };
        let waiter = Pieces {
            men: self.waiter_men.unrank::<G::Word>(waiter_men, self.waiter.men.into()),
            kings: self.kings.unrank(waiter_kings, self.waiter.kings.into()),
        };
        (mover, waiter)
    }
}

/// The number of positions of a slice with one side to move, holes not counted. Computed by
/// formula.
pub fn positions(board: Board, slice: Slice) -> u64 {
    // Men of both sides first, by how many of the first side's stand on the row that the second
    // side's men cannot stand on; kings then choose freely among the squares left.
    let (first, second) = (slice.first(), slice.second());
    let row = board.row_len();
    let squares = board.squares();
    let common = squares - 2 * row;
    let mut men = 0;
    for own_row in 0..=u32::from(first.men).min(row) {
        let inside = u32::from(first.men) - own_row;
        if inside > common {
            continue;
        }
        let free = common - inside + row;
        men +=
            binomial(row, own_row) * binomial(common, inside) * binomial(free, second.men.into());
    }
    let free = squares.saturating_sub(u32::from(first.men) + u32::from(second.men));
    men * binomial(free, first.kings.into())
        * binomial(free.saturating_sub(first.kings.into()), second.kings.into())
}

#[cfg(test)]
mod tests {
    use damabase_rules::{International, Russian};

    use super::*;

    fn walks_like_unrank<G: Rules>(slice: &str) {
        for to_move in [ToMove::First, ToMove::Second] {
            let index = Index::<G>::new(slice.parse().unwrap(), to_move);
            for first in [0, index.len() / 3, index.len() - 1] {
                let mut walk = Walk::new(&index, first);
                for number in first..index.len() {
                    assert_eq!(walk.position(), index.unrank(number), "{slice} {number}");
                    walk.step();
                }
            }
        }
    }

    #[test]
    fn a_walk_meets_the_positions_of_all_numbers() {
        for slice in ["KKKvK", "KKMvM", "MMvMM", "KvKM"] {
            walks_like_unrank::<Russian>(slice);
        }
        walks_like_unrank::<International>("KMvK");
    }
}
