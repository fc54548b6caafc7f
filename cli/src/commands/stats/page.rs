//! What draw rules make of the wins, as a page in Markdown.

use std::collections::BTreeSet;
use std::fmt;

use damabase_generator::Effect;
use damabase_rules::draws::DrawProfile;
use serde::{Serialize, Serializer};

use super::results::{Report, Row, Section, plies};
use crate::output::grouped;

/// Slices whose cut wins are shown on boards.
const BOARDS: usize = 4;

/// A report as a page.
pub struct Page<'a>(pub &'a Report);

impl Serialize for Page<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl fmt::Display for Page<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = self.0;
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
             those to the end or to a capture that ends the count. A ply is one side's move.\n"
        )?;
        writeln!(f, "| draw rules | slices | wins in theory | in time | drawn by the count |")?;
        writeln!(f, "|---|---:|---:|---:|---:|")?;
        for section in &report.profiles {
            let sum = |of: fn(&Row) -> u64| section.slices.iter().map(of).sum::<u64>();
            let (wins, in_time) = (sum(|row| row.wins), sum(|row| row.wins_in_time));
            writeln!(
                f,
                "| {} | {} | {} | {} | {} |",
                names(section),
                section.slices.len(),
                grouped(wins),
                grouped(in_time),
                lost(wins, in_time),
            )?;
        }
        for section in &report.profiles {
            write_section(f, section)?;
        }
        Ok(())
    }
}

fn names(section: &Section) -> String {
    let names = std::iter::once(&section.profile).chain(&section.also);
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// What is not in time, with its share.
fn lost(wins: u64, in_time: u64) -> String {
    let lost = wins - in_time;
    match lost {
        0 => "none".to_string(),
        _ => format!("{} ({:.4}%)", grouped(lost), lost as f64 * 100.0 / wins as f64),
    }
}

fn write_section(f: &mut fmt::Formatter<'_>, section: &Section) -> fmt::Result {
    writeln!(f, "\n## {}\n", names(section))?;
    let used: BTreeSet<&str> =
        section.slices.iter().filter_map(|row| row.counter.as_deref()).collect();
    for (n, rules) in section.rules.iter().enumerate() {
        // The slices name the counters of the first; others may call theirs by other names.
        write_rules(f, rules, |name| n > 0 || used.contains(name))?;
    }
    if section.rules.len() > 1 {
        writeln!(f, "All of these count alike in the slices below and share their tables.")?;
    }
    writeln!(
        f,
        "\n| slice | count | limit | wins in theory | drawn by the count | longest | the limit is |"
    )?;
    writeln!(f, "|---|---|---:|---:|---:|---:|---|")?;
    for row in &section.slices {
        writeln!(
            f,
            "| {} | {} | {} | {} | {} | {} | {} |",
            row.slice,
            row.counter.as_deref().unwrap_or("-"),
            plies(row.limit),
            grouped(row.wins),
            lost(row.wins, row.wins_in_time),
            plies(row.longest),
            words(row.kind),
        )?;
    }
    if !section.several.is_empty() {
        writeln!(
            f,
            "\nSeveral counters decide together in {}: no single number of plies tells all there, and they \
             are left out.",
            section.several.join(", ")
        )?;
    }
    let exact = section.slices.iter().filter(|row| row.kind == Effect::Exact);
    let mut cut: Vec<&Row> =
        section.slices.iter().filter(|row| row.kind == Effect::CutsOff).collect();
    // Elsewhere wins are cut off by a shorter count that a capture leads to.
    cut.retain(|row| row.longest == row.limit);
    cut.sort_by_key(|row| std::cmp::Reverse(row.wins - row.wins_in_time));
    for row in exact {
        write_board(f, row, "Every ply of the limit is needed, and none is missing")?;
    }
    for row in cut.into_iter().take(BOARDS) {
        write_board(f, row, "One of the longest wins that are in time; others come too late")?;
    }
    Ok(())
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

fn write_board(f: &mut fmt::Formatter<'_>, row: &Row, what: &str) -> fmt::Result {
    let (Some(picture), Some(fen)) = (&row.picture, &row.longest_fen) else { return Ok(()) };
    writeln!(
        f,
        "\n**{}**, `{fen}`: {} of {} plies. {what}.\n\n```\n{picture}\n```",
        row.slice,
        plies(row.longest),
        plies(row.limit),
    )
}
