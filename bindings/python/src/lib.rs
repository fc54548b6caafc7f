//! The native part of the Python package `damabase`: the module `damabase._damabase`. What people
//! use, and its documentation, is in `python/damabase/__init__.py`.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use damabase_formats::{Distance, Slice, Wld};
use damabase_probe::{AnyTables, CountedError, Diagram, ProbeError, open_any, open_any_mapped};
use damabase_rules::draws::{self, Countdowns, Seeds};
use damabase_rules::{Notation, Side, VariantId};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

mod many;

pyo3::import_exception!(damabase._errors, MissingTableError);
pyo3::import_exception!(damabase._errors, DamagedTableError);

/// The module.
#[pymodule]
mod _damabase {
    #[pymodule_export]
    use super::{Tables, games};
}

/// The games of which a directory has tables.
#[pyfunction]
fn games(directory: PathBuf) -> PyResult<Vec<&'static str>> {
    let mut found = Vec::new();
    for &variant in VariantId::ALL {
        let tables = open_any(variant, std::slice::from_ref(&directory), 0);
        if !tables.map_err(|error| failure(error, Side::White))?.tables().is_empty() {
            found.push(variant.variant().name);
        }
    }
    Ok(found)
}

/// The tables of one game in some directories.
#[pyclass(frozen, module = "damabase._damabase")]
struct Tables {
    variant: VariantId,
    cache_bytes: usize,
    mapped: bool,
    /// None once it is closed.
    state: RwLock<Option<State>>,
}

struct State {
    directories: Vec<PathBuf>,
    tables: Arc<dyn AnyTables>,
    /// How the profiles asked for count in the tables' slices.
    countdowns: Mutex<HashMap<Option<String>, Arc<Countdowns>>>,
}

/// Profiles that are remembered, at most: there is no end of profiles of one's own.
const MOST_PROFILES: usize = 64;

/// A value as Python has it: -1, 0 or 1, and the plies that are known.
type Value = (i8, Option<u16>, Option<u16>);
/// A value under draw rules as Python has it: its name, the value in theory, whether a number of plies
/// is enough, that number, plies left and to spare, and the counter that has least left.
type CountedValue =
    (Option<&'static str>, i8, Option<bool>, Option<u16>, Option<u32>, Option<u32>, Option<String>);
/// A distance as Python has it.
type Plies = (i8, Option<u16>);
/// A move as Python has it: text, origin, destination, captured squares (from 1), whether it
/// promotes, the FEN that follows, and the value.
type Action = (String, u8, u8, Vec<u32>, bool, String, Value);

#[pymethods]
impl Tables {
    #[new]
    fn new(variant: &str, cache_bytes: usize, mapped: bool) -> PyResult<Tables> {
        let variant = variant.parse().map_err(|error| input(&error))?;
        let state = State::new(Vec::new(), open(variant, &[], cache_bytes, mapped)?);
        Ok(Tables { variant, cache_bytes, mapped, state: RwLock::new(Some(state)) })
    }

    #[getter]
    fn variant(&self) -> &'static str {
        self.variant.variant().name
    }

    /// Gives the number of tables that came with the directory.
    fn add_directory(&self, py: Python<'_>, directory: PathBuf) -> PyResult<usize> {
        py.detach(|| {
            let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
            let state = state.as_mut().ok_or_else(closed)?;
            let directories = [state.directories.as_slice(), &[directory]].concat();
            let tables = open(self.variant, &directories, self.cache_bytes, self.mapped)?;
            let came = tables.tables().len() - state.tables.tables().len();
            *state = State::new(directories, tables);
            Ok(came)
        })
    }

    fn close(&self) {
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn max_pieces(&self) -> PyResult<u32> {
        Ok(self.tables()?.max_pieces())
    }

    fn covers(&self, slice: &str) -> PyResult<bool> {
        let slice: Slice = slice.parse().map_err(|error| input(&error))?;
        Ok(self.tables()?.covers(slice))
    }

    /// The names of all tables: "KKvK.wld".
    fn names(&self) -> PyResult<Vec<String>> {
        let name = |(slice, metric)| format!("{slice}.{metric}");
        Ok(self.tables()?.tables().into_iter().map(name).collect())
    }

    fn wld(&self, py: Python<'_>, fen: &str) -> PyResult<i8> {
        self.probe(py, fen, |tables, position| tables.wld(position)).map(number)
    }

    fn dtw(&self, py: Python<'_>, fen: &str) -> PyResult<Plies> {
        self.probe(py, fen, |tables, position| tables.dtw(position)).map(distance)
    }

    fn dtc(&self, py: Python<'_>, fen: &str) -> PyResult<Plies> {
        self.probe(py, fen, |tables, position| tables.dtc(position)).map(distance)
    }

    fn value(&self, py: Python<'_>, fen: &str) -> PyResult<Value> {
        self.probe(py, fen, |tables, position| tables.value(position)).map(value)
    }

    /// The value of a position with counters under a profile: those given, or those of the FEN.
    fn budget(
        &self,
        py: Python<'_>,
        fen: &str,
        profile: Option<&str>,
        counters: Option<Vec<(String, u32)>>,
    ) -> PyResult<CountedValue> {
        let (tables, countdowns) = py.detach(|| self.countdowns(profile))?;
        let (position, of_fen) = Diagram::parse_counted(self.variant, fen)
            .map_err(|error| PyValueError::new_err(format!("bad FEN: {error}")))?;
        let given = counters.map(|counters| Seeds { half_moves: None, counters });
        let seeds = given.unwrap_or(of_fen);
        let counted = py.detach(|| tables.counted(&position, &countdowns, &seeds));
        let counted = counted.map_err(|error| match error {
            CountedError::Probe(error) => failure(error, position.side),
            other => input(&other),
        })?;
        let decided_by = counted.left.and_then(|left| left.decided_by);
        let counts = counted.standing.is_some_and(|standing| standing.result() != Wld::Draw);
        let is_decided = counted.in_theory != Wld::Draw;
        Ok((
            counted.standing.map(|standing| standing.name()),
            number(counted.in_theory),
            counted.budget.filter(|_| is_decided).map(|budget| budget != Distance::Draw),
            counted.budget.and_then(|budget| budget.plies()),
            counted.left.and_then(|left| left.plies),
            counted.to_spare.filter(|_| counts),
            decided_by.map(|place| countdowns.profile().counters[place].name.clone()),
        ))
    }

    /// The moves, best first, written in the notation of the game.
    fn moves(&self, py: Python<'_>, fen: &str) -> PyResult<Vec<Action>> {
        let moves = self.probe(py, fen, |tables, position| tables.moves(position))?;
        let board = self.variant.variant().board;
        let squares = |set: u64| {
            let bits = (0..64).filter(move |bit| set >> bit & 1 == 1);
            bits.map(|bit| u32::from(board.square_of(bit).0) + 1).collect()
        };
        let action = |m: damabase_probe::DiagramMove| {
            let fen = m.after.fen(self.variant).map_err(|error| input(&error))?;
            let captured = squares(m.captured);
            Ok((m.text, m.from.0 + 1, m.to.0 + 1, captured, m.promotes, fen, value(m.value)))
        };
        moves.into_iter().map(action).collect()
    }

    /// The values of many positions, as bytes of i8.
    fn wld_many<'py>(
        &self,
        py: Python<'py>,
        pieces: [PyBackedBytes; 4],
        white_to_move: &[u8],
        default: Option<i8>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let tables = self.tables()?;
        let values = py.detach(|| {
            many::probe(
                &*tables,
                pieces.each_ref().map(|sets| &**sets),
                white_to_move,
                default,
                |position| tables.wld(position).map(number),
            )
        })?;
        let bytes: Vec<u8> = values.iter().map(|&value| value as u8).collect();
        Ok(PyBytes::new(py, &bytes))
    }

    /// The distances of many positions: values as bytes of i8, and plies as bytes of i32 in the
    /// machine's order, -1 where there are none.
    fn distance_many<'py>(
        &self,
        py: Python<'py>,
        metric: &str,
        pieces: [PyBackedBytes; 4],
        white_to_move: &[u8],
        default: Option<i8>,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let tables = self.tables()?;
        let call: fn(&dyn AnyTables, &Diagram) -> Result<Distance, ProbeError> = match metric {
            "dtw" => |tables, position| tables.dtw(position),
            "dtc" => |tables, position| tables.dtc(position),
            other => return Err(PyValueError::new_err(format!("no distance '{other}'"))),
        };
        let default = default.map(|wld| (wld, None));
        let values = py.detach(|| {
            many::probe(
                &*tables,
                pieces.each_ref().map(|sets| &**sets),
                white_to_move,
                default,
                |position| call(&*tables, position).map(distance),
            )
        })?;
        let wld: Vec<u8> = values.iter().map(|&(wld, _)| wld as u8).collect();
        let plies = values.iter().flat_map(|&(_, plies)| plies.map_or(-1, i32::from).to_ne_bytes());
        Ok((PyBytes::new(py, &wld), PyBytes::new(py, &plies.collect::<Vec<u8>>())))
    }
}

impl State {
    fn new(directories: Vec<PathBuf>, tables: Arc<dyn AnyTables>) -> State {
        State { directories, tables, countdowns: Mutex::default() }
    }
}

impl Tables {
    /// The tables, and how a profile counts in them: a built-in one by name, one's own by
    /// its text, or that of the game.
    fn countdowns(&self, profile: Option<&str>) -> PyResult<(Arc<dyn AnyTables>, Arc<Countdowns>)> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let state = state.as_ref().ok_or_else(closed)?;
        let mut known = state.countdowns.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = profile.map(str::to_string);
        let found = match known.get(&asked) {
            Some(found) => found.clone(),
            None => {
                let profile =
                    draws::chosen(self.variant, profile).map_err(|error| input(&error))?;
                let found = state.tables.countdowns(&profile);
                if known.len() == MOST_PROFILES {
                    known.clear();
                }
                known.insert(asked, found.clone());
                found
            }
        };
        Ok((state.tables.clone(), found))
    }

    fn tables(&self) -> PyResult<Arc<dyn AnyTables>> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        Ok(state.as_ref().ok_or_else(closed)?.tables.clone())
    }

    fn probe<T: Send>(
        &self,
        py: Python<'_>,
        fen: &str,
        call: impl FnOnce(&dyn AnyTables, &Diagram) -> Result<T, ProbeError> + Send,
    ) -> PyResult<T> {
        let tables = self.tables()?;
        let position = Diagram::parse(self.variant, fen)
            .map_err(|error| PyValueError::new_err(format!("bad FEN: {error}")))?;
        // A probe may wait for a file.
        py.detach(|| call(&*tables, &position)).map_err(|error| failure(error, position.side))
    }
}

fn open(
    variant: VariantId,
    directories: &[PathBuf],
    cache_bytes: usize,
    mapped: bool,
) -> PyResult<Arc<dyn AnyTables>> {
    let tables = if mapped {
        // SAFETY: whoever asks for mapping promises what its documentation asks for.
        unsafe { open_any_mapped(variant, directories, cache_bytes) }
    } else {
        open_any(variant, directories, cache_bytes)
    };
    Ok(tables.map_err(|error| failure(error, Side::White))?.into())
}

fn number(wld: Wld) -> i8 {
    match wld {
        Wld::Loss => -1,
        Wld::Draw => 0,
        Wld::Win => 1,
    }
}

fn distance(distance: Distance) -> Plies {
    (number(distance.wld()), distance.plies())
}

fn value(value: damabase_probe::Value) -> Value {
    let plies = |distance: Option<Distance>| distance.and_then(|distance| distance.plies());
    (number(value.wld), plies(value.dtw), plies(value.dtc))
}

fn input(error: &impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn closed() -> PyErr {
    PyValueError::new_err("the tablebase is closed")
}

/// The exception for a probe that failed where `side` was to move.
fn failure(error: ProbeError, side: Side) -> PyErr {
    let text = error.text(side);
    match error {
        ProbeError::Missing(missing) => {
            let variant = missing.variant.variant();
            let needed_by = missing
                .needed_by
                .map(|needed_by| needed_by.text(side, variant.board, Notation::Numeric));
            let searched = missing.searched.to_vec();
            let (slice, metric) = (missing.slice.to_string(), missing.metric.name());
            MissingTableError::new_err((text, slice, metric, needed_by, searched))
        }
        ProbeError::Input(_) => PyValueError::new_err(text),
        ProbeError::Damaged { path, .. } => DamagedTableError::new_err((text, path)),
        _ => PyOSError::new_err(text),
    }
}
