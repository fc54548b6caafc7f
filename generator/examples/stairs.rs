//! Solves slices under draw counters and says what was found:
//! `stairs VARIANT PROFILE SLICE|PIECES...`, the profile a name or a TOML file.

use std::error::Error;
use std::time::Instant;

use damabase_formats::Slice;
use damabase_generator::stairs::Solver;
use damabase_rules::draws::{self, DrawProfile};
use damabase_rules::{Rules, VariantId, with_rules};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [variant, profile, slices @ ..] = arguments.as_slice() else {
        return Err("expected VARIANT PROFILE SLICE|PIECES...".into());
    };
    let variant: VariantId = variant.parse()?;
    let profile = match draws::built_in(profile) {
        Some(profile) => profile.clone(),
        None => DrawProfile::from_toml(&std::fs::read_to_string(profile)?)?,
    };
    let mut targets = Vec::new();
    for name in slices {
        match name.parse() {
            Ok(pieces) => targets.extend((2..=pieces).flat_map(Slice::with_pieces)),
            Err(_) => targets.push(name.parse()?),
        }
    }
    with_rules!(variant, G => run::<G>(&profile, &targets))
}

fn run<G: Rules>(profile: &DrawProfile, targets: &[Slice]) -> Result<(), Box<dyn Error>> {
    let mut solver = Solver::<G>::new(profile)?;
    let start = Instant::now();
    println!("{} {}", G::VARIANT.name, profile.name);
    println!(
        "slice      positions modes values stairs corners several-corners seconds codes dictionary-bytes"
    );
    for slice in Slice::closure(targets) {
        let began = Instant::now();
        solver.solve_one(slice, &|_| true)?;
        let seconds = began.elapsed().as_secs_f64();
        let Some(found) = solver.summary(slice) else { continue };
        let stored = match solver.table(slice) {
            Ok(table) => {
                let bytes = table.dictionary.to_bytes().len();
                let codes = slice.sides().iter().map(|&side| table.dictionary.codes(side));
                format!("{:5} {bytes:7}", codes.max().unwrap_or(0))
            }
            Err(error) => error.to_string(),
        };
        println!(
            "{slice:10} {:9} {:5} {:6} {:6} {:7} {:15} {seconds:7.2} {stored}",
            found.positions,
            found.modes,
            found.values,
            found.staircases,
            found.most_corners,
            found.with_several_corners,
        );
    }
    println!("{} staircases, {:.1} s", solver.staircases(), start.elapsed().as_secs_f64());
    Ok(())
}
