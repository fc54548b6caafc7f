//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use damabase_formats::Notation;

use crate::commands::{
    adjudicate, board, convert, generate, hub, line, moves, perft, probe, profiles, serve, stats,
    verify,
};

const EXIT_CODES: &str = "\
Variants: international (20), russian (25), brazilian (26), english (21); the number is PDN's
GameType and may be given instead of the name.

Exit codes:
  0    done
  1    a check gave a negative answer
  2    wrong usage or input
  3    a table is missing
  4    a table is damaged
  5    files or folders cannot be read or written
  130  interrupted by Ctrl-C; what is finished is kept";

/// Endgame tables for the draughts family: generate, verify and probe them
#[derive(Parser)]
#[command(name = "damabase", version, after_help = EXIT_CODES, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    Generate(generate::Arguments),
    Probe(probe::Arguments),
    Verify(verify::Arguments),
    Stats(stats::Arguments),
    Convert(convert::Arguments),
    Moves(moves::Arguments),
    Perft(perft::Arguments),
    Profiles(profiles::Arguments),
    Adjudicate(adjudicate::Arguments),
    Line(line::Arguments),
    Board(board::Arguments),
    Serve(serve::Arguments),
    Hub(hub::Arguments),
}

/// Where tables lie.
#[derive(Args)]
pub struct Folder {
    /// Folder of the tables, which lie in DIR/VARIANT [default: the environment variable
    /// DAMABASE_DIR, else a data folder of the user]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Folder {
    /// The folder chosen.
    ///
    /// # Errors
    /// [`Failure::Input`](crate::failure::Failure::Input) where none is given and the user has
    /// no data folder.
    pub fn path(self) -> Result<PathBuf, crate::failure::Failure> {
        crate::tables::folder(self.dir)
    }
}

/// How squares are written in moves.
#[derive(Clone, Copy, ValueEnum)]
pub enum NotationName {
    /// 29-25
    Numeric,
    /// a1-b2
    Algebraic,
}

impl NotationName {
    /// The notation asked for, else the variant's own.
    pub fn or_default(name: Option<NotationName>, default: Notation) -> Notation {
        match name {
            Some(NotationName::Numeric) => Notation::Numeric,
            Some(NotationName::Algebraic) => Notation::Algebraic,
            None => default,
        }
    }
}
