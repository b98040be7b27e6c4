//! Parts of weald's methods that may be weald's or Python's: what members are fitted by, and what
//! fitting gives.

use std::sync::Arc;

use weald::any::{AnyLearner, AnyModel};
use weald::data::{Aligned, Distribution, Sample, Schema};
use weald::learner::Learner;
use weald::model::{Model, OneCut, Output};
use weald::run::Run;
use weald::scores::Scores;

use crate::foreign::{ForeignLearner, ForeignModel};

/// What members are fitted by.
pub enum Part {
    /// A method of weald.
    Own(Box<AnyLearner>),
    /// An estimator of Python.
    Foreign(ForeignLearner),
}

/// A fitted member.
#[derive(Clone)]
pub enum PartModel {
    /// weald's.
    Own(AnyModel),
    /// Python's.
    Foreign(ForeignModel),
}

impl Learner for Part {
    type Model = PartModel;

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> weald::Result<PartModel> {
        match self {
            Part::Own(learner) => learner.fit(sample, run).map(PartModel::Own),
            Part::Foreign(learner) => learner.fit(sample, run).map(PartModel::Foreign),
        }
    }

    fn prepare(&self, sample: &Sample<'_>, run: &Run<'_>) -> weald::Result<()> {
        match self {
            Part::Own(learner) => learner.prepare(sample, run),
            Part::Foreign(learner) => learner.prepare(sample, run),
        }
    }

    fn fit_with_out_of_bag(
        &self,
        sample: &Sample<'_>,
        run: &Run<'_>,
    ) -> weald::Result<Option<(PartModel, Scores)>> {
        match self {
            Part::Own(learner) => {
                let fitted = learner.fit_with_out_of_bag(sample, run)?;
                Ok(fitted.map(|(model, honest)| (PartModel::Own(model), honest)))
            }
            Part::Foreign(_) => Ok(None),
        }
    }

    fn fit_pairs(
        &self,
        sample: &Sample<'_>,
        pairs: &Distribution,
        run: &Run<'_>,
    ) -> weald::Result<PartModel> {
        match self {
            Part::Own(learner) => learner.fit_pairs(sample, pairs, run).map(PartModel::Own),
            Part::Foreign(learner) => learner.fit_pairs(sample, pairs, run).map(PartModel::Foreign),
        }
    }
}

impl PartModel {
    fn inner(&self) -> &dyn Model {
        match self {
            PartModel::Own(model) => model,
            PartModel::Foreign(model) => model,
        }
    }
}

impl Model for PartModel {
    fn schema(&self) -> &Arc<Schema> {
        self.inner().schema()
    }

    fn output(&self) -> &Output {
        self.inner().output()
    }

    fn is_sound(&self) -> bool {
        self.inner().is_sound()
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        self.inner().aligned_scores(table)
    }

    fn aligned_row(&self, row: &[f64], scores: &mut [f64]) {
        self.inner().aligned_row(row, scores);
    }

    fn one_cut(&self) -> Option<OneCut<'_>> {
        self.inner().one_cut()
    }
}
