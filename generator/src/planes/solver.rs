//! Slices in dependency order.

use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

use damabase_formats::slice::MAX_PIECES;
use damabase_formats::table::{Distance, Metric, TableFile};
use damabase_formats::{Material, Slice};
use damabase_rules::Rules;
use damabase_rules::draws::{Countdown, Countdowns};

use super::countdown::{Steps, most_left};
use super::dense::{Codes, Dense};
use super::job::Job;
use super::lanes::digits;
use super::order::IndexOrder;
use super::plane::{Plane, Shape};
use super::sets::Sets;
use super::store::Store;
use super::{memory, working};
use crate::solver::{self, Memory, SolveError, Solved, Solver};

/// Greatest number of like kings: the other side has a piece, too.
const MOST_KINGS: usize = MAX_PIECES as usize - 1;

/// Solves slices in dependency order and keeps their values for those that follow.
pub struct PlaneSolver<G: Rules> {
    store: Store<G>,
    sets: Vec<OnceLock<Sets<G>>>,
    /// The slice solved last, metric by metric.
    last: Vec<Dense>,
    /// Where planes lie that have left the memory.
    folder: Option<PathBuf>,
    /// For budgets: how plies are counted.
    countdowns: Option<Countdowns>,
}

impl<G: Rules> PlaneSolver<G> {
    /// A solver that can move what it knows to working files in a folder. It takes over those
    /// that an earlier run left there, and removes them when they are forgotten.
    pub fn with_working_folder(folder: PathBuf) -> Self {
        PlaneSolver { folder: Some(folder), ..Default::default() }
    }

    /// A solver of budgets: its one metric is [`Metric::Budget`]. All slices to be solved must have
    /// been found by these countdowns.
    pub fn for_budgets(self, countdowns: Countdowns) -> Self {
        PlaneSolver { countdowns: Some(countdowns), ..self }
    }
}

impl<G: Rules> Default for PlaneSolver<G> {
    fn default() -> Self {
        PlaneSolver {
            store: Store::new(),
            sets: (0..=MOST_KINGS).map(|_| OnceLock::new()).collect(),
            last: Vec::new(),
            folder: None,
            countdowns: None,
        }
    }
}

impl<G: Rules> PlaneSolver<G> {
    fn sets(&self, len: u8) -> &Sets<G> {
        self.sets[usize::from(len)].get_or_init(|| Sets::new(len.into()))
    }

    /// Solves a slice and gives its values in each of `metrics` (budget only alone, and if the
    /// solver is for budgets). All that it leads to must have been solved before and not forgotten,
    /// with plies to the end where `metrics` names them. Runs on the current rayon pool. `done` is called with numbers of
    /// positions as they are finished; the solution ends early, with a meaningless result, once it
    /// gives false.
    pub fn solve(
        &mut self,
        slice: Slice,
        metrics: &[Metric],
        done: &(dyn Fn(u64) -> bool + Sync),
    ) -> Vec<Dense> {
        // Sub-slices look up further advanced ones of the same slice, in the planes being filled.
        self.store.steps = self.countdown(slice).map(Steps::new);
        let digits = self.digits(slice, metrics);
        for (own, opponent) in orientations(slice) {
            self.store.insert(Plane::new(own, opponent, digits));
        }
        let mut codes = self.codes(slice, metrics);
        let job = self.job(slice, metrics, &codes);
        let kings = job.index_values();
        let mut tallies = job.run(done).to_vec();
        tallies.truncate(slice.sides().len());
        if !axis_is_first(slice) {
            tallies.reverse();
            codes.iter_mut().for_each(|codes| codes.reverse());
        }
        let dense = |(&metric, codes): (&Metric, Vec<Codes>)| Dense {
            slice,
            metric,
            kings,
            sections: codes.into_iter().zip(tallies.iter().copied()).collect(),
        };
        metrics.iter().zip(codes).map(dense).collect()
    }

    fn countdown(&self, slice: Slice) -> Option<&Countdown> {
        self.countdowns.as_ref()?.get([slice.first(), slice.second()])
    }

    /// Binary digits of the plies (and one) that are kept of a slice; 0 where none are.
    fn digits(&self, slice: Slice, metrics: &[Metric]) -> usize {
        let most = self.countdown(slice).map_or(Distance::MAX_PLIES, most_left);
        if keeps_plies(metrics) { digits(u32::from(most) + 1) } else { 0 }
    }

    /// Room for the values of a slice in each metric.
    pub(super) fn codes(&self, slice: Slice, metrics: &[Metric]) -> Vec<Vec<Codes>> {
        let (axis, other) = axis_and_other(slice);
        let sub_slices = Shape::new::<G>(axis, other).sub_slices();
        let kings = self.sets(axis.kings).len() * self.sets(other.kings).len();
        let side = |_: &_| Codes::new(sub_slices, kings);
        metrics.iter().map(|_| slice.sides().iter().map(side).collect()).collect()
    }

    /// The work on a slice whose planes are in the store. `codes` are as [`Self::codes`] makes
    /// them.
    pub(super) fn job<'a>(
        &'a self,
        slice: Slice,
        metrics: &'a [Metric],
        codes: &'a [Vec<Codes>],
    ) -> Job<'a, G> {
        let (axis, other) = axis_and_other(slice);
        let axis_sets = self.sets(axis.kings);
        let companions = self.sets(axis.kings.saturating_sub(1));
        let others = self.sets(other.kings);
        let plane = |own, opponent| self.store.get(own, opponent).expect("inserted before");
        Job {
            store: &self.store,
            axis,
            other,
            symmetric: slice.is_symmetric(),
            metrics,
            parallel_rows: axis.men + other.men == 0,
            companions,
            others,
            axis_sets,
            other_companions: self.sets(other.kings.saturating_sub(1)),
            order: [0, 1].map(|side| IndexOrder::new(companions, others, side)),
            other_to_move: plane(axis, other),
            axis_to_move: plane(other, axis),
            codes,
            scratch: (0..rayon::current_num_threads()).map(|_| Mutex::default()).collect(),
        }
    }
}

/// Whether later slices need more than win, draw and loss.
pub(super) fn keeps_plies(metrics: &[Metric]) -> bool {
    metrics.iter().any(|metric| matches!(metric, Metric::Dtw | Metric::Budget))
}

/// Whether the side named first gives the axis: the one with fewer kings, but with one, so that
/// there are fewer copies of each position.
fn axis_is_first(slice: Slice) -> bool {
    let (first, second) = (slice.first(), slice.second());
    second.kings == 0 || first.kings > 0 && first.kings <= second.kings
}

/// The material of the side that gives the axis and of the other.
pub(super) fn axis_and_other(slice: Slice) -> (Material, Material) {
    if axis_is_first(slice) {
        (slice.first(), slice.second())
    } else {
        (slice.second(), slice.first())
    }
}

impl<G: Rules> Solver<G> for PlaneSolver<G> {
    fn solve(
        &mut self,
        slice: Slice,
        metrics: &[Metric],
        job: &solver::Job,
    ) -> Result<(), SolveError> {
        self.last.clear();
        for &metric in metrics {
            let can = match metric {
                Metric::Budget => self.countdown(slice).is_some(),
                _ => self.countdowns.is_none(),
            };
            if !can {
                return Err(SolveError::Metric(metric));
            }
        }
        for needed in slice.successors() {
            for &metric in metrics {
                if !self.knows(needed, metric) {
                    return Err(SolveError::Missing { slice, needed });
                }
            }
        }
        let done = |positions| {
            job.progress.advanced(positions);
            job.check().is_ok()
        };
        let solved = job.pool.install(|| self.solve(slice, metrics, &done));
        if let Err(error) = job.check() {
            self.forget(slice);
            return Err(error);
        }
        self.last = solved;
        Ok(())
    }

    /// Takes the slice from working files if there are any. Else it solves it again: that is faster
    /// than reading the table, since most of the work is in the captures, which no table stores.
    fn load(
        &mut self,
        slice: Slice,
        metric: Metric,
        _stored: &TableFile,
        job: &solver::Job,
    ) -> Result<(), SolveError> {
        if self.take_over(slice, self.digits(slice, &[metric])) {
            return Ok(());
        }
        let quiet = solver::Job { progress: &solver::Silent, ..*job };
        Solver::solve(self, slice, &[metric], &quiet)?;
        self.last.clear();
        Ok(())
    }

    fn knows(&self, slice: Slice, metric: Metric) -> bool {
        let plane = self.store.get(slice.first(), slice.second());
        plane.is_some_and(|plane| plane.digits() > 0 || !keeps_plies(&[metric]))
    }

    fn solved(
        &self,
        slice: Slice,
        metric: Metric,
        _job: &solver::Job,
    ) -> Result<Option<Solved<'_>>, SolveError> {
        let found = self.last.iter().find(|d| d.slice() == slice && d.metric() == metric);
        Ok(found.map(|dense| Solved {
            counts: dense.counts(),
            statistics: dense.statistics(),
            max_code: dense.max_code(),
            dictionary: Vec::new(),
            values: Box::new(dense),
        }))
    }

    fn forget(&mut self, slice: Slice) {
        for (own, opponent) in orientations(slice) {
            self.store.remove(own, opponent);
            if let Some(folder) = &self.folder {
                working::remove(folder, own, opponent);
            }
        }
        self.last.retain(|dense| dense.slice() != slice);
    }

    fn memory(&self, slice: Slice, metrics: &[Metric], threads: usize) -> Memory {
        memory::of::<G>(slice, metrics, self.digits(slice, metrics), threads)
    }

    fn kept_bytes(&self, slice: Slice) -> u64 {
        let bytes = |(own, opponent)| self.store.get(own, opponent).map(Plane::memory_bytes);
        orientations(slice).filter_map(bytes).sum()
    }

    fn spill(&mut self, slice: Slice) -> Result<bool, SolveError> {
        let Some(folder) = &self.folder else { return Ok(false) };
        for (own, opponent) in orientations(slice) {
            if let Some(plane) = self.store.get(own, opponent) {
                let error = |source| SolveError::Working {
                    path: working::path(folder, own, opponent),
                    source,
                };
                let plane = working::write(folder, plane).map_err(error)?;
                self.store.insert(plane);
            }
        }
        Ok(true)
    }
}

impl<G: Rules> PlaneSolver<G> {
    /// Takes over a slice's working files; false where they are not all there and whole.
    fn take_over(&mut self, slice: Slice, digits: usize) -> bool {
        let Some(folder) = &self.folder else { return false };
        let open = |(own, opponent)| working::open(folder, own, opponent, digits).ok();
        let planes: Option<Vec<_>> = orientations(slice).map(open).collect();
        let found = planes.is_some();
        planes.into_iter().flatten().for_each(|plane| self.store.insert(plane));
        found
    }
}

/// The planes of a slice, by the side that goes up and the other.
fn orientations(slice: Slice) -> impl Iterator<Item = (Material, Material)> {
    slice.sides().iter().map(move |&to_move| slice.mover_waiter(to_move))
}
