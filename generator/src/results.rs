//! What the draw rules of a federation make of wins: slice by slice how many there are in theory,
//! how many survive from a fresh count, and how many plies the longest of these needs.

use std::path::Path;

use damabase_formats::table::{Metric, SectionStatistics, TableId};
use damabase_formats::{Distance, Index, Slice, ToMove};
use damabase_probe::{ProbeError, TableSet, Under};
use damabase_rules::draws::{DrawProfile, Seeds};
use damabase_rules::{Position, Rules, can_capture};
use rayon::prelude::*;

/// Codes that are read at a time.
const CHUNK: u64 = 1 << 16;

/// A slice under a profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SliceResults<G: Rules> {
    /// The slice.
    pub slice: Slice,
    /// The plies left with a fresh count; none where nothing counts, or several counters decide.
    pub limit: Option<u32>,
    /// The places in the profile of the counters that decide.
    pub decided_by: Vec<usize>,
    /// Names the table of budgets; equal under profiles that count alike.
    pub table: String,
    /// Each different side to move.
    pub sides: Vec<SideResults>,
    /// The fewest plies that are left over where a win or loss is in time from a fresh count.
    pub least_spare: Option<u32>,
    /// A position with so few.
    pub tightest: Option<Tightest<G>>,
}

/// A slice with one side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SideResults {
    /// Who is to move.
    pub to_move: ToMove,
    /// All positions.
    pub positions: u64,
    /// Won and lost by the mover if nobody counts.
    pub in_theory: [u64; 2],
    /// Won and lost by the mover from a fresh count.
    pub in_time: [u64; 2],
    /// The most plies that one of these needs; none where several counters decide.
    pub longest: [Option<u32>; 2],
}

/// A position that is hardly won or lost in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tightest<G: Rules> {
    /// Who is to move.
    pub to_move: ToMove,
    /// The position.
    pub position: Position<G>,
}

/// What the counters do to the wins of a slice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Effect {
    /// There is nothing to win.
    NoWins,
    /// Nothing counts.
    Uncounted,
    /// Every win is in time, with plies to spare.
    Wide,
    /// Every win is in time, and the longest needs every ply.
    Exact,
    /// Some wins are not in time.
    CutsOff,
}

impl<G: Rules> SliceResults<G> {
    /// Positions that are won by one side or the other: in theory, and from a fresh count.
    pub fn wins(&self) -> [u64; 2] {
        let sum = |of: fn(&SideResults) -> [u64; 2]| {
            self.sides.iter().map(|side| of(side).iter().sum::<u64>()).sum()
        };
        [sum(|side| side.in_theory), sum(|side| side.in_time)]
    }

    /// The most plies that a win needs that is in time.
    pub fn longest_plies(&self) -> Option<u32> {
        self.sides.iter().flat_map(|side| side.longest).flatten().max()
    }

    /// What the counters do to the wins.
    pub fn effect(&self) -> Effect {
        let [in_theory, in_time] = self.wins();
        match self.least_spare {
            _ if in_theory == 0 => Effect::NoWins,
            _ if self.decided_by.is_empty() => Effect::Uncounted,
            _ if in_time < in_theory => Effect::CutsOff,
            Some(0) => Effect::Exact,
            _ => Effect::Wide,
        }
    }
}

/// The results in all slices that have a table of budgets under a profile, each after all that it
/// depends on.
///
/// # Errors
/// [`ProbeError::Damaged`], [`ProbeError::Io`]; [`ProbeError::Missing`] where a slice has budgets
/// and no other values.
pub fn results<G: Rules>(
    set: &TableSet<G>,
    profile: &DrawProfile,
) -> Result<Vec<SliceResults<G>>, ProbeError> {
    let under = set.under(profile);
    let mut all = Vec::new();
    for slice in set.slices() {
        let countdown = under.countdowns().get([slice.first(), slice.second()]);
        let several = under.countdowns().stairs_id();
        let name = countdown.map_or(several, |countdown| &countdown.id);
        let found = set
            .tables()
            .find(|(id, _)| (id.slice, id.metric, &*id.profile) == (slice, Metric::Budget, name));
        match found {
            Some((id, path)) if countdown.is_some() => all.push(by_one_number(&under, id, path)?),
            Some((id, path)) => all.push(by_several(&under, id, path)?),
            None => {}
        }
    }
    Ok(all)
}

/// How many positions of a slice are won and lost in theory and by its table of budgets.
fn counted<G: Rules>(set: &TableSet<G>, id: &TableId) -> Result<Vec<SideResults>, ProbeError> {
    let theory = &set.table(id.slice, Metric::Wld)?.header().sections;
    let sections = set.table_of(id)?.header().sections.iter().zip(theory);
    let side = sections.map(|(section, theory)| SideResults {
        to_move: section.to_move,
        positions: section.counts.positions,
        in_theory: [theory.counts.wins, theory.counts.losses],
        in_time: [section.counts.wins, section.counts.losses],
        longest: [None, None],
    });
    Ok(side.collect())
}

/// Where several counters decide.
fn by_several<G: Rules>(
    under: &Under<G>,
    id: &TableId,
    path: &Path,
) -> Result<SliceResults<G>, ProbeError> {
    let slice = id.slice;
    let sides = counted(under.tables(), id)?;
    let metadata = under.tables().table_of(id)?.metadata();
    let dictionary = metadata.and_then(|metadata| metadata.stairs());
    let dictionary = dictionary.map_err(|source| crate::verify::file_error(path, source))?;
    let names = dictionary.iter().flat_map(|dictionary| dictionary.counters());
    let mut found = Vec::new();
    for side in &sides {
        found.extend(find_least_spare(under, slice, side.to_move)?);
    }
    let least = found.into_iter().min();
    Ok(SliceResults {
        slice,
        limit: None,
        decided_by: names.filter_map(|name| under.profile().counter(name)).collect(),
        table: id.profile.clone(),
        sides,
        least_spare: least.map(|(spare, _, _)| spare),
        tightest: least.and_then(|(_, to_move, number)| {
            let position = Index::<G>::new(slice, to_move).unrank(number)?;
            Some(Tightest { to_move, position })
        }),
    })
}

/// The fewest plies to spare among positions that are won or lost in time from a fresh count, with
/// the first index value that has them.
fn find_least_spare<G: Rules>(
    under: &Under<G>,
    slice: Slice,
    to_move: ToMove,
) -> Result<Option<(u32, ToMove, u64)>, ProbeError> {
    let index = Index::<G>::new(slice, to_move);
    let one = |number: u64| {
        let Some(position) = index.unrank(number) else { return Ok(None) };
        let Ok(fresh) = under.profile().start(&position, &Seeds::default()) else {
            return Ok(None);
        };
        let spare = under.value(&position, &fresh)?.to_spare;
        Ok(spare.map(|spare| (spare, to_move, number)))
    };
    let least = |a: Result<Option<(u32, ToMove, u64)>, ProbeError>, b: Result<_, _>| {
        let (a, b) = (a?, b?);
        Ok(a.into_iter().chain(b).min())
    };
    (0..index.len()).into_par_iter().map(one).reduce(|| Ok(None), least)
}

/// Where one number of plies decides.
fn by_one_number<G: Rules>(
    under: &Under<G>,
    id: &TableId,
    path: &Path,
) -> Result<SliceResults<G>, ProbeError> {
    let slice = id.slice;
    let mut sides = counted(under.tables(), id)?;
    let metadata = under.tables().table_of(id)?.metadata();
    let metadata = metadata.map_err(|source| crate::verify::file_error(path, source))?;
    let top = under.countdowns().get([slice.first(), slice.second()]).and_then(|found| found.top);
    let left = fresh(under, slice);
    let limit = left.and_then(|left| left.0);
    for (side, facts) in sides.iter_mut().zip(&metadata.sections) {
        side.longest = longest_of(facts);
        if limit != top {
            // The table also counts what is won with more plies than a fresh count has.
            (side.in_time, side.longest) = count(under, slice, side.to_move, limit)?;
        }
    }
    let most = sides.iter().flat_map(|side| side.longest).flatten().max();
    Ok(SliceResults {
        slice,
        limit,
        decided_by: left.and_then(|left| left.1).into_iter().collect(),
        table: id.profile.clone(),
        least_spare: limit.zip(most).and_then(|(limit, most)| limit.checked_sub(most)),
        tightest: find_longest(under, id, path, &sides)?,
        sides,
    })
}

fn longest_of(facts: &SectionStatistics) -> [Option<u32>; 2] {
    [facts.longest_win_plies, facts.longest_loss_plies]
}

/// The plies left with a fresh count, which do not depend on the squares where one number decides,
/// and the counter that has them.
fn fresh<G: Rules>(under: &Under<G>, slice: Slice) -> Option<(Option<u32>, Option<usize>)> {
    let index = Index::<G>::new(slice, ToMove::First);
    let example = (0..index.len()).find_map(|number| index.unrank(number))?;
    let counters = under.profile().start(&example, &Seeds::default()).ok()?;
    let left = under.countdowns().left(&counters, &example)?;
    Some((left.plies, left.decided_by))
}

/// Counts positions that need no more than so many plies.
fn count<G: Rules>(
    under: &Under<G>,
    slice: Slice,
    to_move: ToMove,
    most: Option<u32>,
) -> Result<([u64; 2], [Option<u32>; 2]), ProbeError> {
    let index = Index::<G>::new(slice, to_move);
    let one = |number: u64| {
        let mut found = ([0, 0], [None, None]);
        let Some(position) = index.unrank(number) else { return Ok(found) };
        let Some(budget) = under.budget(&position)? else { return Ok(found) };
        let place = usize::from(matches!(budget, Distance::Loss(_)));
        let plies = budget.plies().map(u32::from);
        if let Some(plies) = plies.filter(|&plies| most.is_none_or(|most| plies <= most)) {
            found.0[place] = 1;
            found.1[place] = Some(plies);
        }
        Ok(found)
    };
    let nothing = || Ok(([0, 0], [None, None]));
    let sum = |a: Result<([u64; 2], [Option<u32>; 2]), ProbeError>, b: Result<_, _>| {
        let (a, b): (_, ([u64; 2], [Option<u32>; 2])) = (a?, b?);
        let add = |n: usize| a.0[n] + b.0[n];
        Ok(([add(0), add(1)], [a.1[0].max(b.1[0]), a.1[1].max(b.1[1])]))
    };
    (0..index.len()).into_par_iter().map(one).reduce(nothing, sum)
}

/// A position that needs most plies; one where the mover cannot capture, if there is one.
fn find_longest<G: Rules>(
    under: &Under<G>,
    id: &TableId,
    path: &Path,
    sides: &[SideResults],
) -> Result<Option<Tightest<G>>, ProbeError> {
    let most = sides.iter().flat_map(|side| side.longest).flatten().max();
    let Some(most) = most.and_then(|most| u16::try_from(most).ok()) else { return Ok(None) };
    let file = under.tables().table_of(id)?;
    for captures in [false, true] {
        for side in sides {
            for (place, budget) in
                [Distance::Win(most), Distance::Loss(most)].into_iter().enumerate()
            {
                if side.longest[place] != Some(u32::from(most)) {
                    continue;
                }
                let index = Index::<G>::new(id.slice, side.to_move);
                let mut codes = Vec::new();
                for start in (0..index.len()).step_by(CHUNK as usize) {
                    codes.resize(CHUNK.min(index.len() - start) as usize, 0);
                    file.read(side.to_move, start, &mut codes)
                        .map_err(|source| crate::verify::file_error(path, source))?;
                    for (number, &code) in (start..).zip(&codes) {
                        if !captures && Some(code) != budget.code() {
                            continue;
                        }
                        let Some(position) = index.unrank(number) else { continue };
                        if can_capture(&position) == captures
                            && under.budget(&position)? == Some(budget)
                        {
                            let to_move = side.to_move;
                            return Ok(Some(Tightest { to_move, position }));
                        }
                    }
                }
            }
        }
    }
    Ok(None)
}
