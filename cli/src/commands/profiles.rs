//! `damabase profiles`: the draw rules of federations.

mod slices;

use std::fmt::{self, Write};

use clap::Args;
use damabase_rules::draws::{
    self, Class, Count, Counter, DrawProfile, Ending, Event, Repetition, Road, Span, Subject,
};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{self, columns};
use crate::profile;

const EXAMPLES: &str = "\
Examples:
  damabase profiles
  damabase profiles fmjd64
  damabase profiles fmjd64 --pieces 4
  damabase profiles fmjd100-2018 --toml > mine.toml    # a profile of one's own to change
  damabase profiles mine.toml

JSON without NAME: profiles: an array of name, title, variants, default_for. With NAME: these, and source,
open (an array of texts), counter: an array with the fields of the file, repetition (or null).
With --pieces: profile, slices: an array of slice, one_number (whether one number of plies decides), and
either top (the most plies that can be left, or null where nothing counts) and table (what names its table
of budgets), or why (what is in the way).";

/// Tell the draw rules that are known, or one set of them in words
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// A profile's name, or a file NAME.toml; without it all profiles are listed
    name: Option<String>,
    /// List the slices with up to so many pieces in which one number of plies decides, and those in
    /// which several counters do
    #[arg(long, value_name = "N", requires = "name", conflicts_with = "toml",
          value_parser = clap::value_parser!(u32).range(2..=8))]
    pieces: Option<u32>,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
    /// Print the file of a profile that comes with the program
    #[arg(long, requires = "name", conflicts_with = "json")]
    toml: bool,
}

#[derive(Serialize)]
struct List {
    profiles: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    title: &'static str,
    variants: &'static [String],
    default_for: Vec<&'static str>,
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    profile: &'a DrawProfile,
    default_for: Vec<&'static str>,
}

/// # Errors
/// [`Failure::Input`], [`Failure::Io`].
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let Some(name) = arguments.name else {
        let profiles = draws::all().iter().map(|profile| Row {
            name: &profile.name,
            title: &profile.title,
            variants: &profile.variants,
            default_for: profile::default_for(profile),
        });
        return output::print(&List { profiles: profiles.collect() }, arguments.json);
    };
    if arguments.toml {
        let text = draws::toml_text(&name)
            .ok_or_else(|| Failure::Input(format!("there is no file of a profile '{name}'")))?;
        return output::print(&Text(text), false);
    }
    let profile = profile::load(&name)?;
    if let Some(pieces) = arguments.pieces {
        return output::print(&slices::report(&profile, pieces), arguments.json);
    }
    let report = Report { profile: &profile, default_for: profile::default_for(&profile) };
    output::print(&report, arguments.json)
}

/// A text that is printed as it is.
#[derive(Serialize)]
struct Text(&'static str);

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["profile", "for", "what it is"].map(String::from).to_vec();
        let rows = self.profiles.iter().map(|row| {
            let games = row.variants.iter().map(|name| {
                let star = if row.default_for.contains(&name.as_str()) { "*" } else { "" };
                format!("{name}{star}")
            });
            let games = if row.name == "none" {
                "any game".to_string()
            } else {
                games.collect::<Vec<_>>().join(", ")
            };
            vec![row.name.to_string(), games, row.title.to_string()]
        });
        let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
        write!(f, "{}\n* taken where no profile is named\n", columns(&rows, &[0, 1, 2]))
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let profile = self.profile;
        writeln!(f, "{}: {}", profile.name, profile.title)?;
        writeln!(f, "for {}", profile.variants.join(", "))?;
        if !self.default_for.is_empty() {
            writeln!(f, "taken for {} where no profile is named", self.default_for.join(", "))?;
        }
        writeln!(f, "source: {}", profile.source)?;
        for counter in &profile.counters {
            writeln!(f)?;
            f.write_str(&counter_words(counter))?;
        }
        if let Some(rule) = &profile.repetition {
            writeln!(f, "\n{}", repetition_words(rule))?;
        }
        if !profile.open.is_empty() {
            writeln!(f, "\nopen points and how they are read here:")?;
            for text in &profile.open {
                writeln!(f, "- {text}")?;
            }
        }
        Ok(())
    }
}

fn counter_words(counter: &Counter) -> String {
    let mut text = String::new();
    let limit = |limit: Option<u32>| match limit {
        Some(plies) => format!("{plies} plies"),
        None => "no limit of its own".to_string(),
    };
    let subject = match counter.subject {
        Subject::Both => "",
        Subject::Strong => "; it speaks of the stronger side's moves",
        Subject::Weak => "; it speaks of the weaker side's moves",
    };
    // Writing to a string does not fail.
    let _ = writeln!(text, "{}  {}", counter.name, limit(counter.limit));
    let _ = writeln!(text, "  {}", counter.text);
    let status = counter.status.words();
    let _ = writeln!(text, "  article {}, {status}{subject}", counter.article);
    if counter.tally {
        let _ = writeln!(text, "  counts over the whole game: {}", scope_words(&counter.start));
    } else {
        let _ = writeln!(text, "  on: {}", scope_words(&counter.start));
    }
    if counter.keep.is_some() {
        let _ = writeln!(text, "  goes on while: {}", scope_words(&counter.keep));
    }
    if let Some(other) = &counter.unless {
        let _ = writeln!(text, "  does not come on while {other} is on");
    }
    let _ = writeln!(text, "  back to 0: {}", restart_words(&counter.restart));
    for case in &counter.cases {
        let counted = case.counted.as_ref().map_or(String::new(), |counted| {
            format!(", and {} is {} or more", counted.counter, counted.least)
        });
        let when: Vec<String> = case.when.iter().map(class_words).collect();
        let restart = restart_words(&case.restart);
        let limit = limit(case.limit);
        let _ =
            writeln!(text, "  {limit}, back to 0: {restart}, where {}{counted}", when.join(" or "));
    }
    if counter.limit.is_some() || counter.cases.iter().any(|case| case.limit.is_some()) {
        let _ = writeln!(text, "  {}", ending_words(counter.ending));
    }
    text
}

fn repetition_words(rule: &Repetition) -> String {
    let mut text = format!("repetition  {} occurrences\n  {}\n", rule.count, rule.text);
    let _ = writeln!(text, "  article {}, {}", rule.article, rule.status.words());
    if rule.before_the_move {
        text.push_str("  due before a move that would make the last of them\n");
    }
    if rule.without_start {
        text.push_str("  the first position of the game is not counted\n");
    }
    if let Some(counter) = &rule.since {
        let _ = writeln!(
            text,
            "  counted since {counter} was last 0, and only while it is {} or more",
            rule.least_plies
        );
    }
    text.push_str("  ");
    text.push_str(ending_words(rule.ending));
    text
}

fn ending_words(ending: Ending) -> &'static str {
    match ending {
        Ending::Automatic => "then the game is drawn",
        Ending::ClaimByMover => "then the player to move may claim a draw",
        Ending::ClaimByEither => "then either player may claim a draw",
    }
}

fn restart_words(events: &[Event]) -> String {
    let words: Vec<&str> = events
        .iter()
        .map(|event| match event {
            Event::Capture => "capture",
            Event::ManMove => "man move",
            Event::Promotion => "promotion",
            Event::FirstPromotion => "promotion to a side's only king",
            Event::EntryCapture => "capture that leads here",
        })
        .collect();
    if words.is_empty() { "never".to_string() } else { words.join(", ") }
}

fn scope_words(scope: &draws::Scope) -> String {
    match scope {
        None => "always".to_string(),
        Some(classes) if classes.is_empty() => "never".to_string(),
        Some(classes) => classes.iter().map(class_words).collect::<Vec<_>>().join(" or "),
    }
}

fn class_words(class: &Class) -> String {
    let mut parts = Vec::new();
    let sides = [count_words(&class.weak), count_words(&class.strong)];
    match sides {
        [None, None] => {}
        [weak, strong] => {
            let side = |side: Option<String>| side.unwrap_or_else(|| "anything".to_string());
            parts.push(format!("{} against {}", side(strong), side(weak)));
        }
    }
    if class.total != Span::ANY {
        parts.push(format!("{} pieces on the board", class.total));
    }
    match class.road {
        None => {}
        Some(Road::WeakKingAlone) => {
            parts.push("the weaker side's king alone on the main road".to_string());
        }
        Some(Road::StrongKing) => {
            parts.push("a king of the stronger side on the main road".to_string());
        }
    }
    if parts.is_empty() { "any position".to_string() } else { parts.join(", ") }
}

fn count_words(count: &Count) -> Option<String> {
    let one = Span { least: 1, most: 1 };
    let none = Span { least: 0, most: 0 };
    if count.men == none && count.kings == one {
        return Some("a lone king".to_string());
    }
    let mut parts = Vec::new();
    let mut part = |span: Span, one: &str, many: &str| {
        if span != Span::ANY && span != none {
            parts.push(format!("{span} {}", if span.most == 1 { one } else { many }));
        }
    };
    part(count.pieces, "piece", "pieces");
    part(count.kings, "king", "kings");
    part(count.men, "man", "men");
    let text = match (parts.as_slice(), count.men == none) {
        ([], true) => return Some("no man".to_string()),
        ([], false) => return None,
        (_, true) => format!("{} alone", parts.join(" with ")),
        _ => parts.join(" with "),
    };
    Some(text)
}
