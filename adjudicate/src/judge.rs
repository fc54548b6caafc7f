//! Replaying a game under a profile.

use damabase_formats::pdn::{Game, Outcome};
use damabase_formats::{Fen, Wld, move_text};
use damabase_probe::Under;
use damabase_rules::draws::{Cause, Counter, DrawProfile, Due, Ending, Record, Replay, Seeds};
use damabase_rules::{Rules, Side, legal_moves};

use crate::report::{
    Claim, Draw, Judged, Over, PlayedOn, Ply, Restart, Ruling, State, Turn, Values,
};
use crate::{AdjudicateError, Appraiser, words};

/// Judges a game; also gives it as a PDN text with what was found as comments.
///
/// # Errors
/// Any [`AdjudicateError`] but those of reading the game.
pub fn judge<G: Rules>(
    profile: &DrawProfile,
    mut game: Game<G>,
    under: &Under<G>,
    at: Option<u32>,
) -> Result<(Judged, String), AdjudicateError> {
    let number = game.number;
    let start = &game.start;
    let seeds = Seeds { half_moves: start.half_moves, counters: start.counters.clone() };
    let mut replay = Replay::new(profile, start.side, start.position, &seeds)
        .map_err(|source| AdjudicateError::Seeds { game: number, source })?;
    let appraiser = Appraiser::new(under);
    let mut worth = vec![appraiser.worth(&replay)?];
    for played in &game.line.moves {
        replay
            .play(played.action)
            .map_err(|source| AdjudicateError::Move { game: number, source })?;
        worth.push(appraiser.worth(&replay)?);
    }
    let records = replay.records();
    if let Some(at) = at.filter(|&at| at as usize >= records.len()) {
        let plies = records.len() - 1;
        return Err(AdjudicateError::Claim { game: number, at, plies });
    }
    let theory = |ply: usize| worth[ply].theory.map(|theory| theory.wld);
    let value = |ply: usize| worth[ply].value;
    let budget = |ply: usize| worth[ply].counted.and_then(|known| known.budget?.plies());
    let texts = move_texts(&replay);
    let fens = fens(&replay);

    let first_draw = replay.first_draw();
    let over = records.iter().enumerate().find_map(|(ply, record)| {
        record.winner.map(|winner| Over { ply: ply as u32, winner: side(winner) })
    });
    let names =
        |due: &[&Due]| -> Vec<String> { due.iter().map(|due| name(profile, due)).collect() };
    let draw_at = |ply: usize| {
        let automatic: Vec<&Due> =
            records[ply].due.iter().filter(|due| due.ending == Ending::Automatic).collect();
        Draw { ply: ply as u32, counters: names(&automatic) }
    };
    // After a draw that stands there is nothing to claim.
    let claims: Vec<Claim> = records[..first_draw.unwrap_or(records.len())]
        .iter()
        .enumerate()
        .filter_map(|(ply, record)| claim(profile, ply, record))
        .collect();
    let if_played_on = first_draw.map(|first| {
        let mut known = draw_at(first).counters;
        let mut draws = Vec::new();
        for ply in first + 1..records.len() {
            let mut draw = draw_at(ply);
            draw.counters.retain(|name| !known.contains(name));
            known.extend(draw.counters.iter().cloned());
            if !draw.counters.is_empty() {
                draws.push(draw);
            }
        }
        PlayedOn { plies: (records.len() - 1 - first) as u32, draws }
    });
    let mut plies = records.iter().enumerate().map(|(ply, record)| Ply {
        ply: ply as u32,
        text: ply.checked_sub(1).map(|i| texts[i].clone()),
        fen: fens[ply].clone(),
        counters: values(profile, record),
        limits: limits(profile, record),
        repetition: record.occurrences,
        plies_left: plies_left(profile, record),
        budget: budget(ply),
        spare: worth[ply].counted.and_then(|known| known.to_spare),
        value: value(ply).map(Wld::name),
        value_in_theory: theory(ply).map(Wld::name),
        due: names(&record.due.iter().collect::<Vec<_>>()),
    });
    // A game has its first position.
    let Some(start) = plies.next() else { unreachable!("a replay without positions") };
    let mut judged = Judged {
        game: number,
        variant: G::VARIANT.name,
        profile: profile.name.clone(),
        fen: fens[0].clone(),
        result: result(&game).map(|result| result.to_string()),
        error: None,
        first_draw: first_draw.map(draw_at),
        claimable: claims.iter().map(|claim| claim.ply).collect(),
        claims,
        over,
        if_played_on,
        changes: changes(records, &texts, theory),
        counted_changes: changes(records, &texts, value)
            .into_iter()
            .map(|turn| Turn {
                left: plies_left(profile, &records[turn.ply as usize]),
                needed: budget(turn.ply as usize),
                ..turn
            })
            .collect(),
        at: None,
        start,
        plies: plies.collect(),
        words: String::new(),
    };
    judged.at = at.map(|at| ruling(&replay, at as usize, &judged));
    judged.words = words::report(&replay, &game, &judged);
    let comments = words::comments(&replay, &judged);
    for (ply, comment) in comments {
        match ply.checked_sub(1) {
            Some(i) => game.line.moves[i].comments.push(comment),
            None => game.line.comments.push(comment),
        }
    }
    Ok((judged, game.to_string()))
}

/// The outcome: that of the tag, since `*` at the end may only separate games; else that at the end.
fn result<G: Rules>(game: &Game<G>) -> Option<Outcome> {
    let tag = game.tags.iter().find(|(name, _)| name.eq_ignore_ascii_case("Result"));
    tag.and_then(|(_, value)| Outcome::of(value.trim())).or(game.result)
}

pub fn side(side: Side) -> &'static str {
    match side {
        Side::White => "white",
        Side::Black => "black",
    }
}

/// The name of what a draw follows from.
pub fn name(profile: &DrawProfile, due: &Due) -> String {
    match due.cause {
        Cause::Counter(i) => profile.counters[i].name.clone(),
        Cause::Repetition => "repetition".to_string(),
    }
}

fn claim<G: Rules>(profile: &DrawProfile, ply: usize, record: &Record<G>) -> Option<Claim> {
    let claims: Vec<&Due> =
        record.due.iter().filter(|due| due.ending != Ending::Automatic).collect();
    let either = claims.iter().any(|due| due.ending == Ending::ClaimByEither);
    let by = match (claims.as_slice(), either) {
        ([], _) => return None,
        (_, true) => vec![side(Side::White), side(Side::Black)],
        (_, false) => vec![side(record.side)],
    };
    let counters = claims.iter().map(|due| name(profile, due)).collect();
    Some(Claim { ply: ply as u32, by, counters })
}

/// The moves as PDN writes them.
fn move_texts<G: Rules>(replay: &Replay<G>) -> Vec<String> {
    let pairs = replay.records().windows(2);
    pairs
        .map(|pair| {
            let before = &pair[0];
            let all = legal_moves(&before.position);
            pair[1].action.map_or(String::new(), |action| {
                move_text(before.side, &before.position, &action, &all, G::VARIANT.notation)
            })
        })
        .collect()
}

fn fens<G: Rules>(replay: &Replay<G>) -> Vec<String> {
    let fen = |record: &Record<G>| Fen::new(record.side, record.position).to_string();
    replay.records().iter().map(fen).collect()
}

/// The counters that are on.
fn values<G: Rules>(profile: &DrawProfile, record: &Record<G>) -> Values {
    let value = |(i, counter): (usize, &Counter)| {
        record.counters.value(i).map(|value| (counter.name.clone(), value))
    };
    Values(profile.counters.iter().enumerate().filter_map(value).collect())
}

/// The limits of the counters that are on and have one.
fn limits<G: Rules>(profile: &DrawProfile, record: &Record<G>) -> Values {
    let limit = |(i, counter): (usize, &Counter)| {
        let limit = profile.limit(i, &record.counters, &record.position)?;
        Some((counter.name.clone(), limit))
    };
    Values(profile.counters.iter().enumerate().filter_map(limit).collect())
}

/// Plies to the nearest limit.
pub fn plies_left<G: Rules>(profile: &DrawProfile, record: &Record<G>) -> Option<u32> {
    let left = |i| profile.left(i, &record.counters, &record.position);
    (0..profile.counters.len()).filter_map(left).min()
}

/// A value seen by White.
fn for_white(side: Side, value: Wld) -> &'static str {
    match (side, value) {
        (_, Wld::Draw) => "draw",
        (Side::White, Wld::Win) | (Side::Black, Wld::Loss) => "win",
        (Side::White, Wld::Loss) | (Side::Black, Wld::Win) => "loss",
    }
}

/// The plies after which a value is another one for White.
fn changes<G: Rules>(
    records: &[Record<G>],
    texts: &[String],
    value: impl Fn(usize) -> Option<Wld>,
) -> Vec<Turn> {
    let white = |ply: usize| value(ply).map(|value| for_white(records[ply].side, value));
    (1..records.len())
        .filter_map(|ply| {
            let (before, after) = (white(ply - 1)?, white(ply)?);
            let text = texts[ply - 1].clone();
            let (left, needed) = (None, None);
            (before != after).then_some(Turn { ply: ply as u32, text, before, after, left, needed })
        })
        .collect()
}

/// Judges a claim made after `at` plies.
fn ruling<G: Rules>(replay: &Replay<G>, at: usize, judged: &Judged) -> Ruling {
    let (profile, record) = (replay.profile(), &replay.records()[at]);
    let ply = at as u32;
    let first_draw = judged.first_draw.as_ref().filter(|draw| draw.ply <= ply);
    let over = judged.over.as_ref().filter(|over| over.ply <= ply);
    let (right, reasons) = if let Some(first) = first_draw {
        let since = &replay.records()[first.ply as usize];
        let automatic = since.due.iter().filter(|due| due.ending == Ending::Automatic);
        let mut reasons: Vec<String> =
            automatic.map(|due| words::why(replay, first.ply as usize, due)).collect();
        if first.ply < ply {
            reasons.insert(0, format!("drawn since ply {}", first.ply));
        }
        (true, reasons)
    } else if let Some(over) = over {
        (false, vec![format!("{} won at ply {}", over.winner, over.ply)])
    } else if record.due.is_empty() {
        (false, words::not_due(profile, record))
    } else {
        (true, record.due.iter().map(|due| words::why(replay, at, due)).collect())
    };
    Ruling { ply, right, reasons, counters: states(profile, record) }
}

/// All that is known of the counters that are on in a position of a game, in the profile's order.
pub fn states<G: Rules>(profile: &DrawProfile, record: &Record<G>) -> Vec<State> {
    let state = |(i, counter): (usize, &Counter)| {
        let origin = record.origins[i];
        Some(State {
            name: counter.name.clone(),
            value: record.counters.value(i)?,
            limit: profile.limit(i, &record.counters, &record.position),
            left: profile.left(i, &record.counters, &record.position),
            started: origin.started,
            restarted: origin.restarted.map(|(ply, by)| Restart { ply, by }),
            article: counter.article.clone(),
            status: counter.status,
        })
    };
    profile.counters.iter().enumerate().filter_map(state).collect()
}
