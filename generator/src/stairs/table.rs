//! A solved slice as a table stores it: codes, and the dictionary that says what they mean.

use std::cmp::Reverse;
use std::ops::Range;

use damabase_formats::stairs::{Asked, Entry, Stairs};
use damabase_formats::table::{DONT_CARE, Values};
use damabase_formats::{Slice, ToMove};
use damabase_rules::draws::MAX_COUNTERS;
use damabase_rules::{Rules, can_capture};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::sets::{SetId, UNBOUNDED};
use super::{HOLE, Pair, Solver, StairsError};

/// Codes of all positions of a slice in which the mover cannot capture, and what they mean. The
/// more frequent a value, the smaller its code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StairsTable {
    /// What the codes mean.
    pub dictionary: Stairs,
    codes: [Vec<u16>; 2],
}

impl Values for StairsTable {
    fn read(&self, to_move: ToMove, range: Range<u64>, out: &mut [u16]) {
        let range = range.start as usize..range.end as usize;
        out.copy_from_slice(&self.codes[to_move as usize][range]);
    }
}

impl Values for &StairsTable {
    fn read(&self, to_move: ToMove, range: Range<u64>, out: &mut [u16]) {
        StairsTable::read(self, to_move, range, out);
    }
}

impl<G: Rules> Solver<G> {
    /// What a table stores of a solved slice: no values of positions where the mover can capture.
    ///
    /// The dictionary names the counters that matter in the slice, and has one mode where all give
    /// the same values.
    ///
    /// # Errors
    /// [`StairsError::Missing`] where the slice is not solved, [`StairsError::TooManyValues`].
    pub fn table(&self, slice: Slice) -> Result<StairsTable, StairsError> {
        let missing = StairsError::Missing { slice, needed: slice };
        let solved = self.slices.get(&slice).ok_or(missing)?;
        let modes = solved.modes.list.len();
        // By index value: the first place of its values' codes, or none where it is not stored.
        let stored = |to_move: ToMove| -> Vec<bool> {
            let (index, codes) = (&solved.index[to_move as usize], &solved.codes[to_move as usize]);
            let is_stored = |number: usize| {
                codes[number * modes] != HOLE
                    && index.unrank(number as u64).is_some_and(|position| !can_capture(&position))
            };
            (0..codes.len() / modes).into_par_iter().map(is_stored).collect()
        };
        let stored = [ToMove::First, ToMove::Second].map(stored);
        let mut meanings: [Vec<&[u32]>; 2] = Default::default();
        let mut codes: [Vec<u16>; 2] = Default::default();
        for side in [0, 1] {
            let places = solved.codes[side].chunks(modes).zip(&stored[side]);
            let mut times: FxHashMap<&[u32], u64> = FxHashMap::default();
            for (places, _) in places.clone().filter(|(_, stored)| **stored) {
                *times.entry(places).or_default() += 1;
            }
            let mut by_times: Vec<(&[u32], u64)> = times.into_iter().collect();
            by_times.sort_unstable_by_key(|&(places, times)| (Reverse(times), places));
            if by_times.len() > usize::from(DONT_CARE) {
                return Err(StairsError::TooManyValues { slice });
            }
            meanings[side] = by_times.iter().map(|&(places, _)| places).collect();
            let numbers: FxHashMap<&[u32], u16> =
                meanings[side].iter().enumerate().map(|(n, &places)| (places, n as u16)).collect();
            let code = |(places, &stored): (&[u32], &bool)| {
                if stored { numbers[places] } else { DONT_CARE }
            };
            codes[side] = places.map(code).collect();
        }
        Ok(StairsTable { dictionary: self.dictionary(slice, &meanings), codes })
    }

    /// The dictionary for codes that stand, by side to move, for these places of values by mode.
    fn dictionary(&self, slice: Slice, meanings: &[Vec<&[u32]>; 2]) -> Stairs {
        let solved = &self.slices[&slice];
        let mut all = meanings.iter().flatten();
        let all_alike = all.all(|places| places.iter().all(|&place| place == places[0]));
        let modes: Vec<[Asked; MAX_COUNTERS]> = match all_alike {
            true => vec![[Asked::Nothing; MAX_COUNTERS]],
            false => (0..solved.modes.list.len() as u8).map(|m| solved.modes.asked(m)).collect(),
        };
        let mut sets: Vec<SetId> = Vec::new();
        let mut numbers: FxHashMap<SetId, u32> = FxHashMap::default();
        let mut number = |set: SetId| {
            *numbers.entry(set).or_insert_with(|| {
                sets.push(set);
                sets.len() as u32 - 1
            })
        };
        let entries = [0, 1].map(|side: usize| {
            let places = meanings[side].iter().flat_map(|places| &places[..modes.len()]);
            let pairs = places.map(|&place| solved.values[place as usize]);
            pairs.map(|Pair { win, loss }| Entry { win: number(win), loss: number(loss) }).collect()
        });
        let corners: Vec<_> = sets.iter().map(|&set| self.sets.corners(set)).collect();
        let matters = |i: usize| {
            modes.iter().any(|mode| mode[i] != Asked::Nothing)
                || corners.iter().any(|set| set.iter().any(|corner| corner[i] != UNBOUNDED))
        };
        let places: Vec<usize> = (0..self.profile.counters.len()).filter(|&i| matters(i)).collect();
        let names = places.iter().map(|&i| self.profile.counters[i].name.clone()).collect();
        let modes = modes.iter().map(|mode| places.iter().map(|&i| mode[i]).collect()).collect();
        let bound = |bound: u16| (bound != UNBOUNDED).then_some(u32::from(bound));
        let staircases = corners.iter().map(|set| {
            set.iter().map(|corner| places.iter().map(|&i| bound(corner[i])).collect()).collect()
        });
        Stairs::new(names, modes, staircases.collect(), entries)
            .expect("every part is made for the others")
    }
}
