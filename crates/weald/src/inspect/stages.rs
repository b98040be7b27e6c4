//! What the first trees of a model say: after one round of boosting, after two, and so on; the mean
//! of the first trees of a forest; the answer of the first members of a committee.
//!
//! Each stage adds to the one before it, so that all together cost about as much as the whole
//! model once. A stage has the bytes of a model that ends there.

use std::borrow::Borrow;

use crate::any::AnyModel;
use crate::data::Aligned;
use crate::describe::{Describe, SoFar};
use crate::scores::Scores;

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

impl<'t, M: Borrow<AnyModel>> Stages<'t, M> {
    /// The stages of a model, before the first.
    pub fn new(model: M, table: Aligned<'t>) -> Stages<'t, M> {
        let n_rows = table.table().n_rows();
        let so_far = model.borrow().before_stages(n_rows);
        Stages { model, table, n_done: 0, so_far }
    }

    /// How many stages the model has, those that were reached included.
    pub fn n_stages(&self) -> usize {
        self.model.borrow().n_stages()
    }

    /// Goes to the next stage; `None` after the last.
    pub fn advance(&mut self) -> Option<Stage<'_>> {
        if self.n_done == self.n_stages() {
            return None;
        }
        let (model, at) = (self.model.borrow(), self.n_done);
        model.add_stage(at, &self.table, &mut self.so_far);
        self.n_done += 1;
        Some(Stage { n: self.n_done, model, table: &self.table, so_far: &self.so_far })
    }
}

impl Stage<'_> {
    /// What is predicted at this stage.
    pub fn scores(&self) -> Scores {
        self.model.scores_of_stage(self.n, self.table, self.so_far)
    }

    /// The scores before the link; boosting alone has them
    /// ([`raw_scores`](crate::boost::AdditiveModel::raw_scores)), of numbers by gradients alone.
    pub fn raw(&self) -> Option<&Scores> {
        match self.so_far {
            SoFar::Raw(raw) if self.model.has_raw_stages() => Some(raw),
            _ => None,
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
