//! How much memory a run may take and what each slice will.

use std::fs;

use damabase_formats::Metric;
use damabase_rules::{Rules, VariantId, with_rules};

use crate::budgets::BudgetSolver;
use crate::plan::{Planned, Uses, plan};
use crate::planes::PlaneSolver;
use crate::run::{GenerateError, Options, countdowns};
use crate::solver::{Memory, Solver};

/// The share of the free memory that a run takes if it is not told how much: nine tenths.
const SHARE: (u64, u64) = (9, 10);

/// Bytes of memory that a run may take if it is not told: most of what the system says is
/// available, within the limit of the control group. None where the system does not say.
pub fn available() -> Option<u64> {
    let free = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    });
    let number = |name: &str| -> Option<u64> {
        fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse().ok()
    };
    let group = number("memory.max")
        .map(|limit| limit.saturating_sub(number("memory.current").unwrap_or(0)));
    let least = [free, group].into_iter().flatten().min()?;
    Some(least / SHARE.1 * SHARE.0)
}

/// What a slice will take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Estimate {
    /// The slice and its size.
    pub planned: Planned,
    /// Bytes of memory while it is solved, earlier slices that are still needed included.
    pub memory_bytes: u64,
    /// Bytes of memory that it takes if all others are moved to disk.
    pub least_memory_bytes: u64,
    /// Bytes that its tables will take on disk, roughly: it depends on the game.
    pub disk_bytes: u64,
    /// Milliseconds that it will take, roughly: it depends on the machine and its load.
    pub milliseconds: u64,
}

/// Positions that one thread solves in a second, without and with compression of tables; measured
/// on the machine of `benches/record`.
const SOLVED_PER_SECOND: u64 = 35_000_000;
const COMPRESSED_PER_SECOND: u64 = 30_000_000;
/// The same for plies to the end of the game.
const SOLVED_PLIES_PER_SECOND: u64 = 12_000_000;
/// Bits that tables take for a position.
const WLD_BITS: f64 = 0.2;
const DISTANCE_BITS: f64 = 1.0;

/// What each slice of a run will take, in order, as if no table were there. Allocates nothing of
/// size.
///
/// # Errors
/// [`GenerateError`], as a run would give it before it begins.
pub fn estimate(variant: VariantId, options: &Options) -> Result<Vec<Estimate>, GenerateError> {
    let (budgets, others) = options.by_solver();
    with_rules!(variant, G => {
        let mut estimates = Vec::new();
        if let Some(others) = others {
            estimates.push(estimate_with(&PlaneSolver::<G>::default(), &others)?);
        }
        if let Some(budgets) = budgets {
            let solver = BudgetSolver::<G>::new(PlaneSolver::default(), countdowns::<G>(&budgets)?)?;
            estimates.push(estimate_with(&solver, &budgets)?);
        }
        Ok(estimates.into_iter().reduce(one_after_the_other).unwrap_or_default())
    })
}

/// What two runs take of which the second begins when the first has ended.
fn one_after_the_other(first: Vec<Estimate>, second: Vec<Estimate>) -> Vec<Estimate> {
    let both = |(first, second): (Estimate, Estimate)| Estimate {
        planned: first.planned,
        memory_bytes: first.memory_bytes.max(second.memory_bytes),
        least_memory_bytes: first.least_memory_bytes.max(second.least_memory_bytes),
        disk_bytes: first.disk_bytes + second.disk_bytes,
        milliseconds: first.milliseconds + second.milliseconds,
    };
    first.into_iter().zip(second).map(both).collect()
}

fn estimate_with<G: Rules>(
    solver: &impl Solver<G>,
    options: &Options,
) -> Result<Vec<Estimate>, GenerateError> {
    let plan = plan::<G>(options.pieces, &options.slices)?;
    let uses = Uses::new(&plan);
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = options.threads.unwrap_or_else(processors);
    let memory = |planned: &Planned| solver.memory(planned.slice, &options.metrics, threads);
    let mut kept: Vec<(usize, u64)> = Vec::new();
    let mut estimates = Vec::new();
    for (n, planned) in plan.iter().enumerate() {
        kept.retain(|&(last, _)| last >= n);
        let earlier: u64 = kept.iter().map(|&(_, bytes)| bytes).sum();
        let Memory { kept: own, working } = memory(planned);
        kept.push((uses.last(planned.slice), own));
        estimates.push(Estimate {
            planned: *planned,
            memory_bytes: earlier + own + working,
            least_memory_bytes: own + working,
            disk_bytes: disk_bytes(planned.positions, &options.metrics),
            milliseconds: milliseconds(planned.positions, &options.metrics, threads),
        });
    }
    Ok(estimates)
}

fn disk_bytes(positions: u64, metrics: &[Metric]) -> u64 {
    let bits = |&metric: &Metric| if metric == Metric::Wld { WLD_BITS } else { DISTANCE_BITS };
    (positions as f64 * metrics.iter().map(bits).sum::<f64>() / 8.0) as u64
}

fn milliseconds(positions: u64, metrics: &[Metric], threads: usize) -> u64 {
    let plies = metrics.iter().any(|metric| matches!(metric, Metric::Dtw | Metric::Budget));
    let solve = match plies {
        true => SOLVED_PLIES_PER_SECOND,
        false => SOLVED_PER_SECOND,
    };
    let seconds = 1.0 / solve as f64 + metrics.len() as f64 / COMPRESSED_PER_SECOND as f64;
    (positions as f64 * seconds * 1000.0 / threads.max(1) as f64) as u64
}
