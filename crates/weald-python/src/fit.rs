//! Fitting: a method by name, with parameters as text, on a table.

use numpy::{PyReadonlyArray1, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use weald::any::{AnyLearner, AnyModel, TargetField, Trained};
use weald::data::{Sample, Weights};
use weald::ensemble::OutOfBag;
use weald::learner::{Extras, Learner, Validation};
use weald::run::Run;
use weald::seed::Seed;

use crate::errors::{guarded, to_python};
use crate::model::Model;
use crate::table::{Table, Target, matrix};
use crate::watch::Watch;

/// Rows that are not trained on, and what belongs to them.
#[pyclass(frozen, module = "weald._weald")]
pub struct Rows {
    table: Py<Table>,
    target: Py<Target>,
    weights: Weights,
    groups: Option<Vec<u32>>,
    offset: Option<Vec<f64>>,
}

#[pymethods]
impl Rows {
    #[new]
    #[pyo3(signature = (table, target, *, weights=None, groups=None, offset=None))]
    fn new(
        table: Py<Table>,
        target: Py<Target>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        groups: Option<PyReadonlyArray1<'_, u32>>,
        offset: Option<PyReadonlyArrayDyn<'_, f64>>,
    ) -> PyResult<Rows> {
        Ok(Rows {
            table,
            target,
            weights: crate::table::weights(weights)?,
            groups: groups.map(|groups| groups.as_array().to_vec()),
            offset: offset.map(|offset| offset.as_array().iter().copied().collect()),
        })
    }
}

/// What a fit gives.
#[pyclass(frozen, get_all, module = "weald._weald")]
pub struct Fitted {
    /// The model.
    model: Py<Model>,
    /// What was suspicious, in words.
    warnings: Vec<String>,
    /// What to raise once the model has been put away: the fit was interrupted.
    raised: Option<Py<PyAny>>,
    /// What the members that have not seen a row say of it, where that was asked for.
    out_of_bag: Option<Py<PyAny>>,
}

/// Fits a method on rows.
#[pyfunction]
#[pyo3(signature = (
    method, parameters, rows, *, seed, threads, target_name="target",
    validation=None, continued=None, out_of_bag=false, listener=None,
))]
#[allow(clippy::too_many_arguments)]
pub fn fit(
    py: Python<'_>,
    method: &str,
    parameters: Vec<(String, String)>,
    rows: &Rows,
    seed: u64,
    threads: usize,
    target_name: &str,
    validation: Option<&Rows>,
    continued: Option<&Model>,
    out_of_bag: bool,
    listener: Option<Py<PyAny>>,
) -> PyResult<Fitted> {
    guarded(|| {
        let learner = learner(method, &parameters)?;
        let watch = Watch::new(listener);
        let run = Run::new(Seed(seed), threads, &watch).map_err(to_python)?;
        let sample = rows.sample()?;
        let held_out = validation.map(Rows::sample).transpose()?;
        let validation = validation.zip(held_out.as_ref()).map(|(rows, sample)| Validation {
            sample,
            groups: rows.groups.as_deref(),
            offset: rows.offset.as_deref(),
        });
        let extras = Extras {
            groups: rows.groups.as_deref(),
            offset: rows.offset.as_deref(),
            validation,
            continued: continued.map(|model| &model.trained.model),
            ..Extras::default()
        };
        let fitted = watch.over(py, || match out_of_bag {
            true => fit_out_of_bag(&learner, &sample, &run),
            false => learner.fit_with(&sample, &extras, &run).map(|model| (model, None)),
        })?;
        let raised = watch.raised();
        let (model, honest) = match (fitted, raised.as_ref()) {
            (Err(weald::Error::Interrupted), Some(error)) => return Err(error.clone_ref(py)),
            (fitted, _) => fitted.map_err(to_python)?,
        };
        let settings = learner.settings().into_iter();
        let trained = Trained {
            model,
            method: method.into(),
            parameters: settings.map(|s| (s.name.into_owned(), s.value)).collect(),
            seed,
            target: TargetField { name: target_name.into() },
            metrics: Vec::new(),
            n_rows: sample.n_rows() as u64,
        };
        let honest = honest.map(|honest| {
            let predictions = honest.predictions();
            let width = predictions.width();
            matrix(py, predictions.values().to_vec(), width).map(Bound::unbind)
        });
        Ok(Fitted {
            model: Py::new(py, Model { trained })?,
            warnings: watch.warnings(),
            raised: raised.map(|error| error.into_value(py).into_any()),
            out_of_bag: honest.transpose()?,
        })
    })
}

/// The same, with what members say of rows that they have not seen.
fn fit_out_of_bag(
    learner: &AnyLearner,
    sample: &Sample<'_>,
    run: &Run<'_>,
) -> weald::Result<(AnyModel, Option<OutOfBag>)> {
    match learner {
        AnyLearner::RandomForest(forest) => {
            let (model, honest) = forest.fit_out_of_bag(sample, run)?;
            Ok((AnyModel::Forest(Box::new(model)), honest))
        }
        AnyLearner::Bagging(bagging) => {
            let (model, honest) = bagging.fit_out_of_bag(sample, run)?;
            Ok((AnyModel::Committee(model), honest))
        }
        AnyLearner::Constant(_)
        | AnyLearner::GradientBoosting(_)
        | AnyLearner::DecisionTree(_)
        | AnyLearner::Stump(_) => learner.fit(sample, run).map(|model| (model, None)),
    }
}

impl Rows {
    fn sample(&self) -> PyResult<Sample<'_>> {
        let (table, target) = (self.table.get(), self.target.get());
        Sample::new(&table.table, &target.target, &self.weights).map_err(to_python)
    }
}

/// Every method with its summary and its source.
#[pyfunction]
pub fn methods() -> Vec<(&'static str, &'static str, &'static str)> {
    weald::any::METHODS.iter().map(|method| (method.name, method.summary, method.source)).collect()
}

/// Every parameter of a method: its name, value, what it accepts, and what it means. Those that are
/// not given have their defaults.
#[pyfunction]
#[pyo3(signature = (method, parameters=Vec::new()))]
pub fn settings(
    method: &str,
    parameters: Vec<(String, String)>,
) -> PyResult<Vec<(String, String, String, &'static str)>> {
    let settings = learner(method, &parameters)?.settings().into_iter();
    Ok(settings.map(|s| (s.name.into_owned(), s.value, s.expected, s.meaning)).collect())
}

/// The method called `method` with these parameters.
fn learner(method: &str, parameters: &[(String, String)]) -> PyResult<AnyLearner> {
    let mut learner = AnyLearner::named(method).map_err(to_python)?;
    for (name, value) in parameters {
        learner.set(name, value).map_err(to_python)?;
    }
    Ok(learner)
}
