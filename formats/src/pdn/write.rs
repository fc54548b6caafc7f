//! Writing games.

use std::fmt;

use damabase_rules::{Position, Rules, Side, legal_moves};

use super::{Game, Line, Outcome, tag};
use crate::move_text;

/// Lines are broken before this column, except within a word.
const WIDTH: usize = 80;

/// Writes the game: its tags, with the position where it is not that of the start, its moves with
/// marks, comments and variations, and its result. A `}` in a comment becomes `)`, since comments
/// cannot hold one.
impl<G: Rules> fmt::Display for Game<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if tag(&self.tags, "GameType").is_none() {
            writeln!(f, "[GameType \"{}\"]", G::VARIANT.game_type)?;
        }
        for (name, value) in &self.tags {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            writeln!(f, "[{name} \"{value}\"]")?;
        }
        let at_start = self.start.position == Position::start();
        if tag(&self.tags, "FEN").is_none() && !(at_start && self.start.side == G::VARIANT.starts) {
            writeln!(f, "[SetUp \"1\"]\n[FEN \"{}\"]", self.start)?;
        }
        let mut words = Vec::new();
        let number = self.start.full_moves.unwrap_or(1).max(1);
        let place = Place {
            side: self.start.side,
            position: self.start.position,
            number: u64::from(number),
        };
        add_line(&self.line, place, &mut words);
        words.push(match Outcome::of(&self.result_text) {
            // As it was written, unless the result was changed since.
            Some(written) if Some(written) == self.result => self.result_text.clone(),
            _ => self.result.unwrap_or(Outcome::Unknown).to_string(),
        });

        let mut column = 0;
        for word in words {
            // Characters, not bytes: names in comments are in any language.
            let length = word.chars().count();
            if column > 0 && column + 1 + length > WIDTH {
                writeln!(f)?;
                column = 0;
            }
            if column > 0 {
                f.write_str(" ")?;
                column += 1;
            }
            f.write_str(&word)?;
            column += length;
        }
        writeln!(f)
    }
}

/// A position in a line of play and the number of the move to come.
struct Place<G: Rules> {
    side: Side,
    position: Position<G>,
    number: u64,
}

impl<G: Rules> Clone for Place<G> {
    fn clone(&self) -> Self {
        Place { side: self.side, position: self.position, number: self.number }
    }
}

/// Adds a line's words. Calls itself for variations.
fn add_line<G: Rules>(line: &Line<G>, mut place: Place<G>, words: &mut Vec<String>) {
    add_comments(&line.comments, words);
    // The number stands before the starter's moves, and wherever the text was interrupted.
    let mut interrupted = true;
    for played in &line.moves {
        let starts = place.side == G::VARIANT.starts;
        if starts {
            words.push(format!("{}.", place.number));
        } else if interrupted {
            words.push(format!("{}...", place.number));
        }
        let all = legal_moves(&place.position);
        let text =
            move_text(place.side, &place.position, &played.action, &all, G::VARIANT.notation);
        words.push(format!("{text}{}", played.strength));
        words.extend(played.nags.iter().map(|nag| format!("${nag}")));
        add_comments(&played.comments, words);
        for variation in &played.variations {
            words.push("(".to_string());
            add_line(variation, place.clone(), words);
            words.push(")".to_string());
        }
        interrupted = !played.comments.is_empty() || !played.variations.is_empty();
        place = Place {
            side: place.side.other(),
            position: place.position.after(&played.action),
            number: place.number + u64::from(!starts),
        };
    }
}

fn add_comments(comments: &[String], words: &mut Vec<String>) {
    for comment in comments {
        let text = comment.replace('}', ")");
        let mut parts: Vec<String> = text.split_whitespace().map(String::from).collect();
        match parts.as_mut_slice() {
            [] => parts.push("{}".to_string()),
            [only] => *only = format!("{{{only}}}"),
            [first, .., last] => {
                first.insert(0, '{');
                last.push('}');
            }
        }
        words.extend(parts);
    }
}
