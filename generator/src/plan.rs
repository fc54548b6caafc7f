//! Which slices a run has to do with, in order, and how large they are.

use std::collections::HashMap;

use damabase_formats::slice::MAX_PIECES;
use damabase_formats::{Index, Slice, positions};
use damabase_rules::Rules;

/// A slice and its size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Planned {
    /// The slice.
    pub slice: Slice,
    /// Positions, all different sides to move counted.
    pub positions: u64,
    /// Index values (holes included), all different sides to move counted.
    pub index_values: u64,
}

/// What was asked for makes no plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// Neither a number of pieces nor a slice.
    #[error("nothing to do: expected a number of pieces or a slice")]
    Nothing,
    /// No slice has so many pieces.
    #[error("{0} pieces: expected 2 to {MAX_PIECES}")]
    Pieces(u32),
    /// The index of a slice does not fit the machine.
    #[error("{0} is too large")]
    TooLarge(Slice),
}

/// All slices with up to `pieces` pieces and `slices`, and those that they depend on, each after
/// all that it depends on.
///
/// # Errors
/// [`PlanError`].
pub fn plan<G: Rules>(pieces: Option<u32>, slices: &[Slice]) -> Result<Vec<Planned>, PlanError> {
    let mut wanted = slices.to_vec();
    match pieces {
        Some(pieces) if !(2..=MAX_PIECES).contains(&pieces) => {
            return Err(PlanError::Pieces(pieces));
        }
        Some(pieces) => wanted.extend((2..=pieces).flat_map(Slice::with_pieces)),
        None if slices.is_empty() => return Err(PlanError::Nothing),
        None => {}
    }
    Slice::closure(&wanted).into_iter().map(size::<G>).collect()
}

fn size<G: Rules>(slice: Slice) -> Result<Planned, PlanError> {
    let sides = slice.sides().len() as u64;
    let times_sides = |n: u64| n.checked_mul(sides).ok_or(PlanError::TooLarge(slice));
    let index_values = times_sides(Index::<G>::new(slice, damabase_formats::ToMove::First).len())?;
    if usize::try_from(index_values).is_err() {
        return Err(PlanError::TooLarge(slice));
    }
    let positions = times_sides(positions(G::board(), slice))?;
    Ok(Planned { slice, positions, index_values })
}

/// When the slices of a plan are needed by others.
#[derive(Debug)]
pub struct Uses(HashMap<Slice, Vec<usize>>);

impl Uses {
    /// For each slice the places in the plan of those that can exit to it.
    pub fn new(plan: &[Planned]) -> Uses {
        let mut uses: HashMap<Slice, Vec<usize>> = HashMap::new();
        for (n, planned) in plan.iter().enumerate() {
            uses.entry(planned.slice).or_default().push(n);
            for slice in planned.slice.successors() {
                uses.entry(slice).or_default().push(n);
            }
        }
        Uses(uses)
    }

    /// The last place where a slice is needed, its own included.
    pub fn last(&self, slice: Slice) -> usize {
        self.0.get(&slice).and_then(|uses| uses.last().copied()).unwrap_or(0)
    }

    /// The first place from `n` on where a slice is needed.
    pub fn next(&self, slice: Slice, n: usize) -> usize {
        let uses = self.0.get(&slice).map_or(&[][..], Vec::as_slice);
        uses.get(uses.partition_point(|&place| place < n)).copied().unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use damabase_rules::{International, Russian};

    #[test]
    fn a_plan_is_a_closure_in_order_with_sizes() {
        let names = |plan: Vec<Planned>| {
            plan.iter().map(|p| p.slice.to_string()).collect::<Vec<_>>().join(" ")
        };
        let kkvm = "KKvM".parse().unwrap();
        assert_eq!(names(plan::<Russian>(None, &[kkvm]).unwrap()), "KvK KvM KKvK KKvM");
        assert_eq!(names(plan::<Russian>(Some(2), &[]).unwrap()), "KvK KvM MvM");
        let sizes = plan::<International>(Some(2), &[]).unwrap();
        assert_eq!(sizes[0].positions, 50 * 49);
        assert_eq!(sizes[0].index_values, 50 * 50);
        assert_eq!(sizes[1].index_values, 2 * 50 * 45);
    }

    #[test]
    fn what_makes_no_plan_is_refused() {
        assert_eq!(plan::<Russian>(None, &[]), Err(PlanError::Nothing));
        assert_eq!(plan::<Russian>(Some(1), &[]), Err(PlanError::Pieces(1)));
        assert_eq!(plan::<Russian>(Some(13), &[]), Err(PlanError::Pieces(13)));
        assert!(plan::<International>(Some(12), &[]).is_ok());
    }
}
