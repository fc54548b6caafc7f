//! Measures how fast tables are probed, and what memory it takes.

mod measure;
mod memory;
mod positions;
mod report;
mod search;
mod tables;
mod timing;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use damabase_formats::table::Layout;
use damabase_rules::{VariantId, with_rules};

use report::Row;
use timing::Timer;

/// Measures how fast tables are probed, and what memory it takes
#[derive(Parser)]
#[command(
    name = "probe",
    max_term_width = 100,
    after_help = "Examples:
  probe                                            everything, with tables made for the purpose
  probe --dir bench-tables                         the same, with tables made once and kept
  probe russian --dir bench-tables --part speed --positions 50000
  probe international --dir bench-tables --part memory --memory-cache 8 --memory-probes 1000000

Nothing is asserted of times. Values are: all ways to probe must agree."
)]
struct Arguments {
    /// Names of games
    #[arg(default_values = ["international", "russian"])]
    variants: Vec<VariantId>,
    /// Folder of the tables, DIR/search and DIR/compact; those that are not there are made and kept
    /// [default: a folder that is deleted in the end]
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Make tables up to so many pieces; all that are in the folder are probed
    #[arg(long, default_value_t = 4)]
    pieces: u32,
    /// What to measure [default: everything]
    #[arg(long = "part", value_enum, value_delimiter = ',')]
    parts: Vec<Part>,
    /// Positions in each set
    #[arg(long, default_value_t = 100_000)]
    positions: usize,
    /// Size of the cache in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    cache: usize,
    /// Numbers of threads
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2])]
    threads: Vec<usize>,
    /// Sizes of the cache in MiB when memory is measured
    #[arg(long, value_name = "MIB", value_delimiter = ',', default_values_t = [16])]
    memory_cache: Vec<usize>,
    /// Probes when memory is measured; a tenth of them of compact tables
    #[arg(long, value_name = "PROBES", default_value_t = 10_000_000)]
    memory_probes: u64,
    /// Call everything once, in the function `counted_calls`, and time nothing, with tables that are
    /// there: for a count of instructions (scripts/instructions-probe)
    #[arg(long)]
    count: bool,
    /// A JSON object for each row
    #[arg(long)]
    json: bool,
    /// Measure the memory of one layout in this process
    #[arg(long, hide = true)]
    memory_of: Option<Layout>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Part {
    /// Numbers of positions
    Rank,
    /// One probe after the other, on one thread
    Speed,
    /// The first probes of a fresh copy of the tables
    Cold,
    /// Several threads
    Threads,
    /// Opening a folder of 300 tables
    Open,
    /// Memory taken by random probes
    Memory,
}

impl Arguments {
    fn has(&self, part: Part) -> bool {
        self.parts.is_empty() || self.parts.contains(&part)
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(rows) if arguments.json => {
            for row in rows {
                println!("{}", serde_json::json!(row));
            }
            ExitCode::SUCCESS
        }
        Ok(rows) => {
            report::print(&rows);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<Vec<Row>, Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let dir = arguments.dir.as_deref().unwrap_or(scratch.path());
    if let Some(layout) = arguments.memory_of {
        return with_rules!(arguments.variants[0], G => {
            memory::here::<G>(dir, layout, arguments.memory_cache[0] << 20, arguments.memory_probes)
        });
    }
    let timer = Timer::new(arguments.count);
    let mut rows = vec![Row::Timer { overhead_ns: timer.overhead() }];
    for &variant in &arguments.variants {
        if !arguments.count {
            tables::make(variant, dir, arguments.pieces)?;
        }
        rows.extend(one_variant(arguments, variant, dir, scratch.path(), timer)?);
    }
    Ok(rows)
}

fn one_variant(
    arguments: &Arguments,
    variant: VariantId,
    dir: &Path,
    scratch: &Path,
    timer: Timer,
) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    let is_speed = [Part::Rank, Part::Speed, Part::Cold, Part::Threads];
    if is_speed.into_iter().any(|part| arguments.has(part)) {
        with_rules!(variant, G => {
            let cache_bytes = arguments.cache << 20;
            let bench = measure::Bench::<G>::new(dir, arguments.positions, cache_bytes, timer)?;
            rows.push(bench.search());
            if arguments.has(Part::Rank) {
                rows.extend(bench.rank());
            }
            if arguments.has(Part::Speed) {
                rows.extend(bench.speed()?);
            }
            if arguments.has(Part::Cold) {
                rows.extend(bench.cold(scratch)?);
            }
            if arguments.has(Part::Threads) {
                rows.extend(bench.threads(&arguments.threads)?);
            }
        });
    }
    if arguments.has(Part::Open) {
        rows.push(with_rules!(variant, G => measure::open::<G>(scratch))?);
    }
    if arguments.has(Part::Memory) {
        for &mib in &arguments.memory_cache {
            rows.extend(memory::apart(variant, dir, mib, arguments.memory_probes)?);
        }
    }
    Ok(rows)
}
