//! One sub-slice: exits first, then the quiet king moves to their fixpoint.

use std::ops::Range;

use damabase_formats::Slice;
use damabase_rules::draws::Ply;
use damabase_rules::{Counting, Move, MoveList, Position, Rules, Word, legal_moves_into};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::sets::{ALL, EMPTY, Growth, Operations};
use super::{CHUNK, GoOn, Pair, Solved, Solver, StairsError};
use crate::waves::Parts;

/// Positions that one thread looks at before it may be given others.
const WORK: usize = 512;

/// What a ply does to counters in a mode.
#[derive(Clone, Copy, Debug)]
struct Step {
    growth: Growth,
    /// The mode that it leads to.
    mode: u8,
}

/// All that a step depends on, beside the mode.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct StepKey {
    before: u8,
    after: u8,
    slice: Slice,
    /// Of the ply: whether it captures, is a man's, promotes, and leaves its side one king.
    kind: u8,
}

/// Steps by what they depend on, for all modes.
type Steps = FxHashMap<StepKey, Vec<Step>>;

/// Consecutive positions of a part with their moves.
struct Chunk {
    /// Where quiet king moves lead, as numbers of positions of the sub-slice.
    edges: Vec<u32>,
    /// For each index value the end of its moves in `edges`.
    ends: Vec<u32>,
    /// For each index value, by mode, what its other moves give; none for holes.
    exits: Vec<Option<Pair>>,
    steps: Steps,
}

/// The positions of a sub-slice, those of its parts one after the other, with their moves.
struct Graph {
    modes: usize,
    /// For each position and, one more, the end: its first move in `edges`.
    first: Vec<u32>,
    edges: Vec<u32>,
    /// The same with all moves turned round.
    first_before: Vec<u32>,
    edges_before: Vec<u32>,
    /// By position and mode.
    exits: Vec<Option<Pair>>,
    /// The number of each position's signature.
    signatures: Vec<u8>,
    /// Steps of quiet king moves, by signature before, signature after, and mode.
    steps: Vec<Step>,
    signatures_len: usize,
}

impl<G: Rules> Solver<G> {
    /// The values of a sub-slice by part, index value and mode; none for holes.
    pub(super) fn sub_slice(
        &self,
        slice: Slice,
        parts: &Parts,
        go_on: &GoOn,
    ) -> Result<Vec<Option<Pair>>, StairsError> {
        let solved = &self.slices[&slice];
        let graph = self.graph(slice, solved, parts, go_on)?;
        let values = self.fixpoint(solved, &graph, go_on)?;
        let positions = values.iter().filter(|value| value.is_some()).count() / graph.modes;
        if go_on(positions as u64) { Ok(values) } else { Err(StairsError::Interrupted) }
    }

    fn graph(
        &self,
        slice: Slice,
        solved: &Solved<G>,
        parts: &Parts,
        go_on: &GoOn,
    ) -> Result<Graph, StairsError> {
        let len = solved.index[0].kings_len();
        let too_large = StairsError::TooLarge { slice };
        let modes = solved.modes.list.len();
        let states = len.checked_mul((parts.len() * modes) as u64);
        states.and_then(|n| u32::try_from(n).ok()).ok_or(too_large.clone())?;
        let tasks: Vec<(usize, Range<u64>)> = (0..parts.len())
            .flat_map(|part| {
                let chunk = move |at| (part, at..len.min(at + CHUNK));
                (0..len).step_by(CHUNK as usize).map(chunk)
            })
            .collect();
        let chunks = tasks.into_par_iter().map(|(part, numbers)| match go_on(0) {
            true => Ok(self.chunk(slice, solved, parts, part, numbers)),
            false => Err(StairsError::Interrupted),
        });
        let chunks: Vec<Chunk> = chunks.collect::<Result<_, _>>()?;

        let signatures_len = solved.signatures.len();
        let mut graph = Graph {
            modes,
            first: vec![0],
            edges: Vec::new(),
            first_before: Vec::new(),
            edges_before: Vec::new(),
            exits: Vec::new(),
            signatures: Vec::new(),
            steps: Vec::new(),
            signatures_len,
        };
        let edges: usize = chunks.iter().map(|chunk| chunk.edges.len()).sum();
        u32::try_from(edges).map_err(|_| too_large)?;
        graph.edges.reserve_exact(edges);
        let unused = Step { growth: Growth::default(), mode: 0 };
        graph.steps = vec![unused; signatures_len * signatures_len * modes];
        for chunk in chunks {
            let before = graph.edges.len() as u32;
            graph.edges.extend(chunk.edges);
            graph.first.extend(chunk.ends.iter().map(|end| before + end));
            graph.exits.extend(chunk.exits);
            for (key, steps) in chunk.steps {
                if key.slice == slice && key.kind == 0 {
                    let at = graph.steps_at(key.before, key.after);
                    graph.steps[at..at + modes].copy_from_slice(&steps);
                }
            }
        }
        for &(to_move, first) in parts {
            let signature = |number| solved.signature(to_move, first + number);
            graph.signatures.extend((0..len).map(signature));
        }
        graph.turn_round();
        Ok(graph)
    }

    /// Makes the moves of all positions in a range of index values of a part.
    fn chunk(
        &self,
        slice: Slice,
        solved: &Solved<G>,
        parts: &Parts,
        part: usize,
        numbers: Range<u64>,
    ) -> Chunk {
        let len = solved.index[0].kings_len();
        let (to_move, first) = parts[part];
        let other = (part + 1) % parts.len();
        let (other_to_move, other_first) = parts[other];
        let other_index = &solved.index[other_to_move as usize];
        let modes = solved.modes.list.len();
        let mut chunk = Chunk {
            edges: Vec::new(),
            ends: Vec::new(),
            exits: Vec::new(),
            steps: Steps::default(),
        };
        let mut operations = self.sets.operations();
        let mut moves = MoveList::new();
        for number in numbers {
            let number = first + number;
            let Some(position) = solved.index[to_move as usize].unrank(number) else {
                chunk.ends.push(chunk.edges.len() as u32);
                chunk.exits.extend((0..modes).map(|_| None));
                continue;
            };
            legal_moves_into(&position, Counting::Distinct, &mut moves);
            let signature = solved.signature(to_move, number);
            let at = chunk.exits.len();
            chunk.exits.extend((0..modes).map(|_| Some(Pair::OVER)));
            for m in &moves {
                let after = position.after(m);
                let exits = &mut chunk.exits[at..];
                if after.mover.all().none() {
                    exits.fill(Some(Pair { win: ALL, loss: EMPTY }));
                    continue;
                }
                let kind = kind(&position, m, &after);
                if kind == 0 {
                    let rank = other_index.rank(&after);
                    chunk.edges.push((rank - other_first + other as u64 * len) as u32);
                    let after_signature = solved.signature(other_to_move, rank);
                    let key = StepKey { before: signature, after: after_signature, slice, kind };
                    self.steps(&mut chunk.steps, key, solved, solved, (&position, m, &after));
                    continue;
                }
                let (reached_slice, reached_to_move) = Slice::of(&after);
                let reached = &self.slices[&reached_slice];
                let rank = reached.index[reached_to_move as usize].rank(&after);
                let key = StepKey {
                    before: signature,
                    after: reached.signature(reached_to_move, rank),
                    slice: reached_slice,
                    kind,
                };
                let played = (&position, m, &after);
                let steps = self.steps(&mut chunk.steps, key, solved, reached, played);
                for (exit, step) in exits.iter_mut().zip(steps) {
                    let value = reached.value(reached_to_move, rank, step.mode);
                    let exit = exit.as_mut().expect("not a hole");
                    exit.add(value, *step, &mut operations);
                }
            }
            if !moves.is_empty() {
                for (mode, exit) in chunk.exits[at..].iter_mut().enumerate() {
                    let limit =
                        solved.limits[mode * solved.signatures.len() + usize::from(signature)];
                    let exit = exit.as_mut().expect("not a hole");
                    exit.win = operations.meet(exit.win, limit);
                    exit.loss = operations.meet(exit.loss, limit);
                }
            }
            chunk.ends.push(chunk.edges.len() as u32);
        }
        chunk
    }

    /// What a ply does to counters, by mode.
    fn steps<'a>(
        &self,
        known: &'a mut Steps,
        key: StepKey,
        from: &Solved<G>,
        to: &Solved<G>,
        (before, action, after): (&Position<G>, &Move<G::Word>, &Position<G>),
    ) -> &'a [Step] {
        known.entry(key).or_insert_with(|| {
            let ply = Ply { before: *before, action: *action, after: *after };
            let signature = from.signatures[usize::from(key.before)];
            let step = |mode| {
                let counters = from.modes.counters(mode, &self.signatures, signature);
                let mut growth = Growth::default();
                let next = self.profile.step_with(&counters, &ply, |i, change| {
                    use damabase_rules::draws::Change::*;
                    match change {
                        Counted => growth.counted |= 1 << i,
                        Waits => growth.kept |= 1 << i,
                        StaysOff | Stopped | Started | Restarted(_) => {}
                    }
                });
                Step { growth, mode: to.modes.of(&next) }
            };
            (0..from.modes.list.len() as u8).map(step).collect()
        })
    }

    /// Values of all positions, from none to the least solution.
    fn fixpoint(
        &self,
        solved: &Solved<G>,
        graph: &Graph,
        go_on: &GoOn,
    ) -> Result<Vec<Option<Pair>>, StairsError> {
        let modes = graph.modes;
        let hole = |exit: &Option<Pair>| exit.map(|_| Pair::DRAW);
        let mut values: Vec<Option<Pair>> = graph.exits.iter().map(hole).collect();
        let mut work: Vec<u32> = (0..(graph.first.len() - 1) as u32)
            .filter(|&position| values[position as usize * modes].is_some())
            .collect();
        let mut marked = vec![false; graph.first.len() - 1];
        while !work.is_empty() {
            if !go_on(0) {
                return Err(StairsError::Interrupted);
            }
            let changes: Vec<(u32, Pair)> = work
                .par_chunks(WORK)
                .flat_map_iter(|positions| {
                    let mut operations = self.sets.operations();
                    let mut changes = Vec::new();
                    for &position in positions {
                        for mode in 0..modes {
                            let at = position as usize * modes + mode;
                            let value =
                                graph.look(solved, position, mode, &values, &mut operations);
                            if values[at] != Some(value) {
                                changes.push((at as u32, value));
                            }
                        }
                    }
                    changes
                })
                .collect();
            work.clear();
            for (at, value) in changes {
                values[at as usize] = Some(value);
                let position = at as usize / modes;
                let before = graph.first_before[position]..graph.first_before[position + 1];
                for &before in &graph.edges_before[before.start as usize..before.end as usize] {
                    if !std::mem::replace(&mut marked[before as usize], true) {
                        work.push(before);
                    }
                }
            }
            for &position in &work {
                marked[position as usize] = false;
            }
        }
        Ok(values)
    }
}

impl Graph {
    fn steps_at(&self, before: u8, after: u8) -> usize {
        (usize::from(before) * self.signatures_len + usize::from(after)) * self.modes
    }

    /// Fills in the moves that lead to each position.
    fn turn_round(&mut self) {
        let positions = self.first.len() - 1;
        let mut first = vec![0u32; positions + 1];
        for &to in &self.edges {
            first[to as usize + 1] += 1;
        }
        for n in 0..positions {
            first[n + 1] += first[n];
        }
        let mut next = first.clone();
        self.edges_before = vec![0; self.edges.len()];
        for from in 0..positions {
            for &to in &self.edges[self.first[from] as usize..self.first[from + 1] as usize] {
                let place = &mut next[to as usize];
                self.edges_before[*place as usize] = from as u32;
                *place += 1;
            }
        }
        self.first_before = first;
    }

    /// The value of a position in a mode, from the present values of those that it leads to.
    fn look<G: Rules>(
        &self,
        solved: &Solved<G>,
        position: u32,
        mode: usize,
        values: &[Option<Pair>],
        operations: &mut Operations<'_>,
    ) -> Pair {
        let position = position as usize;
        let mut value = self.exits[position * self.modes + mode].expect("holes are left out");
        let edges = self.first[position] as usize..self.first[position + 1] as usize;
        if edges.is_empty() {
            return value;
        }
        let signature = self.signatures[position];
        for &to in &self.edges[edges] {
            let to = to as usize;
            let step = self.steps[self.steps_at(signature, self.signatures[to]) + mode];
            let reached = values[to * self.modes + usize::from(step.mode)];
            value.add(reached.expect("no move leads to a hole"), step, operations);
        }
        let limit = solved.limits[mode * self.signatures_len + usize::from(signature)];
        value.win = operations.meet(value.win, limit);
        value.loss = operations.meet(value.loss, limit);
        value
    }
}

impl Pair {
    /// Adds a move to a position with this value for its mover. Without any move it is
    /// [`Pair::OVER`].
    #[inline]
    fn add(&mut self, reached: Pair, step: Step, operations: &mut Operations<'_>) {
        if reached.loss != EMPTY {
            let wins = operations.before(reached.loss, step.growth);
            self.win = operations.union(self.win, wins);
        }
        if self.loss != EMPTY {
            let loses = operations.before(reached.win, step.growth);
            self.loss = operations.meet(self.loss, loses);
        }
    }
}

/// What [`StepKey::kind`] says; 0 for quiet king moves alone.
fn kind<G: Rules>(before: &Position<G>, m: &Move<G::Word>, after: &Position<G>) -> u8 {
    let from = G::Word::bit(G::board().bit_of(m.from));
    let bits = [
        !m.is_quiet(),
        (before.mover.men & from).any(),
        m.promotes,
        m.promotes && after.waiter.kings.count() == 1,
    ];
    bits.iter().enumerate().map(|(i, &is)| u8::from(is) << i).sum()
}
