//! What a fitted model says of itself: its parts, its trees, what its first members say, which
//! columns matter, and facts by name.
//!
//! Each model implements [`Describe`] beside its own definition. Whatever looks into models of any
//! kind ([`inspect`](crate::inspect), the program, the Python package) asks these questions and
//! names no kind.

mod committee;
mod stages;
mod trees;

pub use committee::{named_parts, named_voters};
pub use stages::SoFar;
pub use trees::{Kept, descend};

use serde_json::Value;

use crate::data::Aligned;
use crate::ensemble::OutOfBagCurve;
use crate::model::Model;
use crate::scores::Scores;

/// A fitted model that can be looked into.
pub trait Describe: Model {
    /// The models that it is made of, in their order. A model that learns from what others say is not
    /// among them: see [`last`](Describe::last).
    fn parts(&self) -> Vec<Part<'_>> {
        Vec::new()
    }

    /// The model that learns from what the parts say.
    fn last(&self) -> Option<&dyn Describe> {
        None
    }

    /// Its own trees, if it has trees of its own.
    fn own_trees(&self) -> Option<Kept<'_>> {
        None
    }

    /// How many members it has: trees of a forest, rounds of boosting, models of a committee.
    fn n_members(&self) -> usize {
        self.parts().len()
    }

    /// The members that vote, each with what its vote weighs; `None` if the answer is no vote.
    fn voters(&self) -> Option<Vec<(&dyn Model, f64)>> {
        None
    }

    /// What the answer of each member weighs, if members are weighed.
    fn weights(&self) -> Option<&[f64]> {
        None
    }

    /// The error on rows out of the members' bags, if there were any.
    fn out_of_bag(&self) -> Option<&OutOfBagCurve> {
        None
    }

    /// The share of each column of its schema in what all splits gain; it sums to 1, or to 0 where
    /// nothing was split. By default the gains of its own trees, before the learning rate, or the mean
    /// over its parts by what they weigh.
    ///
    /// Gains say how much splits lower the impurity of training rows (Breiman et al. 1984), in boosting
    /// how much they lower the loss (Friedman 2001). They come with the model for free, but they are
    /// measured on the rows that the splits were chosen on, so that columns of many values look more
    /// important than they are; a forest has an unbiased importance beside it
    /// ([`Importance`](crate::forest::Importance)).
    fn importance(&self) -> Vec<f64> {
        let n_columns = self.schema().len();
        match self.own_trees() {
            Some(trees) => trees.importance(n_columns),
            None => importance_of_parts(&self.parts(), n_columns),
        }
    }

    /// How many stages it has: what is said after the first member, after two, and so on.
    fn n_stages(&self) -> usize {
        1
    }

    /// What is added up stage by stage, before the first, for so many rows.
    fn before_stages(&self, _n_rows: usize) -> SoFar {
        SoFar::Nothing
    }

    /// Adds the stage that follows `n_done` others.
    fn add_stage(&self, _n_done: usize, _table: &Aligned<'_>, _so_far: &mut SoFar) {}

    /// What is predicted after `n` stages.
    fn scores_of_stage(&self, _n: usize, table: &Aligned<'_>, _so_far: &SoFar) -> Scores {
        self.aligned_scores(table)
    }

    /// Whether what is added up by stages are scores before the link.
    fn has_raw_stages(&self) -> bool {
        false
    }

    /// What it holds, by name: numbers, lists and texts for documents.
    fn facts(&self) -> Vec<Fact>;
}

/// A fact about a model: its name, and its value as JSON.
pub type Fact = (&'static str, Value);

/// A model that another is made of.
#[derive(Clone, Copy)]
pub struct Part<'m> {
    /// What it is called, if it has a name.
    pub name: Option<&'m str>,
    /// The model.
    pub model: &'m dyn Describe,
    /// The columns of the whole that it sees, rising; `None`: all.
    pub columns: Option<&'m [u32]>,
    /// What it weighs beside the others.
    pub weight: f64,
}

impl<'m> Part<'m> {
    /// A part without a name that sees all columns and weighs as much as every other.
    pub fn of(model: &'m dyn Describe) -> Part<'m> {
        Part { name: None, model, columns: None, weight: 1.0 }
    }
}

/// The mean importance of parts by the size of their weights. Weights count relative to the largest,
/// so that no sum is infinite.
fn importance_of_parts(parts: &[Part<'_>], n_columns: usize) -> Vec<f64> {
    let largest = parts.iter().map(|part| part.weight.abs()).fold(0.0, f64::max);
    let mut shares = vec![0.0; n_columns];
    if largest == 0.0 {
        return shares;
    }
    for part in parts {
        for (own, share) in part.model.importance().into_iter().enumerate() {
            let column = part.columns.map_or(own, |all| all[own] as usize);
            shares[column] += share * (part.weight.abs() / largest);
        }
    }
    in_shares(shares)
}

/// Numbers as shares of their sum, if that is above 0.
fn in_shares(mut parts: Vec<f64>) -> Vec<f64> {
    let total: f64 = parts.iter().sum();
    if total > 0.0 {
        parts.iter_mut().for_each(|part| *part /= total);
    }
    parts
}
