//! Value codes of all metrics as distances, and how exits pass values on.

use damabase_formats::table::{Distance, Metric, Wld};

/// The value that a code stands for in a metric. Win, draw and loss without a distance are given
/// the distance 0. None for codes without a meaning.
#[inline]
pub fn from_code(metric: Metric, code: u16) -> Option<Distance> {
    match metric {
        Metric::Wld => Some(match Wld::from_code(code)? {
            Wld::Loss => Distance::Loss(0),
            Wld::Draw => Distance::Draw,
            Wld::Win => Distance::Win(0),
        }),
        _ => Distance::from_code(code),
    }
}

/// The code of a value in a metric; none where its distance is too long for one.
#[inline]
pub fn code(metric: Metric, value: Distance) -> Option<u16> {
    match metric {
        Metric::Wld => Some(value.wld().code()),
        _ => value.code(),
    }
}

/// The exits of one position summed up: from which level (in plies) its mover wins or loses by
/// them. [`Exits::NEVER`] where there is no such level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exits {
    /// The earliest level from which one of the exits wins.
    pub win_at: u16,
    /// The level from which all of the exits lose; 0 where there is no exit.
    pub lose_at: u16,
}

impl Exits {
    /// No such level.
    pub const NEVER: u16 = u16::MAX;
    /// No exit.
    pub const NONE: Exits = Exits { win_at: Exits::NEVER, lose_at: 0 };

    /// Adds an exit to a position with this value for its mover.
    #[inline]
    pub fn add(&mut self, metric: Metric, reached: Distance) {
        let level = |plies: u16| match metric {
            Metric::Dtw => plies.saturating_add(1),
            // The distance to conversion ends with the exit, whatever comes after.
            _ => 1,
        };
        match reached {
            Distance::Loss(plies) => {
                self.win_at = self.win_at.min(level(plies));
                self.lose_at = Exits::NEVER;
            }
            Distance::Draw => self.lose_at = Exits::NEVER,
            Distance::Win(plies) => self.lose_at = self.lose_at.max(level(plies)),
        }
    }

    /// The value of a position that has no other moves.
    #[inline]
    pub fn value(self) -> Distance {
        if self.win_at != Exits::NEVER {
            Distance::Win(self.win_at)
        } else if self.lose_at != Exits::NEVER {
            Distance::Loss(self.lose_at)
        } else {
            Distance::Draw
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exits_take_the_least_win_and_else_the_greatest_loss() {
        use Distance::{Draw, Loss, Win};
        let sum = |metric, reached: &[Distance]| {
            let mut exits = Exits::NONE;
            reached.iter().for_each(|&value| exits.add(metric, value));
            exits.value()
        };
        assert_eq!(sum(Metric::Dtw, &[]), Loss(0));
        assert_eq!(sum(Metric::Dtw, &[Win(3), Win(7), Win(5)]), Loss(8));
        assert_eq!(sum(Metric::Dtw, &[Win(3), Draw]), Draw);
        assert_eq!(sum(Metric::Dtw, &[Loss(6), Win(3), Loss(4), Draw]), Win(5));
        assert_eq!(sum(Metric::Dtc, &[Loss(6), Win(3), Loss(4), Draw]), Win(1));
        assert_eq!(sum(Metric::Dtc, &[Win(3), Win(7)]), Loss(1));
    }

    #[test]
    fn codes_of_all_metrics_are_read_back() {
        for value in [Distance::Draw, Distance::Loss(0), Distance::Win(0)] {
            for metric in [Metric::Wld, Metric::Dtc, Metric::Dtw] {
                assert_eq!(from_code(metric, code(metric, value).unwrap()), Some(value));
            }
        }
    }
}
