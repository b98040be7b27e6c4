//! Fitting models that differ by more than chance, side by side.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, Result};
use crate::observer::Event;
use crate::run::Run;

/// Makes `n` models, each by its number and with a run of its own, and tells how far it is.
///
/// # Errors
/// Those of `fit`; [`Error::Interrupted`] if the run was stopped before all were made.
pub fn fit_side_by_side<'r, M: Send>(
    n: usize,
    (stage, run): (&'static str, &Run<'r>),
    fit: impl Fn(usize, &Run<'r>) -> Result<M> + Sync,
) -> Result<Vec<M>> {
    run.report(&Event::Stage { name: stage });
    let n_done = AtomicUsize::new(0);
    let models = run.fit_each(0..n, |at, child| {
        let model = fit(at, child)?;
        let index = n_done.fetch_add(1, Ordering::Relaxed);
        run.report(&Event::Member { index, total: n, honest: None });
        Ok(model)
    })?;
    if models.len() < n { Err(Error::Interrupted) } else { Ok(models) }
}
