//! `damabase stats --profile`: what draw rules make of the wins.

use std::fmt;
use std::path::Path;

use damabase_explorer::{BoardOptions, board_svg};
use damabase_formats::{Fen, Slice, ToMove, picture};
use damabase_generator::{Effect, SliceResults, results};
use damabase_probe::TableSet;
use damabase_rules::draws::{Countdowns, DrawProfile};
use damabase_rules::{Rules, Side};
use serde::Serialize;

use super::page::Page;
use crate::failure::Failure;
use crate::output::{self, columns, grouped};
use crate::profile;

/// Profiles with the tables of a folder.
#[derive(Serialize)]
pub struct Report {
    pub variant: &'static str,
    pub profiles: Vec<Section>,
}

/// A profile, or several that count alike in all slices.
#[derive(Serialize)]
pub struct Section {
    pub profile: String,
    /// Others with the same tables.
    pub also: Vec<String>,
    pub slices: Vec<Row>,
    /// Slices in which several counters decide, of those that have other tables and none for them.
    pub several: Vec<String>,
    #[serde(skip)]
    pub rules: Vec<DrawProfile>,
    #[serde(skip)]
    tables: Vec<String>,
}

/// A slice. Wins are those of either side, with either side to move.
#[derive(Serialize)]
pub struct Row {
    pub slice: String,
    pub pieces: u32,
    pub limit: Option<u32>,
    pub counters: Vec<String>,
    pub positions: u64,
    pub wins: u64,
    pub wins_in_time: u64,
    pub longest: Option<u32>,
    pub least_spare: Option<u32>,
    pub tightest_fen: Option<String>,
    pub effect: &'static str,
    #[serde(skip)]
    pub kind: Effect,
    /// The tightest position with letters, and as SVG.
    #[serde(skip)]
    pub pictures: Option<[String; 2]>,
}

/// Prints a report, as a page in Markdown if asked for, with its boards in a folder if there is one.
///
/// # Errors
/// [`Failure::Input`], [`Failure::Missing`] where no table of budgets is there, and others.
pub fn run<G: Rules>(
    set: &TableSet<G>,
    names: &[String],
    markdown: bool,
    boards: Option<&Path>,
    json: bool,
) -> Result<(), Failure> {
    let mut sections: Vec<Section> = Vec::new();
    for name in names {
        let profile = profile::choose(Some(name), G::ID)?;
        let found = results(set, &profile)?;
        if found.is_empty() {
            return Err(Failure::Missing(format!(
                "no tables of budgets under {name}; 'damabase generate {} --pieces N --metric \
                 wld,budget --profile {name}' makes them",
                G::VARIANT.name
            )));
        }
        let tables: Vec<String> = found.iter().map(|row| row.table.clone()).collect();
        if let Some(same) = sections.iter_mut().find(|section| section.tables == tables) {
            same.also.push(profile.name.clone());
            same.rules.push(profile.into_owned());
            continue;
        }
        sections.push(Section {
            profile: profile.name.clone(),
            also: Vec::new(),
            several: several(set, &profile, &found),
            slices: found.iter().map(|found| row(found, &profile)).collect(),
            rules: vec![profile.into_owned()],
            tables,
        });
    }
    let report = Report { variant: G::VARIANT.name, profiles: sections };
    match markdown {
        true => output::print(&Page::new(&report, boards)?, false),
        false => output::print(&report, json),
    }
}

fn several<G: Rules>(
    set: &TableSet<G>,
    profile: &DrawProfile,
    found: &[SliceResults<G>],
) -> Vec<String> {
    let mut countdowns = Countdowns::new(profile);
    let mut decide = |slice: &Slice| countdowns.find([slice.first(), slice.second()]).is_err();
    let mut slices = set.slices();
    slices.retain(|&slice| decide(&slice) && found.iter().all(|found| found.slice != slice));
    slices.iter().map(Slice::to_string).collect()
}

fn row<G: Rules>(found: &SliceResults<G>, profile: &DrawProfile) -> Row {
    let [wins, wins_in_time] = found.wins();
    let kind = found.effect();
    let side = |to_move| match to_move {
        ToMove::First => Side::White,
        ToMove::Second => Side::Black,
    };
    let tightest = found.tightest.as_ref();
    let name = |&i: &usize| profile.counters[i].name.clone();
    let pictures = |side, position| {
        [picture(side, position), board_svg(side, position, BoardOptions::default())]
    };
    Row {
        slice: found.slice.to_string(),
        pieces: found.slice.pieces(),
        limit: found.limit,
        counters: found.decided_by.iter().map(name).collect(),
        positions: found.sides.iter().map(|side| side.positions).sum(),
        wins,
        wins_in_time,
        longest: found.longest_plies(),
        least_spare: found.least_spare,
        tightest_fen: tightest.map(|t| Fen::new(side(t.to_move), t.position).to_string()),
        effect: effect_name(kind),
        kind,
        pictures: tightest.map(|t| pictures(side(t.to_move), &t.position)),
    }
}

fn effect_name(effect: Effect) -> &'static str {
    match effect {
        Effect::NoWins => "no wins",
        Effect::Uncounted => "nothing counts",
        Effect::Wide => "wide enough",
        Effect::Exact => "exactly wide enough",
        Effect::CutsOff => "cuts wins off",
    }
}

/// A number of plies, or a dash.
pub fn plies(plies: Option<u32>) -> String {
    plies.map_or("-".to_string(), |plies| plies.to_string())
}

/// Names of counters, or a dash.
pub fn joined(counters: &[String]) -> String {
    if counters.is_empty() { "-".to_string() } else { counters.join(", ") }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for section in &self.profiles {
            let names: Vec<&str> = std::iter::once(&section.profile)
                .chain(&section.also)
                .map(String::as_str)
                .collect();
            writeln!(f, "{}, {}", self.variant, names.join(", "))?;
            let title = [
                "slice",
                "limit",
                "by",
                "wins",
                "in time",
                "longest",
                "to spare",
                "the limit",
                "tightest",
            ];
            let mut rows = vec![title.map(String::from).to_vec()];
            rows.extend(section.slices.iter().map(|row| {
                vec![
                    row.slice.clone(),
                    plies(row.limit),
                    joined(&row.counters),
                    grouped(row.wins),
                    grouped(row.wins_in_time),
                    plies(row.longest),
                    plies(row.least_spare),
                    row.effect.to_string(),
                    row.tightest_fen.clone().unwrap_or_default(),
                ]
            }));
            writeln!(f, "{}", columns(&rows, &[0, 2, 7, 8]))?;
            if !section.several.is_empty() {
                writeln!(
                    f,
                    "Several counters decide, and no tables are there, in {}.\n",
                    section.several.join(", ")
                )?;
            }
        }
        Ok(())
    }
}
