//! Metrics of the user's own, in Python: `measure(y, predictions, weights)`, the lower the better.

use std::sync::Arc;

use numpy::PyArray1;
use pyo3::prelude::*;
use weald::data::Weights;
use weald::learner::{HeldOutMetric, HeldOutRows};

use crate::raised::Raised;
use crate::table::matrix;

/// A metric that Python computes.
pub struct PythonMetric {
    name: String,
    object: Py<PyAny>,
    raised: Arc<Raised>,
}

impl PythonMetric {
    /// The metric of an object with a `name`, besides its method.
    pub fn new(object: &Bound<'_, PyAny>, raised: Arc<Raised>) -> PyResult<PythonMetric> {
        let name = object.getattr("name")?.extract()?;
        Ok(PythonMetric { name, object: object.clone().unbind(), raised })
    }

    fn ask(&self, rows: &HeldOutRows<'_>) -> PyResult<f64> {
        let n_rows = rows.targets.len();
        let weights: Option<Vec<f64>> = match rows.weights {
            Weights::Uniform => None,
            weights => Some((0..n_rows).map(|row| weights.at(row)).collect()),
        };
        Python::attach(|py| {
            let targets = PyArray1::from_slice(py, rows.targets);
            let width = rows.predictions.len() / n_rows.max(1);
            let predictions = matrix(py, rows.predictions.to_vec(), (n_rows, width))?;
            let weights = weights.map(|weights| PyArray1::from_vec(py, weights));
            self.object.call_method1(py, "measure", (targets, predictions, weights))?.extract(py)
        })
    }
}

impl HeldOutMetric for PythonMetric {
    fn name(&self) -> &str {
        &self.name
    }

    fn measure(&self, rows: &HeldOutRows<'_>) -> f64 {
        if self.raised.is_any() {
            return f64::NAN;
        }
        self.ask(rows).unwrap_or_else(|error| {
            self.raised.keep(error);
            f64::NAN
        })
    }
}
