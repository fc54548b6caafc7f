//! `damabase generate`: making tables.

mod estimates;

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytesize::ByteSize;
use clap::Args;
use damabase_formats::table::{Counts, Layout, WriteOptions};
use damabase_formats::{Metric, Slice};
use damabase_generator::{GenerateError, Options, Progress, Row, estimate, generate};
use damabase_rules::VariantId;
use serde::Serialize;

use self::estimates::Estimates;
use crate::args::Folder;
use crate::failure::Failure;
use crate::output::{self, columns, grouped};
use crate::profile;
use crate::progress::{Meter, Style};

const EXAMPLES: &str = "\
Examples:
  damabase generate russian --pieces 4
  damabase generate international --slice KKMvK KMvKM --dir tables --threads 8
  damabase generate international --pieces 6 --estimate
  damabase generate international --pieces 4 --metric wld,budget --profile fmjd100-2018

A slice is all positions with one material: KKMvK is two kings and a man against a king, either side
to move, either colour. Smaller slices that a slice depends on are made too. Tables that are there
and whole are left alone, so an interrupted run goes on where it stopped, and several processes may
work on one folder.

JSON: variant, dir, slices: an array of slice, positions, wins, draws, losses (both sides to move
together), bytes, bits_per_position, made (whether by this run), files: an array of metric and bytes;
then the same counts of all slices as positions, wins, draws, losses, bytes, bits_per_position.
With --estimate: variant, slices: an array of slice, positions, memory_bytes, least_memory_bytes,
disk_bytes, seconds; then the same of all slices (the memory of the one that takes most).";

/// Make tables, and those that they depend on
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The game, by name or PDN GameType number
    variant: VariantId,
    /// All slices with up to so many pieces
    #[arg(long, value_name = "N", required_unless_present = "slices")]
    pieces: Option<u32>,
    /// Single slices, such as KKMvK
    #[arg(long = "slice", value_name = "SLICE", num_args = 1.., value_delimiter = ',')]
    slices: Vec<Slice>,
    /// What to know of each position, separated by commas
    #[arg(long, value_name = "METRIC", value_delimiter = ',', default_value = "wld")]
    metric: Vec<Metric>,
    /// The draw rules for --metric budget: a profile's name or file [default: that of the game]
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    /// How tables are written: "search" stores both sides to move, to be probed fast; "compact"
    /// stores one, and the rest follows by a search of a ply or more [default: search up to 5
    /// pieces, compact above]
    #[arg(long)]
    layout: Option<Layout>,
    #[command(flatten)]
    folder: Folder,
    /// Number of threads [default: all processors]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Memory to stay within, such as 4GiB or 500MB [default: most of what is free]. What does not
    /// fit is moved to working files in the folder of the tables meanwhile
    #[arg(long, value_name = "SIZE")]
    memory: Option<ByteSize>,
    /// Only print what each slice would take: memory, disk and time, roughly
    #[arg(long)]
    estimate: bool,
    /// How to show progress, on standard error
    #[arg(long, default_value = "auto")]
    progress: Style,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    variant: String,
    #[serde(serialize_with = "output::lossy")]
    dir: PathBuf,
    slices: Vec<SliceRow>,
    #[serde(flatten)]
    all: Sums,
}

#[derive(Serialize)]
struct SliceRow {
    slice: String,
    #[serde(flatten)]
    sums: Sums,
    made: bool,
    files: Vec<FileRow>,
}

#[derive(Serialize)]
struct FileRow {
    metric: &'static str,
    bytes: u64,
}

#[derive(Clone, Copy, Default, Serialize)]
struct Sums {
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    bytes: u64,
    bits_per_position: f64,
}

/// Set by Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// # Errors
/// Any [`Failure`].
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let profile = match arguments.metric.contains(&Metric::Budget) {
        true => Some(profile::choose(arguments.profile.as_deref(), arguments.variant)?),
        false => None,
    };
    let options = Options {
        dir: arguments.folder.path()?,
        pieces: arguments.pieces,
        slices: arguments.slices,
        profile: profile.map(Cow::into_owned),
        metrics: arguments.metric,
        threads: arguments.threads.map(usize::from),
        memory: arguments.memory.map(|size| size.as_u64()),
        write: WriteOptions { layout: arguments.layout, ..WriteOptions::default() },
    };
    if arguments.estimate {
        let estimates = estimate(arguments.variant, &options)?;
        return output::print(&Estimates::new(arguments.variant, &estimates), arguments.json);
    }
    let meter = Arc::new(Meter::new(arguments.progress, "slices"));
    let listener = meter.clone();
    let interrupt = move || {
        // Whoever presses it twice does not want to wait; no harm, since files get their names
        // only when they are finished.
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        listener.message("stopping (Ctrl-C again stops at once)");
    };
    ctrlc::set_handler(interrupt)
        .map_err(|error| Failure::Io(format!("cannot catch Ctrl-C: {error}")))?;
    let result = generate(arguments.variant, &options, &STOP, &*meter);
    meter.finish();
    let rows = result.map_err(|error| match error {
        GenerateError::Interrupted => {
            let (slices, done) = meter.slices();
            Failure::Interrupted(format!(
                "interrupted; {done} of {slices} slices are finished, run the same command to go on"
            ))
        }
        error => error.into(),
    })?;
    let report = report(arguments.variant, options.dir, &rows);
    output::print(&report, arguments.json)
}

fn report(variant: VariantId, dir: PathBuf, rows: &[Row]) -> Report {
    let slices: Vec<SliceRow> = rows
        .iter()
        .map(|row| SliceRow {
            slice: row.slice.to_string(),
            sums: Sums::of(&row.counts, row.size_bytes.iter().map(|(_, bytes)| bytes).sum()),
            made: row.made,
            files: row
                .size_bytes
                .iter()
                .map(|&(metric, bytes)| FileRow { metric: metric.name(), bytes })
                .collect(),
        })
        .collect();
    let counts: Vec<Counts> = rows.iter().flat_map(|row| row.counts.clone()).collect();
    let all = Sums::of(&counts, slices.iter().map(|row| row.sums.bytes).sum());
    Report { variant: variant.to_string(), dir, slices, all }
}

impl Sums {
    fn of(counts: &[Counts], bytes: u64) -> Sums {
        let sum = |count: fn(&Counts) -> u64| counts.iter().map(count).sum();
        let positions = sum(|counts| counts.positions);
        Sums {
            positions,
            wins: sum(|counts| counts.wins),
            draws: sum(|counts| counts.draws),
            losses: sum(|counts| counts.losses),
            bytes,
            bits_per_position: bytes as f64 * 8.0 / positions.max(1) as f64,
        }
    }

    fn cells(&self, name: &str) -> Vec<String> {
        let counts = [self.positions, self.wins, self.draws, self.losses, self.bytes];
        let mut cells = vec![name.to_string()];
        cells.extend(counts.map(grouped));
        cells.push(format!("{:.3}", self.bits_per_position));
        cells
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = ["slice", "positions", "wins", "draws", "losses", "bytes", "bits/position"];
        let mut rows = vec![title.map(String::from).to_vec()];
        rows.extend(self.slices.iter().map(|row| row.sums.cells(&row.slice)));
        rows.push(self.all.cells("all"));
        f.write_str(&columns(&rows, &[0]))?;
        let made = self.slices.iter().filter(|row| row.made).count();
        let there = self.slices.len() - made;
        let dir = self.dir.join(&self.variant);
        writeln!(f, "\n{made} slices made, {there} were there, in {}", dir.display())
    }
}
