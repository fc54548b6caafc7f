//! What there is to say of a position under draw rules.

use std::fmt::{self, Write};

use damabase_formats::{Distance, Wld};
use damabase_probe::Counted;
use damabase_rules::draws::{Counters, DrawProfile, Seeds, Status};
use damabase_rules::{Position, Rules};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::failure::Failure;

/// A value under a profile, as JSON has it.
#[derive(Serialize)]
pub struct Fields {
    /// The value under the counters; none where it is not known.
    value: Option<&'static str>,
    /// Plies that must be left so that the result counts.
    budget: Option<u16>,
    budget_state: &'static str,
    plies_left: Option<u32>,
    plies_to_spare: Option<u32>,
    decided_by: Option<Deciding>,
}

/// The counter that has least left.
#[derive(Serialize)]
struct Deciding {
    counter: String,
    article: String,
    status: Status,
}

impl Fields {
    pub fn of(profile: &DrawProfile, value: &Counted) -> Fields {
        let counts = matches!(value.standing.map(|s| s.result()), Some(Wld::Win | Wld::Loss));
        let deciding = |i: usize| {
            let counter = &profile.counters[i];
            Deciding {
                counter: counter.name.clone(),
                article: counter.article.clone(),
                status: counter.status,
            }
        };
        Fields {
            value: value.standing.map(|standing| standing.name()),
            budget: value.budget.and_then(Distance::plies),
            budget_state: match value.budget {
                _ if value.in_theory == Wld::Draw => "draw",
                None if value.standing.is_some() => "several",
                None => "missing",
                Some(Distance::Draw) => "never",
                Some(_) => "exact",
            },
            plies_left: value.left.and_then(|left| left.plies),
            plies_to_spare: value.to_spare.filter(|_| counts),
            decided_by: value.left.and_then(|left| left.decided_by).map(deciding),
        }
    }

    /// The words of the table of moves: value, plies left after the move, and budget.
    pub fn cells(&self) -> Vec<String> {
        let number = |n: Option<u32>| n.map_or("-".to_string(), |n| n.to_string());
        let needed = match self.budget_state {
            "never" => "never".to_string(),
            _ => number(self.budget.map(u32::from)),
        };
        vec![self.value.unwrap_or("unknown").to_string(), number(self.plies_left), needed]
    }

    /// The sentence on the position itself. `unknown` says why nothing is known.
    pub fn write(&self, f: &mut fmt::Formatter<'_>, unknown: Option<&str>) -> fmt::Result {
        write!(f, "{}", self.value.unwrap_or("unknown under this profile"))?;
        let mut text = String::new();
        match (self.budget, self.plies_left) {
            (Some(budget), Some(left)) if self.value.is_some() => {
                let _ = write!(text, ": needs {}, {left} left", plies(budget.into()));
            }
            (None, Some(left)) if self.budget_state == "never" => {
                let _ = write!(text, ": no number of plies is enough, {left} left");
            }
            (_, Some(left)) => {
                let _ = write!(text, ": {} left", plies(left));
            }
            _ => {}
        }
        if let Some(Deciding { counter, article, status }) = &self.decided_by {
            let _ = write!(text, " on {counter} (article {article}, {})", status.words());
        }
        if let Some(spare) = self.plies_to_spare {
            let _ = write!(text, ", {spare} to spare");
        }
        if let (None, Some(why)) = (self.value, unknown) {
            let _ = write!(text, "; {why}");
        }
        f.write_str(&text)
    }
}

fn plies(number: u32) -> String {
    if number == 1 { "1 ply".to_string() } else { format!("{number} plies") }
}

/// The counters of a position, as JSON has them: those that are on, by name.
pub struct Values<'a>(pub &'a DrawProfile, pub Counters);

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (i, counter) in self.0.counters.iter().enumerate() {
            if let Some(value) = self.1.value(i) {
                map.serialize_entry(&counter.name, &value)?;
            }
        }
        map.end()
    }
}

/// The counters of a position, from a FEN and from the command line.
///
/// # Errors
/// [`Failure::Input`].
pub fn counters<G: Rules>(
    profile: &DrawProfile,
    position: &Position<G>,
    half_moves: Option<u32>,
    given: impl IntoIterator<Item = (String, u32)>,
) -> Result<Counters, Failure> {
    let seeds = Seeds { half_moves, counters: given.into_iter().collect() };
    profile.start(position, &seeds).map_err(|error| Failure::Input(error.to_string()))
}
