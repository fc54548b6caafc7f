//! Measures how fast tables are written, in CPU time of all threads, and how large they are.

use std::error::Error;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use clap::Parser;
use cpu_time::ProcessTime;
use damabase_formats::Slice;
use damabase_formats::table::{
    Layout, Metadata, Metric, TableId, TableInfo, TableWriter, WriteOptions,
};
use damabase_generator::planes::PlaneSolver;
use damabase_generator::{Job, Silent, Solver, Uses, plan};
use damabase_rules::{Rules, VariantId, with_rules};
use rayon::ThreadPoolBuilder;
use serde::Serialize;

/// Measures how fast tables are written: slices are solved, and only what is done with the values
/// then is counted
#[derive(Parser)]
#[command(name = "write", max_term_width = 100)]
struct Arguments {
    /// Name of the game
    variant: VariantId,
    /// The slices
    #[arg(long = "slice", value_name = "SLICE", num_args = 1.., required = true)]
    slices: Vec<Slice>,
    /// How they are written
    #[arg(long, default_value = "search,compact", value_delimiter = ',')]
    layout: Vec<Layout>,
    /// What to solve for
    #[arg(long, default_value = "wld", value_delimiter = ',')]
    metric: Vec<Metric>,
    /// A JSON object for each table
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    slice: String,
    metric: String,
    layout: &'static str,
    /// All different sides to move counted.
    positions: u64,
    /// CPU time in which the way to write it was chosen: models of values, mostly.
    choice_seconds: f64,
    /// CPU time in which the values were written.
    values_seconds: f64,
    bytes: u64,
    bits_per_position: f64,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match with_rules!(arguments.variant, G => measure::<G>(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure<G: Rules>(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let pool = ThreadPoolBuilder::new().build()?;
    let job = Job { pool: &pool, stop: &AtomicBool::new(false), progress: &Silent };
    let folder = tempfile::tempdir()?;
    let plan = plan::<G>(None, &arguments.slices)?;
    let uses = Uses::new(&plan);
    let mut solver = PlaneSolver::<G>::default();
    if !arguments.json {
        println!(
            "{:8}  {:6}  {:7}  {:>13}  {:>8}  {:>8}  {:>11}  {:>11}  {:>8}",
            "slice",
            "metric",
            "layout",
            "positions",
            "choice s",
            "values s",
            "ns/position",
            "bytes",
            "bits"
        );
    }
    for (n, planned) in plan.iter().enumerate() {
        let slice = planned.slice;
        Solver::solve(&mut solver, slice, &arguments.metric, &job)?;
        let is_asked = arguments.slices.contains(&slice);
        for &metric in arguments.metric.iter().filter(|_| is_asked) {
            for &layout in &arguments.layout {
                let Some(solved) = solver.solved(slice, metric, &job)? else { continue };
                let info = TableInfo {
                    id: TableId::new(G::ID, slice, metric),
                    max_code: solved.max_code,
                    counts: solved.counts,
                    metadata: Metadata::default(),
                };
                let options = WriteOptions { layout: Some(layout), ..WriteOptions::default() };
                let values = &*solved.values;
                let start = ProcessTime::now();
                let mut writer = TableWriter::create(folder.path(), &info, options, values)?;
                let choice_seconds = start.elapsed().as_secs_f64();
                let start = ProcessTime::now();
                for block in 0..writer.blocks() {
                    let encoded = writer.encode(values, block)?;
                    writer.push(encoded)?;
                }
                let bytes = writer.finish()?;
                print(
                    &Row {
                        slice: slice.to_string(),
                        metric: metric.to_string(),
                        layout: layout.name(),
                        positions: planned.positions,
                        choice_seconds,
                        values_seconds: start.elapsed().as_secs_f64(),
                        bytes,
                        bits_per_position: bytes as f64 * 8.0 / planned.positions as f64,
                    },
                    arguments.json,
                );
            }
        }
        for done in plan.iter().filter(|done| uses.last(done.slice) == n) {
            solver.forget(done.slice);
        }
    }
    Ok(())
}

fn print(row: &Row, is_json: bool) {
    if is_json {
        println!("{}", serde_json::json!(row));
        return;
    }
    println!(
        "{:8}  {:6}  {:7}  {:>13}  {:>8.2}  {:>8.2}  {:>11.1}  {:>11}  {:>8.4}",
        row.slice,
        row.metric,
        row.layout,
        row.positions,
        row.choice_seconds,
        row.values_seconds,
        row.values_seconds * 1e9 / row.positions as f64,
        row.bytes,
        row.bits_per_position,
    );
}
