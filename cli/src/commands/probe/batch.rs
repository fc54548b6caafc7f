//! Many positions, one a line.

use std::io::{self, BufRead, BufReader, Read, Write};

use damabase_rules::Rules;
use rayon::prelude::*;
use serde::Serialize;

use super::Prober;
use crate::failure::Failure;
use crate::output::{note, to_json, written};

/// The greatest number of lines that are answered together.
const CHUNK: usize = 1 << 13;
/// Bytes of standard input read at once.
const BUFFER_BYTES: usize = 1 << 18;

/// A line without an answer.
#[derive(Serialize)]
struct Unanswered {
    line: u64,
    error: String,
    kind: &'static str,
}

/// Answers each line of standard input by a line of JSON, in the same order.
///
/// # Errors
/// The failure with the greatest exit code among all lines, with the number of lines that had no
/// answer.
pub fn run<G: Rules>(prober: &Prober<'_, G>) -> Result<(), Failure> {
    let mut input = BufReader::with_capacity(BUFFER_BYTES, io::stdin().lock());
    let mut output = io::stdout().lock();
    let (mut lines, mut unanswered, mut first_unanswered) = (0, 0, 0);
    let mut worst: Option<Failure> = None;
    loop {
        let chunk = read_lines(&mut input)
            .map_err(|error| Failure::Io(format!("standard input: {error}")))?;
        if chunk.is_empty() {
            break;
        }
        let answers: Vec<(String, Option<Failure>)> = chunk
            .par_iter()
            .enumerate()
            .map(|(n, line)| answer(prober, lines + n as u64 + 1, line))
            .collect();
        for (text, failure) in answers {
            lines += 1;
            if let Err(error) = output.write_all(text.as_bytes()) {
                return written(Err(error));
            }
            if let Some(failure) = failure {
                unanswered += 1;
                if unanswered == 1 {
                    first_unanswered = lines;
                }
                if worst.as_ref().is_none_or(|worst| failure.code() > worst.code()) {
                    worst = Some(failure);
                }
            }
        }
        if let Err(error) = output.flush() {
            return written(Err(error));
        }
    }
    match worst {
        Some(failure) => {
            note(&format!(
                "{unanswered} of {lines} lines have no answer, the first of them line {first_unanswered}"
            ));
            Err(failure)
        }
        None => Ok(()),
    }
}

/// The next lines: waits for one, then takes those that are already there, so that a program that
/// writes a line and waits for its answer gets it.
fn read_lines(input: &mut BufReader<impl Read>) -> io::Result<Vec<Vec<u8>>> {
    let mut lines = Vec::new();
    loop {
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(lines);
        }
        lines.push(line);
        if lines.len() == CHUNK || !input.buffer().contains(&b'\n') {
            return Ok(lines);
        }
    }
}

/// A line of JSON with its newline, and the failure that it tells of.
fn answer<G: Rules>(prober: &Prober<'_, G>, number: u64, line: &[u8]) -> (String, Option<Failure>) {
    let answer = std::str::from_utf8(line)
        .map_err(|error| Failure::Input(format!("bad FEN: {error}")))
        .and_then(|text| prober.answer(text.trim()));
    let (mut text, failure) = match answer {
        Ok(answer) => (to_json(&answer), None),
        Err(failure) => {
            let object =
                Unanswered { line: number, error: failure.to_string(), kind: failure.kind() };
            (to_json(&object), Some(failure))
        }
    };
    text.push('\n');
    (text, failure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_there_are_taken_together_and_none_is_waited_for() {
        /// Gives one text for each read, as a pipe does.
        struct Pipe(Vec<&'static [u8]>);
        impl Read for Pipe {
            fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
                let Some(text) = self.0.pop() else { return Ok(0) };
                out[..text.len()].copy_from_slice(text);
                Ok(text.len())
            }
        }
        let mut input = BufReader::new(Pipe(vec![b"e\nf", b"d", b"a\nb\nc"]));
        let mut next = || -> Vec<String> {
            let lines = read_lines(&mut input).unwrap();
            lines.into_iter().map(|line| String::from_utf8(line).unwrap()).collect()
        };
        assert_eq!(next(), ["a\n", "b\n"]);
        assert_eq!(next(), ["cde\n"]);
        assert_eq!(next(), ["f"]);
        assert!(next().is_empty());
    }
}
