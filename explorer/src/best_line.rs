//! What follows if both sides play the best moves known.

use std::time::Instant;

use damabase_adjudicate::{Appraiser, line};
use damabase_formats::{Fen, Wld, move_text};
use damabase_probe::ProbeError;
use damabase_rules::draws::Record;
use damabase_rules::{Rules, legal_moves};
use serde::Serialize;

use crate::answer::MoveRow;
use crate::question::Asked;

/// What follows if both sides play the best moves known.
#[derive(Clone, Debug, Serialize)]
pub struct BestLine {
    /// The game.
    pub variant: &'static str,
    /// Where it begins.
    pub fen: String,
    /// The draw profile.
    pub profile: String,
    /// The moves.
    pub moves: Vec<MoveRow>,
    /// Why it ends: `win` (the game is over), `draw` (by a rule, or a position that was there
    /// before), `limit` (as many plies as asked for), `unknown` (no table).
    pub end: &'static str,
    /// The winner is not known to have a way around positions that have occurred too often.
    pub unless_repetition: bool,
    /// The last position.
    pub last: String,
}

impl<G: Rules> Asked<'_, G> {
    /// The best line, of at most so many plies, if it is found before `until`: by tables under
    /// counters as long as they are there, and then by theory.
    ///
    /// # Errors
    /// [`ProbeError::Damaged`], [`ProbeError::Io`].
    pub fn line(
        mut self,
        appraiser: &Appraiser<G>,
        plies: usize,
        until: Instant,
    ) -> Result<BestLine, ProbeError> {
        let text = |record: &Record<G>| Fen::new(record.side, record.position).to_string();
        let fen = text(self.replay.now());
        let known = appraiser.worth(&self.replay)?.counted.is_some();
        let planned = match known.then(|| line(appraiser.under(), &self.replay, plies)) {
            None | Some(Err(ProbeError::Missing(_))) => None,
            Some(found) => Some(found?),
        };
        let unless_repetition = planned.as_ref().is_some_and(|line| line.unless_repetition);
        let planned = planned.iter().flat_map(|line| &line.game.records()[line.from + 1..]);
        let mut planned = planned.filter_map(|record| record.action);
        let mut moves: Vec<MoveRow> = Vec::new();
        let end = loop {
            let record = self.replay.now();
            if record.winner.is_some() {
                break "win";
            }
            // A draw that stands, or that one will claim.
            let drawn =
                || Ok::<bool, ProbeError>(appraiser.worth(&self.replay)?.value == Some(Wld::Draw));
            let drawn = !record.due.is_empty() && drawn()?;
            if drawn || record.occurrences > 1 && !moves.is_empty() {
                break "draw";
            }
            if moves.len() >= plies || Instant::now() >= until {
                break "limit";
            }
            let (side, position) = (record.side, record.position);
            let all = legal_moves(&position);
            let text = |action| move_text(side, &position, action, &all, G::VARIANT.notation);
            let plan = planned.next();
            let planned_text = plan.as_ref().map(text);
            let rows = self.moves(appraiser)?;
            let row =
                rows.into_iter().find(|row| planned_text.as_ref().is_none_or(|t| *t == row.text));
            let Some(row) = row.filter(|row| row.value.wld.is_some()) else { break "unknown" };
            let action = plan.or_else(|| all.iter().find(|m| text(m) == row.text).copied());
            if action.is_none_or(|action| self.replay.play(action).is_err()) {
                break "unknown";
            }
            moves.push(row);
        };
        let profile = self.replay.profile().name.clone();
        let last = text(self.replay.now());
        Ok(BestLine { variant: G::VARIANT.name, fen, profile, moves, end, unless_repetition, last })
    }
}
