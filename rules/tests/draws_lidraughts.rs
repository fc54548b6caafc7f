//! The `li` profiles against a plain model of lidraughts' clock, written from the description of its
//! code: a list of positions that grows with every ply or begins anew, whose length is the clock.

use damabase_rules::draws::*;
use damabase_rules::*;
use proptest::prelude::*;

/// One side's pieces as numbers.
#[derive(Clone, Copy)]
struct Count {
    pieces: u32,
    kings: u32,
}

impl Count {
    fn of<W: Word>(pieces: Pieces<W>) -> Count {
        Count { pieces: pieces.all().count(), kings: pieces.kings.count() }
    }

    fn is_lone_king(self) -> bool {
        (self.pieces, self.kings) == (1, 1)
    }
}

/// What was played last.
#[derive(Clone, Copy)]
struct Last {
    taken: u32,
    by_man: bool,
    promotes: bool,
}

/// The server's state of a game.
struct Server<G: Rules> {
    /// The positions since the last reset; `None` stands for one that the server made up because
    /// a FEN came with a clock.
    seen: Vec<Option<Position<G>>>,
    /// Plies with a lone king alone on the main road against three, for both colours.
    road: [u32; 2],
}

impl<G: Rules> Server<G> {
    fn clock(&self) -> u32 {
        self.seen.len() as u32 - 1
    }

    /// The limit, and whether the last move resets the clock. `of_mover` is what the player of
    /// that move has now.
    fn international(of_mover: Count, other: Count, last: Last) -> (Option<u32>, bool) {
        let total = of_mover.pieces + other.pieces;
        let first_promotion = last.promotes && of_mover.kings == 1;
        let king_moves = (Some(50), last.taken > 0 || last.by_man);
        let lone = of_mover.is_lone_king() || other.is_lone_king();
        if !lone || total > 4 || of_mover.kings == 0 || other.kings == 0 {
            return king_moves;
        }
        match total {
            2 | 3 => (Some(10), first_promotion || (last.taken > 0 && total + last.taken > 3)),
            _ => (Some(32), first_promotion || (last.taken > 0 && total + last.taken > 4)),
        }
    }

    fn small(
        &self,
        of_mover: Count,
        other: Count,
        last: Last,
        weak_on_road: Option<usize>,
    ) -> (Option<u32>, bool) {
        if of_mover.kings == 0 || other.kings == 0 {
            return (None, true);
        }
        let total = of_mover.pieces + other.pieces;
        let first_promotion = last.promotes && of_mover.kings == 1;
        let captures = last.taken > 0;
        let strong = match (of_mover.is_lone_king(), other.is_lone_king()) {
            (true, _) => Some(other),
            (_, true) => Some(of_mover),
            _ => None,
        };
        if let Some(strong) = strong {
            if strong.pieces <= 2 {
                let entered = captures && total <= 3 && total + last.taken > 3;
                return (Some(10), first_promotion || entered);
            }
            if strong.pieces == 3
                && let Some(weak) = weak_on_road
            {
                if self.road[weak] >= 10 {
                    return (Some(10), first_promotion);
                }
                return (Some(30), first_promotion || captures);
            }
            if strong.kings == strong.pieces {
                return (Some(30), captures || last.promotes);
            }
        }
        match total {
            6 | 7 => (Some(120), captures || last.promotes),
            4 | 5 => (Some(60), captures || last.promotes),
            _ => (Some(30), captures || last.promotes || last.by_man),
        }
    }
}

/// The colour of a lone king that stands alone on the main road against three pieces with a king.
fn on_road<G: Rules>(side: Side, position: &Position<G>) -> Option<usize> {
    let colour = |side: Side| usize::from(side == Side::White);
    let on = |king: Pieces<G::Word>, others: Pieces<G::Word>| {
        let is_road = |bit: u32| {
            let square = G::board().square_of(bit);
            G::board().row(square) + G::board().column(square) == u32::from(G::board().width) - 1
        };
        let count = Count::of(others);
        Count::of(king).is_lone_king()
            && (count.pieces, count.kings > 0) == (3, true)
            && king.kings.indices().all(is_road)
            && !others.all().indices().any(is_road)
    };
    if on(position.mover, position.waiter) {
        Some(colour(side))
    } else if on(position.waiter, position.mover) {
        Some(colour(side.other()))
    } else {
        None
    }
}

/// Plays moves under a profile and on the server, and compares clock, draw and claim.
fn compare<G: Rules>(
    name: &str,
    is_small: bool,
    (side, start): (Side, Position<G>),
    clock: u32,
    choices: &[u8],
) -> Result<u32, TestCaseError> {
    let profile = built_in(name).unwrap();
    let h = profile.counter("H").unwrap();
    // The server keeps a clock even where no rule uses it; the profile's is off there.
    let runs = profile.start(&start, &Seeds::default()).unwrap().value(h).is_some();
    let clock = if runs { clock } else { 0 };
    let seeds = Seeds { half_moves: Some(clock), counters: Vec::new() };
    let mut replay = Replay::new(profile, side, start, &seeds).unwrap();
    let mut server = Server::<G> { seen: vec![None; clock.min(100) as usize + 1], road: [0, 0] };
    let mut draws = 0;
    for &choice in choices {
        let before = replay.now().clone();
        if before.winner.is_some() {
            break;
        }
        let moves = legal_moves(&before.position);
        // Large numbers take back what the same player did last: that makes repetitions.
        let back = replay.records().iter().rev().nth(1).and_then(|own| own.action);
        let back = back.filter(|_| choice >= 100).and_then(|own| {
            moves.iter().find(|m| (m.from, m.to) == (own.to, own.from) && m.is_quiet())
        });
        let action = *back.unwrap_or(&moves[usize::from(choice) % moves.len()]);
        let from = G::Word::bit(G::board().bit_of(action.from));
        let last = Last {
            taken: action.captured.count(),
            by_man: (before.position.mover.men & from).any(),
            promotes: action.promotes,
        };
        let now = replay.play(action).unwrap().clone();

        let road = on_road(now.side, &now.position);
        if let Some(weak) = road {
            server.road[weak] += 1;
        }
        let (of_mover, other) = (Count::of(now.position.waiter), Count::of(now.position.mover));
        let (limit, resets) = if is_small {
            server.small(of_mover, other, last, road)
        } else {
            Server::<G>::international(of_mover, other, last)
        };
        if resets {
            server.seen.clear();
        }
        server.seen.push(Some(now.position));

        prop_assert_eq!(now.counters.value(h).unwrap_or(0), server.clock(), "{:?}", now);
        prop_assert_eq!(profile.limit(h, &now.counters, &now.position), limit, "{:?}", now);
        let is_over = now.winner.is_some();
        let draw = !is_over && limit.is_some_and(|limit| server.clock() >= limit);
        let is_drawn = now.due.iter().any(|due| due.ending == Ending::Automatic);
        prop_assert_eq!(is_drawn, draw, "{:?}", now);
        // Only positions with the same side to move are compared: every second one, from the end.
        let same = server.seen.iter().rev().step_by(2);
        let occurrences = same.filter(|seen| **seen == Some(now.position)).count();
        let claim = !is_over && server.clock() >= 8 && occurrences >= 3;
        let is_claimable = now.due.iter().any(|due| due.cause == Cause::Repetition);
        prop_assert_eq!(is_claimable, claim, "{:?}", now);
        draws += u32::from(draw || claim);
    }
    Ok(draws)
}

fn ending<G: Rules>() -> impl Strategy<Value = (Side, Position<G>)> {
    let squares = G::board().squares() as u8;
    let pieces = |most| prop::collection::vec((0..squares, 0..3u8), 1..=most);
    // Often a lone king against a few pieces, where the limits change.
    let sides = prop_oneof![(pieces(4), pieces(4)), (pieces(4), pieces(1))];
    (any::<bool>(), any::<bool>(), sides).prop_filter_map("no ending", |(white, turned, sides)| {
        let mut lists: [Vec<Square>; 4] = Default::default();
        for (side, pieces) in [sides.0, sides.1].into_iter().enumerate() {
            for (square, kind) in pieces {
                lists[2 * side + usize::from(kind > 0)].push(Square(square));
            }
        }
        let [men, kings, waiter_men, waiter_kings] = &lists;
        let position = Position::from_squares(men, kings, waiter_men, waiter_kings).ok()?;
        let position = if turned { position.turned() } else { position };
        Some((if white { Side::White } else { Side::Black }, position))
    })
}

/// Moves by their numbers; see where they are chosen for large ones.
fn choices() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..150),
        prop::collection::vec(prop_oneof![1 => 0..12u8, 6 => 200..212u8], 0..60),
        prop::collection::vec(0..12u8, 0..150),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        cases: 1500,
        ..ProptestConfig::default()
    })]

    #[test]
    fn international(start in ending::<International>(), clock in 0..60u32, choices in choices()) {
        compare("li-standard", false, start, clock, &choices)?;
    }

    #[test]
    fn russian(start in ending::<Russian>(), clock in 0..130u32, choices in choices()) {
        compare("li-russian", true, start, clock, &choices)?;
    }

    #[test]
    fn brazilian(start in ending::<Brazilian>(), clock in 0..130u32, choices in choices()) {
        compare("li-brazilian", true, start, clock, &choices)?;
    }
}
