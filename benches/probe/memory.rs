//! Memory that probing takes.

use std::error::Error;
use std::path::Path;
use std::process::Command;

use damabase_formats::table::Layout;
use damabase_probe::Lookups;
use damabase_rules::{Rules, VariantId};

use crate::measure::hit_rate;
use crate::positions::Uniform;
use crate::report::Row;
use crate::tables::{Access, LAYOUTS, folder, size_bytes};

/// Measures each layout in a process of its own, since memory that was taken and given back would
/// hide what is taken again.
pub fn apart(
    variant: VariantId,
    dir: &Path,
    cache_mib: usize,
    probes: u64,
) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for layout in LAYOUTS {
        // Compact tables take longer to probe.
        let probes = if layout == Layout::Compact { probes.div_ceil(10) } else { probes };
        let output = Command::new(std::env::current_exe()?)
            .args([variant.variant().name, "--json", "--memory-of", layout.name()])
            .args(["--memory-cache", &cache_mib.to_string()])
            .args(["--memory-probes", &probes.to_string()])
            .arg("--dir")
            .arg(dir)
            .output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).trim().to_string().into());
        }
        for line in String::from_utf8(output.stdout)?.lines() {
            rows.push(serde_json::from_str(line)?);
        }
    }
    Ok(rows)
}

/// Measures one layout in this process.
pub fn here<G: Rules>(
    dir: &Path,
    layout: Layout,
    cache_bytes: usize,
    probes: u64,
) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    let dir = folder(dir, layout);
    let access = Access::Mapped;
    let before = resident()?;
    let tables = access.open::<G>(&dir, cache_bytes)?;
    let (mut grown, mut anonymous) = (0, 0);
    let mut lookups = Lookups::default();
    for (position, n) in Uniform::new(&tables.slices(), 5).zip(1..=probes) {
        tables.wld_with_lookups(&position, &mut lookups)?;
        if n % 65_536 == 0 || n == probes {
            let now = resident()?;
            grown = grown.max(now.0.saturating_sub(before.0));
            anonymous = anonymous.max(now.1.saturating_sub(before.1));
        }
    }
    rows.push(Row::Memory {
        variant: G::VARIANT.name.to_string(),
        layout: layout.name().to_string(),
        access: access.name().to_string(),
        probes,
        table_bytes: size_bytes::<G>(&dir)?,
        cache_limit_bytes: cache_bytes,
        cache_bytes: tables.cache_bytes(),
        hit_rate: hit_rate(lookups),
        grown_bytes: grown,
        grown_anonymous_bytes: anonymous,
    });
    Ok(rows)
}

/// Bytes of memory that this process takes, and those of them that are no pages of files.
fn resident() -> Result<(u64, u64), Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")
        .map_err(|error| format!("memory is measured on Linux only: {error}"))?;
    let bytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kib: u64 = line?.split_whitespace().next()?.parse().ok()?;
        Some(kib << 10)
    };
    bytes("VmRSS:").zip(bytes("RssAnon:")).ok_or_else(|| "/proc/self/status has no sizes".into())
}
