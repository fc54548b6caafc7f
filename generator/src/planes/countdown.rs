//! What exits do to the plies left on a draw counter, for the slice in work.

use damabase_formats::{Distance, Material};
use damabase_rules::draws::{self, Step};

use super::store::{self, SLOTS};

/// What exits to one material do to the plies left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Countdown {
    step: Step,
    /// The most plies that can be left in the slice in work.
    top: u16,
}

impl Countdown {
    /// The level from which an exit counts to a position with this budget; none where so many
    /// plies are never left.
    #[inline]
    pub fn level(self, budget: u16) -> Option<u16> {
        self.step.level(budget).filter(|&level| level <= self.top)
    }
}

/// What every exit of a slice does to the plies left.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    /// The most plies that can be left.
    pub top: u16,
    /// By the material after the exit.
    steps: Vec<Countdown>,
}

impl Steps {
    pub fn new(countdown: &draws::Countdown) -> Self {
        let most = Distance::MAX_PLIES;
        let top =
            countdown.top.map_or(most, |top| u16::try_from(top).map_or(most, |top| top.min(most)));
        let mut steps = vec![Countdown { step: Step::COUNT, top }; SLOTS];
        for (&[moved, waited], &step) in &countdown.steps {
            steps[store::slot(moved, waited)].step = step;
        }
        Steps { top, steps }
    }

    /// Exits after which the side that has moved has the one and the other side the other material.
    #[inline]
    pub fn get(&self, moved: Material, waited: Material) -> Countdown {
        self.steps[store::slot(moved, waited)]
    }
}
