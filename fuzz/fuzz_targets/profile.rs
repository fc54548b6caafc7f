//! No text makes the reader of draw profiles panic, and what it reads it reads again.
#![no_main]

use damabase_rules::draws::DrawProfile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(profile) = DrawProfile::from_toml(text) {
        DrawProfile::from_toml(&profile.to_toml()).unwrap();
    }
});
