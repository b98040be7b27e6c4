//! A sum of trees, and the link that makes predictions of it.

use std::sync::Arc;

use super::curve::LearningCurve;
use super::validation::check_offset;
use crate::data::{Aligned, Schema, multiply};
use crate::describe::{Describe, Fact, Kept, SoFar};
use crate::error::Result;
use crate::loss::Link;
use crate::model::{Model, Output};
use crate::predict::Trees;
use crate::run::in_stretches;
use crate::scores::Scores;
use crate::tree::Tree;
use serde_json::{Value, json};

/// Rows that a thread takes at a time when scores become predictions.
const STRETCH: usize = 1 << 12;

/// What gradient boosting returns: `link(start + sum of trees)`.
#[derive(Debug, Clone, PartialEq)]
pub struct AdditiveModel {
    /// The scores before the first tree.
    pub start: Vec<f64>,
    /// The trees, round after round; in a round of a run one tree for each score, or one whose leaves
    /// hold a value for each, and one run after the other.
    pub trees: Trees,
    /// How many runs the model is the mean of.
    pub n_runs: usize,
    /// How scores become predictions.
    pub link: Link,
    /// The columns of the training table.
    pub schema: Arc<Schema>,
    /// What the predictions mean.
    pub output: Output,
    /// How the loss of held-out rows fell, if rows were held out.
    pub curve: Option<LearningCurve>,
}

impl AdditiveModel {
    /// Multiplies all that it predicts by a power of two, and the loss of held-out rows by some power
    /// of that.
    pub(super) fn multiply(&mut self, exponent: i32, loss_exponent: i32) {
        multiply(&mut self.start, exponent);
        let mut trees = self.trees.to_vec();
        trees.iter_mut().for_each(|tree| tree.multiply(exponent));
        self.trees = trees.into();
        let losses = self.curve.iter_mut().flat_map(|curve| &mut curve.held_out);
        losses.for_each(|loss| *loss = libm::ldexp(*loss, loss_exponent));
    }

    /// The scores of a table, before the link: `start` plus one tree after the other.
    pub fn raw_scores(&self, table: &Aligned<'_>) -> Scores {
        let mut scores = self.start_scores(table.table().n_rows());
        self.trees.add_to(table.table(), &mut scores);
        scores
    }

    /// The scores of so many rows before the first tree, and before the link.
    pub fn start_scores(&self, n_rows: usize) -> Scores {
        let width = self.start.len();
        let mut scores = Scores::zeros(n_rows, width);
        in_stretches(scores.values_mut(), STRETCH * width, |_, scores| {
            scores.chunks_exact_mut(width).for_each(|row| row.copy_from_slice(&self.start));
        });
        scores
    }

    /// Adds what the trees of one round say to scores before the link. Round after round from
    /// [`AdditiveModel::start_scores`] on this gives the bytes of [`AdditiveModel::raw_scores`].
    ///
    /// # Panics
    /// When there is no such round.
    pub fn add_round(&self, round: usize, table: &Aligned<'_>, scores: &mut Scores) {
        let n_trees = self.trees.len() / self.n_rounds();
        let trees = self.trees[round * n_trees..(round + 1) * n_trees].to_vec();
        Trees::from(trees).add_to(table.table(), scores);
    }

    /// The predictions of rows that have an offset, as in training: the trees add to it. Without
    /// it a model that was trained with offsets predicts for an offset of 0, such as a rate.
    pub fn offset_scores(&self, table: &Aligned<'_>, offset: &[f64]) -> Result<Scores> {
        let mut raw = self.raw_scores(table);
        check_offset(offset, raw.n_rows(), raw.width())?;
        raw.values_mut().iter_mut().zip(offset).for_each(|(score, offset)| *score += offset);
        Ok(self.respond(&raw))
    }

    /// The predictions that scores before the link make.
    pub fn respond(&self, raw: &Scores) -> Scores {
        let (from, to) = (raw.width(), self.output.width());
        let mut predictions = Scores::zeros(raw.n_rows(), to);
        in_stretches(predictions.values_mut(), STRETCH * to, |stretch, predictions| {
            let scores = raw.values()[stretch * STRETCH * from..].chunks_exact(from);
            for (prediction, scores) in predictions.chunks_exact_mut(to).zip(scores) {
                self.link.respond_as(&self.output, scores, prediction);
            }
        });
        predictions
    }

    /// Numbers in the value of a leaf, the same in all trees; `None` if there are no trees.
    pub fn tree_width(&self) -> Option<usize> {
        self.trees.first().map(|tree| tree.width)
    }

    /// How many rounds.
    pub fn n_rounds(&self) -> usize {
        self.n_steps() / self.n_runs
    }

    /// How many rounds of all runs: how often every score was moved.
    pub fn n_steps(&self) -> usize {
        self.trees.len() * self.tree_width().unwrap_or(1) / self.start.len()
    }
}

impl Model for AdditiveModel {
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
        let mut raw = self.start.clone();
        self.trees.add_to_row(row, &mut raw);
        self.link.respond_as(&self.output, &raw, scores);
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        self.respond(&self.raw_scores(table))
    }
}

impl Describe for AdditiveModel {
    fn own_trees(&self) -> Option<Kept<'_>> {
        Some(Kept::Sum(&self.trees))
    }

    fn n_members(&self) -> usize {
        self.n_rounds()
    }

    fn n_stages(&self) -> usize {
        self.n_rounds()
    }

    fn before_stages(&self, n_rows: usize) -> SoFar {
        SoFar::Raw(self.start_scores(n_rows))
    }

    fn add_stage(&self, n_done: usize, table: &Aligned<'_>, so_far: &mut SoFar) {
        if let SoFar::Raw(raw) = so_far {
            self.add_round(n_done, table, raw);
        }
    }

    fn scores_of_stage(&self, _: usize, table: &Aligned<'_>, so_far: &SoFar) -> Scores {
        match so_far {
            SoFar::Raw(raw) => self.respond(raw),
            _ => self.aligned_scores(table),
        }
    }

    fn has_raw_stages(&self) -> bool {
        true
    }

    fn facts(&self) -> Vec<Fact> {
        let n_linear_leaves: usize = self.trees.iter().map(Tree::n_linear_leaves).sum();
        vec![
            ("start", json!(self.start)),
            ("n_trees", json!(self.trees.len())),
            ("n_rounds", json!(self.n_rounds())),
            ("n_linear_leaves", json!(n_linear_leaves)),
            ("curve", self.curve.as_ref().map_or(Value::Null, LearningCurve::as_json)),
        ]
    }
}
