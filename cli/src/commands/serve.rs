//! `damabase serve`: the explorer's page and the HTTP API.

use std::io::{Error, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use bytesize::ByteSize;
use clap::Args;
use damabase_explorer::{Explorer, Limits, Server};

use crate::failure::Failure;
use crate::output;
use crate::tables;

const EXAMPLES: &str = "\
Examples:
  damabase serve --dir tables
  damabase serve --port 9000 --cors '*'
  curl 'http://127.0.0.1:8080/russian?fen=W:WK29,K30,K31:BK6'

Ctrl-C ends it. The address is printed when it is ready. Tables may be added, replaced or taken away while
it runs: that counts within a second. GET /openapi.json describes the API. Only this
computer can reach it unless --host names another address; it has no passwords, so put a proxy before
it where others are to use it.";

/// Serve a page to explore positions, and an HTTP API
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Folder of the tables, which lie in DIR/VARIANT; may be given several times: of tables that are
    /// in two of them the first counts [default: the environment variable DAMABASE_DIR, else a data
    /// folder of the user]
    #[arg(long, value_name = "DIR")]
    dir: Vec<PathBuf>,
    /// The port; 0 takes a free one
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// The address to listen at
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: IpAddr,
    /// Let pages of another site use the API: an origin such as https://example.org, or *
    #[arg(long, value_name = "ORIGIN")]
    cors: Option<String>,
    /// Requests at a time, those that wait included; further ones are refused
    #[arg(long, value_name = "N", default_value_t = 256)]
    requests: usize,
    /// The time that a request may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    time: u64,
    /// The greatest size of a text that is sent to be judged
    #[arg(long, value_name = "SIZE", default_value = "128KiB")]
    body: ByteSize,
}

/// # Errors
/// [`Failure::Input`], [`Failure::Io`].
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let dirs = match arguments.dir {
        given if given.is_empty() => vec![tables::folder(None)?],
        given => given,
    };
    let limits = Limits {
        requests: arguments.requests,
        time: Duration::from_secs(arguments.time),
        body_bytes: usize::try_from(arguments.body.as_u64()).unwrap_or(usize::MAX),
        cors: arguments.cors,
        ..Limits::default()
    };
    let address = SocketAddr::new(arguments.host, arguments.port);
    let failure = |error: Error| match error.kind() {
        ErrorKind::InvalidInput => Failure::Input(format!("--cors: {error}")),
        _ => Failure::Io(format!("{address}: {error}")),
    };
    let explorer = Explorer::new(dirs.clone());
    let files = explorer.files()?;
    let server = Server::bind(address, explorer, limits).map_err(failure)?;
    let bound = server.address().map_err(failure)?;
    if files == 0 {
        let dirs: Vec<String> = dirs.iter().map(|dir| dir.display().to_string()).collect();
        output::note(&format!(
            "no tables yet in {}; 'damabase generate VARIANT --pieces 4' makes some",
            dirs.join(", ")
        ));
    }
    output::note(&format!("listening at http://{bound}"));
    server.run().map_err(failure)
}
