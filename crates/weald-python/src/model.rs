//! A fitted model: what files hold and estimators ask.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyFileExistsError, PyOSError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use weald::adaboost::{BoostedModel, Round};
use weald::any::{AnyModel, Trained};
use weald::data::{Aligned, Sample, Weights};
use weald::describe::Describe as _;
use weald::model::{Output, room_for_scores};
use weald::persist;
use weald::run::Run;
use weald::seed::Seed;
use weald_io::{Holds, memory, what_is_in};

use crate::committee::{Committee, InPickle, MemberState, Members};
use crate::errors::{WealdError, guarded, to_python};
use crate::part::PartModel;
use crate::table::{Table, Target, array_of, levels};

/// Rows from which a prediction is shared among threads.
const PARALLEL_ROWS: usize = 256;

/// Numbers that are predicted at a time where only classes are asked for.
const MOST_NUMBERS: usize = 1 << 24;

/// What a model says of rows; the columns that hold levels it has not seen, with how many rows; and
/// columns that it has no use for.
type Told<'py> = (Bound<'py, PyAny>, Vec<(String, usize)>, Vec<String>);

/// What is told of a round.
type RoundFacts = (f64, f64, f64, f64, Option<f64>, Option<f64>, Option<f64>);

/// A fitted model of any method.
#[pyclass(frozen, module = "weald._weald")]
pub struct Model {
    /// What it is made of.
    pub kept: Kept,
}

/// What a model is made of.
pub enum Kept {
    /// What a file holds.
    Trained(Arc<Trained>),
    /// Members that are Python's.
    Committee(Box<Committee>),
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
            Ok(Model { kept: Kept::Trained(Arc::new(trained)) })
        })
    }

    /// Writes the model to a file: the old file is there until the new one is. A file that is no model is
    /// not replaced.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        guarded(|| {
            let trained = self.trained()?;
            if let Some(Holds::Other | Holds::Checkpoint) = py.detach(|| what_is_in(&path)) {
                let words = "there already, and not a model: choose another name, or remove it";
                let code = std::io::Error::from(std::io::ErrorKind::AlreadyExists).raw_os_error();
                return Err(PyFileExistsError::new_err((code.unwrap_or(17), words, path.clone())));
            }
            let bytes = py.detach(|| persist::to_proven_bytes(trained)).map_err(to_python)?;
            let write = || weald_io::save_model(&path, &bytes);
            py.detach(write).map_err(|error| match error.source.raw_os_error() {
                // The number makes it a FileNotFoundError, a PermissionError and so on.
                Some(code) => PyOSError::new_err((code, error.to_string(), path.clone())),
                None => PyOSError::new_err(error.to_string()),
            })
        })
    }

    /// What a file of this model holds.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let trained = self.trained()?;
        let bytes = py.detach(|| persist::to_proven_bytes(trained)).map_err(to_python)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// A pickle holds what a file does, or members.
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, own) = (slf.py(), slf.get());
        match &own.kept {
            Kept::Trained(_) => {
                let restore = slf.get_type().getattr("from_bytes")?;
                Ok((restore, (own.to_bytes(py)?,).into_pyobject(py)?))
            }
            Kept::Committee(committee) => {
                let restore = slf.get_type().getattr("of_members")?;
                Ok((restore, committee.state(py).into_pyobject(py)?))
            }
        }
    }

    /// A committee of members that are Python's, from what a pickle holds.
    #[staticmethod]
    fn of_members(members: Vec<InPickle>, shell: &[u8]) -> PyResult<Model> {
        Ok(Model { kept: Kept::Committee(Box::new(Committee::restored(members, shell)?)) })
    }

    /// The fitted members that are Python's, each with the columns that it sees, if not all; `None`
    /// if the model is weald's own.
    #[getter]
    fn members(&self, py: Python<'_>) -> Option<Vec<MemberState>> {
        match &self.kept {
            Kept::Trained(_) => None,
            Kept::Committee(committee) => Some(committee.member_states(py)),
        }
    }

    /// What the model says of each row: class probabilities, or numbers. With it, the columns that
    /// hold levels it has not seen, each with how many rows, and columns it has no use for.
    fn scores<'py>(&self, py: Python<'py>, table: &Table, threads: usize) -> PyResult<Told<'py>> {
        guarded(|| {
            let aligned = self.aligned(table)?;
            let (model, n_rows) = (self.model(), table.table.n_rows());
            room_for_scores(n_rows, model.output(), memory::left).map_err(to_python)?;
            // Members that are Python's answer one after the other.
            let threads = if matches!(self.kept, Kept::Committee(_)) { 1 } else { threads };
            let scores = on_threads(py, threads, n_rows, || model.aligned_scores(&aligned))?;
            self.check_raised()?;
            let unseen = aligned.unseen().iter().map(|u| (u.column.clone(), u.rows)).collect();
            Ok((array_of(py, scores)?, unseen, aligned.extra().to_vec()))
        })
    }

    /// The class that the model holds most likely of each row, the first of equals, by its number; and
    /// what `scores` tells besides. Of many classes, rows are looked at some at a time.
    fn most_probable<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        threads: usize,
    ) -> PyResult<Told<'py>> {
        guarded(|| {
            let aligned = self.aligned(table)?;
            let (model, n_rows) = (self.model(), table.table.n_rows());
            let threads = if matches!(self.kept, Kept::Committee(_)) { 1 } else { threads };
            let block = (MOST_NUMBERS / model.output().width()).max(PARALLEL_ROWS);
            let mut codes = Vec::with_capacity(n_rows);
            for start in (0..n_rows).step_by(block) {
                let rows: Vec<usize> = (start..n_rows.min(start + block)).collect();
                let part =
                    (rows.len() < n_rows).then(|| aligned.with_table(aligned.table().take(&rows)));
                let part = part.as_ref().unwrap_or(&aligned);
                let scores = on_threads(py, threads, rows.len(), || model.aligned_scores(part))?;
                self.check_raised()?;
                codes.extend(scores.classes());
            }
            let unseen = aligned.unseen().iter().map(|u| (u.column.clone(), u.rows)).collect();
            let codes = PyArray1::from_vec(py, codes).into_any();
            Ok((codes, unseen, aligned.extra().to_vec()))
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
            let model = self.model();
            let mut scores = vec![0.0; model.output().width()];
            model.predict_row(row.as_slice()?, &mut scores).map_err(to_python)?;
            self.check_raised()?;
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
            let aligned = self.aligned(table)?;
            let n_rows = table.table.n_rows();
            let raw = match (self.foreign(), &self.facts().model) {
                (None, AnyModel::Additive(model)) => {
                    on_threads(py, threads, n_rows, || model.raw_scores(&aligned))?
                }
                (None, AnyModel::Boosted(model)) if model.has_scores() => {
                    on_threads(py, threads, n_rows, || model.raw_scores(&aligned))?
                }
                (Some(model), _) if model.has_scores() => {
                    on_threads(py, 1, n_rows, || model.raw_scores(&aligned))?
                }
                (None, AnyModel::Linear(model)) => {
                    on_threads(py, threads, n_rows, || model.margins(&aligned))?
                }
                _ => {
                    let words = "only boosting and linear models have raw scores";
                    return Err(WealdError::new_err(words));
                }
            };
            self.check_raised()?;
            array_of(py, raw)
        })
    }

    /// The margin of each row, given its class: how far the score of its class leads, as a share of
    /// how far it could.
    fn margins<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        target: &Target,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        guarded(|| {
            let sample = Sample::new(&table.table, &target.target, &Weights::Uniform);
            let sample = sample.map_err(to_python)?;
            let n_rows = table.table.n_rows();
            let margins = match (self.foreign(), &self.facts().model) {
                (None, AnyModel::Boosted(model)) => {
                    on_threads(py, threads, n_rows, || model.margins(&sample))?
                }
                (Some(model), _) => on_threads(py, 1, n_rows, || model.margins(&sample))?,
                _ => return Err(WealdError::new_err("only AdaBoost has margins")),
            };
            self.check_raised()?;
            Ok(PyArray1::from_vec(py, margins.map_err(to_python)?))
        })
    }

    /// The rounds of AdaBoost, each with its error, edge, coefficient, normaliser, what the training
    /// error is at most (`None` where nothing bounds it), the training error and the least margin;
    /// `None` of other methods.
    #[getter]
    fn rounds(&self) -> Option<Vec<RoundFacts>> {
        let AnyModel::Boosted(model) = &self.facts().model else { return None };
        let bounds = model.bounds();
        let facts = |(at, round): (usize, &Round)| {
            let bound = bounds.as_ref().map(|bounds| bounds[at]);
            let Round { error, edge, coefficient, normaliser, .. } = *round;
            (error, edge, coefficient, normaliser, bound, round.training_error, round.min_margin)
        };
        Some(model.rounds.iter().enumerate().map(facts).collect())
    }

    /// The method that made it.
    #[getter]
    fn method(&self) -> &str {
        &self.facts().method
    }

    /// The method's parameters, as text.
    #[getter]
    fn parameters(&self) -> BTreeMap<String, String> {
        self.facts().parameters.clone()
    }

    /// The seed.
    #[getter]
    fn seed(&self) -> u64 {
        self.facts().seed
    }

    /// Rows that it was trained on.
    #[getter]
    fn n_rows(&self) -> u64 {
        self.facts().n_rows
    }

    /// What is predicted: a name for each output.
    #[getter]
    fn target_names(&self) -> Vec<&str> {
        self.facts().target_names()
    }

    /// The names of its columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.model().schema().fields.iter().map(|field| field.name.clone()).collect()
    }

    /// The levels of each column; `None` for numbers.
    #[getter]
    fn levels(&self) -> Vec<Option<Vec<String>>> {
        levels(self.model().schema())
    }

    /// The names of its classes; `None` if it predicts numbers.
    #[getter]
    fn classes(&self) -> Option<Vec<String>> {
        match self.model().output() {
            Output::Probabilities { classes } => Some(classes.to_vec()),
            _ => None,
        }
    }

    /// The names of the classes of each output; `None` if it predicts numbers.
    #[getter]
    fn class_lists(&self) -> Option<Vec<Vec<String>>> {
        match self.model().output() {
            Output::Probabilities { classes } => Some(vec![classes.to_vec()]),
            Output::SeveralProbabilities { outputs } => {
                Some(outputs.iter().map(|output| output.classes.to_vec()).collect())
            }
            _ => None,
        }
    }

    /// What its numbers are: probabilities, value, values, quantiles, hazard, ranking or
    /// anomaly.
    #[getter]
    fn output(&self) -> &'static str {
        match self.model().output() {
            Output::Probabilities { .. } => "probabilities",
            Output::SeveralProbabilities { .. } => "several probabilities",
            Output::Value => "value",
            Output::Values { .. } => "values",
            Output::Quantiles { .. } => "quantiles",
            Output::Hazard => "hazard",
            Output::Ranking => "ranking",
            Output::Anomaly => "anomaly",
            Output::LogDensity => "log density",
            _ => "numbers",
        }
    }

    /// How many members it has; of a single tree, 1.
    #[getter]
    fn n_members(&self) -> usize {
        self.facts().model.n_members()
    }

    /// What the answer of each member weighs; `None` if members are not weighed.
    #[getter]
    fn weights(&self) -> Option<Vec<f64>> {
        self.facts().model.weights().map(<[f64]>::to_vec)
    }

    /// The mean log-likelihood of a row after each round; `None` but of mixtures of experts.
    #[getter]
    fn likelihoods(&self) -> Option<Vec<f64>> {
        match &self.facts().model {
            AnyModel::Mixture(model) => Some(model.likelihoods.clone()),
            _ => None,
        }
    }

    /// How much the gate of a mixture believes each expert, row by row.
    fn gate<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let AnyModel::Mixture(model) = &self.facts().model else {
                return Err(WealdError::new_err("only mixtures of experts have a gate"));
            };
            let aligned = self.aligned(table)?;
            let n_rows = table.table.n_rows();
            array_of(py, on_threads(py, threads, n_rows, || model.gate_probabilities(&aligned))?)
        })
    }

    /// The error on rows out of the bag after each member; `None` if there were none.
    #[getter]
    fn out_of_bag_errors(&self) -> Option<Vec<f64>> {
        Some(self.facts().model.out_of_bag()?.errors.clone())
    }

    /// The held-out loss before the first round and after each, with its name and what rows were
    /// held out; `None` if none were.
    #[getter]
    fn learning_curve(&self) -> Option<(String, String, Vec<f64>)> {
        let Ok(AnyModel::Additive(model)) = self.own() else { return None };
        let curve = model.curve.as_ref()?;
        Some((curve.loss.clone(), curve.rows.clone(), curve.held_out.clone()))
    }
}

impl Model {
    /// The model, whoever fitted it.
    fn model(&self) -> &dyn weald::model::Model {
        match &self.kept {
            Kept::Trained(trained) => &trained.model,
            Kept::Committee(committee) => committee.members.model(),
        }
    }

    /// Members that are Python's and speak in turn.
    fn foreign(&self) -> Option<&BoostedModel<PartModel>> {
        match &self.kept {
            Kept::Committee(committee) => match &committee.members {
                Members::Boosted(model) => Some(model),
                _ => None,
            },
            Kept::Trained(_) => None,
        }
    }

    /// Everything but members that are Python's.
    fn facts(&self) -> &Trained {
        match &self.kept {
            Kept::Trained(trained) => trained,
            Kept::Committee(committee) => &committee.shell,
        }
    }

    /// The model, if it is weald's own.
    pub fn own(&self) -> PyResult<&AnyModel> {
        match &self.kept {
            Kept::Trained(trained) => Ok(&trained.model),
            Kept::Committee(committee) => Err(committee.no_trees()),
        }
    }

    /// What a file can hold.
    fn trained(&self) -> PyResult<&Trained> {
        match &self.kept {
            Kept::Trained(trained) => Ok(trained),
            Kept::Committee(committee) => Err(committee.no_file()),
        }
    }

    /// The table as one of the model's columns.
    pub fn aligned<'t>(&self, table: &'t Table) -> PyResult<Aligned<'t>> {
        self.model().schema().align(&table.table).map_err(to_python)
    }

    /// Raises what a member that is Python's has raised on this thread.
    fn check_raised(&self) -> PyResult<()> {
        match &self.kept {
            Kept::Trained(_) => Ok(()),
            Kept::Committee(committee) => committee.raised.take_own().map_or(Ok(()), Err),
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
