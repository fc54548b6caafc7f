//! Running the real command.
#![allow(dead_code)] // every test file uses a part of this

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// What a run of the command left behind.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    fn of(output: Output) -> Run {
        let text = |bytes| String::from_utf8(bytes).expect("output in UTF-8");
        Run {
            code: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// The output of a run that went well, as JSON.
    pub fn json(&self) -> Value {
        assert_eq!(self.code, 0, "{self:?}");
        assert_eq!(self.stdout.lines().count(), 1, "{self:?}");
        serde_json::from_str(&self.stdout).expect("JSON")
    }

    /// The text of a run that went well.
    pub fn text(&self) -> &str {
        assert_eq!(self.code, 0, "{self:?}");
        &self.stdout
    }

    /// The message of a run that failed: its last line, which is the only one for bad input.
    pub fn failure(&self, code: i32) -> &str {
        assert_eq!(self.code, code, "{self:?}");
        let last = self.stderr.lines().last().expect("a message");
        last.strip_prefix("error: ").unwrap_or_else(|| panic!("{self:?}"))
    }
}

/// The command with arguments separated by spaces; none of them may hold a space.
pub fn command(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_damabase"));
    command.args(arguments.split_whitespace()).env_remove("DAMABASE_DIR").stdin(Stdio::null());
    command
}

/// Runs the command to its end.
pub fn damabase(arguments: &str) -> Run {
    Run::of(command(arguments).output().expect("to run the command"))
}

/// Runs the command on tables in a folder.
pub fn damabase_in(dir: &Path, arguments: &str) -> Run {
    Run::of(command(arguments).arg("--dir").arg(dir).output().expect("to run the command"))
}

/// Runs the command on tables in a folder with a text as its standard input.
pub fn damabase_with(dir: &Path, arguments: &str, input: &[u8]) -> Run {
    let mut child = spawn(command(arguments).arg("--dir").arg(dir).stdin(Stdio::piped()));
    let mut stdin = child.stdin.take().expect("a pipe");
    std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input).expect("to write the input"));
        finish(child)
    })
}

/// Starts the command with its output caught.
pub fn spawn(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("to run the command")
}

/// Waits for a command to end.
pub fn finish(child: Child) -> Run {
    Run::of(child.wait_with_output().expect("to wait for the command"))
}

/// A folder with tables of a variant.
pub fn tables(arguments: &str) -> TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let run = damabase_in(dir.path(), &format!("generate {arguments} --progress none"));
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.stderr, "");
    dir
}

/// All files of a folder that are not locks, by name.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("to list the folder");
    entries
        .map(|entry| entry.expect("to list the folder").path())
        .filter(|path| path.extension().is_none_or(|extension| extension != "lock"))
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let bytes = fs::read(path).expect("to read the file");
            (name, bytes)
        })
        .collect()
}

/// The texts of a field of all entries of an array.
pub fn texts<'a>(array: &'a Value, field: &str) -> Vec<&'a str> {
    let entries = array.as_array().expect("an array");
    entries.iter().map(|entry| entry[field].as_str().expect("a text")).collect()
}

/// The names of an object's fields, in order of the alphabet.
pub fn fields(object: &Value) -> Vec<&str> {
    let mut names: Vec<&str> =
        object.as_object().expect("an object").keys().map(|k| &**k).collect();
    names.sort();
    names
}
