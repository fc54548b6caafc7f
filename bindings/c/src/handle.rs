//! Handles, and what all calls have in common: null pointers, panics, error texts.

use std::ffi::{CStr, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use damabase_formats::Distance;
use damabase_probe::{
    AnyTables, Counted, CountedError, DEFAULT_CACHE_BYTES, Diagram, ProbeError, open_any,
    open_any_mapped,
};
use damabase_rules::draws::{self, Countdowns, Seeds};
use damabase_rules::{Side, VariantId};

use crate::{
    DAMABASE_DAMAGED, DAMABASE_INPUT, DAMABASE_INTERNAL, DAMABASE_IO, DAMABASE_MAP,
    DAMABASE_MISSING, DAMABASE_OK, convert, damabase_position,
};

/// The tables of one game in some directories.
#[allow(non_camel_case_types)]
pub struct damabase {
    /// The game and its tables, once a directory was opened.
    tables: Option<Arc<dyn AnyTables>>,
    directories: Vec<PathBuf>,
    /// The draw rules chosen, and how they count in the tables' slices.
    countdowns: Option<Arc<Countdowns>>,
    pub(crate) cache_bytes: usize,
    error: Mutex<Option<Failure>>,
}

/// Why a call failed. Texts are made when they are asked for: an engine fails to probe often.
pub(crate) enum Failure {
    /// A wrong argument.
    Input(String),
    /// A probe of a position in which a side was to move.
    Probe(ProbeError, Side),
    /// A fault of this library.
    Internal,
}

impl Failure {
    fn status(&self) -> c_int {
        match self {
            Failure::Input(_) | Failure::Probe(ProbeError::Input(_), _) => DAMABASE_INPUT,
            Failure::Probe(ProbeError::Missing(_), _) => DAMABASE_MISSING,
            Failure::Probe(ProbeError::Damaged { .. }, _) => DAMABASE_DAMAGED,
            Failure::Probe(..) => DAMABASE_IO,
            Failure::Internal => DAMABASE_INTERNAL,
        }
    }

    fn text(&self) -> String {
        match self {
            Failure::Input(text) => text.clone(),
            Failure::Probe(error, side) => error.text(*side),
            Failure::Internal => "a fault of the library: please report it".to_string(),
        }
    }

    pub(crate) fn null() -> Failure {
        Failure::Input("an argument is null".to_string())
    }

    fn not_open() -> Failure {
        Failure::Input("no directory was opened".to_string())
    }
}

impl Default for damabase {
    fn default() -> Self {
        damabase {
            tables: None,
            directories: Vec::new(),
            countdowns: None,
            cache_bytes: DEFAULT_CACHE_BYTES,
            error: Mutex::new(None),
        }
    }
}

impl damabase {
    pub(crate) fn open(
        &mut self,
        variant: &str,
        directory: PathBuf,
        flags: u32,
    ) -> Result<(), Failure> {
        let input = |text: String| Err(Failure::Input(text));
        let variant = match variant.parse::<VariantId>() {
            Ok(variant) => variant,
            Err(error) => return input(error.to_string()),
        };
        if let Some(open) = self.tables.as_ref().map(|tables| tables.variant())
            && open != variant
        {
            return input(format!("the handle is open for {open}, not for {variant}"));
        }
        if flags & !DAMABASE_MAP != 0 {
            return input(format!("unknown flags {flags:#x}"));
        }
        let directories = [self.directories.as_slice(), &[directory]].concat();
        let tables = if flags & DAMABASE_MAP == 0 {
            open_any(variant, &directories, self.cache_bytes)
        } else {
            // SAFETY: whoever gives the flag promises what it asks for.
            unsafe { open_any_mapped(variant, &directories, self.cache_bytes) }
        };
        let tables = tables.map_err(|error| Failure::Probe(error, Side::White))?;
        self.countdowns =
            self.countdowns.as_ref().map(|chosen| tables.countdowns(chosen.profile()));
        self.tables = Some(tables.into());
        self.directories = directories;
        Ok(())
    }

    /// Chooses draw rules by name or text, or those that are usual for the game.
    pub(crate) fn set_profile(&mut self, asked: Option<&str>) -> Result<(), Failure> {
        let tables = self.tables.as_ref().ok_or_else(Failure::not_open)?;
        let profile = draws::chosen(tables.variant(), asked)
            .map_err(|error| Failure::Input(error.to_string()))?;
        self.countdowns = Some(tables.countdowns(&profile));
        Ok(())
    }

    /// The name of a counter of the draw rules chosen.
    pub(crate) fn counter_name(&self, place: usize) -> Option<&str> {
        let countdowns = self.countdowns.as_ref()?;
        Some(&countdowns.profile().counters.get(place)?.name)
    }

    /// The value of a position with some values of counters; negative ones are not given.
    pub(crate) fn counted(&self, position: &Diagram, given: &[i32]) -> Result<Counted, Failure> {
        let tables = self.tables.as_ref().ok_or_else(Failure::not_open)?;
        let countdowns = self
            .countdowns
            .as_ref()
            .ok_or_else(|| Failure::Input("no draw profile was chosen".to_string()))?;
        let mut seeds = Seeds::default();
        for (place, &value) in given.iter().enumerate() {
            let Ok(value) = u32::try_from(value) else { continue };
            let name = self.counter_name(place).ok_or_else(|| {
                Failure::Input(format!("the draw profile has no counter at {place}"))
            })?;
            seeds.counters.push((name.to_string(), value));
        }
        tables.counted(position, countdowns, &seeds).map_err(|error| match error {
            CountedError::Probe(error) => Failure::Probe(error, position.side),
            other => Failure::Input(other.to_string()),
        })
    }

    /// A handle for the same tables.
    pub(crate) fn share(&self) -> damabase {
        damabase {
            tables: self.tables.clone(),
            directories: self.directories.clone(),
            countdowns: self.countdowns.clone(),
            cache_bytes: self.cache_bytes,
            error: Mutex::new(None),
        }
    }

    pub(crate) fn variant(&self) -> Result<VariantId, Failure> {
        Ok(self.tables.as_ref().ok_or_else(Failure::not_open)?.variant())
    }

    pub(crate) fn error_text(&self) -> String {
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        error.as_ref().map_or(String::new(), Failure::text)
    }

    /// The status of a call, whose failure is kept.
    fn status(&self, result: std::thread::Result<Result<(), Failure>>) -> c_int {
        let failure = match result {
            Ok(Ok(())) => return DAMABASE_OK,
            Ok(Err(failure)) => failure,
            Err(_) => Failure::Internal,
        };
        let status = failure.status();
        *self.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
        status
    }

    pub(crate) fn guarded_mut(
        &mut self,
        call: impl FnOnce(&mut damabase) -> Result<(), Failure>,
    ) -> c_int {
        // A call that panics has changed nothing: `open` changes the handle at its end.
        let result = catch_unwind(AssertUnwindSafe(|| call(self)));
        self.status(result)
    }
}

/// Runs a call on a handle; keeps its failure, and lets no panic out.
///
/// # Safety
/// The handle is from this library, or null.
pub(crate) unsafe fn guarded(
    handle: *const damabase,
    call: impl FnOnce(&damabase) -> Result<(), Failure>,
) -> c_int {
    // SAFETY: the caller promises it.
    let Some(handle) = (unsafe { handle.as_ref() }) else { return DAMABASE_INPUT };
    handle.status(catch_unwind(AssertUnwindSafe(|| call(handle))))
}

/// The status of a call with a null pointer.
pub(crate) fn null(handle: *const damabase) -> c_int {
    // SAFETY: only called with what the caller gave as a handle.
    unsafe { guarded(handle, |_| Err(Failure::null())) }
}

/// Runs a probe and writes what it gives to `out`.
///
/// # Safety
/// The handle is from this library, and the others point to what they say, or they are null.
pub(crate) unsafe fn probe<T>(
    handle: *const damabase,
    position: *const damabase_position,
    out: *mut T,
    call: impl FnOnce(&dyn AnyTables, &Diagram) -> Result<T, ProbeError>,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        guarded(handle, |handle| {
            let tables = handle.tables.as_deref().ok_or_else(Failure::not_open)?;
            let position = convert::diagram(position)?;
            if out.is_null() {
                return Err(Failure::null());
            }
            let value =
                call(tables, &position).map_err(|error| Failure::Probe(error, position.side))?;
            written(out, value)
        })
    }
}

/// Runs a probe of a distance and writes what it gives where that is not null.
///
/// # Safety
/// That of [`probe`].
pub(crate) unsafe fn probe_distance(
    handle: *const damabase,
    position: *const damabase_position,
    wld: *mut i32,
    plies: *mut i32,
    call: impl FnOnce(&dyn AnyTables, &Diagram) -> Result<Distance, ProbeError>,
) -> c_int {
    let mut distance = Distance::Draw;
    // SAFETY: as the caller promises; null is not written to.
    unsafe {
        let status = probe(handle, position, &mut distance, call);
        if status == DAMABASE_OK {
            if let Some(wld) = wld.as_mut() {
                *wld = convert::wld(distance.wld());
            }
            if let Some(plies) = plies.as_mut() {
                *plies = convert::plies(Some(distance));
            }
        }
        status
    }
}

/// An answer that cannot fail; `other` where nothing was opened.
///
/// # Safety
/// The handle is from this library, or null.
pub(crate) unsafe fn ask<T>(
    handle: *const damabase,
    other: T,
    call: impl FnOnce(&dyn AnyTables) -> T,
) -> T {
    // SAFETY: the caller promises it.
    match unsafe { handle.as_ref() }.and_then(|handle| handle.tables.as_deref()) {
        Some(tables) => catch_unwind(AssertUnwindSafe(|| call(tables))).unwrap_or(other),
        None => other,
    }
}

/// Writes a value.
///
/// # Safety
/// `out` points to room for one, or is null.
pub(crate) unsafe fn written<T>(out: *mut T, value: T) -> Result<(), Failure> {
    if out.is_null() {
        return Err(Failure::null());
    }
    // SAFETY: as the caller promises.
    unsafe { out.write(value) };
    Ok(())
}

/// A text given by the caller.
///
/// # Safety
/// It ends with a zero, or is null.
pub(crate) unsafe fn text_of<'a>(text: *const c_char) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(Failure::null());
    }
    // SAFETY: as the caller promises.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| Failure::Input("a text is not in UTF-8".to_string()))
}

/// Writes as much of a text as there is room for, and a final zero.
///
/// # Safety
/// `out` has room for `size` bytes, or is null.
pub(crate) unsafe fn copy_text(text: &str, out: *mut c_char, size: usize) {
    if out.is_null() || size == 0 {
        return;
    }
    let len = text.floor_char_boundary(size - 1);
    // SAFETY: `len` is less than `size`.
    unsafe {
        out.copy_from_nonoverlapping(text.as_ptr().cast(), len);
        out.add(len).write(0);
    }
}
