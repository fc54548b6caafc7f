//! What is told of a game, as JSON has it.

use damabase_rules::draws::{Event, Status};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// All that is told of a game. Its serialised form is that of `damabase adjudicate --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// The game's place in its text, from 1.
    pub game: usize,
    /// The game that is played.
    pub variant: &'static str,
    /// The name of the draw profile.
    pub profile: String,
    /// The first position, without counters.
    pub fen: String,
    /// The outcome, `1-0` also where it is written as `2-0`.
    pub result: Option<String>,
    /// Always none: where a game cannot be read this is why.
    pub error: Option<String>,
    /// The first draw that stands.
    pub first_draw: Option<Draw>,
    /// Plies at which a draw may be claimed.
    pub claimable: Vec<u32>,
    /// The same with counters and by whom.
    pub claims: Vec<Claim>,
    /// How the game ended by the rules of movement.
    pub over: Option<Over>,
    /// What came after the first draw.
    pub if_played_on: Option<PlayedOn>,
    /// Plies that changed the value in theory.
    pub changes: Vec<Turn>,
    /// Plies that changed the value under the counters.
    pub counted_changes: Vec<Turn>,
    /// The claim that was to be judged.
    pub at: Option<Ruling>,
    /// The first position.
    pub start: Ply,
    /// The positions after each ply.
    pub plies: Vec<Ply>,
    /// The report in words, several lines.
    #[serde(skip)]
    pub words: String,
}

/// A draw: the names of what it follows from, counters in the profile's order and `repetition`.
#[derive(Clone, Debug, Serialize)]
pub struct Draw {
    /// Plies played when it stands.
    pub ply: u32,
    /// What it follows from.
    pub counters: Vec<String>,
}

/// A draw that may be claimed.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    /// Plies played when it may be claimed.
    pub ply: u32,
    /// `white`, `black` or both.
    pub by: Vec<&'static str>,
    /// What it follows from.
    pub counters: Vec<String>,
}

/// The end of a game in which a side has no move or no piece.
#[derive(Clone, Debug, Serialize)]
pub struct Over {
    /// Plies played.
    pub ply: u32,
    /// `white` or `black`.
    pub winner: &'static str,
}

/// What came after the first draw.
#[derive(Clone, Debug, Serialize)]
pub struct PlayedOn {
    /// Plies played after it.
    pub plies: u32,
    /// Further counters that reached their limit, each where it first did.
    pub draws: Vec<Draw>,
}

/// A ply that changed a value, which is told for White.
#[derive(Clone, Debug, Serialize)]
pub struct Turn {
    /// The ply.
    pub ply: u32,
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// White's value before it.
    pub before: &'static str,
    /// White's value after it.
    pub after: &'static str,
    /// Plies left on the counters after it; none where nothing counts or it is not known.
    pub left: Option<u32>,
    /// Plies that had to be left for a win or loss; none where there is none, or not known.
    pub needed: Option<u16>,
}

/// Whether a claim is right.
#[derive(Clone, Debug, Serialize)]
pub struct Ruling {
    /// Plies played when it was made.
    pub ply: u32,
    /// Whether it is right.
    pub right: bool,
    /// Why, a line each.
    pub reasons: Vec<String>,
    /// The counters that are on.
    pub counters: Vec<State>,
}

/// All that is known of a counter that is on.
#[derive(Clone, Debug, Serialize)]
pub struct State {
    /// Its name.
    pub name: String,
    /// Plies counted.
    pub value: u32,
    /// Plies at which its draw is due; none for one that only feeds another.
    pub limit: Option<u32>,
    /// Plies left to the limit.
    pub left: Option<u32>,
    /// The ply with which it came on.
    pub started: u32,
    /// The last ply that set it to 0.
    pub restarted: Option<Restart>,
    /// The article in its source.
    pub article: String,
    /// How well the article is known.
    pub status: Status,
}

/// The last ply that set a counter to 0.
#[derive(Clone, Debug, Serialize)]
pub struct Restart {
    /// The ply.
    pub ply: u32,
    /// What it was.
    pub by: Event,
}

/// A position of the game.
#[derive(Clone, Debug, Serialize)]
pub struct Ply {
    /// Plies played.
    pub ply: u32,
    /// The move that led here; none in the first position.
    #[serde(rename = "move")]
    pub text: Option<String>,
    /// The position, without counters.
    pub fen: String,
    /// The counters that are on.
    pub counters: Values,
    /// Plies at which each of them makes a draw, where it does.
    pub limits: Values,
    /// How often the position has occurred so far.
    pub repetition: u32,
    /// Plies to the nearest limit of a counter.
    pub plies_left: Option<u32>,
    /// Plies that must be left so that the win or loss of the position counts; none where it has
    /// none, or where it is not known.
    pub budget: Option<u16>,
    /// Plies to spare for a win or loss to count; none where nothing counts, or where it is not known.
    pub spare: Option<u32>,
    /// The value under the counters, for the side to move.
    pub value: Option<&'static str>,
    /// The value without counters, for the side to move.
    pub value_in_theory: Option<&'static str>,
    /// What makes a draw, or lets one be claimed, here.
    pub due: Vec<String>,
}

/// Plies by name of the counter, in the profile's order; an object in JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
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
