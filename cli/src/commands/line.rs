//! `damabase line`: best play to the end.

use std::fmt;

use clap::Args;
use damabase_adjudicate::{AdjudicateError, End, Gap, Library, Line, Values, line};
use damabase_formats::pdn::{self, RawGame};
use damabase_formats::{Fen, move_text, picture};
use damabase_rules::draws::{Cause, Replay, Seeds};
use damabase_rules::{Rules, Side, VariantId, legal_moves, with_rules};
use serde::Serialize;

use crate::args::{Folder, NotationName};
use crate::commands::probe::counter;
use crate::failure::Failure;
use crate::output::{self, columns, side_name};
use crate::profile;

const EXAMPLES: &str = "\
Examples:
  damabase line international 'W:WK2,6:BK50' --counter C5=1
  damabase line russian 'W:WK29,K30,K31:BK6' --profile cn64-russian
  damabase line international 'W:WK46,K47,K48:BK3' --moves '47-38 3-9 46-23' --json

The winner keeps as many plies to spare as he can, the loser holds out as long as he can; drawn positions
are played on until a draw is due. --moves are played first: positions that they repeat are avoided by
the winner, and where no way around them is found the win is one unless there is a repetition.

JSON: variant, profile, fen, value, unless_repetition, result (\"white\", \"black\", \"draw\" or null), by (what
a draw follows from), plies: an array of move, fen, value (for the side to move), counters, plies_left,
budget.";

/// Play the best moves to the end under a federation's draw rules
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The game, by name or PDN GameType number
    variant: VariantId,
    /// The position
    fen: String,
    /// Moves that are played first
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
    /// The draw rules: a profile's name or file [default: those of the game]
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    /// The value of a counter in FEN's position, in plies; may be given several times; for a FEN
    /// without :C
    #[arg(long = "counter", value_name = "NAME=PLIES", value_parser = counter)]
    counters: Vec<(String, u32)>,
    /// The greatest number of plies
    #[arg(long, value_name = "PLIES", default_value_t = 1000)]
    most: usize,
    #[command(flatten)]
    folder: Folder,
    /// How squares are written in moves [default: as is the custom of the game]
    #[arg(long)]
    notation: Option<NotationName>,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    variant: &'static str,
    profile: String,
    fen: String,
    value: Option<&'static str>,
    unless_repetition: bool,
    result: Option<&'static str>,
    by: Vec<String>,
    plies: Vec<Ply>,
    #[serde(skip)]
    picture: String,
    #[serde(skip)]
    end: String,
    #[serde(skip)]
    side: Side,
}

#[derive(Serialize)]
struct Ply {
    #[serde(rename = "move")]
    text: String,
    fen: String,
    value: Option<&'static str>,
    counters: Values,
    plies_left: Option<u32>,
    budget: Option<u16>,
}

/// # Errors
/// Any [`Failure`] but an interruption.
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let json = arguments.json;
    let report = with_rules!(arguments.variant, G => played::<G>(arguments)?);
    output::print(&report, json)
}

fn played<G: Rules>(arguments: Arguments) -> Result<Report, Failure> {
    let profile = profile::choose(arguments.profile.as_deref(), G::ID)?;
    let library = Library::new(vec![arguments.folder.path()?]);
    let fen = Fen::<G>::parse(&arguments.fen)?;
    let mut seeds = Seeds { half_moves: fen.half_moves, counters: fen.counters.clone() };
    if seeds.counters.is_empty() {
        seeds.counters = arguments.counters;
    }
    let mut game = Replay::new(&profile, fen.side, fen.position, &seeds)
        .map_err(|error| Failure::Input(error.to_string()))?;
    for action in moves::<G>(&arguments.fen, arguments.moves.as_deref())? {
        game.play(action).map_err(|error| Failure::Input(error.to_string()))?;
    }
    let shelf = library.shelf::<G>()?;
    let under = shelf.under(&profile);
    let now = game.now();
    let found = line(&under, &game, arguments.most)?;
    if found.end == End::Unknown && found.values.len() == 1 {
        let why = Gap::of(&under, &now.position, &now.counters)?;
        let why = why.map_or(String::new(), |gap| format!(": {}", gap.words(now.side, &profile)));
        return Err(Failure::Missing(format!("unknown under this profile{why}")));
    }
    let notation = NotationName::or_default(arguments.notation, G::VARIANT.notation);
    Ok(report(&found, now.side, picture(now.side, &now.position), notation))
}

/// The moves of a text, as PDN writes them.
fn moves<G: Rules>(
    fen: &str,
    text: Option<&str>,
) -> Result<Vec<damabase_rules::Move<G::Word>>, Failure> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let bad = |error: &dyn fmt::Display| Failure::Input(format!("--moves: {error}"));
    let mut games = pdn::read(text).map_err(|error| bad(&error))?;
    let mut raw = match (games.pop(), games.is_empty()) {
        (Some(game), true) => game,
        (None, _) => return Ok(Vec::new()),
        (Some(_), false) => return Err(bad(&"more than one game")),
    };
    raw = RawGame { number: 1, ..raw };
    raw.tags.push(("FEN".to_string(), fen.trim().to_string()));
    let game = raw.resolve::<G>().map_err(|error| Failure::from(AdjudicateError::from(error)))?;
    Ok(game.line.moves.iter().map(|played| played.action).collect())
}

fn report<G: Rules>(
    found: &Line<G>,
    side: Side,
    picture: String,
    notation: damabase_formats::Notation,
) -> Report {
    let profile = found.game.profile();
    let records = &found.game.records()[found.from..];
    let fen = |n: usize| Fen::new(records[n].side, records[n].position).to_string();
    let plies = (1..records.len())
        .map(|n| {
            let (before, after) = (&records[n - 1], &records[n]);
            let all = legal_moves(&before.position);
            let text = after.action.map_or(String::new(), |action| {
                move_text(before.side, &before.position, &action, &all, notation)
            });
            let value = &found.values[n];
            let counters =
                profile.counters.iter().enumerate().filter_map(|(i, counter)| {
                    Some((counter.name.clone(), after.counters.value(i)?))
                });
            Ply {
                text,
                fen: fen(n),
                value: value.standing.map(|standing| standing.name()),
                counters: Values(counters.collect()),
                plies_left: value.left.and_then(|left| left.plies),
                budget: value.budget.and_then(|budget| budget.plies()),
            }
        })
        .collect::<Vec<_>>();
    let by: Vec<String> = match &found.end {
        End::Drawn(causes) => causes
            .iter()
            .map(|cause| match cause {
                Cause::Counter(i) => profile.counters[*i].name.clone(),
                Cause::Repetition => "repetition".to_string(),
            })
            .collect(),
        _ => Vec::new(),
    };
    let (result, end) = match &found.end {
        End::Won(Side::White) => (Some("white"), "White wins".to_string()),
        End::Won(Side::Black) => (Some("black"), "Black wins".to_string()),
        End::Drawn(_) => (Some("draw"), format!("a draw is due by {}", by.join(", "))),
        End::Unknown => (None, "the value of this position is unknown".to_string()),
        End::Cut => (None, "cut off".to_string()),
    };
    Report {
        variant: G::VARIANT.name,
        profile: profile.name.clone(),
        fen: fen(0),
        value: found.values[0].standing.map(|standing| standing.name()),
        unless_repetition: found.unless_repetition,
        result,
        by,
        plies,
        picture,
        end,
        side,
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}  {}  {}\n\n{}\n", self.variant, self.fen, self.profile, self.picture)?;
        let value = self.value.unwrap_or("unknown");
        let unless = if self.unless_repetition { " unless repetition" } else { "" };
        writeln!(f, "{} to move: {value}{unless}.\n", side_name(self.side))?;
        let number = |n: Option<u32>| n.map_or("-".to_string(), |n| n.to_string());
        let title = ["ply", "move", "left", "needed", "then"].map(String::from).to_vec();
        let rows = self.plies.iter().enumerate().map(|(n, ply)| {
            vec![
                (n + 1).to_string(),
                ply.text.clone(),
                number(ply.plies_left),
                number(ply.budget.map(u32::from)),
                ply.fen.clone(),
            ]
        });
        let rows: Vec<Vec<String>> = std::iter::once(title).chain(rows).collect();
        if rows.len() > 1 {
            writeln!(f, "{}", columns(&rows, &[1, 4]))?;
        }
        writeln!(f, "After {} plies {}.", self.plies.len(), self.end)
    }
}
