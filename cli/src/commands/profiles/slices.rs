//! In which slices a profile counts by one number, and in which by several.

use std::fmt;

use damabase_formats::Slice;
use damabase_rules::draws::{Countdowns, DrawProfile, Obstacle};
use serde::Serialize;

/// The slices up to some size.
#[derive(Serialize)]
pub struct Report {
    profile: String,
    slices: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    slice: String,
    one_number: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    top: Option<Option<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip)]
    leads_only: bool,
}

/// Works out all slices with 2 to `pieces` pieces.
pub fn report(profile: &DrawProfile, pieces: u32) -> Report {
    let mut countdowns = Countdowns::new(profile);
    let slices = (2..=pieces).flat_map(Slice::with_pieces).map(|slice| {
        let found = countdowns.find([slice.first(), slice.second()]);
        let slice = slice.to_string();
        match found {
            Ok(countdown) => Row {
                slice,
                one_number: true,
                top: Some(countdown.top),
                table: Some(countdown.id.clone()),
                why: None,
                leads_only: false,
            },
            Err(why) => Row {
                slice,
                one_number: false,
                top: None,
                table: None,
                why: Some(why.to_string()),
                leads_only: matches!(why, Obstacle::LeadsTo { .. }),
            },
        }
    });
    let slices = slices.collect();
    Report { profile: profile.name.clone(), slices }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: slices in which one number of plies decides, and the most plies left",
            self.profile
        )?;
        for row in self.slices.iter().filter(|row| row.one_number) {
            match row.top.flatten() {
                Some(top) => writeln!(f, "  {:<12} {top}", row.slice)?,
                None => writeln!(f, "  {:<12} nothing counts", row.slice)?,
            }
        }
        let several: Vec<&Row> = self.slices.iter().filter(|row| !row.one_number).collect();
        if several.is_empty() {
            return writeln!(f, "\nIn no slice do several counters decide.");
        }
        writeln!(f, "\nslices in which several counters decide")?;
        for row in several.iter().filter(|row| !row.leads_only) {
            writeln!(f, "  {:<12} {}", row.slice, row.why.as_deref().unwrap_or_default())?;
        }
        let leading: Vec<&&Row> = several.iter().filter(|row| row.leads_only).collect();
        if !leading.is_empty() {
            writeln!(f, "\nslices that lead to these with counters that go on")?;
            for row in leading {
                writeln!(f, "  {:<12} {}", row.slice, row.why.as_deref().unwrap_or_default())?;
            }
        }
        Ok(())
    }
}
