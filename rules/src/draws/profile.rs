//! A draw profile: what a profile's file says.

use serde::{Deserialize, Serialize};

use super::class::{Class, Scope};
use crate::VariantId;

/// The greatest number of counters in a profile.
pub const MAX_COUNTERS: usize = 8;

/// The draw rules of one federation for some games. [`DrawProfile::from_toml`] reads one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawProfile {
    /// The name in commands and files.
    pub name: String,
    /// One line on what it is.
    pub title: String,
    /// Names of the games it is made for; some are not played by this program.
    pub variants: Vec<String>,
    /// Where the rules were taken from.
    pub source: String,
    /// What the source leaves open, and how it is read here.
    #[serde(default)]
    pub open: Vec<String>,
    /// The counters, in the order in which they are reported.
    #[serde(default, rename = "counter")]
    pub counters: Vec<Counter>,
    /// The rule of repetition, if there is one.
    #[serde(default)]
    pub repetition: Option<Repetition>,
}

/// A counter of plies.
///
/// After every ply: a counter that is off comes on at 0 where `start` holds of the new position; a
/// counter that is on goes off where `keep` does not hold; else it falls to 0 if the ply is named
/// in `restart`; else it grows by 1.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counter {
    /// The name, a letter followed by letters and digits: `C16`.
    pub name: String,
    /// The article in its source.
    pub article: String,
    /// How well the article is known.
    pub status: Status,
    /// The rule in words.
    pub text: String,
    /// Plies at which the draw is due; none for a counter that only feeds another.
    #[serde(default)]
    pub limit: Option<u32>,
    /// Where it comes on, at 0. Always, if not given.
    #[serde(default)]
    pub start: Scope,
    /// Where it stays on; as `start`, if not given.
    #[serde(default)]
    pub keep: Scope,
    /// An earlier counter: while that one is on, this one does not come on.
    #[serde(default)]
    pub unless: Option<String>,
    /// Plies that set it to 0. With any of these it is a *streak*.
    #[serde(default)]
    pub restart: Vec<Event>,
    /// It never goes off: it counts, over the whole game, the plies after which `start` holds.
    #[serde(default)]
    pub tally: bool,
    /// Other limits and restarts where these hold; the first that does decides.
    #[serde(default, rename = "case")]
    pub cases: Vec<Case>,
    /// What follows from reaching the limit.
    #[serde(default)]
    pub ending: Ending,
    /// Whose moves the rule speaks of; words only, since the Nth move of one side is reached by ply
    /// 2N.
    #[serde(default)]
    pub subject: Subject,
    /// The greatest value taken from a FEN's `H` field; greater ones count as this.
    #[serde(default)]
    pub most_from_fen: Option<u32>,
}

/// What holds for a counter in some positions, instead of its own limit and restarts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The positions.
    pub when: Vec<Class>,
    /// An earlier counter that must have some value as well.
    #[serde(default)]
    pub counted: Option<Counted>,
    /// Plies at which the draw is due.
    #[serde(default)]
    pub limit: Option<u32>,
    /// Plies that set the counter to 0.
    #[serde(default)]
    pub restart: Vec<Event>,
}

/// A value that another counter must have.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counted {
    /// Its name.
    pub counter: String,
    /// Its least value, in plies.
    pub least: u32,
}

/// A kind of ply.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// Something is taken.
    Capture,
    /// The piece was a man before the move. A promotion is one, too.
    ManMove,
    /// A man becomes a king.
    Promotion,
    /// A man becomes its side's only king.
    FirstPromotion,
    /// A capture after which the case holds, while it did not before.
    EntryCapture,
}

/// What follows when a limit is reached.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// The game is drawn.
    #[default]
    Automatic,
    /// The player to move may claim a draw.
    ClaimByMover,
    /// Either player may claim a draw.
    ClaimByEither,
}

/// Whose moves a rule speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// "Each player another N moves."
    #[default]
    Both,
    /// "The stronger side by its Nth move."
    Strong,
    /// "N moves of the lone king."
    Weak,
}

/// How well an article is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Read in the source.
    Read,
    /// Read as others quote it.
    SecondHand,
    /// Read in the code of a program.
    Code,
    /// Inferred.
    Inferred,
}

impl Status {
    /// The status in words.
    pub fn words(self) -> &'static str {
        match self {
            Status::Read => "read in the source",
            Status::SecondHand => "second-hand",
            Status::Code => "from the program's code",
            Status::Inferred => "inferred",
        }
    }
}

/// A rule of repetition: the same pieces on the same squares with the same side to move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repetition {
    /// The occurrence at which the draw is due.
    pub count: u32,
    /// The article in its source.
    pub article: String,
    /// How well the article is known.
    pub status: Status,
    /// The rule in words.
    pub text: String,
    /// What follows.
    #[serde(default)]
    pub ending: Ending,
    /// Due when a legal move of the player to move *would* make that occurrence, rather than when
    /// a move has made it.
    #[serde(default)]
    pub before_the_move: bool,
    /// The first position of the game is not counted as an occurrence.
    #[serde(default)]
    pub without_start: bool,
    /// Occurrences before this counter was last 0 are not counted.
    #[serde(default)]
    pub since: Option<String>,
    /// The least value of the counter `since`, in plies.
    #[serde(default)]
    pub least_plies: u32,
}

/// Why a text is no draw profile.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// It is no TOML, or has other fields than a profile has.
    #[error("{0}")]
    Syntax(String),
    /// Too many counters.
    #[error("{0} counters: a profile has at most {MAX_COUNTERS}")]
    TooManyCounters(usize),
    /// The name does not fit into a FEN field `C<NAME>=<n>`, or is `repetition`.
    #[error("'{0}' is no name for a counter: expected a letter followed by letters and digits")]
    CounterName(String),
    /// Two counters with one name.
    #[error("there are two counters '{0}'")]
    DuplicateCounter(String),
    /// A counter is named where an earlier one should be.
    #[error("counter '{counter}' names '{named}', which is no earlier counter")]
    NotEarlier {
        /// The counter that names another.
        counter: String,
        /// The other's name.
        named: String,
    },
    /// The rule of repetition names a counter that is not there.
    #[error("the rule of repetition names '{0}', which is no counter")]
    UnknownCounter(String),
    /// A repetition needs two occurrences.
    #[error("a repetition of {0}: expected at least 2 occurrences")]
    RepetitionCount(u32),
    /// Counters are kept in 16 bits.
    #[error("limit {0} is too large: at most {max}", max = super::counters::MAX_VALUE)]
    Limit(u32),
    /// The profile is for other games.
    #[error("profile '{profile}' is not for {variant}")]
    OtherGame {
        /// The profile.
        profile: String,
        /// The game asked for.
        variant: VariantId,
    },
}

impl DrawProfile {
    /// Reads a profile's file.
    ///
    /// # Errors
    /// Any [`ProfileError`]; never panics.
    pub fn from_toml(text: &str) -> Result<DrawProfile, ProfileError> {
        let profile: DrawProfile = toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or("");
            let line = before.matches('\n').count() + 1;
            let message = error.message().lines().collect::<Vec<_>>().join(" ");
            ProfileError::Syntax(format!("line {line}: {message}"))
        })?;
        profile.check()?;
        Ok(profile)
    }

    /// The profile as a profile's file, without the comments it may have had.
    pub fn to_toml(&self) -> String {
        // Names, numbers and texts: there is nothing in it that TOML cannot say.
        toml::to_string(self).unwrap_or_default()
    }

    /// The profile without any rule: no draw ever stands.
    pub fn none() -> DrawProfile {
        DrawProfile {
            name: "none".to_string(),
            title: "No draw rules".to_string(),
            variants: VariantId::ALL.iter().map(|id| id.variant().name.to_string()).collect(),
            source: "values without counters".to_string(),
            open: Vec::new(),
            counters: Vec::new(),
            repetition: None,
        }
    }

    fn check(&self) -> Result<(), ProfileError> {
        if self.counters.len() > MAX_COUNTERS {
            return Err(ProfileError::TooManyCounters(self.counters.len()));
        }
        for (i, counter) in self.counters.iter().enumerate() {
            let name = &counter.name;
            if !name.starts_with(|c: char| c.is_ascii_alphabetic())
                || !name.bytes().all(|b| b.is_ascii_alphanumeric())
                || name == "repetition"
            {
                return Err(ProfileError::CounterName(name.clone()));
            }
            let earlier = &self.counters[..i];
            if earlier.iter().any(|other| other.name == *name) {
                return Err(ProfileError::DuplicateCounter(name.clone()));
            }
            let counted = counter.cases.iter().filter_map(|case| case.counted.as_ref());
            for named in counted.map(|c| &c.counter).chain(&counter.unless) {
                if !earlier.iter().any(|other| other.name == *named) {
                    let (counter, named) = (name.clone(), named.clone());
                    return Err(ProfileError::NotEarlier { counter, named });
                }
            }
            let limits = counter.cases.iter().filter_map(|case| case.limit).chain(counter.limit);
            if let Some(limit) = limits.max().filter(|&n| n > super::counters::MAX_VALUE) {
                return Err(ProfileError::Limit(limit));
            }
        }
        if let Some(repetition) = &self.repetition {
            if repetition.count < 2 {
                return Err(ProfileError::RepetitionCount(repetition.count));
            }
            if let Some(name) = repetition.since.as_ref().filter(|n| self.counter(n).is_none()) {
                return Err(ProfileError::UnknownCounter(name.clone()));
            }
        }
        Ok(())
    }

    /// The place of a counter among [`Self::counters`].
    pub fn counter(&self, name: &str) -> Option<usize> {
        self.counters.iter().position(|counter| counter.name == name)
    }

    /// Whether the profile is made for a game.
    pub fn is_for(&self, variant: VariantId) -> bool {
        self.variants.iter().any(|name| name == variant.variant().name)
    }

    /// The profile, if it is made for a game.
    ///
    /// # Errors
    /// [`ProfileError::OtherGame`].
    pub fn checked_for(&self, variant: VariantId) -> Result<&DrawProfile, ProfileError> {
        let profile = || self.name.clone();
        self.is_for(variant)
            .then_some(self)
            .ok_or_else(|| ProfileError::OtherGame { profile: profile(), variant })
    }
}
