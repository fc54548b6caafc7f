//! Finished values as bit planes, addressed the way the next slices ask for them.
//!
//! A [`Plane`] holds the values of all positions with one material in which the side that *has
//! just moved* goes up. So a solver that looks where a move of its own leads never has to turn
//! the board: its own pieces stand where they stood. Values are those of the side to move, which
//! goes down.
//!
//! The squares of one king, the *axis*, are the bits of a word; everything else is the number of
//! the word. The axis is a king of the side that has just moved, or, where that side has none, of
//! the side to move.

use damabase_formats::Material;
use damabase_formats::index::binomial;
use damabase_rules::{Pieces, Rules, Word};

use super::chunks::Chunks;
use super::sets;

/// Which side's king is the bit axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Axis {
    /// The side that goes up.
    Own,
    /// The side that goes down.
    Opponent,
    /// Neither side has a king.
    None,
}

/// Values as two sets of axis squares: where the side to move wins, and where it loses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Values<W> {
    pub won: W,
    pub lost: W,
}

impl<W: Word> Values<W> {
    /// The same value for every axis square.
    #[inline]
    fn broadcast(won: bool, lost: bool) -> Self {
        let all = |set: bool| if set { !W::ZERO } else { W::ZERO };
        Values { won: all(won), lost: all(lost) }
    }

    /// The value of one axis square for every axis square.
    #[inline]
    fn pick(self, axis: W) -> Self {
        Values::broadcast((self.won & axis).any(), (self.lost & axis).any())
    }
}

/// How the words of a slice are numbered: by men, then by the axis side's other kings, then by
/// the other side's kings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub own: Material,
    pub opponent: Material,
    pub axis: Axis,
    /// Number of men configurations of each side.
    pub own_men: usize,
    pub opponent_men: usize,
    /// Number of sets of the axis side's other kings.
    pub companions: usize,
    /// Number of sets of the other side's kings.
    pub others: usize,
}

impl Shape {
    pub fn new<G: Rules>(own: Material, opponent: Material) -> Shape {
        let men = |men: u8| binomial(G::board().squares() - G::board().row_len(), men.into());
        let kings = |kings: u8| sets::count::<G>(kings.into());
        let (axis, companions, others) = if own.kings > 0 {
            (Axis::Own, kings(own.kings - 1), kings(opponent.kings))
        } else if opponent.kings > 0 {
            (Axis::Opponent, kings(opponent.kings - 1), 1)
        } else {
            (Axis::None, 1, 1)
        };
        Shape {
            own,
            opponent,
            axis,
            own_men: men(own.men) as usize,
            opponent_men: men(opponent.men) as usize,
            companions,
            others,
        }
    }

    /// Words of one sub-slice.
    #[inline]
    pub fn rows(&self) -> usize {
        self.companions * self.others
    }

    /// Number of sub-slices, those in which men would overlap included.
    pub fn sub_slices(&self) -> usize {
        self.own_men * self.opponent_men
    }

    /// The number of the sub-slice with these men.
    #[inline]
    pub fn sub_slice<G: Rules>(&self, own_men: G::Word, opponent_men: G::Word) -> usize {
        men_number::<G>(own_men) * self.opponent_men
            + men_number::<G>(G::board().turn(opponent_men))
    }
}

/// The number of a set of men that go up, as in the position index.
#[inline]
pub(super) fn men_number<G: Rules>(men: G::Word) -> usize {
    let board = G::board();
    let mut number = 0;
    for (place, bit) in men.indices().enumerate() {
        // Numbered over the squares below the promotion row.
        let square = u32::from(board.square_of(bit).0) - board.row_len();
        number += binomial(square, place as u32 + 1);
    }
    number as usize
}

/// Values of all positions of a material, see the module's text.
pub(super) struct Plane<G: Rules> {
    pub shape: Shape,
    /// One chunk for each sub-slice, empty for [`Axis::None`].
    words: Chunks<Values<G::Word>>,
    /// For [`Axis::None`], one for each sub-slice: 0 drawn, 1 won, 2 lost.
    bytes: Chunks<u8>,
}

impl<G: Rules> Plane<G> {
    /// A plane with nothing in it.
    pub fn new(own: Material, opponent: Material) -> Self {
        let shape = Shape::new::<G>(own, opponent);
        let men_only = shape.axis == Axis::None;
        let sub_slices = shape.sub_slices();
        Plane {
            shape,
            words: Chunks::new(if men_only { 0 } else { sub_slices }, shape.rows()),
            bytes: Chunks::new(if men_only { sub_slices } else { 0 }, 1),
        }
    }

    /// Bytes of memory that a plane of this material takes.
    pub fn size_bytes(own: Material, opponent: Material) -> u64 {
        let shape = Shape::new::<G>(own, opponent);
        let word = if shape.axis == Axis::None { 1 } else { size_of::<Values<G::Word>>() };
        shape.sub_slices() as u64 * shape.rows() as u64 * word as u64
    }

    /// The words of one sub-slice, to be written.
    ///
    /// # Safety
    /// As for [`Chunks::write`].
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn fill(&self, sub_slice: usize) -> &mut [Values<G::Word>] {
        // SAFETY: passed on to the caller.
        unsafe { self.words.write(sub_slice) }
    }

    /// Writes the value of a position without kings.
    ///
    /// # Safety
    /// As for [`Chunks::write`].
    pub unsafe fn fill_men(&self, sub_slice: usize, won: bool, lost: bool) {
        // SAFETY: passed on to the caller.
        unsafe { self.bytes.write(sub_slice)[0] = u8::from(won) + 2 * u8::from(lost) };
    }

    #[inline]
    fn word(&self, sub_slice: usize, companions: usize, others: usize) -> Values<G::Word> {
        // SAFETY: the solver reads only sub-slices that are finished, and a finished one is
        // never written again.
        unsafe { self.words.get(sub_slice, companions * self.shape.others + others) }
    }

    fn men_value(&self, sub_slice: usize) -> Values<G::Word> {
        // SAFETY: as in `word`.
        let byte = unsafe { self.bytes.get(sub_slice, 0) };
        Values::broadcast(byte & 1 != 0, byte & 2 != 0)
    }
}

/// Where the axis king is in a position asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asked {
    /// A king of the side that has just moved, on any square.
    Own,
    /// A king of the side to move, on any square.
    Opponent,
    /// Nowhere: all pieces are given.
    Gone,
}

const MATERIALS: usize = 8;

/// The planes of all finished slices.
pub(super) struct Store<G: Rules> {
    planes: Vec<Option<Box<Plane<G>>>>,
}

fn slot(own: Material, opponent: Material) -> usize {
    let digits = [own.men, own.kings, opponent.men, opponent.kings];
    digits.iter().fold(0, |slot, &digit| slot * MATERIALS + usize::from(digit))
}

impl<G: Rules> Store<G> {
    pub fn new() -> Self {
        Store { planes: (0..MATERIALS.pow(4)).map(|_| None).collect() }
    }

    pub fn get(&self, own: Material, opponent: Material) -> Option<&Plane<G>> {
        self.planes[slot(own, opponent)].as_deref()
    }

    pub fn insert(&mut self, plane: Plane<G>) {
        let slot = slot(plane.shape.own, plane.shape.opponent);
        self.planes[slot] = Some(Box::new(plane));
    }

    pub fn remove(&mut self, own: Material, opponent: Material) {
        self.planes[slot(own, opponent)] = None;
    }

    /// The values, for every square of the axis king, of the positions that come about when the
    /// side that goes up has moved. `own` and `opponent` do not contain the axis king. Bits of
    /// squares where it cannot stand mean nothing.
    ///
    /// # Panics
    /// Where the slice asked for was never solved: the caller works in dependency order.
    #[inline]
    pub fn values(
        &self,
        own: Pieces<G::Word>,
        opponent: Pieces<G::Word>,
        asked: Asked,
    ) -> Values<G::Word> {
        let mut own_material = Material::of(own);
        let mut opponent_material = Material::of(opponent);
        own_material.kings += u8::from(asked == Asked::Own);
        opponent_material.kings += u8::from(asked == Asked::Opponent);
        if opponent_material.pieces() == 0 {
            return Values::broadcast(false, true);
        }
        let plane = self
            .get(own_material, opponent_material)
            .expect("a slice is solved after all that it leads to");
        let sub_slice = plane.shape.sub_slice::<G>(own.men, opponent.men);
        let number = sets::number::<G>;
        match (plane.shape.axis, asked) {
            (Axis::Own, Asked::Own) => {
                plane.word(sub_slice, number(own.kings), number(opponent.kings))
            }
            (Axis::Opponent, Asked::Opponent) => plane.word(sub_slice, number(opponent.kings), 0),
            (Axis::None, _) => plane.men_value(sub_slice),
            (Axis::Own, Asked::Gone) => {
                let companions = own.kings.without_lowest();
                plane
                    .word(sub_slice, number(companions), number(opponent.kings))
                    .pick(own.kings & !companions)
            }
            (Axis::Opponent, _) => {
                let companions = opponent.kings.without_lowest();
                plane.word(sub_slice, number(companions), 0).pick(opponent.kings & !companions)
            }
            (Axis::Own, Asked::Opponent) => {
                // The side that moved had no king and has just got one: the plane runs along
                // that king, so the squares of the other side's king are collected one by one.
                let companions = own.kings.without_lowest();
                let axis = own.kings & !companions;
                let companions = number(companions);
                let mut values = Values::default();
                let free = G::squares() & !own.all() & !opponent.all();
                for square in free.indices() {
                    let square = G::Word::bit(square);
                    let word = plane.word(sub_slice, companions, number(opponent.kings | square));
                    if (word.won & axis).any() {
                        values.won |= square;
                    }
                    if (word.lost & axis).any() {
                        values.lost |= square;
                    }
                }
                values
            }
        }
    }
}
