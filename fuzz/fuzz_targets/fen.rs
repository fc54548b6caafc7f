//! No text makes the reader of FEN panic. What it reads it writes in the one strict form, which
//! says the same; and every legal move of the position is known again by each of its texts.
#![no_main]

use damabase_formats::{Fen, Notation, hub_text, move_text, parse_move, picture};
use damabase_rules::{Brazilian, English, International, Rules, Russian, Word, legal_moves};
use libfuzzer_sys::fuzz_target;

/// With more pieces there are too many ways to capture to look at each.
const MOST_PIECES: u32 = 10;

fn check<G: Rules>(text: &str) {
    let Ok(fen) = Fen::<G>::parse(text) else { return };
    let written = fen.to_string();
    let again = Fen::<G>::parse(&written).expect("what was written is read");
    assert_eq!(again, fen);
    assert_eq!(again.to_string(), written);
    assert!(!picture(fen.side, &fen.position).is_empty());
    let (side, position) = (fen.side, &fen.position);
    if position.mover.all().count() + position.waiter.all().count() > MOST_PIECES {
        return;
    }
    let all = legal_moves(position);
    for action in &all {
        for notation in [Notation::Numeric, Notation::Algebraic] {
            if notation == Notation::Algebraic && G::board().width != 8 {
                continue;
            }
            let text = move_text(side, position, action, &all, notation);
            assert_eq!(parse_move(side, position, &text), Ok(*action), "{written} {text}");
        }
        let text = hub_text::<G>(side, action);
        assert_eq!(parse_move(side, position, &text), Ok(*action), "{written} {text}");
    }
}

fuzz_target!(|text: &str| {
    check::<International>(text);
    check::<Russian>(text);
    check::<Brazilian>(text);
    check::<English>(text);
});
