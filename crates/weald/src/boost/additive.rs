//! A sum of trees, and the link that makes predictions of it.

use std::sync::Arc;

use crate::data::{Aligned, Schema};
use crate::loss::Link;
use crate::model::{Model, Output};
use crate::scores::Scores;
use crate::tree::Tree;

/// What gradient boosting returns: `link(start + sum of trees)`.
#[derive(Debug, Clone, PartialEq)]
pub struct AdditiveModel {
    /// The scores before the first tree.
    pub start: Vec<f64>,
    /// The trees, round after round; in a round one tree for each score.
    pub trees: Vec<Tree>,
    /// How scores become predictions.
    pub link: Link,
    /// The columns of the training table.
    pub schema: Arc<Schema>,
    /// What the predictions mean.
    pub output: Output,
}

impl AdditiveModel {
    /// The scores of a table, before the link.
    pub fn raw_scores(&self, table: &Aligned<'_>) -> Scores {
        let width = self.start.len();
        let mut scores = Scores::zeros(table.table().n_rows(), width);
        scores.rows_mut().for_each(|row| row.copy_from_slice(&self.start));
        for (i, tree) in self.trees.iter().enumerate() {
            let leaves = tree.leaves(table.table());
            let output = i % width;
            for (row, leaf) in scores.rows_mut().zip(leaves) {
                row[output] += tree.values[leaf as usize];
            }
        }
        scores
    }

    /// How many rounds.
    pub fn n_rounds(&self) -> usize {
        self.trees.len() / self.start.len()
    }
}

impl Model for AdditiveModel {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn output(&self) -> &Output {
        &self.output
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        let raw = self.raw_scores(table);
        let mut predictions = Scores::zeros(raw.n_rows(), self.output.width());
        for (prediction, scores) in predictions.rows_mut().zip(raw.rows()) {
            self.link.respond(scores, prediction);
        }
        predictions
    }
}
