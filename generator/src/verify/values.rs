//! Values against those of their successors.

use std::ops::Range;
use std::path::Path;

use damabase_formats::table::{Counts, Distance, Metric, SectionStatistics, Wld};
use damabase_formats::{Fen, Index, Slice, TableId, ToMove};
use damabase_probe::{ProbeError, TableSet, Under, budget_of_move};
use damabase_rules::draws::{Counters, DrawProfile, Ply, Seeds};
use damabase_rules::{
    Counting, MoveList, Position, Rules, Side, Word, can_capture, legal_moves, legal_moves_into,
};
use rayon::prelude::*;

use super::report::{Problem, Proof, Verified};
use super::trace::{self, Bits};
use super::{Verify, VerifyError, file_error, job_check};
use crate::Job;
use crate::run::{NOTE_PROFILE, table_profile};

/// Index values that one thread looks at at a time; a multiple of 64.
const CHUNK: u64 = 1 << 12;

/// What was found in a range of positions with one side to move.
#[derive(Default)]
struct Checked {
    stored: u64,
    derived: u64,
    counts: Counts,
    statistics: SectionStatistics,
    problems: Vec<Problem>,
    problems_counted: u64,
    /// A bit for each index value: won, lost.
    won: Vec<u64>,
    lost: Vec<u64>,
}

/// What is checked of each position.
struct Check<'a, G: Rules> {
    set: &'a TableSet<G>,
    metric: Metric,
    /// For budgets: the tables under their profile.
    under: Option<Under<'a, G>>,
    /// The distance table to compare with.
    compare: Option<Metric>,
    sample: f64,
    max_problems: usize,
}

impl<G: Rules> Verify<'_, G> {
    /// Checks the values of a table whose file is whole.
    pub(super) fn values(&mut self, (id, path): (&TableId, &Path)) -> Result<(), VerifyError> {
        let (slice, metric) = (id.slice, id.metric);
        let mut verified = Verified {
            slice,
            metric,
            path: path.to_owned(),
            stored: 0,
            derived: 0,
            proof: Proof::Unchecked,
        };
        let under = match metric {
            Metric::Budget => {
                let profile = self.profile(id, path);
                let Some(profile) = self.absorb(path, profile)? else { return Ok(()) };
                let under = profile.map(|profile| self.set.under(&profile));
                let is_its_own =
                    |under: &Under<G>| table_profile(under.countdowns(), slice) == id.profile;
                let Some(under) = under.filter(is_its_own) else {
                    self.fail(path, Problem::Profile);
                    return Ok(());
                };
                Some(under)
            }
            _ => None,
        };
        let distances = [Metric::Dtw, Metric::Dtc];
        let compare = distances
            .into_iter()
            .find(|&distance| metric == Metric::Wld && self.set.table(slice, distance).is_ok());
        let is_whole = self.options.sample == 1.0;
        verified.proof = match (is_whole, metric, compare) {
            (false, ..) => Proof::Sampled,
            (true, Metric::Wld, Some(compare)) => Proof::Compared(compare),
            (true, Metric::Wld, None) => Proof::Traced,
            (true, Metric::Budget, _) if id.profile.starts_with('s') => Proof::Staircases,
            (true, Metric::Budget, _) => Proof::Budgets,
            (true, ..) => Proof::Distances,
        };
        let check = Check {
            set: self.set,
            metric,
            under,
            compare,
            sample: self.options.sample,
            max_problems: self.options.max_failures,
        };
        let failures_before = self.report.failures_counted;
        let mut bits = Vec::new();
        for &to_move in slice.sides() {
            let checked = check.section(&self.job, slice, to_move);
            let Some(checked) = self.absorb(path, checked)? else { return Ok(()) };
            verified.stored += checked.stored;
            verified.derived += checked.derived;
            let described = checked.problems.len() as u64;
            checked.problems.iter().for_each(|problem| self.fail(path, problem.clone()));
            self.report.failures_counted += checked.problems_counted - described;
            if is_whole {
                self.counts(id, path, to_move, &checked)?;
            }
            bits.push(Bits::new(checked.won, checked.lost));
        }
        // Where values contradict their successors, tracing would tell nothing new.
        if verified.proof == Proof::Traced && self.report.failures_counted == failures_before {
            let circular = trace::circular(self.set, &self.job, slice, &bits);
            let Some(circular) = self.absorb(path, circular)? else { return Ok(()) };
            for (position, found) in circular {
                self.fail(path, Problem::Circular { fen: fen(&position), found });
            }
        }
        self.report.tables.push(verified);
        Ok(())
    }

    /// The profile that a table of budgets was made for, as it says; none where it does not.
    fn profile(&self, id: &TableId, path: &Path) -> Result<Option<DrawProfile>, VerifyError> {
        let metadata = self.set.table_of(id)?.metadata();
        let notes = metadata.map_err(|error| file_error(path, error))?.notes;
        let text = notes.iter().find(|(name, _)| name == NOTE_PROFILE);
        Ok(text.and_then(|(_, text)| DrawProfile::from_toml(text).ok()))
    }

    /// Compares the file's counts with what was counted.
    fn counts(
        &mut self,
        id: &TableId,
        path: &Path,
        to_move: ToMove,
        checked: &Checked,
    ) -> Result<(), VerifyError> {
        let file = self.set.table_of(id)?;
        let sections = &file.header().sections;
        let statistics = file.metadata().map_err(|error| file_error(path, error))?.sections;
        let mut pairs = Vec::new();
        for section in sections.iter().filter(|section| section.to_move == to_move) {
            let (found, expected) = (section.counts, checked.counts);
            pairs.extend([
                ("positions", found.positions, expected.positions),
                ("wins", found.wins, expected.wins),
                ("draws", found.draws, expected.draws),
                ("losses", found.losses, expected.losses),
            ]);
        }
        if let Some(found) = statistics.get(to_move as usize) {
            let expected = &checked.statistics;
            pairs.push(("positions with captures", found.captures, expected.captures));
            for (what, found, expected) in [
                ("longest win", found.longest_win_plies, expected.longest_win_plies),
                ("longest loss", found.longest_loss_plies, expected.longest_loss_plies),
            ] {
                if let Some(found) = found {
                    pairs.push((what, found.into(), expected.unwrap_or(0).into()));
                }
            }
        }
        for (what, found, expected) in pairs {
            if found != expected {
                self.fail(path, Problem::Count { what, to_move, found, expected });
            }
        }
        Ok(())
    }
}

impl<G: Rules> Check<'_, G> {
    /// Checks all positions with one side to move.
    fn section(&self, job: &Job, slice: Slice, to_move: ToMove) -> Result<Checked, VerifyError> {
        let index = Index::<G>::new(slice, to_move);
        let chunk = |n: u64| {
            job_check(job)?;
            let numbers = n * CHUNK..index.len().min((n + 1) * CHUNK);
            let checked = self.chunk(&index, slice, to_move, numbers)?;
            job.progress.advanced(checked.stored + checked.derived);
            Ok(checked)
        };
        let chunks = index.len().div_ceil(CHUNK);
        let done: Result<Vec<Checked>, VerifyError> =
            job.pool.install(|| (0..chunks).into_par_iter().map(chunk).collect());
        let mut sum = Checked::default();
        for checked in done? {
            sum.add(checked, self.max_problems);
        }
        Ok(sum)
    }

    fn chunk(
        &self,
        index: &Index<G>,
        slice: Slice,
        to_move: ToMove,
        numbers: Range<u64>,
    ) -> Result<Checked, VerifyError> {
        let words = (numbers.end - numbers.start).div_ceil(64) as usize;
        let mut checked =
            Checked { won: vec![0; words], lost: vec![0; words], ..Checked::default() };
        let mut moves = MoveList::new();
        let sides = [slice.first(), slice.second()];
        let countdown = self.under.as_ref().and_then(|under| under.countdowns().get(sides));
        for (place, number) in numbers.enumerate() {
            if !is_in_sample(self.sample, slice, to_move, number) {
                continue;
            }
            let Some(position) = index.unrank(number) else { continue };
            if let Some(under) = self.under.as_ref().filter(|_| countdown.is_none()) {
                self.stairs(under, &position, place, &mut checked)?;
                continue;
            }
            let found = self.probe(&position)?;
            let is_derived = can_capture(&position);
            checked.count(found, self.metric, is_derived);
            match found.wld() {
                Wld::Win => checked.won[place / 64] |= 1 << (place % 64),
                Wld::Loss => checked.lost[place / 64] |= 1 << (place % 64),
                Wld::Draw => {}
            }
            legal_moves_into(&position, Counting::Distinct, &mut moves);
            let mut expected = Distance::Loss(0);
            for (n, action) in moves.iter().enumerate() {
                let after = position.after(action);
                let value = self.probe(&after)?;
                let from = G::Word::bit(G::board().bit_of(action.from));
                let is_exit = !action.is_quiet() || (position.mover.men & from).any();
                let value = match countdown {
                    Some(countdown) => budget_of_move(countdown, value, is_exit.then_some(&after)),
                    None => of_move(self.metric, value, is_exit),
                };
                // The first move may be worse than having none.
                expected = if n == 0 { value } else { expected.max(value) };
            }
            if found != expected {
                let metric = self.metric;
                let problem = || Problem::Value { fen: fen(&position), metric, found, expected };
                checked.problem(self.max_problems, problem);
            }
            if let Some(other) = self.compare {
                let (found, expected) = (found.wld(), probe(self.set, other, &position)?.wld());
                if found != expected {
                    let problem = || Problem::Sign { fen: fen(&position), found, other, expected };
                    checked.problem(self.max_problems, problem);
                }
            }
        }
        Ok(checked)
    }
}

impl<G: Rules> Check<'_, G> {
    /// Checks a position in which several counters decide: at all values of the counters where the
    /// result can change, it must be what the moves make it, each with its counters stepped by the
    /// rules.
    fn stairs(
        &self,
        under: &Under<G>,
        position: &Position<G>,
        place: usize,
        checked: &mut Checked,
    ) -> Result<(), ProbeError> {
        let profile = under.profile();
        let moves = legal_moves(position);
        let is_derived = can_capture(position);
        let at = |counters: &Counters, checked: &mut Checked| -> Result<Wld, ProbeError> {
            let found = under.result(position, counters)?;
            let is_due =
                (0..profile.counters.len()).any(|i| profile.left(i, counters, position) == Some(0));
            let mut expected = Some(Wld::Loss);
            if is_due && !moves.is_empty() {
                expected = Some(Wld::Draw);
            } else {
                for &action in &moves {
                    let ply = Ply::new(*position, action);
                    let after = under.result(&ply.after, &profile.step(counters, &ply))?;
                    expected = after.zip(expected).map(|(after, best)| best.max(after.turned()));
                }
            }
            if found.is_none() || found != expected {
                let problem = || Problem::Counted {
                    fen: fen(position),
                    counters: profile.values(counters),
                    found,
                    expected,
                };
                checked.problem(self.max_problems, problem);
            }
            Ok(found.unwrap_or(Wld::Draw))
        };
        // Captures have no value of their own in the table.
        if !is_derived {
            for counters in under.turning_points(position)? {
                at(&counters, checked)?;
            }
        }
        let fresh = profile.start(position, &Seeds::default()).unwrap_or_default();
        let value = match at(&fresh, checked)? {
            Wld::Win => Distance::Win(0),
            Wld::Draw => Distance::Draw,
            Wld::Loss => Distance::Loss(0),
        };
        match value.wld() {
            Wld::Win => checked.won[place / 64] |= 1 << (place % 64),
            Wld::Loss => checked.lost[place / 64] |= 1 << (place % 64),
            Wld::Draw => {}
        }
        checked.count(value, Metric::Wld, is_derived);
        Ok(())
    }

    /// The value by the metric that is checked.
    fn probe(&self, position: &Position<G>) -> Result<Distance, ProbeError> {
        match &self.under {
            // A slice where one number decides leads only to such slices.
            Some(under) => Ok(under.budget(position)?.unwrap_or(Distance::Draw)),
            None => probe(self.set, self.metric, position),
        }
    }
}

impl Checked {
    fn count(&mut self, value: Distance, metric: Metric, is_derived: bool) {
        self.counts.positions += 1;
        match value.wld() {
            Wld::Win => self.counts.wins += 1,
            Wld::Draw => self.counts.draws += 1,
            Wld::Loss => self.counts.losses += 1,
        }
        if is_derived {
            self.derived += 1;
            self.statistics.captures += 1;
        } else {
            self.stored += 1;
        }
        let longest = match value {
            _ if metric == Metric::Wld => return,
            Distance::Win(_) => &mut self.statistics.longest_win_plies,
            Distance::Loss(_) => &mut self.statistics.longest_loss_plies,
            Distance::Draw => return,
        };
        *longest = (*longest).max(value.plies().map(u32::from));
    }

    fn problem(&mut self, most: usize, problem: impl FnOnce() -> Problem) {
        self.problems_counted += 1;
        if self.problems.len() < most {
            self.problems.push(problem());
        }
    }

    /// Adds what was found in the range that follows.
    fn add(&mut self, next: Checked, max_problems: usize) {
        self.stored += next.stored;
        self.derived += next.derived;
        self.counts.positions += next.counts.positions;
        self.counts.wins += next.counts.wins;
        self.counts.draws += next.counts.draws;
        self.counts.losses += next.counts.losses;
        let (sum, add) = (&mut self.statistics, next.statistics);
        sum.captures += add.captures;
        sum.longest_win_plies = sum.longest_win_plies.max(add.longest_win_plies);
        sum.longest_loss_plies = sum.longest_loss_plies.max(add.longest_loss_plies);
        let room = max_problems - self.problems.len();
        self.problems.extend(next.problems.into_iter().take(room));
        self.problems_counted += next.problems_counted;
        self.won.extend(next.won);
        self.lost.extend(next.lost);
    }
}

/// A value by any metric; wins and losses of wld have distance 0.
pub(super) fn probe<G: Rules>(
    set: &TableSet<G>,
    metric: Metric,
    position: &Position<G>,
) -> Result<Distance, ProbeError> {
    match metric {
        Metric::Dtw => set.dtw(position),
        Metric::Dtc => set.dtc(position),
        _ => Ok(match set.wld(position)? {
            Wld::Loss => Distance::Loss(0),
            Wld::Draw => Distance::Draw,
            Wld::Win => Distance::Win(0),
        }),
    }
}

/// The value of a move that leads to a position with this value.
fn of_move(metric: Metric, after: Distance, is_exit: bool) -> Distance {
    let plies = |plies: u16| match metric {
        Metric::Dtw => plies.saturating_add(1),
        Metric::Dtc if is_exit => 1,
        Metric::Dtc => plies.saturating_add(1),
        _ => 0,
    };
    match after {
        Distance::Loss(n) => Distance::Win(plies(n)),
        Distance::Draw => Distance::Draw,
        Distance::Win(n) => Distance::Loss(plies(n)),
    }
}

/// The position as a diagram in the mover's view.
fn fen<G: Rules>(position: &Position<G>) -> String {
    Fen::new(Side::White, *position).to_string()
}

/// Whether a position belongs to the sample: always the same for the same part.
fn is_in_sample(part: f64, slice: Slice, to_move: ToMove, number: u64) -> bool {
    if part >= 1.0 {
        return true;
    }
    let (first, second) = (slice.first(), slice.second());
    let seed = [first.men, first.kings, second.men, second.kings, to_move as u8]
        .into_iter()
        .fold(0u64, |seed, n| seed << 8 | u64::from(n));
    // SplitMix64, Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
    let mut bits = (seed << 24 ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    (bits as f64) < part * u64::MAX as f64
}
