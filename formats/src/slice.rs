//! Slices: all positions with one material.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

pub use damabase_rules::Material;
use damabase_rules::{Position, Rules};

/// The greatest number of pieces in a slice.
pub const MAX_PIECES: u32 = 12;

/// The order in which sides are named: more pieces first, then more kings.
const fn weight(side: Material) -> (u32, u8) {
    (side.pieces(), side.kings)
}

/// Which side of a slice is to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ToMove {
    /// The side named first in the slice.
    First,
    /// The side named second.
    Second,
}

impl ToMove {
    /// The other side.
    #[inline]
    pub const fn other(self) -> ToMove {
        match self {
            ToMove::First => ToMove::Second,
            ToMove::Second => ToMove::First,
        }
    }

    /// The name in output: `first` or `second`.
    pub const fn name(self) -> &'static str {
        match self {
            ToMove::First => "first",
            ToMove::Second => "second",
        }
    }
}

/// A slice: the material of both sides, either of which may be to move. The side with more pieces,
/// then with more kings, is named first, whichever colour it has.
///
/// ```
/// use damabase_formats::Slice;
/// let slice: Slice = "kvmk".parse().unwrap();
/// assert_eq!(slice.to_string(), "KMvK");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Slice {
    first: Material,
    second: Material,
}

impl Slice {
    /// The slice of two sides' material, in either order.
    pub const fn new(a: Material, b: Material) -> Slice {
        let (x, y) = (weight(a), weight(b));
        if x.0 > y.0 || x.0 == y.0 && x.1 >= y.1 {
            Slice { first: a, second: b }
        } else {
            Slice { first: b, second: a }
        }
    }

    /// The slice of a position and who is to move in it. A symmetric slice has only
    /// [`ToMove::First`].
    #[inline]
    pub fn of<G: Rules>(position: &Position<G>) -> (Slice, ToMove) {
        let mover = Material::of(position.mover);
        let slice = Slice::new(mover, Material::of(position.waiter));
        (slice, if mover == slice.first { ToMove::First } else { ToMove::Second })
    }

    /// The side named first.
    #[inline]
    pub const fn first(self) -> Material {
        self.first
    }

    /// The side named second.
    #[inline]
    pub const fn second(self) -> Material {
        self.second
    }

    /// The material of the side to move and of the other side.
    #[inline]
    pub const fn mover_waiter(self, to_move: ToMove) -> (Material, Material) {
        match to_move {
            ToMove::First => (self.first, self.second),
            ToMove::Second => (self.second, self.first),
        }
    }

    /// Number of pieces of both sides.
    #[inline]
    pub const fn pieces(self) -> u32 {
        self.first.pieces() + self.second.pieces()
    }

    /// Whether both sides have the same material: then one side to move stands for both.
    #[inline]
    pub fn is_symmetric(self) -> bool {
        self.first == self.second
    }

    /// The sides to move that differ: both, or one where the slice is symmetric.
    pub fn sides(self) -> &'static [ToMove] {
        if self.is_symmetric() { &[ToMove::First] } else { &[ToMove::First, ToMove::Second] }
    }

    /// All slices with `pieces` pieces in which both sides have one, least dependent first.
    pub fn with_pieces(pieces: u32) -> Vec<Slice> {
        let mut slices = BTreeSet::new();
        for first in 1..pieces {
            for first_kings in 0..=first {
                for second_kings in 0..=pieces - first {
                    let material = |pieces: u32, kings: u32| Material {
                        men: (pieces - kings) as u8,
                        kings: kings as u8,
                    };
                    slices.insert(Slice::new(
                        material(first, first_kings),
                        material(pieces - first, second_kings),
                    ));
                }
            }
        }
        slices.into_iter().collect()
    }

    /// The slices that a single move can lead to, this one and one-sided ones left out: fewer
    /// pieces of one side by captures, with or without a promotion in the same move, or a man
    /// become a king.
    pub fn successors(self) -> Vec<Slice> {
        let mut slices = BTreeSet::new();
        for to_move in [ToMove::First, ToMove::Second] {
            let (mover, waiter) = self.mover_waiter(to_move);
            let promoted = (mover.men > 0)
                .then(|| Material { men: mover.men.saturating_sub(1), kings: mover.kings + 1 });
            for mover in [Some(mover), promoted].into_iter().flatten() {
                for men in 0..=waiter.men {
                    for kings in 0..=waiter.kings {
                        let left = Material { men, kings };
                        if left.pieces() > 0 {
                            slices.insert(Slice::new(mover, left));
                        }
                    }
                }
            }
        }
        slices.remove(&self);
        slices.into_iter().collect()
    }

    /// The slices that `slices` depend on, themselves included, each after all that it depends on.
    pub fn closure(slices: &[Slice]) -> Vec<Slice> {
        let mut found: BTreeSet<Slice> = slices.iter().copied().collect();
        let mut open: Vec<Slice> = slices.to_vec();
        while let Some(slice) = open.pop() {
            for successor in slice.successors() {
                if found.insert(successor) {
                    open.push(successor);
                }
            }
        }
        found.into_iter().collect()
    }
}

/// Dependency order: a slice is greater than every slice that it depends on. Fewer pieces come
/// first, then equal numbers on both sides (no slice leads to another division of the same number
/// of pieces, so each division can be done with before the next), then fewer men.
impl Ord for Slice {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |slice: &Slice| {
            (
                slice.pieces(),
                slice.first.pieces(),
                slice.first.men + slice.second.men,
                slice.first.men,
                slice.second.men,
            )
        };
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Slice {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}v{}", self.first, self.second))
    }
}

/// A text is no slice name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "'{0}' is no slice: expected kings and men of both sides, such as KKMvK, at most {MAX_PIECES} pieces"
)]
pub struct SliceError(pub String);

impl FromStr for Slice {
    type Err = SliceError;

    /// Reads a name; letters in any order and case, sides in any order.
    fn from_str(text: &str) -> Result<Slice, SliceError> {
        let error = || SliceError(text.to_string());
        let side = |letters: &str| {
            let mut material = Material::default();
            for letter in letters.chars() {
                match letter {
                    'K' | 'k' => material.kings += 1,
                    'M' | 'm' => material.men += 1,
                    _ => return Err(error()),
                }
            }
            if material.pieces() == 0 { Err(error()) } else { Ok(material) }
        };
        if text.len() > MAX_PIECES as usize + 1 {
            return Err(error());
        }
        let (first, second) = text.split_once(['v', 'V']).ok_or_else(error)?;
        Ok(Slice::new(side(first)?, side(second)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_order_and_written_in_one() {
        for (text, name) in [
            ("KKMvKM", "KKMvKM"),
            ("mkVMkk", "KKMvKM"),
            ("MvK", "KvM"),
            ("KvMM", "MMvK"),
            ("MMvMK", "KMvMM"),
        ] {
            assert_eq!(text.parse::<Slice>().unwrap().to_string(), name);
        }
        for text in ["", "v", "K", "Kv", "vK", "KvQ", "KvKvK", "K v K", "KKKKKKKvKKKKKK", "Kvé"] {
            assert!(text.parse::<Slice>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_closure_holds_all_successors_before_each_slice() {
        for pieces in 2..=6 {
            let closure = Slice::closure(&Slice::with_pieces(pieces));
            let expected: usize = (2..=pieces).map(|n| Slice::with_pieces(n).len()).sum();
            assert_eq!(closure.len(), expected);
            for (place, slice) in closure.iter().enumerate() {
                for successor in slice.successors() {
                    assert!(closure[..place].contains(&successor), "{successor} before {slice}");
                }
            }
        }
        let names =
            |slices: Vec<Slice>| slices.iter().map(Slice::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(names(Slice::with_pieces(2)), "KvK KvM MvM");
        assert_eq!(names(Slice::closure(&["KKvM".parse().unwrap()])), "KvK KvM KKvK KKvM");
    }
}
