//! The standard error of a forest by the infinitesimal jackknife (Wager, Hastie & Efron 2014).
//!
//! How far the forest's answer for a row would be from where it is, had other training rows been
//! drawn. A tree is grown on a bootstrap, so how its answer goes with the number of times that a
//! training row was drawn tells how much the forest hangs on that row; nothing is fitted again. It
//! is the error of the mean, not the spread of the target around it: for that see `quantiles`.
//!
//! Few trees make the sum of squares too large by what is random in them. That is taken off, which
//! may leave less than nothing: the standard error is 0 then, and more trees are needed. As many
//! as there are training rows are a good number.

use super::leaf_rows::{LeafRows, required};
use super::model::ForestModel;
use crate::data::{Aligned, Resampling, Table};
use crate::error::Result;
use crate::parameter::{Value as _, out_of_range};
use crate::run::in_stretches;
use crate::scores::Scores;
use crate::tree::walk::Reader;

/// Answers that a thread works out at a time: each takes a number for every training row.
const ANSWERS: usize = 16;

impl ForestModel {
    /// The standard error of what the forest says of each row: of the value, or of the probability
    /// of each class. Columns are matched by name.
    ///
    /// On the threads of the pool that the caller is in, as [`Model::scores`](crate::model::Model).
    ///
    /// # Errors
    /// If the forest has not kept its rows, if they were not drawn with replacement, or if it has
    /// one tree only.
    pub fn standard_errors(&self, table: &Table) -> Result<Scores> {
        self.aligned_standard_errors(&self.schema.align(table)?)
    }

    /// The same for a table that is known to have the model's columns.
    pub fn aligned_standard_errors(&self, table: &Aligned<'_>) -> Result<Scores> {
        let rows = required(&self.rows, "standard errors")?;
        if rows.resampling != Resampling::Bootstrap {
            let expected = "bootstrap, which standard errors are computed from";
            return out_of_range("resampling", rows.resampling.show(), expected);
        }
        if self.trees.len() < 2 {
            return out_of_range("n_trees", self.trees.len(), "at least 2 for standard errors");
        }
        let (width, n_trees) = (self.trees.width(), self.trees.len());
        let mut scores = Scores::zeros(table.table().n_rows(), width);
        let columns = Reader::of(table.table());
        let noise = self.noise_of_draws(rows);
        let n_rows = (ANSWERS / width).max(1);
        in_stretches(scores.values_mut(), n_rows * width, |stretch, errors| {
            let mut leaves = vec![0; errors.len() / width * n_trees];
            self.trees.leaves(&columns, stretch * n_rows, &mut leaves);
            let deviations = self.deviations(&leaves);
            let covariances = self.covariances(rows, &deviations, errors.len());
            let mut squares = vec![0.0; errors.len()];
            for tree in deviations.chunks_exact(errors.len()) {
                squares.iter_mut().zip(tree).for_each(|(sum, d)| *sum += d * d);
            }
            for (row, covariances) in covariances.chunks_exact(errors.len()).enumerate() {
                // Copies of a row share what is theirs together.
                let copies = f64::from(rows.copies[row]);
                errors.iter_mut().zip(covariances).for_each(|(sum, c)| *sum += c * c / copies); // V_IJ
            }
            let n = n_trees as f64;
            for (error, squares) in errors.iter_mut().zip(squares) {
                *error = (*error - noise * squares / (n * n)).max(0.0).sqrt(); // V_IJ-U
            }
        });
        Ok(scores)
    }

    /// What counts vary by, summed over training rows: as many as these where as many are drawn.
    fn noise_of_draws(&self, rows: &LeafRows) -> f64 {
        let n_copies: f64 = rows.copies.iter().map(|&copies| f64::from(copies)).sum();
        let n_draws: f64 =
            rows.drawn(self.trees.leaves_of(0)).map(|(_, count)| f64::from(count)).sum();
        rows.n_rows() as f64 * n_draws / n_copies
    }

    /// How far each tree is from the mean of all: tree after tree, for each row and output, given
    /// the leaves of each row.
    fn deviations(&self, leaves: &[u32]) -> Vec<f64> {
        let (width, n_trees) = (self.trees.width(), self.trees.len());
        let n_answers = leaves.len() / n_trees * width;
        let mut deviations = vec![0.0; n_trees * n_answers];
        for (row, leaves) in leaves.chunks_exact(n_trees).enumerate() {
            for (tree, &leaf) in leaves.iter().enumerate() {
                let to = &mut deviations[tree * n_answers + row * width..][..width];
                to.copy_from_slice(self.trees.value(leaf));
            }
        }
        for answer in 0..n_answers {
            let of_trees = || (0..n_trees).map(|tree| tree * n_answers + answer);
            let mean = of_trees().map(|at| deviations[at]).sum::<f64>() / n_trees as f64;
            of_trees().for_each(|at| deviations[at] -= mean);
        }
        deviations
    }

    /// How the count of each training row goes with each answer: row after row.
    fn covariances(&self, rows: &LeafRows, deviations: &[f64], n_answers: usize) -> Vec<f64> {
        let mut covariances = vec![0.0; rows.n_rows() * n_answers];
        for (tree, deviations) in deviations.chunks_exact(n_answers).enumerate() {
            for (row, count) in rows.drawn(self.trees.leaves_of(tree)) {
                let count = f64::from(count);
                let to = &mut covariances[row * n_answers..][..n_answers];
                to.iter_mut().zip(deviations).for_each(|(sum, d)| *sum += count * d);
            }
        }
        // The mean count is left out: deviations sum to 0.
        covariances.iter_mut().for_each(|sum| *sum /= self.trees.len() as f64);
        covariances
    }
}
