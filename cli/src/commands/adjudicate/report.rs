//! What is told of games, as JSON has it.

use damabase_rules::draws::{Event, Status};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// The games of a text.
#[derive(Serialize)]
pub struct Report {
    pub games: Vec<Entry>,
}

/// A game, or why there is none.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Entry {
    Judged(Box<Judged>),
    Unread { game: usize, error: String },
}

#[derive(Serialize)]
pub struct Judged {
    pub game: usize,
    pub variant: &'static str,
    pub profile: String,
    pub fen: String,
    pub result: Option<String>,
    pub error: Option<String>,
    pub first_draw: Option<Draw>,
    pub claimable: Vec<u32>,
    pub claims: Vec<Claim>,
    pub over: Option<Over>,
    pub if_played_on: Option<PlayedOn>,
    pub changes: Vec<Turn>,
    pub at: Option<Ruling>,
    pub start: Ply,
    pub plies: Vec<Ply>,
    /// The report in words.
    #[serde(skip)]
    pub words: String,
}

/// A draw: the names of what it follows from, counters in the profile's order and `repetition`.
#[derive(Clone, Serialize)]
pub struct Draw {
    pub ply: u32,
    pub counters: Vec<String>,
}

/// A draw that may be claimed.
#[derive(Clone, Serialize)]
pub struct Claim {
    pub ply: u32,
    pub by: Vec<&'static str>,
    pub counters: Vec<String>,
}

#[derive(Clone, Serialize)]
pub struct Over {
    pub ply: u32,
    pub winner: &'static str,
}

/// What came after the first draw.
#[derive(Serialize)]
pub struct PlayedOn {
    /// Plies played after it.
    pub plies: u32,
    /// Further counters that reached their limit, each where it first did.
    pub draws: Vec<Draw>,
}

/// A ply that changed the value in theory, which is told for White.
#[derive(Clone, Serialize)]
pub struct Turn {
    pub ply: u32,
    #[serde(rename = "move")]
    pub text: String,
    pub before: &'static str,
    pub after: &'static str,
}

/// Whether a claim is right.
#[derive(Serialize)]
pub struct Ruling {
    pub ply: u32,
    pub right: bool,
    pub reasons: Vec<String>,
    pub counters: Vec<State>,
}

/// All that is known of a counter that is on.
#[derive(Serialize)]
pub struct State {
    pub name: String,
    pub value: u32,
    pub limit: Option<u32>,
    pub left: Option<u32>,
    /// The ply with which it came on.
    pub started: u32,
    pub restarted: Option<Restart>,
    pub article: String,
    pub status: Status,
}

/// The last ply that set a counter to 0.
#[derive(Serialize)]
pub struct Restart {
    pub ply: u32,
    pub by: Event,
}

/// A position of the game.
#[derive(Serialize)]
pub struct Ply {
    pub ply: u32,
    #[serde(rename = "move")]
    pub text: Option<String>,
    pub fen: String,
    pub counters: Values,
    pub repetition: u32,
    pub plies_left: Option<u32>,
    pub value: Option<&'static str>,
    pub value_in_theory: Option<&'static str>,
    pub due: Vec<String>,
}

/// Counters that are on, in the profile's order.
pub struct Values(pub Vec<(String, u32)>);

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Report {
    /// Why the claim of a game is wrong, if it is.
    pub fn wrong_claim(&self) -> Option<String> {
        self.games.iter().find_map(|game| match game {
            Entry::Judged(game) => {
                game.at.as_ref().filter(|at| !at.right).map(|at| {
                    format!("a claim at ply {} is wrong: {}", at.ply, at.reasons.join("; "))
                })
            }
            Entry::Unread { .. } => None,
        })
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (place, entry) in self.games.iter().enumerate() {
            if place > 0 {
                writeln!(f)?;
            }
            match entry {
                Entry::Judged(game) => f.write_str(&game.words)?,
                Entry::Unread { error, .. } => writeln!(f, "cannot be read: {error}")?,
            }
        }
        Ok(())
    }
}
