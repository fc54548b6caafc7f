//! What exits give the mover, gathered for all squares of the axis king at once.

use damabase_rules::{Pieces, Rules, Word};

use super::countdown::Countdown;
use super::store::{Asked, Lanes, Plies, Store, Values};

/// Gathers the values of the positions that exits lead to.
pub(super) trait Gather<G: Rules>: Clone + Default + Send {
    /// Adds an exit that exists for the axis squares of `mask` and leads to the position with
    /// these pieces; `asked` says whose the axis king is there.
    fn add(
        &mut self,
        store: &Store<G>,
        mask: G::Word,
        own: Pieces<G::Word>,
        opponent: Pieces<G::Word>,
        asked: Asked,
    );

    /// Adds exits of the axis king, from any square of `mask` to any square of `landings`.
    fn add_best(
        &mut self,
        store: &Store<G>,
        mask: G::Word,
        landings: G::Word,
        own: Pieces<G::Word>,
        opponent: Pieces<G::Word>,
    );

    /// Adds what `other` has gathered for axis squares for which nothing is gathered here.
    fn add_open(&mut self, other: &Self);

    /// The win, draw and loss part.
    fn exits(&self) -> &Exits<G::Word>;

    /// Where plies are gathered: for each axis square the fewest in which an exit wins, and the
    /// most that the exits which lose hold out.
    fn levels(&self) -> Option<[&[u16]; 2]> {
        None
    }

    /// Forgets everything.
    fn clear(&mut self);
}

/// Exits for win, draw and loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Exits<W> {
    /// There is an exit.
    pub any: W,
    /// One of them wins.
    pub won: W,
    /// One of them does not lose.
    pub held: W,
}

impl<G: Rules<Word = W>, W: Word> Gather<G> for Exits<W> {
    #[inline]
    fn add(
        &mut self,
        store: &Store<G>,
        mask: W,
        own: Pieces<W>,
        opponent: Pieces<W>,
        asked: Asked,
    ) {
        let values = store.values(own, opponent, asked);
        self.any |= mask;
        self.won |= mask & values.lost;
        self.held |= mask & !values.won;
    }

    #[inline]
    fn add_best(
        &mut self,
        store: &Store<G>,
        mask: W,
        landings: W,
        own: Pieces<W>,
        opponent: Pieces<W>,
    ) {
        let values = store.values(own, opponent, Asked::Own);
        self.any |= mask;
        if (values.lost & landings).any() {
            self.won |= mask;
        }
        if (landings & !values.won).any() {
            self.held |= mask;
        }
    }

    #[inline]
    fn add_open(&mut self, other: &Self) {
        let open = other.any & !self.any;
        self.any |= open;
        self.won |= other.won & open;
        self.held |= other.held & open;
    }

    fn exits(&self) -> &Exits<W> {
        self
    }

    fn clear(&mut self) {
        *self = Exits::default();
    }
}

/// From which level exits to the positions of a word count.
struct Levels<'a> {
    plies: Plies<'a>,
    step: Option<Countdown>,
}

impl Levels<'_> {
    /// The level for one axis square; none where it is never reached.
    #[inline]
    fn of(&self, square: u32) -> Option<u16> {
        let plies = self.plies.get(square);
        match self.step {
            None => Some(plies + 1),
            Some(countdown) => countdown.level(plies),
        }
    }
}

/// The values of positions that exits lead to, and from which level the exits count.
fn levels<'a, G: Rules>(
    store: &'a Store<G>,
    own: Pieces<G::Word>,
    opponent: Pieces<G::Word>,
    asked: Asked,
) -> (Values<G::Word>, Levels<'a>) {
    let (values, plies) = store.values_and_plies(own, opponent, asked);
    let step = store.countdown(own, opponent, asked);
    (values, Levels { plies, step })
}

/// Exits with the level from which they count: plies to the end of the game, or plies that must be
/// left.
#[derive(Clone, Debug, Default)]
pub(super) struct PlyExits<W> {
    exits: Exits<W>,
    /// Where an exit wins: the lowest level from which one does. Elsewhere [`u16::MAX`].
    win: Lanes<{ u16::MAX }>,
    /// The highest level from which an exit that loses does; 0 where none loses.
    loss: Lanes<0>,
}

impl<G: Rules<Word = W>, W: Word> Gather<G> for PlyExits<W> {
    fn add(
        &mut self,
        store: &Store<G>,
        mask: W,
        own: Pieces<W>,
        opponent: Pieces<W>,
        asked: Asked,
    ) {
        let (values, levels) = levels(store, own, opponent, asked);
        self.exits.any |= mask;
        self.exits.held |= mask & !values.won;
        for square in (mask & values.lost).indices() {
            if let Some(level) = levels.of(square) {
                self.exits.won |= W::bit(square);
                let win = &mut self.win[square as usize];
                *win = (*win).min(level);
            }
        }
        for square in (mask & values.won).indices() {
            match levels.of(square) {
                Some(level) => {
                    let loss = &mut self.loss[square as usize];
                    *loss = (*loss).max(level);
                }
                None => self.exits.held |= W::bit(square),
            }
        }
    }

    fn add_best(
        &mut self,
        store: &Store<G>,
        mask: W,
        landings: W,
        own: Pieces<W>,
        opponent: Pieces<W>,
    ) {
        let (values, levels) = levels(store, own, opponent, Asked::Own);
        self.exits.any |= mask;
        let (won, lost) = (landings & values.lost, landings & values.won);
        if let Some(best) = won.indices().filter_map(|square| levels.of(square)).min() {
            self.exits.won |= mask;
            for square in mask.indices() {
                let win = &mut self.win[square as usize];
                *win = (*win).min(best);
            }
        }
        // None where one of them does not lose, or not in time.
        let losing = if lost == landings { lost } else { W::ZERO };
        let best = losing.indices().try_fold(0, |best, square| Some(levels.of(square)?.max(best)));
        match best {
            Some(best) if losing.any() => {
                for square in mask.indices() {
                    let loss = &mut self.loss[square as usize];
                    *loss = (*loss).max(best);
                }
            }
            _ => self.exits.held |= mask,
        }
    }

    fn add_open(&mut self, other: &Self) {
        for square in (other.exits.any & !self.exits.any).indices() {
            self.win[square as usize] = other.win[square as usize];
            self.loss[square as usize] = other.loss[square as usize];
        }
        Gather::<G>::add_open(&mut self.exits, &other.exits);
    }

    fn exits(&self) -> &Exits<W> {
        &self.exits
    }

    fn levels(&self) -> Option<[&[u16]; 2]> {
        Some([&self.win[..], &self.loss[..]])
    }

    fn clear(&mut self) {
        *self = PlyExits::default();
    }
}

/// Exits in groups: captures by the number of pieces they take. Room that is used again and again.
pub(super) struct Groups<E> {
    groups: Vec<E>,
    used: usize,
}

impl<E> Default for Groups<E> {
    fn default() -> Self {
        Groups { groups: Vec::new(), used: 0 }
    }
}

impl<E> Groups<E> {
    /// Makes all groups empty.
    pub fn clear(&mut self) {
        self.used = 0;
    }

    /// A group.
    pub fn group<G: Rules>(&mut self, group: usize) -> &mut E
    where
        E: Gather<G>,
    {
        while self.used <= group {
            match self.groups.get_mut(self.used) {
                Some(group) => group.clear(),
                None => self.groups.push(E::default()),
            }
            self.used += 1;
        }
        &mut self.groups[group]
    }

    /// The legal ones of all captures: for each axis square the group with most pieces taken.
    pub fn best<G: Rules>(&self) -> E
    where
        E: Gather<G>,
    {
        let mut best = E::default();
        for group in self.groups[..self.used].iter().rev() {
            best.add_open(group);
        }
        best
    }
}
