//! `damabase stats --profile`: what draw rules make of the wins.

use std::fmt;

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
    /// Slices in which several counters decide, of those that have other tables.
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
    pub counter: Option<String>,
    pub positions: u64,
    pub wins: u64,
    pub wins_in_time: u64,
    pub longest: Option<u32>,
    pub longest_fen: Option<String>,
    pub effect: &'static str,
    #[serde(skip)]
    pub kind: Effect,
    #[serde(skip)]
    pub picture: Option<String>,
}

/// Prints a report, as a page in Markdown if asked for.
///
/// # Errors
/// [`Failure::Input`], [`Failure::Missing`] where no table of budgets is there, and others.
pub fn run<G: Rules>(
    set: &TableSet<G>,
    names: &[String],
    markdown: bool,
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
            slices: found.iter().map(|found| row(found, &profile)).collect(),
            several: several(set, &profile),
            rules: vec![profile.into_owned()],
            tables,
        });
    }
    let report = Report { variant: G::VARIANT.name, profiles: sections };
    match markdown {
        true => output::print(&Page(&report), false),
        false => output::print(&report, json),
    }
}

fn several<G: Rules>(set: &TableSet<G>, profile: &DrawProfile) -> Vec<String> {
    let mut countdowns = Countdowns::new(profile);
    let mut decide = |slice: &Slice| countdowns.find([slice.first(), slice.second()]).is_err();
    set.slices().into_iter().filter(|slice| decide(slice)).map(|slice| slice.to_string()).collect()
}

fn row<G: Rules>(found: &SliceResults<G>, profile: &DrawProfile) -> Row {
    let [wins, wins_in_time] = found.wins();
    let kind = found.effect();
    let side = |to_move| match to_move {
        ToMove::First => Side::White,
        ToMove::Second => Side::Black,
    };
    let longest = found.longest.as_ref();
    Row {
        slice: found.slice.to_string(),
        pieces: found.slice.pieces(),
        limit: found.limit,
        counter: found.decided_by.map(|i| profile.counters[i].name.clone()),
        positions: found.sides.iter().map(|side| side.positions).sum(),
        wins,
        wins_in_time,
        longest: found.longest_plies(),
        longest_fen: longest.map(|l| Fen::new(side(l.to_move), l.position).to_string()),
        effect: effect_name(kind),
        kind,
        picture: longest.map(|l| picture(side(l.to_move), &l.position)),
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

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for section in &self.profiles {
            let names: Vec<&str> = std::iter::once(&section.profile)
                .chain(&section.also)
                .map(String::as_str)
                .collect();
            writeln!(f, "{}, {}", self.variant, names.join(", "))?;
            let title =
                ["slice", "limit", "by", "wins", "in time", "longest", "the limit", "position"];
            let mut rows = vec![title.map(String::from).to_vec()];
            rows.extend(section.slices.iter().map(|row| {
                vec![
                    row.slice.clone(),
                    plies(row.limit),
                    row.counter.clone().unwrap_or("-".to_string()),
                    grouped(row.wins),
                    grouped(row.wins_in_time),
                    plies(row.longest),
                    row.effect.to_string(),
                    row.longest_fen.clone().unwrap_or_default(),
                ]
            }));
            writeln!(f, "{}", columns(&rows, &[0, 2, 6, 7]))?;
            if !section.several.is_empty() {
                writeln!(f, "Several counters decide in {}.\n", section.several.join(", "))?;
            }
        }
        Ok(())
    }
}
