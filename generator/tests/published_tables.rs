//! Tables against published values of positions with more pieces than the tests can solve.
//! `scripts/published DIR` runs this on tables that were generated before.

use std::env;
use std::path::PathBuf;

use damabase_formats::table::Distance;
use damabase_formats::{Fen, Slice};
use damabase_probe::TableSet;
use damabase_rules::{Rules, VariantId, with_rules};

const POSITIONS: [&str; 3] = [
    include_str!("data/kingsrow_positions.csv"),
    include_str!("data/classical_positions.csv"),
    include_str!("data/longest_wins.csv"),
];

/// Published values that the tables contradict, and who is right.
///
/// The first: a blog (endgamesandmore, March 2016) gives Black 23, 28, 32, White 14 and a king on 42,
/// White to move, as won by 42-31 alone, found by the program Truus. In our tables every move draws,
/// after 42-31 by 32-38, 28-33 or 23-29. `damabase verify international --slice MMMvKM` finds all 55
/// million positions of the slice in agreement with the scalar move generator, every win and loss
/// traced to exits, and all other positions of this file agree; so the position is not what the
/// program was shown, or the program erred.
const DISPUTED: [&str; 1] = ["W:W14,K42:B23,28,32"];

/// Compares every published value that the tables cover: win, draw or loss, and plies to the end
/// where there are such tables. Gives numbers of positions compared and of those not covered, and
/// what disagrees.
fn compare<G: Rules>(dir: PathBuf) -> (usize, usize, Vec<String>) {
    let tables = TableSet::<G>::open(&[dir]).unwrap();
    let (mut compared, mut beyond, mut wrong) = (0, 0, Vec::new());
    for text in POSITIONS {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let names = reader.headers().unwrap().clone();
        let column = |name: &str| names.iter().position(|other| other == name);
        for record in reader.records() {
            let record = record.unwrap();
            let field = |name: &str| column(name).map_or("", |column| &record[column]);
            if field("variant") != G::VARIANT.name {
                continue;
            }
            let fen: Fen<G> = field("fen").parse().unwrap();
            if !tables.covers(Slice::of(&fen.position).0) {
                beyond += 1;
                continue;
            }
            compared += 1;
            let value = tables.value(&fen.position).unwrap();
            let letter = value.wld.name().to_uppercase();
            if DISPUTED.contains(&field("fen")) {
                assert_eq!(letter, "DRAW", "the dispute is over: remove it from the list");
            } else if !letter.starts_with(field("value_for_stm")) {
                wrong.push(format!("{record:?}: {letter}"));
            }
            let plies = field("plies").split(' ').next().and_then(|text| text.parse::<u16>().ok());
            if let (Some(published), Some(found)) = (plies, value.dtw.and_then(Distance::plies))
                && published != found
            {
                wrong.push(format!("{record:?}: {found} plies"));
            }
        }
    }
    (compared, beyond, wrong)
}

#[test]
#[ignore = "needs tables: scripts/published"]
fn published_positions_have_their_value_in_the_tables() {
    let dir = env::var_os("DAMABASE_DIR").expect("DAMABASE_DIR names the folder of the tables");
    let mut all = 0;
    for &id in VariantId::ALL {
        let (compared, beyond, wrong) = with_rules!(id, G => compare::<G>(dir.clone().into()));
        println!("{id}: {compared} positions compared, {beyond} not covered by the tables");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        all += compared;
    }
    assert!(all > 0, "no table in {}", dir.display());
}
