//! Estimators that are not weald's as members of weald's committees.
//!
//! A member is fitted and asked by a Python object, the base: `fit(columns, y, weights, seed)`
//! returns a fitted member, `answer(member, columns)` what it says of rows. Both are called on the
//! threads of the fit, which take the interpreter's lock for it; the thread that called the fit
//! waits without the lock ([`crate::watch`]). Nothing of weald runs under the lock, so that no
//! thread that has it waits for one that wants it.

use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use weald::data::{
    Aligned, Column, Field, FieldKind, Numbers, Resampling, Sample, Schema, Table, Target, Weights,
};
use weald::learner::Learner;
use weald::model::{Model, Output};
use weald::run::Run;
use weald::scores::Scores;
use weald::seed::Seed;

use crate::errors::{WealdError, to_python};
use crate::raised::Raised;
use crate::table::matrix;

/// What members are fitted and asked by.
pub struct Base {
    /// The Python object.
    pub object: Py<PyAny>,
    /// What it raises.
    pub raised: Arc<Raised>,
}

/// Fits members by a Python object.
pub struct ForeignLearner {
    base: Arc<Base>,
    takes_weights: bool,
}

impl ForeignLearner {
    /// A learner that asks `base`, and its `takes_weights` whether members can be given weights.
    pub fn new(py: Python<'_>, base: Arc<Base>) -> PyResult<ForeignLearner> {
        let takes_weights = base.object.getattr(py, "takes_weights")?.is_truthy(py)?;
        Ok(ForeignLearner { base, takes_weights })
    }
}

impl Learner for ForeignLearner {
    type Model = ForeignModel;

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> weald::Result<ForeignModel> {
        if self.base.raised.is_any() {
            return Err(weald::Error::Foreign("another member has failed".into()));
        }
        let (rows, weights) = match self.takes_weights {
            true => present(sample),
            false => (drawn(sample, run.seed)?, None),
        };
        let columns = columns_of(&sample.table.take(&rows));
        let target = sample.target.take(&rows);
        let fitted = Python::attach(|py| {
            let weights = weights.map(|weights| PyArray1::from_vec(py, weights));
            let given = (in_python(py, columns)?, target_of(py, &target)?, weights, run.seed.0);
            self.base.object.call_method1(py, "fit", given)
        });
        match fitted {
            Ok(member) => Ok(ForeignModel {
                member,
                base: self.base.clone(),
                schema: sample.table.schema().clone(),
                output: Output::of(sample.target),
            }),
            Err(error) => {
                let told = error.to_string();
                self.base.raised.keep(error);
                Err(weald::Error::Foreign(told))
            }
        }
    }
}

/// The rows that are there, and their weights unless all are 1.
fn present(sample: &Sample<'_>) -> (Vec<usize>, Option<Vec<f64>>) {
    let weight = |&row: &usize| sample.weights.at(row);
    let rows: Vec<usize> = (0..sample.n_rows()).filter(|row| weight(row) > 0.0).collect();
    let weights: Vec<f64> = rows.iter().map(weight).collect();
    let are_all_one = weights.iter().all(|&weight| weight == 1.0);
    (rows, (!are_all_one).then_some(weights))
}

/// The rows for an estimator that takes no weights: each as often as its count says, or as many
/// draws by real weights as there are rows.
fn drawn(sample: &Sample<'_>, seed: Seed) -> weald::Result<Vec<usize>> {
    let drawn = match sample.weights {
        // The rows of the bag were drawn under the member's own key.
        Weights::Real(_) => Resampling::Weighted.urn(sample)?.draw(1.0, seed.child(0))?,
        counts => counts.clone(),
    };
    let copies = |row: usize| std::iter::repeat_n(row, drawn.copies(row).0 as usize);
    Ok((0..sample.n_rows()).flat_map(copies).collect())
}

/// A fitted member.
pub struct ForeignModel {
    /// What the base made.
    pub member: Py<PyAny>,
    /// The base.
    pub base: Arc<Base>,
    /// The columns that it was fitted on.
    pub schema: Arc<Schema>,
    /// What it says.
    pub output: Output,
}

impl Clone for ForeignModel {
    /// The same member, under another reference.
    fn clone(&self) -> ForeignModel {
        ForeignModel {
            member: Python::attach(|py| self.member.clone_ref(py)),
            base: self.base.clone(),
            schema: self.schema.clone(),
            output: self.output.clone(),
        }
    }
}

impl ForeignModel {
    fn answer(&self, table: &Table) -> PyResult<Vec<f64>> {
        let columns = columns_of(table);
        let shape = (table.n_rows(), self.output.width());
        Python::attach(|py| {
            let given = (&self.member, in_python(py, columns)?);
            let said = self.base.object.bind(py).call_method1("answer", given)?;
            let said: PyReadonlyArray2<'_, f64> = said.extract()?;
            if said.shape() != [shape.0, shape.1] {
                let found = (said.shape()[0], said.shape()[1]);
                let told = format!("a member answered with {found:?} numbers, not {shape:?}");
                return Err(WealdError::new_err(told));
            }
            Ok(said.as_array().iter().copied().collect())
        })
    }
}

impl Model for ForeignModel {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn output(&self) -> &Output {
        &self.output
    }

    /// Answers are checked where Python gives them.
    fn is_sound(&self) -> bool {
        true
    }

    /// Not numbers where Python raises: whoever asks looks whether it has.
    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        let table = table.table();
        let mut scores = Scores::zeros(table.n_rows(), self.output.width());
        if table.n_rows() == 0 {
            return scores; // A bag may hold every row, and estimators refuse to say nothing.
        }
        let answer = match self.base.raised.is_own() {
            true => None,
            false => self.answer(table).map_err(|error| self.base.raised.keep(error)).ok(),
        };
        match answer {
            Some(answer) => scores.values_mut().copy_from_slice(&answer),
            None => scores.values_mut().fill(f64::NAN),
        }
        scores
    }

    fn aligned_row(&self, row: &[f64], scores: &mut [f64]) {
        let column = |(field, &x): (&Arc<Field>, &f64)| {
            let column = match &field.kind {
                FieldKind::Numeric => Column::numeric(vec![x]),
                FieldKind::Categorical { levels } => {
                    let code = if x.is_nan() { weald::data::MISSING } else { x as u32 };
                    Column::categorical(vec![code], levels.clone())?
                }
            };
            Ok((field.name.clone(), column))
        };
        let columns: weald::Result<Vec<_>> =
            self.schema.fields.iter().zip(row).map(column).collect();
        match columns.and_then(Table::new).and_then(|table| self.scores(&table)) {
            Ok(found) => scores.copy_from_slice(found.values()),
            Err(error) => {
                self.base.raised.keep(to_python(error));
                scores.fill(f64::NAN);
            }
        }
    }
}

/// The values of a column, on their way to Python.
enum Values {
    Single(Vec<f32>),
    Double(Vec<f64>),
    Codes(Vec<u32>),
}

type Columns = Vec<(String, Values, Option<Vec<String>>)>;

/// The columns of a table, gathered before the lock is taken.
fn columns_of(table: &Table) -> Columns {
    let values = |column: &Column| match column {
        Column::Numeric(Numbers::F32(view)) => (Values::Single(view.iter().collect()), None),
        Column::Numeric(Numbers::F64(view)) => (Values::Double(view.iter().collect()), None),
        Column::Categorical(categories) => {
            let levels = categories.levels().to_vec();
            (Values::Codes(categories.codes().to_vec()), Some(levels))
        }
    };
    let named = table.names().zip(table.columns());
    named
        .map(|(name, column)| {
            let (values, levels) = values(column);
            (name.to_string(), values, levels)
        })
        .collect()
}

type InPython<'py> = Vec<(String, Bound<'py, PyAny>, Option<Vec<String>>)>;

/// Columns as the base is given them: a name, an array, and the names of levels if it holds codes.
fn in_python<'py>(py: Python<'py>, columns: Columns) -> PyResult<InPython<'py>> {
    let array = |values: Values| match values {
        Values::Single(values) => PyArray1::from_vec(py, values).into_any(),
        Values::Double(values) => PyArray1::from_vec(py, values).into_any(),
        Values::Codes(values) => PyArray1::from_vec(py, values).into_any(),
    };
    Ok(columns.into_iter().map(|(name, values, levels)| (name, array(values), levels)).collect())
}

/// A target as the base is given it: codes of classes, numbers, or rows of either.
fn target_of<'py>(py: Python<'py>, target: &Target) -> PyResult<Bound<'py, PyAny>> {
    match target {
        Target::Classes(labels) => Ok(PyArray1::from_slice(py, labels.codes()).into_any()),
        Target::Numbers(values) => Ok(PyArray1::from_slice(py, values).into_any()),
        Target::Several(several) => {
            let values = (0..several.n_rows()).flat_map(|row| several.row(row)).copied();
            matrix(py, values.collect(), (several.n_rows(), several.n_outputs()))
        }
        Target::SeveralClasses(several) => {
            let codes: Vec<u32> =
                (0..several.n_rows()).flat_map(|row| several.row(row)).copied().collect();
            let shape = (several.n_rows(), several.n_outputs());
            PyArray1::from_vec(py, codes).call_method1("reshape", shape)
        }
    }
}
