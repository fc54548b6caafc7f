//! Showing how far a long run is.

use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use damabase_formats::Slice;
use damabase_generator::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::{grouped, note};

/// Time between two plain lines.
const PAUSE: Duration = Duration::from_secs(5);

/// How to show progress.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Style {
    /// A bar where standard error is a terminal, else plain lines
    Auto,
    /// A bar; plain lines where standard error is no terminal
    Bar,
    /// A line every few seconds
    Plain,
    /// Nothing
    None,
}

/// Shows progress on standard error.
pub struct Meter {
    view: View,
    state: Mutex<State>,
}

enum View {
    Bar(ProgressBar),
    Plain,
    None,
}

struct State {
    what: &'static str,
    slices: usize,
    slices_done: usize,
    positions: u64,
    positions_done: u64,
    slice: String,
    began: Instant,
    last_line: Instant,
}

impl Meter {
    /// A meter with nothing to do yet. `what` names the things that are to be done.
    pub fn new(style: Style, what: &'static str) -> Meter {
        let view = match style {
            Style::None => View::None,
            Style::Auto | Style::Bar if io::stderr().is_terminal() => View::Bar(bar()),
            _ => View::Plain,
        };
        let now = Instant::now();
        let state = State {
            what,
            slices: 0,
            slices_done: 0,
            positions: 0,
            positions_done: 0,
            slice: String::new(),
            began: now,
            last_line: now,
        };
        Meter { view, state: Mutex::new(state) }
    }

    /// Takes the bar away, or says that all is done.
    pub fn finish(&self) {
        match &self.view {
            View::Bar(bar) => bar.finish_and_clear(),
            View::Plain => self.with(|state| {
                if state.slices > 0 {
                    note(&state.last_words());
                }
            }),
            View::None => {}
        }
    }

    /// Number of slices to do, and how many of them are done.
    pub fn slices(&self) -> (usize, usize) {
        self.with(|state| (state.slices, state.slices_done))
    }

    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        // Nothing here leaves the state half changed.
        work(&mut self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }
}

impl Progress for Meter {
    fn planned(&self, slices: usize, positions: u64) {
        self.with(|state| {
            // A run that makes several kinds of tables plans more than once.
            (state.slices, state.positions) = (slices, positions);
            (state.slices_done, state.positions_done) = (0, 0);
            state.began = Instant::now();
            state.last_line = state.began;
        });
        match &self.view {
            View::Bar(bar) => {
                bar.set_length(positions);
                bar.reset();
                bar.enable_steady_tick(Duration::from_millis(200));
            }
            View::Plain => {
                let what = self.with(|state| state.what);
                note(&format!("{slices} {what} with {} positions to do", grouped(positions)));
            }
            View::None => {}
        }
    }

    fn started(&self, slice: Slice, _: u64) {
        self.with(|state| state.slice = slice.to_string());
        if let View::Bar(bar) = &self.view {
            bar.set_message(slice.to_string());
        }
    }

    fn advanced(&self, positions: u64) {
        self.with(|state| {
            state.positions_done += positions;
            if matches!(self.view, View::Plain) && state.last_line.elapsed() >= PAUSE {
                state.last_line = Instant::now();
                note(&state.line());
            }
        });
        if let View::Bar(bar) = &self.view {
            bar.inc(positions);
        }
    }

    fn finished(&self, _: Slice) {
        self.with(|state| state.slices_done += 1);
    }

    fn message(&self, text: &str) {
        match &self.view {
            View::Bar(bar) => bar.suspend(|| note(text)),
            _ => note(text),
        }
    }
}

impl State {
    /// Positions per second so far.
    fn rate(&self) -> f64 {
        self.positions_done as f64 / self.began.elapsed().as_secs_f64().max(1e-3)
    }

    fn line(&self) -> String {
        let done = self.positions_done.min(self.positions);
        let left = (self.positions - done) as f64 / self.rate().max(1.0);
        format!(
            "{:5.1}%  {} of {} positions  {}/s  {} left  {}",
            100.0 * done as f64 / self.positions.max(1) as f64,
            grouped(done),
            grouped(self.positions),
            grouped(self.rate() as u64),
            clock(left as u64),
            self.slice,
        )
    }

    fn last_words(&self) -> String {
        format!(
            "{} of {} {} done: {} positions in {}, {}/s",
            self.slices_done,
            self.slices,
            self.what,
            grouped(self.positions_done),
            clock(self.began.elapsed().as_secs()),
            grouped(self.rate() as u64),
        )
    }
}

fn bar() -> ProgressBar {
    let template =
        "{percent:>3}% {bar:24} {human_pos}/{human_len} positions  {rate}  {left} left  {msg}";
    let style = match ProgressStyle::with_template(template) {
        Ok(style) => style,
        Err(_) => ProgressStyle::default_bar(),
    };
    let style = style
        .with_key("rate", |state: &indicatif::ProgressState, w: &mut dyn std::fmt::Write| {
            let _ = write!(w, "{}/s", grouped(state.per_sec() as u64));
        })
        .with_key("left", |state: &indicatif::ProgressState, w: &mut dyn std::fmt::Write| {
            let _ = w.write_str(&clock(state.eta().as_secs()));
        });
    ProgressBar::new(0).with_style(style)
}

/// Seconds as `m:ss` or `h:mm:ss`.
fn clock(seconds: u64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_on_a_clock() {
        assert_eq!(clock(9), "0:09");
        assert_eq!(clock(754), "12:34");
        assert_eq!(clock(3600 * 30 + 61), "30:01:01");
    }

    #[test]
    fn a_line_says_how_far_how_fast_and_how_long() {
        let began = Instant::now() - Duration::from_secs(10);
        let state = State {
            what: "slices",
            slices: 3,
            slices_done: 1,
            positions: 4000,
            positions_done: 1000,
            slice: "KKvK".to_string(),
            began,
            last_line: began,
        };
        let line = state.line();
        assert!(line.starts_with(" 25.0%  1,000 of 4,000 positions  "), "{line}");
        assert!(line.ends_with("  0:30 left  KKvK"), "{line}");
        assert!(state.last_words().starts_with("1 of 3 slices done: 1,000 positions in 0:10"));
    }
}
