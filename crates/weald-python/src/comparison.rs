//! What is asked when methods are compared, and rows to label are sought.

use numpy::PyArray1;
use pyo3::prelude::*;
use weald::inspect::{self, Doubt};
use weald::parameter::Value as _;
use weald::theory;

use crate::errors::{WealdError, guarded, to_python};
use crate::model::{Model, on_threads};
use crate::table::Table;

#[pymethods]
impl Model {
    /// How much the model is in doubt about each row: by "tie", "entropy" or "kl".
    fn doubts<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        by: &str,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        guarded(|| {
            let mut doubt = Doubt::default();
            if !doubt.parse(by) {
                let told = format!("by is {by:?}; expected one of {}", doubt.expected());
                return Err(WealdError::new_err(told));
            }
            let (model, rows) = (self.own()?, &table.table);
            let found =
                on_threads(py, threads, rows.n_rows(), || inspect::doubts(model, rows, doubt))?;
            Ok(PyArray1::from_vec(py, found.map_err(to_python)?))
        })
    }
}

/// The corrected resampled t test of differences (Nadeau & Bengio 2003): their mean, t and the
/// two-sided p; `None` if there are fewer than two.
#[pyfunction]
pub fn corrected_t_test(differences: Vec<f64>, test_per_train: f64) -> Option<(f64, f64, f64)> {
    let found = theory::corrected_t_test(&differences, test_per_train)?;
    Some((found.mean, found.t, found.p))
}
