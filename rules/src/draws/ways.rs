//! What moves do to the material: the ways from one slice to others.

use super::profile::Event;
use crate::Material;

/// A kind of move from positions with one material, and the material after it.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// The side that moves and the other, before.
    pub before: [Material; 2],
    /// The same sides, after.
    pub after: [Material; 2],
    /// What the move is, apart from a capture that enters a case.
    pub events: Vec<Event>,
}

impl Way {
    pub fn is(&self, event: Event) -> bool {
        self.events.contains(&event)
    }

    /// A quiet move of a king.
    pub fn is_plain(&self) -> bool {
        self.events.is_empty()
    }
}

/// Two sides in one order, whoever moves: a slice.
pub(super) fn sorted(mut sides: [Material; 2]) -> [Material; 2] {
    sides.sort_by_key(|side| (side.pieces(), side.kings, side.men));
    sides.reverse();
    sides
}

/// Every kind of move that there may be with this material and after which both sides have a
/// piece. Not all of them need to exist on every board and in every game.
pub(super) fn ways(sides: [Material; 2]) -> Vec<Way> {
    let [one, two] = sides;
    let mut ways = Vec::new();
    add_ways(one, two, &mut ways);
    if one != two {
        add_ways(two, one, &mut ways);
    }
    ways
}

fn add_ways(mover: Material, waiter: Material, ways: &mut Vec<Way>) {
    let before = [mover, waiter];
    let promoted = |mover: Material| Material { men: mover.men - 1, kings: mover.kings + 1 };
    let promotion = if mover.kings == 0 {
        vec![Event::ManMove, Event::Promotion, Event::FirstPromotion]
    } else {
        vec![Event::ManMove, Event::Promotion]
    };
    let mut add = |after: [Material; 2], events: Vec<Event>| {
        if after[1].pieces() > 0 {
            ways.push(Way { before, after, events });
        }
    };
    if mover.kings > 0 {
        add(before, vec![]);
    }
    if mover.men > 0 {
        add(before, vec![Event::ManMove]);
        add([promoted(mover), waiter], promotion.clone());
    }
    for men in 0..=waiter.men {
        for kings in 0..=waiter.kings {
            let left = Material { men, kings };
            if left == waiter {
                continue;
            }
            if mover.kings > 0 {
                add([mover, left], vec![Event::Capture]);
            }
            if mover.men > 0 {
                add([mover, left], vec![Event::Capture, Event::ManMove]);
                let events = [&[Event::Capture], &promotion[..]].concat();
                add([promoted(mover), left], events);
            }
        }
    }
}
