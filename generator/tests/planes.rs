//! The bit-plane solver against the reference solver, bit for bit.

use std::sync::atomic::AtomicBool;

use damabase_formats::table::{Counts, DONT_CARE, Distance, Metric, Values, Wld};
use damabase_formats::{Index, Slice, ToMove};
use damabase_generator::planes::PlaneSolver;
use damabase_generator::{Job, Reference, Silent, Solver, value};
use damabase_rules::{
    Board, Brazilian, English, International, Rules, Russian, Variant, VariantId, can_capture,
};

const METRICS: [Metric; 3] = [Metric::Wld, Metric::Dtw, Metric::Dtc];

/// Solves all slices with up to `pieces` pieces with both solvers. Every stored value must be the
/// same, every capture and hole marked, and every count and extreme, captures included, right.
fn compare<G: Rules>(pieces: u32) {
    let pool = rayon::ThreadPoolBuilder::new().build().unwrap();
    let job = Job { pool: &pool, stop: &AtomicBool::new(false), progress: &Silent };
    let mut reference = Reference::<G>::default();
    let mut planes = PlaneSolver::<G>::default();
    let mut alone = METRICS.map(|_| PlaneSolver::<G>::default());
    for slice in (2..=pieces).flat_map(Slice::with_pieces) {
        reference.solve(slice, &METRICS, &job).unwrap();
        let solved = pool.install(|| planes.solve(slice, &METRICS, &|_| true));
        assert_eq!(solved.len(), METRICS.len());
        let alone = METRICS.iter().zip(&mut alone);
        let alone = alone.flat_map(|(&metric, solver)| {
            pool.install(|| solver.solve(slice, &[metric], &|_| true))
        });
        for dense in solved.iter().chain(&alone.collect::<Vec<_>>()) {
            let exact = reference.values(slice, dense.metric()).unwrap();
            let mut max_code = 0;
            for (place, &to_move) in slice.sides().iter().enumerate() {
                let section = compare_section::<G>(slice, to_move, dense, exact);
                assert_eq!(section.counts, dense.counts()[place], "{slice} {to_move:?}");
                let statistics = &dense.statistics()[place];
                assert_eq!(section.captures, statistics.captures, "{slice} {to_move:?}");
                assert_eq!(section.longest_win, statistics.longest_win_plies, "{slice}");
                assert_eq!(section.longest_loss, statistics.longest_loss_plies, "{slice}");
                max_code = max_code.max(section.max_code);
            }
            assert_eq!(max_code, dense.max_code(), "{slice} {}", dense.metric());
        }
    }
}

#[derive(Default)]
struct Section {
    counts: Counts,
    captures: u64,
    longest_win: Option<u32>,
    longest_loss: Option<u32>,
    max_code: u16,
}

fn compare_section<G: Rules>(
    slice: Slice,
    to_move: ToMove,
    dense: &damabase_generator::planes::Dense,
    exact: &dyn Values,
) -> Section {
    let index = Index::<G>::new(slice, to_move);
    let (mut expected, mut found) = (vec![0; index.len() as usize], vec![0; index.len() as usize]);
    exact.read(to_move, 0..index.len(), &mut expected);
    (&dense).read(to_move, 0..index.len(), &mut found);
    let mut section = Section::default();
    for (number, (&expected, &found)) in expected.iter().zip(&found).enumerate() {
        let Some(position) = index.unrank(number as u64) else {
            assert_eq!(found, DONT_CARE, "{slice} {to_move:?} {number}");
            continue;
        };
        let value = value::from_code(dense.metric(), expected).unwrap();
        section.counts.positions += 1;
        match value.wld() {
            Wld::Win => section.counts.wins += 1,
            Wld::Draw => section.counts.draws += 1,
            Wld::Loss => section.counts.losses += 1,
        }
        match value {
            _ if dense.metric() == Metric::Wld => {}
            Distance::Win(plies) => {
                section.longest_win = section.longest_win.max(Some(plies.into()))
            }
            Distance::Loss(plies) => {
                section.longest_loss = section.longest_loss.max(Some(plies.into()));
            }
            Distance::Draw => {}
        }
        let capture = can_capture(&position);
        section.captures += u64::from(capture);
        let stored = if capture { DONT_CARE } else { expected };
        if !capture {
            section.max_code = section.max_code.max(expected);
        }
        assert_eq!(found, stored, "{slice} {} {position:?}", dense.metric());
    }
    section
}

#[test]
fn international_with_3_pieces() {
    compare::<International>(3);
}

#[test]
fn russian_with_4_pieces() {
    compare::<Russian>(4);
}

#[test]
fn brazilian_with_4_pieces() {
    compare::<Brazilian>(4);
}

#[test]
fn english_with_4_pieces() {
    compare::<English>(4);
}

/// A game with the rules of another on a board of another size.
macro_rules! game {
    ($name:ident: $word:ty = $rules:ident on $size:literal) => {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        struct $name;

        impl Rules for $name {
            type Word = $word;
            const VARIANT: Variant =
                Variant { board: Board { width: $size, height: $size }, ..$rules::VARIANT };
            const ID: VariantId = $rules::ID;
        }
    };
}

game!(Canadian: u128 = International on 12);
game!(SmallRussian: u64 = Russian on 6);
game!(SmallEnglish: u128 = English on 6);
game!(SmallBrazilian: u64 = Brazilian on 6);

#[test]
fn boards_of_72_squares_in_wider_words() {
    compare::<Canadian>(2);
}

#[test]
fn small_boards_with_more_pieces() {
    // Five pieces on 6x6: up to four like kings, and captures of several of each kind.
    compare::<SmallRussian>(5);
    compare::<SmallEnglish>(4);
    compare::<SmallBrazilian>(5);
}
