//! A fitted forest.

use std::sync::Arc;

use super::importance::Importance;
use super::leaf_rows::LeafRows;
use super::permutation::PermutationImportance;
use crate::data::{Aligned, Schema, multiply};
use crate::ensemble::OutOfBagCurve;
use crate::learner::Scalable;
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

impl Scalable for ForestModel {
    /// How much columns lower impurity, and how much worse trees get without them, stays as it is of
    /// targets of usual size.
    fn multiply(&mut self, exponent: i32) {
        self.trees.multiply(exponent);
        if let Some(rows) = &mut self.rows {
            multiply(&mut rows.targets, exponent);
        }
        let errors = self.out_of_bag.iter_mut().flat_map(|curve| &mut curve.errors);
        errors.for_each(|error| *error = libm::ldexp(*error, 2 * exponent));
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
