//! The constant model: class shares, or the mean of each output.
//!
//! The baseline that every metric is shown beside: a method that does not beat it has learned
//! nothing from the features.

use std::ops::Range;
use std::sync::Arc;

use crate::data::{Aligned, ClassList, Sample, Schema, Target};
use crate::describe::{Describe, Fact};
use crate::error::{Error, Result};
use crate::exact_sum::ExactSum;
use crate::learner::Learner;
use crate::model::{Model, Output};
use crate::parameter::{Parameter, Parameters};
use crate::run::Run;
use crate::scores::Scores;
use serde_json::json;

/// Predicts the prior, whatever the row.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Constant {}

/// The class shares or the mean of the training rows.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstantModel {
    /// What every row gets.
    pub value: Vec<f64>,
    /// The columns of the training table.
    pub schema: Arc<Schema>,
    /// What the value means.
    pub output: Output,
}

impl Learner for Constant {
    type Model = ConstantModel;

    fn fit(&self, sample: &Sample<'_>, _: &Run<'_>) -> Result<ConstantModel> {
        sample.check_targets()?;
        let value = match sample.target {
            Target::Classes(labels) => {
                means(sample, labels.n_classes(), |row| (labels.codes()[row] as usize, 1.0))?
            }
            Target::Numbers(values) => means(sample, 1, |row| (0, values[row]))?,
            Target::Several(several) => {
                let output = |k: usize| means(sample, 1, |row| (0, several.row(row)[k]));
                (0..several.n_outputs()).map(output).collect::<Result<Vec<_>>>()?.concat()
            }
            Target::SeveralClasses(several) => {
                let output = |(k, segment): (usize, Range<usize>)| {
                    means(sample, segment.len(), |row| (several.row(row)[k] as usize, 1.0))
                };
                let segments = ClassList::segments(several.outputs()).enumerate();
                segments.map(output).collect::<Result<Vec<_>>>()?.concat()
            }
        };
        let schema = sample.table.schema().clone();
        Ok(ConstantModel { value, schema, output: Output::of(sample.target) })
    }
}

/// What the rows add in each of `width` places, by the weight of all: a row adds a number to one.
fn means(
    sample: &Sample<'_>,
    width: usize,
    added: impl Fn(usize) -> (usize, f64),
) -> Result<Vec<f64>> {
    let quantity = |row: usize| sample.weights.copies(row).1 * added(row).1;
    let largest = |of: &dyn Fn(usize) -> f64| {
        ExactSum::for_largest((0..sample.n_rows()).map(|row| of(row).abs()).fold(0.0, f64::max))
    };
    let (exact, exact_weight) = (largest(&quantity), largest(&|row| sample.weights.at(row)));
    let (mut sums, mut weight) = (vec![0; width], 0);
    for row in 0..sample.n_rows() {
        let copies = i128::from(sample.weights.copies(row).0);
        sums[added(row).0] += copies * exact.units(quantity(row));
        weight += exact_weight.units(sample.weights.at(row));
    }
    if weight == 0 {
        return Err(Error::ZeroWeights(sample.n_rows()));
    }
    let total = exact_weight.value(weight);
    Ok(sums.into_iter().map(|sum| exact.mean(sum, total)).collect())
}

impl Parameters for Constant {
    fn method(&self) -> &'static str {
        "constant"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        Vec::new()
    }

    fn check(&self) -> Result<()> {
        Ok(())
    }
}

impl Model for ConstantModel {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn output(&self) -> &Output {
        &self.output
    }

    fn is_sound(&self) -> bool {
        true
    }

    fn aligned_row(&self, _: &[f64], scores: &mut [f64]) {
        scores.copy_from_slice(&self.value);
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        let mut scores = Scores::zeros(table.table().n_rows(), self.value.len());
        scores.rows_mut().for_each(|row| row.copy_from_slice(&self.value));
        scores
    }
}

impl Describe for ConstantModel {
    fn n_stages(&self) -> usize {
        0
    }

    fn facts(&self) -> Vec<Fact> {
        vec![("constant", json!(self.value))]
    }
}
