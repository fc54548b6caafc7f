//! `damabase adjudicate`: the draws of games, and whether a claim is right.

use std::fmt;
use std::fs;
use std::io::{self, Read, Write};

use clap::Args;
use damabase_adjudicate::{Court, Judged, Library};
use damabase_formats::pdn::{self, RawGame};
use damabase_rules::VariantId;
use serde::Serialize;

use crate::args::Folder;
use crate::failure::Failure;
use crate::output::{self, note};
use crate::profile;

const EXAMPLES: &str = "\
Examples:
  damabase adjudicate game.pdn
  damabase adjudicate game.pdn --profile fmjd100-2024 --at 62
  damabase adjudicate 'W:WK46,K47,K48:BK3' --variant international --moves '47-38 3-9 46-23 9-22'
  damabase adjudicate games.pdn --annotate > annotated.pdn

The profile is the one named, else the default of the game: fmjd100-2018 for international, fmjd64 for
Russian, cbd64 for Brazilian, wcdf for English draughts; see 'damabase profiles'. The game is the one
of --variant, else of the tag GameType, else the only one that fits. Counters that run already are given in the FEN: :H<plies>
where one streak counter is on, else :C<NAME>=<plies>, as in 'W:WK2,6:BK50:CC5=4'.

Ply 1 is the first move. A claim at ply N is one made after N plies were played.

Tables that are there tell what positions are worth in theory and, with tables of budgets (damabase
generate --metric wld,budget --profile PROFILE), what they are worth in the plies that are left; without
these the value under the counters is told where it follows from the rules alone, and is null otherwise.

JSON: games: an array of
  game, variant, profile, fen, result (1-0, 0-1, 1/2-1/2, 0-0 or *, in whichever way it is
  written; or null), error (null, or why the game cannot be read; the fields below are then missing)
  first_draw: null, or the first ply at which a draw stands, with the names of its counters
  claimable: plies at which a draw may be claimed; claims: the same with counters and by whom
  over: null, or the ply and the winner
  if_played_on: null, or what came after first_draw: draws (ply, counters), plies
  changes: plies where the value in theory changed, with the move and White's values
  counted_changes: the same under the counters, with left and needed: plies left after the move, and
  those that a win needs
  at: null, or ply, right, reasons, counters: an array of name, value, limit, left, started (ply),
  restarted (null, or ply and by), article, status
  start, plies: for each ply: ply, move, fen, counters (name: plies), limits (name: plies), repetition
  (occurrences), plies_left (to the nearest draw, or null), budget (plies that a win or loss needs, or
  null), spare (plies that are left over, or null), value and value_in_theory (for the side to move, or
  null), due (counters that make a draw, or that may be claimed)

The exit code is 1 where a claim of --at is wrong.";

/// Find the draws of games by a federation's rules, and judge claims
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// A PDN file, - for standard input, or a FEN
    game: String,
    /// The moves that follow a FEN
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
    /// The draw rules: a name, or a file NAME.toml [default: those of the game]
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    /// The game, by name or PDN GameType number [default: the tag GameType]
    #[arg(long)]
    variant: Option<VariantId>,
    /// Judge a claim made after this number of plies
    #[arg(long, value_name = "PLY")]
    at: Option<u32>,
    /// Only the game at this place in the file, from 1
    #[arg(long, value_name = "N")]
    number: Option<usize>,
    /// Print the games as PDN with what was found as comments
    #[arg(long, conflicts_with = "json")]
    annotate: bool,
    #[command(flatten)]
    folder: Folder,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// # Errors
/// Any [`Failure`] but an interruption: [`Failure::Negative`] for a wrong claim.
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let mut games = read_games(&arguments.game, arguments.moves.as_deref())?;
    if games.is_empty() {
        return Err(Failure::Input("there is no game in the text".to_string()));
    }
    if let Some(number) = arguments.number {
        let count = games.len();
        games.retain(|game| game.number == number);
        if games.is_empty() {
            let text = format!("there is no game {number} in the text, which has {count}");
            return Err(Failure::Input(text));
        }
    }
    if arguments.at.is_some() && games.len() > 1 {
        let text = format!("{} games: --at needs one, chosen by --number", games.len());
        return Err(Failure::Input(text));
    }
    let named = arguments.profile.as_deref().map(profile::load).transpose()?;
    // Without a folder there are no tables, which is no failure here.
    let library = Library::new(arguments.folder.path().into_iter().collect());
    let court = Court { profile: named.as_deref(), variant: arguments.variant, at: arguments.at };

    let mut report = Report { games: Vec::new() };
    let mut annotated = String::new();
    let mut bad = None;
    for raw in &games {
        match court.judge(raw, &library).map_err(Failure::from) {
            Ok((mut game, text)) => {
                if !arguments.json {
                    game.plies = Vec::new(); // thousands of games fit the memory then
                }
                report.games.push(Entry::Judged(Box::new(game)));
                annotated.push_str(&text);
                annotated.push('\n');
            }
            // A fault of the text is a fault of one game; all else concerns all games.
            Err(Failure::Input(error)) if games.len() > 1 => {
                note(&format!("error: {error}"));
                report.games.push(Entry::Unread { game: raw.number, error });
                bad = bad.max(Some(raw.number));
            }
            Err(failure) => return Err(failure),
        }
    }
    if arguments.annotate {
        output::written(io::stdout().lock().write_all(annotated.trim_end().as_bytes()))?;
        output::written(io::stdout().lock().write_all(b"\n"))?;
    } else {
        output::print(&report, arguments.json)?;
    }
    if bad.is_some() {
        let count = report.games.iter().filter(|g| matches!(g, Entry::Unread { .. }));
        let text = format!("{} of {} games cannot be read", count.count(), games.len());
        return Err(Failure::Input(text));
    }
    match report.wrong_claim() {
        Some(text) => Err(Failure::Negative(text)),
        None => Ok(()),
    }
}

/// The games of a file, of standard input, or a FEN with moves.
fn read_games(source: &str, moves: Option<&str>) -> Result<Vec<RawGame>, Failure> {
    let parse =
        |text: &str| pdn::read(text).map_err(|error| Failure::Input(format!("bad PDN: {error}")));
    let is_fen = source.trim_start_matches(['[', '"', ' ']).starts_with(['W', 'B'])
        && source.contains(':')
        || source.trim_start().starts_with("[FEN");
    if is_fen && fs::metadata(source).is_err() {
        let mut games = parse(moves.unwrap_or(""))?;
        if games.len() > 1 {
            return Err(Failure::Input("--moves has more than one game".to_string()));
        }
        let mut game = games.pop().unwrap_or_else(|| RawGame { number: 1, ..RawGame::default() });
        game.tags.push(("FEN".to_string(), source.trim().to_string()));
        return Ok(vec![game]);
    }
    if moves.is_some() {
        return Err(Failure::Input("--moves needs a FEN to begin with".to_string()));
    }
    let bytes = if source == "-" {
        let mut bytes = Vec::new();
        io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map_err(|error| Failure::Io(format!("standard input: {error}")))?;
        bytes
    } else {
        fs::read(source).map_err(|error| Failure::Io(format!("{source}: {error}")))?
    };
    parse(&pdn::decode(&bytes))
}

/// The games of a text.
#[derive(Serialize)]
struct Report {
    games: Vec<Entry>,
}

/// A game, or why there is none.
#[derive(Serialize)]
#[serde(untagged)]
enum Entry {
    Judged(Box<Judged>),
    Unread { game: usize, error: String },
}

impl Report {
    /// Why the claim of a game is wrong, if it is.
    fn wrong_claim(&self) -> Option<String> {
        self.games.iter().find_map(|game| match game {
            Entry::Judged(game) => {
                game.at.as_ref().filter(|at| !at.right).map(|at| {
                    format!("a claim at ply {} is wrong: {}", at.ply, at.reasons.join("; "))
                })
            }
            Entry::Unread { .. } => None,
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, entry) in self.games.iter().enumerate() {
            if place > 0 {
                writeln!(f)?;
            }
            match entry {
                Entry::Judged(game) => f.write_str(&game.words)?,
                Entry::Unread { error, .. } => writeln!(f, "cannot be read: {error}")?,
            }
        }
        Ok(())
    }
}
