//! What, beside the values of counters that run, decides how a game goes on under a profile.
//!
//! Mostly the position alone says which counters are on. It does not where a counter is kept in
//! positions in which it would not start (16 moves that go on after a capture), or where another
//! counter keeps it from starting; and a case may ask for the value of a counter. All this is a
//! *mode*: a slice has a fixed list of modes, and each position of the slice has one value for
//! each. Within a mode a greater value of a counter can only turn wins and losses into draws, which
//! is what makes its values stairs; between modes nothing of the kind is taken for granted.

use damabase_formats::stairs::Asked;
use damabase_rules::draws::{Counters, DrawProfile, MAX_COUNTERS};

use super::StairsError;
use super::signature::{Signature, Signatures};

/// What is known of a counter in a mode.
pub(super) const OFF: u16 = u16::MAX;

/// For each counter what is known of it beyond the position: [`OFF`], or a value up to which cases
/// look; 0 where there is nothing more to know.
pub(super) type Mode = [u16; MAX_COUNTERS];

/// What a slice's modes know of a counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    /// Nothing: it is on where `start` holds.
    Start,
    /// Nothing: it is always on.
    Always,
    /// Whether it is on.
    On,
    /// Its value up to the greatest that a case asks for, and whether it is on.
    Value { most: u16, always: bool },
}

/// The modes of a slice.
pub(super) struct Modes {
    known: Vec<Known>,
    pub list: Vec<Mode>,
}

impl Modes {
    /// The modes of a slice in whose positions these signatures occur, and, there or in any later
    /// position, these bits.
    pub fn new(
        profile: &DrawProfile,
        signatures: &Signatures,
        occurring: &[Signature],
        later: Signature,
    ) -> Result<Modes, StairsError> {
        let most = |name: &str| {
            let asked = profile.counters.iter().zip(&signatures.conditions);
            asked
                .flat_map(|(counter, conditions)| counter.cases.iter().zip(&conditions.cases))
                .filter(|(_, bit)| later & **bit != 0)
                .filter_map(|(case, _)| case.counted.as_ref())
                .filter(|counted| counted.counter == name)
                .map(|counted| counted.least.min(u32::from(OFF) - 1) as u16)
                .max()
        };
        let known = |(counter, conditions): (&damabase_rules::draws::Counter, _)| {
            let conditions: &super::signature::Conditions = conditions;
            let holds = |bit: Signature| move |signature: &Signature| signature & bit != 0;
            let free = counter.unless.is_some() || conditions.keep != conditions.start;
            match most(&counter.name) {
                Some(most) => Known::Value { most, always: counter.tally },
                None if counter.tally => Known::Always,
                // What never starts nor stays here is off.
                None if !occurring.iter().any(holds(conditions.start | conditions.keep)) => {
                    Known::Start
                }
                None if counter.unless.is_none()
                    && occurring.iter().all(holds(conditions.start)) =>
                {
                    Known::Start
                }
                None if free => Known::On,
                None => Known::Start,
            }
        };
        let known: Vec<Known> =
            profile.counters.iter().zip(&signatures.conditions).map(known).collect();
        let mut list = vec![[0; MAX_COUNTERS]];
        for (i, known) in known.iter().enumerate() {
            let states: Vec<u16> = match *known {
                Known::Start | Known::Always => vec![0],
                Known::On => vec![0, OFF],
                Known::Value { most, always: true } => (0..=most).collect(),
                Known::Value { most, always: false } => (0..=most).chain([OFF]).collect(),
            };
            if list.len() * states.len() > usize::from(u8::MAX) {
                return Err(StairsError::TooManyModes(list.len() * states.len()));
            }
            let with = |mode: &Mode| {
                let mode = *mode;
                states.clone().into_iter().map(move |state| {
                    let mut mode = mode;
                    mode[i] = state;
                    mode
                })
            };
            list = list.iter().flat_map(with).collect();
        }
        Ok(Modes { known, list })
    }

    /// The number of the mode of some counters.
    pub fn of(&self, counters: &Counters) -> u8 {
        let mut mode = [0; MAX_COUNTERS];
        for (i, known) in self.known.iter().enumerate() {
            mode[i] = match (*known, counters.value(i)) {
                (Known::Start | Known::Always, _) | (Known::On, Some(_)) => 0,
                (Known::Value { always: true, .. }, None) => 0,
                (Known::On | Known::Value { .. }, None) => OFF,
                (Known::Value { most, .. }, Some(value)) => value.min(most.into()) as u16,
            };
        }
        let found = self.list.iter().position(|known| *known == mode);
        found.expect("every combination is in the list") as u8
    }

    /// Counters in a mode and in positions with a signature: all that the rules ask of them.
    pub fn counters(&self, mode: u8, signatures: &Signatures, signature: Signature) -> Counters {
        let mode = &self.list[usize::from(mode)];
        let values = self.known.iter().enumerate().map(|(i, known)| match known {
            Known::Start => (signature & signatures.conditions[i].start != 0).then_some(0),
            Known::Always => Some(0),
            Known::On | Known::Value { .. } => (mode[i] != OFF).then(|| mode[i].into()),
        });
        Counters::from_values(&values.collect::<Vec<_>>())
    }

    /// What a mode asks of the counters.
    pub fn asked(&self, mode: u8) -> [Asked; MAX_COUNTERS] {
        let mut asked = [Asked::Nothing; MAX_COUNTERS];
        for (i, (known, &state)) in self.known.iter().zip(&self.list[usize::from(mode)]).enumerate()
        {
            asked[i] = match *known {
                Known::Start | Known::Always => Asked::Nothing,
                Known::On | Known::Value { .. } if state == OFF => Asked::Off,
                Known::On => Asked::AtLeast(0),
                Known::Value { most, .. } if state == most => Asked::AtLeast(most.into()),
                Known::Value { .. } => Asked::Value(state.into()),
            };
        }
        asked
    }

    /// Whether the counters that are on are those that are on in a mode.
    pub fn agree(
        &self,
        counters: &Counters,
        mode: u8,
        signatures: &Signatures,
        signature: Signature,
    ) -> bool {
        let expected = self.counters(mode, signatures, signature);
        (0..MAX_COUNTERS).all(|i| counters.value(i).is_some() == expected.value(i).is_some())
    }
}
