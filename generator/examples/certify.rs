//! Proves values under several draw counters by searching forward, and plays them out:
//! `certify VARIANT PROFILE PLACES NODES SLICE...`. In each slice that is named, so many places are
//! proved at which a value ends, each with at most so many nodes. Ends with an error where the
//! solver is wrong.

#[path = "../tests/common/certify.rs"]
mod certify;

use std::error::Error;
use std::time::Instant;

use damabase_formats::Slice;
use damabase_generator::stairs::Solver;
use damabase_rules::draws::{self, DrawProfile};
use damabase_rules::{Rules, VariantId, with_rules};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [variant, profile, places, nodes, slices @ ..] = arguments.as_slice() else {
        return Err("expected VARIANT PROFILE PLACES NODES SLICE...".into());
    };
    let variant: VariantId = variant.parse()?;
    let profile = match draws::built_in(profile) {
        Some(profile) => profile.clone(),
        None => DrawProfile::from_toml(&std::fs::read_to_string(profile)?)?,
    };
    let slices: Vec<Slice> = slices.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
    let (places, nodes) = (places.parse()?, nodes.parse()?);
    with_rules!(variant, G => run::<G>(&profile, &slices, places, nodes))
}

fn run<G: Rules>(
    profile: &DrawProfile,
    slices: &[Slice],
    places: u32,
    nodes: u64,
) -> Result<(), Box<dyn Error>> {
    println!("{} {}", G::VARIANT.name, profile.name);
    println!(
        "slice      wins losses beside missing left-out      nodes      exits most-left games seconds"
    );
    let mut solver = Solver::<G>::new(profile)?;
    for &slice in slices {
        solver.solve(slice)?;
        let began = Instant::now();
        let found = certify::certify(&solver, profile, slice, places, nodes);
        println!(
            "{slice:10} {:4} {:6} {:6} {:7} {:8} {:10} {:10} {:9} {:5} {:7.1}",
            found.wins,
            found.losses,
            found.beside,
            found.missing,
            found.left_out,
            found.nodes,
            found.exits,
            found.most_left,
            found.games,
            began.elapsed().as_secs_f64()
        );
    }
    Ok(())
}
