//! PDN, the notation of games, version 3.0: read by grammar, checked against the rules, written.
//!
//! ```text
//! [GameType "20"]
//! [FEN "W:WK46,K47,K48:BK3"]
//! 1. 47-38 3-9 {a comment} 2. 46-23 (2. 46-28 9-13) 9-22 $1 *
//! ```
//!
//! Reading has two steps. [`read`] splits a text into games without knowing any game; a
//! [`RawGame`] is then [resolved](RawGame::resolve) as a [`Game`] of one variant, every move of it,
//! also in variations, legal. Both name what they do not understand and drop nothing but the
//! numbers of moves.
//!
//! ```
//! use damabase_formats::pdn;
//! use damabase_rules::International;
//!
//! let text = "[FEN \"W:WK46,K47,K48:BK3\"] 1. 47-38 3-9 2. 46-23 9-22 *";
//! let games = pdn::read(text)?;
//! let game = games[0].resolve::<International>()?;
//! assert_eq!(game.line.moves.len(), 4);
//!
//! let wrong = pdn::read("1. 32-28 19-23 2. 28-22 *")?;
//! let error = wrong[0].resolve::<International>().unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "game 1, ply 3, line 1: '28-22' is no legal move here: expected 28x19"
//! );
//! # Ok::<(), pdn::PdnError>(())
//! ```
//!
//! Grammar: PDN 3.0, sections "Grammar" and "PDN tags".

use std::fmt;

use damabase_rules::{Move, Rules};

use crate::{Fen, FenError, MoveTextError};

mod parse;
mod resolve;
mod token;
mod write;

pub use parse::read;

/// The deepest nesting of variations that is read.
pub const MAX_DEPTH: usize = 64;

/// The text of a file: UTF-8, or else Latin-1, as many older files are; without a byte order mark.
pub fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}').to_string(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// A game as it is written: tags and moves as text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RawGame {
    /// Its place in the text, from 1.
    pub number: usize,
    /// The tags in the order of the text, with their values.
    pub tags: Vec<(String, String)>,
    /// What follows the tags.
    pub body: Vec<Item>,
    /// How the game ended.
    pub result: Option<Outcome>,
    /// The same as it is written, such as `2-0`; empty where the text does not say.
    pub result_text: String,
}

/// A piece of a game's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// A move.
    Move {
        /// As written, without its number and marks.
        text: String,
        /// The line of the text, from 1.
        line: usize,
    },
    /// A mark of a move's strength, such as `!` or `?!`.
    Strength(String),
    /// A numeric mark, such as `$1`.
    Nag(u32),
    /// A comment, without its braces.
    Comment(String),
    /// Other moves instead of the last one.
    Variation(Vec<Item>),
}

/// How a game ended. The two ways of counting a win, 1-0 and 2-0, mean the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// `1-0` or `2-0`.
    WhiteWins,
    /// `0-1` or `0-2`.
    BlackWins,
    /// `1/2-1/2`, `1/2` or `1-1`.
    Draw,
    /// `0-0`: both lose.
    NoPoints,
    /// `*`: not ended, or not known.
    Unknown,
}

/// A game whose moves are known to be legal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game<G: Rules> {
    /// Its place in the text it came from, from 1.
    pub number: usize,
    /// The tags, FEN among them where the game does not begin at the start.
    pub tags: Vec<(String, String)>,
    /// The first position, with its counters.
    pub start: Fen<G>,
    /// The moves played.
    pub line: Line<G>,
    /// How the game ended; none where the text does not say.
    pub result: Option<Outcome>,
    /// The same as it is written, such as `2-0`; empty where the text does not say.
    pub result_text: String,
}

/// Moves one after the other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Line<G: Rules> {
    /// Comments before the first move.
    pub comments: Vec<String>,
    /// The moves.
    pub moves: Vec<Played<G>>,
}

/// A move in a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played<G: Rules> {
    /// The move, as the side that makes it sees it.
    pub action: Move<G::Word>,
    /// A mark of its strength, or nothing.
    pub strength: String,
    /// Numeric marks.
    pub nags: Vec<u32>,
    /// Comments that follow it.
    pub comments: Vec<String>,
    /// Other lines instead of it.
    pub variations: Vec<Line<G>>,
}

impl RawGame {
    /// The value of a tag, by its name; upper and lower case are the same.
    pub fn tag(&self, name: &str) -> Option<&str> {
        tag(&self.tags, name)
    }

    /// The number of the game's kind in its `GameType` tag, if it has one that is a number.
    pub fn game_type(&self) -> Option<u32> {
        self.tag("GameType")?.split(',').next()?.trim().parse().ok()
    }

    /// The greatest square number in its moves; `None` where there is none.
    pub fn greatest_square(&self) -> Option<u32> {
        fn greatest(items: &[Item]) -> Option<u32> {
            let of = |item: &Item| match item {
                Item::Move { text, .. } => text
                    .split(|c: char| !c.is_ascii_alphanumeric())
                    .filter_map(|square| square.parse().ok())
                    .max(),
                Item::Variation(items) => greatest(items),
                _ => None,
            };
            items.iter().filter_map(of).max()
        }
        greatest(&self.body)
    }
}

fn tag<'a>(tags: &'a [(String, String)], name: &str) -> Option<&'a str> {
    tags.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

impl Outcome {
    /// The outcome that a word stands for.
    pub fn of(word: &str) -> Option<Outcome> {
        Some(match word {
            "1-0" | "2-0" => Outcome::WhiteWins,
            "0-1" | "0-2" => Outcome::BlackWins,
            "1/2-1/2" | "1/2" | "1-1" => Outcome::Draw,
            "0-0" => Outcome::NoPoints,
            "*" => Outcome::Unknown,
            _ => return None,
        })
    }
}

/// Written as chess players do; where wins count two, PDN has `2-0`, `1-1` and `0-2`.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Outcome::WhiteWins => "1-0",
            Outcome::BlackWins => "0-1",
            Outcome::Draw => "1/2-1/2",
            Outcome::NoPoints => "0-0",
            Outcome::Unknown => "*",
        })
    }
}

/// Why a text is no PDN of a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PdnError {
    /// The text does not follow the grammar.
    #[error("line {line}: {what}")]
    Syntax {
        /// The line of the text, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// The `FEN` tag is no position.
    #[error("game {game}: bad FEN: {source}")]
    Fen {
        /// The game's place in the text, from 1.
        game: usize,
        /// What is wrong with it.
        source: FenError,
    },
    /// The `GameType` tag says that squares are numbered or named in another way.
    #[error("game {game}: GameType '{text}': expected '{expected}'")]
    GameType {
        /// The game's place in the text, from 1.
        game: usize,
        /// The tag's value.
        text: String,
        /// What this game has.
        expected: String,
    },
    /// A move that cannot be played.
    #[error(transparent)]
    Move(Box<BadMove>),
    /// A variation or a mark where there is no move that it could belong to.
    #[error("game {game}: {what} before the first move of a line")]
    NoMove {
        /// The game's place in the text, from 1.
        game: usize,
        /// What has no move.
        what: &'static str,
    },
}

/// A move that cannot be played: it is illegal, it may be one of several, or it is no move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("game {game}, ply {ply}, line {line}: {source}{}", Expected(source, candidates))]
pub struct BadMove {
    /// The game's place in the text, from 1.
    pub game: usize,
    /// The ply, from 1.
    pub ply: usize,
    /// The line of the text, from 1.
    pub line: usize,
    /// The move as written.
    pub text: String,
    /// What is wrong with it.
    pub source: MoveTextError,
    /// The legal moves.
    pub candidates: Vec<String>,
}

/// The legal moves in a message; an ambiguous move has its own.
struct Expected<'a>(&'a MoveTextError, &'a [String]);

impl fmt::Display for Expected<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, self.1) {
            (MoveTextError::Ambiguous { .. }, _) => Ok(()),
            (_, []) => f.write_str(": there is none, the game is over"),
            (_, moves) => write!(f, ": expected {}", moves.join(", ")),
        }
    }
}
