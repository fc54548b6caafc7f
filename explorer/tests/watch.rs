//! Tables that come, change and go while the server runs.

mod common;

use std::fs;
use std::time::{Duration, Instant};

use common::*;
use damabase_explorer::Limits;
use damabase_formats::Metric;
use damabase_rules::VariantId;

/// Asks until the answer has a code, which it must have soon.
fn wait_for(server: std::net::SocketAddr, target: &str, status: u16) -> Reply {
    let began = Instant::now();
    loop {
        let reply = send(server, "GET", target, "", b"");
        if reply.status == status {
            return reply;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "{target}: {reply:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn tables_count_as_they_come_change_and_go() {
    let dir = tempfile::tempdir().unwrap();
    let server = start(dir.path(), Limits::default());
    let target = "/russian?fen=W:WK29:BK6";
    let none = send(server, "GET", target, "", b"");
    assert!(none.refusal(404).1.starts_with("there is no table of russian"), "{none:?}");

    make(dir.path(), VariantId::Russian, &["KvK"], &[Metric::Wld]);
    let answer = wait_for(server, target, 200).json();
    assert_eq!((&answer["wld"], &answer["dtw"]), (&"draw".into(), &serde_json::Value::Null));
    let stats = "/russian/stats?slice=KvK";
    assert_eq!(send(server, "GET", stats, "", b"").ok()["metric"], serde_json::Value::Null);

    // A file that is written over, and one that takes its place.
    let file = dir.path().join("russian/KvK.wld");
    let whole = fs::read(&file).unwrap();
    fs::write(&file, "no table").unwrap();
    assert_eq!(wait_for(server, target, 500).refusal(500).0, "damaged");
    fs::write(&file, whole).unwrap();
    wait_for(server, target, 200);

    // What was worked out from other tables is forgotten.
    make(dir.path(), VariantId::Russian, &["KvK"], &[Metric::Dtw]);
    let began = Instant::now();
    while send(server, "GET", stats, "", b"").ok()["metric"] != "dtw" {
        assert!(began.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(100));
    }

    fs::remove_dir_all(dir.path().join("russian")).unwrap();
    wait_for(server, target, 404);
}
