//! What draw rules make of a value.

use damabase_formats::{Distance, Wld};
use damabase_rules::draws::Left;

/// What a position is worth under a profile, seen by its mover, or a move, seen by the side that
/// makes it. Better ones are greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Standing {
    /// Lost before a draw is due.
    Loss,
    /// Lost if nobody counted; a draw is due before.
    BlessedLoss,
    /// Drawn.
    Draw,
    /// Won if nobody counted; a draw is due before.
    CursedWin,
    /// Won before a draw is due.
    Win,
}

impl Standing {
    /// The name in output: `win`, `cursed-win`, `draw`, `blessed-loss`, `loss`.
    pub const fn name(self) -> &'static str {
        match self {
            Standing::Loss => "loss",
            Standing::BlessedLoss => "blessed-loss",
            Standing::Draw => "draw",
            Standing::CursedWin => "cursed-win",
            Standing::Win => "win",
        }
    }

    /// The same, seen by the other side.
    pub const fn turned(self) -> Standing {
        match self {
            Standing::Loss => Standing::Win,
            Standing::BlessedLoss => Standing::CursedWin,
            Standing::Draw => Standing::Draw,
            Standing::CursedWin => Standing::BlessedLoss,
            Standing::Win => Standing::Loss,
        }
    }

    /// The result of the game.
    pub const fn result(self) -> Wld {
        match self {
            Standing::Loss => Wld::Loss,
            Standing::BlessedLoss | Standing::Draw | Standing::CursedWin => Wld::Draw,
            Standing::Win => Wld::Win,
        }
    }

    /// The value of a position with this result under the counters, worth that in theory.
    pub fn new(result: Wld, in_theory: Wld) -> Standing {
        match (result, in_theory) {
            (Wld::Win, _) => Standing::Win,
            (Wld::Loss, _) => Standing::Loss,
            (Wld::Draw, Wld::Win) => Standing::CursedWin,
            (Wld::Draw, Wld::Draw) => Standing::Draw,
            (Wld::Draw, Wld::Loss) => Standing::BlessedLoss,
        }
    }
}

/// All that is known of a position with counters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counted {
    /// Its value under the profile; none where that is not known.
    pub standing: Option<Standing>,
    /// Its value if nobody counted.
    pub in_theory: Wld,
    /// What is left on the counters; none where a single number would decide but the values are
    /// such that it does not.
    pub left: Option<Left>,
    /// Where a win or loss counts: plies that are left beyond those that are needed, or, where
    /// several counters decide, by which each could be greater; none where nothing counts or it is
    /// not known.
    pub to_spare: Option<u32>,
    /// The plies that must be left so that the win or loss counts, a draw where no number of plies
    /// is enough; none where it is not known, or several numbers decide. With 0 the game is over.
    pub budget: Option<Distance>,
}

impl Counted {
    /// The same position, seen by the other side.
    #[must_use]
    pub fn turned(self) -> Counted {
        Counted {
            standing: self.standing.map(Standing::turned),
            in_theory: self.in_theory.turned(),
            ..self
        }
    }

    /// The order in which moves are preferred, greater first: what wins in time before what wins in
    /// theory, then what ends the game, then the most plies to spare for a win, the fewest for a
    /// loss.
    pub fn preference(&self) -> (Option<Standing>, i64, Wld) {
        let needed = self.budget.and_then(Distance::plies).map_or(0, i64::from);
        let spare = self.to_spare.map(i64::from);
        match self.standing {
            // The game is over, and no counter undoes it.
            Some(Standing::Win) if self.budget.and_then(Distance::plies) == Some(0) => {
                (self.standing, i64::MAX, self.in_theory)
            }
            Some(Standing::Win) => (self.standing, spare.unwrap_or(-needed), self.in_theory),
            Some(Standing::Loss) => {
                (self.standing, spare.map_or(needed, |spare| -spare), self.in_theory)
            }
            _ => (self.standing, 0, self.in_theory),
        }
    }
}
