//! What the first trees of a model say: after one round of boosting, after two, and so on; the mean
//! of the first trees of a forest; the answer of the first members of a committee.
//!
//! Each stage adds to the one before it, so that all together cost about as much as the whole
//! model once. A stage has the bytes of a model that ends there.

use std::borrow::Borrow;
use std::ops::Range;

use super::grove::descend;
use crate::any::AnyModel;
use crate::data::{Aligned, Table};
use crate::ensemble::Combining;
use crate::model::Model;
use crate::predict::DeepTrees;
use crate::run::in_stretches;
use crate::scores::Scores;
use crate::tree::walk::Reader;

/// Rows that a thread takes at a time.
const STRETCH: usize = 1 << 12;
/// Trees of a forest whose leaves are found ahead: the values of rows are read once for all.
const AHEAD: usize = 32;

/// The stages of a model on the rows of a table, one after the other: as an iterator what is
/// predicted after each, or by [`Stages::advance`].
///
/// A tree has one stage, a constant model none. The model may be borrowed or shared. The work is done
/// on the threads of the pool that the caller is in.
#[derive(Debug)]
pub struct Stages<'t, M> {
    model: M,
    table: Aligned<'t>,
    n_done: usize,
    so_far: SoFar,
}

/// A stage that has been reached.
#[derive(Debug)]
pub struct Stage<'s> {
    /// Rounds, trees or members so far.
    pub n: usize,
    model: &'s AnyModel,
    table: &'s Aligned<'s>,
    so_far: &'s SoFar,
}

/// What the trees or members so far add up to.
#[derive(Debug)]
enum SoFar {
    /// Nothing is added up.
    Nothing,
    /// Scores before the link.
    Raw(Scores),
    /// What trees of a forest say.
    Sums { sums: Scores, ahead: LeavesAhead },
    /// What members say.
    Answers(Combining),
}

impl<'t, M: Borrow<AnyModel>> Stages<'t, M> {
    /// The stages of a model, before the first.
    pub fn new(model: M, table: Aligned<'t>) -> Stages<'t, M> {
        let n_rows = table.table().n_rows();
        let so_far = match model.borrow() {
            AnyModel::Constant(_)
            | AnyModel::Tree(_)
            | AnyModel::Isolation(_)
            | AnyModel::Density(_)
            | AnyModel::Stacked(_)
            | AnyModel::Dynamic(_)
            | AnyModel::Mixture(_)
            | AnyModel::Coded(_)
            | AnyModel::Calibrated(_)
            | AnyModel::Linear(_)
            | AnyModel::NaiveBayes(_)
            | AnyModel::Neighbours(_) => SoFar::Nothing,
            AnyModel::Additive(model) => SoFar::Raw(model.start_scores(n_rows)),
            AnyModel::Forest(model) => {
                let sums = Scores::zeros(n_rows, model.trees.width());
                SoFar::Sums { sums, ahead: LeavesAhead::default() }
            }
            AnyModel::Committee(model) => {
                SoFar::Answers(Combining::new(model.combiner, &model.weights, model.output()))
            }
            AnyModel::Boosted(model) => SoFar::Raw(model.start_scores(n_rows)),
        };
        Stages { model, table, n_done: 0, so_far }
    }

    /// How many stages the model has, those that were reached included.
    pub fn n_stages(&self) -> usize {
        match self.model.borrow() {
            AnyModel::Tree(_)
            | AnyModel::Isolation(_)
            | AnyModel::Density(_)
            | AnyModel::Stacked(_)
            | AnyModel::Dynamic(_)
            | AnyModel::Mixture(_)
            | AnyModel::Coded(_)
            | AnyModel::Calibrated(_) => 1,
            AnyModel::Constant(_)
            | AnyModel::Linear(_)
            | AnyModel::NaiveBayes(_)
            | AnyModel::Neighbours(_) => 0,
            AnyModel::Additive(model) => model.n_rounds(),
            AnyModel::Forest(model) => model.trees.len(),
            AnyModel::Committee(model) => model.members.len(),
            AnyModel::Boosted(model) => model.rounds.len(),
        }
    }

    /// Goes to the next stage; `None` after the last.
    pub fn advance(&mut self) -> Option<Stage<'_>> {
        if self.n_done == self.n_stages() {
            return None;
        }
        let (model, at) = (self.model.borrow(), self.n_done);
        match (model, &mut self.so_far) {
            (AnyModel::Additive(model), SoFar::Raw(raw)) => model.add_round(at, &self.table, raw),
            (AnyModel::Boosted(model), SoFar::Raw(raw)) => model.add_round(at, &self.table, raw),
            (AnyModel::Forest(model), SoFar::Sums { sums, ahead }) => {
                ahead.add_tree(&model.trees, at, self.table.table(), sums);
            }
            (AnyModel::Committee(model), SoFar::Answers(answers)) => {
                answers.add(model.members[at].aligned_scores(&self.table), model.weights[at]);
            }
            _ => {}
        }
        self.n_done += 1;
        Some(Stage { n: self.n_done, model, table: &self.table, so_far: &self.so_far })
    }
}

impl Stage<'_> {
    /// What is predicted at this stage.
    pub fn scores(&self) -> Scores {
        match (self.model, self.so_far) {
            (AnyModel::Additive(model), SoFar::Raw(raw)) => model.respond(raw),
            (AnyModel::Boosted(model), SoFar::Raw(raw)) => model.respond(raw, self.n),
            (_, SoFar::Sums { sums, .. }) => {
                let mut mean = sums.clone();
                mean.values_mut().iter_mut().for_each(|sum| *sum /= self.n as f64);
                mean
            }
            (_, SoFar::Answers(answers)) => answers.clone().finish(),
            (model, _) => model.aligned_scores(self.table),
        }
    }

    /// The scores before the link; boosting alone has them
    /// ([`raw_scores`](crate::boost::AdditiveModel::raw_scores)), of numbers by gradients alone.
    pub fn raw(&self) -> Option<&Scores> {
        match (self.model, self.so_far) {
            (AnyModel::Boosted(model), _) if !model.has_scores() => None,
            (_, SoFar::Raw(raw)) => Some(raw),
            (_, SoFar::Nothing | SoFar::Sums { .. } | SoFar::Answers(_)) => None,
        }
    }
}

impl<M: Borrow<AnyModel>> Iterator for Stages<'_, M> {
    type Item = Scores;

    fn next(&mut self) -> Option<Scores> {
        self.advance().map(|stage| stage.scores())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let n_left = self.n_stages() - self.n_done;
        (n_left, Some(n_left))
    }
}

impl<M: Borrow<AnyModel>> ExactSizeIterator for Stages<'_, M> {}

/// The leaves of all rows in some trees of a forest.
#[derive(Debug, Default)]
struct LeavesAhead {
    trees: Range<usize>,
    /// The leaves of one row after the other, tree after tree, by their number among all.
    leaves: Vec<u32>,
}

impl LeavesAhead {
    /// Adds what one tree says. Trees are to be added in their order.
    fn add_tree(&mut self, trees: &DeepTrees, tree: usize, table: &Table, sums: &mut Scores) {
        if !self.trees.contains(&tree) {
            self.look(trees, tree..(tree + AHEAD).min(trees.len()), table);
        }
        let (n_trees, width) = (self.trees.len(), trees.width());
        let leaves = &self.leaves;
        let at = tree - self.trees.start;
        in_stretches(sums.values_mut(), STRETCH * width, |stretch, sums| {
            let leaves = leaves[stretch * STRETCH * n_trees..].chunks_exact(n_trees);
            for (sums, leaves) in sums.chunks_exact_mut(width).zip(leaves) {
                sums.iter_mut().zip(trees.value(leaves[at])).for_each(|(sum, x)| *sum += x);
            }
        });
    }

    fn look(&mut self, trees: &DeepTrees, some: Range<usize>, table: &Table) {
        let (n_trees, columns) = (some.len(), Reader::of(table));
        self.leaves.resize(table.n_rows() * n_trees, 0);
        in_stretches(&mut self.leaves, STRETCH * n_trees, |stretch, found| {
            let start = stretch * STRETCH;
            let rows = start..start + found.len() / n_trees;
            descend(trees.walk(), &columns, some.clone(), rows, |tree, first, leaves| {
                let to = found[(first - start) * n_trees + tree - some.start..].iter_mut();
                to.step_by(n_trees).zip(leaves).for_each(|(to, &leaf)| *to = leaf);
            });
        });
        self.trees = some;
    }
}
