//! Positions as pictures: one SVG for files, for pages without scripts, and for those that move
//! pieces about. Colours are attributes, so that a page's style sheet may choose others.

use std::fmt::Write;

use damabase_formats::{Notation, diagram_square, square_name};
use damabase_rules::{Pieces, Position, Rules, Side, Square, Word};

/// Width of a square in the picture's own units.
const CELL: u32 = 50;
/// Width of the edge where column letters and row numbers stand.
const EDGE: u32 = 18;

/// How a board is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BoardOptions {
    /// Black below.
    pub turned: bool,
    /// Squares of the diagram where the last move began and ended.
    pub last: Option<(Square, Square)>,
}

/// A position as an SVG of its own, White below unless it is turned. Squares are elements of class
/// `square` and pieces of class `piece`, each with its PDN number as `data-square`.
///
/// ```
/// use damabase_explorer::{BoardOptions, board_svg};
/// use damabase_formats::Fen;
/// use damabase_rules::Russian;
///
/// let fen = Fen::<Russian>::parse("W:WK29:B18")?;
/// let svg = board_svg(fen.side, &fen.position, BoardOptions::default());
/// assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
/// assert!(svg.contains("White to move. White: king a1. Black: man d4."));
/// # Ok::<(), damabase_formats::FenError>(())
/// ```
pub fn board_svg<G: Rules>(side: Side, position: &Position<G>, options: BoardOptions) -> String {
    let board = G::board();
    let algebraic = G::VARIANT.notation == Notation::Algebraic;
    let edge = if algebraic { EDGE } else { 0 };
    let (columns, rows) = (u32::from(board.width), u32::from(board.height));
    let (width, height) = (columns * CELL + edge, rows * CELL + edge);
    let label = position_words(side, position);
    let turned = if options.turned { " data-turned=\"true\"" } else { "" };
    let mut svg = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"board\" role=\"img\" \
         viewBox=\"0 0 {width} {height}\" data-cell=\"{CELL}\" data-edge=\"{edge}\" \
         data-columns=\"{columns}\" data-rows=\"{rows}\"{turned} \
         font-family=\"system-ui, sans-serif\" aria-label=\"{label}\">\n<title>{label}</title>"
    );
    let _ = writeln!(
        svg,
        "<rect class=\"light\" x=\"{edge}\" width=\"{}\" height=\"{}\" fill=\"#f0e2c8\"/>",
        columns * CELL,
        rows * CELL
    );
    let squares = || (0..board.squares()).map(|n| Square(n as u8));
    let shown = |square| if options.turned { board.turned_square(square) } else { square };
    let corner = |square: Square| {
        let at = shown(square);
        (board.column(at) * CELL + edge, board.row(at) * CELL)
    };
    for square in squares() {
        let (x, y) = corner(square);
        let number = square.0 + 1;
        let last = options.last.is_some_and(|(from, to)| square == from || square == to);
        let (class, fill) = if last { ("square last", "#c79a4b") } else { ("square", "#a87b52") };
        let _ = writeln!(
            svg,
            "<rect class=\"{class}\" data-square=\"{number}\" data-name=\"{}\" x=\"{x}\" y=\"{y}\" \
             width=\"{CELL}\" height=\"{CELL}\" fill=\"{fill}\"/>\
             <text class=\"number\" x=\"{}\" y=\"{}\" font-size=\"10\" fill=\"#fff5e0\">{number}</text>",
            square_name(board, square, G::VARIANT.notation),
            x + 2,
            y + 10
        );
    }
    if algebraic {
        for column in 0..columns {
            let letter = if options.turned { columns - 1 - column } else { column };
            let _ = writeln!(
                svg,
                "<text class=\"edge\" x=\"{}\" y=\"{}\" font-size=\"13\" text-anchor=\"middle\" \
                 fill=\"#7a6a55\">{}</text>",
                column * CELL + edge + CELL / 2,
                height - 4,
                char::from(b'a' + letter as u8)
            );
        }
        for row in 0..rows {
            let number = if options.turned { row + 1 } else { rows - row };
            let _ = writeln!(
                svg,
                "<text class=\"edge\" x=\"{}\" y=\"{}\" font-size=\"13\" text-anchor=\"middle\" \
                 fill=\"#7a6a55\">{number}</text>",
                edge / 2,
                row * CELL + CELL / 2 + 5
            );
        }
    }
    for square in squares() {
        if let Some((colour, is_king)) = piece_on(side, position, square) {
            let (x, y) = corner(square);
            svg.push_str(&piece_svg(colour, is_king, square, x + CELL / 2, y + CELL / 2));
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// A piece of each kind, for scripts to copy.
pub(crate) fn one_of_each() -> String {
    let kinds = [Side::White, Side::Black].into_iter().flat_map(|c| [(c, false), (c, true)]);
    kinds.map(|(colour, is_king)| piece_svg(colour, is_king, Square(0), 0, 0)).collect()
}

/// A piece with its middle at (x, y).
fn piece_svg(colour: Side, is_king: bool, square: Square, x: u32, y: u32) -> String {
    let (name, fill, line) = match colour {
        Side::White => ("white", "#fdf8ec", "#5b4a36"),
        Side::Black => ("black", "#37322f", "#0d0b0a"),
    };
    let kind = if is_king { "king" } else { "man" };
    let mark = if is_king {
        // A crown.
        "<path class=\"crown\" d=\"M-11 8 L-13 -6 L-6 0 L0 -10 L6 0 L13 -6 L11 8 Z\" fill=\"#e0a526\" \
         stroke=\"#6b4a08\" stroke-width=\"1.5\" stroke-linejoin=\"round\"/>"
    } else {
        "<circle class=\"ring\" r=\"12\" fill=\"none\" stroke=\"#8d7c66\" stroke-width=\"1.5\"/>"
    };
    format!(
        "<g class=\"piece {name} {kind}\" data-square=\"{}\" transform=\"translate({x} {y})\">\
         <circle class=\"disc\" r=\"19\" fill=\"{fill}\" stroke=\"{line}\" stroke-width=\"2\"/>{mark}</g>\n",
        square.0 + 1
    )
}

/// What stands on a square of the diagram: its colour, and whether it is a king.
fn piece_on<G: Rules>(side: Side, position: &Position<G>, square: Square) -> Option<(Side, bool)> {
    let board = G::board();
    let bit = G::Word::bit(board.bit_of(diagram_square(side, board, square)));
    let of = |pieces: Pieces<G::Word>, colour| {
        (pieces.all() & bit).any().then(|| (colour, (pieces.kings & bit).any()))
    };
    of(position.mover, side).or_else(|| of(position.waiter, side.other()))
}

/// A position as a sentence for who cannot see it.
fn position_words<G: Rules>(side: Side, position: &Position<G>) -> String {
    let mut text = format!("{} to move.", name(side));
    for colour in [Side::White, Side::Black] {
        let mut parts = Vec::new();
        for (king, one, many) in [(true, "king", "kings"), (false, "man", "men")] {
            let names: Vec<String> = (0..G::board().squares())
                .map(|n| Square(n as u8))
                .filter(|&square| piece_on(side, position, square) == Some((colour, king)))
                .map(|square| square_name(G::board(), square, G::VARIANT.notation))
                .collect();
            match names.len() {
                0 => {}
                1 => parts.push(format!("{one} {}", names[0])),
                _ => parts.push(format!("{many} {}", names.join(", "))),
            }
        }
        let pieces = if parts.is_empty() { "no piece".to_string() } else { parts.join("; ") };
        let _ = write!(text, " {}: {pieces}.", name(colour));
    }
    text
}

/// A player's name.
pub(crate) fn name(side: Side) -> &'static str {
    match side {
        Side::White => "White",
        Side::Black => "Black",
    }
}

#[cfg(test)]
mod tests {
    use damabase_formats::Fen;
    use damabase_rules::{International, VariantId, with_rules};

    use super::*;

    #[test]
    fn every_square_and_piece_is_drawn_where_it_stands() {
        let fen = Fen::<International>::parse("B:W31,K50:B1,K23").unwrap();
        let draw = |turned| {
            board_svg(fen.side, &fen.position, BoardOptions { turned, ..BoardOptions::default() })
        };
        let svg = draw(false);
        assert_eq!(svg.matches("class=\"square\"").count(), 50);
        // 50 is in the last row, second column from the right.
        for piece in [
            "class=\"piece white king\" data-square=\"50\" transform=\"translate(425 475)\"",
            "class=\"piece white man\" data-square=\"31\" transform=\"translate(75 325)\"",
            "class=\"piece black man\" data-square=\"1\" transform=\"translate(75 25)\"",
            "class=\"piece black king\" data-square=\"23\" transform=\"translate(275 225)\"",
        ] {
            assert!(svg.contains(piece), "{piece}: {svg}");
        }
        assert!(draw(true).contains("data-square=\"50\" transform=\"translate(75 25)\""));
    }

    #[test]
    fn every_game_has_its_board() {
        for &variant in VariantId::ALL {
            let (svg, squares) = with_rules!(variant, G => {
                let start = Position::<G>::start();
                (board_svg(G::VARIANT.starts, &start, BoardOptions::default()), G::board().squares())
            });
            assert_eq!(svg.matches("class=\"square\"").count() as u32, squares);
            assert!(!svg.contains("style="), "a page forbids it");
        }
    }
}
