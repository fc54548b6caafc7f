//! `damabase hub`: an engine that plays from tables, for programs that speak the Hub protocol.

use std::borrow::Cow;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use clap::Args;
use damabase_rules::draws::{self, DrawProfile};
use damabase_rules::{VariantId, with_rules};

use crate::args::Folder;
use crate::failure::Failure;
use crate::{output, profile};

mod line;
mod oracle;

use line::{Line, quoted};
use oracle::{Answer, Game, Oracle};

const EXAMPLES: &str = "\
Examples:
  damabase hub --dir tables
  damabase hub --variant russian --profile fmjd64 --dir tables

Speaks the Hub protocol, version 2, over standard input and output. It does not search: every answer
comes from the tables, at once, and time controls do not matter. Won positions are won without running
into a draw by the rules, where tables tell how: make tables of dtw or dtc, by which it makes progress
(with those of wld alone it keeps wins, but may not bring them home), and of budget for the profile,
which tell what counts in time. The counters are those of the moves that the program sends along.

Parameters that a program may set: variant (\"normal\" is international draughts), profile (draw rules,
\"default\" for those of the game), tables (the folder). On 8x8 the position is a letter for the side and
32 for the squares.

The score is in men: 99.79 is a win in 21 plies, 80 a win in a number of plies that is not known, 0 a
draw. Of a position that the tables do not cover, \"error message\" says which table is missing; \"done\"
then gives any legal move, since the protocol asks for one.";

/// Time between two lines of an answer. Some clients (that of py-draughts 1.10) wait for the system to
/// tell that there is something to read, and miss what came together with the line before.
const PAUSE: Duration = Duration::from_millis(5);

/// Play from tables as an engine of the Hub protocol
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The game at first, by name or PDN GameType number
    #[arg(long, default_value = "international")]
    variant: VariantId,
    /// The draw rules at first: a name, or a file NAME.toml [default: those of the game]
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    #[command(flatten)]
    folder: Folder,
}

/// What is set, and what follows from it.
struct Engine {
    variant: Result<VariantId, String>,
    /// None for the rules of the game.
    profile: Option<String>,
    tables: PathBuf,
    /// Made at the first search after something was set.
    game: Option<Box<dyn Game>>,
    position: Option<(String, String)>,
}

/// # Errors
/// [`Failure::Input`] for a profile that is not there, [`Failure::Io`] where standard input or
/// output fail.
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let mut engine = Engine {
        variant: Ok(arguments.variant),
        profile: arguments.profile,
        tables: arguments.folder.path()?,
        game: None,
        position: None,
    };
    // What was asked for on the command line must be there.
    engine.load().map_err(Failure::Input)?;
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| Failure::Io(format!("standard input: {error}")))?;
        let line = Line::parse(&line);
        if line.command == "quit" {
            break;
        }
        for (n, text) in engine.answer(&line).iter().enumerate() {
            if n > 0 {
                thread::sleep(PAUSE);
            }
            let mut stdout = io::stdout().lock();
            output::written(stdout.write_all(format!("{text}\n").as_bytes()))?;
            output::written(stdout.flush())?;
        }
    }
    Ok(())
}

impl Engine {
    /// The lines that answer a line. Commands that are not known are ignored, as the protocol asks;
    /// so are those for a search that goes on, since none does.
    fn answer(&mut self, line: &Line) -> Vec<String> {
        match line.command.as_str() {
            "hub" => self.introduce(),
            "set-param" => {
                self.set(line.value("name"), line.value("value"));
                Vec::new()
            }
            "init" => {
                let mut lines: Vec<String> = self.load().err().iter().map(error).collect();
                lines.push("ready".to_string());
                lines
            }
            "ping" => vec!["pong".to_string()],
            "pos" => {
                self.position =
                    Some((line.value("pos").to_string(), line.value("moves").to_string()));
                Vec::new()
            }
            "go" => self.go().unwrap_or_else(|text| vec![error(&text)]),
            _ => Vec::new(),
        }
    }

    fn introduce(&self) -> Vec<String> {
        let variants: Vec<&str> = VariantId::ALL.iter().map(|&id| hub_name(id)).collect();
        let profiles: Vec<&str> = draws::all().iter().map(|profile| &*profile.name).collect();
        let variant = self.variant.as_ref().map_or("normal", |&variant| hub_name(variant));
        vec![
            format!(
                "id name=Damabase version={} author=\"the Damabase authors\"",
                env!("CARGO_PKG_VERSION")
            ),
            format!(
                "param name=variant value={variant} type=enum values=\"{}\"",
                variants.join(" ")
            ),
            format!(
                "param name=profile value={} type=enum values=\"default {}\"",
                quoted(self.profile.as_deref().unwrap_or("default")),
                profiles.join(" ")
            ),
            format!(
                "param name=tables value={} type=string",
                quoted(&self.tables.to_string_lossy())
            ),
            "wait".to_string(),
        ]
    }

    fn set(&mut self, name: &str, value: &str) {
        match name {
            "variant" => {
                let name = if value == "normal" { "international" } else { value };
                self.variant = name.parse().map_err(|_| format!("variant '{value}' is not played"));
            }
            "profile" => self.profile = Some(value.to_string()).filter(|name| name != "default"),
            "tables" => self.tables = value.into(),
            _ => return,
        }
        self.game = None;
    }

    /// Makes ready what is set.
    fn load(&mut self) -> Result<&dyn Game, String> {
        if self.game.is_none() {
            let variant = self.variant.clone()?;
            let profile: Cow<'static, DrawProfile> = match &self.profile {
                Some(name) => profile::load(name).map_err(|failure| failure.to_string())?,
                None => Cow::Borrowed(draws::default_profile(variant)),
            };
            profile.checked_for(variant).map_err(|error| error.to_string())?;
            self.game = Some(with_rules!(variant, G => {
                Box::new(Oracle::<G>::open(&self.tables, profile)?)
            }));
        }
        // It was made just now.
        self.game.as_deref().ok_or_else(String::new)
    }

    fn go(&mut self) -> Result<Vec<String>, String> {
        let (position, moves) = self.position.clone().ok_or("no position was given")?;
        let answer = self.load()?.answer(&position, &moves)?;
        let mut lines = Vec::new();
        match &answer {
            Answer::Known { score, message, line, .. } => {
                lines.push(format!(
                    "info depth=1 score={score:.2} nodes=1 time=0.00 pv={} message={}",
                    quoted(&line.join(" ")),
                    quoted(message)
                ));
            }
            Answer::Uncovered { message, .. } => lines.push(error(message)),
            Answer::Over => return Err("the game is over".to_string()),
        }
        match answer {
            Answer::Known { line, .. } if line.len() > 1 => {
                lines.push(format!("done move={} ponder={}", line[0], line[1]));
            }
            Answer::Known { line, .. } => lines.push(format!("done move={}", line[0])),
            Answer::Uncovered { any, .. } => lines.push(format!("done move={any}")),
            Answer::Over => {}
        }
        Ok(lines)
    }
}

/// The protocol's name of a game.
fn hub_name(variant: VariantId) -> &'static str {
    match variant {
        VariantId::International => "normal",
        other => other.variant().name,
    }
}

#[allow(clippy::ptr_arg)] // so that it can be given to `map`
fn error(text: &String) -> String {
    format!("error message={}", quoted(text))
}
