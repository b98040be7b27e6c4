//! What a fit is done by: a method of weald, alone or with a part that is Python's.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::prelude::*;
use weald::adaboost::AdaBoost;
use weald::any::{AnyLearner, AnyModel, TargetField, Trained};
use weald::bag::Bagging;
use weald::boost::{GradientBoosting, Start};
use weald::data::{Sample, Task};
use weald::ensemble::OutOfBag;
use weald::learner::{Extras, Learner as _};
use weald::run::Run;

use crate::committee::{Committee, Members};
use crate::errors::WealdError;
use crate::foreign::{Base, ForeignLearner};
use crate::loss::PythonLoss;
use crate::model::Kept;
use crate::raised::Raised;

/// A method, and who does its parts.
pub enum Learner {
    /// weald does all.
    Own(Box<AnyLearner>),
    /// Boosting along a loss that is Python's.
    AlongLoss(Box<GradientBoosting>, PythonLoss),
    /// A committee of members that are Python's.
    OfBase(Bagging<ForeignLearner>, Arc<Base>),
    /// Members that are Python's one after the other.
    Boosted(AdaBoost<ForeignLearner>, Arc<Base>),
}

/// What it finds.
pub enum Found {
    /// A model of weald.
    Model(AnyModel),
    /// Members that are Python's.
    Members(Members),
}

/// Where a model comes from.
pub struct Origin {
    /// The method.
    pub method: String,
    /// Its parameters, as text.
    pub parameters: BTreeMap<String, String>,
    /// The seed.
    pub seed: u64,
    /// The name of the target.
    pub target: String,
    /// Rows that were trained on.
    pub n_rows: u64,
}

impl Learner {
    /// The method with the parts that are given.
    pub fn new(
        method: &AnyLearner,
        base: Option<&Bound<'_, PyAny>>,
        loss: Option<&Bound<'_, PyAny>>,
        task: Task,
        failure: &Arc<Raised>,
    ) -> PyResult<Learner> {
        match (method, base, loss) {
            (_, None, None) => Ok(Learner::Own(Box::new(method.clone()))),
            (AnyLearner::GradientBoosting(boosting), None, Some(loss)) => {
                let loss = PythonLoss::new(loss, task, failure.clone())?;
                Ok(Learner::AlongLoss(Box::new(boosting.clone()), loss))
            }
            (AnyLearner::AdaBoost(boost), Some(base), None) => {
                let (learner, shared) = foreign(base, failure)?;
                let boost = AdaBoost {
                    base: learner,
                    n_rounds: boost.n_rounds,
                    algorithm: boost.algorithm,
                    learning_rate: boost.learning_rate,
                    resampling: boost.resampling,
                    max_tries: boost.max_tries,
                };
                Ok(Learner::Boosted(boost, shared))
            }
            (AnyLearner::Bagging(bagging), Some(base), None) => {
                let (learner, shared) = foreign(base, failure)?;
                let bagging = Bagging {
                    base: learner,
                    n_members: bagging.n_members,
                    resampling: bagging.resampling,
                    sample_share: bagging.sample_share,
                    feature_share: bagging.feature_share,
                    combine: bagging.combine,
                    patience: bagging.patience,
                };
                Ok(Learner::OfBase(bagging, shared))
            }
            _ => Err(WealdError::new_err("the method has no use for a base or a loss in Python")),
        }
    }

    /// Fits it; with what members say of rows that they have not seen, if that is asked for.
    pub fn fit(
        &self,
        sample: &Sample<'_>,
        extras: &Extras<'_, AnyModel>,
        out_of_bag: bool,
        run: &Run<'_>,
    ) -> weald::Result<(Found, Option<OutOfBag>)> {
        let own = |(model, honest)| (Found::Model(model), honest);
        match self {
            Learner::Own(method) if out_of_bag => fit_out_of_bag(method, sample, run).map(own),
            Learner::Own(method) => method.fit_with(sample, extras, run).map(|m| own((m, None))),
            Learner::AlongLoss(boosting, loss) => {
                fit_loss(boosting, loss, sample, extras, run).map(|model| own((model, None)))
            }
            Learner::OfBase(bagging, _) => {
                let (members, honest) = bagging.fit_out_of_bag(sample, run)?;
                let members = Members::Committee(members);
                Ok((Found::Members(members), honest.filter(|_| out_of_bag)))
            }
            Learner::Boosted(boost, _) => {
                let members = Members::Boosted(boost.fit(sample, run)?);
                Ok((Found::Members(members), None))
            }
        }
    }

    /// What was found, as a model keeps it.
    pub fn kept(self, py: Python<'_>, found: Found, origin: Origin) -> PyResult<Kept> {
        let Origin { method, mut parameters, seed, target, n_rows } = origin;
        if let Learner::AlongLoss(..) = self {
            parameters.insert("loss".into(), "custom".into());
        }
        let target = TargetField { name: target };
        let trained = |model: AnyModel, parameters: BTreeMap<String, String>| {
            let metrics = Vec::new();
            Trained { model, method, parameters, seed, target, metrics, n_rows }
        };
        match (found, self) {
            (Found::Members(members), Learner::OfBase(_, base) | Learner::Boosted(_, base)) => {
                parameters.retain(|name, _| !name.starts_with("base"));
                parameters.insert("base".into(), base.object.getattr(py, "name")?.extract(py)?);
                let shell = trained(members.shell(), parameters);
                Ok(Kept::Committee(Box::new(Committee { members, base, shell })))
            }
            (Found::Model(model), _) => Ok(Kept::Trained(Arc::new(trained(model, parameters)))),
            (Found::Members(_), _) => {
                Err(WealdError::new_err("there is no base to ask members by"))
            }
        }
    }
}

/// A learner that asks a base in Python.
fn foreign(
    base: &Bound<'_, PyAny>,
    failure: &Arc<Raised>,
) -> PyResult<(ForeignLearner, Arc<Base>)> {
    let (object, raised) = (base.clone().unbind(), failure.clone());
    let shared = Arc::new(Base { object, raised });
    Ok((ForeignLearner::new(base.py(), shared.clone())?, shared))
}

/// Boosts along a loss that is Python's. With an offset that is where the scores start: the best
/// constant besides it would be sought row by row.
fn fit_loss(
    boosting: &GradientBoosting,
    loss: &PythonLoss,
    sample: &Sample<'_>,
    extras: &Extras<'_, AnyModel>,
    run: &Run<'_>,
) -> weald::Result<AnyModel> {
    let start = if extras.offset.is_some() { Start::Zero } else { boosting.start };
    let continued = match extras.continued {
        Some(AnyModel::Additive(model)) => Some(model),
        Some(_) => {
            let told = "it was not made by gradient boosting";
            return Err(weald::Error::Continued(told.into()));
        }
        None => None,
    };
    let extras = Extras {
        groups: extras.groups,
        offset: extras.offset,
        validation: extras.validation,
        metric: extras.metric,
        continued,
        ..Extras::default()
    };
    let boosting = GradientBoosting { start, ..boosting.clone() };
    boosting.fit_loss(loss, sample, &extras, run).map(AnyModel::Additive)
}

/// A fit with what members say of rows that they have not seen.
fn fit_out_of_bag(
    learner: &AnyLearner,
    sample: &Sample<'_>,
    run: &Run<'_>,
) -> weald::Result<(AnyModel, Option<OutOfBag>)> {
    match learner {
        AnyLearner::RandomForest(forest) => {
            let (model, honest) = forest.fit_out_of_bag(sample, run)?;
            Ok((AnyModel::Forest(Box::new(model)), honest))
        }
        AnyLearner::Bagging(bagging) => {
            let (model, honest) = bagging.fit_out_of_bag(sample, run)?;
            Ok((AnyModel::Committee(model), honest))
        }
        AnyLearner::Constant(_)
        | AnyLearner::GradientBoosting(_)
        | AnyLearner::DecisionTree(_)
        | AnyLearner::Stump(_)
        | AnyLearner::AdaBoost(_)
        | AnyLearner::IsolationForest(_)
        | AnyLearner::DensityForest(_)
        | AnyLearner::Linear(_)
        | AnyLearner::NaiveBayes(_)
        | AnyLearner::NearestNeighbours(_) => learner.fit(sample, run).map(|model| (model, None)),
    }
}
