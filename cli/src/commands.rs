//! One module for each command: its arguments, and the report that it gives.

use crate::args::Command;
use crate::failure::Failure;

pub mod adjudicate;
pub mod board;
pub mod convert;
pub mod generate;
pub mod hub;
pub mod line;
pub mod moves;
pub mod perft;
pub mod probe;
pub mod profiles;
pub mod serve;
pub mod stats;
pub mod verify;

/// Runs a command.
///
/// # Errors
/// Any [`Failure`].
pub fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Generate(arguments) => generate::run(arguments),
        Command::Probe(arguments) => probe::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Stats(arguments) => stats::run(arguments),
        Command::Convert(arguments) => convert::run(arguments),
        Command::Moves(arguments) => moves::run(arguments),
        Command::Perft(arguments) => perft::run(arguments),
        Command::Profiles(arguments) => profiles::run(arguments),
        Command::Adjudicate(arguments) => adjudicate::run(arguments),
        Command::Line(arguments) => line::run(arguments),
        Command::Board(arguments) => board::run(arguments),
        Command::Serve(arguments) => serve::run(arguments),
        Command::Hub(arguments) => hub::run(arguments),
    }
}
