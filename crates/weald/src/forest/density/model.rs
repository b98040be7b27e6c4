//! A fitted density.

use std::sync::Arc;

use super::cell::Cell;
use super::cell_rows::{Chosen, read};
use super::depth::depth_scores;
use super::marginal::marginal;
use super::measure::Measure;
use crate::data::{Aligned, Schema, Table, Weights};
use crate::describe::{Describe, Fact, Kept};
use crate::error::{Error, Result};
use crate::exact_sum::ExactSum;
use crate::model::{Model, Output};
use crate::predict::{DeepNode, DeepTrees};
use crate::run::in_stretches;
use crate::scores::Scores;
use crate::tree::walk::Reader;
use serde_json::json;

/// Rows that a thread takes at a time.
const STRETCH: usize = 1 << 10;

/// Cells and how dense rows lie in them. Its score is the natural logarithm of the density; of a row
/// with missing values that of the columns that it has a value in.
#[derive(Debug, Clone, PartialEq)]
pub struct DensityModel {
    /// The trees; leaves say how dense rows lie in them, relative to the measure.
    pub trees: DeepTrees,
    /// What volumes are.
    pub measure: Measure,
    /// The columns it was trained on.
    pub schema: Arc<Schema>,
    /// Rows that a node needed to be divided, and how likely rows out of the bag are.
    pub chosen: Chosen,
    /// Whole trees, whose leaves say how deep they lie, if they were to be kept.
    pub depths: Option<DeepTrees>,
    /// Rows with a lower log density are anomalies.
    pub threshold: f64,
    output: Output,
}

impl DensityModel {
    /// A model of trees.
    pub fn new(
        trees: DeepTrees,
        measure: Measure,
        schema: Arc<Schema>,
        chosen: Chosen,
        depths: Option<DeepTrees>,
    ) -> DensityModel {
        let (threshold, output) = (f64::NEG_INFINITY, Output::LogDensity);
        DensityModel { trees, measure, schema, chosen, depths, threshold, output }
    }

    /// The lecture's score: the mean depth of each row in completely random trees, divided by the
    /// sum over all rows of the table.
    ///
    /// # Errors
    /// If the table lacks a column, or the whole trees were not kept.
    pub fn depth_scores(&self, table: &Table) -> Result<Vec<f64>> {
        let depths = self.depths.as_ref().ok_or(Error::DepthsNotKept)?;
        Ok(depth_scores(depths, self.schema.align(table)?.table()))
    }

    /// The sum of the log densities of a table's rows, each times its weight.
    ///
    /// # Errors
    /// If the table lacks a column, or has other rows than there are weights.
    pub fn log_likelihood(&self, table: &Table, weights: &Weights) -> Result<f64> {
        if let Some(found) = weights.n_rows().filter(|&found| found != table.n_rows()) {
            return Err(Error::Length { what: "weights".into(), found, expected: table.n_rows() });
        }
        let scores = self.scores(table)?;
        let present = scores.values().iter().enumerate().filter(|(row, _)| weights.at(*row) > 0.0);
        let weighted: Vec<f64> = present.map(|(row, log)| weights.at(row) * log).collect();
        let largest = weighted.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        if largest.is_infinite() {
            return Ok(f64::NEG_INFINITY); // a row lies at infinity
        }
        let sum = ExactSum::for_largest(largest);
        Ok(sum.value(weighted.iter().map(|&x| sum.units(x)).sum()))
    }

    /// The density of rows with missing values relative to the measure, tree after tree.
    fn marginals(&self, rows: &[Vec<f64>]) -> Vec<f64> {
        let mut sums = vec![0.0; rows.len()];
        let mut cell = Cell::whole(&self.measure);
        for tree in 0..self.trees.len() {
            let nodes: Vec<DeepNode<'_>> = self.trees.nodes(tree).collect();
            let node = |at: usize| (&nodes[at].rule, nodes[at].right);
            let value = |at: usize| nodes[at].leaf.map_or(0.0, |(value, _)| value[0]);
            for (sum, row) in sums.iter_mut().zip(rows) {
                *sum += marginal((&self.measure, &mut cell), node, value, row);
            }
        }
        let n_trees = self.trees.len() as f64;
        sums.iter_mut().for_each(|sum| *sum /= n_trees);
        sums
    }

    /// The logarithm of a density that is relative to the measure.
    fn log(&self, relative: f64, row: &[f64]) -> f64 {
        libm::log(relative) + self.measure.log_density(row)
    }
}

fn is_incomplete(row: &[f64]) -> bool {
    row.iter().any(|x| x.is_nan())
}

impl Model for DensityModel {
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
        if is_incomplete(row) {
            scores[0] = self.marginals(&[row.to_vec()])[0];
        } else {
            self.trees.mean_of_row(row, scores);
        }
        scores[0] = self.log(scores[0], row);
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        let table = table.table();
        let mut scores = self.trees.mean(table);
        let columns = Reader::of(table);
        in_stretches(scores.values_mut(), STRETCH, |stretch, scores| {
            let row = |at: usize| read(&columns, stretch * STRETCH + at);
            let incomplete: Vec<(usize, Vec<f64>)> =
                (0..scores.len()).map(|at| (at, row(at))).filter(|r| is_incomplete(&r.1)).collect();
            let (places, rows): (Vec<usize>, Vec<Vec<f64>>) = incomplete.into_iter().unzip();
            if !rows.is_empty() {
                let found = self.marginals(&rows);
                places.iter().zip(found).for_each(|(&at, density)| scores[at] = density);
            }
            for (at, score) in scores.iter_mut().enumerate() {
                *score = self.log(*score, &row(at));
            }
        });
        scores
    }
}

impl Describe for DensityModel {
    fn own_trees(&self) -> Option<Kept<'_>> {
        Some(Kept::Mean(&self.trees))
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
            ("n_cells", json!(self.trees.n_leaves())),
            ("min_split_rows", json!(self.chosen.min_split_rows)),
            ("out_of_bag", json!(self.chosen.out_of_bag)),
        ]
    }
}
