//! What tables say of themselves.

use damabase_formats::table::{Counts, Metric, Section, SectionStatistics, TableError};
use damabase_formats::{Slice, ToMove};
use damabase_probe::{ProbeError, TableSet};
use damabase_rules::Rules;

/// Statistics of a slice, from the headers of its table files; verification counts them again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SliceStats {
    /// The slice.
    pub slice: Slice,
    /// Each different side to move.
    pub sides: Vec<SideStats>,
    /// Its table files and their size in bytes.
    pub size_bytes: Vec<(Metric, u64)>,
}

/// Statistics of the positions of a slice with one side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SideStats {
    /// Who is to move.
    pub to_move: ToMove,
    /// Values counted, captures included.
    pub counts: Counts,
    /// Of each table, further facts.
    pub statistics: Vec<(Metric, SectionStatistics)>,
}

/// Statistics of all slices of a set, each after all that it depends on. Only headers and metadata
/// are read.
///
/// # Errors
/// [`ProbeError::Damaged`] where a file is damaged or two tables of a slice contradict each other
/// in their counts, [`ProbeError::Io`].
pub fn stats<G: Rules>(set: &TableSet<G>) -> Result<Vec<SliceStats>, ProbeError> {
    let mut tables: Vec<_> = set.tables().collect();
    tables.sort_by_key(|&(id, path)| (id.slice, id.metric, path));
    let mut slices: Vec<SliceStats> = Vec::new();
    for (id, path) in tables {
        let (slice, metric) = (id.slice, id.metric);
        let file = set.table_of(id)?;
        let damaged = |source| crate::verify::file_error(path, source);
        let metadata = file.metadata().map_err(damaged)?;
        let sections = &file.header().sections;
        if slices.last().is_none_or(|last| last.slice != slice) {
            let side = |section: &Section| SideStats {
                to_move: section.to_move,
                counts: section.counts,
                statistics: Vec::new(),
            };
            let sides = sections.iter().map(side).collect();
            slices.push(SliceStats { slice, sides, size_bytes: Vec::new() });
        }
        let Some(stats) = slices.last_mut() else { continue };
        stats.size_bytes.push((metric, file.size_bytes()));
        for (n, (side, section)) in stats.sides.iter_mut().zip(sections).enumerate() {
            // A budget table calls fewer positions won.
            if metric != Metric::Budget && side.counts != section.counts {
                return Err(damaged(TableError::Damaged {
                    what: "the header",
                    expected: format!("the counts of the other tables of {slice}"),
                    found: "other counts".into(),
                }));
            }
            if let Some(statistics) = metadata.sections.get(n) {
                side.statistics.push((metric, statistics.clone()));
            }
        }
    }
    Ok(slices)
}
