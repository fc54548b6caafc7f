//! Conditions on a position: which material, and who holds the main road.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Material, Pieces, Position, Rules, Word};

/// A span of numbers of pieces, both ends included. Written `3`, `"4-5"` or `"1+"`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "String")]
pub struct Span {
    /// The least number.
    pub least: u32,
    /// The greatest number; `u32::MAX` where there is none.
    pub most: u32,
}

impl Span {
    /// Any number.
    pub const ANY: Span = Span { least: 0, most: u32::MAX };

    /// Whether the number lies in the span.
    #[inline]
    pub fn contains(self, number: u32) -> bool {
        self.least <= number && number <= self.most
    }
}

impl Default for Span {
    fn default() -> Span {
        Span::ANY
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least, self.most) {
            (least, u32::MAX) => write!(f, "{least}+"),
            (least, most) if least == most => write!(f, "{least}"),
            (least, most) => write!(f, "{least}-{most}"),
        }
    }
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Span, String> {
        let number = |text: &str| text.parse::<u32>().ok();
        let span = if let Some(least) = text.strip_suffix('+') {
            number(least).map(|least| Span { least, most: u32::MAX })
        } else if let Some((least, most)) = text.split_once('-') {
            number(least).zip(number(most)).map(|(least, most)| Span { least, most })
        } else {
            number(text).map(|n| Span { least: n, most: n })
        };
        span.filter(|span| span.least <= span.most)
            .ok_or_else(|| format!("'{text}' is no span: expected '3', '4-5' or '1+'"))
    }
}

impl From<Span> for String {
    fn from(span: Span) -> String {
        span.to_string()
    }
}

/// A span as a profile's file may write it.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number, or a span such as \"4-5\" or \"1+\"")]
enum Written {
    Number(u32),
    Text(String),
}

impl TryFrom<Written> for Span {
    type Error = String;

    fn try_from(written: Written) -> Result<Span, String> {
        match written {
            Written::Number(n) => Ok(Span { least: n, most: n }),
            Written::Text(text) => text.parse(),
        }
    }
}

/// How many pieces a side has. What is not given may be any number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Count {
    /// Men.
    #[serde(skip_serializing_if = "is_any")]
    pub men: Span,
    /// Kings.
    #[serde(skip_serializing_if = "is_any")]
    pub kings: Span,
    /// Men and kings together.
    #[serde(skip_serializing_if = "is_any")]
    pub pieces: Span,
}

fn is_any(span: &Span) -> bool {
    *span == Span::ANY
}

fn is_any_count(count: &Count) -> bool {
    *count == Count::default()
}

impl Count {
    fn holds(&self, side: Material) -> bool {
        self.men.contains(side.men.into())
            && self.kings.contains(side.kings.into())
            && self.pieces.contains(side.pieces())
    }
}

/// Who is on the main road, the long diagonal from bottom left to top right.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Road {
    /// A king of the weak side, and no other piece.
    WeakKingAlone,
    /// At least one king of the strong side.
    StrongKing,
}

/// A condition on a position: it holds if one side can be called weak and the other strong so that
/// everything given is true. Colours and the side to move do not matter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Class {
    /// The weak side's pieces.
    #[serde(skip_serializing_if = "is_any_count")]
    pub weak: Count,
    /// The strong side's pieces.
    #[serde(skip_serializing_if = "is_any_count")]
    pub strong: Count,
    /// All pieces on the board.
    #[serde(skip_serializing_if = "is_any")]
    pub total: Span,
    /// Who is on the main road.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub road: Option<Road>,
}

impl Class {
    /// Whether the position is in the class.
    pub fn holds<G: Rules>(&self, position: &Position<G>) -> bool {
        self.total.contains(position.occupied().count())
            && (self.holds_for::<G>(position.mover, position.waiter)
                || self.holds_for::<G>(position.waiter, position.mover))
    }

    /// Whether all positions with this material are in the class, or none; `None` where it depends
    /// on where the pieces stand.
    fn holds_everywhere(&self, [one, two]: [Material; 2]) -> Option<bool> {
        let fits = |weak, strong| self.weak.holds(weak) && self.strong.holds(strong);
        let fits =
            self.total.contains(one.pieces() + two.pieces()) && (fits(one, two) || fits(two, one));
        match self.road {
            Some(_) if fits => None,
            _ => Some(fits),
        }
    }

    fn holds_for<G: Rules>(&self, weak: Pieces<G::Word>, strong: Pieces<G::Word>) -> bool {
        let road = G::main_road();
        self.weak.holds(Material::of(weak))
            && self.strong.holds(Material::of(strong))
            && match self.road {
                None => true,
                Some(Road::WeakKingAlone) => {
                    let on_road = (weak.all() | strong.all()) & road;
                    on_road.count() == 1 && (weak.kings & road).any()
                }
                Some(Road::StrongKing) => (strong.kings & road).any(),
            }
    }
}

/// Classes joined by *or*. Not given in a profile means always; the empty list means never.
pub type Scope = Option<Vec<Class>>;

/// Whether the position is in one of the classes of a scope.
pub(super) fn holds<G: Rules>(scope: &Scope, position: &Position<G>) -> bool {
    match scope {
        None => true,
        Some(classes) => classes.iter().any(|class| class.holds(position)),
    }
}

/// Whether a scope holds of all positions with this material, or of none; `None` where it depends
/// on where the pieces stand.
pub(super) fn holds_everywhere(scope: &Scope, sides: [Material; 2]) -> Option<bool> {
    match scope {
        None => Some(true),
        Some(classes) => one_holds_everywhere(classes, sides),
    }
}

/// The same for classes joined by *or*.
pub(super) fn one_holds_everywhere(classes: &[Class], sides: [Material; 2]) -> Option<bool> {
    let mut all_know = true;
    for class in classes {
        match class.holds_everywhere(sides) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => all_know = false,
        }
    }
    all_know.then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_and_written() {
        for text in ["0", "3", "4-5", "1+"] {
            assert_eq!(text.parse::<Span>().unwrap().to_string(), text);
        }
        for text in ["", "+", "-", "5-4", "a", "1-", "-1", "99999999999"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
    }
}
