//! Judges tables of budgets by the plain solver for draw counters, at every counter value:
//! `judge VARIANT PROFILE STRIDE SLICE|PIECES...`. Slices in which several counters decide are left
//! out. Ends with an error at the first value that differs.

#[path = "../tests/common/judge.rs"]
mod judge;

use std::error::Error;
use std::time::Instant;

use damabase_formats::Slice;
use damabase_rules::draws::{self, DrawProfile};
use damabase_rules::{VariantId, with_rules};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [variant, profile, stride, slices @ ..] = arguments.as_slice() else {
        return Err("expected VARIANT PROFILE STRIDE SLICE|PIECES...".into());
    };
    let variant: VariantId = variant.parse()?;
    let profile = match draws::built_in(profile) {
        Some(profile) => profile.clone(),
        None => DrawProfile::from_toml(&std::fs::read_to_string(profile)?)?,
    };
    let stride = stride.parse::<u64>()?.max(1);
    let mut asked = Vec::new();
    for name in slices {
        match name.parse() {
            Ok(pieces) => asked.extend((2..=pieces).flat_map(Slice::with_pieces)),
            Err(_) => asked.push(name.parse()?),
        }
    }
    let slices = judge::one_number(&profile, &asked);
    let dir = tempfile::tempdir()?;
    let start = Instant::now();
    let verdict =
        with_rules!(variant, G => judge::judge::<G>(&profile, &slices, stride, dir.path()));
    println!(
        "{variant} {}: {} of {} slices, {} positions ({} with all combinations): {} values agree, \
         {} drawn by counters alone; {:.0} s",
        profile.name,
        verdict.slices,
        asked.len(),
        verdict.positions,
        verdict.whole,
        verdict.compared,
        verdict.cursed,
        start.elapsed().as_secs_f64()
    );
    Ok(())
}
