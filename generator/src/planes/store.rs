//! The planes of all finished slices, and where in them the values of a position are.

use damabase_formats::Material;
use damabase_formats::slice::MAX_PIECES;
use damabase_rules::{Pieces, Rules, Word};

use super::countdown::{Countdown, Steps};
use super::lanes::{Digits, Lanes};
use super::plane::{Axis, Plane, Values};
use super::sets::{men_number, number};

/// A number for each axis square.
#[derive(Clone, Debug)]
pub(super) enum Numbers<'a, W> {
    /// The same for all.
    All(u16),
    /// Those of a row.
    Row(Digits<'a, W>),
    /// Worked out for this. Rare, and elsewhere small values are what is passed on.
    Own(Box<Lanes<W>>),
}

impl<W: Word> Numbers<'_, W> {
    /// The digits of the numbers; where they are all the same, the number.
    #[inline]
    pub fn digits(&self) -> Result<Digits<'_, W>, u16> {
        match self {
            Numbers::All(number) => Err(*number),
            Numbers::Row(digits) => Ok(*digits),
            Numbers::Own(lanes) => Ok(lanes.digits()),
        }
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
        self.find(own, opponent, asked)
            .map_or(Values::broadcast(false, true), |place| place.values(own, opponent))
    }

    /// The same with the numbers (plies to the end of the game and one) where one of the positions
    /// of `mask` is no draw.
    ///
    /// # Panics
    /// As [`Store::values`], and where the slice was solved without numbers.
    #[inline]
    pub fn values_and_numbers(
        &self,
        mask: G::Word,
        own: Pieces<G::Word>,
        opponent: Pieces<G::Word>,
        asked: Asked,
    ) -> (Values<G::Word>, Option<Numbers<'_, G::Word>>) {
        let Some(place) = self.find(own, opponent, asked) else {
            return (Values::broadcast(false, true), Some(Numbers::All(1)));
        };
        let values = place.values(own, opponent);
        let decided = (mask & (values.won | values.lost)).any();
        (values, decided.then(|| place.numbers(own, opponent)))
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
    ) -> Option<Place<'_, G>> {
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
        Some(Place { plane, sub_slice, at })
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

/// Where the values of positions are.
struct Place<'a, G: Rules> {
    plane: &'a Plane<G>,
    sub_slice: usize,
    at: At<G>,
}

impl<'a, G: Rules> Place<'a, G> {
    #[inline(always)]
    fn values(&self, own: Pieces<G::Word>, opponent: Pieces<G::Word>) -> Values<G::Word> {
        let Place { plane, sub_slice, at } = self;
        match at {
            At::Row(row) => plane.word(*sub_slice, *row),
            At::Square(row, axis) => plane.word(*sub_slice, *row).pick(*axis),
            At::Men => plane.men_value(*sub_slice),
            At::Column(column) => {
                let mut values = Values::default();
                for square in column.squares(own, opponent).indices() {
                    let word = plane.word(*sub_slice, column.row(plane, square));
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

    #[inline(always)]
    fn numbers(&self, own: Pieces<G::Word>, opponent: Pieces<G::Word>) -> Numbers<'a, G::Word> {
        let Place { plane, sub_slice, at } = self;
        let number = |row: usize, axis: G::Word| plane.numbers(*sub_slice, row).get(axis.lowest());
        match at {
            At::Row(row) => Numbers::Row(plane.numbers(*sub_slice, *row)),
            At::Square(row, axis) => Numbers::All(number(*row, *axis)),
            At::Men => Numbers::All(plane.men_number(*sub_slice)),
            At::Column(column) => {
                let mut lanes = Lanes::default();
                for square in column.squares(own, opponent).indices() {
                    let number = number(column.row(plane, square), column.axis);
                    lanes.put(G::Word::bit(square), number);
                }
                Numbers::Own(Box::new(lanes))
            }
        }
    }
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
