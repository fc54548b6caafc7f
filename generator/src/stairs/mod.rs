//! The plain solver for draw counters: for every position its value at every combination of
//! counter values, under any profile.
//!
//! It reduces nothing to a single number, knows no classes by name, and takes every ply through
//! [`DrawProfile::step_with`]. So it judges the faster solver where one number decides, and serves
//! where several counters do.
//!
//! # What a value is
//! In a position with counters, the mover wins, loses or neither. A position without a legal move
//! is lost, whatever the counters say. Else, where a counter has reached its limit the game is
//! drawn (a draw that may be claimed counts as one: the player whom it saves will claim it). Else
//! the moves decide. Repetition is left out, and play without end is a draw.
//!
//! Greater counter values only bring draws nearer. So, for one position in one [mode](modes), the
//! combinations of values at which the mover wins form a *down-set*: with a combination it holds all
//! below. Its greatest elements, the corners of a staircase, describe it exactly, and another
//! down-set describes where he loses. For a ply X -> Y that takes counters from c to step(c), the
//! vectors that it takes into a down-set of Y form a down-set of X: a bound v of a counter that
//! goes on becomes v - 1 (nothing is left of the corner if v was 0), and one that ends, starts or
//! restarts has no bound before. Then
//!
//! - win(X) = within limits of X, the union over moves of what they take into loss(Y);
//! - loss(X) = within limits of X, what all moves take into win(Y).
//!
//! Values, not plies left, are the coordinates, because limits may differ between X and Y.
//!
//! # Why it is exact
//! Iterated from empty sets these equations have a least solution, and it is reached, since a
//! down-set of bounded vectors can grow only finitely often: it holds exactly the pairs of
//! position and counters from which the game can be forced to its end in finitely many plies. Quiet
//! king moves with the men fixed are solved together, sub-slice by sub-slice ([`sub_slice`]); every
//! other move leads to what is solved already.

mod modes;
mod sets;
mod signature;
mod sub_slice;
mod table;

use damabase_formats::table::{DONT_CARE, Wld};
use damabase_formats::{Index, Slice, ToMove};
use damabase_rules::draws::{Counters, DrawProfile};
use damabase_rules::{Position, Rules, Word};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::waves::waves;
use modes::Modes;
use sets::{ALL, Corner, EMPTY, SetId, Sets, UNBOUNDED};
use signature::{Signature, Signatures};
pub use table::StairsTable;

/// The code of an index value without a position.
const HOLE: u32 = u32::MAX;
/// Index values that one thread works on at a time.
const CHUNK: u64 = 4096;

/// Why a slice was not solved under a profile.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StairsError {
    /// The profile has more conditions than one word has bits.
    #[error("the profile has {0} conditions: at most {max} can be told apart", max = Signature::BITS)]
    TooManyConditions(u32),
    /// Too many states of counters that cannot be told from the position.
    #[error("the profile has {0} or more modes of counters in one slice: at most 255 are kept")]
    TooManyModes(usize),
    /// It was told to stop.
    #[error("interrupted")]
    Interrupted,
    /// A slice that this one can exit to has not been solved.
    #[error("{slice} needs {needed}, which is not there")]
    Missing {
        /// The slice to be solved.
        slice: Slice,
        /// The slice that it can exit to.
        needed: Slice,
    },
    /// Positions or moves of a sub-slice do not fit 32 bits.
    #[error("{slice} is too large to be solved with counters")]
    TooLarge {
        /// The slice.
        slice: Slice,
    },
    /// More different values with one side to move than a table has codes for.
    #[error(
        "{slice} has more than {max} different values with one side to move under this profile",
        max = DONT_CARE
    )]
    TooManyValues {
        /// The slice.
        slice: Slice,
    },
}

/// Solves slices under one profile and keeps them in memory, four bytes for each index value
/// and mode. It works on the threads of the pool that it is called in.
pub struct Solver<G: Rules> {
    profile: DrawProfile,
    signatures: Signatures,
    sets: Sets,
    slices: FxHashMap<Slice, Solved<G>>,
}

/// Told how many positions more are done; false stops the work.
pub type GoOn<'a> = dyn Fn(u64) -> bool + Sync + 'a;

/// The value of a position in one mode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Pair {
    win: SetId,
    loss: SetId,
}

/// A slice that is solved or being solved.
struct Solved<G: Rules> {
    /// The index with the first and with the second side to move.
    index: [Index<G>; 2],
    /// The signatures that occur, and by side to move and index value the number of each; no
    /// numbers where only one occurs.
    signatures: Vec<Signature>,
    signature_numbers: [Vec<u8>; 2],
    /// Conditions that hold in some position of the slice or of one that it leads to.
    later: Signature,
    modes: Modes,
    /// What lies within the limits, by mode and number of the signature.
    limits: Vec<SetId>,
    /// By side to move, index value and mode: the place of the value among `values`;
    /// [`HOLE`] for holes.
    codes: [Vec<u32>; 2],
    values: Vec<Pair>,
    places: FxHashMap<Pair, u32>,
}

/// What was found in a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StairsSummary {
    /// Positions, both sides to move counted.
    pub positions: u64,
    /// States of counters that cannot be told from the position.
    pub modes: usize,
    /// Different values of a position in one mode.
    pub values: usize,
    /// Different staircases among them, of wins and of losses.
    pub staircases: usize,
    /// The greatest number of corners of a staircase.
    pub most_corners: usize,
    /// Pairs of position and mode with a staircase of two corners or more.
    pub with_several_corners: u64,
}

impl<G: Rules> Solver<G> {
    /// A solver that knows no slice yet.
    ///
    /// # Errors
    /// [`StairsError::TooManyConditions`].
    pub fn new(profile: &DrawProfile) -> Result<Solver<G>, StairsError> {
        Ok(Solver {
            signatures: Signatures::new(profile)?,
            profile: profile.clone(),
            sets: Sets::new(),
            slices: FxHashMap::default(),
        })
    }

    /// Solves a slice for both sides to move, and before it every slice that it needs and that is
    /// not solved yet.
    ///
    /// # Errors
    /// Any [`StairsError`] but [`StairsError::Missing`]; what is solved stays.
    pub fn solve(&mut self, slice: Slice) -> Result<(), StairsError> {
        let go_on = |_| true;
        Slice::closure(&[slice]).into_iter().try_for_each(|slice| self.solve_one(slice, &go_on))
    }

    /// Solves a slice for both sides to move. Every slice that it can exit to must be there.
    /// `go_on` is told of positions that are done, or of none, and stops the work with false.
    ///
    /// # Errors
    /// Any [`StairsError`]; nothing is then kept of the slice.
    pub fn solve_one(&mut self, slice: Slice, go_on: &GoOn) -> Result<(), StairsError> {
        if self.slices.contains_key(&slice) {
            return Ok(());
        }
        let solved = self.prepare(slice)?;
        self.slices.insert(slice, solved);
        let result = self.sub_slices(slice, go_on);
        if result.is_err() {
            self.slices.remove(&slice);
        }
        result
    }

    /// Drops what is kept of a slice.
    pub fn forget(&mut self, slice: Slice) {
        self.slices.remove(&slice);
    }

    /// The value of a position with some counters. None where its slice is not solved, and where
    /// other counters are on than can be in this position.
    pub fn value(&self, position: &Position<G>, counters: &Counters) -> Option<Wld> {
        if position.mover.all().none() {
            return Some(Wld::Loss);
        }
        let (slice, to_move) = Slice::of(position);
        let solved = self.slices.get(&slice)?;
        let number = solved.index[to_move as usize].rank(position);
        let mode = solved.modes.of(counters);
        let signature = solved.signatures[usize::from(solved.signature(to_move, number))];
        if !solved.modes.agree(counters, mode, &self.signatures, signature) {
            return None;
        }
        let value = solved.value(to_move, number, mode);
        let lies_in = |set: SetId| {
            let within = |corner: &Corner| {
                corner.iter().enumerate().all(|(i, &bound)| {
                    bound == UNBOUNDED
                        || counters.value(i).is_some_and(|value| value <= bound.into())
                })
            };
            self.sets.corners(set).iter().any(within)
        };
        Some(if lies_in(value.win) {
            Wld::Win
        } else if lies_in(value.loss) {
            Wld::Loss
        } else {
            Wld::Draw
        })
    }

    /// What was found in a solved slice.
    pub fn summary(&self, slice: Slice) -> Option<StairsSummary> {
        let solved = self.slices.get(&slice)?;
        let modes = solved.modes.list.len();
        let corners = |set: SetId| self.sets.corners(set).len();
        let several: Vec<bool> = solved
            .values
            .iter()
            .map(|value| corners(value.win) > 1 || corners(value.loss) > 1)
            .collect();
        let mut sets: Vec<SetId> =
            solved.values.iter().flat_map(|value| [value.win, value.loss]).collect();
        sets.sort_unstable();
        sets.dedup();
        let codes = || solved.codes.iter().flatten().filter(|&&code| code != HOLE);
        Some(StairsSummary {
            positions: codes().count() as u64 / modes as u64,
            modes,
            values: solved.values.len(),
            staircases: sets.len(),
            most_corners: sets.iter().map(|&set| corners(set)).max().unwrap_or(0),
            with_several_corners: codes().filter(|&&code| several[code as usize]).count() as u64,
        })
    }

    /// The number of different staircases in all that was solved.
    pub fn staircases(&self) -> usize {
        self.sets.len()
    }

    /// All about a slice but its values.
    fn prepare(&self, slice: Slice) -> Result<Solved<G>, StairsError> {
        let index = [ToMove::First, ToMove::Second].map(|to_move| Index::<G>::new(slice, to_move));
        let mut signatures: Vec<Signature> = Vec::new();
        let mut examples: Vec<Position<G>> = Vec::new();
        let mut signature_numbers = [Vec::new(), Vec::new()];
        for &to_move in slice.sides() {
            let index = &index[to_move as usize];
            let numbers: Vec<Option<(Signature, u64)>> = (0..index.len())
                .into_par_iter()
                .map(|number| Some((self.signatures.of(&index.unrank(number)?), number)))
                .collect();
            let mut last = (0, 0);
            let mut number_of = |found: Option<(Signature, u64)>| {
                let Some((signature, number)) = found else { return Ok(0) };
                if signatures.is_empty() || signatures[usize::from(last.1)] != signature {
                    let place = signatures.iter().position(|&known| known == signature);
                    let place = place.unwrap_or_else(|| {
                        signatures.push(signature);
                        examples.extend(index.unrank(number));
                        signatures.len() - 1
                    });
                    let place = u8::try_from(place)
                        .map_err(|_| StairsError::TooManyConditions(Signature::BITS + 1))?;
                    last = (number, place);
                }
                Ok(last.1)
            };
            let numbers: Result<Vec<u8>, StairsError> =
                numbers.into_iter().map(&mut number_of).collect();
            signature_numbers[to_move as usize] = numbers?;
        }
        if signatures.len() == 1 {
            signature_numbers = [Vec::new(), Vec::new()];
        }
        let mut later = signatures.iter().fold(0, |all, signature| all | signature);
        for needed in slice.successors() {
            let known = self.slices.get(&needed);
            later |= known.ok_or(StairsError::Missing { slice, needed })?.later;
        }
        let modes = Modes::new(&self.profile, &self.signatures, &signatures, later)?;
        let mut limits = Vec::new();
        for mode in 0..modes.list.len() as u8 {
            for (&signature, example) in signatures.iter().zip(&examples) {
                limits.push(self.within_limits(&modes, mode, signature, example));
            }
        }
        let codes = |to_move: ToMove| match slice.sides().contains(&to_move) {
            true => {
                let len = index[to_move as usize].len() as usize * modes.list.len();
                vec![HOLE; len]
            }
            false => Vec::new(),
        };
        Ok(Solved {
            codes: [ToMove::First, ToMove::Second].map(codes),
            index,
            signatures,
            signature_numbers,
            later,
            modes,
            limits,
            values: Vec::new(),
            places: FxHashMap::default(),
        })
    }

    /// The values with which a game goes on, in a mode and a position with a signature.
    fn within_limits(
        &self,
        modes: &Modes,
        mode: u8,
        signature: Signature,
        example: &Position<G>,
    ) -> SetId {
        let counters = modes.counters(mode, &self.signatures, signature);
        let mut corner = [UNBOUNDED; _];
        for (i, bound) in corner.iter_mut().enumerate() {
            match self.profile.limit(i, &counters, example) {
                None => {}
                Some(0) => return EMPTY,
                Some(limit) => *bound = (limit - 1) as u16, // limits fit 16 bits
            }
        }
        self.sets.operations().within(corner)
    }

    fn sub_slices(&mut self, slice: Slice, go_on: &GoOn) -> Result<(), StairsError> {
        for wave in &waves(slice, &self.slices[&slice].index) {
            let results: Result<Vec<Vec<Option<Pair>>>, StairsError> =
                wave.par_iter().map(|parts| self.sub_slice(slice, parts, go_on)).collect();
            let results = results?;
            let solved = self.slices.get_mut(&slice).expect("inserted before");
            let modes = solved.modes.list.len();
            let len = solved.index[0].kings_len() as usize * modes;
            for (parts, values) in wave.iter().zip(results) {
                for (&(to_move, first), values) in parts.iter().zip(values.chunks(len)) {
                    let first = first as usize * modes;
                    for (n, value) in values.iter().enumerate() {
                        let Some(value) = *value else { continue };
                        solved.codes[to_move as usize][first + n] = solved.place(value);
                    }
                }
            }
        }
        Ok(())
    }
}

impl<G: Rules> Solved<G> {
    /// The number of a position's signature.
    #[inline]
    fn signature(&self, to_move: ToMove, number: u64) -> u8 {
        let numbers = &self.signature_numbers[to_move as usize];
        if numbers.is_empty() { 0 } else { numbers[number as usize] }
    }

    /// The value of a position, solved before, in a mode.
    #[inline]
    fn value(&self, to_move: ToMove, number: u64, mode: u8) -> Pair {
        let at = number as usize * self.modes.list.len() + usize::from(mode);
        self.values[self.codes[to_move as usize][at] as usize]
    }

    /// The place of a value.
    fn place(&mut self, value: Pair) -> u32 {
        if let Some(&place) = self.places.get(&value) {
            return place;
        }
        let place = self.values.len() as u32;
        self.values.push(value);
        self.places.insert(value, place);
        place
    }
}

impl Pair {
    /// Neither won nor lost at any values.
    const DRAW: Pair = Pair { win: EMPTY, loss: EMPTY };
    /// Lost for want of a move.
    const OVER: Pair = Pair { win: EMPTY, loss: ALL };
}
