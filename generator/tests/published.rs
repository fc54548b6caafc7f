//! The reference solver against published values. Each data file names its sources.

mod common;

use std::collections::BTreeSet;

use common::{Runner, read};
use damabase_formats::table::{Distance, Metric, Wld};
use damabase_formats::{Fen, Index, Material, Slice, ToMove};
use damabase_generator::{Reference, Solver};
use damabase_rules::{Brazilian, English, International, Rules, Russian, can_capture};

const WLD_STATS: &str = include_str!("data/wld_stats.csv");
const POSITIONS: [&str; 3] = [
    include_str!("data/kingsrow_positions.csv"),
    include_str!("data/classical_positions.csv"),
    include_str!("data/longest_wins.csv"),
];

/// Rows of a table for one variant, each a function from column name to field.
fn rows(text: &str, variant: &str, mut check: impl FnMut(&dyn Fn(&str) -> String)) {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names = reader.headers().unwrap().clone();
    for record in reader.records() {
        let record = record.unwrap();
        let field = |name: &str| {
            let column = names.iter().position(|other| other == name);
            column.map_or(String::new(), |column| record[column].to_string())
        };
        if field("variant") == variant {
            check(&field);
        }
    }
}

/// All distances of a slice.
struct Distances<G: Rules> {
    solver: Reference<G>,
    solved: BTreeSet<Slice>,
}

impl<G: Rules> Distances<G> {
    fn of(slices: &[Slice]) -> Self {
        let runner = Runner::new(2);
        let mut solver = Reference::default();
        let closure = Slice::closure(slices);
        for &slice in &closure {
            solver.solve(slice, &[Metric::Dtw], &runner.job()).unwrap();
        }
        Distances { solver, solved: closure.into_iter().collect() }
    }

    fn slice(&self, slice: Slice, to_move: ToMove) -> Vec<Option<Distance>> {
        let codes = read(&self.solver, slice, Metric::Dtw, to_move);
        codes.into_iter().map(Distance::from_code).collect()
    }

    /// Checks all published values that the solved slices cover; how many these are.
    fn check(&self) -> usize {
        let mut checked = 0;
        rows(WLD_STATS, G::VARIANT.name, |field| checked += self.check_counts(field));
        for text in POSITIONS {
            rows(text, G::VARIANT.name, |field| checked += self.check_position(field));
        }
        checked
    }

    fn check_counts(&self, field: &dyn Fn(&str) -> String) -> usize {
        let name = field("slice");
        // "side to move 3K v 1K"
        let kings: Vec<u8> = name
            .trim_start_matches("side to move ")
            .split(" v ")
            .map(|side| side.trim_end_matches('K').parse().unwrap())
            .collect();
        let [mover, waiter] = [kings[0], kings[1]].map(|kings| Material { men: 0, kings });
        let slice = Slice::new(mover, waiter);
        if !self.solved.contains(&slice) {
            return 0;
        }
        let to_move = if slice.first() == mover { ToMove::First } else { ToMove::Second };
        let index = Index::<G>::new(slice, to_move);
        let (mut counts, mut longest_win, mut longest_loss) = ([0u64; 3], 0, 0);
        for (number, value) in self.slice(slice, to_move).into_iter().enumerate() {
            let Some(value) = value else { continue };
            let position = index.unrank(number as u64).unwrap();
            let is_in_scope = match field("scope").as_str() {
                "all positions" => true,
                "side to move has no capture" => !can_capture(&position),
                "no capture for either side" => {
                    !can_capture(&position) && !can_capture(&position.turned())
                }
                scope => panic!("{scope}"),
            };
            if is_in_scope {
                counts[value.wld() as usize] += 1;
                match value {
                    Distance::Win(plies) => longest_win = longest_win.max(plies),
                    Distance::Loss(plies) => longest_loss = longest_loss.max(plies),
                    Distance::Draw => {}
                }
            }
        }
        let what = format!("{} {name} {}", G::VARIANT.name, field("scope"));
        let expected = ["losses", "draws", "wins"].map(|name| field(name).parse::<u64>().unwrap());
        assert_eq!(counts, expected, "{what}");
        for (column, found) in [("longest_win", longest_win), ("longest_loss", longest_loss)] {
            if let Ok(expected) = field(column).parse::<u16>() {
                assert_eq!(found, expected, "{column} of {what}");
            }
        }
        1
    }

    fn check_position(&self, field: &dyn Fn(&str) -> String) -> usize {
        let fen: Fen<G> = field("fen").parse().unwrap();
        assert_eq!(fen.side.letter().to_string(), field("stm"), "{}", field("fen"));
        let (slice, to_move) = Slice::of(&fen.position);
        if !self.solved.contains(&slice) {
            return 0;
        }
        let values = self.slice(slice, to_move);
        let number = Index::<G>::new(slice, to_move).rank(&fen.position);
        let value = values[number as usize].unwrap();
        let letter = match value.wld() {
            Wld::Win => "W",
            Wld::Draw => "D",
            Wld::Loss => "L",
        };
        assert_eq!(letter, field("value_for_stm"), "{}", field("fen"));
        // "29 (published, verified)"
        let plies = field("plies");
        if let Some(plies) = plies.split(' ').next().filter(|text| !text.is_empty()) {
            assert_eq!(value.plies(), Some(plies.parse().unwrap()), "{}", field("fen"));
        }
        if field("note").starts_with("max of slice") {
            let longest = values.into_iter().flatten().filter(|value| value.wld() == Wld::Win);
            let longest = longest.filter_map(Distance::plies).max();
            assert_eq!(longest, value.plies(), "longest win of {slice}, {}", to_move.name());
        }
        1
    }
}

fn up_to(pieces: u32) -> Vec<Slice> {
    (2..=pieces).flat_map(Slice::with_pieces).collect()
}

#[test]
fn russian_up_to_four_pieces() {
    assert_eq!(Distances::<Russian>::of(&up_to(4)).check(), 18 + 7);
}

#[test]
fn brazilian_up_to_four_pieces() {
    assert_eq!(Distances::<Brazilian>::of(&up_to(4)).check(), 2);
}

#[test]
fn english_up_to_four_pieces() {
    assert_eq!(Distances::<English>::of(&up_to(4)).check(), 17 + 3);
}

#[test]
fn international_up_to_three_pieces_and_four_kings() {
    let mut slices = up_to(3);
    slices.extend(["KKvKK", "KKKvK"].map(|name| name.parse::<Slice>().unwrap()));
    assert_eq!(Distances::<International>::of(&slices).check(), 12 + 30);
}

#[test]
#[ignore = "takes minutes"]
fn international_up_to_four_pieces() {
    assert_eq!(Distances::<International>::of(&up_to(4)).check(), 12 + 23 + 5 + 28);
}
