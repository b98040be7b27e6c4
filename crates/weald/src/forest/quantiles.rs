//! Quantile regression forests (Meinshausen 2006).
//!
//! A forest is also a way to weigh training rows: a row weighs as much as it shares leaves with
//! the one asked about. The weighted mean of their targets is what the forest says anyway; their
//! weighted quantiles tell how far the target may lie from it. To prefer over a loss for quantiles
//! where levels are not known before training, and where no more is wanted than the forest knows.

use super::leaf_rows::{LeafRows, required};
use super::model::ForestModel;
use crate::data::{Aligned, Table};
use crate::error::{Error, Result};
use crate::loss::weighted_quantile;
use crate::model::Output;
use crate::parameter::out_of_range;
use crate::run::in_stretches;
use crate::scores::Scores;
use crate::tree::walk::Reader;

/// Rows that a thread answers for at a time.
const STRETCH: usize = 256;

impl ForestModel {
    /// The quantiles of the target at these levels, for each row of a table: the smallest target
    /// with at least that share of the weight at or below it. Columns are matched by name.
    ///
    /// On the threads of the pool that the caller is in, as [`Model::scores`](crate::model::Model).
    ///
    /// # Errors
    /// If the forest has not kept its rows, if it tells classes apart or has several outputs, or if a
    /// level is not between 0 and 1.
    pub fn quantiles(&self, table: &Table, levels: &[f64]) -> Result<Scores> {
        self.aligned_quantiles(&self.schema.align(table)?, levels)
    }

    /// The same for a table that is known to have the model's columns.
    pub fn aligned_quantiles(&self, table: &Aligned<'_>, levels: &[f64]) -> Result<Scores> {
        let rows = required(&self.rows, "quantiles")?;
        if rows.targets.is_empty() {
            let (expected, found, hint) = match self.output {
                Output::Probabilities { .. } | Output::SeveralProbabilities { .. } => {
                    ("numbers", "classes", "a forest of classes has their probabilities")
                }
                _ => ("one number a row", "several", "train a forest for each output"),
            };
            return Err(Error::WrongTask { method: "a quantile".into(), expected, found, hint });
        }
        if levels.is_empty() {
            return out_of_range("levels", "an empty list", "at least one level");
        }
        if let Some(level) = levels.iter().find(|level| !(**level > 0.0 && **level < 1.0)) {
            return out_of_range("levels", level, "numbers above 0 and below 1");
        }
        let (width, n_trees) = (levels.len(), self.trees.len());
        let mut scores = Scores::zeros(table.table().n_rows(), width);
        let columns = Reader::of(table.table());
        in_stretches(scores.values_mut(), STRETCH * width, |stretch, quantiles| {
            let mut leaves = vec![0; quantiles.len() / width * n_trees];
            self.trees.leaves(&columns, stretch * STRETCH, &mut leaves);
            let mut shares = Shares::new(rows);
            let each = leaves.chunks_exact(n_trees).zip(quantiles.chunks_exact_mut(width));
            for (leaves, quantiles) in each {
                let mut targets = shares.of(leaves);
                for (quantile, &level) in quantiles.iter_mut().zip(levels) {
                    *quantile = weighted_quantile(&mut targets, level);
                }
            }
        });
        Ok(scores)
    }
}

/// What training rows weigh for a row that falls into certain leaves.
struct Shares<'a> {
    rows: &'a LeafRows,
    /// The weight of each training row; 0 between one answer and the next.
    shares: Vec<f64>,
    met: Vec<usize>,
}

impl<'a> Shares<'a> {
    fn new(rows: &'a LeafRows) -> Shares<'a> {
        Shares { rows, shares: vec![0.0; rows.n_rows()], met: Vec::new() }
    }

    /// The target and weight of each row in these leaves, one a tree. All weigh as many as there
    /// are trees.
    fn of(&mut self, leaves: &[u32]) -> Vec<(f64, f64)> {
        for &leaf in leaves {
            let rows = self.rows.of_leaf(leaf);
            let total: f64 = rows.clone().map(|(_, weight)| weight).sum();
            for (row, weight) in rows {
                if self.shares[row] == 0.0 {
                    self.met.push(row);
                }
                self.shares[row] += weight / total; // Meinshausen 2006, (4) and (5)
            }
        }
        // The order that weights are added in later must not be that of the trees.
        self.met.sort_unstable();
        let taken = self.met.drain(..);
        taken.map(|row| (self.rows.targets[row], std::mem::take(&mut self.shares[row]))).collect()
    }
}
