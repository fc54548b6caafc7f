//! What there is to say of one position, as the HTTP API has it.

use damabase_adjudicate::{Appraiser, State, Worth, category, states};
use damabase_formats::{Distance, Fen, Slice, Wld, diagram_square, hub_text, move_text};
use damabase_probe::{Counted, ProbeError, Standing, Value};
use damabase_rules::draws::{Cause, Ending, Ply, Replay, Status};
use damabase_rules::{Move, Position, Rules, Square, Word, capture_path, legal_moves};
use serde::Serialize;

use crate::question::Asked;
use crate::words;

/// A position with its value and its moves.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// The game.
    pub variant: &'static str,
    /// The position, in the one canonical form, without counters.
    pub fen: String,
    /// The side to move: `white` or `black`.
    pub side: &'static str,
    /// The material.
    pub slice: String,
    /// The draw profile.
    pub profile: String,
    /// The counters that are on, as assumed or as they came from the moves.
    pub counters: Vec<State>,
    /// How often the position has occurred.
    pub repetition: u32,
    /// The value and distances, for the side to move.
    #[serde(flatten)]
    pub value: Fields,
    /// The nearest draw by a rule; none where no rule counts.
    pub claim: Option<Claim>,
    /// Who has won, where the game is over: `white` or `black`.
    pub winner: Option<&'static str>,
    /// Value and reason in words, a sentence each.
    pub text: Vec<String>,
    /// Why the value is not known, where its table is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The kind of that error: always `missing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// What panels made for chess tables read, for the side to move.
    #[serde(flatten)]
    pub legacy: Legacy,
    /// The legal moves, best first.
    pub moves: Vec<MoveRow>,
}

/// A legal move.
#[derive(Clone, Debug, Serialize)]
pub struct MoveRow {
    /// The move as PDN writes it.
    #[serde(rename = "move")]
    pub text: String,
    /// The move as the Hub protocol writes it.
    pub hub: String,
    /// The same as `hub`, for panels made for chess.
    pub uci: String,
    /// The same as `move`, for panels made for chess.
    pub san: String,
    /// The position that follows.
    pub fen: String,
    /// PDN numbers of the squares touched, its origin first.
    pub path: Vec<u32>,
    /// PDN numbers of the squares of captured pieces.
    pub captures: Vec<u32>,
    /// Whether a man becomes a king.
    pub promotes: bool,
    /// Whether it is a capture or a man move, which can never be taken back.
    pub converts: bool,
    /// The value and distances for the side that moves, this move counted.
    #[serde(flatten)]
    pub value: Fields,
    /// The value and distances of the position that follows, for its own side to move.
    pub child: Fields,
    /// The nearest draw by a rule after the move.
    pub claim: Option<Claim>,
    /// What panels made for chess tables read, for the side to move **after** the move.
    #[serde(flatten)]
    pub legacy: Legacy,
    /// The same as `converts`, for panels made for chess.
    pub zeroing: bool,
}

impl MoveRow {
    /// The group that the move belongs to, by the names of lichess: a category, or `maybe-win` and
    /// `maybe-loss` where it is not known what draw rules make of a result.
    pub fn group(&self) -> &'static str {
        match (self.value.category, self.value.wld) {
            ("unknown", Some("win")) => "maybe-win",
            ("unknown", Some("loss")) => "maybe-loss",
            (category, _) => category,
        }
    }
}

/// A value and distances, in plies.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Fields {
    /// The value under the draw profile: `win`, `cursed-win`, `draw`, `blessed-loss`, `loss`, or
    /// `unknown`.
    pub category: &'static str,
    /// The value in theory: `win`, `draw`, `loss`, or none where it is not known.
    pub wld: Option<&'static str>,
    /// Plies to the end of the game.
    pub dtw: Option<u16>,
    /// Plies to the next capture or man move.
    pub dtc: Option<u16>,
    /// Plies that must be left on the draw counter for the result to count; none where several
    /// counters decide.
    pub budget: Option<u16>,
    /// Plies to spare: those by which each counter could be greater, before the move if it is one, and
    /// the result still the same; where one number decides and it is too late, less than 0.
    pub spare: Option<i64>,
}

/// A draw by a rule, at once or later.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    /// Whether the draw stands when it is due, or who may then claim it.
    pub kind: Ending,
    /// The counter's name, or `repetition`.
    pub by: String,
    /// The article in its source.
    pub article: String,
    /// How well the article is known.
    pub status: Status,
    /// Plies until it is due; 0 where it is.
    pub plies_left: u32,
}

/// Fields of the tablebase service of lichess and its likes.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Legacy {
    /// 2 win, 1 cursed win, 0 draw, -1 blessed loss, -2 loss; none where it is not known. Where it is
    /// not known what draw rules make of a win, the value in theory.
    pub wdl: Option<i8>,
    /// Plies to the next capture or man move; negative for a loss.
    pub dtz: Option<i32>,
    /// Plies to the end of the game; negative for a loss.
    pub dtm: Option<i32>,
    /// Whether the side to move has lost.
    pub checkmate: bool,
}

impl<G: Rules> Asked<'_, G> {
    /// Answers the question.
    ///
    /// # Errors
    /// [`ProbeError::Damaged`], [`ProbeError::Io`]; where a table is not there, values are none
    /// and [`Answer::error`] says which.
    pub fn answer(mut self, appraiser: &Appraiser<G>) -> Result<Answer, ProbeError> {
        let worth = appraiser.worth(&self.replay)?;
        let moves = self.moves(appraiser)?;
        let replay = &self.replay;
        let (profile, record) = (replay.profile(), replay.now());
        let slice = Slice::of(&record.position).0;
        let gap = match worth.standing() {
            None => appraiser.gap(replay)?,
            Some(_) => None,
        };
        let error = match (&gap, worth.theory) {
            (Some(gap), None) => Some(gap.words(record.side, profile)),
            _ => None,
        };
        let claim = claim(replay);
        Ok(Answer {
            variant: G::VARIANT.name,
            fen: Fen::new(record.side, record.position).to_string(),
            side: words::key(record.side),
            slice: slice.to_string(),
            profile: profile.name.clone(),
            counters: states(profile, record),
            repetition: record.occurrences,
            value: Fields::of(&worth),
            text: words::position(replay, &worth, claim.as_ref(), gap.as_ref()),
            claim,
            winner: record.winner.map(words::key),
            kind: error.is_some().then_some("missing"),
            error,
            legacy: Legacy::of(&worth, record.winner.is_some_and(|side| side != record.side)),
            moves,
        })
    }

    /// The legal moves, best first; those that are worth the same in the order of the generator.
    pub(crate) fn moves(&mut self, appraiser: &Appraiser<G>) -> Result<Vec<MoveRow>, ProbeError> {
        let now = self.replay.now();
        let (side, position, counters) = (now.side, now.position, now.counters);
        if position.waiter.all().none() {
            return Ok(Vec::new()); // the game is over
        }
        let all = legal_moves(&position);
        let mut rows = Vec::with_capacity(all.len());
        for action in &all {
            let from = G::Word::bit(G::board().bit_of(action.from));
            let converts = !action.is_quiet() || (position.mover.men & from).any();
            if self.replay.play(*action).is_err() {
                unreachable!("an illegal move among the legal ones");
            }
            let after = appraiser.worth(&self.replay)?;
            let record = self.replay.now();
            let spare = match &after.counted {
                Some(counted) => {
                    let ply = Ply::new(position, *action);
                    appraiser.under().spare_of_move(&ply, &counters, counted)
                }
                None => Ok(None),
            };
            let worth = before(&after, converts, spare.or_else(absent)?);
            let number = |square: Square| u32::from(diagram_square(side, G::board(), square).0) + 1;
            let row = MoveRow {
                text: move_text(side, &position, action, &all, G::VARIANT.notation),
                hub: hub_text::<G>(side, action),
                uci: hub_text::<G>(side, action),
                san: move_text(side, &position, action, &all, G::VARIANT.notation),
                fen: Fen::new(record.side, record.position).to_string(),
                path: path(&position, action).into_iter().map(number).collect(),
                captures: captured::<G>(action).map(number).collect(),
                promotes: action.promotes,
                converts,
                value: Fields::of(&worth),
                child: Fields::of(&after),
                claim: claim(&self.replay),
                legacy: Legacy::of(&after, record.winner == Some(side)),
                zeroing: converts,
            };
            rows.push((rank(&worth, record.winner.is_some()), row));
            self.replay.take_back();
        }
        rows.sort_by(|(one, _), (other, _)| other.cmp(one));
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }
}

/// How good a move is: what it is worth by the rules, then in theory, then whether it ends the game,
/// then how soon. A win that may be too late is better than a draw, and a loss that may be saved
/// better than one that is not.
fn rank(worth: &Worth, ends: bool) -> impl Ord + use<> {
    let by_rules = match (worth.standing(), worth.theory.map(|value| value.wld)) {
        (Some(Standing::Win), _) => 7,
        (None, Some(Wld::Win)) => 6,
        (Some(Standing::CursedWin), _) => 5,
        (Some(Standing::Draw), _) | (None, Some(Wld::Draw)) => 4,
        (None, None) => 3,
        (Some(Standing::BlessedLoss), _) => 2,
        (None, Some(Wld::Loss)) => 1,
        (Some(Standing::Loss), _) => 0,
    };
    (by_rules, ends, worth.counted.map(|counted| counted.preference()), worth.theory)
}

/// The squares that a move touches, in the mover's view.
fn path<G: Rules>(position: &Position<G>, action: &Move<G::Word>) -> Vec<Square> {
    capture_path(position, action).unwrap_or_else(|| vec![action.from, action.to])
}

fn captured<G: Rules>(action: &Move<G::Word>) -> impl Iterator<Item = Square> + use<G> {
    action.captured.indices().map(|bit| G::board().square_of(bit))
}

/// Nothing where a table is not there.
fn absent(error: ProbeError) -> Result<Option<u32>, ProbeError> {
    match error {
        ProbeError::Missing(_) => Ok(None),
        other => Err(other),
    }
}

/// The worth of a move that leads to a position, for the side that makes it, with its plies to spare.
fn before(after: &Worth, converts: bool, to_spare: Option<u32>) -> Worth {
    let dtc = |after: Distance| match (converts, after.wld()) {
        (false, _) => after.before(),
        // The move itself is the capture or man move that is counted to.
        (true, Wld::Loss) => Distance::Win(1),
        (true, Wld::Draw) => Distance::Draw,
        (true, Wld::Win) => Distance::Loss(1),
    };
    let theory = after.theory.map(|value| Value {
        wld: value.wld.turned(),
        dtw: value.dtw.map(Distance::before),
        dtc: value.dtc.map(dtc),
    });
    let counted = after.counted.map(|counted| Counted {
        standing: counted.standing.map(Standing::turned),
        in_theory: counted.in_theory.turned(),
        to_spare,
        ..counted
    });
    Worth { theory, counted, value: after.value.map(Wld::turned) }
}

/// The draw that is due; else that of the counter with the fewest plies left.
fn claim<G: Rules>(replay: &Replay<G>) -> Option<Claim> {
    let (profile, record) = (replay.profile(), replay.now());
    if record.winner.is_some() {
        return None;
    }
    let of_counter = |i: usize, plies_left| {
        let counter = profile.counters.get(i)?;
        Some(Claim {
            kind: counter.ending,
            by: counter.name.clone(),
            article: counter.article.clone(),
            status: counter.status,
            plies_left,
        })
    };
    // A draw that stands comes before one that may be claimed.
    let due = record.due.iter().min_by_key(|due| due.ending != Ending::Automatic);
    match due.map(|due| due.cause) {
        Some(Cause::Counter(i)) => of_counter(i, 0),
        Some(Cause::Repetition) => profile.repetition.as_ref().map(|rule| Claim {
            kind: rule.ending,
            by: "repetition".to_string(),
            article: rule.article.clone(),
            status: rule.status,
            plies_left: 0,
        }),
        None => {
            let left = |i| profile.left(i, &record.counters, &record.position);
            let (plies, i) =
                (0..profile.counters.len()).filter_map(|i| Some((left(i)?, i))).min()?;
            of_counter(i, plies)
        }
    }
}

impl Fields {
    fn of(worth: &Worth) -> Fields {
        let theory = worth.theory;
        let (budget, left) = needed(worth);
        let spare = worth.counted.and_then(|counted| counted.to_spare).map(i64::from);
        // Too late by so many.
        let late = || budget.zip(left).map(|(budget, left)| i64::from(left) - i64::from(budget));
        let spare = spare.or_else(late);
        Fields {
            category: category(worth.standing()),
            wld: theory.map(|value| value.wld.name()),
            dtw: theory.and_then(|value| value.dtw?.plies()),
            dtc: theory.and_then(|value| value.dtc?.plies()),
            budget,
            spare,
        }
    }
}

/// Plies that are needed for the result in theory to count, and plies that are left, where they are
/// known.
pub(crate) fn needed(worth: &Worth) -> (Option<u16>, Option<u32>) {
    let counted = worth.counted.as_ref();
    (counted.and_then(|c| c.budget?.plies()), counted.and_then(|c| c.left?.plies))
}

impl Legacy {
    fn of(worth: &Worth, lost: bool) -> Legacy {
        let wdl = match (worth.standing(), worth.theory.map(|value| value.wld)) {
            (None, None) => None,
            (None, Some(Wld::Win)) | (Some(Standing::Win), _) => Some(2),
            (None, Some(Wld::Loss)) | (Some(Standing::Loss), _) => Some(-2),
            (Some(Standing::CursedWin), _) => Some(1),
            (Some(Standing::BlessedLoss), _) => Some(-1),
            (None, Some(Wld::Draw)) | (Some(Standing::Draw), _) => Some(0),
        };
        let signed = |distance: Distance| match distance {
            Distance::Win(plies) => i32::from(plies),
            Distance::Draw => 0,
            Distance::Loss(plies) => -i32::from(plies),
        };
        Legacy {
            wdl,
            dtz: worth.theory.and_then(|value| value.dtc.map(signed)),
            dtm: worth.theory.and_then(|value| value.dtw.map(signed)),
            checkmate: lost,
        }
    }
}
