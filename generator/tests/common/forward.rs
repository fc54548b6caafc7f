//! A solver for draw counters that knows neither index, slices nor staircases: all pairs of position
//! and counters that can arise, as nodes of one graph.

use std::collections::HashMap;

use damabase_formats::Wld;
use damabase_rules::draws::{Counters, DrawProfile, Ply};
use damabase_rules::{Move, Position, Rules, legal_moves};

/// What a position with counters is and leads to.
pub enum Node {
    /// A value that needs no move.
    Is(Wld),
    /// Numbers of the nodes that moves lead to.
    Leads(Vec<u32>),
}

/// Positions with their counters.
pub type States<G> = Vec<(Position<G>, Counters)>;

/// Numbers that look random and are the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }
}

/// Positions with counters, and all that can follow, each once.
pub fn follow<G: Rules>(profile: &DrawProfile, starts: States<G>) -> (States<G>, Vec<Node>) {
    let mut numbers: HashMap<(Position<G>, Counters), u32> = HashMap::new();
    let mut states = Vec::new();
    let mut number = |state: (Position<G>, Counters), states: &mut States<G>| {
        *numbers.entry(state).or_insert_with(|| {
            states.push(state);
            states.len() as u32 - 1
        })
    };
    for state in starts {
        number(state, &mut states);
    }
    let mut nodes = Vec::new();
    while nodes.len() < states.len() {
        let (before, counters) = states[nodes.len()];
        let moves = legal_moves(&before);
        let due = |i| {
            let limit = profile.limit(i, &counters, &before);
            limit.is_some_and(|limit| counters.value(i).unwrap() >= limit)
        };
        nodes.push(if moves.is_empty() {
            Node::Is(Wld::Loss)
        } else if (0..profile.counters.len()).any(due) {
            Node::Is(Wld::Draw)
        } else {
            let mut lead = |m: &Move<G::Word>| {
                let ply = Ply::new(before, *m);
                number((ply.after, profile.step(&counters, &ply)), &mut states)
            };
            Node::Leads(moves.iter().map(&mut lead).collect())
        });
    }
    (states, nodes)
}

/// The nodes' values: wins and losses that can be forced in some number of plies; else draws.
pub fn values(nodes: &[Node]) -> Vec<Wld> {
    let mut values: Vec<Option<Wld>> = nodes
        .iter()
        .map(|node| match node {
            Node::Is(value) => Some(*value),
            Node::Leads(_) => None,
        })
        .collect();
    loop {
        let mut idle = true;
        for (n, node) in nodes.iter().enumerate() {
            let Node::Leads(to) = node else { continue };
            if values[n].is_some() {
                continue;
            }
            let reached = || to.iter().map(|&to| values[to as usize]);
            if reached().any(|value| value == Some(Wld::Loss)) {
                values[n] = Some(Wld::Win);
                idle = false;
            } else if reached().all(|value| value == Some(Wld::Win)) {
                values[n] = Some(Wld::Loss);
                idle = false;
            }
        }
        if idle {
            return values.into_iter().map(|value| value.unwrap_or(Wld::Draw)).collect();
        }
    }
}

/// The profile with lower limits, so that small boards meet them and fewer states arise.
pub fn scaled(profile: &DrawProfile, divisor: u32) -> DrawProfile {
    let scale = |limit: Option<u32>| limit.map(|limit| limit.div_ceil(divisor));
    let mut profile = profile.clone();
    for counter in &mut profile.counters {
        counter.limit = scale(counter.limit);
        for case in &mut counter.cases {
            case.limit = scale(case.limit);
            if let Some(counted) = &mut case.counted {
                counted.least = counted.least.div_ceil(divisor);
            }
        }
    }
    profile
}
