//! weald's errors as Python's. A panic becomes an exception too: the process lives on.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use pyo3::create_exception;
use pyo3::exceptions::{
    PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;

create_exception!(weald, WealdError, PyValueError, "Input or parameters that weald cannot use.");
create_exception!(weald, ModelFileError, WealdError, "A model file that cannot be read.");
create_exception!(
    weald,
    OutOfMemoryError,
    PyMemoryError,
    "Work that needs more memory than there is; refused before it begins."
);
create_exception!(
    weald,
    InternalError,
    PyRuntimeError,
    "A fault of weald itself; please report it."
);

/// Where the last panic was, in words.
static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Keeps panics from writing to the terminal: they are told as exceptions.
pub fn hear_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or(String::new(), |place| format!(" at {place}"));
        let told = format!("{}{place}", words(info.payload()));
        *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
    }));
}

/// Does `work`; a panic becomes an [`InternalError`].
pub fn guarded<R>(work: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(internal(&*payload)))
}

/// What to raise for a panic.
pub fn internal(payload: &(dyn Any + Send)) -> PyErr {
    let told = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner).take();
    let told = told.unwrap_or_else(|| words(payload).into());
    InternalError::new_err(format!("a fault of weald itself: {told}; please report it"))
}

fn words(payload: &dyn Any) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic")
}

/// What to raise for an error of the library.
pub fn to_python(error: weald::Error) -> PyErr {
    let told = error.to_string();
    match error {
        weald::Error::ModelFile(_) => ModelFileError::new_err(told),
        weald::Error::Interrupted => PyKeyboardInterrupt::new_err(told),
        weald::Error::Memory { .. } => OutOfMemoryError::new_err(told),
        weald::Error::Threads { .. } => PyOSError::new_err(told),
        _ => WealdError::new_err(told),
    }
}

/// Panics on a thread of its own, as a fault of weald would: to see that the process lives on.
#[pyfunction]
pub fn _panic(py: Python<'_>, words: String) -> PyResult<()> {
    crate::watch::Watch::default().over(py, || panic!("{words}"))
}
