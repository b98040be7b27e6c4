//! A fitted isolation forest.

use std::sync::Arc;

use super::oblique_trees::ObliqueTrees;
use crate::data::{Aligned, Schema, Table};
use crate::describe::{Describe, Fact, Kept};
use crate::forest::path_length::path_length;
use crate::model::{Model, Output};
use crate::predict::DeepTrees;
use crate::scores::Scores;
use serde_json::json;

/// Trees by which rows are isolated. Its score is between 0 and 1; the higher, the more anomalous.
#[derive(Debug, Clone, PartialEq)]
pub struct IsolationModel {
    /// The trees.
    pub trees: IsolationTrees,
    /// The columns it was trained on.
    pub schema: Arc<Schema>,
    /// Rows that each tree has seen: psi.
    pub sample_rows: u64,
    /// Rows with a higher score are anomalies.
    pub threshold: f64,
    output: Output,
}

/// Trees that say how many splits isolate a row.
#[derive(Debug, Clone, PartialEq)]
pub enum IsolationTrees {
    /// Cuts across one column.
    Axis(Box<DeepTrees>),
    /// Cuts in any direction.
    Oblique(ObliqueTrees),
}

/// What scores say of a data set (Liu, Ting & Zhou 2008, section 2): rows near 1 are anomalies, rows
/// well below one half are normal, and if all are about one half nothing stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// How many rows were read.
    pub n_rows: usize,
    /// Rows with a score from [`Reading::NEAR_ONE`] on.
    pub n_near_one: usize,
    /// Rows with a score below [`Reading::WELL_BELOW_HALF`].
    pub n_well_below_half: usize,
    /// Whether no score is as far from one half as either.
    pub is_indistinct: bool,
}

impl IsolationModel {
    /// A model of trees that have seen so many rows each.
    pub fn new(
        trees: IsolationTrees,
        schema: Arc<Schema>,
        sample_rows: u64,
        threshold: f64,
    ) -> IsolationModel {
        IsolationModel { trees, schema, sample_rows, threshold, output: Output::Anomaly }
    }

    /// `s = 2^(-E[h] / c(psi))`; one half where every row is the only one.
    fn score(&self, mean_path: f64) -> f64 {
        match path_length(0.0, self.sample_rows) {
            0.0 => 0.5,
            typical => libm::exp2(-mean_path / typical),
        }
    }

    /// How many splits isolate each row, on the mean over trees.
    pub fn path_lengths(&self, table: &Aligned<'_>) -> Scores {
        self.trees.mean_paths(table.table())
    }

    /// Which of the scores are of anomalies.
    pub fn flags(&self, scores: &Scores) -> Vec<bool> {
        scores.values().iter().map(|&score| score > self.threshold).collect()
    }
}

impl Reading {
    /// The contour that the paper draws around anomalies.
    pub const NEAR_ONE: f64 = 0.6;
    /// The paper gives no number: half as far from one half, on the other side.
    pub const WELL_BELOW_HALF: f64 = 0.45;

    /// Of the scores of all rows.
    pub fn of(scores: &[f64]) -> Reading {
        let n_near_one = scores.iter().filter(|&&s| s >= Reading::NEAR_ONE).count();
        let n_well_below_half = scores.iter().filter(|&&s| s < Reading::WELL_BELOW_HALF).count();
        let is_indistinct = n_near_one + n_well_below_half == 0;
        Reading { n_rows: scores.len(), n_near_one, n_well_below_half, is_indistinct }
    }
}

impl IsolationTrees {
    /// How many trees.
    pub fn len(&self) -> usize {
        match self {
            IsolationTrees::Axis(trees) => trees.len(),
            IsolationTrees::Oblique(trees) => trees.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn mean_paths(&self, table: &Table) -> Scores {
        match self {
            IsolationTrees::Axis(trees) => trees.mean(table),
            IsolationTrees::Oblique(trees) => trees.mean_paths(table),
        }
    }

    fn mean_path_of_row(&self, row: &[f64]) -> f64 {
        match self {
            IsolationTrees::Axis(trees) => {
                let mut path = [0.0];
                trees.mean_of_row(row, &mut path);
                path[0]
            }
            IsolationTrees::Oblique(trees) => trees.mean_path_of_row(row),
        }
    }
}

impl Model for IsolationModel {
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
        scores[0] = self.score(self.trees.mean_path_of_row(row));
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        let mut scores = self.trees.mean_paths(table.table());
        scores.values_mut().iter_mut().for_each(|path| *path = self.score(*path));
        scores
    }
}

impl Describe for IsolationModel {
    /// Oblique cuts ask for sums over columns, which no rule of a tree says.
    fn own_trees(&self) -> Option<Kept<'_>> {
        match &self.trees {
            IsolationTrees::Axis(trees) => Some(Kept::Mean(trees)),
            IsolationTrees::Oblique(_) => None,
        }
    }

    fn n_members(&self) -> usize {
        self.trees.len()
    }

    /// Completely random splits gain nothing.
    fn importance(&self) -> Vec<f64> {
        vec![0.0; self.schema.len()]
    }

    fn facts(&self) -> Vec<Fact> {
        vec![
            ("n_trees", json!(self.trees.len())),
            ("sample_rows", json!(self.sample_rows)),
            ("threshold", json!(self.threshold)),
        ]
    }
}
