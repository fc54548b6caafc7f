//! `damabase convert`: tables in another layout.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use clap::Args;
use damabase_formats::Slice;
use damabase_formats::table::{Layout, WriteOptions};
use damabase_generator::{ConvertOptions, Converted, convert};
use damabase_rules::VariantId;
use serde::Serialize;

use crate::args::Folder;
use crate::failure::Failure;
use crate::output::{self, columns, grouped};
use crate::progress::{Meter, Style};
use crate::tables;

const EXAMPLES: &str = "\
Examples:
  damabase convert russian --dir tables --to small --layout compact
  damabase convert russian --dir small --to fast --layout search --slice KKMvK

The values stay the same, position by position. A compact table stores one side to move; what the
slice depends on must be there to find the other.

JSON: variant, dir (of the new tables), tables: an array of slice, metric, bytes_before, bytes_after;
and the sums bytes_before, bytes_after.";

/// Write tables in another layout
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The game, by name or PDN GameType number
    variant: VariantId,
    /// "search": both sides to move, to be probed fast; "compact": one side, as small as can be
    #[arg(long)]
    layout: Layout,
    /// Folder for the new tables, which will lie in TO/VARIANT; not that of the old ones
    #[arg(long)]
    to: PathBuf,
    /// Convert the tables of these slices only
    #[arg(long = "slice", value_name = "SLICE", num_args = 1.., value_delimiter = ',')]
    slices: Vec<Slice>,
    #[command(flatten)]
    folder: Folder,
    /// Number of threads [default: all processors]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// How to show progress, on standard error
    #[arg(long, default_value = "auto")]
    progress: Style,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    variant: &'static str,
    #[serde(serialize_with = "output::lossy")]
    dir: PathBuf,
    tables: Vec<TableRow>,
    bytes_before: u64,
    bytes_after: u64,
}

#[derive(Serialize)]
struct TableRow {
    slice: String,
    metric: &'static str,
    bytes_before: u64,
    bytes_after: u64,
}

/// # Errors
/// Any [`Failure`].
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let dir = arguments.folder.path()?;
    let options = ConvertOptions {
        from: dir.clone(),
        to: arguments.to,
        slices: arguments.slices,
        write: WriteOptions { layout: Some(arguments.layout), ..WriteOptions::default() },
        threads: arguments.threads.map(usize::from),
    };
    let meter = Meter::new(arguments.progress, "tables");
    // Tables get their names when they are finished, so Ctrl-C may stop at once.
    let result = convert(arguments.variant, &options, &AtomicBool::new(false), &meter);
    meter.finish();
    let converted = result?;
    if converted.is_empty() {
        return Err(tables::none(arguments.variant, &dir));
    }
    output::print(&report(arguments.variant, options.to, &converted), arguments.json)
}

fn report(variant: VariantId, dir: PathBuf, converted: &[Converted]) -> Report {
    let row = |table: &Converted| TableRow {
        slice: table.slice.to_string(),
        metric: table.metric.name(),
        bytes_before: table.bytes_before,
        bytes_after: table.bytes_after,
    };
    Report {
        variant: variant.variant().name,
        dir,
        tables: converted.iter().map(row).collect(),
        bytes_before: converted.iter().map(|table| table.bytes_before).sum(),
        bytes_after: converted.iter().map(|table| table.bytes_after).sum(),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = ["table", "bytes before", "bytes after"];
        let mut rows = vec![title.map(String::from).to_vec()];
        rows.extend(self.tables.iter().map(|row| {
            let name = format!("{}.{}", row.slice, row.metric);
            vec![name, grouped(row.bytes_before), grouped(row.bytes_after)]
        }));
        rows.push(vec!["all".to_string(), grouped(self.bytes_before), grouped(self.bytes_after)]);
        f.write_str(&columns(&rows, &[0]))?;
        let dir = self.dir.join(self.variant);
        writeln!(f, "\n{} tables in {}", self.tables.len(), dir.display())
    }
}
