//! The command `speed` from outside.

use std::process::Command;

fn rows(arguments: &[&str]) -> Vec<serde_json::Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_speed")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn rows_have_positions_and_times_of_both_solvers() {
    let rows = rows(&["russian", "--pieces", "3", "--slice", "KvK", "--reference=2", "--json"]);
    let whats: Vec<_> = rows.iter().map(|row| row["what"].as_str().unwrap()).collect();
    assert_eq!(whats, ["2 pieces", "3 pieces", "KvK", "all"]);
    // Two kings on 32 squares; what is named twice counts once.
    assert_eq!(rows[2]["positions"], 32 * 31);
    let positions = |row: usize| rows[row]["positions"].as_u64().unwrap();
    assert_eq!(positions(3), positions(0) + positions(1));
    assert!(rows.iter().all(|row| row["solver"]["cpu_seconds"].as_f64().unwrap() > 0.0));
    assert!(rows[0]["times_reference"].as_f64().unwrap() > 0.0);
    assert!(rows[1].get("reference").is_none(), "more than 2 pieces");
}

#[test]
fn what_depends_alone_is_not_measured() {
    let rows = rows(&["english", "--slice", "KMvK", "--dependencies-only", "--json"]);
    assert_eq!(rows.len(), 1);
    assert!(rows[0].get("solver").is_none());
    // A man on 28 squares and two kings, either side to move.
    assert_eq!(rows[0]["positions"], 2 * 28 * 31 * 30);
}
