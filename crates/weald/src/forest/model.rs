//! A fitted forest.

use std::sync::Arc;

use super::importance::Importance;
use super::leaf_rows::LeafRows;
use super::permutation::PermutationImportance;
use crate::data::{Aligned, Schema};
use crate::ensemble::OutOfBagError;
use crate::model::{Model, Output};
use crate::predict::DeepTrees;
use crate::scores::Scores;

/// A committee of deep trees: the mean of what they say.
#[derive(Debug, Clone, PartialEq)]
pub struct ForestModel {
    /// The trees.
    pub trees: DeepTrees,
    /// The columns it was trained on.
    pub schema: Arc<Schema>,
    /// What its answers mean.
    pub output: Output,
    /// The error on rows out of the bag, if there were any.
    pub out_of_bag: Option<OutOfBagCurve>,
    /// How much each column lowers impurity.
    pub importance: Importance,
    /// How much worse the trees get when a column is shuffled, if that was asked for.
    pub permutation: Option<PermutationImportance>,
    /// The training rows of each leaf, if they were to be kept.
    pub rows: Option<Box<LeafRows>>,
}

/// The out-of-bag error of the first tree, of the first two, and so on.
#[derive(Debug, Clone, PartialEq)]
pub struct OutOfBagCurve {
    /// Error rates, or mean squared errors; `NaN` where no row had a prediction yet.
    pub errors: Vec<f64>,
    /// Rows that are in the bag of every tree: the last error does not speak of them.
    pub n_without: usize,
}

impl OutOfBagCurve {
    /// The errors after each tree.
    pub fn of(curve: &[OutOfBagError]) -> Option<OutOfBagCurve> {
        let last = curve.last()?;
        let errors = curve.iter().map(|point| point.error).collect();
        Some(OutOfBagCurve { errors, n_without: last.n_without })
    }

    /// The error of all trees together.
    pub fn error(&self) -> f64 {
        self.errors.last().copied().unwrap_or(f64::NAN)
    }
}

impl Model for ForestModel {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn output(&self) -> &Output {
        &self.output
    }

    fn aligned_row(&self, row: &[f64], scores: &mut [f64]) {
        self.trees.mean_of_row(row, scores);
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        self.trees.mean(table.table())
    }
}
