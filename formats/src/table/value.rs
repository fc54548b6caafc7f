//! Values of positions, and the numbers that stand for them in a table.

/// The number that a source of values gives where the table need not hold the value: at holes of
/// the index, and where the mover can capture (the probe resolves captures by search). The writer
/// puts there whatever compresses best.
pub const DONT_CARE: u16 = u16::MAX;

/// What a position is worth to the side to move, draw counters aside.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wld {
    /// The mover loses.
    Loss,
    /// A draw.
    Draw,
    /// The mover wins.
    Win,
}

impl Wld {
    /// All values, worst first.
    pub const ALL: [Wld; 3] = [Wld::Loss, Wld::Draw, Wld::Win];

    /// The number in a table: 0 loss, 1 draw, 2 win.
    #[inline]
    pub const fn code(self) -> u16 {
        self as u16
    }

    /// The value of a number; none if it stands for no value.
    #[inline]
    pub const fn from_code(code: u16) -> Option<Wld> {
        match code {
            0 => Some(Wld::Loss),
            1 => Some(Wld::Draw),
            2 => Some(Wld::Win),
            _ => None,
        }
    }

    /// The same value seen by the other side.
    #[inline]
    pub const fn turned(self) -> Wld {
        match self {
            Wld::Loss => Wld::Win,
            Wld::Draw => Wld::Draw,
            Wld::Win => Wld::Loss,
        }
    }

    /// The name in output: `loss`, `draw`, `win`.
    pub const fn name(self) -> &'static str {
        match self {
            Wld::Loss => "loss",
            Wld::Draw => "draw",
            Wld::Win => "win",
        }
    }
}

impl std::fmt::Display for Wld {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// What a position is worth to the side to move, and how many plies it takes. Worse values are
/// less: a quick loss before a slow one, a slow win before a quick one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Distance {
    /// The mover loses in so many plies.
    Loss(u16),
    /// A draw.
    Draw,
    /// The mover wins in so many plies.
    Win(u16),
}

impl Distance {
    /// The greatest number of plies that a table can hold.
    pub const MAX_PLIES: u16 = 32_766;

    /// The number in a table: 0 draw, 2n + 1 loss in n plies, 2n + 2 win in n plies; none where
    /// n is over [`Distance::MAX_PLIES`].
    #[inline]
    pub const fn code(self) -> Option<u16> {
        match self {
            Distance::Draw => Some(0),
            Distance::Loss(plies) if plies <= Self::MAX_PLIES => Some(2 * plies + 1),
            Distance::Win(plies) if plies <= Self::MAX_PLIES => Some(2 * plies + 2),
            _ => None,
        }
    }

    /// The value of a number; none if it stands for no value.
    #[inline]
    pub const fn from_code(code: u16) -> Option<Distance> {
        match code {
            0 => Some(Distance::Draw),
            DONT_CARE => None,
            _ if code % 2 == 1 => Some(Distance::Loss(code / 2)),
            _ => Some(Distance::Win(code / 2 - 1)),
        }
    }

    /// Win, draw or loss.
    #[inline]
    pub const fn wld(self) -> Wld {
        match self {
            Distance::Loss(_) => Wld::Loss,
            Distance::Draw => Wld::Draw,
            Distance::Win(_) => Wld::Win,
        }
    }

    /// Number of plies; none for a draw.
    #[inline]
    pub const fn plies(self) -> Option<u16> {
        match self {
            Distance::Draw => None,
            Distance::Loss(plies) | Distance::Win(plies) => Some(plies),
        }
    }

    /// The value of a move that leads to a position with this value: seen by the other side, one
    /// ply longer.
    #[inline]
    pub const fn before(self) -> Distance {
        match self {
            Distance::Draw => Distance::Draw,
            Distance::Loss(plies) => Distance::Win(plies.saturating_add(1)),
            Distance::Win(plies) => Distance::Loss(plies.saturating_add(1)),
        }
    }

    const fn weight(self) -> i32 {
        match self {
            Distance::Loss(plies) => plies as i32 - 0x2_0000,
            Distance::Draw => 0,
            Distance::Win(plies) => 0x2_0000 - plies as i32,
        }
    }
}

impl Ord for Distance {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.weight().cmp(&other.weight())
    }
}

impl PartialOrd for Distance {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_one_value_or_none() {
        for code in 0..=u16::MAX {
            match Distance::from_code(code) {
                Some(value) => assert_eq!(value.code(), Some(code)),
                None => assert_eq!(code, DONT_CARE),
            }
            match Wld::from_code(code) {
                Some(value) => assert_eq!(value.code(), code),
                None => assert!(code > 2),
            }
        }
        assert_eq!(Distance::Win(Distance::MAX_PLIES + 1).code(), None);
        assert_eq!(Distance::Loss(u16::MAX).code(), None);
    }

    #[test]
    fn values_are_ordered_from_worst_to_best() {
        let ordered = [
            Distance::Loss(0),
            Distance::Loss(9),
            Distance::Loss(u16::MAX),
            Distance::Draw,
            Distance::Win(u16::MAX),
            Distance::Win(9),
            Distance::Win(0),
        ];
        assert!(ordered.is_sorted());
        assert!(ordered.windows(2).all(|pair| pair[0] != pair[1]));
        assert!(Wld::ALL.is_sorted());
        assert_eq!(Distance::Loss(0).before(), Distance::Win(1));
        assert_eq!(Distance::Win(3).before(), Distance::Loss(4));
        assert_eq!(Distance::Win(3).before().wld(), Wld::Win.turned());
    }
}
