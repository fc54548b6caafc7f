//! What is printed.

use serde::{Deserialize, Serialize};

use crate::search::Found;
use crate::timing::{Times, Together};

/// How probes were done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Setup {
    pub variant: String,
    pub layout: String,
    /// `mapped` or `read`.
    pub access: String,
    /// Which positions.
    pub positions: String,
    pub probes: usize,
    pub table_bytes: u64,
    /// The limit of the cache.
    pub cache_limit_bytes: usize,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Row {
    /// Single calls on one thread.
    Probe {
        #[serde(flatten)]
        setup: Setup,
        /// `warm`, `cold`, ...
        state: String,
        /// Memory that the cache took.
        cache_bytes: usize,
        /// Of the values that were looked up, the part that was in the cache.
        hit_rate: f64,
        /// Values looked up for a probe.
        lookups: f64,
        ns: Times,
    },
    Threads {
        #[serde(flatten)]
        setup: Setup,
        threads: usize,
        cache_bytes: usize,
        hit_rate: f64,
        #[serde(flatten)]
        together: Together,
        /// Processor time of a probe on one thread by that on so many.
        scaling: f64,
    },
    Rank {
        variant: String,
        positions: String,
        probes: usize,
        ns: Times,
    },
    Search {
        variant: String,
        pieces: u32,
        roots: u64,
        nodes: u64,
        probed: u64,
    },
    Open {
        variant: String,
        tables: usize,
        /// The median of several times.
        milliseconds: f64,
    },
    Memory {
        variant: String,
        layout: String,
        access: String,
        probes: u64,
        table_bytes: u64,
        cache_limit_bytes: usize,
        cache_bytes: usize,
        hit_rate: f64,
        /// By how much resident memory grew from before the tables were opened.
        grown_bytes: u64,
        /// The part of it that is no page of a file.
        grown_anonymous_bytes: u64,
    },
    Timer {
        overhead_ns: f64,
    },
}

impl Row {
    pub fn search(variant: &str, pieces: u32, found: Found) -> Row {
        let Found { roots, nodes, probed } = found;
        Row::Search { variant: variant.to_string(), pieces, roots, nodes, probed }
    }
}

fn kib(bytes: u64) -> String {
    format!("{} KiB", bytes.div_ceil(1024))
}

fn percent(part: f64) -> String {
    format!("{:.1} %", 100.0 * part)
}

/// The heading of the table that a row belongs to, and the row's cells.
fn cells(row: &Row) -> (&'static str, &'static [&'static str], Vec<String>) {
    let names = |setup: &Setup| {
        [&setup.variant, &setup.layout, &setup.access, &setup.positions].map(String::clone).to_vec()
    };
    let ns = |times: &Times| {
        [times.median, times.mean, times.p99, times.max].map(|ns| format!("{ns:.0}")).to_vec()
    };
    match row {
        Row::Probe { setup, state, cache_bytes, hit_rate, lookups, ns: times } => {
            let state = vec![state.to_string(), setup.probes.to_string()];
            let sizes =
                [kib(setup.table_bytes), kib(*cache_bytes as u64), percent(*hit_rate)].to_vec();
            let lookups = format!("{lookups:.2}");
            let cells = [names(setup), state, sizes, vec![lookups], ns(times)].concat();
            (
                "Probes, one thread: nanoseconds for a probe",
                &[
                    "game",
                    "layout",
                    "files",
                    "positions",
                    "state",
                    "probes",
                    "tables",
                    "cache",
                    "hits",
                    "look-ups",
                    "median",
                    "mean",
                    "99 %",
                    "max",
                ],
                cells,
            )
        }
        Row::Threads { setup, threads, cache_bytes, hit_rate, together, scaling } => {
            let sizes =
                [kib(setup.table_bytes), kib(*cache_bytes as u64), percent(*hit_rate)].to_vec();
            let figures = vec![
                threads.to_string(),
                format!("{:.0}", together.cpu_ns),
                format!("{:.2}", together.per_second / 1e6),
                format!("{scaling:.2}"),
            ];
            (
                "Probes, several threads: nanoseconds of processor time for a probe, million probes \
                 a second by the clock, processor time on one thread by that on so many",
                &[
                    "game",
                    "layout",
                    "files",
                    "positions",
                    "tables",
                    "cache",
                    "hits",
                    "threads",
                    "CPU ns",
                    "million/s",
                    "ratio",
                ],
                [names(setup), sizes, figures].concat(),
            )
        }
        Row::Rank { variant, positions, ns: times, .. } => (
            "Ranks: nanoseconds for the number of a position",
            &["game", "positions", "median", "mean", "99 %", "max"],
            [vec![variant.to_string(), positions.to_string()], ns(times)].concat(),
        ),
        Row::Search { variant, pieces, roots, nodes, probed } => (
            "The search that the positions `search` come from",
            &["game", "tables up to", "roots", "nodes", "probed", "nodes/probe"],
            vec![
                variant.to_string(),
                format!("{pieces} pieces"),
                roots.to_string(),
                nodes.to_string(),
                probed.to_string(),
                format!("{:.1}", *nodes as f64 / *probed as f64),
            ],
        ),
        Row::Open { variant, tables, milliseconds } => (
            "Opening a folder",
            &["game", "tables", "milliseconds"],
            vec![variant.to_string(), tables.to_string(), format!("{milliseconds:.2}")],
        ),
        Row::Memory {
            variant,
            layout,
            access,
            probes,
            table_bytes,
            cache_limit_bytes,
            cache_bytes,
            hit_rate,
            grown_bytes,
            grown_anonymous_bytes,
        } => (
            "Resident memory, growth from before the tables were opened to after random probes",
            &[
                "game",
                "layout",
                "files",
                "probes",
                "tables",
                "budget",
                "cache",
                "hits",
                "grown",
                "without files",
                "by budget",
            ],
            vec![
                variant.to_string(),
                layout.to_string(),
                access.to_string(),
                probes.to_string(),
                kib(*table_bytes),
                kib(*cache_limit_bytes as u64),
                kib(*cache_bytes as u64),
                percent(*hit_rate),
                kib(*grown_bytes),
                kib(*grown_anonymous_bytes),
                percent(*grown_bytes as f64 / *cache_limit_bytes as f64),
            ],
        ),
        Row::Timer { overhead_ns } => (
            "Taking the time, in nanoseconds: taken off all figures",
            &["timer"],
            vec![format!("{overhead_ns:.0}")],
        ),
    }
}

/// Prints rows as tables in Markdown, those of one kind in one table.
pub fn print(rows: &[Row]) {
    let all: Vec<_> = rows.iter().map(cells).collect();
    let mut done: Vec<&str> = Vec::new();
    for (heading, columns, _) in &all {
        if done.contains(heading) {
            continue;
        }
        done.push(heading);
        let same = || all.iter().filter(|(other, _, _)| other == heading);
        let width = |column: usize| {
            same().map(|row| row.2[column].len()).chain([columns[column].len()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns.len()).map(width).collect();
        println!("\n{heading}:\n");
        let line = |cells: Vec<String>| println!("| {} |", cells.join(" | "));
        let pad = |n: usize, text: &str| format!("{text:w$}", w = widths[n]);
        line(columns.iter().enumerate().map(|(n, text)| pad(n, text)).collect());
        println!("|{}|", widths.iter().map(|w| "-".repeat(w + 2)).collect::<Vec<_>>().join("|"));
        for (_, _, cells) in same() {
            line(cells.iter().enumerate().map(|(n, text)| pad(n, text)).collect());
        }
    }
}
