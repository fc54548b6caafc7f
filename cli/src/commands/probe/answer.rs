//! What there is to say of one position.

use std::cmp::Reverse;
use std::fmt;

use damabase_adjudicate::Gap;
use damabase_formats::{Fen, Notation, Slice, move_text, picture};
use damabase_probe::{ProbeError, Value};
use damabase_rules::{Move, Position, Rules, Side, Word, legal_moves};
use serde::Serialize;

use super::{Prober, counted};
use crate::failure::Failure;
use crate::output::{columns, side_name};

/// The value of a position and of its moves.
#[derive(Serialize)]
#[serde(bound = "")]
pub struct Answer<'p, G: Rules> {
    variant: &'static str,
    fen: String,
    slice: String,
    #[serde(flatten)]
    value: Fields,
    /// Also where none is asked for.
    profile: &'p str,
    #[serde(flatten)]
    no_profile: Option<NoProfile>,
    #[serde(flatten)]
    under: Option<UnderRow<'p>>,
    moves: Vec<MoveRow>,
    #[serde(skip)]
    side: Side,
    #[serde(skip)]
    position: Position<G>,
}

/// What is added where a profile is asked for.
#[derive(Serialize)]
struct UnderRow<'p> {
    counters: counted::Values<'p>,
    #[serde(flatten)]
    fields: counted::Fields,
    /// Why nothing is known.
    why_unknown: Option<String>,
}

#[derive(Serialize)]
struct MoveRow {
    #[serde(rename = "move")]
    text: String,
    #[serde(flatten)]
    value: Fields,
    #[serde(flatten)]
    no_profile: Option<NoProfile>,
    #[serde(flatten)]
    under: Option<counted::Fields>,
}

/// Budgets where no profile is asked for.
#[derive(Clone, Copy, Serialize)]
struct NoProfile {
    budget: Option<u16>,
    budget_state: &'static str,
}

const NO_PROFILE: Option<NoProfile> = Some(NoProfile { budget: None, budget_state: "missing" });

/// A value without counters as JSON has it.
#[derive(Clone, Copy, Serialize)]
struct Fields {
    wld: &'static str,
    dtw: Option<u16>,
    dtc: Option<u16>,
}

impl Fields {
    fn of(value: Value) -> Fields {
        Fields {
            wld: value.wld.name(),
            dtw: value.dtw.and_then(|dtw| dtw.plies()),
            dtc: value.dtc.and_then(|dtc| dtc.plies()),
        }
    }
}

/// Probes a position and its moves. Under a profile, moves are in the order of their values there.
///
/// # Errors
/// Any failure of a probe, and counters that do not fit the position.
pub fn answer<'p, G: Rules>(
    prober: &'p Prober<'_, G>,
    fen: &Fen<G>,
) -> Result<Answer<'p, G>, Failure> {
    let (side, position, notation) = (fen.side, fen.position, prober.notation);
    let failure = |error| failure::<G>(error, side, notation);
    let value = prober.tables.value(&position).map_err(failure)?;
    let all = legal_moves(&position);
    let mut moves: Vec<(Move<G::Word>, MoveRow)> = prober
        .tables
        .moves(&position)
        .map_err(failure)?
        .iter()
        .map(|m| {
            let text = move_text(side, &position, &m.action, &all, notation);
            (
                m.action,
                MoveRow { text, value: Fields::of(m.value), no_profile: NO_PROFILE, under: None },
            )
        })
        .collect();
    let mut row = None;
    if let Some(under) = &prober.under {
        let profile = under.profile();
        let given = if fen.counters.is_empty() { &prober.counters } else { &fen.counters };
        let counters =
            counted::counters(profile, &position, fen.half_moves, given.iter().cloned())?;
        let value = under.value(&position, &counters).map_err(failure)?;
        let gap = match value.standing {
            None => Gap::of(under, &position, &counters).map_err(failure)?,
            Some(_) => None,
        };
        row = Some(UnderRow {
            counters: counted::Values(profile, counters),
            fields: counted::Fields::of(profile, &value),
            why_unknown: gap.map(|gap| gap.words(side, profile)),
        });
        let counted = under.moves(&position, &counters).map_err(failure)?;
        let value = |action: &Move<G::Word>| counted.iter().find(|m| m.action == *action);
        // Stable, so that theory decides where counters do not tell.
        moves.sort_by_key(|(action, _)| Reverse(value(action).map(|m| m.value.preference())));
        for (action, row) in &mut moves {
            row.under = value(action).map(|m| counted::Fields::of(profile, &m.value));
            row.no_profile = None;
        }
    }
    Ok(Answer {
        variant: G::VARIANT.name,
        fen: fen.to_string(),
        slice: Slice::of(&position).0.to_string(),
        value: Fields::of(value),
        profile: prober.under.as_ref().map_or("none", |under| &under.profile().name),
        no_profile: if row.is_none() { NO_PROFILE } else { None },
        under: row,
        moves: moves.into_iter().map(|(_, row)| row).collect(),
        side,
        position,
    })
}

/// A failure with the move that made a table necessary as the diagram has it, and with advice.
fn failure<G: Rules>(error: ProbeError, side: Side, notation: Notation) -> Failure {
    let ProbeError::Missing(missing) = &error else { return error.into() };
    let text = missing.text(side, notation);
    Failure::Missing(format!(
        "{text}; 'damabase generate {} --slice {}' makes it",
        G::ID,
        missing.slice
    ))
}

impl<G: Rules> Answer<'_, G> {
    /// Why the game is over, if it is.
    fn over(&self) -> Option<&'static str> {
        if self.position.waiter.all().none() {
            Some("the other side has no piece")
        } else if self.position.mover.all().none() {
            Some("it has no piece")
        } else if self.moves.is_empty() {
            Some("it has no legal move")
        } else {
            None
        }
    }
}

impl<G: Rules> fmt::Display for Answer<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}  {}  {}\n", self.variant, self.fen, self.slice)?;
        writeln!(f, "{}\n", picture(self.side, &self.position))?;
        write!(f, "{} to move: {}", side_name(self.side), self.value.wld)?;
        if let Some(over) = self.over() {
            return writeln!(f, ", since {over}.");
        }
        if let Some(dtw) = self.value.dtw {
            write!(f, " in {}", plies(dtw))?;
        }
        if let Some(dtc) = self.value.dtc {
            write!(f, ", capture or man move in {}", plies(dtc))?;
        }
        writeln!(f, ".")?;
        if let Some(row) = &self.under {
            write!(f, "Under {}: ", self.profile)?;
            row.fields.write(f, row.why_unknown.as_deref())?;
            writeln!(f, ".")?;
        }
        writeln!(f)?;

        let cell = |plies: Option<u16>| plies.map_or("-".to_string(), |n| n.to_string());
        let mut title = vec!["move", "value", "dtw", "dtc"];
        let under = self.under.is_some();
        if under {
            title.extend(["counted", "left", "needed"]);
        }
        let mut rows = vec![title.into_iter().map(String::from).collect::<Vec<_>>()];
        rows.extend(self.moves.iter().map(|m| {
            let mut row = vec![m.text.clone(), m.value.wld.to_string()];
            row.extend([cell(m.value.dtw), cell(m.value.dtc)]);
            row.extend(m.under.iter().flat_map(counted::Fields::cells));
            row
        }));
        for column in [3, 2] {
            if rows[1..].iter().all(|row| row[column] == "-") {
                for row in &mut rows {
                    row.remove(column);
                }
            }
        }
        let counted = rows[0].iter().position(|title| title == "counted");
        let left: Vec<usize> = [0, 1].into_iter().chain(counted).collect();
        f.write_str(&columns(&rows, &left))
    }
}

fn plies(number: u16) -> String {
    match number {
        1 => "1 ply".to_string(),
        n => format!("{n} plies"),
    }
}
