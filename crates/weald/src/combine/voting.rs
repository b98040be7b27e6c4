//! Voting and averaging: every member is fitted on all rows, and a rule makes one answer of theirs.
//!
//! The simplest committee of different learners, and hard to beat where members are about equally
//! good. Where they are not, [`WeightedCommittee`](super::WeightedCommittee) finds weights.

use crate::data::Sample;
use crate::ensemble::{
    Combiner, Ensemble, Member, Named, check_members, fit_named, prepare_members,
};
use crate::error::Result;
use crate::learner::Learner;
use crate::model::{Model, Output};
use crate::parameter::out_of_range;
use crate::run::Run;

/// Fits members on the same rows and combines their answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Voting<L> {
    /// What members are fitted by.
    pub members: Vec<Named<L>>,
    /// How their answers become one.
    pub combine: Combiner,
    /// What the answer of each member weighs; empty: all the same.
    pub weights: Vec<f64>,
}

impl<L> Voting<L> {
    /// A committee of `members` whose answers are averaged.
    pub fn of(members: Vec<Named<L>>) -> Voting<L> {
        Voting { members, combine: Combiner::Mean, weights: Vec::new() }
    }

    /// Whether all values are in range; the members check their own.
    pub fn check_ranges(&self) -> Result<()> {
        check_members(&self.members)?;
        check_positive("weights", &self.weights)?;
        self.combine.check()?;
        check_one_each("weights", &self.weights, self.members.len())
    }
}

/// Whether numbers are those of so many members, or none.
pub(super) fn check_one_each(name: &str, numbers: &[f64], n_members: usize) -> Result<()> {
    match numbers.is_empty() || numbers.len() == n_members {
        true => Ok(()),
        false => {
            let expected = format!("one for each of the {n_members} members, or none");
            out_of_range(name, format!("{} numbers", numbers.len()), &expected)
        }
    }
}

/// Whether numbers are above 0.
pub(super) fn check_positive(name: &str, numbers: &[f64]) -> Result<()> {
    match numbers.iter().find(|x| !x.is_finite() || **x <= 0.0) {
        Some(x) => out_of_range(name, x, "finite numbers above 0"),
        None => Ok(()),
    }
}

impl<L: Learner> Learner for Voting<L> {
    type Model = Ensemble<Member<L::Model>>;

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<Self::Model> {
        self.check_ranges()?;
        sample.check_targets()?;
        self.combine.check_output(&Output::of(sample.target))?;
        self.prepare(sample, run)?;
        let models = fit_named(&self.members, sample, run)?;
        let mut weights = self.weights.clone();
        weights.resize(models.len(), 1.0);
        committee(models, weights, self.combine)
    }

    fn prepare(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<()> {
        prepare_members(&self.members, sample, run)
    }
}

/// Models that see all columns, as a committee.
pub(super) fn committee<M: Model>(
    models: Vec<M>,
    weights: Vec<f64>,
    combiner: Combiner,
) -> Result<Ensemble<Member<M>>> {
    let member = |model: M| Member { schema: model.schema().clone(), model, columns: None };
    Ensemble::new(models.into_iter().map(member).collect(), weights, combiner)
}
