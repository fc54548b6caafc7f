//! Values under several draw counters: what the codes of a table mean.
//!
//! A position under draw counters is won up to some values of the counters, and drawn beyond. With
//! one counter that is a number. With several it is a staircase: a list of *corners*, each a
//! greatest value for every counter, and the win counts where the values lie within one of them.
//! A slice has few different staircases, so a table holds a code for each position, and beside it
//! this dictionary. Each side to move has codes of its own: they have hardly a value in common.
//!
//! Mostly the position says which counters are on. Where it does not, the dictionary has several
//! *modes*, told apart by what is on or by the value of a counter, and an entry for each of them
//! under every code.
//!
//! # Bytes
//! Numbers are unsigned LEB128. First the version, 2. Then the number of counters, and for each the
//! length of its name and the name. The number of modes, and for each of them, for every counter,
//! what it asks: 0 nothing, 1 off, 2n+2 the value n, 2n+3 a value of n or more. The number of
//! staircases, and for each the number of its corners and those: for every counter 0 where its
//! value does not matter, else its greatest value plus 1. Last, for either side to move (first that
//! which the slice names first), the number of codes, and for every one, by mode, the numbers of two
//! staircases: where the mover wins and where he loses. A side without a section has no codes.

use std::collections::BTreeSet;

use crate::ToMove;
use crate::table::Wld;

/// The version of the bytes.
const VERSION: u32 = 2;
/// Greater numbers than this of anything are damage: none can occur.
const MOST: u32 = 1 << 24;
/// The greatest value of a counter, in plies: counters are kept in 16 bits.
const MOST_PLIES: u32 = u16::MAX as u32;
/// The most combinations of values at which a code may be looked at; true ones have thousands.
const MOST_COMBINATIONS: usize = 1 << 18;

/// A greatest value, in plies, for every counter; none where its value does not matter, and it may
/// be off.
pub type Corner = Vec<Option<u32>>;

/// What a mode asks of a counter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Asked {
    /// Nothing.
    #[default]
    Nothing,
    /// It is off.
    Off,
    /// It is on with this value.
    Value(u32),
    /// It is on with this value or a greater one.
    AtLeast(u32),
}

impl Asked {
    fn holds(self, value: Option<u32>) -> bool {
        match self {
            Asked::Nothing => true,
            Asked::Off => value.is_none(),
            Asked::Value(asked) => value == Some(asked),
            Asked::AtLeast(asked) => value.is_some_and(|value| value >= asked),
        }
    }
}

/// The staircases of a code in one mode, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Entry {
    /// Where the mover wins.
    pub win: u32,
    /// Where the mover loses.
    pub loss: u32,
}

/// What the codes of a table mean under the counters of a profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stairs {
    counters: Vec<String>,
    modes: Vec<Vec<Asked>>,
    staircases: Vec<Vec<Corner>>,
    /// By side to move, code and mode.
    entries: [Vec<Entry>; 2],
}

/// How a value hangs on the counters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Margin {
    /// Plies by which every counter could be greater and the value still the same. None where no
    /// counter matters.
    pub spare_plies: Option<u32>,
    /// The place of the counter that would be the first to be too great.
    pub counter: Option<usize>,
}

/// Why bytes are no dictionary, or parts do not make one.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StairsError {
    /// Written by a later program.
    #[error("version {0} of a dictionary of staircases: expected {VERSION}")]
    Version(u32),
    /// It ends too early, or goes on too long, or holds what cannot be.
    #[error("damaged dictionary of staircases: {0}")]
    Damaged(&'static str),
    /// The value of a code changes at more combinations of counter values than can be looked at.
    #[error("a value with more than {MOST_COMBINATIONS} combinations of counter values")]
    TooManyPoints,
}

impl Stairs {
    /// A dictionary: the names of counters; modes, for each what it asks of every counter;
    /// staircases; and entries by side to move, code and, within a code, by mode.
    ///
    /// # Errors
    /// [`StairsError::Damaged`] where they do not fit together, or a value is greater than any
    /// counter's.
    pub fn new(
        counters: Vec<String>,
        modes: Vec<Vec<Asked>>,
        staircases: Vec<Vec<Corner>>,
        entries: [Vec<Entry>; 2],
    ) -> Result<Stairs, StairsError> {
        let len = counters.len();
        let plies = |asked: &Asked| match *asked {
            Asked::Nothing | Asked::Off => 0,
            Asked::Value(plies) | Asked::AtLeast(plies) => plies,
        };
        let bounds = staircases.iter().flatten().flatten().flatten();
        let sound = [
            (
                modes.iter().flatten().map(plies).chain(bounds.copied()).all(|n| n <= MOST_PLIES),
                "a value that no counter has",
            ),
            (
                counters.iter().collect::<BTreeSet<_>>().len() == len,
                "a counter that is there twice",
            ),
            (modes.iter().all(|mode| mode.len() == len), "a mode of other counters"),
            (
                staircases.iter().flatten().all(|corner| corner.len() == len),
                "a corner of other counters",
            ),
            (
                (entries.iter().flatten())
                    .all(|entry| (entry.win.max(entry.loss) as usize) < staircases.len()),
                "a staircase that is not there",
            ),
            (
                !modes.is_empty()
                    && entries.iter().all(|entries| entries.len().is_multiple_of(modes.len())),
                "a code without a value for every mode",
            ),
        ];
        match sound.into_iter().find(|(holds, _)| !holds) {
            Some((_, what)) => Err(StairsError::Damaged(what)),
            None => Ok(Stairs { counters, modes, staircases, entries }),
        }
    }

    /// Names of the counters, in the order in which values are given.
    pub fn counters(&self) -> &[String] {
        &self.counters
    }

    /// The number of codes with a side to move; they count from 0.
    pub fn codes(&self, to_move: ToMove) -> usize {
        self.entries[to_move as usize].len() / self.modes.len()
    }

    /// The value of a code where the counters have these values, in plies; none for a counter that
    /// is off. None where there is no such code, or no mode for what is on.
    pub fn value(&self, to_move: ToMove, code: u16, values: &[Option<u32>]) -> Option<Wld> {
        let entry = self.entry(to_move, code, values)?;
        let within = |staircase: u32| {
            self.corners(staircase).iter().any(|corner| spare(corner, values).is_some())
        };
        Some(if within(entry.win) {
            Wld::Win
        } else if within(entry.loss) {
            Wld::Loss
        } else {
            Wld::Draw
        })
    }

    /// By how much the counters that are on could be greater before a win or loss becomes a draw.
    /// None for draws, and as [`Self::value`].
    pub fn margin(&self, to_move: ToMove, code: u16, values: &[Option<u32>]) -> Option<Margin> {
        let entry = self.entry(to_move, code, values)?;
        let corners = self.corners(entry.win).iter().chain(self.corners(entry.loss));
        let margins = corners.filter_map(|corner| spare(corner, values));
        margins.max_by_key(|margin| margin.spare_plies.unwrap_or(u32::MAX))
    }

    /// For every counter, ascending, the values at which the value of a code may change: greatest
    /// ones, those just above, and those that modes ask for; 0 always.
    ///
    /// # Errors
    /// [`StairsError::TooManyPoints`] where their combinations, with the counter off among the values
    /// of each, are so many that no true table has them.
    pub fn turning_points(
        &self,
        to_move: ToMove,
        code: u16,
    ) -> Result<Vec<BTreeSet<u32>>, StairsError> {
        let mut points = vec![BTreeSet::from([0]); self.counters.len()];
        for mode in &self.modes {
            for (points, asked) in points.iter_mut().zip(mode) {
                if let Asked::Value(value) | Asked::AtLeast(value) = *asked {
                    points.insert(value);
                }
            }
        }
        let modes = self.modes.len();
        let entries = &self.entries[to_move as usize];
        let entries = entries.get(usize::from(code) * modes..).unwrap_or(&[]);
        let staircases = entries.iter().take(modes).flat_map(|entry| [entry.win, entry.loss]);
        for staircase in staircases.collect::<BTreeSet<_>>() {
            for corner in self.corners(staircase) {
                for (points, bound) in points.iter_mut().zip(corner) {
                    // No overflow: bounds fit 16 bits.
                    points.extend(bound.iter().flat_map(|&bound| [bound, bound + 1]));
                }
            }
        }
        let product = |all: usize, points: &BTreeSet<u32>| all.checked_mul(points.len() + 1);
        match points.iter().try_fold(1, product) {
            Some(combinations) if combinations <= MOST_COMBINATIONS => Ok(points),
            _ => Err(StairsError::TooManyPoints),
        }
    }

    fn entry(&self, to_move: ToMove, code: u16, values: &[Option<u32>]) -> Option<Entry> {
        let value = |i: usize| values.get(i).copied().flatten();
        let holds =
            |mode: &Vec<Asked>| mode.iter().enumerate().all(|(i, asked)| asked.holds(value(i)));
        let mode = self.modes.iter().position(holds)?;
        let entries = &self.entries[to_move as usize];
        entries.get(usize::from(code) * self.modes.len() + mode).copied()
    }

    fn corners(&self, staircase: u32) -> &[Corner] {
        &self.staircases[staircase as usize]
    }

    /// The bytes, as the module describes them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut put = |number: u32| {
            let mut left = number;
            while left > 0x7F {
                bytes.push(left as u8 | 0x80);
                left >>= 7;
            }
            bytes.push(left as u8);
        };
        put(VERSION);
        put(self.counters.len() as u32);
        for name in &self.counters {
            put(name.len() as u32);
            name.bytes().for_each(|byte| put(byte.into()));
        }
        put(self.modes.len() as u32);
        for &asked in self.modes.iter().flatten() {
            put(match asked {
                Asked::Nothing => 0,
                Asked::Off => 1,
                Asked::Value(value) => 2 * value + 2,
                Asked::AtLeast(value) => 2 * value + 3,
            });
        }
        put(self.staircases.len() as u32);
        for staircase in &self.staircases {
            put(staircase.len() as u32);
            for bound in staircase.iter().flatten() {
                put(bound.map_or(0, |bound| bound + 1));
            }
        }
        for entries in &self.entries {
            put((entries.len() / self.modes.len()) as u32);
            for entry in entries {
                put(entry.win);
                put(entry.loss);
            }
        }
        bytes
    }

    /// Reads what [`Self::to_bytes`] gives.
    ///
    /// # Errors
    /// Any [`StairsError`]; never panics.
    pub fn from_bytes(bytes: &[u8]) -> Result<Stairs, StairsError> {
        let mut reader = Reader(bytes);
        let version = reader.number()?;
        if version != VERSION {
            return Err(StairsError::Version(version));
        }
        let counters = reader.list(|reader| {
            let name = reader.list(|reader| {
                let byte = reader.number()?;
                u8::try_from(byte)
                    .ok()
                    .filter(u8::is_ascii_alphanumeric)
                    .map(char::from)
                    .ok_or(StairsError::Damaged("the name of a counter"))
            })?;
            Ok(String::from_iter(name))
        })?;
        let len = counters.len();
        let modes = reader.list(|reader| {
            reader.times(len, |reader| {
                Ok(match reader.number()? {
                    0 => Asked::Nothing,
                    1 => Asked::Off,
                    n if n % 2 == 0 => Asked::Value(n / 2 - 1),
                    n => Asked::AtLeast((n - 3) / 2),
                })
            })
        })?;
        let staircases = reader.list(|reader| {
            reader.list(|reader| reader.times(len, |reader| Ok(reader.number()?.checked_sub(1))))
        })?;
        let mut codes = || {
            let entries = reader.list(|reader| {
                reader.times(modes.len(), |reader| {
                    Ok(Entry { win: reader.number()?, loss: reader.number()? })
                })
            })?;
            Ok(entries.into_iter().flatten().collect())
        };
        let entries = [codes()?, codes()?];
        if !reader.0.is_empty() {
            return Err(StairsError::Damaged("bytes after its end"));
        }
        Stairs::new(counters, modes, staircases, entries)
    }
}

/// What is left until a counter is beyond a corner; none where one is.
fn spare(corner: &Corner, values: &[Option<u32>]) -> Option<Margin> {
    let mut margin = Margin { spare_plies: None, counter: None };
    for (i, bound) in corner.iter().enumerate() {
        let Some(bound) = *bound else { continue };
        // A counter that must not be great must be on: which are is the same for all of a code.
        let spare = bound.checked_sub(values.get(i).copied().flatten()?)?;
        if margin.spare_plies.is_none_or(|least| spare < least) {
            margin = Margin { spare_plies: Some(spare), counter: Some(i) };
        }
    }
    Some(margin)
}

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Result<u32, StairsError> {
        let mut number = 0;
        for shift in (0..28).step_by(7) {
            let (&byte, rest) = self.0.split_first().ok_or(StairsError::Damaged("cut short"))?;
            self.0 = rest;
            number |= u32::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return if number < MOST { Ok(number) } else { Err(TOO_LARGE) };
            }
        }
        Err(TOO_LARGE)
    }

    fn times<T>(
        &mut self,
        times: usize,
        mut read: impl FnMut(&mut Self) -> Result<T, StairsError>,
    ) -> Result<Vec<T>, StairsError> {
        // No memory is set aside for what may not be there.
        let mut list = Vec::new();
        for _ in 0..times {
            list.push(read(self)?);
        }
        Ok(list)
    }

    fn list<T>(
        &mut self,
        read: impl FnMut(&mut Self) -> Result<T, StairsError>,
    ) -> Result<Vec<T>, StairsError> {
        let times = self.number()? as usize;
        // Nothing that is listed takes less than a byte, but for corners where no counter is.
        if times > self.0.len() + 1 {
            return Err(StairsError::Damaged("cut short"));
        }
        self.times(times, read)
    }
}

const TOO_LARGE: StairsError = StairsError::Damaged("a number that is too large");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToMove::{First, Second};

    fn example() -> Stairs {
        let counters = vec!["K15".to_string(), "C16".to_string()];
        let modes = vec![
            vec![Asked::Nothing, Asked::Off],
            vec![Asked::Nothing, Asked::Value(0)],
            vec![Asked::Nothing, Asked::AtLeast(1)],
        ];
        let staircases = vec![
            vec![],
            vec![vec![None, None]],
            vec![vec![Some(20), None]],
            vec![vec![Some(20), Some(3)], vec![Some(2), Some(300)]],
        ];
        let entry = |win, loss| Entry { win, loss };
        let entries = [
            vec![entry(0, 1), entry(0, 1), entry(0, 1), entry(2, 0), entry(2, 0), entry(3, 0)],
            vec![entry(1, 0); 3],
        ];
        Stairs::new(counters, modes, staircases, entries).unwrap()
    }

    #[test]
    fn values_lie_within_a_corner() {
        let stairs = example();
        assert_eq!([stairs.codes(First), stairs.codes(Second)], [2, 1]);
        assert_eq!(stairs.value(Second, 0, &[Some(99), None]), Some(Wld::Win));
        let value = |code, a, b| stairs.value(First, code, &[Some(a), b]);
        assert_eq!(value(0, 99, None), Some(Wld::Loss));
        assert_eq!(value(0, 99, Some(9)), Some(Wld::Loss));
        assert_eq!(value(1, 20, None), Some(Wld::Win));
        assert_eq!(value(1, 21, None), Some(Wld::Draw));
        for (a, b, expected) in [
            (20, 0, Wld::Win),
            (20, 3, Wld::Win),
            (20, 4, Wld::Draw),
            (3, 4, Wld::Draw),
            (2, 4, Wld::Win),
            (0, 300, Wld::Win),
            (0, 301, Wld::Draw),
        ] {
            assert_eq!(value(1, a, Some(b)), Some(expected), "{a} {b}");
        }
        assert_eq!(stairs.value(First, 2, &[Some(0), None]), None);
        // A bounded counter that is off lies within nothing.
        assert_eq!(stairs.value(First, 1, &[None, None]), Some(Wld::Draw));
    }

    #[test]
    fn the_margin_is_that_of_the_best_corner() {
        let stairs = example();
        let margin = |a, b| stairs.margin(First, 1, &[Some(a), Some(b)]);
        let expected =
            |plies, counter| Some(Margin { spare_plies: Some(plies), counter: Some(counter) });
        assert_eq!(margin(1, 1), expected(2, 1));
        assert_eq!(margin(0, 3), expected(2, 0));
        assert_eq!(margin(9, 9), None);
        let always = Some(Margin { spare_plies: None, counter: None });
        assert_eq!(stairs.margin(First, 0, &[Some(5), None]), always);
    }

    #[test]
    fn turning_points_are_those_of_both_staircases_and_of_modes() {
        let points = |code| {
            let points = example().turning_points(First, code).unwrap();
            points.into_iter().map(|points| points.into_iter().collect()).collect::<Vec<Vec<u32>>>()
        };
        assert_eq!(points(0), [vec![0], vec![0, 1]]);
        assert_eq!(points(1), [vec![0, 2, 3, 20, 21], vec![0, 1, 3, 4, 300, 301]]);
        assert_eq!(points(2), [vec![0], vec![0, 1]]);
    }

    /// One position would have taken minutes, or all memory.
    #[test]
    fn combinations_of_turning_points_are_bounded() {
        let stairs = |counters: u32, corners: u32| {
            let name = |n| format!("C{n}");
            let corner = |n: u32| (0..counters).map(|i| Some((n * 2 + i) % 5_000)).collect();
            let staircases = vec![vec![], (0..corners).map(corner).collect()];
            let modes = vec![vec![Asked::Nothing; counters as usize]];
            let entries = [vec![Entry { win: 1, loss: 0 }], vec![]];
            Stairs::new((0..counters).map(name).collect(), modes, staircases, entries).unwrap()
        };
        let points = |counters, corners| stairs(counters, corners).turning_points(First, 0);
        assert!(points(1, 3_000).is_ok());
        assert!(points(2, 100).is_ok());
        assert_eq!(points(2, 3_000), Err(StairsError::TooManyPoints));
        assert_eq!(points(8, 10), Err(StairsError::TooManyPoints));
        assert_eq!(points(200, 3), Err(StairsError::TooManyPoints));
    }

    #[test]
    fn values_that_no_counter_has_and_counters_named_twice_are_refused() {
        let new = |bound: u32, asked: Asked, names: [&str; 2]| {
            let staircases = vec![vec![vec![Some(bound), None]]];
            let entries = [vec![Entry { win: 0, loss: 0 }], vec![]];
            let names = names.map(String::from).to_vec();
            Stairs::new(names, vec![vec![asked, Asked::Nothing]], staircases, entries)
        };
        let greatest = new(MOST_PLIES, Asked::AtLeast(MOST_PLIES), ["A", "B"]).unwrap();
        assert_eq!(Stairs::from_bytes(&greatest.to_bytes()).as_ref(), Ok(&greatest));
        let points = greatest.turning_points(First, 0).unwrap();
        assert_eq!(points[0], BTreeSet::from([0, MOST_PLIES, MOST_PLIES + 1]));
        let damaged = Err(StairsError::Damaged("a value that no counter has"));
        assert_eq!(new(MOST_PLIES + 1, Asked::Nothing, ["A", "B"]), damaged);
        assert_eq!(new(u32::MAX, Asked::Nothing, ["A", "B"]), damaged);
        assert_eq!(new(0, Asked::Value(u32::MAX), ["A", "B"]), damaged);
        let twice = Err(StairsError::Damaged("a counter that is there twice"));
        assert_eq!(new(0, Asked::Nothing, ["A", "A"]), twice);
    }

    #[test]
    fn bytes_are_read_back_and_no_others_are_taken() {
        let stairs = example();
        let bytes = stairs.to_bytes();
        assert_eq!(Stairs::from_bytes(&bytes), Ok(stairs));
        for len in 0..bytes.len() {
            assert!(Stairs::from_bytes(&bytes[..len]).is_err(), "{len}");
        }
        for at in 0..bytes.len() {
            for byte in 0..=255 {
                let mut changed = bytes.clone();
                changed[at] = byte;
                if let Ok(read) = Stairs::from_bytes(&changed) {
                    assert_eq!(Stairs::from_bytes(&read.to_bytes()), Ok(read));
                }
            }
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(Stairs::from_bytes(&longer).is_err());
        assert_eq!(Stairs::from_bytes(&[3]), Err(StairsError::Version(3)));
    }
}
