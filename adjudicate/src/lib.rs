//! Games and positions judged by a federation's draw rules, with tables as evidence.
//!
//! [`Court::judge`] replays a game under a draw profile and tells each ply at which a draw stands
//! or may be claimed, and why; [`value`] is what a position is worth under a profile. Tables come
//! from a [`Library`], which serves all games of one program.
//!
//! ```
//! use damabase_adjudicate::{Court, Library};
//! use damabase_formats::pdn;
//!
//! let text = "[GameType \"20\"] [FEN \"W:WK46:BK3\"] 1. 46-41 3-8 2. 41-46 8-3 *";
//! let games = pdn::read(text)?;
//! let court = Court { profile: None, variant: None, at: Some(4) };
//! let (judged, annotated) = court.judge(&games[0], &Library::default())?;
//! assert_eq!(judged.profile, "fmjd100-2018");
//! assert!(judged.first_draw.is_none());
//! assert!(judged.at.is_some_and(|claim| !claim.right));
//! assert!(annotated.contains("{Draw rules: fmjd100-2018"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod court;
mod error;
mod gap;
mod judge;
mod library;
mod line;
mod report;
mod value;
mod words;

pub use court::Court;
pub use error::AdjudicateError;
pub use gap::Gap;
pub use judge::states;
pub use library::{Library, Shelf};
pub use line::{End, Line, line};
pub use report::{Claim, Draw, Judged, Over, PlayedOn, Ply, Restart, Ruling, State, Turn, Values};
pub use value::{Appraiser, Worth, category};
