//! Pictures, pages and the server, from outside.

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use common::*;

#[test]
fn a_diagram_is_drawn_with_letters_or_as_a_picture() {
    let text = damabase("board W:WK29,K30:BK6,16 --variant russian");
    let rows: Vec<&str> = text.text().lines().collect();
    assert_eq!((rows.len(), rows[7]), (9, "1 | W   W   .   .   | 29-32"), "{text:?}");

    let run = damabase("board W:WK29,K30:BK6,16 --variant russian --svg");
    let svg = run.text();
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""), "{svg}");
    assert!(svg.ends_with("</svg>\n"), "{svg}");
    let title = "<title>White to move. White: kings a1, c1. Black: king c7; man g5.</title>";
    assert!(svg.contains(title), "{svg}");
    assert_eq!(svg.matches("class=\"square\"").count(), 32);
    let kinds = ["white king", "white man", "black king", "black man"];
    let number = |kind: &str| svg.matches(&format!("class=\"piece {kind}\"")).count();
    assert_eq!(kinds.map(number), [2, 0, 1, 1]);
    // 29 is at the left edge below, and at the right edge above when the board is turned.
    let at = |svg: &str| {
        let rest = svg.split("class=\"piece white king\" data-square=\"29\"").nth(1).unwrap();
        rest[..rest.find('>').unwrap()].to_string()
    };
    let turned = damabase("board W:WK29,K30:BK6,16 --variant russian --svg --turned");
    assert_eq!(at(svg), " transform=\"translate(43 375)\"");
    assert_eq!(at(turned.text()), " transform=\"translate(393 25)\"");

    let board = damabase("board W:W31:B20 --svg");
    assert_eq!(board.text().matches("class=\"square\"").count(), 50);
    assert!(damabase("board W:W1:B20 --svg").failure(2).contains("promotion row"));
    assert_eq!(damabase("board W:W31:B20 --turned").code, 2, "letters cannot be turned");
}

#[test]
fn statistics_are_written_as_pages() {
    let dir = tables("russian --pieces 2 --metric wld,dtw");
    let out = dir.path().join("a site");
    let write = |variant: &str| {
        let mut command = command(&format!("stats {variant}"));
        let run = command.arg("--dir").arg(dir.path()).arg("--html").arg(&out).output().unwrap();
        (run.status.code().unwrap(), String::from_utf8(run.stderr).unwrap())
    };
    let (code, note) = write("russian");
    assert_eq!((code, note), (0, format!("5 pages in {}\n", out.display())));
    let all = files(&out);
    let names: Vec<&str> = all.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "index.html",
            "russian-KvK.html",
            "russian-KvM.html",
            "russian-MvM.html",
            "russian.html",
            "style.css"
        ]
    );
    let text = |name: &str| String::from_utf8(all[name].clone()).unwrap();
    let page = text("russian.html");
    for part in ["<!doctype html>", "<h2>Russian draughts</h2>", "992", "class=\"bar\""] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let slice = text("russian-KvM.html");
    for part in ["K to move against M", "class=\"histogram\"", "Longest wins", "class=\"board\""] {
        assert!(slice.contains(part), "{part}: {slice}");
    }
    // All links lead to files that are there, and nothing is fetched from elsewhere.
    for (name, bytes) in &all {
        let text = String::from_utf8_lossy(bytes);
        for link in text.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            assert!(link == "data:," || all.contains_key(link), "{name}: {link}");
        }
        assert!(!text.contains("src="), "{name}");
    }
    // A second game joins the first.
    let made = damabase_in(dir.path(), "generate english --pieces 2 --progress none");
    assert_eq!(made.code, 0, "{made:?}");
    assert_eq!(write("english").0, 0);
    let index = fs::read_to_string(out.join("index.html")).unwrap();
    assert!(index.contains("href=\"russian.html\"") && index.contains("href=\"english.html\""));
    assert!(
        fs::read_to_string(out.join("english-KvM.html")).unwrap().contains("no table of distances")
    );

    let run = damabase_in(dir.path(), "stats international --html out");
    assert!(run.failure(3).starts_with("no tables of international"), "{run:?}");
    fs::write(dir.path().join("file"), "").unwrap();
    let under_file = dir.path().join("file/site");
    let mut command = command("stats russian");
    let run = command.arg("--dir").arg(dir.path()).arg("--html").arg(under_file).output().unwrap();
    assert_eq!(run.status.code(), Some(5));
}

/// A server that ends with the test.
struct Served {
    child: Child,
    address: String,
    notes: Vec<String>,
}

impl Served {
    fn start(arguments: &str, dirs: &[&std::path::Path]) -> Served {
        let mut command = command(&format!("serve --port 0 {arguments}"));
        for dir in dirs {
            command.arg("--dir").arg(dir);
        }
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut notes = Vec::new();
        let address = loop {
            let line = lines.next().expect("a line of the server").unwrap();
            match line.strip_prefix("listening at http://") {
                Some(address) => break address.to_string(),
                None => notes.push(line),
            }
        };
        Served { child, address, notes }
    }

    fn get(&self, target: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET {target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        reply
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_server_says_where_it_listens_and_what_is_wrong() {
    let (one, two) = (tables("russian --pieces 2"), tables("english --pieces 2"));
    let served = Served::start("", &[one.path(), two.path()]);
    assert!(served.address.starts_with("127.0.0.1:"), "{}", served.address);
    assert_eq!(served.notes, Vec::<String>::new());
    for target in ["/russian?fen=W:WK29:BK6", "/english?fen=W:WK29:BK6", "/health"] {
        let reply = served.get(target);
        assert!(reply.starts_with("HTTP/1.1 200 OK\r\n"), "{target}: {reply}");
    }
    let port = served.address.rsplit(':').next().unwrap();
    let run = damabase_in(one.path(), &format!("serve --port {port}"));
    assert!(run.failure(5).starts_with(&format!("127.0.0.1:{port}: ")), "{run:?}");

    // Without tables it says so, and goes on: they may come.
    let nothing = one.path().join("nothing");
    let served = Served::start("", &[&nothing]);
    let note = format!("no tables yet in {}", nothing.display());
    assert!(served.notes.len() == 1 && served.notes[0].starts_with(&note), "{:?}", served.notes);
    // A folder that is none cannot become one.
    let file = one.path().join("russian");
    fs::rename(&file, one.path().join("away")).unwrap();
    fs::write(&file, "").unwrap();
    assert!(damabase_in(one.path(), "serve --port 0").failure(5).contains("list the folder"));

    for cors in ["example.org", "https://example.org/", "https://", "null", "a\u{e9}://x"] {
        let run = damabase_in(two.path(), &format!("serve --port 0 --cors {cors}"));
        assert!(run.failure(2).starts_with("--cors: "), "{run:?}");
    }
}
