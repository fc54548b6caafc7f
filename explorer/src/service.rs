//! What the server answers, without a word of HTTP but its codes.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use damabase_adjudicate::{AdjudicateError, Appraiser, Court, Judged, Library};
use damabase_formats::Slice;
use damabase_formats::pdn::{self, Item};
use damabase_generator::stats;
use damabase_probe::ProbeError;
use damabase_rules::{Rules, VariantId, draws, with_rules};
use serde::Serialize;

use crate::answer::Answer;
use crate::best_line::BestLine;
use crate::board::{BoardOptions, board_svg};
use crate::question::{BadQuestion, ExploreError, Question};
use crate::statistics::{Detail, Statistics, detail};

/// The greatest number of games that are judged at once.
pub const MAX_GAMES: usize = 64;
/// The greatest number of plies that are judged at once, of all games: each is a piece of the answer.
pub const MAX_JUDGED_PLIES: usize = 10_000;
/// The greatest number of plies of a line.
pub const MAX_LINE_PLIES: usize = 400;
/// Positions of a slice that are looked at for its distances, for each side to move.
const MOST_POSITIONS: u64 = 1 << 22;
/// How long the folders of tables are taken to be as they were.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// Slices whose distances are kept.
const KEPT_DETAILS: usize = 256;

/// Tables, and what was worked out from them.
#[derive(Debug, Default)]
pub struct Explorer {
    library: Library,
    /// By game, slice and edition of the tables.
    details: Mutex<HashMap<(VariantId, Slice, u64), Arc<Detail>>>,
}

/// An answer that is a refusal.
#[derive(Clone, Debug, Serialize)]
pub struct Refusal {
    /// The code of HTTP.
    #[serde(skip)]
    pub status: u16,
    /// Why, in one line.
    pub error: String,
    /// The kind: `input`, `missing`, `damaged`, `io`, `busy`, `internal`.
    pub kind: &'static str,
    /// The field that is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<&'static str>,
    /// Where the trouble begins: characters of the field, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
}

impl Refusal {
    /// A refusal that names no field.
    pub fn new(status: u16, kind: &'static str, error: impl Into<String>) -> Refusal {
        Refusal { status, error: error.into(), kind, field: None, column: None }
    }

    /// A refusal of a field of the query.
    pub fn field(field: &'static str, error: impl Into<String>) -> Refusal {
        Refusal { field: Some(field), ..Refusal::new(400, "input", error) }
    }
}

impl From<BadQuestion> for Refusal {
    fn from(error: BadQuestion) -> Refusal {
        let (field, column) = (error.field, error.column);
        Refusal { column, ..Refusal::field(field, error.to_string()) }
    }
}

impl From<ProbeError> for Refusal {
    fn from(error: ProbeError) -> Refusal {
        let (status, kind) = match error {
            ProbeError::Input(_) => (400, "input"),
            ProbeError::Missing(_) => (404, "missing"),
            ProbeError::Damaged { .. } => (500, "damaged"),
            _ => (500, "io"),
        };
        Refusal::new(status, kind, error.to_string())
    }
}

impl From<ExploreError> for Refusal {
    fn from(error: ExploreError) -> Refusal {
        match error {
            ExploreError::Question(error) => error.into(),
            ExploreError::Probe(error) => error.into(),
        }
    }
}

/// What the server is and has.
#[derive(Debug, Serialize)]
pub struct Health {
    status: &'static str,
    version: &'static str,
    variants: Vec<VariantHealth>,
}

#[derive(Debug, Serialize)]
struct VariantHealth {
    variant: &'static str,
    /// Slices with a table of wins, draws and losses.
    slices: usize,
    /// Number of pieces up to which every position is covered.
    max_pieces: u32,
}

/// Games that were judged.
#[derive(Debug, Serialize)]
pub struct Judgement {
    games: Vec<Entry>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Entry {
    Judged(Box<Told>),
    Unread { game: usize, error: String },
}

/// A judged game and the report in words.
#[derive(Debug, Serialize)]
struct Told {
    #[serde(flatten)]
    game: Judged,
    text: String,
}

/// What games are to be judged by, as a query has it.
#[derive(Clone, Debug, Default)]
pub struct CourtQuery {
    /// The draw profile.
    pub profile: Option<String>,
    /// The game.
    pub variant: Option<String>,
    /// The ply of a claim.
    pub at: Option<String>,
}

impl Explorer {
    /// An explorer of the tables in `DIR/VARIANT` for each of `dirs`. Tables that are added,
    /// replaced or taken away while it is there are noticed within a second.
    pub fn new(dirs: Vec<PathBuf>) -> Explorer {
        Explorer { library: Library::watching(dirs, LOOK_AGAIN), details: Mutex::default() }
    }

    /// The number of table files of all games.
    ///
    /// # Errors
    /// [`ProbeError::Io`] where a folder cannot be listed.
    pub fn files(&self) -> Result<usize, ProbeError> {
        let mut files = 0;
        for &variant in VariantId::ALL {
            files +=
                with_rules!(variant, G => self.library.shelf::<G>()?.tables().tables().count());
        }
        Ok(files)
    }

    /// Answers a question about a position. Where its table is not there the answer says so, and
    /// still has the moves.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn answer(&self, variant: VariantId, question: &Question) -> Result<Answer, Refusal> {
        with_rules!(variant, G => {
            let asked = question.read::<G>()?;
            let shelf = self.library.shelf::<G>()?;
            let under = shelf.under(asked.profile());
            Ok(asked.answer(&Appraiser::new(&under))?)
        })
    }

    /// The best line from a position.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn line(
        &self,
        variant: VariantId,
        question: &Question,
        plies: Option<&str>,
        time: Duration,
    ) -> Result<BestLine, Refusal> {
        let until = Instant::now() + time;
        let plies = match plies {
            None => MAX_LINE_PLIES,
            Some(text) => match text.parse() {
                Ok(plies) if plies <= MAX_LINE_PLIES => plies,
                _ => {
                    let what = format!("plies: expected a number up to {MAX_LINE_PLIES}");
                    return Err(Refusal::field("plies", what));
                }
            },
        };
        with_rules!(variant, G => {
            let asked = question.read::<G>()?;
            let shelf = self.library.shelf::<G>()?;
            let under = shelf.under(asked.profile());
            Ok(asked.line(&Appraiser::new(&under), plies, until)?)
        })
    }

    /// A position as a picture.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn picture(
        &self,
        variant: VariantId,
        question: &Question,
        turned: bool,
    ) -> Result<String, Refusal> {
        with_rules!(variant, G => {
            let (side, position, last) = question.read::<G>()?.shown();
            Ok(board_svg(side, &position, BoardOptions { turned, last }))
        })
    }

    /// What the tables of a game hold.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn statistics(&self, variant: VariantId) -> Result<Statistics, Refusal> {
        let slices = with_rules!(variant, G => stats(self.library.shelf::<G>()?.tables())?);
        Ok(Statistics::new(variant, &slices))
    }

    /// How long the wins of a slice take.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn detail(&self, variant: VariantId, slice: &str) -> Result<Arc<Detail>, Refusal> {
        let slice: Slice = slice.parse().map_err(|error: damabase_formats::SliceError| {
            let mut text = error;
            text.0 = text.0.chars().take(40).collect();
            Refusal::field("slice", text.to_string())
        })?;
        let kept = || self.details.lock().unwrap_or_else(PoisonError::into_inner);
        with_rules!(variant, G => {
            let shelf = self.library.shelf::<G>()?;
            let key = (variant, slice, shelf.edition());
            if let Some(found) = kept().get(&key) {
                return Ok(found.clone());
            }
            let found = detail::<G>(shelf.tables(), slice, MOST_POSITIONS)?;
            let found = Arc::new(found.ok_or_else(|| {
                Refusal::new(404, "missing", format!("no table of {slice} for {variant}"))
            })?);
            let mut kept = kept();
            if kept.len() >= KEPT_DETAILS {
                kept.clear();
            }
            kept.insert(key, found.clone());
            Ok(found)
        })
    }

    /// Judges the games of a PDN text.
    ///
    /// # Errors
    /// [`Refusal`]; where there are several games, those that cannot be judged are told among the
    /// others.
    pub fn adjudicate(&self, text: &[u8], query: &CourtQuery) -> Result<Judgement, Refusal> {
        let profile = match query.profile.as_deref().filter(|name| !name.is_empty()) {
            None => None,
            Some(name) => Some(draws::built_in(name).ok_or_else(|| {
                let name: String = name.chars().take(40).collect();
                Refusal::field("profile", format!("unknown draw profile '{name}'"))
            })?),
        };
        let variant = match query.variant.as_deref() {
            None => None,
            Some(name) => Some(variant_of(name).map_err(|error| Refusal {
                field: Some("variant"),
                status: 400,
                kind: "input",
                ..error
            })?),
        };
        let at = match query.at.as_deref() {
            None => None,
            Some(text) => Some(
                text.parse().map_err(|_| Refusal::field("at", "at: expected a number of plies"))?,
            ),
        };
        let games = pdn::read(&pdn::decode(text))
            .map_err(|error| Refusal::new(400, "input", format!("bad PDN: {error}")))?;
        match games.len() {
            0 => return Err(Refusal::new(400, "input", "there is no game in the text")),
            1..=MAX_GAMES => {}
            n => {
                let error = format!("{n} games: at most {MAX_GAMES} are judged at once");
                return Err(Refusal::new(400, "input", error));
            }
        }
        let is_move = |item: &&Item| matches!(item, Item::Move { .. });
        let plies: usize = games.iter().map(|game| game.body.iter().filter(is_move).count()).sum();
        if plies > MAX_JUDGED_PLIES {
            let error = format!("{plies} plies: at most {MAX_JUDGED_PLIES} are judged at once");
            return Err(Refusal::new(400, "input", error));
        }
        let court = Court { profile, variant, at };
        let mut entries = Vec::with_capacity(games.len());
        for game in &games {
            match court.judge(game, &self.library) {
                Ok((mut game, _)) => {
                    let text = std::mem::take(&mut game.words);
                    entries.push(Entry::Judged(Box::new(Told { game, text })));
                }
                Err(AdjudicateError::Probe(error)) => return Err(error.into()),
                Err(error) if games.len() == 1 => {
                    return Err(Refusal::new(400, "input", error.to_string()));
                }
                Err(error) => {
                    entries.push(Entry::Unread { game: game.number, error: error.to_string() });
                }
            }
        }
        Ok(Judgement { games: entries })
    }

    /// What the server is and has.
    ///
    /// # Errors
    /// [`Refusal`] where folders cannot be listed.
    pub fn health(&self) -> Result<Health, Refusal> {
        let mut variants = Vec::new();
        for &variant in VariantId::ALL {
            variants.push(with_rules!(variant, G => {
                let shelf = self.library.shelf::<G>()?;
                let tables = shelf.tables();
                VariantHealth {
                    variant: G::VARIANT.name,
                    slices: tables.slices().len(),
                    max_pieces: tables.max_pieces(),
                }
            }));
        }
        Ok(Health { status: "ok", version: env!("CARGO_PKG_VERSION"), variants })
    }
}

/// The game with a name, or a refusal that names those there are.
///
/// # Errors
/// [`Refusal`] with code 404, for names come in paths.
pub fn variant_of(name: &str) -> Result<VariantId, Refusal> {
    let name: String = name.chars().take(40).collect();
    name.parse().map_err(|error: damabase_rules::UnknownVariant| {
        Refusal::new(404, "input", error.to_string())
    })
}
