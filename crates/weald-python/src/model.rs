//! A fitted model: what files hold and estimators ask.

use std::collections::BTreeMap;
use std::path::PathBuf;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use weald::any::{AnyModel, Trained};
use weald::model::{Model as _, Output};
use weald::persist;
use weald::run::Run;
use weald::seed::Seed;

use crate::errors::{WealdError, guarded, to_python};
use crate::table::{Table, levels, matrix};

/// Rows from which a prediction is shared among threads.
const PARALLEL_ROWS: usize = 256;

/// What a model says of rows; the columns that hold levels it has not seen, with how many rows; and
/// columns that it has no use for.
pub type Told<'py> = (Bound<'py, PyAny>, Vec<(String, usize)>, Vec<String>);

/// A fitted model of any method.
#[pyclass(frozen, module = "weald._weald")]
pub struct Model {
    /// The model, and where it came from.
    pub trained: Trained,
}

#[pymethods]
impl Model {
    /// The model that a file holds.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Model> {
        guarded(|| {
            let bytes = py.detach(|| std::fs::read(&path)).map_err(|error| {
                PyOSError::new_err((error.raw_os_error(), error.to_string(), path.clone()))
            })?;
            Model::from_bytes(py, &bytes)
        })
    }

    /// The model that a file's bytes hold.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Model> {
        guarded(|| {
            let trained = py.detach(|| persist::from_bytes(bytes)).map_err(to_python)?;
            Ok(Model { trained })
        })
    }

    /// Writes the model to a file: the old file is there until the new one is.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        guarded(|| {
            let write = || weald_io::save_model(&path, &persist::to_bytes(&self.trained));
            py.detach(write).map_err(|error| PyOSError::new_err(error.to_string()))
        })
    }

    /// What a file of this model holds.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| persist::to_bytes(&self.trained)))
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let restore = slf.get_type().getattr("from_bytes")?;
        Ok((restore, (slf.get().to_bytes(slf.py()),)))
    }

    /// What the model says of each row: class probabilities, or numbers. With it, the columns that
    /// hold levels it has not seen, each with how many rows, and columns it has no use for.
    fn scores<'py>(&self, py: Python<'py>, table: &Table, threads: usize) -> PyResult<Told<'py>> {
        guarded(|| {
            let model = &self.trained.model;
            let aligned = self.aligned(table)?;
            let scores = on_threads(py, threads, table.table.n_rows(), || {
                model.aligned_scores(&aligned).into_values()
            })?;
            let unseen = aligned.unseen().iter().map(|u| (u.column.clone(), u.rows)).collect();
            let scores = matrix(py, scores, model.output().width())?;
            Ok((scores, unseen, aligned.extra().to_vec()))
        })
    }

    /// What the model says of one row, given a number for each column: the code of the level for
    /// categories, NaN for what is missing.
    fn predict_row<'py>(
        &self,
        py: Python<'py>,
        row: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        guarded(|| {
            let model = &self.trained.model;
            let mut scores = vec![0.0; model.output().width()];
            model.predict_row(row.as_slice()?, &mut scores).map_err(to_python)?;
            Ok(PyArray1::from_vec(py, scores))
        })
    }

    /// The scores of each row before they become predictions, such as log-odds.
    fn raw_scores<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let AnyModel::Additive(model) = &self.trained.model else {
                return Err(WealdError::new_err("only gradient boosting has raw scores"));
            };
            let aligned = self.aligned(table)?;
            let raw = on_threads(py, threads, table.table.n_rows(), || model.raw_scores(&aligned))?;
            let width = raw.width();
            matrix(py, raw.into_values(), width)
        })
    }

    /// The method that made it.
    #[getter]
    fn method(&self) -> &str {
        &self.trained.method
    }

    /// The method's parameters, as text.
    #[getter]
    fn parameters(&self) -> BTreeMap<String, String> {
        self.trained.parameters.clone()
    }

    /// The seed.
    #[getter]
    fn seed(&self) -> u64 {
        self.trained.seed
    }

    /// Rows that it was trained on.
    #[getter]
    fn n_rows(&self) -> u64 {
        self.trained.n_rows
    }

    /// What is predicted: a name for each output.
    #[getter]
    fn target_names(&self) -> Vec<&str> {
        self.trained.target_names()
    }

    /// The names of its columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.trained.model.schema().fields.iter().map(|field| field.name.clone()).collect()
    }

    /// The levels of each column; `None` for numbers.
    #[getter]
    fn levels(&self) -> Vec<Option<Vec<String>>> {
        levels(self.trained.model.schema())
    }

    /// The names of its classes; `None` if it predicts numbers.
    #[getter]
    fn classes(&self) -> Option<Vec<String>> {
        match self.trained.model.output() {
            Output::Probabilities { classes } => Some(classes.to_vec()),
            _ => None,
        }
    }

    /// What its numbers are: probabilities, value, values, quantiles, hazard or ranking.
    #[getter]
    fn output(&self) -> &'static str {
        match self.trained.model.output() {
            Output::Probabilities { .. } => "probabilities",
            Output::Value => "value",
            Output::Values { .. } => "values",
            Output::Quantiles { .. } => "quantiles",
            Output::Hazard => "hazard",
            Output::Ranking => "ranking",
            _ => "numbers",
        }
    }

    /// How many members it has; of a single tree, 1.
    #[getter]
    fn n_members(&self) -> usize {
        match &self.trained.model {
            AnyModel::Constant(_) => 0,
            AnyModel::Tree(_) => 1,
            AnyModel::Additive(model) => model.n_rounds(),
            AnyModel::Forest(model) => model.trees.len(),
            AnyModel::Committee(model) => model.members.len(),
        }
    }

    /// The error on rows out of the bag after each member; `None` if there were none.
    #[getter]
    fn out_of_bag_errors(&self) -> Option<Vec<f64>> {
        match &self.trained.model {
            AnyModel::Forest(model) => Some(model.out_of_bag.as_ref()?.errors.clone()),
            AnyModel::Committee(model) => Some(model.out_of_bag.as_ref()?.errors.clone()),
            _ => None,
        }
    }

    /// The held-out loss before the first round and after each, with its name and what rows were
    /// held out; `None` if none were.
    #[getter]
    fn learning_curve(&self) -> Option<(String, String, Vec<f64>)> {
        match &self.trained.model {
            AnyModel::Additive(model) => {
                let curve = model.curve.as_ref()?;
                Some((curve.loss.clone(), curve.rows.clone(), curve.held_out.clone()))
            }
            _ => None,
        }
    }
}

/// Does `work` without the interpreter's lock, on threads of its own if there are rows enough.
pub fn on_threads<R: Send>(
    py: Python<'_>,
    threads: usize,
    n_rows: usize,
    work: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    py.detach(|| {
        if threads == 1 || n_rows < PARALLEL_ROWS {
            return Ok(work());
        }
        Ok(Run::quiet(Seed(0), threads).map_err(to_python)?.install(work))
    })
}
