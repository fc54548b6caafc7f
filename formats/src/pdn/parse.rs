//! From words to games.

use super::token::{Kind, tokens};
use super::{Item, MAX_DEPTH, PdnError, RawGame};

/// Splits a text into games, by the grammar of PDN 3.0. A game begins with its tags, and ends with
/// its result, before the tags of the next, or with the text. Never panics.
///
/// # Errors
/// [`PdnError::Syntax`] where the text does not follow the grammar, or nests variations deeper than
/// [`MAX_DEPTH`].
pub fn read(text: &str) -> Result<Vec<RawGame>, PdnError> {
    let mut games: Vec<RawGame> = Vec::new();
    let mut game = RawGame::default();
    // Lines of play that are not finished: the variations around the current one, outermost first.
    let mut outer: Vec<(Vec<Item>, usize)> = Vec::new();
    let is_game = |game: &RawGame| !game.tags.is_empty() || !game.body.is_empty();
    for token in tokens(text)? {
        let line = token.line;
        match token.kind {
            Kind::Tag(name, value) => {
                check_closed(&outer)?;
                if !game.body.is_empty() {
                    finish(&mut games, std::mem::take(&mut game));
                }
                game.tags.push((name, value));
            }
            Kind::Result(outcome, text) if outer.is_empty() => {
                if is_game(&game) {
                    (game.result, game.result_text) = (Some(outcome), text);
                    finish(&mut games, std::mem::take(&mut game));
                }
                // Else it separates games, as PDN 3.0 has it.
            }
            Kind::Result(..) => {} // of a variation: it is not how the game ended
            Kind::Comment(text) => match games.last_mut() {
                // After the result it still belongs to the game that ended.
                Some(last) if !is_game(&game) => last.body.push(Item::Comment(text)),
                _ => game.body.push(Item::Comment(text)),
            },
            Kind::Move(text) => game.body.push(Item::Move { text, line }),
            Kind::Strength(text) => game.body.push(Item::Strength(text)),
            Kind::Nag(number) => game.body.push(Item::Nag(number)),
            Kind::Open => {
                if outer.len() == MAX_DEPTH {
                    let what = format!("variations are nested deeper than {MAX_DEPTH}");
                    return Err(PdnError::Syntax { line, what });
                }
                outer.push((std::mem::take(&mut game.body), line));
            }
            Kind::Close => {
                let Some((body, _)) = outer.pop() else {
                    let what = "')' ends no variation".to_string();
                    return Err(PdnError::Syntax { line, what });
                };
                let variation = std::mem::replace(&mut game.body, body);
                game.body.push(Item::Variation(variation));
            }
        }
    }
    check_closed(&outer)?;
    if is_game(&game) {
        finish(&mut games, game);
    }
    Ok(games)
}

fn finish(games: &mut Vec<RawGame>, mut game: RawGame) {
    game.number = games.len() + 1;
    games.push(game);
}

fn check_closed(outer: &[(Vec<Item>, usize)]) -> Result<(), PdnError> {
    match outer.last() {
        None => Ok(()),
        Some(&(_, line)) => {
            let what = "a variation begins here and does not end".to_string();
            Err(PdnError::Syntax { line, what })
        }
    }
}
