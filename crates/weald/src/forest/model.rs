//! A fitted forest.

use std::sync::Arc;

use super::importance::Importance;
use super::leaf_rows::LeafRows;
use super::permutation::PermutationImportance;
use crate::data::{Aligned, Field, Schema, multiply};
use crate::describe::{Describe, Fact, Kept, SoFar};
use crate::ensemble::OutOfBagCurve;
use crate::learner::Scalable;
use crate::model::{Model, Output};
use crate::predict::DeepTrees;
use crate::scores::Scores;
use serde_json::{Value, json};

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

    fn is_sound(&self) -> bool {
        true
    }

    fn aligned_row(&self, row: &[f64], scores: &mut [f64]) {
        self.trees.mean_of_row(row, scores);
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        self.trees.mean(table.table())
    }
}

impl Describe for ForestModel {
    fn own_trees(&self) -> Option<Kept<'_>> {
        Some(Kept::Mean(&self.trees))
    }

    fn n_members(&self) -> usize {
        self.trees.len()
    }

    fn out_of_bag(&self) -> Option<&OutOfBagCurve> {
        self.out_of_bag.as_ref()
    }

    /// The mean over its trees.
    fn importance(&self) -> Vec<f64> {
        self.importance.plain.clone()
    }

    fn n_stages(&self) -> usize {
        self.trees.len()
    }

    fn before_stages(&self, n_rows: usize) -> SoFar {
        SoFar::sums(n_rows, self.trees.width())
    }

    fn add_stage(&self, n_done: usize, table: &Aligned<'_>, so_far: &mut SoFar) {
        so_far.add_tree(&self.trees, n_done, table);
    }

    fn scores_of_stage(&self, n: usize, table: &Aligned<'_>, so_far: &SoFar) -> Scores {
        so_far.mean(n).unwrap_or_else(|| self.aligned_scores(table))
    }

    fn facts(&self) -> Vec<Fact> {
        let kept = self.rows.as_ref().map_or(Value::Null, |kept| {
            let (rows, places) = (kept.n_rows(), kept.rows.len());
            json!({ "n_rows": rows, "n_places": places, "n_bytes": kept.n_bytes() })
        });
        let column = |(at, field): (usize, &Arc<Field>)| {
            let (plain, unbiased) = (self.importance.plain[at], self.importance.unbiased.get(at));
            json!({ "column": field.name, "impurity": plain, "unbiased_impurity": unbiased })
        };
        let importance: Vec<Value> = self.schema.fields.iter().enumerate().map(column).collect();
        vec![
            ("n_trees", json!(self.trees.len())),
            ("n_leaves", json!(self.trees.n_leaves())),
            ("out_of_bag", self.out_of_bag.as_ref().map_or(Value::Null, OutOfBagCurve::as_json)),
            ("importance", json!(importance)),
            ("kept_rows", kept),
        ]
    }
}
