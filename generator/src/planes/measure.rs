//! Single phases of the solver for benchmarks, each on work that was prepared before. Not meant
//! for users, and free to change.

use damabase_formats::table::Metric;
use damabase_formats::{Slice, positions};
use damabase_rules::{Rules, Word};

use super::PlaneSolver;
use super::gather::{Exits, Groups};
use super::job::{Job, Numbers, Scratch, Tallies};
use super::men::all_men_sets;
use super::moves::Targets;

/// A slice with all that it depends on solved.
pub struct Prepared<G: Rules> {
    solver: PlaneSolver<G>,
    slice: Slice,
    metrics: Vec<Metric>,
}

impl<G: Rules> Prepared<G> {
    /// Solves a slice and what it depends on, in `metrics` (all but budget), on the current rayon
    /// pool.
    pub fn new(slice: Slice, metrics: &[Metric]) -> Self {
        let mut solver = PlaneSolver::default();
        for slice in Slice::closure(&[slice]) {
            solver.solve(slice, metrics, &|_| true);
        }
        Prepared { solver, slice, metrics: metrics.to_vec() }
    }

    /// Positions of the slice, all different sides to move counted.
    pub fn positions(&self) -> u64 {
        positions(G::board(), self.slice) * self.slice.sides().len() as u64
    }

    /// Solves the slice again.
    pub fn solve(&mut self) {
        self.solver.solve(self.slice, &self.metrics, &|_| true);
    }

    /// Calls `work` with one sub-slice of the slice, to be worked on in the metric wld; gives none
    /// where the slice has no kings, and so one position in a sub-slice.
    ///
    /// The men stand a third of their placements from the first and from the last one.
    pub fn sub_slice<R>(&mut self, work: impl FnOnce(&mut Phases<'_, G>) -> R) -> Option<R> {
        if self.slice.first().kings + self.slice.second().kings == 0 {
            return None;
        }
        let metrics = [Metric::Wld];
        let codes = self.solver.codes(self.slice, &metrics);
        let job = self.solver.job(self.slice, &metrics, &codes);
        let [own, other] = job.men().map(all_men_sets::<G>);
        let (own, others) = (own[own.len() / 3], &other[other.len() * 2 / 3..]);
        let mut sub_slices = others.iter().map(|&other| [own, G::board().turn(other)]);
        let (men, numbers) =
            sub_slices.find_map(|men| job.numbers(men).map(|numbers| (men, numbers)))?;
        let mut phases =
            Phases { job, men, numbers, scratch: Scratch::default(), groups: Groups::default() };
        phases.exits();
        phases.exchange();
        phases.sweep();
        Some(work(&mut phases))
    }
}

/// The phases of one sub-slice. Each can be repeated, and leaves what the next one needs.
pub struct Phases<'a, G: Rules> {
    job: Job<'a, G>,
    men: [G::Word; 2],
    numbers: Numbers,
    scratch: Scratch<G::Word>,
    groups: Groups<Exits<G::Word>>,
}

impl<G: Rules> Phases<'_, G> {
    /// Positions of the sub-slice, all different sides to move counted.
    pub fn positions(&self) -> u64 {
        let mut tallies = Tallies::default();
        self.job.count(&self.numbers, &self.scratch, &mut tallies);
        tallies.iter().map(|tally| tally.counts.positions).sum()
    }

    /// Initialisation: the exits of all rows, captures above all, of both sides to move.
    pub fn exits(&mut self) {
        self.job.axis_exits(self.men, &mut self.scratch, &mut self.groups);
        self.job.other_exits(self.men, &mut self.scratch, &mut self.groups);
    }

    /// Transposition: the four planes of the other side's exits to the axis side's layout.
    pub fn exchange(&mut self) {
        self.job.exchange_exits(&mut self.scratch);
    }

    /// Sweeps: quiet king moves, until nothing changes.
    pub fn sweep(&mut self) {
        self.job.sweep(&mut self.scratch);
    }

    /// Writes the codes of both sides to move in index order.
    pub fn codes(&mut self) {
        let mut tallies = Tallies::default();
        self.job.write_codes(Metric::Wld, &self.numbers, &mut self.scratch, &mut tallies);
    }
}

/// What is known of the positions that quiet king moves of neighbouring rows lead to.
#[derive(Clone, Copy)]
pub struct Rows<'a, W> {
    /// Squares where the axis king can stand.
    pub free: &'a [W],
    /// Won for the side that will be to move.
    pub won: &'a [W],
    /// Lost for it.
    pub lost: &'a [W],
}

impl<'a, W: Word> Rows<'a, W> {
    fn targets(self) -> Targets<'a, W> {
        let Rows { free, won, lost } = self;
        Targets { free, won, lost, changed: None, parallel: false }
    }

    /// One step of a walk over neighbouring rows: the inner loop of the moves of all kings but the
    /// axis.
    pub fn pass<G: Rules<Word = W>>(
        self,
        carry: &mut [(W, W)],
        reach_lost: &mut [W],
        reach_open: &mut [W],
    ) {
        self.targets().pass::<G>(0, carry, reach_lost, reach_open);
    }

    /// Moves of the axis king in all rows.
    pub fn axis_king<G: Rules<Word = W>>(self, reach_lost: &mut [W], reach_open: &mut [W]) {
        self.targets().axis_king::<G>(reach_lost, reach_open);
    }
}
