//! What exits do to the plies left on a draw counter, for the slice in work.

use damabase_formats::{Distance, Material};
use damabase_rules::Word;
use damabase_rules::draws::{self, Step};

use super::store::{self, Numbers, SLOTS};

/// What exits to one material do to the plies left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Countdown {
    step: Step,
    /// The most plies that can be left in the slice in work.
    top: u16,
}

impl Countdown {
    /// The levels from which exits count to positions with these budgets, each given as one more:
    /// [`Step::level`] for all of them. Beside them the bits where there is one: elsewhere so many
    /// plies are never left.
    #[inline]
    pub fn levels<W: Word>(self, numbers: Numbers<'_, W>) -> (W, Numbers<'_, W>) {
        let budgets = match numbers.digits() {
            Ok(budgets) => budgets,
            Err(number) => {
                let level = self.step.level(number - 1).filter(|&level| level <= self.top);
                let there = if level.is_some() { !W::ZERO } else { W::ZERO };
                return (there, Numbers::All(level.unwrap_or(0)));
            }
        };
        // Where the game has ended no counter undoes it.
        let ended = budgets.at_most(1);
        let fresh = self.step.fresh.map_or(u32::MAX, |fresh| fresh.saturating_add(1));
        let mut there = budgets.at_most(fresh) | ended;
        let top = u32::from(self.top);
        let carry = self.step.carry.map(i64::from);
        if carry == Some(-1) {
            there &= budgets.at_most(top);
            return (there, numbers);
        }
        let mut levels = match carry.map(|carry| -1 - carry) {
            None => return (there, Numbers::All(1)),
            Some(less @ ..0) => budgets.minus(u32::try_from(-less).unwrap_or(u32::MAX)),
            Some(more) => match u16::try_from(more) {
                Ok(more) if more <= Distance::MAX_PLIES => budgets.plus(more),
                _ => return (ended, Numbers::All(1)),
            },
        };
        levels.put(ended, 1);
        (there & levels.digits().at_most(top), Numbers::Own(Box::new(levels)))
    }
}

/// The most plies that a table can say must be left in a slice.
pub(super) fn most_left(countdown: &draws::Countdown) -> u16 {
    let most = Distance::MAX_PLIES;
    countdown.top.map_or(most, |top| u16::try_from(top).map_or(most, |top| top.min(most)))
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
        let top = most_left(countdown);
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

#[cfg(test)]
mod tests {
    use super::super::lanes::Lanes;
    use super::*;

    #[test]
    fn levels_are_those_of_single_budgets() {
        let carries = [None, Some(-1), Some(-2), Some(-19), Some(0), Some(3), Some(40)];
        let far = [Some(-40_000), Some(-70_000), Some(40_000), Some(70_000)];
        for carry in carries.into_iter().chain(far) {
            for fresh in [None, Some(0), Some(9), Some(30), Some(u32::MAX)] {
                for top in [10, 50, 255, Distance::MAX_PLIES] {
                    let step = Step { carry, fresh };
                    let budgets: [u16; 64] =
                        std::array::from_fn(|n| if n < 60 { n as u16 } else { 32_766 - n as u16 });
                    let mut numbers = Lanes::<u64>::default();
                    (0..).zip(budgets).for_each(|(bit, budget)| numbers.put(1 << bit, budget + 1));
                    let countdown = Countdown { step, top };
                    let (there, levels) = countdown.levels(Numbers::Own(Box::new(numbers)));
                    for (bit, budget) in (0..).zip(budgets) {
                        let expected = step.level(budget).filter(|&level| level <= top);
                        let level =
                            levels.digits().map_or_else(|level| level, |digits| digits.get(bit));
                        let level = (there >> bit & 1 == 1).then_some(level);
                        assert_eq!(level, expected, "{step} top {top} budget {budget}");
                        let (there, level) = countdown.levels::<u64>(Numbers::All(budget + 1));
                        assert!(there == if expected.is_some() { u64::MAX } else { 0 });
                        assert!(
                            matches!(level, Numbers::All(n) if expected.is_none_or(|e| n == e))
                        );
                    }
                }
            }
        }
    }
}
