//! `damabase generate --estimate`: what a run would take.

use std::fmt;

use bytesize::ByteSize;
use damabase_generator::Estimate;
use damabase_rules::VariantId;
use serde::Serialize;

use crate::output::{columns, grouped};

#[derive(Serialize)]
pub struct Estimates {
    variant: String,
    slices: Vec<EstimateRow>,
    positions: u64,
    /// The most that any slice takes, all kept in memory and as little as possible kept.
    memory_bytes: u64,
    least_memory_bytes: u64,
    disk_bytes: u64,
    seconds: f64,
}

#[derive(Serialize)]
struct EstimateRow {
    slice: String,
    positions: u64,
    memory_bytes: u64,
    least_memory_bytes: u64,
    disk_bytes: u64,
    seconds: f64,
}

impl Estimates {
    pub fn new(variant: VariantId, estimates: &[Estimate]) -> Estimates {
        let row = |estimate: &Estimate| EstimateRow {
            slice: estimate.planned.slice.to_string(),
            positions: estimate.planned.positions,
            memory_bytes: estimate.memory_bytes,
            least_memory_bytes: estimate.least_memory_bytes,
            disk_bytes: estimate.disk_bytes,
            seconds: estimate.milliseconds as f64 / 1000.0,
        };
        let slices: Vec<EstimateRow> = estimates.iter().map(row).collect();
        let most = |bytes: fn(&EstimateRow) -> u64| slices.iter().map(bytes).max().unwrap_or(0);
        Estimates {
            variant: variant.to_string(),
            positions: slices.iter().map(|row| row.positions).sum(),
            memory_bytes: most(|row| row.memory_bytes),
            least_memory_bytes: most(|row| row.least_memory_bytes),
            disk_bytes: slices.iter().map(|row| row.disk_bytes).sum(),
            seconds: slices.iter().map(|row| row.seconds).sum(),
            slices,
        }
    }
}

impl fmt::Display for Estimates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells = |name: &str, positions, memory, least, disk, seconds: f64| {
            let size = |bytes| ByteSize(bytes).to_string();
            let mut cells = vec![name.to_string(), grouped(positions)];
            cells.extend([memory, least, disk].map(size));
            cells.push(format!("{seconds:.1} s"));
            cells
        };
        let title = ["slice", "positions", "memory", "at least", "disk", "time"];
        let mut rows = vec![title.map(String::from).to_vec()];
        rows.extend(self.slices.iter().map(|row| {
            let memory = (row.memory_bytes, row.least_memory_bytes);
            cells(&row.slice, row.positions, memory.0, memory.1, row.disk_bytes, row.seconds)
        }));
        let memory = (self.memory_bytes, self.least_memory_bytes);
        rows.push(cells("all", self.positions, memory.0, memory.1, self.disk_bytes, self.seconds));
        f.write_str(&columns(&rows, &[0]))?;
        writeln!(
            f,
            "\nMemory: with everything that later slices need kept in memory, and with all of it moved \
             to\nworking files (--memory). Disk and time are rough: they depend on the game and the machine."
        )
    }
}
