//! What a fit is done by: a method of weald, alone or with parts that are Python's.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::prelude::*;
use weald::adaboost::AdaBoost;
use weald::any::{AnyLearner, AnyModel, TargetField, Trained};
use weald::bag::Bagging;
use weald::boost::{GradientBoosting, Start};
use weald::combine::{
    Calibration, DynamicSelection, MixtureOfExperts, MultiClass, Stacking, Voting,
    WeightedCommittee,
};
use weald::data::{Sample, Task};
use weald::ensemble::{Named, OutOfBag};
use weald::learner::{Extras, Learner as _};
use weald::run::Run;

use crate::committee::{Committee, Members};
use crate::errors::WealdError;
use crate::foreign::{Base, ForeignLearner};
use crate::loss::PythonLoss;
use crate::model::Kept;
use crate::part::Part;
use crate::raised::Raised;

/// A method, and who does its parts.
pub enum Learner {
    /// weald does all.
    Own(Box<AnyLearner>),
    /// Boosting along a loss that is Python's.
    AlongLoss(Box<GradientBoosting>, PythonLoss),
    /// Members some of which are Python's: by whom they are fitted, their names as parameters have
    /// them, each with what it is called, and what Python raises.
    OfParts(Box<OfParts>, Vec<(String, String)>, Arc<Raised>),
}

/// A method whose members may be Python's.
pub enum OfParts {
    /// Members that answer together.
    Bagging(Bagging<Part>),
    /// Members that speak in turn.
    AdaBoost(AdaBoost<Part>),
    /// Members of several kinds.
    Voting(Voting<Part>),
    /// Members of several kinds, with weights that are learned.
    Weighted(WeightedCommittee<Part>),
    /// Members of several kinds, and what learns from them.
    Stacking(Stacking<Part>),
    /// Members of several kinds, of which those answer that are right nearby.
    DynamicSelection(DynamicSelection<Part>),
    /// Members and a gate.
    MixtureOfExperts(MixtureOfExperts<Part>),
    /// Members that tell two classes apart.
    MultiClass(MultiClass<Part>),
    /// One member, whose probabilities are put right.
    Calibration(Calibration<Part>),
}

/// Parts that are Python's, by the names that parameters have for them.
pub type Bases<'py> = Vec<(String, Bound<'py, PyAny>)>;

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
        bases: &Bases<'_>,
        loss: Option<&Bound<'_, PyAny>>,
        task: Task,
        failure: &Arc<Raised>,
    ) -> PyResult<Learner> {
        let parts = Parts { bases, failure };
        let of_parts = match (method, loss) {
            (_, None) if bases.is_empty() => return Ok(Learner::Own(Box::new(method.clone()))),
            (AnyLearner::GradientBoosting(boosting), Some(loss)) if bases.is_empty() => {
                let loss = PythonLoss::new(loss, task, failure.clone())?;
                return Ok(Learner::AlongLoss(Box::new(boosting.clone()), loss));
            }
            (AnyLearner::AdaBoost(boost), None) => OfParts::AdaBoost(AdaBoost {
                base: parts.part("base", &boost.base)?,
                n_rounds: boost.n_rounds,
                algorithm: boost.algorithm,
                learning_rate: boost.learning_rate,
                resampling: boost.resampling,
                max_tries: boost.max_tries,
            }),
            (AnyLearner::Bagging(bagging), None) => OfParts::Bagging(Bagging {
                base: parts.part("base", &bagging.base)?,
                n_members: bagging.n_members,
                resampling: bagging.resampling,
                sample_share: bagging.sample_share,
                feature_share: bagging.feature_share,
                combine: bagging.combine,
                patience: bagging.patience,
            }),
            (AnyLearner::MultiClass(learner), None) => OfParts::MultiClass(MultiClass {
                base: parts.part("base", &learner.base)?,
                scheme: learner.scheme,
            }),
            (AnyLearner::Calibration(learner), None) => OfParts::Calibration(Calibration {
                base: parts.part("base", &learner.base)?,
                map: learner.map,
                held_out: learner.held_out,
            }),
            (AnyLearner::Voting(learner), None) => OfParts::Voting(Voting {
                members: parts.members(&learner.members)?,
                combine: learner.combine,
                weights: learner.weights.clone(),
            }),
            (AnyLearner::Weighted(learner), None) => OfParts::Weighted(WeightedCommittee {
                members: parts.members(&learner.members)?,
                weighing: learner.weighing,
                held_out: learner.held_out,
                prior: learner.prior.clone(),
            }),
            (AnyLearner::Stacking(learner), None) => OfParts::Stacking(Stacking {
                members: parts.members(&learner.members)?,
                last: parts.part("last", &learner.last)?,
                held_out: learner.held_out,
                pass_through: learner.pass_through,
            }),
            (AnyLearner::DynamicSelection(learner), None) => {
                OfParts::DynamicSelection(DynamicSelection {
                    members: parts.members(&learner.members)?,
                    rule: learner.rule,
                    k: learner.k,
                    held_out: learner.held_out,
                })
            }
            (AnyLearner::MixtureOfExperts(learner), None) => {
                OfParts::MixtureOfExperts(MixtureOfExperts {
                    base: parts.part("base", &learner.base)?,
                    n_experts: learner.n_experts,
                    n_rounds: learner.n_rounds,
                    tolerance: learner.tolerance,
                    gate_l2: learner.gate_l2,
                    n_starts: learner.n_starts,
                })
            }
            _ => {
                let told = "the method has no use for members or a loss in Python";
                return Err(WealdError::new_err(told));
            }
        };
        let called = |(name, base): &(String, Bound<'_, PyAny>)| {
            Ok((name.clone(), base.getattr("name")?.extract()?))
        };
        let names = bases.iter().map(called).collect::<PyResult<_>>()?;
        Ok(Learner::OfParts(Box::new(of_parts), names, failure.clone()))
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
            Learner::OfParts(learner, ..) => learner.fit(sample, out_of_bag, run),
        }
    }

    /// What was found, as a model keeps it.
    pub fn kept(self, found: Found, origin: Origin) -> PyResult<Kept> {
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
            (Found::Members(members), Learner::OfParts(_, names, raised)) => {
                names.iter().for_each(|(name, called)| rename(&mut parameters, name, called));
                match members.shell() {
                    Some(shell) => {
                        let shell = trained(shell, parameters);
                        Ok(Kept::Committee(Box::new(Committee { members, raised, shell })))
                    }
                    None => Err(WealdError::new_err("its members make no model")),
                }
            }
            (Found::Model(model), _) => Ok(Kept::Trained(Arc::new(trained(model, parameters)))),
            (Found::Members(_), _) => {
                Err(WealdError::new_err("there is nothing to ask members by"))
            }
        }
    }
}

/// Names a part that is Python's in the parameters of a model, and drops those that a method of
/// weald in its place would have had.
fn rename(parameters: &mut BTreeMap<String, String>, part: &str, called: &str) {
    let own = format!("{part}.");
    parameters.retain(|name, _| !name.starts_with(&own));
    match parameters.get_mut(part) {
        Some(value) => *value = called.into(),
        None => {
            // Parts come in the order of the members that constants stand for.
            let Some(list) = parameters.get_mut("members") else { return };
            let mut members: Vec<&str> = list.split(',').collect();
            if let Some(member) = members.iter_mut().find(|member| **member == "constant") {
                *member = called;
            }
            *list = members.join(",");
        }
    }
}

impl OfParts {
    /// Fits it.
    fn fit(
        &self,
        sample: &Sample<'_>,
        out_of_bag: bool,
        run: &Run<'_>,
    ) -> weald::Result<(Found, Option<OutOfBag>)> {
        let members = match self {
            OfParts::Bagging(learner) => {
                let (members, honest) = learner.fit_out_of_bag(sample, run)?;
                let members = Found::Members(Members::Committee(members));
                return Ok((members, honest.filter(|_| out_of_bag)));
            }
            OfParts::AdaBoost(learner) => Members::Boosted(learner.fit(sample, run)?),
            OfParts::Voting(learner) => Members::Committee(learner.fit(sample, run)?),
            OfParts::Weighted(learner) => Members::Committee(learner.fit(sample, run)?),
            OfParts::Stacking(learner) => Members::Stacked(learner.fit(sample, run)?),
            OfParts::DynamicSelection(learner) => Members::Dynamic(learner.fit(sample, run)?),
            OfParts::MixtureOfExperts(learner) => Members::Mixture(learner.fit(sample, run)?),
            OfParts::MultiClass(learner) => Members::Coded(learner.fit(sample, run)?),
            OfParts::Calibration(learner) => Members::Calibrated(learner.fit(sample, run)?),
        };
        Ok((Found::Members(members), None))
    }
}

/// Who does the parts of a method.
struct Parts<'a, 'py> {
    bases: &'a Bases<'py>,
    failure: &'a Arc<Raised>,
}

impl Parts<'_, '_> {
    /// Python's part of this name, if there is one, else weald's.
    fn part(&self, name: &str, own: &AnyLearner) -> PyResult<Part> {
        let Some((_, base)) = self.bases.iter().find(|(base, _)| base == name) else {
            return Ok(Part::Own(Box::new(own.clone())));
        };
        let (object, raised) = (base.clone().unbind(), self.failure.clone());
        let learner = ForeignLearner::new(base.py(), Arc::new(Base { object, raised }))?;
        Ok(Part::Foreign(learner))
    }

    fn members(&self, members: &[Named<AnyLearner>]) -> PyResult<Vec<Named<Part>>> {
        let named = |member: &Named<AnyLearner>| {
            Ok(Named::new(&member.name, self.part(&member.name, &member.learner)?))
        };
        members.iter().map(named).collect()
    }
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
    let start = if sample.offset.is_some() { Start::Zero } else { boosting.start };
    let told = || weald::Error::Continued("it was not made by gradient boosting".into());
    let continued = extras.continued.map(|model| model.additive().ok_or_else(told)).transpose()?;
    let extras = Extras {
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
        _ => learner.fit(sample, run).map(|model| (model, None)),
    }
}
