//! The `damabase` command: what it takes is defined in `args` and in the modules of `commands`,
//! each of which turns its arguments into a report; `output` prints reports for people or as
//! JSON; `failure` says which exit code stands for what. The work itself is done by the libraries.

use std::process::ExitCode;

use clap::Parser;

mod args;
mod commands;
mod failure;
mod output;
mod profile;
mod progress;
mod tables;

fn main() -> ExitCode {
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return output::answer_parser(&error),
    };
    match commands::run(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::note(&format!("error: {failure}"));
            ExitCode::from(failure.code())
        }
    }
}
