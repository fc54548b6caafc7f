//! What a position is worth. The one place that knows how counters change a value.

use damabase_formats::Wld;
use damabase_probe::{ProbeError, TableSet};
use damabase_rules::Rules;
use damabase_rules::draws::{DrawProfile, Ending, Record};

/// The value in theory, draw counters aside, for the side to move; none where no table tells it.
/// `most` is the greatest number of pieces in a slice that has a table, of which a library may ask
/// once: positions with more are not searched.
///
/// # Errors
/// [`ProbeError::Damaged`], [`ProbeError::Io`].
pub fn theory<G: Rules>(
    record: &Record<G>,
    tables: &TableSet<G>,
    most: u32,
) -> Result<Option<Wld>, ProbeError> {
    match record.winner {
        Some(winner) if winner == record.side => Ok(Some(Wld::Win)),
        Some(_) => Ok(Some(Wld::Loss)),
        None if record.position.pieces() <= most => match tables.wld(&record.position) {
            Ok(value) => Ok(Some(value)),
            Err(ProbeError::Missing(_)) => Ok(None),
            Err(error) => Err(error),
        },
        None => Ok(None),
    }
}

/// The value under the profile's counters for the side to move, where it follows without tables
/// under counters: the end of the game; a draw that stands; what is drawn in theory, since
/// counters only make more draws; and the value in theory where no rule makes draws.
pub fn value<G: Rules>(
    profile: &DrawProfile,
    record: &Record<G>,
    theory: Option<Wld>,
) -> Option<Wld> {
    if record.winner.is_some() {
        return theory;
    }
    if record.due.iter().any(|due| due.ending == Ending::Automatic) || theory == Some(Wld::Draw) {
        return Some(Wld::Draw);
    }
    let no_rule = profile.counters.is_empty() && profile.repetition.is_none();
    theory.filter(|_| no_rule)
}
