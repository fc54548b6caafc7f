//! The words of PDN.

use super::{Outcome, PdnError};

/// A word of the text and the line where it begins, from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub line: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Tag(String, String),
    Move(String),
    Strength(String),
    Nag(u32),
    Comment(String),
    Open,
    Close,
    Result(Outcome, String),
}

/// What may stand between the parts of a word.
const BLANKS: [char; 2] = [' ', '\t'];

/// Splits a text into words. The numbers of moves and `...` are left out.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, PdnError> {
    let mut reader = Reader { rest: text, line: 1, forced: false };
    let mut tokens = Vec::new();
    while let Some(token) = reader.next()? {
        tokens.push(token);
    }
    Ok(tokens)
}

/// The numeric mark for which old files write `*` after a move: it is forced.
const FORCED: u32 = 7;

struct Reader<'a> {
    rest: &'a str,
    /// The line of `rest`, from 1.
    line: usize,
    /// The last move bore a `*`, which is told next.
    forced: bool,
}

fn is_mark(c: char) -> bool {
    matches!(c, '!' | '?')
}

/// What moves, numbers of moves and results are made of.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '*' | '.' | '/' | '+' | '#')
}

impl<'a> Reader<'a> {
    /// Takes the next `bytes` of the text.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    /// Takes the characters that satisfy a condition.
    fn take_while(&mut self, condition: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !condition(c)).unwrap_or(self.rest.len());
        self.take(end)
    }

    fn error(&self, line: usize, what: impl Into<String>) -> PdnError {
        PdnError::Syntax { line, what: what.into() }
    }

    /// Skips white space and line comments.
    fn skip(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest.starts_with('%') {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn next(&mut self) -> Result<Option<Token>, PdnError> {
        if std::mem::take(&mut self.forced) {
            return Ok(Some(Token { kind: Kind::Nag(FORCED), line: self.line }));
        }
        loop {
            self.skip();
            let line = self.line;
            let Some(first) = self.rest.chars().next() else { return Ok(None) };
            let kind = match first {
                '[' => self.tag()?,
                '{' => self.comment()?,
                ';' => Kind::Comment(self.take_while(|c| c != '\n')[1..].trim().to_string()),
                '(' => self.open(),
                ')' => {
                    self.take(1);
                    Kind::Close
                }
                '$' => {
                    self.take(1);
                    let digits = self.take_while(|c| c.is_ascii_digit());
                    match digits.parse() {
                        Ok(number) => Kind::Nag(number),
                        Err(_) => return Err(self.error(line, "expected a number after '$'")),
                    }
                }
                c if is_mark(c) => Kind::Strength(self.take_while(is_mark).to_string()),
                // PDN's way to set up a position within a game.
                '/' => return Err(self.error(line, "positions within a game are not read")),
                c if is_word(c) => match self.word()? {
                    Some(kind) => kind,
                    None => continue,
                },
                c => {
                    let shown: String = c.escape_default().collect();
                    return Err(self.error(line, format!("unexpected character '{shown}'")));
                }
            };
            return Ok(Some(Token { kind, line }));
        }
    }

    /// `[Name "value"]`; `\"` and `\\` in a value stand for `"` and `\`.
    fn tag(&mut self) -> Result<Kind, PdnError> {
        let line = self.line;
        let unclosed = |reader: &Self| reader.error(line, "expected a tag like [Name \"value\"]");
        self.take(1);
        self.take_while(char::is_whitespace);
        let name = self.take_while(|c| c.is_alphanumeric() || c == '_').to_string();
        self.take_while(char::is_whitespace);
        if name.is_empty() || !self.rest.starts_with('"') {
            return Err(unclosed(self));
        }
        let mut value = String::new();
        let mut escaped = false;
        let mut end = None;
        for (at, c) in self.rest.char_indices().skip(1) {
            match c {
                '\n' => break, // no value goes over a line: a quote is missing
                '"' if !escaped => {
                    end = Some(at + 1);
                    break;
                }
                '\\' if !escaped => {
                    escaped = true;
                    continue;
                }
                '"' | '\\' => value.push(c),
                c if escaped => value.extend(['\\', c]),
                c => value.push(c),
            }
            escaped = false;
        }
        let end = end.ok_or_else(|| unclosed(self))?;
        self.take(end);
        self.take_while(char::is_whitespace);
        if !self.rest.starts_with(']') {
            return Err(unclosed(self));
        }
        self.take(1);
        Ok(Kind::Tag(name, value))
    }

    fn comment(&mut self) -> Result<Kind, PdnError> {
        let Some(end) = self.rest.find('}') else {
            return Err(self.error(self.line, "a comment begins here and does not end"));
        };
        let text = self.take(end + 1);
        let words: Vec<&str> = text[1..end].split_whitespace().collect();
        Ok(Kind::Comment(words.join(" ")))
    }

    /// A variation begins, or a mark of strength in brackets is written: `(!)`.
    fn open(&mut self) -> Kind {
        let marks = &self.rest[1..];
        let end = marks.find(|c| !is_mark(c)).unwrap_or(marks.len());
        if end > 0 && marks[end..].starts_with(')') {
            let text = self.take(end + 2);
            return Kind::Strength(text[1..=end].to_string());
        }
        self.take(1);
        Kind::Open
    }

    /// A move or a result; `None` for the number of a move.
    fn word(&mut self) -> Result<Option<Kind>, PdnError> {
        let line = self.line;
        // `12.32-28`: a number may stand right before its move.
        let dots = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
        if dots.starts_with('.') {
            self.take(self.rest.len() - dots.len());
            self.take_while(|c| c == '.');
            return Ok(None);
        }
        let word = self.take_while(is_word);
        let joined = self.rest_of_capture(word);
        let mut word = joined.as_deref().unwrap_or(word);
        if word.len() > 1 && word.ends_with('*') {
            self.forced = true;
            word = word.trim_end_matches('*');
        }
        if let Some(outcome) = Outcome::of(word) {
            return Ok(Some(Kind::Result(outcome, word.to_string())));
        }
        if word.bytes().all(|b| b.is_ascii_digit()) && self.numbers_a_move() {
            return Ok(None);
        }
        match move_of(word) {
            Some(text) => Ok(Some(Kind::Move(text))),
            None => {
                let shown: String = word.chars().take(40).collect();
                Err(self.error(line, format!("'{shown}' is neither a move nor a result")))
            }
        }
    }

    /// `28 x17` or `28 x 17`: programs that align moves in columns set the squares of captures off. The
    /// whole capture, or `None` where the word is no square before one.
    fn rest_of_capture(&mut self, word: &str) -> Option<String> {
        let is_sign = |c: &char| matches!(c, 'x' | 'X' | ':');
        let after = self.rest.trim_start_matches(BLANKS);
        let sign = after.chars().next().filter(is_sign).filter(|_| is_square(word))?;
        let ends = after[1..].trim_start_matches(BLANKS);
        if !ends.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            return None;
        }
        self.take(self.rest.len() - ends.len());
        Some(format!("{word}{sign}{}", self.take_while(is_word)))
    }

    /// Whether a number stands before dots that are set off by a space: `12 .`
    fn numbers_a_move(&self) -> bool {
        self.rest.trim_start_matches(BLANKS).starts_with('.')
    }
}

/// A move with the separators `-` and `x` only; `None` for other words. Old files capture with
/// `*` or `X`, and PDN allows algebraic squares without separators, `c3d4`.
fn move_of(word: &str) -> Option<String> {
    let word = word.trim_end_matches(['+', '#']);
    let has_separator = word.contains(['-', ':', '*', 'x', 'X']);
    let mut text = String::with_capacity(word.len() + 1);
    for (i, c) in word.chars().enumerate() {
        match c {
            '-' | '0'..='9' => text.push(c),
            ':' | '*' | 'x' | 'X' => text.push('x'),
            'a'..='h' => {
                if !has_separator && i > 0 {
                    text.push('-');
                }
                text.push(c);
            }
            _ => return None,
        }
    }
    let parts: Vec<&str> = text.split(['-', 'x']).collect();
    (parts.len() >= 2 && parts.iter().all(|part| is_square(part))).then_some(text)
}

/// Whether a text looks like a square, `28` or `c3`.
fn is_square(text: &str) -> bool {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_lowercase());
    text.len() - digits.len() <= 1
        && (1..=2).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_have_one_form() {
        for (word, text) in [
            ("32-28", "32-28"),
            ("28:19", "28x19"),
            ("28*19", "28x19"),
            ("28X19", "28x19"),
            ("a1xc3:e5", "a1xc3xe5"),
            ("c3d4", "c3-d4"),
            ("07-11", "07-11"),
            ("47x38x24x13x36", "47x38x24x13x36"),
        ] {
            assert_eq!(move_of(word).as_deref(), Some(text), "{word}");
        }
        for word in ["", "32", "32-", "-28", "a1", "32--28", "e2e", "Kg7", "O-O", "123-4", "x"] {
            assert_eq!(move_of(word), None, "{word}");
        }
    }
}
