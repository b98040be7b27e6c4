//! Fitting: a method by name, with parameters as text, on a table.

use numpy::{PyReadonlyArray1, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use weald::any::AnyLearner;
use weald::data::{Sample, Weights};
use weald::learner::{Extras, HeldOutMetric};
use weald::run::Run;
use weald::seed::Seed;

use crate::errors::{guarded, to_python};
use crate::learner::{Bases, Learner, Origin};
use crate::metric::PythonMetric;
use crate::model::Model;
use crate::table::{Table, Target, array_of};
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

    /// What the rows weigh together.
    #[getter]
    fn weight(&self) -> f64 {
        (0..self.table.get().table.n_rows()).map(|row| self.weights.at(row)).sum()
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

/// Fits a method on rows. `bases` in Python fit members, each under the name that parameters have for
/// it: `base`, `last`, or the name of a member; a `loss` in Python is what boosting makes small, and
/// a `metric` in Python what held-out rows are judged by.
#[pyfunction]
#[pyo3(signature = (
    method, parameters, rows, *, seed, threads, target_name="target",
    validation=None, continued=None, out_of_bag=false, listener=None, bases=Vec::new(),
    loss=None,
    metric=None,
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
    bases: Bases<'_>,
    loss: Option<Bound<'_, PyAny>>,
    metric: Option<Bound<'_, PyAny>>,
) -> PyResult<Fitted> {
    guarded(|| {
        let chosen = learner(method, &parameters)?;
        let watch = Watch::new(listener);
        let run = Run::new(Seed(seed), threads, &watch).map_err(to_python)?;
        let sample = rows.sample()?;
        let validation = validation.map(Rows::sample).transpose()?;
        let metric = metric.map(|object| PythonMetric::new(&object, watch.failure.clone()));
        let metric = metric.transpose()?;
        let extras = Extras {
            validation,
            continued: continued.map(Model::own).transpose()?,
            metric: metric.as_ref().map(|metric| metric as &dyn HeldOutMetric),
            ..Extras::default()
        };
        let (task, failure) = (sample.target.task(), &watch.failure);
        let learner = Learner::new(&chosen, &bases, loss.as_ref(), task, failure)?;
        let fitted = watch.over(py, || learner.fit(&sample, &extras, out_of_bag, &run))?;
        if let Some(error) = watch.failure.take() {
            return Err(error);
        }
        let raised = watch.raised();
        let (found, honest) = match (fitted, raised.as_ref()) {
            (Err(weald::Error::Interrupted), Some(error)) => return Err(error.clone_ref(py)),
            (fitted, _) => fitted.map_err(to_python)?,
        };
        let settings = chosen.settings().into_iter();
        let origin = Origin {
            method: method.into(),
            parameters: settings.map(|s| (s.name.into_owned(), s.value)).collect(),
            seed,
            target: target_name.into(),
            n_rows: sample.n_rows() as u64,
        };
        let honest = honest.map(|honest| array_of(py, honest.predictions()).map(Bound::unbind));
        Ok(Fitted {
            model: Py::new(py, Model { kept: learner.kept(found, origin)? })?,
            warnings: watch.warnings(),
            raised: raised.map(|error| error.into_value(py).into_any()),
            out_of_bag: honest.transpose()?,
        })
    })
}

impl Rows {
    fn sample(&self) -> PyResult<Sample<'_>> {
        let (table, target) = (self.table.get(), self.target.get());
        let sample = Sample::new(&table.table, &target.target, &self.weights);
        let sample = sample.map_err(to_python)?.with_groups(self.groups.as_deref());
        Ok(sample.with_offset(self.offset.as_deref()))
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
    learner.check().map_err(to_python)?;
    Ok(learner)
}
