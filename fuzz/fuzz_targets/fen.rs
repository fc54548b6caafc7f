//! No text makes the reader of FEN panic, and what it reads it reads again.
#![no_main]

use damabase_formats::Fen;
use damabase_rules::{English, International, Russian};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(fen) = Fen::<International>::parse(text) {
        let again = Fen::<International>::parse(&fen.to_string()).unwrap();
        assert_eq!(again.position, fen.position);
    }
    let _ = Fen::<Russian>::parse(text);
    let _ = Fen::<English>::parse(text);
});
