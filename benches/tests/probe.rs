//! The command `probe` from outside.

use std::path::Path;
use std::process::Command;

fn rows(dir: &Path, arguments: &[&str]) -> Vec<(String, serde_json::Value)> {
    let output = Command::new(env!("CARGO_BIN_EXE_probe"))
        .args(["russian", "--pieces", "3", "--json", "--dir"])
        .arg(dir)
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let row = |line| {
        let row: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).unwrap();
        row.into_iter().next().unwrap()
    };
    text.lines().map(row).collect()
}

#[test]
fn every_part_gives_rows_with_sizes_and_hit_rates() {
    let dir = tempfile::tempdir().unwrap();
    let few = ["--positions", "100", "--memory-probes", "2000", "--memory-cache", "1"];
    let all = rows(dir.path(), &few);
    let kinds = |kind: &str| -> Vec<&serde_json::Value> {
        all.iter().filter(|(name, _)| name == kind).map(|(_, row)| row).collect()
    };
    let number = |row: &serde_json::Value, name: &str| row[name].as_f64().unwrap();
    assert_eq!((kinds("timer").len(), kinds("search").len(), kinds("rank").len()), (1, 1, 2));
    let probes = kinds("probe");
    for state in ["warm", "no cache", "small cache", "cold", "warm, if cached", "warm, bitboards"] {
        assert!(probes.iter().any(|row| row["state"] == state), "{state}");
    }
    for row in &probes {
        assert!(number(row, "table_bytes") > 1000.0);
        let (hits, cache) = (number(row, "hit_rate"), number(row, "cache_bytes"));
        match row["state"].as_str().unwrap() {
            "no cache" => assert_eq!((hits, cache), (0.0, 0.0)),
            "warm" => assert!(hits > 0.9 && cache > 0.0, "{row}"),
            _ => {}
        }
        // Compact tables look further than search tables.
        let lookups = number(row, "lookups");
        if row["layout"] == "search" && row["positions"] == "quiet" {
            assert_eq!(lookups, 1.0);
        }
    }
    assert_eq!(kinds("threads").len(), 2 * 4 * 2);
    assert_eq!(number(kinds("open")[0], "tables"), 300.0);
    for row in kinds("memory") {
        assert!(number(row, "cache_bytes") <= number(row, "cache_limit_bytes"));
        assert!(number(row, "grown_bytes") > 0.0);
    }
    // Tables that are there are not made again, and a part is measured alone.
    let rank: Vec<String> = rows(dir.path(), &["--part", "rank", "--positions", "100"])
        .into_iter()
        .map(|r| r.0)
        .collect();
    assert_eq!(rank, ["timer", "search", "rank", "rank"]);
}
