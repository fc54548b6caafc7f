//! Tables to probe, and programs in C and C++ to probe them with.
#![allow(dead_code)] // every test file uses a part of this

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

use damabase_formats::Metric;
use damabase_generator::{Options, Silent, generate};
use damabase_rules::{VariantId, draws};
use tempfile::TempDir;

/// A folder with all tables of a game up to a number of pieces.
pub fn tables(variant: VariantId, pieces: u32, metrics: &[Metric]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let options = Options {
        dir: dir.path().to_path_buf(),
        pieces: Some(pieces),
        metrics: metrics.to_vec(),
        profile: Some(draws::default_profile(variant).clone()),
        ..Options::default()
    };
    generate(variant, &options, &AtomicBool::new(false), &Silent).unwrap();
    dir
}

/// A program made of a C or C++ source of this crate and our library.
pub fn compile(source: &str, out: &Path, linking: Linking) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Cargo leaves the libraries beside the tests that need them.
    let libraries = env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let is_cpp = source.ends_with(".cpp");
    let name = Path::new(source).file_stem().unwrap().to_str().unwrap();
    let program = out.join(format!("{name}-{linking:?}"));
    let default = if is_cpp { "c++" } else { "cc" };
    let compiler = env::var_os(if is_cpp { "CXX" } else { "CC" }).unwrap_or(default.into());
    let mut command = Command::new(&compiler);
    command.arg(if is_cpp { "-std=c++11" } else { "-std=c99" });
    command.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-g"]);
    command.arg("-I").arg(root.join("include")).arg(root.join(source)).arg("-o").arg(&program);
    match linking {
        Linking::Static => {
            command.arg(libraries.join("libdamabase.a"));
            command.args(["-lpthread", "-ldl", "-lm"]);
        }
        Linking::Shared => {
            command.arg("-L").arg(&libraries).arg("-ldamabase");
            command.arg(format!("-Wl,-rpath,{}", libraries.display()));
        }
    }
    let done = command.output().unwrap_or_else(|error| panic!("{compiler:?}: {error}"));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    program
}

/// How a program gets our library.
#[derive(Clone, Copy, Debug)]
pub enum Linking {
    Static,
    Shared,
}

/// What a program printed, which must end well.
pub fn run(command: &mut Command) -> String {
    let done = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        done.status.success(),
        "{command:?}: {:?}\n{}",
        done.status,
        String::from_utf8_lossy(&done.stderr)
    );
    String::from_utf8(done.stdout).unwrap()
}

/// A program under valgrind, any error or leak of which fails it; `None` where there is no
/// valgrind. `scripts/test` installs it.
pub fn valgrind(program: &Path) -> Option<Command> {
    let found = Command::new("valgrind").arg("--version").output();
    if !found.is_ok_and(|done| done.status.success()) {
        eprintln!("no valgrind: not run under it");
        return None;
    }
    let mut command = Command::new("valgrind");
    command.args(["--quiet", "--leak-check=full", "--show-leak-kinds=definite,indirect,possible"]);
    command.args(["--errors-for-leak-kinds=definite,indirect,possible", "--error-exitcode=99"]);
    command.arg(program);
    Some(command)
}
