//! A validation table: rows apart from the sample, whose scores follow the trees.

use std::iter::repeat_n;

use super::conformal::{Rest, rest};
use super::early_stopping::{measure, sum_of_losses};
use super::targets::Targets;
use crate::data::{Aligned, Sample, Schema, Table, Weights};
use crate::error::{Error, Result};
use crate::learner::HeldOutMetric;
use crate::loss::{JointLoss, Loss, Together};
use crate::model::Output;
use crate::predict::Trees;
use crate::scores::Scores;
use crate::tree::Tree;
use crate::tree::kernel::memory::filled;
use crate::tree::walk::Reader;

/// Validation rows and their scores so far.
pub struct ValidationRows<'a> {
    table: Aligned<'a>,
    targets: Targets<'a>,
    weights: &'a Weights,
    rows: Vec<usize>,
    scores: Vec<f64>,
    /// The scores before the first tree.
    first_scores: Vec<f64>,
    joint: Option<Box<dyn JointLoss>>,
}

impl<'a> ValidationRows<'a> {
    /// The rows before the first tree; their columns and classes must be those trained on.
    pub fn new(
        sample: &Sample<'a>,
        schema: &Schema,
        output: &Output,
        loss: &dyn Loss,
        start: &[f64],
    ) -> Result<ValidationRows<'a>> {
        sample.check_all()?;
        if loss.output(sample.target) != *output {
            return Err(Error::OtherTarget { of: "validation rows" });
        }
        let targets = Targets::of(sample.target);
        let all = targets.all();
        loss.check(&all)?;
        let first_scores = starting_scores(start, sample.offset, targets.len())?;
        Ok(ValidationRows {
            table: schema.align(sample.table)?,
            scores: first_scores.clone(),
            first_scores,
            weights: sample.weights,
            rows: (0..targets.len())
                .flat_map(|row| repeat_n(row, sample.weights.copies(row).0 as usize))
                .collect(),
            joint: loss.joint(&Together {
                targets: &all,
                weights: sample.weights,
                groups: sample.groups,
            })?,
            targets,
        })
    }

    /// Moves the scores along the trees so far.
    pub fn follow(&mut self, trees: &[Tree], width: usize) {
        follow(trees, self.table.table(), width, &mut self.scores);
    }

    /// Moves scores along a tree, from number `output` on.
    pub fn follow_one(&mut self, tree: &Tree, output: usize, width: usize) {
        let (leaves, columns) = (tree.leaves(self.table.table()), Reader::of(self.table.table()));
        for ((row, scores), leaf) in self.scores.chunks_exact_mut(width).enumerate().zip(leaves) {
            let number = |f: usize| columns[f].number(row);
            tree.add_to(leaf as usize, number, &mut scores[output..]);
        }
    }

    /// The summed loss, and the weight of the rows.
    pub fn loss(&self, loss: &dyn Loss) -> (f64, f64) {
        match &self.joint {
            Some(joint) => joint.loss(&self.scores),
            None => sum_of_losses(loss, self.targets, &self.scores, self.weights, &self.rows),
        }
    }

    /// What the rows have left to explain after these trees, by score.
    pub fn rest(&self, trees: &[Tree]) -> Vec<Rest> {
        let (n_rows, mut scores) = (self.targets.len(), self.first_scores.clone());
        let width = scores.len() / n_rows.max(1);
        follow(trees, self.table.table(), width, &mut scores);
        let scores: Vec<f64> =
            self.rows.iter().flat_map(|&row| &scores[row * width..][..width]).copied().collect();
        let of_row = |&row: &usize| (self.targets.at(row), self.weights.copies(row).1);
        rest(&scores, width, self.rows.iter().map(of_row))
    }

    /// What a metric says of the rows, and 1.
    pub fn measure(&self, metric: &dyn HeldOutMetric, loss: &dyn Loss) -> (f64, f64) {
        measure(metric, loss, self.targets, &self.scores, self.weights, &self.rows)
    }
}

/// Moves the scores of a table's rows along trees, one tree after the other as training does, so
/// that the sums have the same bits.
pub fn follow(trees: &[Tree], table: &Table, width: usize, scores: &mut [f64]) {
    if trees.is_empty() {
        return;
    }
    let mut moved = Scores::zeros(table.n_rows(), width);
    moved.values_mut().copy_from_slice(scores);
    Trees::from(trees.to_vec()).add_to(table, &mut moved);
    scores.copy_from_slice(moved.values());
}

/// The scores before the first tree: the start, and the offset if there is one.
pub fn starting_scores(start: &[f64], offset: Option<&[f64]>, n_rows: usize) -> Result<Vec<f64>> {
    let mut scores = filled(0.0, n_rows * start.len());
    scores.chunks_exact_mut(start.len()).for_each(|row| row.copy_from_slice(start));
    if let Some(offset) = offset {
        check_offset(offset, n_rows, start.len())?;
        scores.iter_mut().zip(offset).for_each(|(score, offset)| *score += offset);
    }
    Ok(scores)
}

/// Whether an offset has a finite number for each score of each row.
pub fn check_offset(offset: &[f64], n_rows: usize, width: usize) -> Result<()> {
    if offset.len() != n_rows * width {
        return Err(Error::OffsetLength { found: offset.len(), n_rows, width });
    }
    match offset.iter().position(|x| !x.is_finite()) {
        Some(at) => Err(Error::BadOffset { row: at / width + 1, value: offset[at] }),
        None => Ok(()),
    }
}
