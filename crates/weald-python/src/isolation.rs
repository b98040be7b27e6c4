//! What isolation knows of rows beyond their scores.

use pyo3::prelude::*;
use weald::any::AnyModel;
use weald::data::Aligned;
use weald::forest::IsolationModel;
use weald::scores::Scores;

use crate::errors::{WealdError, guarded};
use crate::model::{Model, on_threads};
use crate::table::{Table, array_of};

#[pymethods]
impl Model {
    /// The score above which a row is an anomaly; `None` if it is no isolation forest.
    #[getter]
    fn threshold(&self) -> Option<f64> {
        self.isolation().map(|model| model.threshold).ok()
    }

    /// Rows that each tree of an isolation forest has seen; `None` of other models.
    #[getter]
    fn sample_rows(&self) -> Option<u64> {
        self.isolation().map(|model| model.sample_rows).ok()
    }

    /// The binary logarithm of the score of a row that no column isolates; `None` if it is no
    /// isolation forest.
    #[getter]
    fn typical(&self) -> Option<f64> {
        self.isolation().map(IsolationModel::typical).ok()
    }

    /// How many splits isolate each row, on the mean over trees.
    fn path_lengths<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.isolated(py, table, threads, IsolationModel::path_lengths)
    }

    /// How much each column isolates each row: rows by columns.
    fn credits<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.isolated(py, table, threads, IsolationModel::credits)
    }
}

impl Model {
    fn isolation(&self) -> PyResult<&IsolationModel> {
        match self.own()? {
            AnyModel::Isolation(model) => Ok(model),
            _ => Err(WealdError::new_err("only an isolation forest isolates rows")),
        }
    }

    fn isolated<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        threads: usize,
        of: impl Fn(&IsolationModel, &Aligned<'_>) -> Scores + Sync,
    ) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let aligned = self.aligned(table)?;
            let (model, n_rows) = (self.isolation()?, table.table.n_rows());
            array_of(py, on_threads(py, threads, n_rows, || of(model, &aligned))?)
        })
    }
}
