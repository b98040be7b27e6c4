//! A mean of models whose weights are learned from rows that the models have not seen.
//!
//! Three ways to weigh: [`super_learner`] finds the mean with the least squared error,
//! [`selection`] adds members one by one to what there is, [`bayes_optimal`] believes each
//! member as far as it has foreseen the rows. The first is the one to start with; the second bears
//! many members that are alike; the third soon believes one member alone where rows are many, for
//! it supposes that one of them is true.
//!
//! [`super_learner`]: super::super_learner
//! [`selection`]: super::selection
//! [`bayes_optimal`]: super::bayes_optimal

use super::voting::{check_one_each, check_positive, committee};
use super::{bayes_optimal, selection, super_learner};
use crate::data::{Sample, Target};
use crate::ensemble::{
    Combiner, Ensemble, Honest, Member, Named, Split, check_members, cross_fit, fit_named,
    prepare_members,
};
use crate::error::Result;
use crate::learner::Learner;
use crate::parameter::{Value, out_of_range};
use crate::run::Run;

/// Fits members and finds what the answer of each should weigh.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedCommittee<L> {
    /// What members are fitted by.
    pub members: Vec<Named<L>>,
    /// How weights are found.
    pub weighing: Weighing,
    /// Which rows members are judged by. Where a share is held out, members stay as they were
    /// judged; else they are fitted on all rows afterwards.
    pub held_out: Split,
    /// How likely each member is beforehand, for `bayes`; empty: all the same.
    pub prior: Vec<f64>,
}

/// How weights are learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighing {
    /// Those of the least squared error.
    LeastSquares,
    /// By adding the member that helps most, again and again, at most so many times.
    Selection(usize),
    /// By the likelihood of the rows.
    Bayes,
}

impl<L> WeightedCommittee<L> {
    /// A committee of `members`, judged by five folds.
    pub fn of(members: Vec<Named<L>>, weighing: Weighing) -> WeightedCommittee<L> {
        WeightedCommittee { members, weighing, held_out: Split::Folds(5), prior: Vec::new() }
    }

    /// Whether all values are in range; the members check their own.
    pub fn check_ranges(&self) -> Result<()> {
        check_members(&self.members)?;
        self.held_out.check()?;
        if self.weighing == Weighing::Selection(0) {
            return out_of_range("weighing", self.weighing.show(), "at least 1 after selection:");
        }
        check_positive("prior", &self.prior)?;
        if self.weighing != Weighing::Bayes && !self.prior.is_empty() {
            let given = format!("{} numbers", self.prior.len());
            return out_of_range("prior", given, "none, unless weighing=bayes");
        }
        check_one_each("prior", &self.prior, self.members.len())
    }
}

impl<L: Learner> Learner for WeightedCommittee<L> {
    type Model = Ensemble<Member<L::Model>>;

    fn prepare(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<()> {
        prepare_members(&self.members, sample, run)
    }

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<Self::Model> {
        self.check_ranges()?;
        sample.check()?;
        self.prepare(sample, run)?;
        let mut honest = cross_fit(&Named::all(&self.members), sample, self.held_out, run)?;
        let weights = self.weights(&honest, &sample.target.take(&honest.rows))?;
        let models = match honest.models.take() {
            Some(models) => models,
            None => fit_named(&self.members, sample, &run.child(self.members.len() as u64))?,
        };
        committee(models, weights, Combiner::Mean)
    }
}

impl<L: Learner> WeightedCommittee<L> {
    /// What the answer of each member should weigh, given what it says of rows of this target.
    fn weights<M>(&self, honest: &Honest<M>, target: &Target) -> Result<Vec<f64>> {
        match self.weighing {
            Weighing::LeastSquares => Ok(super_learner::weights(honest, target)),
            Weighing::Selection(n_rounds) => Ok(selection::weights(honest, target, n_rounds)),
            Weighing::Bayes => bayes_optimal::weights(honest, target, &self.prior),
        }
    }
}

impl Value for Weighing {
    fn show(&self) -> String {
        match self {
            Weighing::LeastSquares => "least-squares".into(),
            Weighing::Selection(n_rounds) => format!("selection:{n_rounds}"),
            Weighing::Bayes => "bayes".into(),
        }
    }

    fn parse(&mut self, text: &str) -> bool {
        let selection = || text.strip_prefix("selection:")?.parse().ok().map(Weighing::Selection);
        *self = match text {
            "least-squares" => Weighing::LeastSquares,
            "bayes" => Weighing::Bayes,
            _ => match selection() {
                Some(selection) => selection,
                None => return false,
            },
        };
        true
    }

    fn expected(&self) -> String {
        "least-squares, selection:50 or bayes".into()
    }
}
