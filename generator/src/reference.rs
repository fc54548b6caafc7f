//! The plain solver, judge of faster ones: position by position with the scalar move generator.
//!
//! In a *sub-slice* all men are fixed. Only quiet king moves stay inside it; every other move is
//! an exit to positions that are solved already: captures lead to fewer pieces, promotions to
//! fewer men, men's moves to a sub-slice whose men are further advanced. So sub-slices are solved
//! in waves, most advanced first; those of one wave do not touch each other. Within a sub-slice
//! both sides to move are solved together, level by level (in plies):
//!
//! - lost at level 0: no legal move;
//! - won at level t: a king's move to a position lost at level t-1, or an exit that wins from
//!   level t on;
//! - lost at level t: all king's moves lead to positions won by level t-1, and all exits lose from
//!   level t on;
//! - what no level reaches is a draw.
//!
//! A level looks at earlier levels only, or distances would come out too short. An idle level ends
//! the search only if no exit waits for a later one.

use std::collections::HashMap;
use std::ops::Range;

use damabase_formats::table::{
    DONT_CARE, Distance, Metric, Stored, TableError, TableFile, TableId, Values,
};
use damabase_formats::{Index, Slice, ToMove};
use damabase_rules::{Counting, MoveList, Position, Rules, Word, can_capture, legal_moves_into};
use rayon::prelude::*;

use crate::exact::Exact;
use crate::solver::{Job, Memory, Silent, SolveError, Solved, Solver};
use crate::survey::Survey;
use crate::value::{self, Exits};
use crate::waves::{Parts, waves};

/// Index values that one thread works on at a time.
const CHUNK: u64 = 4096;
/// The same, where blocks of tables are read.
const LOAD_CHUNK: u64 = 1 << 18;

/// Solves slices position by position and keeps them in memory: one byte (wld) or two (distances)
/// for every index value of every metric.
pub struct Reference<G: Rules> {
    slices: HashMap<Slice, Kept<G>>,
}

impl<G: Rules> Default for Reference<G> {
    fn default() -> Self {
        Reference { slices: HashMap::new() }
    }
}

impl<G: Rules> Reference<G> {
    /// The values of a slice that was solved or loaded: exact for every position, captures
    /// included; [`DONT_CARE`] for holes of the index. None where they are not kept.
    pub fn values(&self, slice: Slice, metric: Metric) -> Option<&dyn Values> {
        self.exact(slice, metric).map(|exact| exact as &dyn Values)
    }
}

/// A slice that is solved or being solved.
struct Kept<G: Rules> {
    /// The index with the first and with the second side to move.
    index: [Index<G>; 2],
    metrics: Vec<(Metric, Exact)>,
}

/// Consecutive positions of one part of a sub-slice with their moves.
struct Chunk {
    part: usize,
    /// Number within the part, and the king's moves in `edges`.
    positions: Vec<(u32, Range<u32>)>,
    /// Where quiet king moves lead, as numbers within the other part.
    edges: Vec<u32>,
    /// All other moves, by metric and then as `positions`.
    exits: Vec<Vec<Exits>>,
}

/// A solved sub-slice.
struct SolvedSubSlice {
    /// Codes of all index values, by metric and part.
    codes: Vec<Vec<Vec<u16>>>,
    positions: u64,
}

/// A position that no level has decided yet.
struct Open {
    number: u32,
    edges: Range<u32>,
    exits: Exits,
}

impl<G: Rules> Solver<G> for Reference<G> {
    fn solve(&mut self, slice: Slice, metrics: &[Metric], job: &Job) -> Result<(), SolveError> {
        self.require(slice, slice.successors(), metrics)?;
        // Positions of a sub-slice are numbered in 32 bits.
        if Index::<G>::new(slice, ToMove::First).kings_len() > u32::MAX.into() {
            return Err(SolveError::TooLarge { slice });
        }
        let new = metrics.iter().map(|&metric| Ok((metric, Exact::new::<G>(metric, slice)?)));
        let new: Vec<_> = new.collect::<Result<_, SolveError>>()?;
        let kept = self.slices.entry(slice).or_insert_with(|| Kept::new(slice));
        kept.drop_metrics(metrics);
        kept.metrics.extend(new);
        let waves = waves(slice, &kept.index);
        for wave in &waves {
            let solved: Result<Vec<_>, _> = job.check().and_then(|()| {
                job.pool.install(|| {
                    let solve = |parts| self.sub_slice(slice, parts, metrics, job);
                    wave.par_iter().map(solve).collect()
                })
            });
            let kept = self.slices.get_mut(&slice).expect("inserted above");
            let solved: Vec<SolvedSubSlice> = solved.inspect_err(|_| kept.drop_metrics(metrics))?;
            for (parts, SolvedSubSlice { codes, positions }) in wave.iter().zip(solved) {
                let new = kept.metrics.len() - metrics.len();
                for ((_, exact), codes) in kept.metrics[new..].iter_mut().zip(codes) {
                    for (&(to_move, first), codes) in parts.iter().zip(codes) {
                        exact.0[to_move as usize].write(first, &codes);
                    }
                }
                job.progress.advanced(positions);
            }
        }
        Ok(())
    }

    fn load(
        &mut self,
        slice: Slice,
        metric: Metric,
        stored: &TableFile,
        job: &Job,
    ) -> Result<(), SolveError> {
        if stored.header().stored != Stored::All {
            // A table without half of its values is no help.
            let quiet = Job { progress: &Silent, ..*job };
            return self.solve(slice, &[metric], &quiet);
        }
        // Captures only: promotions and men's moves without capture are in the table.
        let captures = slice.successors().into_iter().filter(|s| s.pieces() < slice.pieces());
        self.require(slice, captures.collect(), &[metric])?;
        let damaged = |source| SolveError::Table { slice, metric, source };
        stored.check_is(&TableId::new(G::ID, slice, metric)).map_err(damaged)?;
        let kept = Kept::<G>::new(slice);
        let mut exact = Exact::new::<G>(metric, slice)?;
        for &to_move in slice.sides() {
            let index = &kept.index[to_move as usize];
            let chunks: Vec<u64> = (0..index.len()).step_by(LOAD_CHUNK as usize).collect();
            // The stop flag is looked at between waves of chunks.
            for chunks in chunks.chunks(16) {
                job.check()?;
                let read = |&first: &u64| {
                    let numbers = first..index.len().min(first + LOAD_CHUNK);
                    let mut codes = vec![DONT_CARE; (numbers.end - first) as usize];
                    stored.read(to_move, first, &mut codes).map_err(damaged)?;
                    for (number, code) in numbers.zip(&mut codes) {
                        *code = match index.unrank(number) {
                            None => DONT_CARE,
                            Some(position) if can_capture(&position) => {
                                let value = self.captures(metric, &position);
                                value::code(metric, value).ok_or(SolveError::TooLong { slice })?
                            }
                            Some(_) if value::from_code(metric, *code).is_none() => {
                                let (expected, found) = ("a code".into(), code.to_string());
                                let what = "a value";
                                return Err(damaged(TableError::Damaged { what, expected, found }));
                            }
                            Some(_) => *code,
                        };
                    }
                    Ok((first, codes))
                };
                let done: Result<Vec<(u64, Vec<u16>)>, SolveError> =
                    job.pool.install(|| chunks.par_iter().map(read).collect());
                for (first, codes) in done? {
                    exact.0[to_move as usize].write(first, &codes);
                }
            }
        }
        let kept = self.slices.entry(slice).or_insert(kept);
        kept.drop_metrics(&[metric]);
        kept.metrics.push((metric, exact));
        Ok(())
    }

    fn knows(&self, slice: Slice, metric: Metric) -> bool {
        self.values(slice, metric).is_some()
    }

    fn solved(
        &self,
        slice: Slice,
        metric: Metric,
        job: &Job,
    ) -> Result<Option<Solved<'_>>, SolveError> {
        let Some(exact) = self.values(slice, metric) else { return Ok(None) };
        let survey = Survey::of::<G>(slice, metric, exact, job)?;
        Ok(Some(survey.into_solved(exact)))
    }

    fn forget(&mut self, slice: Slice) {
        self.slices.remove(&slice);
    }

    fn memory(&self, slice: Slice, metrics: &[Metric], _threads: usize) -> Memory {
        let values = |&to_move: &ToMove| Index::<G>::new(slice, to_move).len();
        let values: u64 = slice.sides().iter().map(values).sum();
        let bytes = |&metric: &Metric| if metric == Metric::Wld { values } else { 2 * values };
        Memory { kept: metrics.iter().map(bytes).sum(), working: values.div_ceil(8) }
    }

    fn kept_bytes(&self, slice: Slice) -> u64 {
        let metrics = self.slices.get(&slice).map(|kept| &kept.metrics);
        let metrics: Vec<Metric> =
            metrics.into_iter().flatten().map(|(metric, _)| *metric).collect();
        self.memory(slice, &metrics, 1).kept
    }

    fn spill(&mut self, _slice: Slice) -> Result<bool, SolveError> {
        Ok(false)
    }
}

impl<G: Rules> Reference<G> {
    fn exact(&self, slice: Slice, metric: Metric) -> Option<&Exact> {
        let kept = self.slices.get(&slice)?;
        kept.metrics.iter().find(|(other, _)| *other == metric).map(|(_, exact)| exact)
    }

    /// Fails unless these are metrics that it can solve, and those of all these slices are there.
    fn require(
        &self,
        slice: Slice,
        needed: Vec<Slice>,
        metrics: &[Metric],
    ) -> Result<(), SolveError> {
        if metrics.contains(&Metric::Budget) {
            return Err(SolveError::Metric(Metric::Budget));
        }
        for needed in needed {
            if metrics.iter().any(|&metric| self.exact(needed, metric).is_none()) {
                return Err(SolveError::Missing { slice, needed });
            }
        }
        Ok(())
    }

    /// The value of a position whose slice is there and, if it is this one, already solved.
    fn value(&self, metric: Metric, position: &Position<G>) -> Distance {
        if position.mover.all().none() {
            return Distance::Loss(0);
        }
        let (slice, to_move) = Slice::of(position);
        let number = self.slices[&slice].index[to_move as usize].rank(position);
        let exact = self.exact(slice, metric).expect("required before");
        value::from_code(metric, exact.0[to_move as usize].get(number)).expect("solved before")
    }

    /// The value of a position in which the mover must capture.
    fn captures(&self, metric: Metric, position: &Position<G>) -> Distance {
        let mut moves = MoveList::new();
        legal_moves_into(position, Counting::Distinct, &mut moves);
        let mut exits = Exits::NONE;
        for m in &moves {
            exits.add(metric, self.value(metric, &position.after(m)));
        }
        exits.value()
    }

    /// Solves a sub-slice.
    fn sub_slice(
        &self,
        slice: Slice,
        parts: &Parts,
        metrics: &[Metric],
        job: &Job,
    ) -> Result<SolvedSubSlice, SolveError> {
        let len = self.slices[&slice].index[0].kings_len();
        let tasks: Vec<(usize, Range<u64>)> = (0..parts.len())
            .flat_map(|part| {
                let first = parts[part].1;
                let chunk = move |at: u64| (part, first + at..first + len.min(at + CHUNK));
                (0..len).step_by(CHUNK as usize).map(chunk)
            })
            .collect();
        let chunk = |(part, numbers)| {
            job.check()?;
            Ok(self.chunk(slice, parts, part, numbers, metrics))
        };
        let chunks: Result<Vec<Chunk>, SolveError> = tasks.into_par_iter().map(chunk).collect();
        let chunks = chunks?;
        let positions = chunks.iter().map(|chunk| chunk.positions.len() as u64).sum();
        let shape = (parts.len(), len as usize);
        let solve = |n| levels(slice, &chunks, (n, metrics[n]), shape, job);
        let codes: Result<_, _> = (0..metrics.len()).map(solve).collect();
        Ok(SolvedSubSlice { codes: codes?, positions })
    }

    /// Makes the moves of all positions in a range of index values.
    fn chunk(
        &self,
        slice: Slice,
        parts: &Parts,
        part: usize,
        numbers: Range<u64>,
        metrics: &[Metric],
    ) -> Chunk {
        let (to_move, first) = parts[part];
        let (other_to_move, other_first) = parts[other(part, parts.len())];
        let kept = &self.slices[&slice];
        let (index, other_index) =
            (&kept.index[to_move as usize], &kept.index[other_to_move as usize]);
        let mut chunk = Chunk {
            part,
            positions: Vec::new(),
            edges: Vec::new(),
            exits: vec![Vec::new(); metrics.len()],
        };
        let mut moves = MoveList::new();
        for number in numbers {
            let Some(position) = index.unrank(number) else { continue };
            let first_edge = chunk.edges.len() as u32;
            chunk.exits.iter_mut().for_each(|exits| exits.push(Exits::NONE));
            legal_moves_into(&position, Counting::Distinct, &mut moves);
            for m in &moves {
                let after = position.after(m);
                let from = G::Word::bit(G::board().bit_of(m.from));
                if m.is_quiet() && (position.mover.kings & from).any() {
                    chunk.edges.push((other_index.rank(&after) - other_first) as u32);
                } else {
                    for (&metric, exits) in metrics.iter().zip(&mut chunk.exits) {
                        let exits = exits.last_mut().expect("pushed above");
                        exits.add(metric, self.value(metric, &after));
                    }
                }
            }
            let edges = first_edge..chunk.edges.len() as u32;
            chunk.positions.push(((number - first) as u32, edges));
        }
        chunk
    }
}

/// The part that is reached from a part by a king's move.
fn other(part: usize, parts: usize) -> usize {
    (part + 1) % parts
}

/// The values of a sub-slice in one metric, by part: codes of all its index values.
fn levels(
    slice: Slice,
    chunks: &[Chunk],
    (metric_number, metric): (usize, Metric),
    (parts, len): (usize, usize),
    job: &Job,
) -> Result<Vec<Vec<u16>>, SolveError> {
    // A draw, code 0, is what no level decides.
    let mut codes = vec![vec![DONT_CARE; len]; parts];
    let mut open: Vec<(&Chunk, Vec<Open>)> = Vec::new();
    for chunk in chunks {
        let positions = chunk.positions.iter().zip(&chunk.exits[metric_number]);
        let positions = positions.map(|(&(number, ref edges), &exits)| {
            codes[chunk.part][number as usize] = 0;
            Open { number, edges: edges.clone(), exits }
        });
        open.push((chunk, positions.collect()));
    }
    let mut level = 0;
    loop {
        job.check()?;
        let decide = |(chunk, open): &mut (&Chunk, Vec<Open>)| {
            let reached = &codes[other(chunk.part, parts)];
            let mut decided = Vec::new();
            open.retain(|position| {
                let value = position.at_level(level, &chunk.edges, reached);
                decided.extend(value.map(|value| (position.number as usize, value)));
                value.is_none()
            });
            (chunk.part, decided)
        };
        let decided: Vec<(usize, Vec<(usize, Distance)>)> =
            open.par_iter_mut().map(decide).collect();
        let mut idle = true;
        for (part, decided) in decided {
            idle &= decided.is_empty();
            for (number, value) in decided {
                codes[part][number] = value.code().expect("levels are checked");
            }
        }
        let next = if idle {
            let waiting = open
                .iter()
                .flat_map(|(_, open)| open)
                .flat_map(|position| [position.exits.win_at, position.exits.lose_at].into_iter());
            waiting.filter(|&at| at > level && at != Exits::NEVER).min()
        } else {
            Some(level + 1)
        };
        match next {
            None => break,
            Some(next) if next > Distance::MAX_PLIES => return Err(SolveError::TooLong { slice }),
            Some(next) => level = next,
        }
    }
    if metric == Metric::Wld {
        for code in codes.iter_mut().flatten().filter(|code| **code != DONT_CARE) {
            *code = Distance::from_code(*code).expect("written above").wld().code();
        }
    }
    Ok(codes)
}

impl Open {
    /// The value, if this level decides it. `reached` are the codes that its edges lead to, as far
    /// as earlier levels decided them.
    fn at_level(&self, level: u16, edges: &[u32], reached: &[u16]) -> Option<Distance> {
        let mut all_lose = self.exits.lose_at <= level;
        if self.exits.win_at <= level {
            return Some(Distance::Win(level));
        }
        for &edge in &edges[self.edges.start as usize..self.edges.end as usize] {
            match Distance::from_code(reached[edge as usize]) {
                Some(Distance::Loss(_)) => return Some(Distance::Win(level)),
                Some(Distance::Win(_)) => {}
                _ => all_lose = false,
            }
        }
        all_lose.then_some(Distance::Loss(level))
    }
}

impl<G: Rules> Kept<G> {
    fn new(slice: Slice) -> Self {
        let index = [ToMove::First, ToMove::Second].map(|to_move| Index::new(slice, to_move));
        Kept { index, metrics: Vec::new() }
    }

    fn drop_metrics(&mut self, metrics: &[Metric]) {
        self.metrics.retain(|(metric, _)| !metrics.contains(metric));
    }
}
