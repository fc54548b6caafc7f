//! The move to play, by tables and under draw rules.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::path::Path;
use std::sync::Arc;

use damabase_formats::{Distance, Wld, hub_text, parse_move};
use damabase_probe::{Counted, ProbeError, Standing, TableSet, Value};
use damabase_rules::draws::{Countdowns, DrawProfile, Replay, Seeds};
use damabase_rules::{Move, Pieces, Position, Rules, Side, Square, Word, legal_moves};

/// What there is to say of a position.
pub enum Answer {
    /// The tables tell what to play.
    Known {
        /// In men.
        score: f64,
        message: String,
        /// The best move, and the best answer to it unless the game is over then.
        line: Vec<String>,
    },
    /// They do not.
    Uncovered {
        /// Which table is missing.
        message: String,
        /// Any legal move.
        any: String,
    },
    /// There is no move to play.
    Over,
}

/// A game of a kind known at run time.
pub trait Game {
    /// The answer for a position, with moves played from it, as the protocol has them.
    ///
    /// # Errors
    /// A text where the position or the moves are none, or tables cannot be read.
    fn answer(&self, position: &str, moves: &str) -> Result<Answer, String>;
}

/// Tables and draw rules.
pub struct Oracle<G: Rules> {
    tables: TableSet<G>,
    /// The profile, and how it counts in the tables' slices.
    countdowns: Arc<Countdowns>,
}

/// A move, with what is known of it for the side that makes it.
struct Candidate<G: Rules> {
    action: Move<G::Word>,
    /// The value if nobody counted; none where a table is missing.
    value: Option<Value>,
    /// The value under the draw rules.
    counted: Option<Counted>,
    /// Whether a draw stands or may be claimed after it, or the other side can then move into one.
    is_drawn: bool,
    can_be_drawn: bool,
    /// Whether it is a capture or a man move.
    is_exit: bool,
    /// How often the position after it has occurred by then.
    occurrences: u32,
    /// Number of moves that the other side has then.
    replies: usize,
}

impl<G: Rules> Candidate<G> {
    /// The result under the draw rules, as far as it is known; else the one in theory.
    fn result(&self) -> Option<Wld> {
        if self.is_drawn {
            return Some(Wld::Draw);
        }
        let standing = self.counted.and_then(|counted| counted.standing);
        let result = standing.map(Standing::result).or(self.value.map(|value| value.wld))?;
        Some(if self.can_be_drawn { result.min(Wld::Draw) } else { result })
    }

    /// Whether it wins for sure before a draw is due.
    fn is_sure(&self) -> bool {
        self.counted.is_some_and(|counted| counted.standing == Some(Standing::Win))
    }

    /// Plies to spare then.
    fn to_spare(&self) -> Option<u32> {
        // Where nothing counts, any number of plies is left.
        let counted = self.counted.filter(|_| self.is_sure())?;
        Some(counted.to_spare.unwrap_or(u32::MAX))
    }
}

impl<G: Rules> Oracle<G> {
    /// # Errors
    /// A text where the folder cannot be listed.
    pub fn open(dir: &Path, profile: Cow<'static, DrawProfile>) -> Result<Oracle<G>, String> {
        let tables = TableSet::<G>::open(&[dir.to_path_buf()]);
        let tables = tables.map_err(|error| error.to_string())?;
        let countdowns = tables.under(&profile).countdowns().clone();
        Ok(Oracle { tables, countdowns })
    }

    fn read(&self, position: &str, moves: &str) -> Result<Replay<'_, G>, String> {
        let (side, position) = read_position(position)?;
        let mut game = Replay::new(self.countdowns.profile(), side, position, &Seeds::default())
            .map_err(|error| error.to_string())?;
        for text in moves.split_whitespace() {
            let now = game.now();
            let action =
                parse_move(now.side, &now.position, text).map_err(|error| error.to_string())?;
            game.play(action).map_err(|error| format!("'{text}': {error}"))?;
        }
        Ok(game)
    }

    /// The legal moves; also why the first of those that have no value has none.
    fn candidates(&self, game: &Replay<G>) -> Result<(Vec<Candidate<G>>, Option<String>), String> {
        let before = game.now();
        let mut missing = None;
        let mut candidates = Vec::new();
        for action in legal_moves(&before.position) {
            let mut after = game.clone();
            let Ok(record) = after.play(action) else { continue };
            let from = G::Word::bit(G::board().bit_of(action.from));
            let is_exit = !action.is_quiet() || (before.position.mover.men & from).any();
            let value = match self.tables.value(&record.position) {
                Ok(value) => Some(value_before(value, is_exit)),
                Err(error @ ProbeError::Missing(_)) => {
                    let text = hub_text::<G>(before.side, &action);
                    let why = error.text(record.side);
                    missing.get_or_insert(format!("not covered: after {text} {why}"));
                    None
                }
                Err(error) => return Err(error.text(record.side)),
            };
            let under = self.tables.under_countdowns(self.countdowns.clone());
            let counted = match under.value(&record.position, &record.counters) {
                Ok(counted) => Some(counted.turned()),
                Err(ProbeError::Missing(_)) => None,
                Err(error) => return Err(error.text(record.side)),
            };
            let replies = legal_moves(&record.position);
            let (is_drawn, occurrences) = (!record.due.is_empty(), record.occurrences);
            // Tables know counters, but no repetitions.
            let can_be_drawn = replies.iter().any(|&reply| {
                let Ok(record) = after.play(reply) else { return false };
                let is_drawn = !record.due.is_empty();
                after.take_back();
                is_drawn
            });
            candidates.push(Candidate {
                action,
                value,
                counted,
                is_drawn,
                can_be_drawn,
                is_exit,
                occurrences,
                replies: replies.len(),
            });
        }
        Ok((candidates, missing))
    }

    /// The best of the moves, and whether it is known to be best.
    fn best<'a>(
        &self,
        game: &Replay<G>,
        candidates: &'a [Candidate<G>],
    ) -> Option<(&'a Candidate<G>, bool)> {
        let left = left(game);
        // Of the same ones the first, as moves are listed.
        let wins = candidates.iter().rev().filter(|c| c.result() == Some(Wld::Win));
        if let Some(best) = wins.max_by_key(|candidate| winning(candidate, left)) {
            return Some((best, true));
        }
        let is_known = candidates.iter().all(|candidate| candidate.result().is_some());
        let key = |candidate: &&Candidate<G>| {
            let value = candidate.value;
            // Of draws rather one that the other side has to see. A slow loss is a great one already.
            (candidate.result(), value.map(|v| v.wld), value.and_then(|v| v.dtw))
        };
        candidates.iter().rev().max_by_key(key).map(|best| (best, is_known))
    }
}

impl<G: Rules> Game for Oracle<G> {
    fn answer(&self, position: &str, moves: &str) -> Result<Answer, String> {
        let mut game = self.read(position, moves)?;
        let side = game.now().side;
        if game.now().winner.is_some() {
            return Ok(Answer::Over);
        }
        let (candidates, missing) = self.candidates(&game)?;
        let Some((best, is_known)) = self.best(&game, &candidates) else { return Ok(Answer::Over) };
        let text = hub_text::<G>(side, &best.action);
        if !is_known {
            return Ok(Answer::Uncovered { message: missing.unwrap_or_default(), any: text });
        }
        let (score, message) = judge(best, left(&game));
        let mut line = vec![text];
        game.play(best.action).map_err(|error| error.to_string())?;
        if game.now().winner.is_none()
            && let Ok((candidates, _)) = self.candidates(&game)
            && let Some((reply, true)) = self.best(&game, &candidates)
        {
            line.push(hub_text::<G>(side.other(), &reply.action));
        }
        Ok(Answer::Known { score, message, line })
    }
}

/// The order of winning moves. Where the whole win fits in before any counter is at its end, the
/// quickest comes first; else what is sure to count and leaves most plies to spare; else what restarts
/// the counters soonest. Without distances, moves that cannot be taken back come first. What has
/// occurred already comes after what has not.
fn winning<G: Rules>(candidate: &Candidate<G>, left: Option<u32>) -> impl Ord + use<G> {
    let value = candidate.value;
    let dtw = value.and_then(|value| value.dtw);
    let plies = |distance: Option<Distance>| distance.and_then(|d| d.plies()).map(u32::from);
    let in_time = plies(dtw).is_some_and(|plies| left.is_none_or(|left| plies <= left));
    let spare = candidate.to_spare().filter(|_| !in_time);
    let distance = if in_time { dtw } else { value.and_then(|value| value.dtc).or(dtw) };
    (
        in_time,
        Reverse(candidate.occurrences.max(1)),
        spare,
        distance,
        candidate.is_exit,
        Reverse(candidate.replies),
    )
}

/// Plies before the first draw that counters can make in the position on the board, as it is.
fn left<G: Rules>(game: &Replay<G>) -> Option<u32> {
    let now = game.now();
    let profile = game.profile();
    let counters = 0..profile.counters.len();
    counters.filter_map(|i| profile.left(i, &now.counters, &now.position)).min()
}

/// The score in men, and words.
fn judge<G: Rules>(best: &Candidate<G>, left: Option<u32>) -> (f64, String) {
    let dtw = best.value.and_then(|value| value.dtw).and_then(|dtw| dtw.plies());
    let far = |plies: u16| 100.0 - f64::from(plies.min(1000)) / 100.0;
    let score = dtw.map_or(80.0, far);
    let in_theory = best.value.map(|value| value.wld);
    let is_cursed = best.result() == Some(Wld::Draw) && in_theory != Some(Wld::Draw);
    let is_sure = best.is_sure();
    match (best.result(), dtw, left) {
        _ if is_cursed => (0.0, "draw: the draw rules come first".to_string()),
        (Some(Wld::Win), Some(dtw), Some(left)) if u32::from(dtw) > left => {
            let text = match best.to_spare() {
                Some(u32::MAX) => "won in time, whatever is counted".to_string(),
                Some(spare) => format!("won in time, with {spare} plies to spare"),
                None => format!("won in theory in {dtw} plies; {left} left on a draw counter"),
            };
            (score, text)
        }
        (Some(Wld::Win), Some(dtw), _) => (score, format!("win in {dtw} plies")),
        (Some(Wld::Win), None, _) if is_sure => (score, "win".to_string()),
        (Some(Wld::Win), None, _) => (score, "won, draw counters aside".to_string()),
        (Some(Wld::Loss), Some(dtw), _) => (-score, format!("loss in {dtw} plies")),
        (Some(Wld::Loss), None, _) => (-score, "lost, draw counters aside".to_string()),
        _ => (0.0, "draw".to_string()),
    }
}

/// The value of a move from that of the position after it.
fn value_before(after: Value, is_exit: bool) -> Value {
    let dtc = |dtc: Distance| match dtc {
        _ if !is_exit => dtc.before(),
        Distance::Draw => Distance::Draw,
        Distance::Loss(_) => Distance::Win(1),
        Distance::Win(_) => Distance::Loss(1),
    };
    Value { wld: after.wld.turned(), dtw: after.dtw.map(Distance::before), dtc: after.dtc.map(dtc) }
}

/// A position as the protocol writes it: the side to move, then a letter for each square.
fn read_position<G: Rules>(text: &str) -> Result<(Side, Position<G>), String> {
    let board = G::board();
    let (side, squares) = match text.split_at_checked(1) {
        Some(("W", squares)) => (Side::White, squares),
        Some(("B", squares)) => (Side::Black, squares),
        _ => return Err("a position begins with W or B".to_string()),
    };
    let count = squares.chars().count();
    if count != board.squares() as usize {
        return Err(format!(
            "the position has {count} squares, {} has {}",
            G::VARIANT.name,
            board.squares()
        ));
    }
    let mut white = Pieces { men: G::Word::ZERO, kings: G::Word::ZERO };
    let mut black = white;
    for (number, letter) in (0..).zip(squares.chars()) {
        let bit = G::Word::bit(board.bit_of(Square(number)));
        match letter {
            'w' => white.men |= bit,
            'W' => white.kings |= bit,
            'b' => black.men |= bit,
            'B' => black.kings |= bit,
            'e' => {}
            other => return Err(format!("'{}' is no square", other.escape_default())),
        }
    }
    let white_view = Position::<G> { mover: white, waiter: black };
    let position = if side == Side::White { white_view } else { white_view.turned() };
    // Made anew, so that it is sound.
    let position = Position::new(position.mover, position.waiter);
    Ok((side, position.map_err(|error| format!("unsound position: {error}"))?))
}
