//! From the text of a game to legal moves.

use damabase_rules::{MoveList, Notation, Position, Rules, Side, Word, legal_moves};

use super::{BadMove, Game, Item, Line, PdnError, Played, RawGame};
use crate::{Fen, MoveTextError, move_text, parse_move};

impl RawGame {
    /// Checks every move, also those of variations, and gives the game.
    ///
    /// The game begins with the position of the `FEN` tag, unless the `SetUp` tag is `0`; else at
    /// the start of the variant.
    ///
    /// # Errors
    /// [`PdnError`]; never panics.
    pub fn resolve<G: Rules>(&self) -> Result<Game<G>, PdnError> {
        let starts = self.check_game_type::<G>()?;
        let fen = self.tag("FEN").filter(|_| self.tag("SetUp").is_none_or(|set| set != "0"));
        let start = match fen {
            Some(text) => {
                Fen::parse(text).map_err(|source| PdnError::Fen { game: self.number, source })?
            }
            None => Fen::new(starts, Position::start()),
        };
        let line = self.line(&self.body, (start.side, start.position), 0)?;
        let (number, tags, result) = (self.number, self.tags.clone(), self.result);
        Ok(Game { number, tags, start, line, result, result_text: self.result_text.clone() })
    }

    /// Who begins. A full `GameType` must number the board as the variant does.
    fn check_game_type<G: Rules>(&self) -> Result<Side, PdnError> {
        let variant = &G::VARIANT;
        let text = self.tag("GameType").unwrap_or("");
        let fields: Vec<String> =
            text.split(',').map(|field| field.trim().to_ascii_uppercase()).collect();
        // PDN 3.0: where square 1 or a1 lies as the starting player sees it. Both notations are
        // read in any game, so either may be announced. PlayOK (kurnik) announces N1 and numbers as N2.
        let placed: &[&str] = match (variant.notation, variant.starts) {
            (Notation::Algebraic, _) => &["A0", "N2"],
            (Notation::Numeric, Side::White) => &["N2", "A0", "N1"],
            (Notation::Numeric, Side::Black) => &["N1", "A3"],
        };
        let (width, height) = (variant.board.width.to_string(), variant.board.height.to_string());
        let fits = [&[width.as_str()][..], &[height.as_str()], placed, &["0"]];
        let fields_fit =
            fields.iter().skip(2).zip(fits).all(|(f, fits)| fits.contains(&f.as_str()));
        if !fields_fit {
            let (number, letter) = (variant.game_type, variant.starts.letter());
            let expected = format!("{number},{letter},{width},{height},{},0", placed[0]);
            let text = text.chars().take(40).collect();
            return Err(PdnError::GameType { game: self.number, text, expected });
        }
        Ok(match fields.get(1).map(String::as_str) {
            Some("W") => Side::White,
            Some("B") => Side::Black,
            _ => variant.starts,
        })
    }

    /// The moves of a line that begins after `plies` plies. Calls itself for variations, which are
    /// not nested deeper than [`MAX_DEPTH`](super::MAX_DEPTH).
    fn line<G: Rules>(
        &self,
        items: &[Item],
        start: (Side, Position<G>),
        plies: usize,
    ) -> Result<Line<G>, PdnError> {
        let mut line = Line { comments: Vec::new(), moves: Vec::<Played<G>>::new() };
        let (mut before, mut now) = (start, start);
        for item in items {
            let no_move = |what| PdnError::NoMove { game: self.number, what };
            match item {
                Item::Move { text, line: at_line } => {
                    let (side, position) = now;
                    let ply = plies + line.moves.len() + 1;
                    // Who has taken everything has won, and moves no more.
                    let is_over = position.waiter.all().none();
                    let action = match parse_move(side, &position, text) {
                        Ok(_) if is_over => {
                            Err(MoveTextError::Illegal(text.chars().take(60).collect()))
                        }
                        parsed => parsed,
                    };
                    let action = action.map_err(|source| {
                        let all = if is_over { MoveList::new() } else { legal_moves(&position) };
                        let notation = if text.starts_with(|c: char| c.is_ascii_alphabetic()) {
                            Notation::Algebraic
                        } else {
                            Notation::Numeric
                        };
                        let candidates = all
                            .iter()
                            .map(|m| move_text(side, &position, m, &all, notation))
                            .collect();
                        let (game, text) = (self.number, text.clone());
                        let line = *at_line;
                        let bad = BadMove { game, ply, line, text, source, candidates };
                        PdnError::Move(Box::new(bad))
                    })?;
                    before = now;
                    now = (side.other(), position.after(&action));
                    line.moves.push(Played {
                        action,
                        strength: String::new(),
                        nags: Vec::new(),
                        comments: Vec::new(),
                        variations: Vec::new(),
                    });
                }
                Item::Comment(text) => match line.moves.last_mut() {
                    Some(last) => last.comments.push(text.clone()),
                    None => line.comments.push(text.clone()),
                },
                Item::Strength(text) => match line.moves.last_mut() {
                    Some(last) => last.strength.push_str(text),
                    None => return Err(no_move("a mark of strength")),
                },
                Item::Nag(number) => match line.moves.last_mut() {
                    Some(last) => last.nags.push(*number),
                    None => return Err(no_move("a numeric mark")),
                },
                Item::Variation(items) => {
                    let ply = plies + line.moves.len();
                    let Some(last) = line.moves.last_mut() else {
                        return Err(no_move("a variation"));
                    };
                    last.variations.push(self.line(items, before, ply - 1)?);
                }
            }
        }
        Ok(line)
    }
}
