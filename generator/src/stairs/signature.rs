//! What the rules of counters see of a position: which of a profile's conditions hold.

use damabase_rules::draws::{Class, DrawProfile, Scope};
use damabase_rules::{Position, Rules};

use super::StairsError;

/// One bit for each condition of a profile that holds in a position. Two positions with the same
/// signature start, keep, end and limit counters alike.
pub(super) type Signature = u64;

/// The conditions of a profile, numbered.
pub(super) struct Signatures {
    /// Conditions that always hold.
    always: Signature,
    /// Every other list of classes once, with the conditions that it stands for.
    lists: Vec<(Vec<Class>, Signature)>,
    /// By counter.
    pub conditions: Vec<Conditions>,
}

/// The bits of a counter's conditions.
pub(super) struct Conditions {
    pub start: Signature,
    /// As `start` where the counter is kept where it starts.
    pub keep: Signature,
    /// By case.
    pub cases: Vec<Signature>,
}

impl Signatures {
    pub fn new(profile: &DrawProfile) -> Result<Signatures, StairsError> {
        let mut all = Signatures { always: 0, lists: Vec::new(), conditions: Vec::new() };
        let mut bits = 0;
        let mut add = |scope: Scope| {
            // Conditions beyond the last bit have none; they are counted and refused below.
            let bit = 1u64.checked_shl(bits).unwrap_or(0);
            bits += 1;
            match scope {
                None => all.always |= bit,
                Some(list) => match all.lists.iter_mut().find(|(known, _)| *known == list) {
                    Some((_, stands_for)) => *stands_for |= bit,
                    None => all.lists.push((list, bit)),
                },
            }
            bit
        };
        let mut conditions = Vec::new();
        for counter in &profile.counters {
            let start = add(counter.start.clone());
            let keep = if counter.keep.is_none() { start } else { add(counter.keep.clone()) };
            let cases = counter.cases.iter().map(|case| add(Some(case.when.clone()))).collect();
            conditions.push(Conditions { start, keep, cases });
        }
        if bits > Signature::BITS {
            return Err(StairsError::TooManyConditions(bits));
        }
        all.conditions = conditions;
        Ok(all)
    }

    /// The signature of a position.
    pub fn of<G: Rules>(&self, position: &Position<G>) -> Signature {
        self.lists.iter().fold(self.always, |signature, (list, bits)| {
            let holds = list.iter().any(|class| class.holds(position));
            if holds { signature | bits } else { signature }
        })
    }
}
