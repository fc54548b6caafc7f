//! `damabase board`: a diagram of a position.

use std::io::{self, Write};

use clap::Args;
use damabase_explorer::{BoardOptions, board_svg};
use damabase_formats::{Fen, picture};
use damabase_rules::{VariantId, with_rules};

use crate::failure::Failure;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  damabase board W:WK29,K30,K31:BK6 --variant russian
  damabase board 'W:W28,K36:B23,41' --svg > diagram.svg

Without --svg it is drawn with letters.";

/// Draw a diagram of a position
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The position
    fen: String,
    /// The game, by name or PDN GameType number
    #[arg(long, default_value = "international")]
    variant: VariantId,
    /// Print an SVG picture
    #[arg(long)]
    svg: bool,
    /// Black below
    #[arg(long, requires = "svg")]
    turned: bool,
}

/// # Errors
/// [`Failure::Input`], [`Failure::Io`].
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let text = with_rules!(arguments.variant, G => {
        let fen = Fen::<G>::parse(&arguments.fen)?;
        if arguments.svg {
            let options = BoardOptions { turned: arguments.turned, ..BoardOptions::default() };
            board_svg(fen.side, &fen.position, options)
        } else {
            format!("{}\n", picture(fen.side, &fen.position))
        }
    });
    output::written(io::stdout().lock().write_all(text.as_bytes()))
}
