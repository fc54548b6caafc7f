//! What is told of games, in words.

use std::fmt::Write;

use damabase_formats::pdn::Game;
use damabase_rules::Rules;
use damabase_rules::draws::{Cause, DrawProfile, Due, Ending, Event, Record, Replay};

use crate::judge::{name, plies_left};
use crate::report::{Claim, Judged, Ply, Turn};

/// Why a draw is due: article, counter, where it started and what restarted it, and how well the
/// article is known.
pub fn why<G: Rules>(replay: &Replay<G>, ply: usize, due: &Due) -> String {
    let (profile, record) = (replay.profile(), &replay.records()[ply]);
    match due.cause {
        Cause::Counter(i) => {
            let counter = &profile.counters[i];
            let value = record.counters.value(i).unwrap_or(0);
            let limit = profile.limit(i, &record.counters, &record.position).unwrap_or(value);
            let origin = record.origins[i];
            let given = replay.records()[0].counters.value(i).unwrap_or(0);
            let since = match origin.restarted {
                Some((ply, event)) => format!("restarted at ply {ply} by {}", event_words(event)),
                None if origin.started == 0 && given > 0 => format!("{given} of them before ply 0"),
                None => format!("counted from ply {}", origin.started),
            };
            format!(
                "{} at {value} of {limit} plies, {since}: article {} ({}), {}",
                counter.name,
                counter.article,
                counter.status.words(),
                counter.text
            )
        }
        Cause::Repetition => {
            let Some(rule) = &profile.repetition else { return String::new() };
            let status = rule.status.words();
            format!("repetition: article {} ({status}), {}", rule.article, rule.text)
        }
    }
}

fn event_words(event: Event) -> &'static str {
    match event {
        Event::Capture | Event::EntryCapture => "a capture",
        Event::ManMove => "a man move",
        Event::Promotion | Event::FirstPromotion => "a promotion",
    }
}

/// Why no draw is due.
pub fn not_due<G: Rules>(profile: &DrawProfile, record: &Record<G>) -> Vec<String> {
    let mut reasons = Vec::new();
    for (i, counter) in profile.counters.iter().enumerate() {
        if let (Some(value), Some(limit)) =
            (record.counters.value(i), profile.limit(i, &record.counters, &record.position))
        {
            let left = limit.saturating_sub(value);
            reasons.push(format!(
                "{} is at {value} of {limit} plies, {left} left (article {})",
                counter.name, counter.article
            ));
        }
    }
    if let Some(rule) = &profile.repetition {
        reasons.push(format!(
            "the position has occurred {} of {} times (article {})",
            record.occurrences, rule.count, rule.article
        ));
    }
    if reasons.is_empty() {
        reasons.push(format!("profile '{}' has no draws", profile.name));
    }
    reasons
}

/// The report of a game.
pub fn report<G: Rules>(replay: &Replay<G>, game: &Game<G>, judged: &Judged) -> String {
    let (profile, records) = (replay.profile(), replay.records());
    let mut text = String::new();
    let players: Vec<&str> = ["White", "Black"]
        .iter()
        .filter_map(|tag| {
            let found = game.tags.iter().find(|(name, _)| name == tag);
            found.map(|(_, value)| value.as_str())
        })
        .collect();
    // Writing to a string does not fail.
    let _ = write!(text, "game {}", judged.game);
    if !players.is_empty() {
        let _ = write!(text, "  {}", players.join(" - "));
    }
    let plies = plies_words(records.len() - 1);
    let _ = writeln!(text, "  {}, profile {}, {plies}", judged.variant, profile.name);

    match &judged.first_draw {
        None => text.push_str("No draw stands by the rules alone.\n"),
        Some(draw) => {
            let record = &records[draw.ply as usize];
            let _ = writeln!(text, "Drawn at {}:", place(judged, draw.ply));
            for due in record.due.iter().filter(|due| due.ending == Ending::Automatic) {
                let _ = writeln!(text, "  {}", why(replay, draw.ply as usize, due));
            }
        }
    }
    if let Some(on) = judged.if_played_on.as_ref().filter(|on| on.plies > 0) {
        let _ = write!(text, "Played on for {}", plies_words(on.plies as usize));
        for draw in &on.draws {
            let _ =
                write!(text, "; drawn again at ply {} by {}", draw.ply, draw.counters.join(", "));
        }
        text.push_str(".\n");
    }
    for (first, last, claim) in runs(&judged.claims) {
        let plies = if first == last {
            format!("at {}", place(judged, first))
        } else {
            format!("from {} to ply {last}", place(judged, first))
        };
        let (by, counters) = (claim.by.join(" or "), claim.counters.join(", "));
        let _ = writeln!(text, "A draw may be claimed by {by} {plies}: {counters}");
        let record = &records[first as usize];
        for due in record.due.iter().filter(|due| claim.counters.contains(&name(profile, due))) {
            let _ = writeln!(text, "  {}", why(replay, first as usize, due));
        }
    }
    if let Some(over) = &judged.over {
        let winner = if over.winner == "white" { "White" } else { "Black" };
        let _ = writeln!(text, "{winner} won at {}.", place(judged, over.ply));
    } else if judged.first_draw.is_none() {
        let _ = writeln!(text, "At the end of the text:");
        for reason in not_due(profile, replay.now()) {
            let _ = writeln!(text, "  {reason}");
        }
        if let Some(left) = plies_left(profile, replay.now()) {
            let _ = writeln!(text, "  nearest draw by a counter in {}", plies_words(left as usize));
        }
        text.push_str(&evidence(judged, records.len() - 1));
    }
    for turn in &judged.changes {
        let _ = writeln!(text, "In theory {}", turn_words(turn));
    }
    for turn in &judged.counted_changes {
        let _ = writeln!(text, "Under the counters {}", turn_words(turn));
    }
    // The end of the game needs no table.
    let over = judged.over.as_ref().map(|over| over.ply);
    let by_table = |ply: &&Ply| ply.value_in_theory.is_some() && Some(ply.ply) != over;
    let known = judged.plies.iter().filter(by_table).count();
    if known > 0 {
        let _ = writeln!(
            text,
            "Tables cover {known} of {plies}; they are evidence, no ruling, and know no repetitions."
        );
    }
    if let Some(at) = &judged.at {
        let right = if at.right { "right" } else { "wrong" };
        let _ = writeln!(text, "A claim at ply {} is {right}:", at.ply);
        for reason in &at.reasons {
            let _ = writeln!(text, "  {reason}");
        }
        if !at.right && judged.over.as_ref().is_none_or(|over| over.ply > at.ply) {
            text.push_str(
                "  for people to decide, not here: an agreement, an obvious win, that neither can win\n",
            );
        }
        text.push_str(&evidence(judged, at.ply as usize));
    }
    text
}

/// What tables say of a position, in a line; nothing where they do not say, or the game is over.
fn evidence(judged: &Judged, ply: usize) -> String {
    let after = ply.checked_sub(1).map_or(Some(&judged.start), |i| judged.plies.get(i));
    let over = judged.over.as_ref().is_some_and(|over| over.ply as usize <= ply);
    let Some(Ply { fen, value_in_theory: Some(theory), value, .. }) = after.filter(|_| !over)
    else {
        return String::new();
    };
    let mover = if fen.starts_with('W') { "White" } else { "Black" };
    let counted = value.map_or(String::new(), |value| format!(", {value} under the counters"));
    format!("  by tables, for {mover} to move: {theory} in theory{counted}\n")
}

fn plies_words(number: usize) -> String {
    if number == 1 { "1 ply".to_string() } else { format!("{number} plies") }
}

fn turn_words(turn: &Turn) -> String {
    let Turn { ply, text, before, after, .. } = turn;
    let counts = match (turn.left, turn.needed) {
        (Some(left), Some(needed)) => format!(": {left} plies were left, {needed} are needed"),
        _ => String::new(),
    };
    format!("{before} for White until {text} at ply {ply}, then {after}{counts}.")
}

/// A ply with its move.
fn place(judged: &Judged, ply: u32) -> String {
    let text = (ply as usize).checked_sub(1).and_then(|i| judged.plies.get(i)?.text.as_ref());
    match text {
        Some(text) => format!("ply {ply} ({text})"),
        None => format!("ply {ply}"),
    }
}

/// Claims of the same kind at successive plies, as the first and the last ply. A claim that only
/// the player to move has does not go on over his opponent's turn.
fn runs(claims: &[Claim]) -> Vec<(u32, u32, &Claim)> {
    let mut runs: Vec<(u32, u32, &Claim)> = Vec::new();
    for claim in claims {
        match runs.last_mut() {
            Some((_, last, run))
                if *last + 1 == claim.ply
                    && run.by == claim.by
                    && run.counters == claim.counters =>
            {
                *last = claim.ply;
            }
            _ => runs.push((claim.ply, claim.ply, claim)),
        }
    }
    runs
}

/// Comments for the game's text, each with the ply that it follows.
pub fn comments<G: Rules>(replay: &Replay<G>, judged: &Judged) -> Vec<(usize, String)> {
    let (profile, records) = (replay.profile(), replay.records());
    let mut comments = vec![(0, format!("Draw rules: {}, {}", profile.name, profile.title))];
    let mut add = |ply: u32, text: String| comments.push((ply as usize, text));
    if let Some(draw) = &judged.first_draw {
        let record = &records[draw.ply as usize];
        for due in record.due.iter().filter(|due| due.ending == Ending::Automatic) {
            add(draw.ply, format!("Drawn. {}", why(replay, draw.ply as usize, due)));
        }
    }
    for draw in judged.if_played_on.iter().flat_map(|on| &on.draws) {
        add(draw.ply, format!("Another draw, by {}", draw.counters.join(", ")));
    }
    for (first, _, claim) in runs(&judged.claims) {
        let (by, counters) = (claim.by.join(" or "), claim.counters.join(", "));
        add(first, format!("A draw may be claimed by {by}: {counters}"));
    }
    for turn in &judged.changes {
        add(turn.ply, format!("In theory {}", turn_words(turn)));
    }
    for turn in &judged.counted_changes {
        add(turn.ply, format!("Under the counters {}", turn_words(turn)));
    }
    comments
}
