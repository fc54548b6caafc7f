//! No bytes make the reader of PDN panic, nor what is done with its games: moves are resolved as
//! those of every game, what is legal is written and read again, and games are judged.
#![no_main]

use damabase_adjudicate::{Court, Library};
use damabase_formats::pdn::{self, RawGame};
use damabase_rules::draws::Replay;
use damabase_rules::{Rules, VariantId, with_rules};
use libfuzzer_sys::fuzz_target;

/// Games of a text that are looked at, and their moves.
const MOST_GAMES: usize = 4;
const MOST_ITEMS: usize = 60;

fn check<G: Rules>(raw: &RawGame) {
    let Ok(game) = raw.resolve::<G>() else { return };
    // Every move is legal in its place.
    let profile = damabase_rules::draws::default_profile(G::ID);
    let seeds = Default::default();
    if let Ok(mut replay) = Replay::new(profile, game.start.side, game.start.position, &seeds) {
        for played in &game.line.moves {
            replay.play(played.action).expect("a legal move");
        }
    }
    let written = game.to_string();
    let again = pdn::read(&written).unwrap_or_else(|error| panic!("{error}\n{written}"));
    assert_eq!(again.len(), 1, "{written}");
    let again = again[0].resolve::<G>().unwrap_or_else(|error| panic!("{error}\n{written}"));
    assert_eq!(again.start, game.start, "{written}");
    let actions = |line: &pdn::Line<G>| line.moves.iter().map(|m| m.action).collect::<Vec<_>>();
    assert_eq!(actions(&again.line), actions(&game.line), "{written}");
    assert_eq!(again.to_string(), written);
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(games) = pdn::read(&pdn::decode(bytes)) else { return };
    let library = Library::default();
    for game in games.iter().take(MOST_GAMES) {
        let _ = (game.tag("FEN"), game.game_type(), game.greatest_square());
        if game.body.len() > MOST_ITEMS {
            continue;
        }
        for &variant in VariantId::ALL {
            with_rules!(variant, G => check::<G>(game));
        }
        let court = Court { at: Some(game.body.len() as u32 / 2), ..Court::default() };
        for court in [Court::default(), court] {
            if let Ok((judged, annotated)) = court.judge(game, &library) {
                assert!(judged.at.is_some() == court.at.is_some());
                pdn::read(&annotated).unwrap_or_else(|error| panic!("{error}\n{annotated}"));
            }
        }
    }
});
