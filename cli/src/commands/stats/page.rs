//! What draw rules make of the wins, as a page in Markdown.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::Path;

use damabase_generator::Effect;
use damabase_rules::draws::DrawProfile;
use serde::{Serialize, Serializer};

use super::results::{Report, Row, Section, joined, plies};
use crate::failure::Failure;
use crate::output::grouped;

/// Slices whose cut wins are shown on boards.
const BOARDS: usize = 4;

/// A report as a page.
pub struct Page<'a> {
    report: &'a Report,
    boards: Option<&'a Path>,
}

impl<'a> Page<'a> {
    /// The page of a report. With a folder, its boards are written there as SVG files, and the page
    /// refers to them by the folder's name; else they are drawn with letters.
    ///
    /// # Errors
    /// [`Failure::Io`].
    pub fn new(report: &'a Report, boards: Option<&'a Path>) -> Result<Page<'a>, Failure> {
        if let Some(folder) = boards {
            let error = |path: &Path| {
                let path = path.display().to_string();
                move |error| Failure::Io(format!("{path}: {error}"))
            };
            fs::create_dir_all(folder).map_err(error(folder))?;
            for section in &report.profiles {
                for (row, _) in shown(section) {
                    let Some([_, svg]) = &row.pictures else { continue };
                    let path = folder.join(board_name(report, section, row));
                    fs::write(&path, svg).map_err(error(&path))?;
                }
            }
        }
        Ok(Page { report, boards })
    }
}

fn board_name(report: &Report, section: &Section, row: &Row) -> String {
    format!("{}-{}-{}.svg", report.variant, section.profile, row.slice)
}

impl Serialize for Page<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.report.serialize(serializer)
    }
}

impl fmt::Display for Page<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = self.report;
        let all = || report.profiles.iter().flat_map(|section| &section.slices);
        let most = all().map(|row| row.pieces).max().unwrap_or(0);
        writeln!(f, "# Draw rules and wins: {}, up to {most} pieces\n", report.variant)?;
        writeln!(
            f,
            "Made by `scripts/results` from exact tables; no number here was typed in. *Wins* are positions that \
             one side or the other wins if nobody counts, with either side to move. *In time* are those that \
             it still wins when the count begins with this position; the rest is drawn by the count alone. \
             *Longest* is the greatest number of plies that must be left on the count for a win that is in \
             time: where a capture or a man move restarts the count, the plies to the next of these, else \
             those to the end or to a capture that ends the count. *To spare* is what is then left of the \
             count; where several counters decide together there is no single limit, and this is how \
             many plies older all of them could be. A ply is one side's move.\n"
        )?;
        writeln!(f, "| draw rules | slices | wins in theory | in time | drawn by the count |")?;
        writeln!(f, "|---|---:|---:|---:|---:|")?;
        for section in &report.profiles {
            let sum = |of: fn(&Row) -> u64| section.slices.iter().map(of).sum::<u64>();
            let (wins, in_time) = (sum(|row| row.wins), sum(|row| row.wins_in_time));
            writeln!(
                f,
                "| {} | {} | {} | {} | {} |",
                profiles(section),
                section.slices.len(),
                grouped(wins),
                grouped(in_time),
                lost(wins, in_time),
            )?;
        }
        for section in &report.profiles {
            self.write_section(f, section)?;
        }
        Ok(())
    }
}

fn profiles(section: &Section) -> String {
    let names = std::iter::once(&section.profile).chain(&section.also);
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// What is not in time, with its share: to four decimals, or to the first that is not 0.
fn lost(wins: u64, in_time: u64) -> String {
    let lost = wins - in_time;
    if lost == 0 {
        return "none".to_string();
    }
    let share = lost as f64 * 100.0 / wins as f64;
    let decimals = (-share.log10().floor()).max(4.0) as usize;
    format!("{} ({share:.decimals$}%)", grouped(lost))
}

impl Page<'_> {
    fn write_section(&self, f: &mut fmt::Formatter<'_>, section: &Section) -> fmt::Result {
        writeln!(f, "\n## {}\n", profiles(section))?;
        let used: BTreeSet<&str> =
            section.slices.iter().flat_map(|row| &row.counters).map(String::as_str).collect();
        for (n, rules) in section.rules.iter().enumerate() {
            // The slices name the counters of the first; others may call theirs by other names.
            write_rules(f, rules, |name| n > 0 || used.contains(name))?;
        }
        if section.rules.len() > 1 {
            writeln!(f, "All of these count alike in the slices below and share their tables.\n")?;
        }
        writeln!(
            f,
            "| slice | count | limit | wins in theory | drawn by the count | longest | to spare | \
             the limit is |"
        )?;
        writeln!(f, "|---|---|---:|---:|---:|---:|---:|---|")?;
        for row in &section.slices {
            writeln!(
                f,
                "| {} | {} | {} | {} | {} | {} | {} | {} |",
                row.slice,
                joined(&row.counters),
                plies(row.limit),
                grouped(row.wins),
                lost(row.wins, row.wins_in_time),
                plies(row.longest),
                plies(row.least_spare),
                words(row.kind),
            )?;
        }
        if !section.several.is_empty() {
            writeln!(
                f,
                "\nSeveral counters decide together in {}: no single number of plies tells all there, \
                 and they are left out.",
                section.several.join(", ")
            )?;
        }
        for (row, what) in shown(section) {
            self.write_board(f, section, row, what)?;
        }
        Ok(())
    }

    fn write_board(
        &self,
        f: &mut fmt::Formatter<'_>,
        section: &Section,
        row: &Row,
        what: &str,
    ) -> fmt::Result {
        let (Some([letters, _]), Some(fen)) = (&row.pictures, &row.tightest_fen) else {
            return Ok(());
        };
        let counted = match (row.longest, row.limit) {
            (Some(longest), Some(limit)) => format!("{longest} of {limit} plies"),
            _ => format!("{} plies to spare", plies(row.least_spare)),
        };
        write!(f, "\n**{}**, `{fen}`: {counted}. {what}.\n\n", row.slice)?;
        match self.boards {
            None => writeln!(f, "```\n{letters}\n```"),
            Some(folder) => {
                let path = folder.join(board_name(self.report, section, row));
                writeln!(f, "![{fen}]({})", path.display())
            }
        }
    }
}

/// The slices that are shown with a board, with what is said of each.
fn shown(section: &Section) -> impl Iterator<Item = (&Row, &'static str)> {
    let exact = section.slices.iter().filter(|row| row.kind == Effect::Exact);
    let mut cut: Vec<&Row> =
        section.slices.iter().filter(|row| row.kind == Effect::CutsOff).collect();
    // Elsewhere wins are cut off by a shorter count that a capture leads to.
    cut.retain(|row| row.least_spare == Some(0));
    cut.sort_by_key(|row| std::cmp::Reverse(row.wins - row.wins_in_time));
    let exact = exact.map(|row| (row, "Every ply of the count is needed, and none is missing"));
    let late = "One of the longest wins that are in time; others come too late";
    exact.chain(cut.into_iter().take(BOARDS).map(move |row| (row, late)))
}

fn words(effect: Effect) -> &'static str {
    match effect {
        Effect::NoWins => "without effect: there are no wins",
        Effect::Uncounted => "absent",
        Effect::Wide => "wide enough",
        Effect::Exact => "**exactly wide enough**",
        Effect::CutsOff => "**too narrow**",
    }
}

/// Counters with their articles and limits.
fn write_rules(
    f: &mut fmt::Formatter<'_>,
    rules: &DrawProfile,
    shown: impl Fn(&str) -> bool,
) -> fmt::Result {
    writeln!(f, "**`{}`**: {}.\n", rules.name, rules.title)?;
    for counter in &rules.counters {
        if shown(&counter.name) {
            writeln!(
                f,
                "- {}, article {} ({}): {}",
                counter.name,
                counter.article,
                counter.status.words(),
                counter.text
            )?;
        }
    }
    writeln!(f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_never_shown_as_nothing() {
        assert_eq!(lost(10, 10), "none");
        assert_eq!(lost(10_000, 9_999), "1 (0.0100%)");
        assert_eq!(lost(3_000_000, 2_999_998), "2 (0.00007%)");
        assert_eq!(lost(1_939_593_702, 1_939_593_583), "119 (0.000006%)");
        assert_eq!(lost(1, 0), "1 (100.0000%)");
    }
}
