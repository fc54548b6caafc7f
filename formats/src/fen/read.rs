//! The FEN reader.

use damabase_rules::{Notation, Pieces, Position, Rules, Side, Square, Word};

use super::{Fen, FenError, FenErrorKind, has_algebraic, number};
use crate::notation::{parse_square, square_name};

/// Characters of an unknown word that an error repeats.
const QUOTED: usize = 24;

pub(super) fn read<G: Rules>(text: &str) -> Result<Fen<G>, FenError> {
    let mut reader = Reader::<G> {
        text,
        at: 0,
        notation: None,
        white: Pieces::default(),
        black: Pieces::default(),
        given: Vec::new(),
    };
    reader.tag()
}

/// A cursor over the text and the pieces read so far, in White's view.
struct Reader<'a, G: Rules> {
    text: &'a str,
    /// Byte offset of the next character; always on a character boundary.
    at: usize,
    /// How this text writes squares, once known.
    notation: Option<Notation>,
    white: Pieces<G::Word>,
    black: Pieces<G::Word>,
    /// Sides whose pieces were given.
    given: Vec<Side>,
}

/// A square and where its name begins.
struct Named {
    square: Square,
    at: usize,
    notation: Notation,
}

impl<'a, G: Rules> Reader<'a, G> {
    /// `[FEN "..."]`, `"..."` or a bare FEN, and nothing after it.
    fn tag(&mut self) -> Result<Fen<G>, FenError> {
        self.space();
        let bracket = self.eat('[');
        if bracket {
            self.space();
            for c in "FEN".chars() {
                self.expect(c, "'[FEN \"'")?;
            }
            self.space();
            if self.peek() != Some('"') {
                return Err(self.unexpected("'\"'"));
            }
        }
        let quote = self.eat('"');
        let fen = self.fen(if quote { "':', '.' or '\"'" } else { "':', '.' or the end" })?;
        if quote {
            self.expect('"', "'\"'")?;
            self.space();
        }
        if bracket {
            self.expect(']', "']'")?;
            self.space();
        }
        match self.peek() {
            None => Ok(fen),
            Some(_) => Err(self.unexpected("the end of the text")),
        }
    }

    /// The FEN itself, up to a quote or the end of the text.
    fn fen(&mut self, expected: &'static str) -> Result<Fen<G>, FenError> {
        self.space();
        let side = match self.peek() {
            Some('W') => Side::White,
            Some('B') => Side::Black,
            Some('?') => return Err(self.error(self.at, FenErrorKind::UnknownColour)),
            found => return Err(self.error(self.at, FenErrorKind::NoSide(found))),
        };
        self.at += 1;
        let mut fen = Fen::new(side, Position::default());
        self.space();
        while self.eat(':') {
            self.space();
            self.field(&mut fen)?;
            self.space();
        }
        self.eat('.');
        self.space();
        if !matches!(self.peek(), None | Some('"')) {
            return Err(self.unexpected(expected));
        }
        // Every other fault was found where it stood in the text.
        let white_view = Position::new(self.white, self.black)
            .map_err(|_| self.error(self.at, FenErrorKind::NoPieces))?;
        fen.position = match side {
            Side::White => white_view,
            Side::Black => white_view.turned(),
        };
        Ok(fen)
    }

    /// What follows a colon: one side's pieces or a counter.
    fn field(&mut self, fen: &mut Fen<G>) -> Result<(), FenError> {
        let start = self.at;
        let Some(letter) = self.peek() else {
            return Err(self.unexpected("'W', 'B' or another field"));
        };
        match letter {
            'W' | 'B' => {
                let side = if letter == 'W' { Side::White } else { Side::Black };
                if self.given.contains(&side) {
                    return Err(self.error(start, FenErrorKind::DuplicateSide(side)));
                }
                self.given.push(side);
                self.at += 1;
                self.pieces(side)
            }
            'H' | 'F' => {
                self.at += 1;
                let value = self.value(letter.to_string())?;
                let field = if letter == 'H' { &mut fen.half_moves } else { &mut fen.full_moves };
                if field.replace(value).is_some() {
                    return Err(self.error(start, FenErrorKind::DuplicateField(letter.into())));
                }
                Ok(())
            }
            'C' => {
                self.at += 1;
                let name = self.name()?;
                self.expect('=', "'='")?;
                let field = format!("C{}", quoted(&name));
                if fen.counters.iter().any(|(known, _)| *known == name) {
                    return Err(self.error(start, FenErrorKind::DuplicateField(field)));
                }
                let value = self.value(field)?;
                fen.counters.push((name, value));
                Ok(())
            }
            '?' => Err(self.error(start, FenErrorKind::UnknownColour)),
            ':' | '.' | '"' | ']' => Err(self.unexpected("'W', 'B' or another field")),
            c if !c.is_ascii() => Err(self.error(start, FenErrorKind::NonAscii(c))),
            _ => {
                let field = self.text[start..].split([':', '.', '"']).next().unwrap_or("");
                Err(self.error(start, FenErrorKind::UnknownField(quoted(field.trim_end()))))
            }
        }
    }

    /// A list of pieces, which may be empty.
    fn pieces(&mut self, side: Side) -> Result<(), FenError> {
        self.space();
        if matches!(self.peek(), None | Some(':' | '.' | '"')) {
            return Ok(());
        }
        loop {
            self.item(side)?;
            self.space();
            if !self.eat(',') {
                break;
            }
            self.space();
        }
        if matches!(self.peek(), None | Some(':' | '.' | '"')) {
            Ok(())
        } else {
            Err(self.unexpected("',', ':', '.' or the end"))
        }
    }

    /// One square or range, with or without `K`.
    fn item(&mut self, side: Side) -> Result<(), FenError> {
        let start = self.at;
        if let Some(ghost @ ('G' | 'P')) = self.peek() {
            return Err(self.error(start, FenErrorKind::GhostPiece(ghost)));
        }
        let king = self.eat('K');
        self.space();
        let first = self.square(if king { "a square" } else { "a square or 'K'" })?;
        let mut last = first.square;
        self.space();
        if first.notation == Notation::Numeric && self.eat('-') {
            self.space();
            let end = self.square("a square number")?;
            if end.square < first.square {
                let kind = FenErrorKind::BackwardRange {
                    first: number(first.square),
                    last: number(end.square),
                };
                return Err(self.error(first.at, kind));
            }
            last = end.square;
        }
        for square in first.square.0..=last.0 {
            self.place(side, king, Square(square), start, first.notation)?;
        }
        Ok(())
    }

    /// Puts a piece, in White's view.
    fn place(
        &mut self,
        side: Side,
        king: bool,
        square: Square,
        at: usize,
        notation: Notation,
    ) -> Result<(), FenError> {
        let bit = G::Word::bit(G::board().bit_of(square));
        let name = || square_name(G::board(), square, notation);
        if ((self.white.all() | self.black.all()) & bit).any() {
            return Err(self.error(at, FenErrorKind::Overlap(name())));
        }
        let (pieces, promotion_row) = match side {
            Side::White => (&mut self.white, G::promotion_row()),
            Side::Black => (&mut self.black, G::waiter_promotion_row()),
        };
        if king {
            pieces.kings |= bit;
        } else if (promotion_row & bit).any() {
            return Err(self.error(at, FenErrorKind::ManOnPromotionRow(name())));
        } else {
            pieces.men |= bit;
        }
        Ok(())
    }

    /// The name of a square, in the notation of this text.
    fn square(&mut self, expected: &'static str) -> Result<Named, FenError> {
        let board = G::board();
        let at = self.at;
        let letter = self.take_while(|c| matches!(c, 'a'..='h'));
        let digits = self.take_while(|c| c.is_ascii_digit());
        let notation = if letter.is_empty() { Notation::Numeric } else { Notation::Algebraic };
        if letter.len() > 1 || digits.is_empty() && notation == Notation::Algebraic {
            self.at = at + 1;
            return Err(self.unexpected("the row of the square"));
        }
        if digits.is_empty() {
            return Err(self.unexpected(expected));
        }
        if notation == Notation::Algebraic && !has_algebraic(board) {
            return Err(self.error(at, FenErrorKind::NotAlgebraic));
        }
        if *self.notation.get_or_insert(notation) != notation {
            return Err(self.error(at, FenErrorKind::MixedNotation));
        }
        let name = &self.text[at..self.at];
        match parse_square(board, name) {
            Some(square) => Ok(Named { square, at, notation }),
            None if notation == Notation::Algebraic
                && matches!(digits.as_bytes(), [b'1'..=b'8']) =>
            {
                Err(self.error(at, FenErrorKind::LightSquare(name.into())))
            }
            None if notation == Notation::Algebraic => {
                self.at = at + 1;
                Err(self.unexpected("a row from 1 to 8"))
            }
            None => {
                let number = quoted(digits);
                Err(self.error(at, FenErrorKind::OffBoard { number, last: board.squares() }))
            }
        }
    }

    /// The name of a counter.
    fn name(&mut self) -> Result<String, FenError> {
        if !self.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
            return Err(self.unexpected("the name of a counter"));
        }
        let name = self.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        Ok(name.to_string())
    }

    /// The value of a counter.
    fn value(&mut self, field: String) -> Result<u32, FenError> {
        let at = self.at;
        let digits = self.take_while(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return Err(self.unexpected("a number"));
        }
        digits.parse().map_err(|_| self.error(at, FenErrorKind::ValueTooLarge(field)))
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// Steps over `c`, which is ASCII, if it comes next.
    fn eat(&mut self, c: char) -> bool {
        let next = self.peek() == Some(c);
        if next {
            self.at += c.len_utf8();
        }
        next
    }

    fn expect(&mut self, c: char, expected: &'static str) -> Result<(), FenError> {
        if self.eat(c) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn space(&mut self) {
        self.take_while(|c| c.is_ascii_whitespace());
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let len = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    /// An error at the cursor.
    fn unexpected(&self, expected: &'static str) -> FenError {
        match self.peek() {
            Some(c) if !c.is_ascii() => self.error(self.at, FenErrorKind::NonAscii(c)),
            found => self.error(self.at, FenErrorKind::Unexpected { expected, found }),
        }
    }

    /// An error at a byte offset.
    fn error(&self, at: usize, kind: FenErrorKind) -> FenError {
        FenError { column: self.text[..at].chars().count() + 1, kind }
    }
}

/// A word as an error repeats it: on one line and not too long.
fn quoted(word: &str) -> String {
    let mut quoted: String = word.chars().take(QUOTED).flat_map(char::escape_default).collect();
    if word.chars().nth(QUOTED).is_some() {
        quoted.push_str("...");
    }
    quoted
}
