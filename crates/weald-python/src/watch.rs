//! Watching a fit from Python: Ctrl-C, warnings, and a listener.
//!
//! The fit runs on threads of its own, without the interpreter's lock. The thread that called waits
//! and looks for signals; a listener is called by whichever thread has something to tell.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use weald::observer::{Event, Observer};

use crate::errors::internal;
use crate::raised::Raised;

/// How often signals are looked for.
const PATIENCE: Duration = Duration::from_millis(40);

/// What is heard of a fit.
#[derive(Default)]
pub struct Watch {
    listener: Option<Py<PyAny>>,
    stopped: AtomicBool,
    raised: Mutex<Option<PyErr>>,
    warnings: Mutex<Vec<String>>,
    /// What a loss, metric or member of the user's own raises: it stops the fit, of which nothing
    /// is kept then.
    pub failure: Arc<Raised>,
}

impl Watch {
    /// Tells `listener` of every event: `listener(kind, name, done, total, value)`, where what an
    /// event does not have is `None`. If the answer is true the fit ends soon.
    pub fn new(listener: Option<Py<PyAny>>) -> Watch {
        Watch { listener, ..Watch::default() }
    }

    /// Does `work` on a thread of its own. What a signal's handler or the listener raises stops the
    /// work and is kept for [`Watch::raised`].
    pub fn over<R: Send>(&self, py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
        py.detach(|| {
            std::thread::scope(|scope| {
                let (done, wait) = channel::<()>();
                let work = move || {
                    let result = catch_unwind(AssertUnwindSafe(work));
                    drop(done);
                    result
                };
                let builder = std::thread::Builder::new().name("weald".into());
                let worker = builder.spawn_scoped(scope, work).map_err(|error| {
                    PyOSError::new_err(format!("could not start a thread: {error}"))
                })?;
                while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(PATIENCE) {
                    if let Err(error) = Python::attach(|py| py.check_signals()) {
                        self.stop_with(error);
                    }
                }
                let result = worker.join().unwrap_or_else(Err);
                result.map_err(|payload| internal(&*payload))
            })
        })
    }

    /// What was raised meanwhile.
    pub fn raised(&self) -> Option<PyErr> {
        held(&self.raised).take()
    }

    /// The warnings, in words.
    pub fn warnings(&self) -> Vec<String> {
        std::mem::take(&mut held(&self.warnings))
    }

    fn stop_with(&self, error: PyErr) {
        held(&self.raised).get_or_insert(error);
        self.stopped.store(true, Ordering::Relaxed);
    }

    fn tell(&self, listener: &Py<PyAny>, event: &Event) {
        type Told<'t> = (&'t str, Option<&'t str>, Option<u64>, Option<u64>, Option<f64>);
        let told: Told<'_> = match event {
            Event::Stage { name } => ("stage", Some(name), None, None, None),
            Event::Rows { done, total } => ("rows", None, Some(*done), Some(*total), None),
            Event::Member { index, total, honest } => {
                let (name, value) = honest.unzip();
                ("member", name, Some(*index as u64 + 1), Some(*total as u64), value)
            }
            _ => return,
        };
        let answer = Python::attach(|py| listener.call1(py, told)?.is_truthy(py));
        match answer {
            Ok(true) => self.stopped.store(true, Ordering::Relaxed),
            Ok(false) => {}
            Err(error) => self.stop_with(error),
        }
    }
}

impl Observer for Watch {
    fn memory_left(&self) -> Option<u64> {
        weald_io::memory::left()
    }

    fn on_event(&self, event: &Event) -> ControlFlow<()> {
        match event {
            Event::Tick => {}
            Event::Warning(warning) => held(&self.warnings).push(warning.to_string()),
            event => {
                if let Some(listener) = &self.listener
                    && !self.stopped.load(Ordering::Relaxed)
                {
                    self.tell(listener, event);
                }
            }
        }
        match self.stopped.load(Ordering::Relaxed) || self.failure.is_any() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
