//! A server on tables of its own, and a client that says exactly what goes over the wire.
#![allow(dead_code)] // every test file uses a part of this

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use damabase_explorer::{Explorer, Limits, Server};
use damabase_formats::Metric;
use damabase_generator::{Options, Silent, generate};
use damabase_rules::VariantId;
use damabase_rules::draws::default_profile;
use serde_json::Value;
use tempfile::TempDir;

/// Tables of Russian and international draughts up to 3 pieces, with distances and with
/// budgets under the default draw rules.
pub static TABLES: LazyLock<TempDir> = LazyLock::new(tables);

/// A server on [`TABLES`].
pub static SERVER: LazyLock<SocketAddr> = LazyLock::new(|| {
    // A busy machine is no fault of the server's.
    start(TABLES.path(), Limits { time: Duration::from_secs(60), ..Limits::default() })
});

pub fn tables() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for variant in [VariantId::Russian, VariantId::International] {
        make(dir.path(), variant, &[], &[Metric::Wld, Metric::Dtw, Metric::Dtc]);
        make(dir.path(), variant, &[], &[Metric::Budget]);
    }
    dir
}

/// Makes tables of slices, or, without any, of all with up to 3 pieces; budgets are those under the
/// default draw rules.
pub fn make(dir: &Path, variant: VariantId, slices: &[&str], metrics: &[Metric]) {
    let options = Options {
        dir: dir.to_path_buf(),
        profile: metrics.contains(&Metric::Budget).then(|| default_profile(variant).clone()),
        pieces: slices.is_empty().then_some(3),
        slices: slices.iter().map(|name| name.parse().unwrap()).collect(),
        metrics: metrics.to_vec(),
        threads: Some(2),
        ..Options::default()
    };
    generate(variant, &options, &AtomicBool::new(false), &Silent).unwrap();
}

/// Starts a server that goes on until the test's process ends.
pub fn start(dir: &Path, limits: Limits) -> SocketAddr {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = Server::bind(address, Explorer::new(vec![dir.to_path_buf()]), limits).unwrap();
    let address = server.address().unwrap();
    std::thread::spawn(move || server.run());
    address
}

/// What came back.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    /// The head, in lower case.
    pub head: String,
    pub body: String,
}

impl Reply {
    pub fn json(&self) -> Value {
        assert!(self.head.contains("content-type: application/json"), "{self:?}");
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The JSON of a reply that went well.
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        self.json()
    }

    /// Kind and message of a refusal.
    pub fn refusal(&self, status: u16) -> (String, String) {
        assert_eq!(self.status, status, "{self:?}");
        let value = self.json();
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_string();
        (text("kind"), text("error"))
    }
}

/// Sends bytes and reads until the server closes the connection.
pub fn raw(address: SocketAddr, request: &[u8]) -> Option<Reply> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    // A server that refuses may close before all is sent.
    let _ = stream.write_all(request);
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some(Reply { status, head: head.to_lowercase(), body: body.to_string() })
}

pub fn send(address: SocketAddr, method: &str, target: &str, more: &str, body: &[u8]) -> Reply {
    let length = body.len();
    let mut request = format!(
        "{method} {target} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         content-length: {length}\r\n{more}\r\n"
    )
    .into_bytes();
    request.extend_from_slice(body);
    raw(address, &request).unwrap()
}

pub fn get(target: &str) -> Reply {
    send(*SERVER, "GET", target, "", b"")
}

pub fn post(target: &str, body: &str) -> Reply {
    send(*SERVER, "POST", target, "content-type: text/plain\r\n", body.as_bytes())
}
