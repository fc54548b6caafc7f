//! No bytes make the reader of PDN panic.
#![no_main]

use damabase_formats::pdn;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for game in pdn::read(&pdn::decode(bytes)).into_iter().flatten() {
        let _ = (game.tag("FEN"), game.game_type(), game.greatest_square());
    }
});
