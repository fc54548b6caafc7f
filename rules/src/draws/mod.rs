//! Draw rules as data: profiles of the federations, counters in play, and the replay of a game
//! under a profile.
//!
//! A [`DrawProfile`] is a list of counters and a rule of repetition, written as a TOML file; no
//! profile has code of its own. [`Counters`] are the values of its counters in one position,
//! [`DrawProfile::step`] takes them over a move, and a [`Replay`] keeps them for a game together
//! with the repetitions, and says when a draw stands or may be claimed, and why.
//!
//! ```
//! use damabase_rules::{International, Position, Side, Square};
//! use damabase_rules::draws::{self, Replay, Seeds};
//!
//! let profile = draws::built_in("fmjd100-2018").unwrap();
//! let (two, one) = ([Square(1), Square(5)], [Square(49)]);
//! let start = Position::<International>::from_squares(&[], &two, &[], &one).unwrap();
//! let game = Replay::new(profile, Side::White, start, &Seeds::default()).unwrap();
//! let c5 = profile.counter("C5").unwrap();
//! assert_eq!(game.now().counters.value(c5), Some(0));
//! assert_eq!(profile.limit(c5, &game.now().counters, &start), Some(10));
//! ```

mod built_in;
mod class;
mod countdown;
mod counters;
mod profile;
mod replay;
mod ways;

pub use built_in::{ChoiceError, all, built_in, chosen, default_profile, toml_text};
pub use class::{Class, Count, Road, Scope, Span};
pub use countdown::{Countdown, Countdowns, Exit, Left, Obstacle, Step};
pub use counters::{Change, Counters, Ply, SeedError, Seeds};
pub use profile::{
    Case, Counted, Counter, DrawProfile, Ending, Event, MAX_COUNTERS, ProfileError, Repetition,
    Status, Subject,
};
pub use replay::{Cause, Due, IllegalMove, Origin, Record, Replay};
