//! A question about a position, and how it is read.

use std::fmt;

use damabase_formats::{Fen, FenError, diagram_square, parse_move};
use damabase_probe::ProbeError;
use damabase_rules::draws::{self, DrawProfile, Replay, SeedError, Seeds};
use damabase_rules::{Position, Rules, Side, Square, VariantId};

/// The greatest number of moves in a question.
pub const MAX_HISTORY: usize = 1000;

/// A question about a position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Question {
    /// The first position; the start of the game where there is none.
    pub fen: Option<String>,
    /// The name of a draw profile that comes with the program; that of the game where there is
    /// none.
    pub profile: Option<String>,
    /// Counters of the first position, `C16=4,C5=2`, beside those of the FEN.
    pub counters: Option<String>,
    /// Moves from the first position to the one that is asked about, separated by commas or spaces.
    pub history: Option<String>,
}

/// A question that cannot be answered since it is wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{field}: {what}")]
pub struct BadQuestion {
    /// The field that is wrong.
    pub field: &'static str,
    /// What is wrong with it; with the column, where there is one.
    pub what: String,
    /// Where the trouble begins: characters of the field, from 1.
    pub column: Option<usize>,
}

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExploreError {
    /// The question is wrong.
    #[error(transparent)]
    Question(#[from] BadQuestion),
    /// A table is damaged or cannot be read.
    #[error(transparent)]
    Probe(#[from] ProbeError),
}

/// A position that was asked about, with the game that led to it.
pub struct Asked<'p, G: Rules> {
    pub(crate) replay: Replay<'p, G>,
}

impl Question {
    /// Reads the question for a game.
    ///
    /// # Errors
    /// [`BadQuestion`].
    pub fn read<G: Rules>(&self) -> Result<Asked<'static, G>, BadQuestion> {
        let profile = self.profile::<G>()?;
        let fen = match self.fen.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
            Some(text) => Fen::<G>::parse(text).map_err(|error: FenError| BadQuestion {
                field: "fen",
                what: error.to_string(),
                column: Some(error.column),
            })?,
            None => Fen::new(G::VARIANT.starts, Position::start()),
        };
        let seeds = self.seeds(profile, &fen)?;
        let wrong = |error: SeedError| self.bad_counter(&error);
        let mut replay = Replay::new(profile, fen.side, fen.position, &seeds).map_err(wrong)?;
        for (place, text) in words_of(self.history.as_deref().unwrap_or("")).enumerate() {
            let (column, text) = text;
            let wrong = |what: String| BadQuestion {
                field: "history",
                what: format!("column {column}: {what}"),
                column: Some(column),
            };
            if place == MAX_HISTORY {
                return Err(wrong(format!("more than {MAX_HISTORY} moves")));
            }
            let now = replay.now();
            let action = parse_move(now.side, &now.position, text)
                .map_err(|error| wrong(error.to_string()))?;
            replay.play(action).map_err(|error| wrong(error.to_string()))?;
        }
        Ok(Asked { replay })
    }

    /// Where a counter stands that does not fit: beside the FEN or in it.
    fn bad_counter(&self, error: &SeedError) -> BadQuestion {
        let is_it = |word: &str| match (error, word.split_once('=')) {
            (SeedError::Unknown { name, .. } | SeedError::NotOn(name), Some((known, _))) => {
                known == name
            }
            (SeedError::TooLarge(value), Some((_, text))) => text.parse() == Ok(*value),
            (SeedError::Ambiguous { .. }, Some((name, _))) => name == "H",
            _ => false,
        };
        let counters = self.counters.as_deref().unwrap_or("");
        let beside = words_of(counters).find(|(_, word)| is_it(word)).map(|(column, _)| column);
        let what = error.to_string();
        if let Some(column) = beside {
            let what = format!("column {column}: {what}");
            return BadQuestion { field: "counters", what, column: Some(column) };
        }
        let mut column = 1;
        for part in self.fen.as_deref().unwrap_or("").trim().split(':') {
            // `:H4` and `:CC5=4`
            let word = part.trim().trim_end_matches('.');
            let is_half_moves = word.strip_prefix('H').is_some_and(|n| {
                let value = n.parse().ok();
                match error {
                    SeedError::Ambiguous { half_moves, .. } => value == Some(*half_moves),
                    SeedError::TooLarge(most) => value == Some(*most),
                    _ => false,
                }
            });
            if is_half_moves || word.strip_prefix('C').is_some_and(is_it) {
                let what = format!("column {column}: {what}");
                return BadQuestion { field: "fen", what, column: Some(column) };
            }
            column += part.chars().count() + 1;
        }
        BadQuestion { field: "counters", what, column: None }
    }

    fn profile<G: Rules>(&self) -> Result<&'static DrawProfile, BadQuestion> {
        let wrong = |what: String| BadQuestion { field: "profile", what, column: None };
        let Some(name) = self.profile.as_deref().filter(|name| !name.is_empty()) else {
            return Ok(draws::default_profile(G::ID));
        };
        let profile = draws::built_in(name).ok_or_else(|| {
            let name: String = name.chars().take(40).collect();
            wrong(format!("unknown draw profile '{name}': expected one of {}", names(G::ID)))
        })?;
        profile.checked_for(G::ID).map_err(|error| wrong(error.to_string()))
    }

    /// The counters of the FEN and those named beside it, which come first.
    fn seeds<G: Rules>(&self, profile: &DrawProfile, fen: &Fen<G>) -> Result<Seeds, BadQuestion> {
        let mut seeds = Seeds { half_moves: fen.half_moves, counters: Vec::new() };
        for (column, text) in words_of(self.counters.as_deref().unwrap_or("")) {
            let wrong = |what: &str| BadQuestion {
                field: "counters",
                what: format!("column {column}: {what}"),
                column: Some(column),
            };
            let (name, value) =
                text.split_once('=').ok_or_else(|| wrong("expected NAME=PLIES, such as C16=4"))?;
            let value =
                value.parse::<u32>().map_err(|_| wrong("expected a number of plies after '='"))?;
            if name == "H" && profile.counter(name).is_none() {
                seeds.half_moves = Some(value);
            } else if seeds.counters.iter().any(|(known, _)| known == name) {
                return Err(wrong("this counter was already given"));
            } else {
                seeds.counters.push((name.to_string(), value));
            }
        }
        let new = |(name, _): &&(String, u32)| seeds.counters.iter().all(|(n, _)| n != name);
        let of_fen: Vec<_> = fen.counters.iter().filter(new).cloned().collect();
        seeds.counters.extend(of_fen);
        Ok(seeds)
    }
}

/// Words between commas and white space, with the column where each begins, from 1.
fn words_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_space = |c: char| c == ',' || c.is_whitespace();
    let mut rest = text;
    let mut column = 1;
    std::iter::from_fn(move || {
        let word = rest.trim_start_matches(is_space);
        column += rest[..rest.len() - word.len()].chars().count();
        if word.is_empty() {
            return None;
        }
        let end = word.find(is_space).unwrap_or(word.len());
        let found = (column, &word[..end]);
        column += word[..end].chars().count();
        rest = &word[end..];
        Some(found)
    })
}

/// The names of the profiles that a game has.
fn names(variant: VariantId) -> String {
    let fitting = draws::all().iter().filter(|profile| profile.is_for(variant));
    fitting.map(|profile| profile.name.as_str()).collect::<Vec<_>>().join(", ")
}

impl<G: Rules> fmt::Debug for Asked<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asked").field("plies", &self.replay.records().len()).finish()
    }
}

impl<G: Rules> Asked<'static, G> {
    /// The draw profile.
    pub fn profile(&self) -> &'static DrawProfile {
        self.replay.profile()
    }
}

impl<G: Rules> Asked<'_, G> {
    /// The side to move, the position as it sees it, and the squares of the diagram between which
    /// the last move went.
    pub fn shown(&self) -> (Side, Position<G>, Option<(Square, Square)>) {
        let now = self.replay.now();
        let last = now.action.map(|action| {
            let square = |square| diagram_square(now.side.other(), G::board(), square);
            (square(action.from), square(action.to))
        });
        (now.side, now.position, last)
    }
}
