//! Measures how fast slices are solved, in CPU time of all threads, and how much faster than by
//! the reference solver. Nothing is written to disk.

use std::error::Error;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::Parser;
use cpu_time::ProcessTime;
use damabase_formats::Slice;
use damabase_formats::table::Metric;
use damabase_generator::planes::PlaneSolver;
use damabase_generator::{Job, Planned, Reference, Silent, SolveError, Solver, Uses, plan};
use damabase_rules::{Rules, VariantId, with_rules};
use rayon::ThreadPoolBuilder;
use serde::Serialize;

/// Measures how fast slices are solved: only the solution, neither files nor start-up
#[derive(Parser)]
#[command(name = "speed", max_term_width = 100)]
struct Arguments {
    /// Name of the game
    variant: VariantId,
    /// Measure these slices, each by itself; what they depend on is solved before
    #[arg(long = "slice", value_name = "SLICE", num_args = 1..)]
    slices: Vec<Slice>,
    /// Measure all slices with up to so many pieces, in a row for each number of pieces
    #[arg(long, required_unless_present = "slices")]
    pieces: Option<u32>,
    /// What to solve for
    #[arg(long, default_value = "wld", value_delimiter = ',')]
    metric: Vec<Metric>,
    /// Solve with the reference solver too, and give the ratio; with a number, only slices with up
    /// to so many pieces
    #[arg(long, value_name = "PIECES", num_args = 0..=1, require_equals = true,
          default_missing_value = "12")]
    reference: Option<u32>,
    /// Number of threads [default: all processors]
    #[arg(long)]
    threads: Option<usize>,
    /// Solve only what the slices of --slice depend on: to tell the work on them from all other
    /// in a count of instructions
    #[arg(long, requires = "slices", conflicts_with = "pieces")]
    dependencies_only: bool,
    /// A JSON object for each row
    #[arg(long)]
    json: bool,
}

/// Time spent.
#[derive(Clone, Copy, Default)]
struct Spent {
    cpu: Duration,
    wall: Duration,
}

impl Spent {
    fn add(&mut self, other: Spent) {
        self.cpu += other.cpu;
        self.wall += other.wall;
    }
}

/// What is measured together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Slice(Slice),
    Pieces(u32),
}

impl Group {
    fn has(self, slice: Slice) -> bool {
        match self {
            Group::Slice(only) => slice == only,
            Group::Pieces(pieces) => slice.pieces() == pieces,
        }
    }
}

#[derive(Serialize)]
struct Row {
    what: String,
    /// All different sides to move counted.
    positions: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    solver: Option<Measured>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<Measured>,
    /// CPU time of the reference solver by that of the solver.
    #[serde(skip_serializing_if = "Option::is_none")]
    times_reference: Option<f64>,
}

#[derive(Clone, Copy, Serialize)]
struct Measured {
    cpu_seconds: f64,
    wall_seconds: f64,
    positions_per_cpu_second: f64,
}

impl Measured {
    fn new(positions: u64, spent: Spent) -> Measured {
        let cpu_seconds = spent.cpu.as_secs_f64();
        Measured {
            cpu_seconds,
            wall_seconds: spent.wall.as_secs_f64(),
            positions_per_cpu_second: positions as f64 / cpu_seconds,
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let rows = with_rules!(arguments.variant, G => measure::<G>(&arguments));
    match rows {
        Ok(rows) if arguments.json => {
            for row in rows {
                println!("{}", serde_json::json!(row));
            }
            ExitCode::SUCCESS
        }
        Ok(rows) => {
            print(&rows);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure<G: Rules>(arguments: &Arguments) -> Result<Vec<Row>, Box<dyn Error>> {
    let pool = ThreadPoolBuilder::new().num_threads(arguments.threads.unwrap_or(0)).build()?;
    let job = Job { pool: &pool, stop: &AtomicBool::new(false), progress: &Silent };
    let plan = plan::<G>(arguments.pieces, &arguments.slices)?;
    let mut groups: Vec<Group> = (2..=arguments.pieces.unwrap_or(0)).map(Group::Pieces).collect();
    groups.extend(arguments.slices.iter().copied().map(Group::Slice));

    let metrics = &arguments.metric;
    let only_dependencies = |planned: &&Planned| {
        !(arguments.dependencies_only && arguments.slices.contains(&planned.slice))
    };
    let run: Vec<Planned> = plan.iter().filter(only_dependencies).copied().collect();
    let times = solve_all(&mut PlaneSolver::<G>::default(), &run, metrics, &job)?;
    let small = |planned: &&Planned| planned.slice.pieces() <= arguments.reference.unwrap_or(0);
    let run: Vec<Planned> = run.iter().filter(small).copied().collect();
    let reference_times = solve_all(&mut Reference::<G>::default(), &run, metrics, &job)?;

    let row = |what: String, has: &dyn Fn(Slice) -> bool| {
        let planned = plan.iter().filter(|planned| has(planned.slice));
        let positions = planned.clone().map(|planned| planned.positions).sum();
        let sum = |times: &[(Slice, Spent)]| {
            let mut sum = Spent::default();
            for planned in planned.clone() {
                sum.add(times.iter().find(|(slice, _)| *slice == planned.slice)?.1);
            }
            Some(Measured::new(positions, sum))
        };
        let (solver, reference) = (sum(&times), sum(&reference_times));
        let times_reference = solver
            .zip(reference)
            .map(|(solver, reference)| reference.cpu_seconds / solver.cpu_seconds);
        Row { what, positions, solver, reference, times_reference }
    };
    let mut rows: Vec<Row> = groups
        .iter()
        .map(|&group| {
            let what = match group {
                Group::Slice(slice) => slice.to_string(),
                Group::Pieces(pieces) => format!("{pieces} pieces"),
            };
            row(what, &|slice| group.has(slice))
        })
        .collect();
    if groups.len() > 1 {
        let any = |slice: Slice| groups.iter().any(|group| group.has(slice));
        rows.push(row("all".to_string(), &any));
    }
    Ok(rows)
}

/// Solves slices in the order of a plan, and forgets them when no other needs them.
fn solve_all<G: Rules>(
    solver: &mut impl Solver<G>,
    plan: &[Planned],
    metrics: &[Metric],
    job: &Job,
) -> Result<Vec<(Slice, Spent)>, SolveError> {
    let uses = Uses::new(plan);
    let mut times = Vec::new();
    for (n, &Planned { slice, .. }) in plan.iter().enumerate() {
        let (cpu, wall) = (ProcessTime::now(), Instant::now());
        solver.solve(slice, metrics, job)?;
        times.push((slice, Spent { cpu: cpu.elapsed(), wall: wall.elapsed() }));
        for done in plan.iter().filter(|done| uses.last(done.slice) == n) {
            solver.forget(done.slice);
        }
    }
    Ok(times)
}

/// Prints rows as a table, for people.
fn print(rows: &[Row]) {
    println!(
        "{:10}  {:>14}  {:>9}  {:>9}  {:>15}  {:>15}  {:>7}",
        "slices", "positions", "CPU s", "wall s", "positions/CPU s", "reference CPU s", "ratio"
    );
    for row in rows {
        let number = |value: Option<f64>, places: usize| match value {
            Some(value) => format!("{value:.places$}"),
            None => "-".to_string(),
        };
        let solver = |of: fn(Measured) -> f64| row.solver.map(of);
        let millions =
            number(solver(|solver| solver.positions_per_cpu_second / 1e6), 2) + " million";
        println!(
            "{:10}  {:>14}  {:>9}  {:>9}  {:>15}  {:>15}  {:>7}",
            row.what,
            row.positions,
            number(solver(|solver| solver.cpu_seconds), 3),
            number(solver(|solver| solver.wall_seconds), 3),
            millions,
            number(row.reference.map(|reference| reference.cpu_seconds), 3),
            number(row.times_reference, 1),
        );
    }
}
