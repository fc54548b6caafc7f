//! Seeing tables: positions as pictures, statistics as pages, and a server with an HTTP API and a
//! page to explore.

pub mod answer;
mod best_line;
mod board;
mod html;
mod page;
mod question;
mod routes;
mod server;
mod service;
mod site;
pub mod statistics;
mod stats_page;
mod words;

pub use answer::Answer;
pub use best_line::BestLine;
pub use board::{BoardOptions, board_svg};
pub use html::grouped;
pub use question::{BadQuestion, ExploreError, Question};
pub use routes::OPENAPI;
pub use server::{Limits, Server};
pub use service::Explorer;
pub use site::{SiteError, write_site};
