//! Budgets of whole sets of slices: by the bit-plane solver where one number of plies decides, by
//! the plain solver for draw counters where several do.

use damabase_formats::table::{Counts, Metadata, Metric, SectionStatistics, TableFile};
use damabase_formats::{Index, Slice, Wld};
use damabase_rules::draws::{Countdowns, Seeds};
use damabase_rules::{Rules, can_capture};
use rayon::prelude::*;

use crate::planes::PlaneSolver;
use crate::solver::{Job, Memory, SolveError, Solved, Solver};
use crate::stairs::{self, StairsError, StairsTable};

/// Solves budgets under a profile.
pub struct BudgetSolver<G: Rules> {
    countdowns: Countdowns,
    planes: PlaneSolver<G>,
    stairs: stairs::Solver<G>,
    /// The slice solved last, if several counters decide in it.
    last: Option<Last>,
}

struct Last {
    slice: Slice,
    table: StairsTable,
    dictionary: Vec<u8>,
    counts: Vec<Counts>,
    statistics: Vec<SectionStatistics>,
}

impl<G: Rules> BudgetSolver<G> {
    /// A solver for slices that these countdowns have looked at.
    ///
    /// # Errors
    /// [`SolveError::Counters`] where the profile is too much for it.
    pub fn new(planes: PlaneSolver<G>, countdowns: Countdowns) -> Result<Self, SolveError> {
        let stairs = stairs::Solver::new(countdowns.profile()).map_err(SolveError::Counters)?;
        let planes = planes.for_budgets(countdowns.clone());
        Ok(BudgetSolver { countdowns, planes, stairs, last: None })
    }

    fn one_number(&self, slice: Slice) -> bool {
        self.countdowns.get([slice.first(), slice.second()]).is_some()
    }

    /// Solves a slice in which several counters decide, and what it needs.
    fn solve_stairs(&mut self, slice: Slice, job: &Job) -> Result<(), SolveError> {
        for needed in Slice::closure(&[slice]) {
            let go_on = |positions| {
                if needed == slice {
                    job.progress.advanced(positions);
                }
                job.check().is_ok()
            };
            let solved = job.pool.install(|| self.stairs.solve_one(needed, &go_on));
            solved.map_err(|error| match error {
                StairsError::Interrupted => SolveError::Interrupted,
                error => SolveError::Counters(error),
            })?;
        }
        let table = job.pool.install(|| self.stairs.table(slice)).map_err(SolveError::Counters)?;
        let (counts, statistics) = job.pool.install(|| self.count(slice));
        let dictionary = Metadata::dictionary_of(&table.dictionary)
            .map_err(|source| SolveError::Table { slice, metric: Metric::Budget, source })?;
        self.last = Some(Last { slice, table, dictionary, counts, statistics });
        Ok(())
    }

    /// What positions are worth where all counters begin.
    fn count(&self, slice: Slice) -> (Vec<Counts>, Vec<SectionStatistics>) {
        let sides = slice.sides().iter().map(|&to_move| {
            let index = Index::<G>::new(slice, to_move);
            let one = |number: u64| {
                let mut sums = (Counts::default(), SectionStatistics::default());
                let Some(position) = index.unrank(number) else { return sums };
                let fresh = self.countdowns.profile().start(&position, &Seeds::default());
                let value = fresh.ok().and_then(|fresh| self.stairs.value(&position, &fresh));
                sums.0.positions = 1;
                match value {
                    Some(Wld::Win) => sums.0.wins = 1,
                    Some(Wld::Loss) => sums.0.losses = 1,
                    _ => sums.0.draws = 1,
                }
                sums.1.captures = can_capture(&position).into();
                sums
            };
            let add = |mut a: (Counts, SectionStatistics), b: (Counts, SectionStatistics)| {
                a.0.positions += b.0.positions;
                a.0.wins += b.0.wins;
                a.0.draws += b.0.draws;
                a.0.losses += b.0.losses;
                a.1.captures += b.1.captures;
                a
            };
            (0..index.len()).into_par_iter().map(one).reduce(Default::default, add)
        });
        sides.unzip()
    }
}

impl<G: Rules> Solver<G> for BudgetSolver<G> {
    fn solve(&mut self, slice: Slice, metrics: &[Metric], job: &Job) -> Result<(), SolveError> {
        self.last = None;
        match metrics {
            [Metric::Budget] if !self.one_number(slice) => self.solve_stairs(slice, job),
            _ => Solver::solve(&mut self.planes, slice, metrics, job),
        }
    }

    fn load(
        &mut self,
        slice: Slice,
        metric: Metric,
        stored: &TableFile,
        job: &Job,
    ) -> Result<(), SolveError> {
        if self.one_number(slice) { self.planes.load(slice, metric, stored, job) } else { Ok(()) }
    }

    /// Slices in which several counters decide are solved when they are needed.
    fn knows(&self, slice: Slice, metric: Metric) -> bool {
        !self.one_number(slice) || self.planes.knows(slice, metric)
    }

    fn solved(
        &self,
        slice: Slice,
        metric: Metric,
        job: &Job,
    ) -> Result<Option<Solved<'_>>, SolveError> {
        match &self.last {
            Some(last) if last.slice == slice && metric == Metric::Budget => {
                let codes = slice.sides().iter().map(|&side| last.table.dictionary.codes(side));
                Ok(Some(Solved {
                    counts: last.counts.clone(),
                    statistics: last.statistics.clone(),
                    max_code: codes.max().unwrap_or(0).saturating_sub(1) as u16,
                    dictionary: last.dictionary.clone(),
                    values: Box::new(&last.table),
                }))
            }
            _ => self.planes.solved(slice, metric, job),
        }
    }

    fn forget(&mut self, slice: Slice) {
        self.planes.forget(slice);
        self.stairs.forget(slice);
    }

    fn memory(&self, slice: Slice, metrics: &[Metric], threads: usize) -> Memory {
        if self.one_number(slice) {
            return self.planes.memory(slice, metrics, threads);
        }
        // Codes of four bytes for each index value; in work the same again and what is stored.
        let values: u64 =
            slice.sides().iter().map(|&to_move| Index::<G>::new(slice, to_move).len()).sum();
        Memory { kept: 0, working: values * STAIRS_BYTES }
    }

    fn kept_bytes(&self, slice: Slice) -> u64 {
        self.planes.kept_bytes(slice)
    }

    fn spill(&mut self, slice: Slice) -> Result<bool, SolveError> {
        self.planes.spill(slice)
    }
}

/// Bytes for an index value where several counters decide, roughly: those of lower slices included.
const STAIRS_BYTES: u64 = 12;
