//! Forests that learn from rows as they come.

use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use weald::forest::stream::{StreamingForest, StreamingModel};
use weald::parameter::Parameters as _;
use weald::persist::{stream_from_bytes, stream_to_bytes};
use weald::seed::Seed;

use crate::errors::{guarded, to_python};
use crate::model::on_threads;
use crate::table::{Table, levels};

/// A forest over the last rows of a stream.
#[pyclass(frozen, module = "weald._weald")]
pub struct Stream {
    model: Mutex<StreamingModel>,
}

#[pymethods]
impl Stream {
    /// A forest that has seen no row, for rows with the columns of a table.
    #[new]
    fn new(parameters: Vec<(String, String)>, columns: &Table, seed: u64) -> PyResult<Stream> {
        guarded(|| {
            let mut forest = StreamingForest::default();
            for (name, value) in &parameters {
                forest.set_own(name, value).map_err(to_python)?;
            }
            let model = forest.start(columns.table.schema(), Seed(seed)).map_err(to_python)?;
            Ok(Stream { model: Mutex::new(model) })
        })
    }

    /// Takes rows in their order; the score of each is what it was before it was added.
    fn update<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.told(py, table, threads, |model, table| model.update(table))
    }

    /// The score of each row, without adding it.
    fn scores<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.told(py, table, threads, |model, table| model.scores(table))
    }

    /// The logarithm of the density of each row, without adding it.
    fn log_density<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.told(py, table, threads, |model, table| model.log_density(table))
    }

    /// How many rows it has seen.
    #[getter]
    fn n_seen(&self) -> u64 {
        self.model().n_seen()
    }

    /// Bytes of memory that it takes.
    #[getter]
    fn n_bytes(&self) -> usize {
        self.model().memory()
    }

    /// The names of its columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.model().schema().fields.iter().map(|field| field.name.clone()).collect()
    }

    /// Whether each column holds categories.
    #[getter]
    fn is_categorical(&self) -> Vec<bool> {
        levels(self.model().schema()).iter().map(Option::is_some).collect()
    }

    /// What a file of its state holds.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &stream_to_bytes(&self.model()))
    }

    /// The forest that a file's bytes hold, which goes on where it was.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Stream> {
        guarded(|| {
            let model = stream_from_bytes(bytes).map_err(to_python)?;
            Ok(Stream { model: Mutex::new(model) })
        })
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let from_bytes = py.get_type::<Stream>().getattr("from_bytes")?;
        Ok((from_bytes, (self.to_bytes(py),)))
    }
}

impl Stream {
    fn model(&self) -> MutexGuard<'_, StreamingModel> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn told<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        threads: usize,
        work: impl Fn(&mut StreamingModel, &weald::data::Table) -> weald::Result<Vec<f64>> + Sync,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        guarded(|| {
            let rows = &table.table;
            let told = on_threads(py, threads, rows.n_rows(), || work(&mut self.model(), rows))?;
            Ok(PyArray1::from_vec(py, told.map_err(to_python)?))
        })
    }
}
