//! The header that is checked in is the one that the sources give.
//!
//! `DAMABASE_WRITE_HEADER=1 cargo test -p damabase-c --test header` writes it anew.

use std::path::Path;
use std::{env, fs};

#[test]
fn the_header_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let bindings = cbindgen::generate_with_config(root, config).unwrap();
    let mut bytes = Vec::new();
    bindings.write(&mut bytes);
    let text = String::from_utf8(bytes).unwrap();
    let path = root.join("include/damabase.h");
    if env::var_os("DAMABASE_WRITE_HEADER").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap();
    assert!(found == text, "include/damabase.h is not what the sources give: see tests/header.rs");
    // What C sees is all that there is.
    for name in ["damabase_new", "damabase_open", "damabase_close", "damabase_probe_wld"] {
        assert!(text.contains(&format!("{name}(")), "{name}");
    }
}
