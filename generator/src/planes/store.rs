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

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use damabase_formats::Material;
use damabase_formats::index::binomial;
use damabase_formats::slice::MAX_PIECES;
use damabase_rules::{Pieces, Rules, Word};
use memmap2::Mmap;

use super::chunks::{Chunks, Plain};
use super::countdown::{Countdown, Steps};
use super::sets::{self, men_number, number};

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
#[repr(C)]
pub(super) struct Values<W> {
    pub won: W,
    pub lost: W,
}

// SAFETY: two words of the same size, without padding.
unsafe impl<W: Word> Plain for Values<W> {}

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

/// Plies to the end of the game for each axis square; meaningless where the value is a draw.
pub(super) enum Plies<'a> {
    /// Square by square.
    Row(&'a [u16]),
    /// The same for all.
    All(u16),
    /// Square by square, collected from several rows.
    Collected(Box<Lanes<0>>),
}

impl Plies<'_> {
    /// The plies for one axis square.
    #[inline]
    pub fn get(&self, square: u32) -> u16 {
        match self {
            Plies::Row(row) => row[square as usize],
            Plies::All(plies) => *plies,
            Plies::Collected(lanes) => lanes[square as usize],
        }
    }
}

/// A number of plies for each bit of a word, at first all `FILL`.
#[derive(Clone, Debug)]
pub(super) struct Lanes<const FILL: u16>([u16; 128]);

impl<const FILL: u16> Default for Lanes<FILL> {
    fn default() -> Self {
        Lanes([FILL; 128])
    }
}

impl<const FILL: u16> Deref for Lanes<FILL> {
    type Target = [u16; 128];

    fn deref(&self) -> &[u16; 128] {
        &self.0
    }
}

impl<const FILL: u16> DerefMut for Lanes<FILL> {
    fn deref_mut(&mut self) -> &mut [u16; 128] {
        &mut self.0
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

    /// Elements that a plane of this shape has for each sub-slice: words, bytes and plies.
    fn lens<G: Rules>(&self, plies: bool) -> [usize; 3] {
        let (words, bytes, lanes) = match self.axis {
            Axis::None => (0, 1, 1),
            _ => (self.rows(), 0, self.rows() * G::Word::BITS as usize),
        };
        [words, bytes, if plies { lanes } else { 0 }]
    }

    /// Sizes of a plane's arrays in bytes.
    pub fn sizes<G: Rules>(&self, plies: bool) -> [u64; 3] {
        let lens = self.lens::<G>(plies);
        let bytes = [size_of::<Values<G::Word>>(), 1, 2];
        [0, 1, 2].map(|n| {
            let elements = (self.sub_slices() as u64).saturating_mul(lens[n] as u64);
            elements.saturating_mul(bytes[n] as u64)
        })
    }

    /// Number of sub-slices, those in which men would overlap included.
    pub fn sub_slices(&self) -> usize {
        self.own_men * self.opponent_men
    }

    /// The number of the sub-slice with men of these numbers, each seen by the men's side.
    #[inline]
    pub fn sub_slice(&self, own_men: usize, opponent_men: usize) -> usize {
        own_men * self.opponent_men + opponent_men
    }
}

/// Values of all positions of a material, see the module's text.
pub(super) struct Plane<G: Rules> {
    pub shape: Shape,
    /// One chunk for each sub-slice, empty for [`Axis::None`].
    words: Chunks<Values<G::Word>>,
    /// For [`Axis::None`], one for each sub-slice: 0 drawn, 1 won, 2 lost.
    bytes: Chunks<u8>,
    /// Plies for each bit of `words`, or for each of `bytes`, if they are kept.
    plies: Option<Chunks<u16>>,
}

impl<G: Rules> Plane<G> {
    /// A plane with nothing in it.
    pub fn new(own: Material, opponent: Material, plies: bool) -> Self {
        let shape = Shape::new::<G>(own, opponent);
        let lens = shape.lens::<G>(plies);
        let count = |len: usize| if len == 0 { 0 } else { shape.sub_slices() };
        Plane {
            shape,
            words: Chunks::new(count(lens[0]), lens[0]),
            bytes: Chunks::new(count(lens[1]), lens[1]),
            plies: plies.then(|| Chunks::new(count(lens[2]), lens[2])),
        }
    }

    /// Whether plies are kept.
    pub fn has_plies(&self) -> bool {
        self.plies.is_some()
    }

    /// The plane whose arrays are at these places of a mapped file, each given as its first byte
    /// and its size. None where they do not suit.
    pub fn mapped(
        own: Material,
        opponent: Material,
        plies: bool,
        map: &Arc<Mmap>,
        places: [(usize, usize); 3],
    ) -> Option<Self> {
        let shape = Shape::new::<G>(own, opponent);
        let lens = shape.lens::<G>(plies);
        let sizes = shape.sizes::<G>(plies);
        if places.map(|(_, size)| size as u64) != sizes {
            return None;
        }
        let [words, bytes, lanes] = places;
        Some(Plane {
            shape,
            words: Chunks::mapped(map, words.0, words.1, lens[0])?,
            bytes: Chunks::mapped(map, bytes.0, bytes.1, lens[1])?,
            plies: match plies {
                true => Some(Chunks::mapped(map, lanes.0, lanes.1, lens[2])?),
                false => None,
            },
        })
    }

    /// The arrays as bytes.
    ///
    /// # Safety
    /// The plane is finished.
    pub unsafe fn arrays(&self) -> [&[u8]; 3] {
        // SAFETY: nobody writes a finished plane.
        unsafe {
            let plies = self.plies.as_ref().map_or(&[][..], |plies| plies.bytes());
            [self.words.bytes(), self.bytes.bytes(), plies]
        }
    }

    /// Bytes of memory that the plane takes.
    pub fn memory_bytes(&self) -> u64 {
        self.words.memory_bytes()
            + self.bytes.memory_bytes()
            + self.plies.as_ref().map_or(0, Chunks::memory_bytes)
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

    /// The plies of one sub-slice, to be written, if they are kept.
    ///
    /// # Safety
    /// As for [`Chunks::write`].
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn fill_plies(&self, sub_slice: usize) -> Option<&mut [u16]> {
        // SAFETY: passed on to the caller.
        self.plies.as_ref().map(|plies| unsafe { plies.write(sub_slice) })
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
    fn word(&self, sub_slice: usize, row: usize) -> Values<G::Word> {
        // SAFETY: the solver reads only sub-slices that are finished, and a finished one is
        // never written again.
        unsafe { self.words.get(sub_slice, row) }
    }

    fn men_value(&self, sub_slice: usize) -> Values<G::Word> {
        // SAFETY: as in `word`.
        let byte = unsafe { self.bytes.get(sub_slice, 0) };
        Values::broadcast(byte & 1 != 0, byte & 2 != 0)
    }

    /// # Panics
    /// Where plies are not kept.
    fn row_plies(&self, sub_slice: usize, row: usize) -> &[u16] {
        let plies = self.plies.as_ref().expect("plies are kept where they are asked for");
        let lanes = if self.shape.axis == Axis::None { 1 } else { G::Word::BITS as usize };
        // SAFETY: as in `word`.
        unsafe { plies.read(sub_slice, row * lanes, lanes) }
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

/// One more than the greatest number of like pieces of a side.
const MATERIALS: usize = MAX_PIECES as usize;

/// Number of pairs of materials.
pub(super) const SLOTS: usize = MATERIALS.pow(4);

/// The planes of all finished slices.
pub(super) struct Store<G: Rules> {
    planes: Vec<Option<Box<Plane<G>>>>,
    /// Where plies are those that must be left on a counter: what exits of the slice in work do to
    /// it. Else they are plies to the end of the game.
    pub steps: Option<Steps>,
}

/// A number for two materials.
#[inline]
pub(super) fn slot(own: Material, opponent: Material) -> usize {
    let digits = [own.men, own.kings, opponent.men, opponent.kings];
    digits.iter().fold(0, |slot, &digit| slot * MATERIALS + usize::from(digit))
}

impl<G: Rules> Store<G> {
    pub fn new() -> Self {
        Store { planes: (0..SLOTS).map(|_| None).collect(), steps: None }
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
        let Some((plane, sub_slice, at)) = self.find(own, opponent, asked) else {
            return Values::broadcast(false, true);
        };
        match at {
            At::Row(row) => plane.word(sub_slice, row),
            At::Square(row, axis) => plane.word(sub_slice, row).pick(axis),
            At::Men => plane.men_value(sub_slice),
            At::Column(column) => {
                let mut values = Values::default();
                for square in column.squares(own, opponent).indices() {
                    let word = plane.word(sub_slice, column.row(plane, square));
                    let square = G::Word::bit(square);
                    if (word.won & column.axis).any() {
                        values.won |= square;
                    }
                    if (word.lost & column.axis).any() {
                        values.lost |= square;
                    }
                }
                values
            }
        }
    }

    /// The same with the plies to the end of the game.
    ///
    /// # Panics
    /// As [`Store::values`], and where the slice was solved without plies.
    pub fn values_and_plies(
        &self,
        own: Pieces<G::Word>,
        opponent: Pieces<G::Word>,
        asked: Asked,
    ) -> (Values<G::Word>, Plies<'_>) {
        let values = self.values(own, opponent, asked);
        let Some((plane, sub_slice, at)) = self.find(own, opponent, asked) else {
            return (values, Plies::All(0));
        };
        let plies = match at {
            At::Row(row) => Plies::Row(plane.row_plies(sub_slice, row)),
            At::Square(row, axis) => {
                Plies::All(plane.row_plies(sub_slice, row)[axis.lowest() as usize])
            }
            At::Men => Plies::All(plane.row_plies(sub_slice, 0)[0]),
            At::Column(column) => {
                let mut lanes = Box::<Lanes<0>>::default();
                for square in column.squares(own, opponent).indices() {
                    let row = column.row(plane, square);
                    lanes[square as usize] =
                        plane.row_plies(sub_slice, row)[column.axis.lowest() as usize];
                }
                Plies::Collected(lanes)
            }
        };
        (values, plies)
    }

    /// What an exit to these positions does to the plies left on a counter, if that is what plies
    /// are.
    #[inline]
    pub fn countdown(
        &self,
        own: Pieces<G::Word>,
        opponent: Pieces<G::Word>,
        asked: Asked,
    ) -> Option<Countdown> {
        let steps = self.steps.as_ref()?;
        let (own, opponent) = materials(own, opponent, asked);
        Some(steps.get(own, opponent))
    }

    /// Where the values of a position are; none where the side to move has no piece.
    #[inline(always)]
    fn find(
        &self,
        own: Pieces<G::Word>,
        opponent: Pieces<G::Word>,
        asked: Asked,
    ) -> Option<(&Plane<G>, usize, At<G>)> {
        let (own_material, opponent_material) = materials(own, opponent, asked);
        if opponent_material.pieces() == 0 {
            return None;
        }
        let plane = self
            .get(own_material, opponent_material)
            .expect("a slice is solved after all that it leads to");
        let opponent_men = G::board().turn(opponent.men);
        let sub_slice =
            plane.shape.sub_slice(men_number::<G>(own.men), men_number::<G>(opponent_men));
        let row = |companions: G::Word, others: G::Word| {
            number::<G>(companions) * plane.shape.others + number::<G>(others)
        };
        let at = match (plane.shape.axis, asked) {
            (Axis::Own, Asked::Own) => At::Row(row(own.kings, opponent.kings)),
            (Axis::Opponent, Asked::Opponent) => At::Row(row(opponent.kings, G::Word::ZERO)),
            (Axis::None, _) => At::Men,
            (Axis::Own, Asked::Gone) => {
                let companions = own.kings.without_lowest();
                At::Square(row(companions, opponent.kings), own.kings & !companions)
            }
            (Axis::Opponent, _) => {
                let companions = opponent.kings.without_lowest();
                At::Square(row(companions, G::Word::ZERO), opponent.kings & !companions)
            }
            (Axis::Own, Asked::Opponent) => {
                let companions = own.kings.without_lowest();
                At::Column(Column {
                    companions: number::<G>(companions),
                    axis: own.kings & !companions,
                    opponent_kings: opponent.kings,
                })
            }
        };
        Some((plane, sub_slice, at))
    }
}

/// The material of a position asked for.
#[inline(always)]
fn materials<W: Word>(own: Pieces<W>, opponent: Pieces<W>, asked: Asked) -> (Material, Material) {
    let (mut own, mut opponent) = (Material::of(own), Material::of(opponent));
    own.kings += u8::from(asked == Asked::Own);
    opponent.kings += u8::from(asked == Asked::Opponent);
    (own, opponent)
}

/// A place in a sub-slice.
enum At<G: Rules> {
    /// The word of a row.
    Row(usize),
    /// One bit of a row, for all squares.
    Square(usize, G::Word),
    /// The value of a position without kings.
    Men,
    /// One bit of many rows, see [`Column`].
    Column(Column<G>),
}

/// The side that moved had no king and has just got one: the plane runs along that king, so the
/// squares of the other side's king are collected row by row.
struct Column<G: Rules> {
    companions: usize,
    axis: G::Word,
    /// Without the one whose squares are collected.
    opponent_kings: G::Word,
}

impl<G: Rules> Column<G> {
    fn squares(&self, own: Pieces<G::Word>, opponent: Pieces<G::Word>) -> G::Word {
        G::squares() & !own.all() & !opponent.all()
    }

    fn row(&self, plane: &Plane<G>, square: u32) -> usize {
        let others = self.opponent_kings | G::Word::bit(square);
        self.companions * plane.shape.others + number::<G>(others)
    }
}
