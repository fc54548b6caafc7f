//! Why a game cannot be judged.

use damabase_formats::pdn::PdnError;
use damabase_probe::ProbeError;
use damabase_rules::draws::{IllegalMove, ProfileError, SeedError};

/// A game could not be judged.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdjudicateError {
    /// The game is none that can be played.
    #[error(transparent)]
    Pdn(#[from] PdnError),
    /// The profile is for other games.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The counters of its first position do not fit the profile.
    #[error("game {game}: {source}")]
    Seeds {
        /// The game's place in the text, from 1.
        game: usize,
        /// What does not fit.
        source: SeedError,
    },
    /// A move after the end of the game.
    #[error("game {game}: {source}")]
    Move {
        /// The game's place in the text, from 1.
        game: usize,
        /// What is wrong.
        source: IllegalMove,
    },
    /// A claim after the end of the text.
    #[error("game {game}: a claim at ply {at}: the game has {plies} plies")]
    Claim {
        /// The game's place in the text, from 1.
        game: usize,
        /// The ply of the claim.
        at: u32,
        /// Plies that the game has.
        plies: usize,
    },
    /// The tag `GameType` is that of another game.
    #[error("game {game}: GameType '{text}' is not played here; name the variant")]
    GameType {
        /// The game's place in the text, from 1.
        game: usize,
        /// The tag's value, shortened if very long.
        text: String,
    },
    /// More than one game fits the text.
    #[error("game {game}: no tag GameType tells which game it is; name the variant")]
    Variant {
        /// The game's place in the text, from 1.
        game: usize,
    },
    /// A table is damaged or cannot be read.
    #[error(transparent)]
    Probe(#[from] ProbeError),
}
