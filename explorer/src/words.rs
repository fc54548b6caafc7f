//! What a position is worth, in words, for pages with and without scripts.

use damabase_adjudicate::{Gap, Worth};
use damabase_formats::Wld;
use damabase_probe::Standing;
use damabase_rules::draws::{DrawProfile, Ending, Record, Replay};
use damabase_rules::{Rules, Side, Word};

use crate::answer::{Claim, needed};
use crate::board::name;

/// The name of a player in JSON.
pub fn key(side: Side) -> &'static str {
    match side {
        Side::White => "white",
        Side::Black => "black",
    }
}

/// The value of the position on the board and the reason, a sentence each.
pub fn position<G: Rules>(
    replay: &Replay<G>,
    worth: &Worth,
    claim: Option<&Claim>,
    gap: Option<&Gap>,
) -> Vec<String> {
    let record = replay.now();
    if let Some(winner) = record.winner {
        return vec![over(record, winner)];
    }
    let mut sentences = vec![value(record.side, worth, claim, replay.profile())];
    sentences.extend(gap.map(|gap| sentence(&gap.words(record.side, replay.profile()))));
    sentences.extend(claim.map(|claim| due(replay, claim)));
    sentences
}

fn over<G: Rules>(record: &Record<G>, winner: Side) -> String {
    let loser = winner.other();
    let pieces = if winner == record.side { record.position.waiter } else { record.position.mover };
    let why = if pieces.all().none() { "has no piece left" } else { "has no legal move" };
    format!("{} has won: {} {why}.", name(winner), name(loser))
}

fn value(side: Side, worth: &Worth, claim: Option<&Claim>, profile: &DrawProfile) -> String {
    let (dtw, dtc) = match worth.theory {
        Some(value) => (value.dtw.and_then(|d| d.plies()), value.dtc.and_then(|d| d.plies())),
        None => (None, None),
    };
    let winner = match (worth.standing(), worth.theory.map(|value| value.wld)) {
        (Some(Standing::Win | Standing::CursedWin), _) | (None, Some(Wld::Win)) => Some(side),
        (Some(Standing::Loss | Standing::BlessedLoss), _) | (None, Some(Wld::Loss)) => {
            Some(side.other())
        }
        (Some(Standing::Draw), _) | (None, Some(Wld::Draw)) => None,
        (None, None) => {
            return "The value is not known.".into();
        }
    };
    let Some(winner) = winner else { return drawn(worth, claim) };
    let winner = name(winner);
    let long = match (dtw, dtc) {
        (Some(dtw), _) => format!(" in {}", plies(dtw.into())),
        (None, Some(dtc)) => format!(", capture or man move in {}", plies(dtc.into())),
        (None, None) => String::new(),
    };
    let rules = &profile.name;
    let needs = match needed(worth) {
        (Some(0), _) => String::new(),
        (None, _) => several(worth, profile),
        (Some(needed), Some(left)) => format!(": needs {}, {left} are left", plies(needed.into())),
        (Some(needed), None) => format!(": needs {}", plies(needed.into())),
    };
    match worth.standing() {
        None => format!(
            "{winner} wins in theory{long}; whether in time for the draw rules ({rules}) is not \
             known."
        ),
        Some(Standing::CursedWin | Standing::BlessedLoss) => {
            // A draw that is due has its own sentence.
            let needs = if claim.is_some_and(|c| c.plies_left == 0) { "" } else { &needs };
            format!("Draw by the rules ({rules}): {winner} would win in theory{long}{needs}.")
        }
        Some(_) => format!("{winner} wins{long}{needs}."),
    }
}

/// Where several counters decide: what is left beyond what is needed.
fn several(worth: &Worth, profile: &DrawProfile) -> String {
    let Some(counted) = &worth.counted else { return String::new() };
    let Some(spare) = counted.to_spare else { return String::new() };
    let counter = counted.left.and_then(|left| profile.counters.get(left.decided_by?));
    let counter = counter.map_or(String::new(), |counter| format!(" on {}", counter.name));
    format!(": {} to spare{counter}", plies(spare))
}

fn drawn(worth: &Worth, claim: Option<&Claim>) -> String {
    let stands = claim.is_some_and(|c| c.plies_left == 0 && c.kind == Ending::Automatic);
    match (worth.theory, stands) {
        (None, _) => "Draw by the rules.".into(),
        (Some(_), true) => "Draw, by the rules and in theory.".into(),
        (Some(_), false) => "Draw: with best play neither side wins.".into(),
    }
}

/// The nearest draw by a rule.
fn due<G: Rules>(replay: &Replay<G>, claim: &Claim) -> String {
    let (profile, record) = (replay.profile(), replay.now());
    let article =
        format!("article {} of {}, {}", claim.article, profile.name, claim.status.words());
    let then = match claim.kind {
        Ending::Automatic => "the game is drawn",
        Ending::ClaimByMover => "the side to move may claim a draw",
        Ending::ClaimByEither => "either side may claim a draw",
    };
    let Some(counter) = profile.counter(&claim.by) else {
        return format!("By repetition {then} ({article}).");
    };
    let value = record.counters.value(counter).unwrap_or(0);
    let limit = value + claim.plies_left;
    if claim.plies_left == 0 {
        format!("{} at {value} of {limit} plies: {then} ({article}).", claim.by)
    } else {
        format!(
            "{} at {value} of {limit} plies, {} left; then {then} ({article}).",
            claim.by, claim.plies_left
        )
    }
}

/// A clause as a sentence.
fn sentence(clause: &str) -> String {
    let mut rest = clause.chars();
    let first = rest.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(rest).chain(['.']).collect()
}

/// A number of plies.
pub fn plies(number: u32) -> String {
    match number {
        1 => "1 ply".to_string(),
        n => format!("{n} plies"),
    }
}
