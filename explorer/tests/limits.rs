//! What no client can make the server do.

mod common;

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use common::*;
use damabase_explorer::Limits;

#[test]
fn ten_thousand_requests_are_answered() {
    const THREADS: usize = 16;
    let targets = [
        "/russian?fen=W:WK29,K31:BK6",
        "/international?fen=W:WK46,K47:BK3&history=47-38,3-9",
        "/russian?fen=W:WK29,99:BK6",
        "/international",
        "/russian/board.svg?fen=W:WK29:BK6",
    ];
    let began = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                use std::io::{BufRead, BufReader, Read};
                // One connection for all, as browsers have it.
                let stream = TcpStream::connect(*SERVER).unwrap();
                stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let mut writer = stream;
                for number in 0..10_000 / THREADS {
                    let target = targets[(number + thread) % targets.len()];
                    // At once: of a request in pieces the system holds back the second.
                    let request = format!("GET {target} HTTP/1.1\r\nhost: x\r\n\r\n");
                    writer.write_all(request.as_bytes()).unwrap();
                    let (mut status, mut length) = (String::new(), 0);
                    loop {
                        let mut line = String::new();
                        reader.read_line(&mut line).unwrap();
                        if status.is_empty() {
                            status = line.clone();
                        }
                        if let Some(text) = line.to_lowercase().strip_prefix("content-length:") {
                            length = text.trim().parse().unwrap();
                        }
                        if line.trim().is_empty() {
                            break;
                        }
                    }
                    let mut body = vec![0; length];
                    reader.read_exact(&mut body).unwrap();
                    let expected = match (number + thread) % targets.len() {
                        2 => "400",
                        3 => "404",
                        _ => "200",
                    };
                    assert!(status.contains(expected), "{target}: {status}");
                }
            });
        }
    });
    assert!(began.elapsed() < Duration::from_secs(240), "{:?}", began.elapsed());
}

#[test]
fn too_many_at_a_time_are_refused_with_503() {
    let none = start(TABLES.path(), Limits { requests: 0, ..Limits::default() });
    let reply = send(none, "GET", "/russian?fen=W:WK29:BK6", "", b"");
    assert_eq!(reply.refusal(503).0, "busy");
    assert!(reply.head.contains("retry-after: 1"), "{reply:?}");
    // Nobody's turn comes in time.
    let late = Limits { workers: 0, time: Duration::from_millis(50), ..Limits::default() };
    let late = start(TABLES.path(), late);
    let (kind, error) = send(late, "GET", "/health", "", b"").refusal(503);
    assert_eq!((kind.as_str(), error.as_str()), ("busy", "this took too long: try again later"));
}

#[test]
fn bodies_and_heads_have_a_size() {
    let small = start(TABLES.path(), Limits { body_bytes: 1000, ..Limits::default() });
    let body = "1. 32-28 {".to_string() + &"x".repeat(2000);
    assert_eq!(send(small, "POST", "/adjudicate", "", body.as_bytes()).refusal(413).0, "input");
    let head = format!("GET /?fen={} HTTP/1.1\r\nhost: x\r\n\r\n", "W".repeat(1 << 20));
    let reply = raw(small, head.as_bytes());
    assert!(reply.is_none_or(|reply| [414, 431].contains(&reply.status)));
    // A body that never comes.
    let time = Duration::from_millis(100);
    let slow = start(TABLES.path(), Limits { time, ..Limits::default() });
    let request = b"POST /adjudicate HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n1.";
    assert_eq!(raw(slow, request).unwrap().status, 408);
    // The server goes on.
    assert_eq!(send(small, "GET", "/health", "", b"").status, 200);
}

#[test]
fn what_is_no_http_does_no_harm() {
    for bytes in [&b"\0\xff\xfe hello\r\n\r\n"[..], b"GET", b"GET  HTTP/9\r\n\r\n", b"\r\n\r\n\r\n"]
    {
        let mut stream = TcpStream::connect(*SERVER).unwrap();
        let _ = stream.write_all(bytes);
    }
    for target in [
        "/russian?fen=%00%ff%fe",
        "/russian?fen=%E2%82%AC",
        "/?fen=%ff",
        "/russian?%",
        "/russian?fen=W:W&history=%00",
    ] {
        assert!([400, 404].contains(&get(target).status), "{target}");
    }
    let deep = "(".repeat(100_000);
    assert_eq!(post("/adjudicate?variant=20", &format!("1. 32-28 {deep}")).status, 400);
    assert_eq!(get("/health").status, 200);
}

/// Kings and men in lattices have the most captures; whatever is on the board, an answer comes.
#[test]
fn no_position_takes_long() {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |most: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % most
    };
    let began = Instant::now();
    for round in 0..300 {
        let (variant, squares) = [("international", 50), ("russian", 32)][round % 2];
        let density = 2 + random(6);
        let (mut white, mut black) = (Vec::new(), Vec::new());
        for square in 1..=squares {
            match random(10) {
                0 => white.push(format!("K{square}")),
                n if n <= density => black.push(format!("K{square}")),
                _ => {}
            }
        }
        let fen = format!("W:W{}:B{}", white.join(","), black.join(","));
        let one = Instant::now();
        let reply = get(&format!("/{variant}?fen={fen}"));
        assert!([200, 400, 404].contains(&reply.status), "{fen}: {reply:?}");
        assert!(one.elapsed() < Duration::from_secs(20), "{fen}: {:?}", one.elapsed());
    }
    assert!(began.elapsed() < Duration::from_secs(240), "{:?}", began.elapsed());
}

#[test]
fn other_sites_may_ask_only_where_they_are_let() {
    let preflight = "origin: https://example.org\r\naccess-control-request-method: POST\r\n";
    let reply = send(*SERVER, "OPTIONS", "/adjudicate", preflight, b"");
    assert_eq!(reply.status, 405);
    assert!(!reply.head.contains("access-control-allow-origin"), "{reply:?}");
    let cors = Some("https://example.org".to_string());
    let open = start(TABLES.path(), Limits { cors, ..Limits::default() });
    let reply = send(open, "OPTIONS", "/adjudicate", preflight, b"");
    assert_eq!(reply.status, 204);
    for reply in [reply, send(open, "GET", "/russian", "", b"")] {
        assert!(
            reply.head.contains("access-control-allow-origin: https://example.org"),
            "{reply:?}"
        );
    }
}

#[test]
fn a_damaged_table_is_named() {
    let dir = tables();
    let file = dir.path().join("russian/KKvK.wld");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..].iter_mut().for_each(|byte| *byte ^= 0x55);
    fs::write(&file, bytes).unwrap();
    let server = start(dir.path(), Limits::default());
    for target in ["/russian?fen=W:WK29,K31:BK6", "/?variant=russian&fen=W:WK29,K31:BK6"] {
        let reply = send(server, "GET", target, "", b"");
        assert_eq!(reply.status, 500, "{reply:?}");
        assert!(reply.body.contains("KKvK.wld"), "{reply:?}");
    }
    assert_eq!(send(server, "GET", "/russian?fen=W:WK29:BK6", "", b"").status, 200);
}
