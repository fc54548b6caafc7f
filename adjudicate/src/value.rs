//! What a position of a game is worth. The one place that knows how draw rules change a value.

use damabase_formats::{Distance, Slice, Wld};
use damabase_probe::{Counted, ProbeError, Standing, Under, Value};
use damabase_rules::Rules;
use damabase_rules::draws::{Counter, DrawProfile, Ending, Record, Replay};

use crate::Gap;

/// What a position is worth to its side to move, with and without draw rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Worth {
    /// The value in theory, draw rules aside; none where no table tells it.
    pub theory: Option<Value>,
    /// What tables tell under the profile: plies left, plies needed; none where they do not cover
    /// the position, or where the game is over.
    pub counted: Option<Counted>,
    /// The value under the profile; none where it is not known. That positions of the game may occur
    /// again is not thought of.
    pub value: Option<Wld>,
}

impl Worth {
    /// The value with what draw rules make of it; none where it is not known.
    pub fn standing(&self) -> Option<Standing> {
        let value = self.value?;
        Some(Standing::new(value, self.theory.map_or(value, |theory| theory.wld)))
    }
}

/// The name of a value with what draw rules make of it: `win`, `cursed-win`, `draw`, `blessed-loss`,
/// `loss`, or `unknown`.
pub fn category(standing: Option<Standing>) -> &'static str {
    standing.map_or("unknown", Standing::name)
}

/// The worth of positions, by the tables of one game under a profile.
#[derive(Clone, Copy, Debug)]
pub struct Appraiser<'a, 's, G: Rules> {
    under: &'a Under<'s, G>,
    /// The greatest number of pieces in a slice that has a table. With more, even a position whose
    /// captures lead to tables is not searched: that might take long.
    most: u32,
}

impl<'a, 's, G: Rules> Appraiser<'a, 's, G> {
    /// One that looks values up in some tables.
    pub fn new(under: &'a Under<'s, G>) -> Appraiser<'a, 's, G> {
        let slices = under.tables().slices();
        let most = slices.iter().map(|slice| slice.pieces()).max().unwrap_or(0);
        Appraiser { under, most }
    }

    /// The tables under their profile.
    pub fn under(&self) -> &'a Under<'s, G> {
        self.under
    }

    /// What the position on the board is worth, in a game under the same profile.
    ///
    /// # Errors
    /// [`ProbeError::Damaged`], [`ProbeError::Io`]; a table that is not there is none.
    pub fn worth(&self, game: &Replay<G>) -> Result<Worth, ProbeError> {
        let record = game.now();
        if let Some(winner) = record.winner {
            let won = winner == record.side;
            let over = if won { Distance::Win(0) } else { Distance::Loss(0) };
            let theory = Some(Value { wld: over.wld(), dtw: Some(over), dtc: Some(over) });
            return Ok(Worth { theory, counted: None, value: Some(over.wld()) });
        }
        let (mut theory, mut counted) = (None, None);
        if record.position.pieces() <= self.most {
            theory = known(self.under.tables().value(&record.position))?;
            counted = known(self.under.value(&record.position, &record.counters))?;
        }
        let value = value(game, theory, counted.as_ref());
        Ok(Worth { theory, counted, value })
    }

    /// What is in the way where tables do not tell what the position on the board is worth; none
    /// where they do.
    ///
    /// # Errors
    /// Those of [`Appraiser::worth`].
    pub fn gap(&self, game: &Replay<G>) -> Result<Option<Gap>, ProbeError> {
        let record = game.now();
        if record.winner.is_some() {
            return Ok(None);
        }
        if record.position.pieces() > self.most {
            let slice = Slice::of(&record.position).0;
            return Ok(Some(Gap::Pieces { variant: G::ID, slice, most: self.most }));
        }
        Gap::of(self.under, &record.position, &record.counters)
    }
}

/// What was found, or none where a table is not there.
fn known<T>(found: Result<T, ProbeError>) -> Result<Option<T>, ProbeError> {
    match found {
        Ok(value) => Ok(Some(value)),
        Err(ProbeError::Missing(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The value under the profile for the side to move, where it is known: by a draw that stands or will
/// be claimed, by tables under counters, or since the game is decided before any draw rule can come in between.
fn value<G: Rules>(
    game: &Replay<G>,
    theory: Option<Value>,
    counted: Option<&Counted>,
) -> Option<Wld> {
    let record = game.now();
    let theory_is = |wld| theory.is_some_and(|theory| theory.wld == wld);
    let drawn = record.due.iter().any(|due| match due.ending {
        // Of two players one does not win.
        Ending::Automatic | Ending::ClaimByEither => true,
        Ending::ClaimByMover => theory_is(Wld::Loss),
    });
    if drawn || theory_is(Wld::Draw) {
        return Some(Wld::Draw);
    }
    if let Some(standing) = counted.and_then(|counted| counted.standing) {
        return Some(standing.result());
    }
    let theory = theory?;
    let plies = u32::from(theory.dtw?.plies()?);
    (plies <= free_plies(game.profile(), record) && !may_repeat(game)).then_some(theory.wld)
}

/// Plies in which no counter can reach its limit, whatever is played: a counter that is on needs as
/// many as are left to the least of its limits, one that comes on later at least its least limit.
fn free_plies<G: Rules>(profile: &DrawProfile, record: &Record<G>) -> u32 {
    let left = |(i, counter): (usize, &Counter)| {
        let limits = counter.cases.iter().filter_map(|case| case.limit).chain(counter.limit);
        Some(limits.min()?.saturating_sub(record.counters.value(i).unwrap_or(0)))
    };
    profile.counters.iter().enumerate().filter_map(left).min().unwrap_or(u32::MAX)
}

/// Whether a repetition could draw the quickest win. With each ply of it the end comes nearer, so no
/// position occurs twice in it, but one may have occurred before.
fn may_repeat<G: Rules>(game: &Replay<G>) -> bool {
    let most = || game.records().iter().map(|record| record.occurrences).max().unwrap_or(1);
    game.profile().repetition.as_ref().is_some_and(|rule| most() + 1 >= rule.count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursed_wins_are_told_from_draws() {
        let standing = |theory: Wld, value| {
            let theory = Some(Value { wld: theory, dtw: None, dtc: None });
            Worth { theory, value, counted: None }.standing()
        };
        assert_eq!(standing(Wld::Win, None), None);
        assert_eq!(standing(Wld::Win, Some(Wld::Draw)), Some(Standing::CursedWin));
        assert_eq!(standing(Wld::Loss, Some(Wld::Draw)), Some(Standing::BlessedLoss));
        for value in Wld::ALL {
            let own = standing(value, Some(value)).unwrap();
            assert_eq!(standing(value.turned(), Some(value.turned())), Some(own.turned()));
        }
        assert_eq!(category(None), "unknown");
    }
}
