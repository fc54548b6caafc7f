//! The lines of the Hub protocol: `command name=value flag name="a value"`.

/// A line, taken apart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Line {
    /// Its first word; empty in an empty line.
    pub command: String,
    /// Names and values; the value of a flag is empty.
    arguments: Vec<(String, String)>,
}

impl Line {
    /// Takes a line apart. There is no line that it refuses: what is in no form is a flag.
    pub fn parse(text: &str) -> Line {
        let mut words: Vec<String> = Vec::new();
        let (mut in_word, mut in_quotes) = (false, false);
        for c in text.chars() {
            if c == '"' {
                in_quotes = !in_quotes;
            }
            if c.is_whitespace() && !in_quotes {
                in_word = false;
                continue;
            }
            if !in_word {
                words.push(String::new());
                in_word = true;
            }
            if c != '"' {
                words.last_mut().expect("a word was begun").push(c);
            }
        }
        let mut words = words.into_iter();
        let command = words.next().unwrap_or_default();
        let argument = |word: String| match word.split_once('=') {
            Some((name, value)) => (name.to_string(), value.to_string()),
            None => (word, String::new()),
        };
        Line { command, arguments: words.map(argument).collect() }
    }

    /// The value of a name; empty where the line does not have it.
    pub fn value(&self, name: &str) -> &str {
        self.arguments.iter().find(|(n, _)| n == name).map_or("", |(_, value)| value)
    }
}

/// A value as it is written: in quotes, without what clients take for an end of it.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| match c {
        '"' => '\'',
        '=' => ':',
        c if c.is_control() => ' ',
        c => c,
    };
    format!("\"{}\"", text.chars().map(plain).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart() {
        let line = Line::parse("pos pos=Wee  moves=\"38-15 5-41\"\tflag name=\"\" a=b=c");
        assert_eq!(line.command, "pos");
        assert_eq!(line.value("pos"), "Wee");
        assert_eq!(line.value("moves"), "38-15 5-41");
        assert_eq!(line.value("a"), "b=c");
        assert_eq!((line.value("flag"), line.value("name"), line.value("other")), ("", "", ""));
        assert_eq!(Line::parse("  \t"), Line::default());
        for text in ["\"", "a \"b c", "= = =", "go\u{a0}think", "🦀=🦀"] {
            Line::parse(text);
        }
    }

    #[test]
    fn values_are_quoted() {
        assert_eq!(quoted("a=\"b\"\nc"), "\"a:'b' c\"");
    }
}
