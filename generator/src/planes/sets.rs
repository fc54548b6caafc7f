//! Sets of like kings, numbered: the rows of a plane.

use std::marker::PhantomData;

use damabase_formats::index::{binomial, king_order};
use damabase_formats::slice::MAX_PIECES;
use damabase_rules::{Direction, Rules, Square, Word};

/// All sets of `len` squares of a board, numbered colexicographically by square, with what the
/// kernel needs to know of each.
pub(super) struct Sets<G: Rules> {
    /// The sets in order.
    pub sets: Vec<G::Word>,
    /// For each set its number in the position index (main-road order).
    pub index_of: Vec<u32>,
    /// The walks of one member along a diagonal while the others stand still: numbers of the
    /// sets met on the way. Each walk is written once and used in both directions.
    pub walks: Vec<u32>,
    /// End of each walk in `walks`.
    pub walk_ends: Vec<u32>,
}

/// The number of a set among all sets of its size.
#[inline(always)]
pub(super) fn number<G: Rules>(set: G::Word) -> usize {
    Shares::<G>::ALL.number(set)
}

/// The number of a set of men that go up, as in the position index.
#[inline(always)]
pub(super) fn men_number<G: Rules>(men: G::Word) -> usize {
    Shares::<G>::MEN.number(men)
}

/// What each member adds to the number of its set, by how many members are before it and by its
/// bit.
struct Shares<G>([[usize; 128]; MAX_PIECES as usize], PhantomData<G>);

impl<G: Rules> Shares<G> {
    /// Of sets of all squares.
    const ALL: &Self = &Self::new(0);
    /// Of sets of squares below the promotion row.
    const MEN: &Self = &Self::new(G::VARIANT.board.row_len());

    /// For sets of the squares from `first` on.
    const fn new(first: u32) -> Self {
        let board = G::VARIANT.board;
        let mut shares = [[0; 128]; MAX_PIECES as usize];
        let mut before = 0;
        while before < shares.len() {
            let mut square = first;
            while square < board.squares() {
                let bit = board.bit_of(Square(square as u8));
                shares[before][bit as usize] = binomial(square - first, before as u32 + 1) as usize;
                square += 1;
            }
            before += 1;
        }
        Shares(shares, PhantomData)
    }

    #[inline(always)]
    fn number(&self, set: G::Word) -> usize {
        set.indices().zip(&self.0).map(|(bit, shares)| shares[bit as usize]).sum()
    }
}

/// How many sets of `len` squares there are.
pub(super) fn count<G: Rules>(len: u32) -> usize {
    binomial(G::board().squares(), len) as usize
}

impl<G: Rules> Sets<G> {
    pub fn new(len: u32) -> Self {
        let board = G::board();
        let squares = board.squares();
        let mut places = vec![0; squares as usize];
        for (place, square) in king_order(board).into_iter().enumerate() {
            places[usize::from(square.0)] = place as u32;
        }

        let mut sets = Vec::with_capacity(count::<G>(len));
        let mut index_of = Vec::with_capacity(count::<G>(len));
        let mut members: Vec<u32> = (0..len).collect();
        loop {
            let mut set = G::Word::ZERO;
            for &member in &members {
                set |= G::Word::bit(board.bit_of(Square(member as u8)));
            }
            debug_assert_eq!(number::<G>(set), sets.len());
            sets.push(set);
            let mut by_place: Vec<u32> = members.iter().map(|&m| places[m as usize]).collect();
            by_place.sort_unstable();
            let index: u64 = by_place.iter().zip(1..).map(|(&place, k)| binomial(place, k)).sum();
            index_of.push(index as u32);
            // Next in colexicographic order: raise the first member that can be raised.
            let Some(first) = (0..members.len())
                .find(|&n| members[n] + 1 < members.get(n + 1).copied().unwrap_or(squares))
            else {
                break;
            };
            members[first] += 1;
            for (n, member) in members[..first].iter_mut().enumerate() {
                *member = n as u32;
            }
        }

        let (walks, walk_ends) = walks::<G>(len);
        Sets { sets, index_of, walks, walk_ends }
    }

    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// The place of each set in the order of the position index, for the side that goes up and for
    /// the other side, which sees it turned.
    pub fn index_places(&self) -> [Vec<u32>; 2] {
        let turned = |&set: &G::Word| self.index_of[number::<G>(G::board().turn(set))];
        [self.index_of.clone(), self.sets.iter().map(turned).collect()]
    }

    /// Calls `each` with the sets of every walk in one direction and then in the other, and with
    /// none before each.
    #[inline(always)]
    pub fn each_walk_both_ways(&self, mut each: impl FnMut(Option<usize>)) {
        let mut start = 0;
        for &end in &self.walk_ends {
            let walk = &self.walks[start..end as usize];
            start = end as usize;
            each(None);
            walk.iter().for_each(|&set| each(Some(set as usize)));
            each(None);
            walk.iter().rev().for_each(|&set| each(Some(set as usize)));
        }
    }
}

/// The other way round: the number of the set in each place.
pub(super) fn order_of(places: &[u32]) -> Vec<u32> {
    let mut order = vec![0; places.len()];
    for (set, &place) in (0..).zip(places) {
        order[place as usize] = set;
    }
    order
}

fn walks<G: Rules>(len: u32) -> (Vec<u32>, Vec<u32>) {
    let board = G::board();
    let (mut walks, mut ends) = (Vec::new(), Vec::new());
    if len == 0 {
        return (walks, ends);
    }
    let lines = diagonals::<G>();
    let rest_sets = subsets::<G>(len - 1);
    for rest in rest_sets {
        for line in &lines {
            let mut start = walks.len();
            for &square in line {
                let bit = G::Word::bit(board.bit_of(square));
                if (rest & bit).any() {
                    // A like king in the way: the walk ends before it and another begins behind.
                    end_walk(&mut walks, &mut ends, &mut start);
                } else {
                    walks.push(number::<G>(rest | bit) as u32);
                }
            }
            end_walk(&mut walks, &mut ends, &mut start);
        }
    }
    (walks, ends)
}

/// Ends the walk that began at `start`; one of a single square is none.
fn end_walk(walks: &mut Vec<u32>, ends: &mut Vec<u32>, start: &mut usize) {
    if walks.len() - *start < 2 {
        walks.truncate(*start);
    } else {
        ends.push(walks.len() as u32);
    }
    *start = walks.len();
}

/// All sets of `len` squares, in any order.
fn subsets<G: Rules>(len: u32) -> Vec<G::Word> {
    let mut sets = vec![(G::Word::ZERO, 0)];
    for _ in 0..len {
        sets = sets
            .into_iter()
            .flat_map(|(set, from)| {
                (from..G::board().squares()).map(move |square| {
                    let bit = G::Word::bit(G::board().bit_of(Square(square as u8)));
                    (set | bit, square + 1)
                })
            })
            .collect();
    }
    sets.into_iter().map(|(set, _)| set).collect()
}

/// Every maximal diagonal of the board as a list of squares, from the top down.
fn diagonals<G: Rules>() -> Vec<Vec<Square>> {
    let board = G::board();
    let mut lines = Vec::new();
    for direction in [Direction::DownLeft, Direction::DownRight] {
        for first in G::squares().indices() {
            let mut at = G::Word::bit(first);
            if board.step(at, direction.opposite()).any() {
                continue;
            }
            let mut line = Vec::new();
            while at.any() {
                line.push(board.square_of(at.lowest()));
                at = board.step(at, direction);
            }
            lines.push(line);
        }
    }
    lines
}
