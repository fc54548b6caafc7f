//! What a position is worth. The one place that knows how counters change a value.

use damabase_formats::Wld;
use damabase_probe::{Counted, ProbeError, Under};
use damabase_rules::Rules;
use damabase_rules::draws::{Ending, Record};

/// The value in theory, draw counters aside, for the side to move: by the end of the game or by
/// tables.
pub fn theory<G: Rules>(record: &Record<G>, counted: Option<&Counted>) -> Option<Wld> {
    match record.winner {
        Some(winner) if winner == record.side => Some(Wld::Win),
        Some(_) => Some(Wld::Loss),
        None => counted.map(|counted| counted.in_theory),
    }
}

/// All that tables tell of a position under the profile; none where they do not cover it. `most` is
/// the greatest number of pieces in a slice that has a table, of which a library may ask once:
/// positions with more are not searched.
///
/// # Errors
/// [`ProbeError::Damaged`], [`ProbeError::Io`].
pub fn counted<G: Rules>(
    record: &Record<G>,
    under: &Under<G>,
    most: u32,
) -> Result<Option<Counted>, ProbeError> {
    if record.position.pieces() > most {
        return Ok(None);
    }
    match under.value(&record.position, &record.counters) {
        Ok(value) => Ok(Some(value)),
        Err(ProbeError::Missing(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The value under the profile's counters for the side to move, where it is known: by the end of
/// the game, by a draw that stands, or by tables. Positions of the game that may occur again are
/// not thought of.
pub fn value<G: Rules>(record: &Record<G>, counted: Option<&Counted>) -> Option<Wld> {
    let theory = theory(record, counted);
    if record.winner.is_some() {
        return theory;
    }
    if record.due.iter().any(|due| due.ending == Ending::Automatic) || theory == Some(Wld::Draw) {
        return Some(Wld::Draw);
    }
    Some(counted?.standing?.result())
}
