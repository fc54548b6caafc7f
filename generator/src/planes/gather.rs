//! What exits give the mover, gathered for all squares of the axis king at once.

use damabase_rules::{Pieces, Rules, Word};

use super::lanes::Lanes;
use super::plane::Values;
use super::store::{Asked, Numbers, Store};

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

    /// Where levels are gathered, for each axis square: the lowest from which an exit that wins
    /// counts, or, where all exits lose, the level from which all of them count.
    fn levels(&self) -> Option<&Lanes<G::Word>> {
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

/// Exits with the level from which they count: plies to the end of the game, or plies that must be
/// left.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LevelExits<W> {
    exits: Exits<W>,
    /// Where an exit wins: the lowest level from which one does. Elsewhere the highest from which
    /// an exit that loses does; 0 where none loses.
    level: Lanes<W>,
}

/// Levels from which exits count, and the bits where they ever do.
type Levels<'a, W> = (W, Numbers<'a, W>);

/// The values of positions that exits lead to, and the levels of the exits where one of the
/// positions of `mask` is no draw.
#[inline]
fn levels<G: Rules>(
    store: &Store<G>,
    mask: G::Word,
    own: Pieces<G::Word>,
    opponent: Pieces<G::Word>,
    asked: Asked,
) -> (Values<G::Word>, Option<Levels<'_, G::Word>>) {
    let (values, numbers) = store.values_and_numbers(mask, own, opponent, asked);
    let levels = |numbers| match store.countdown(own, opponent, asked) {
        // An exit is a ply, and numbers are one more than plies.
        None => (!G::Word::ZERO, numbers),
        Some(countdown) => countdown.levels(numbers),
    };
    (values, numbers.map(levels))
}

impl<W: Word> LevelExits<W> {
    /// Adds exits that win from these levels on for the axis squares of `mask`.
    #[inline]
    fn win(&mut self, mask: W, levels: &Numbers<'_, W>) {
        let open = !self.exits.won;
        match levels.digits() {
            Ok(levels) => {
                let better = mask & (open | levels.below(self.level.digits()));
                self.level.replace(better, levels);
            }
            Err(level) => {
                let more = !self.level.digits().at_most(level.into());
                self.level.put(mask & (open | more), level);
            }
        }
        self.exits.won |= mask;
    }

    /// Adds exits that lose from these levels on for the axis squares of `mask`.
    #[inline]
    fn lose(&mut self, mask: W, levels: &Numbers<'_, W>) {
        let mask = mask & !self.exits.won;
        match levels.digits() {
            Ok(levels) => {
                let longer = mask & self.level.digits().below(levels);
                self.level.replace(longer, levels);
            }
            Err(0) => {}
            Err(level) => {
                let less = self.level.digits().at_most(u32::from(level) - 1);
                self.level.put(mask & less, level);
            }
        }
    }
}

impl<G: Rules<Word = W>, W: Word> Gather<G> for LevelExits<W> {
    #[inline]
    fn add(
        &mut self,
        store: &Store<G>,
        mask: W,
        own: Pieces<W>,
        opponent: Pieces<W>,
        asked: Asked,
    ) {
        let (values, levels) = levels(store, mask, own, opponent, asked);
        self.exits.any |= mask;
        let Some((there, levels)) = levels else {
            self.exits.held |= mask;
            return;
        };
        let (won, lost) = (mask & values.lost & there, mask & values.won & there);
        self.exits.held |= mask & !lost;
        if won.any() {
            self.win(won, &levels);
        }
        if lost.any() {
            self.lose(lost, &levels);
        }
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
        let (values, levels) = levels(store, landings, own, opponent, Asked::Own);
        self.exits.any |= mask;
        let Some((there, levels)) = levels else {
            self.exits.held |= mask;
            return;
        };
        let digits = levels.digits();
        let won = landings & values.lost & there;
        if won.any() {
            let best = digits.map_or_else(Some, |digits| digits.least(won));
            self.win(mask, &Numbers::All(best.unwrap_or(0)));
        }
        // Not lost where one of them does not lose, or not in time.
        if (landings & !(values.won & there)).any() {
            self.exits.held |= mask;
        } else {
            let last = digits.map_or_else(Some, |digits| digits.greatest(landings));
            self.lose(mask, &Numbers::All(last.unwrap_or(0)));
        }
    }

    fn add_open(&mut self, other: &Self) {
        let open = other.exits.any & !self.exits.any;
        self.level.replace(open, other.level.digits());
        Gather::<G>::add_open(&mut self.exits, &other.exits);
    }

    fn exits(&self) -> &Exits<W> {
        &self.exits
    }

    fn levels(&self) -> Option<&Lanes<W>> {
        Some(&self.level)
    }

    fn clear(&mut self) {
        self.exits = Exits::default();
        self.level.clear();
    }
}

/// Exits in groups: captures by the number of pieces they take. Room that is used again and again.
#[derive(Default)]
pub(super) struct Groups<E> {
    groups: Vec<E>,
    used: usize,
    best: E,
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
    pub fn best<G: Rules>(&mut self) -> &mut E
    where
        E: Gather<G>,
    {
        self.best.clear();
        for group in self.groups[..self.used].iter().rev() {
            self.best.add_open(group);
        }
        &mut self.best
    }
}
