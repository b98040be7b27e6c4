//! Any method.

use super::AnyModel;
use crate::adaboost::{AdaBoost, Algorithm};
use crate::bag::Bagging;
use crate::base::constant::Constant;
use crate::base::linear::Linear;
use crate::base::naive_bayes::NaiveBayes;
use crate::base::nearest_neighbours::NearestNeighbours;
use crate::boost::{AdditiveModel, GradientBoosting};
use crate::combine::{
    Calibration, DynamicSelection, MixtureOfExperts, MultiClass, Stacking, Voting,
    WeightedCommittee,
};
use crate::data::{Distribution, Sample, Task};
use crate::error::{Error, Result};
use crate::forest::density::DensityForest;
use crate::forest::{IsolationForest, RandomForest};
use crate::learner::{Checkpoint, Extras, Learner, Progress, Refit, fit_anew};
use crate::model::Model;
use crate::parameter::{Parameters, Setting};
use crate::run::Run;
use crate::scores::Scores;
use crate::tree::{DecisionTree, Stump, TreeModel};

/// Any method with its hyper-parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyLearner {
    /// The prior.
    Constant(Constant),
    /// Trees along the gradient of a loss.
    GradientBoosting(GradientBoosting),
    /// Trees that differ by chance.
    RandomForest(RandomForest),
    /// One tree.
    DecisionTree(DecisionTree),
    /// One split.
    Stump(Stump),
    /// A committee of another method's models.
    Bagging(Box<Bagging<AnyLearner>>),
    /// Another method's models one after the other, each fitted to what went wrong before.
    AdaBoost(Box<AdaBoost<AnyLearner>>),
    /// Completely random trees that isolate rows.
    IsolationForest(IsolationForest),
    /// Completely random trees that tell where rows are many.
    DensityForest(DensityForest),
    /// Models of several methods, whose answers a rule combines.
    Voting(Box<Voting<AnyLearner>>),
    /// Models of several methods, with weights that are learned.
    Weighted(Box<WeightedCommittee<AnyLearner>>),
    /// Models of several methods, and one that learns from what they say.
    Stacking(Box<Stacking<AnyLearner>>),
    /// Models of several methods, of which those answer that are right nearby.
    DynamicSelection(Box<DynamicSelection<AnyLearner>>),
    /// Models of a method, and a gate that believes them in parts.
    MixtureOfExperts(Box<MixtureOfExperts<AnyLearner>>),
    /// Several classes by a method of two.
    MultiClass(Box<MultiClass<AnyLearner>>),
    /// Another method's model, whose probabilities are put right.
    Calibration(Box<Calibration<AnyLearner>>),
    /// Sums over columns.
    Linear(Linear),
    /// Columns as if none knew of the others.
    NaiveBayes(NaiveBayes),
    /// The rows most like a row.
    NearestNeighbours(NearestNeighbours),
}

/// Does the same with whatever learner `$any` holds.
macro_rules! each_learner {
    ($any:expr, $learner:ident => $body:expr) => {
        match $any {
            AnyLearner::Constant($learner) => $body,
            AnyLearner::GradientBoosting($learner) => $body,
            AnyLearner::RandomForest($learner) => $body,
            AnyLearner::DecisionTree($learner) => $body,
            AnyLearner::Stump($learner) => $body,
            AnyLearner::Bagging($learner) => $body,
            AnyLearner::AdaBoost($learner) => $body,
            AnyLearner::IsolationForest($learner) => $body,
            AnyLearner::DensityForest($learner) => $body,
            AnyLearner::Voting($learner) => $body,
            AnyLearner::Weighted($learner) => $body,
            AnyLearner::Stacking($learner) => $body,
            AnyLearner::DynamicSelection($learner) => $body,
            AnyLearner::MixtureOfExperts($learner) => $body,
            AnyLearner::MultiClass($learner) => $body,
            AnyLearner::Calibration($learner) => $body,
            AnyLearner::Linear($learner) => $body,
            AnyLearner::NaiveBayes($learner) => $body,
            AnyLearner::NearestNeighbours($learner) => $body,
        }
    };
}

impl AnyLearner {
    /// Every hyper-parameter with its value.
    pub fn settings(&self) -> Vec<Setting> {
        each_learner!(self, learner => learner.settings())
    }

    /// Sets one hyper-parameter from text; [`check`](AnyLearner::check) says whether all go together.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        each_learner!(self, learner => learner.set(name, value))
    }

    /// The method that it is a kind of: for extra trees, random-forest.
    pub(super) fn method(&self) -> &'static str {
        each_learner!(self, learner => learner.method())
    }

    /// Whether all values are in range and go together; fitting asks it first.
    pub fn check(&self) -> Result<()> {
        each_learner!(self, learner => learner.check())
    }

    /// What its members are fitted by, if it has such.
    pub fn own_base(&self) -> Option<&AnyLearner> {
        match self {
            AnyLearner::Bagging(learner) => Some(&learner.base),
            AnyLearner::AdaBoost(learner) => Some(&learner.base),
            AnyLearner::MultiClass(learner) => Some(&learner.base),
            AnyLearner::MixtureOfExperts(learner) => Some(&learner.base),
            AnyLearner::Calibration(learner) => Some(&learner.base),
            _ => None,
        }
    }

    /// The methods that it is made of, if it is made of others.
    pub fn parts(&self) -> Vec<&AnyLearner> {
        let members = match self {
            AnyLearner::Voting(learner) => &learner.members,
            AnyLearner::Weighted(learner) => &learner.members,
            AnyLearner::Stacking(learner) => &learner.members,
            AnyLearner::DynamicSelection(learner) => &learner.members,
            _ => return self.own_base().into_iter().collect(),
        };
        let last = match self {
            AnyLearner::Stacking(learner) => Some(&learner.last),
            _ => None,
        };
        members.iter().map(|member| &member.learner).chain(last).collect()
    }

    /// How many methods are within each other, this one included.
    pub(super) fn depth(&self) -> usize {
        1 + self.parts().into_iter().map(AnyLearner::depth).max().unwrap_or(0)
    }

    /// Whether it learns from rows alone and has no use for a target.
    pub fn needs_no_target(&self) -> bool {
        matches!(self, AnyLearner::IsolationForest(_) | AnyLearner::DensityForest(_))
    }

    /// What it is for, if that is one task alone: a loss for numbers makes it a method for them.
    pub fn task(&self) -> Option<Task> {
        match self {
            AnyLearner::GradientBoosting(learner) => learner.loss.task(),
            AnyLearner::RandomForest(learner) if learner.resampling.needs_classes() => {
                Some(Task::Classification)
            }
            AnyLearner::Bagging(learner) => {
                let is_of_classes =
                    learner.resampling.needs_classes() || learner.combine.needs_classes();
                if is_of_classes { Some(Task::Classification) } else { learner.base.task() }
            }
            AnyLearner::AdaBoost(learner) => match learner.algorithm {
                Algorithm::Auto => None,
                algorithm => Some(algorithm.task()),
            },
            AnyLearner::MultiClass(_)
            | AnyLearner::DynamicSelection(_)
            | AnyLearner::Calibration(_) => Some(Task::Classification),
            AnyLearner::MixtureOfExperts(learner) => learner.base.task(),
            AnyLearner::Voting(learner) if learner.combine.needs_classes() => {
                Some(Task::Classification)
            }
            AnyLearner::Voting(_) | AnyLearner::Weighted(_) | AnyLearner::Stacking(_) => {
                self.parts().into_iter().find_map(AnyLearner::task)
            }
            AnyLearner::Linear(learner) => learner.loss.task(),
            AnyLearner::NaiveBayes(_) => Some(Task::Classification),
            AnyLearner::Constant(_)
            | AnyLearner::RandomForest(_)
            | AnyLearner::DecisionTree(_)
            | AnyLearner::Stump(_)
            | AnyLearner::IsolationForest(_)
            | AnyLearner::DensityForest(_)
            | AnyLearner::NearestNeighbours(_) => None,
        }
    }
}

impl Learner for AnyLearner {
    type Model = AnyModel;

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<AnyModel> {
        self.check()?;
        Ok(match self {
            AnyLearner::Constant(learner) => AnyModel::Constant(learner.fit(sample, run)?),
            AnyLearner::GradientBoosting(learner) => AnyModel::Additive(learner.fit(sample, run)?),
            AnyLearner::RandomForest(learner) => {
                AnyModel::Forest(Box::new(learner.fit(sample, run)?))
            }
            AnyLearner::DecisionTree(learner) => AnyModel::Tree(learner.fit(sample, run)?),
            AnyLearner::Stump(learner) => AnyModel::Tree(learner.fit(sample, run)?),
            AnyLearner::Bagging(learner) => AnyModel::Committee(learner.fit(sample, run)?),
            AnyLearner::AdaBoost(learner) => AnyModel::Boosted(learner.fit(sample, run)?),
            AnyLearner::IsolationForest(learner) => {
                AnyModel::Isolation(Box::new(learner.fit(sample, run)?))
            }
            AnyLearner::DensityForest(learner) => {
                AnyModel::Density(Box::new(learner.fit(sample, run)?))
            }
            AnyLearner::Voting(learner) => AnyModel::Committee(learner.fit(sample, run)?),
            AnyLearner::Weighted(learner) => AnyModel::Committee(learner.fit(sample, run)?),
            AnyLearner::Stacking(learner) => AnyModel::Stacked(Box::new(learner.fit(sample, run)?)),
            AnyLearner::DynamicSelection(learner) => {
                AnyModel::Dynamic(Box::new(learner.fit(sample, run)?))
            }
            AnyLearner::MixtureOfExperts(learner) => {
                AnyModel::Mixture(Box::new(learner.fit(sample, run)?))
            }
            AnyLearner::MultiClass(learner) => AnyModel::Coded(Box::new(learner.fit(sample, run)?)),
            AnyLearner::Calibration(learner) => {
                AnyModel::Calibrated(Box::new(learner.fit(sample, run)?))
            }
            AnyLearner::Linear(learner) => AnyModel::Linear(learner.fit(sample, run)?),
            AnyLearner::NaiveBayes(learner) => AnyModel::NaiveBayes(learner.fit(sample, run)?),
            AnyLearner::NearestNeighbours(learner) => {
                AnyModel::Neighbours(Box::new(learner.fit(sample, run)?))
            }
        })
    }

    fn by_weighted_error(&self) -> Option<AnyLearner> {
        match self {
            AnyLearner::Stump(stump) => stump.by_weighted_error().map(AnyLearner::Stump),
            _ => None,
        }
    }

    fn prepare(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<()> {
        each_learner!(self, learner => learner.prepare(sample, run))
    }

    fn refits<'a>(
        &'a self,
        sample: &Sample<'a>,
        run: &Run<'_>,
    ) -> Result<Box<dyn Refit<AnyModel> + 'a>> {
        let refit = match self {
            AnyLearner::DecisionTree(learner) => learner.refits(sample, run)?,
            AnyLearner::Stump(learner) => learner.refits(sample, run)?,
            _ => return Ok(fit_anew(self, sample)),
        };
        Ok(Box::new(RefitTree { refit, sample: *sample }))
    }

    fn fit_pairs(
        &self,
        sample: &Sample<'_>,
        pairs: &Distribution,
        run: &Run<'_>,
    ) -> Result<AnyModel> {
        match self {
            AnyLearner::DecisionTree(learner) => {
                learner.fit_pairs(sample, pairs, run).map(AnyModel::Tree)
            }
            AnyLearner::Stump(learner) => learner.fit_pairs(sample, pairs, run).map(AnyModel::Tree),
            _ => self.fit(&sample.reweighted(&pairs.weights()), run),
        }
    }

    fn fit_with(
        &self,
        sample: &Sample<'_>,
        extras: &Extras<'_, AnyModel>,
        run: &Run<'_>,
    ) -> Result<AnyModel> {
        let (AnyLearner::GradientBoosting(learner), Some(_)) = (self, extras.given()) else {
            return match extras.given() {
                Some(extra) => Err(Error::NotTaken { extra }),
                None => self.fit(sample, run),
            };
        };
        let not_taken = Error::NotTaken { extra: "a model to go on from" };
        let continued = extras.continued.map(|model| model.additive().ok_or(not_taken));
        let continued = continued.transpose()?;
        let resumed = extras.resumed.map(additive_progress).transpose()?;
        let checkpoint = extras.checkpoint.map(OfAdditive);
        let extras = Extras {
            validation: extras.validation,
            continued,
            checkpoint: checkpoint.as_ref().map(|c| c as &dyn Checkpoint<AdditiveModel>),
            resumed: resumed.as_ref(),
            metric: extras.metric,
        };
        learner.fit_with(sample, &extras, run).map(AnyModel::Additive)
    }

    fn fit_with_out_of_bag(
        &self,
        sample: &Sample<'_>,
        run: &Run<'_>,
    ) -> Result<Option<(AnyModel, Scores)>> {
        match self {
            AnyLearner::RandomForest(learner) => {
                let fitted = learner.fit_with_out_of_bag(sample, run)?;
                Ok(fitted.map(|(model, honest)| (AnyModel::Forest(Box::new(model)), honest)))
            }
            AnyLearner::Bagging(learner) => {
                learner.check()?;
                let fitted = learner.fit_with_out_of_bag(sample, run)?;
                Ok(fitted.map(|(model, honest)| (AnyModel::Committee(model), honest)))
            }
            _ => Ok(None),
        }
    }
}

/// Keeps the state of boosting as that of any method.
struct OfAdditive<'a>(&'a dyn Checkpoint<AnyModel>);

impl Checkpoint<AdditiveModel> for OfAdditive<'_> {
    fn is_due(&self, n_rounds: usize) -> bool {
        self.0.is_due(n_rounds)
    }

    fn keep(&self, progress: Progress<AdditiveModel>) {
        let Progress { given, models, losses } = progress;
        let models = models.into_iter().map(AnyModel::Additive).collect();
        self.0.keep(Progress { given, models, losses });
    }
}

fn additive_progress(progress: &Progress<AnyModel>) -> Result<Progress<AdditiveModel>> {
    let additive = |model: &AnyModel| {
        model.additive().cloned().ok_or_else(|| Error::Checkpoint {
            differ: vec!["methods".into()],
            hint: "use the method that it was written by, or start again without it",
        })
    };
    Ok(Progress {
        given: progress.given.clone(),
        models: progress.models.iter().map(additive).collect::<Result<_>>()?,
        losses: progress.losses.clone(),
    })
}

/// A tree that is fitted again and again.
struct RefitTree<'a> {
    refit: Box<dyn Refit<TreeModel> + 'a>,
    sample: Sample<'a>,
}

impl Refit<AnyModel> for RefitTree<'_> {
    fn fit(&mut self, distribution: &Distribution, run: &Run<'_>) -> Result<AnyModel> {
        self.refit.fit(distribution, run).map(AnyModel::Tree)
    }

    fn classes(&self, model: &AnyModel) -> Result<Vec<u32>> {
        match model {
            AnyModel::Tree(tree) => self.refit.classes(tree),
            other => Ok(other.scores(self.sample.table)?.classes()),
        }
    }
}
