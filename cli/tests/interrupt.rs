//! Runs that are stopped, killed or at work together: nothing finished is lost, and the bytes are
//! those of an undisturbed run.

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{command, damabase_in, files, finish, spawn, tables};
use serde_json::Value;

/// Takes long enough to be met at work, and not long.
const WORK: &str = "generate russian --slice KMvKM --threads 1";

fn undisturbed() -> BTreeMap<String, Vec<u8>> {
    let dir = tables(WORK.strip_prefix("generate ").unwrap());
    files(&dir.path().join("russian"))
}

fn start(dir: &Path) -> Command {
    let mut start = command(WORK);
    start.arg("--dir").arg(dir);
    start
}

#[test]
fn a_killed_run_goes_on_to_the_same_bytes() {
    let began = Instant::now();
    let expected = undisturbed();
    let whole = began.elapsed();
    // Moments spread over the run by the golden ratio, several times over; each run gets as far
    // as it gets.
    let (mut kills, mut finished_before) = (0, 0);
    for round in 0..3 {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("russian");
        for n in 1..=6u32 {
            let mut child = spawn(&mut start(dir.path()));
            let part = (f64::from(round * 6 + n) * 0.618_034).fract();
            sleep(whole.mul_f64(part * 0.7));
            child.kill().unwrap(); // SIGKILL
            if child.wait().unwrap().code().is_none() {
                kills += 1;
            }
            // What has its name is whole, and stays as it is.
            if folder.exists() {
                for (name, bytes) in files(&folder) {
                    if name.ends_with(".wld") {
                        assert!(expected[&name] == bytes, "{name} after a kill");
                        finished_before += 1;
                    }
                }
            }
        }
        let run = finish(spawn(&mut start(dir.path())));
        assert_eq!(run.code, 0, "{run:?}");
        let found = files(&folder);
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        assert!(found == expected, "other bytes after kills");
    }
    assert!(kills > 0 && finished_before > 0, "{kills} kills, {finished_before} files");
}

#[test]
fn two_runs_on_one_folder_share_the_work() {
    let expected = undisturbed();
    let dir = tempfile::tempdir().unwrap();
    let runs = [(); 3].map(|()| spawn(start(dir.path()).arg("--json").arg("--progress=none")));
    let mut made: Vec<String> = Vec::new();
    for run in runs.map(finish) {
        let json = run.json();
        let slices = json["slices"].as_array().unwrap();
        assert_eq!(slices.len(), expected.len());
        let own = slices.iter().filter(|row| row["made"] == Value::Bool(true));
        made.extend(own.map(|row| format!("{}.wld", row["slice"].as_str().unwrap())));
    }
    made.sort();
    assert_eq!(made, expected.keys().cloned().collect::<Vec<_>>(), "each slice is made once");
    assert!(files(&dir.path().join("russian")) == expected);
}

#[test]
#[cfg(unix)]
fn ctrl_c_says_how_to_go_on() {
    let dir = tempfile::tempdir().unwrap();
    // Far too much to be finished.
    let start = || {
        let mut start = command("generate russian --pieces 6 --progress plain");
        spawn(start.arg("--dir").arg(dir.path()))
    };
    let child = start();
    let first = dir.path().join("russian/MvM.wld");
    let began = Instant::now();
    while !first.exists() {
        assert!(began.elapsed() < Duration::from_secs(60), "no table was made");
        sleep(Duration::from_millis(5));
    }
    let interrupt = |pid: u32| {
        let kill = Command::new("sh").arg("-c").arg(format!("kill -INT {pid}")).status();
        assert!(kill.unwrap().success());
    };
    interrupt(child.id());
    let run = finish(child);
    let failure = run.failure(130);
    let words: Vec<&str> = failure.split(' ').collect();
    assert!(
        failure.starts_with("interrupted; ")
            && failure.contains(" slices are finished, run the same command to go on")
    );
    let finished: usize = words[1].parse().unwrap();
    let found = files(&dir.path().join("russian"));
    assert_eq!(found.len(), finished, "{failure}: {:?}", found.keys());
    assert!(finished >= 3);

    // The next run goes on from there; stopped again, it has lost nothing.
    let child = start();
    sleep(Duration::from_millis(300));
    interrupt(child.id());
    let run = finish(child);
    assert_eq!(run.code, 130, "{run:?}");
    let later = files(&dir.path().join("russian"));
    assert!(found.iter().all(|(name, bytes)| later.get(name) == Some(bytes)));
    assert!(damabase_in(dir.path(), "verify russian --sample 0.02 --progress none").code == 0);
}
