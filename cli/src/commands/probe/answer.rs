//! What there is to say of one position.

use std::fmt;

use damabase_formats::{Fen, Notation, Slice, move_text, picture};
use damabase_probe::{ProbeError, TableSet, Value};
use damabase_rules::{Position, Rules, Side, Word, legal_moves};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{columns, side_name};

/// The value of a position and of its moves.
#[derive(Serialize)]
#[serde(bound = "")]
pub struct Answer<G: Rules> {
    variant: &'static str,
    fen: String,
    slice: String,
    #[serde(flatten)]
    value: Fields,
    moves: Vec<MoveRow>,
    #[serde(skip)]
    side: Side,
    #[serde(skip)]
    position: Position<G>,
}

#[derive(Serialize)]
struct MoveRow {
    #[serde(rename = "move")]
    text: String,
    #[serde(flatten)]
    value: Fields,
}

/// A value as JSON has it.
#[derive(Clone, Copy, Serialize)]
struct Fields {
    wld: &'static str,
    dtw: Option<u16>,
    dtc: Option<u16>,
    budget: Option<u16>,
    budget_state: &'static str,
}

impl Fields {
    fn of(value: Value) -> Fields {
        Fields {
            wld: value.wld.name(),
            dtw: value.dtw.and_then(|dtw| dtw.plies()),
            dtc: value.dtc.and_then(|dtc| dtc.plies()),
            // There are no tables of it yet.
            budget: None,
            budget_state: "missing",
        }
    }
}

/// Probes a position and its moves.
///
/// # Errors
/// Any failure of a probe.
pub fn answer<G: Rules>(
    tables: &TableSet<G>,
    fen: &Fen<G>,
    notation: Notation,
) -> Result<Answer<G>, Failure> {
    let (side, position) = (fen.side, fen.position);
    let failure = |error| failure::<G>(error, side, notation);
    let value = tables.value(&position).map_err(failure)?;
    let all = legal_moves(&position);
    let moves: Vec<MoveRow> = tables
        .moves(&position)
        .map_err(failure)?
        .iter()
        .map(|m| MoveRow {
            text: move_text(side, &position, &m.action, &all, notation),
            value: Fields::of(m.value),
        })
        .collect();
    Ok(Answer {
        variant: G::VARIANT.name,
        fen: fen.to_string(),
        slice: Slice::of(&position).0.to_string(),
        value: Fields::of(value),
        moves,
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

impl<G: Rules> Answer<G> {
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

impl<G: Rules> fmt::Display for Answer<G> {
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
        writeln!(f, ".\n")?;

        let cell = |plies: Option<u16>| plies.map_or("-".to_string(), |n| n.to_string());
        let mut rows = vec![["move", "value", "dtw", "dtc"].map(String::from).to_vec()];
        rows.extend(self.moves.iter().map(|m| {
            vec![m.text.clone(), m.value.wld.to_string(), cell(m.value.dtw), cell(m.value.dtc)]
        }));
        for column in [3, 2] {
            if rows[1..].iter().all(|row| row[column] == "-") {
                for row in &mut rows {
                    row.remove(column);
                }
            }
        }
        f.write_str(&columns(&rows, &[0, 1]))
    }
}

fn plies(number: u16) -> String {
    match number {
        1 => "1 ply".to_string(),
        n => format!("{n} plies"),
    }
}
