//! What Python raises in the midst of Rust, kept until Rust is done.
//!
//! Losses, metrics and members that are Python's are called where nothing can be returned but
//! numbers. What they raise is put aside here, and raised when the fit or the prediction is over.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{ThreadId, current};

use pyo3::prelude::*;

/// Exceptions, each with the thread that it was raised on: two threads may predict at a time.
#[derive(Default)]
pub struct Raised {
    errors: Mutex<Vec<(ThreadId, PyErr)>>,
    is_any: AtomicBool,
}

impl Raised {
    /// Puts an exception aside.
    pub fn keep(&self, error: PyErr) {
        self.held().push((current().id(), error));
        self.is_any.store(true, Ordering::Relaxed);
    }

    /// Whether there is one: then there is no point in going on.
    pub fn is_any(&self) -> bool {
        self.is_any.load(Ordering::Relaxed)
    }

    /// Whether there is one of this thread.
    pub fn is_own(&self) -> bool {
        self.is_any() && self.held().iter().any(|(thread, _)| *thread == current().id())
    }

    /// The first, on whatever thread; the others are forgotten.
    pub fn take(&self) -> Option<PyErr> {
        let mut errors = self.held();
        self.is_any.store(false, Ordering::Relaxed);
        errors.drain(..).next().map(|(_, error)| error)
    }

    /// That of this thread.
    pub fn take_own(&self) -> Option<PyErr> {
        let mut errors = self.held();
        let place = errors.iter().position(|(thread, _)| *thread == current().id())?;
        let (_, error) = errors.remove(place);
        self.is_any.store(!errors.is_empty(), Ordering::Relaxed);
        Some(error)
    }

    fn held(&self) -> MutexGuard<'_, Vec<(ThreadId, PyErr)>> {
        self.errors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
