//! What a table says about itself, counted from exact values, and what of them it stores.

use std::ops::Range;

use damabase_formats::table::{
    Counts, DONT_CARE, Distance, Metric, SectionStatistics, Values, Wld,
};
use damabase_formats::{Index, Slice, ToMove};
use damabase_rules::{Rules, can_capture};
use rayon::prelude::*;

use crate::solver::{Job, SolveError, Solved};
use crate::value::from_code;

/// Index values that one thread counts at a time; a multiple of 64.
const CHUNK: u64 = 1 << 14;

/// Counts of a slice's exact values, by different side to move.
pub(crate) struct Survey {
    counts: Vec<Counts>,
    statistics: Vec<SectionStatistics>,
    /// The greatest code among positions without captures.
    max_code: u16,
    /// Per side to move, a bit for each index value: whether the table stores it.
    stored: [Vec<u64>; 2],
}

impl Survey {
    /// Counts all values.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`].
    pub fn of<G: Rules>(
        slice: Slice,
        metric: Metric,
        exact: &dyn Values,
        job: &Job,
    ) -> Result<Survey, SolveError> {
        let mut survey = Survey {
            counts: Vec::new(),
            statistics: Vec::new(),
            max_code: 0,
            stored: [Vec::new(), Vec::new()],
        };
        for &to_move in slice.sides() {
            job.check()?;
            let index = Index::<G>::new(slice, to_move);
            let chunk = |n: u64| {
                let numbers = n * CHUNK..index.len().min((n + 1) * CHUNK);
                Chunk::of(&index, metric, exact, to_move, numbers)
            };
            let chunks = index.len().div_ceil(CHUNK);
            let chunks: Vec<Chunk> =
                job.pool.install(|| (0..chunks).into_par_iter().map(chunk).collect());
            let (mut counts, mut statistics) = (Counts::default(), SectionStatistics::default());
            for chunk in chunks {
                counts.positions += chunk.counts.positions;
                counts.wins += chunk.counts.wins;
                counts.draws += chunk.counts.draws;
                counts.losses += chunk.counts.losses;
                statistics.captures += chunk.statistics.captures;
                let longest = &mut statistics.longest_win_plies;
                *longest = chunk.statistics.longest_win_plies.max(*longest);
                let longest = &mut statistics.longest_loss_plies;
                *longest = chunk.statistics.longest_loss_plies.max(*longest);
                survey.max_code = survey.max_code.max(chunk.max_code);
                survey.stored[to_move as usize].extend(chunk.stored);
            }
            survey.counts.push(counts);
            survey.statistics.push(statistics);
        }
        Ok(survey)
    }
}

impl Survey {
    /// The exact values that were counted, without those that a table does not store.
    pub fn into_solved(self, exact: &dyn Values) -> Solved<'_> {
        Solved {
            counts: self.counts,
            statistics: self.statistics,
            max_code: self.max_code,
            dictionary: Vec::new(),
            values: Box::new(Stored { exact, stored: self.stored }),
        }
    }
}

#[derive(Default)]
struct Chunk {
    counts: Counts,
    statistics: SectionStatistics,
    max_code: u16,
    stored: Vec<u64>,
}

impl Chunk {
    fn of<G: Rules>(
        index: &Index<G>,
        metric: Metric,
        exact: &dyn Values,
        to_move: ToMove,
        numbers: Range<u64>,
    ) -> Chunk {
        let len = (numbers.end - numbers.start) as usize;
        let mut codes = vec![DONT_CARE; len];
        exact.read(to_move, numbers.clone(), &mut codes);
        let mut chunk = Chunk { stored: vec![0; len.div_ceil(64)], ..Chunk::default() };
        for (place, (number, &code)) in numbers.zip(&codes).enumerate() {
            let Some(value) = from_code(metric, code) else { continue };
            let Some(position) = index.unrank(number) else { continue };
            chunk.counts.positions += 1;
            match value.wld() {
                Wld::Win => chunk.counts.wins += 1,
                Wld::Draw => chunk.counts.draws += 1,
                Wld::Loss => chunk.counts.losses += 1,
            }
            match value {
                _ if metric == Metric::Wld => {}
                Distance::Win(plies) => {
                    let longest = &mut chunk.statistics.longest_win_plies;
                    *longest = (*longest).max(Some(plies.into()));
                }
                Distance::Loss(plies) => {
                    let longest = &mut chunk.statistics.longest_loss_plies;
                    *longest = (*longest).max(Some(plies.into()));
                }
                Distance::Draw => {}
            }
            if can_capture(&position) {
                chunk.statistics.captures += 1;
            } else {
                chunk.max_code = chunk.max_code.max(code);
                chunk.stored[place / 64] |= 1 << (place % 64);
            }
        }
        chunk
    }
}

/// The values that a table stores: all but those of positions where the mover can capture.
struct Stored<'a> {
    exact: &'a dyn Values,
    /// See [`Survey::stored`].
    stored: [Vec<u64>; 2],
}

impl Values for Stored<'_> {
    fn read(&self, to_move: ToMove, range: Range<u64>, out: &mut [u16]) {
        self.exact.read(to_move, range.clone(), out);
        let stored = &self.stored[to_move as usize];
        for (number, code) in range.zip(out) {
            if stored[(number / 64) as usize] >> (number % 64) & 1 == 0 {
                *code = DONT_CARE;
            }
        }
    }
}
