//! No text makes the reader of draw profiles panic, and what it reads it reads again. Games are then
//! played by every profile: counters step, and what is made of them for tables agrees with them.
#![no_main]

use damabase_formats::Fen;
use damabase_rules::draws::{Countdowns, DrawProfile, Replay, Seeds};
use damabase_rules::{Material, Rules, VariantId, legal_moves, with_rules};
use libfuzzer_sys::fuzz_target;

/// First positions, on 8x8 and on 10x10 alike.
const FENS: [&str; 4] =
    ["W:WK29,K30,31:BK6", "W:WK32,22,23:BK10,K11,9", "B:WK13,K14:BK20,K19", "W:W21,22,26:B6,7,10"];

fn play<G: Rules>(profile: &DrawProfile, text: &str) {
    let mut state = text.bytes().fold(1_u32, |sum, byte| sum.wrapping_mul(31) ^ u32::from(byte));
    let mut random = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize % below
    };
    let Ok(fen) = Fen::<G>::parse(FENS[random(FENS.len())]) else { return };
    let Ok(mut game) = Replay::new(profile, fen.side, fen.position, &Seeds::default()) else {
        return;
    };
    let mut countdowns = Countdowns::new(profile);
    for _ in 0..40 {
        let now = game.now().clone();
        let sides = [Material::of(now.position.mover), Material::of(now.position.waiter)];
        let _ = countdowns.find(sides);
        let lefts = (0..profile.counters.len())
            .map(|i| profile.left(i, &now.counters, &now.position))
            .collect::<Vec<_>>();
        if let Some(left) = countdowns.left(&now.counters, &now.position) {
            // The single number is what is left on one of the counters.
            assert!(left.plies.is_none() || lefts.contains(&left.plies), "{left:?} {lefts:?}");
        }
        let moves = legal_moves(&now.position);
        if moves.is_empty() || now.winner.is_some() {
            break;
        }
        let action = moves[random(moves.len())];
        game.play(action).expect("a legal move");
        assert_eq!(game.take_back(), Some(action));
        assert_eq!(*game.now(), now);
        game.play(action).expect("a legal move");
    }
    let _ = game.first_draw();
}

fuzz_target!(|text: &str| {
    let Ok(profile) = DrawProfile::from_toml(text) else { return };
    let written = profile.to_toml();
    let again = DrawProfile::from_toml(&written).unwrap_or_else(|e| panic!("{e}\n{written}"));
    assert_eq!(again, profile, "{written}");
    let _ = profile.stairs_id();
    for &variant in VariantId::ALL {
        if profile.is_for(variant) {
            with_rules!(variant, G => play::<G>(&profile, text));
        }
    }
});
