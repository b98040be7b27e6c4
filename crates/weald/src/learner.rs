//! A learner is a value; fitting changes nothing and returns a model.

use std::collections::BTreeMap;

use crate::data::{Distribution, Rescaled, Sample, Table, Weights};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::run::Run;
use crate::scores::Scores;

/// A method with its hyper-parameters.
pub trait Learner: Send + Sync {
    /// What fitting returns.
    type Model: Model;

    /// Learns from a sample.
    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<Self::Model>;

    /// Does what the members of a committee of this learner need do but once: tells of suspicious
    /// input, and computes the bins that they share.
    fn prepare(&self, _: &Sample<'_>, _: &Run<'_>) -> Result<()> {
        Ok(())
    }

    /// What fits the same rows again and again under other weights, as boosting does. A learner that
    /// can keep something from one fit to the next has its own.
    fn refits<'a>(
        &'a self,
        sample: &Sample<'a>,
        _: &Run<'_>,
    ) -> Result<Box<dyn Refit<Self::Model> + 'a>>
    where
        Self: Sized,
    {
        Ok(fit_anew(self, sample))
    }

    /// The same learner as the weak learner of a committee whose theory is about the weight of the rows
    /// that a member classifies wrongly: by that very weight, if it would judge by something else only
    /// because nothing was said. `None` of all others.
    fn by_weighted_error(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// Learns which classes a row may have, where each pair of a row and a class has a weight. The
    /// model has a number between 0 and 1 for each class. A learner that has no use for the weight
    /// of pairs is given those of rows.
    fn fit_pairs(
        &self,
        sample: &Sample<'_>,
        pairs: &Distribution,
        run: &Run<'_>,
    ) -> Result<Self::Model> {
        self.fit(&sample.reweighted(&pairs.weights()), run)
    }

    /// Learns from a sample and what else is given. A method refuses what it has no use for.
    fn fit_with(
        &self,
        sample: &Sample<'_>,
        extras: &Extras<'_, Self::Model>,
        run: &Run<'_>,
    ) -> Result<Self::Model> {
        match extras.given() {
            Some(extra) => Err(Error::NotTaken { extra }),
            None => self.fit(sample, run),
        }
    }

    /// The model, and what is said of each row by the members that have not seen it: `NaN` where all
    /// have. `None`, and nothing is fitted, by a method that leaves no rows out of its members' bags.
    fn fit_with_out_of_bag(
        &self,
        _: &Sample<'_>,
        _: &Run<'_>,
    ) -> Result<Option<(Self::Model, Scores)>> {
        Ok(None)
    }
}

/// A model whose answers can be multiplied.
pub trait Scalable {
    /// Multiplies all that it predicts by a power of two.
    fn multiply(&mut self, exponent: i32);
}

/// Fits to targets of usual size, if those of the sample are extremely large or small, and multiplies
/// the model's answers: for a method whose answers grow with its targets.
pub fn at_usual_size<M: Scalable>(
    sample: &Sample<'_>,
    fit: impl FnOnce(&Sample<'_>) -> Result<M>,
) -> Result<M> {
    match Rescaled::of(sample) {
        None => fit(sample),
        Some(Rescaled { target, exponent }) => {
            let mut model = fit(&Sample { target: &target, ..*sample })?;
            model.multiply(exponent);
            Ok(model)
        }
    }
}

/// Fits the same rows again and again under other weights.
pub trait Refit<M> {
    /// The model of the rows under such a distribution.
    fn fit(&mut self, distribution: &Distribution, run: &Run<'_>) -> Result<M>;

    /// The class that a model says of each row.
    fn classes(&self, model: &M) -> Result<Vec<u32>>;
}

/// What a model of a committee's base says of a table.
pub(crate) fn answers_of_base(model: &impl Model, table: &Table) -> Result<Scores> {
    model.scores(table).map_err(|error| error.of_answers(|| "a model of the base".into()))
}

/// What fits anew each time.
pub fn fit_anew<'a, L: Learner>(
    learner: &'a L,
    sample: &Sample<'a>,
) -> Box<dyn Refit<L::Model> + 'a> {
    Box::new(Anew { learner, sample: *sample })
}

struct Anew<'a, L> {
    learner: &'a L,
    sample: Sample<'a>,
}

impl<L: Learner> Refit<L::Model> for Anew<'_, L> {
    fn fit(&mut self, distribution: &Distribution, run: &Run<'_>) -> Result<L::Model> {
        self.learner.fit(&self.sample.reweighted(&distribution.weights()), run)
    }

    fn classes(&self, model: &L::Model) -> Result<Vec<u32>> {
        Ok(answers_of_base(model, self.sample.table)?.classes())
    }
}

/// What a fit may be given besides its sample.
pub struct Extras<'a, M> {
    /// Rows to stop early by, instead of a share of the sample's.
    pub validation: Option<Sample<'a>>,
    /// A model to go on from.
    pub continued: Option<&'a M>,
    /// Who keeps the state of the fit now and then.
    pub checkpoint: Option<&'a dyn Checkpoint<M>>,
    /// The state of the same fit, broken off earlier: it goes on from there and ends with the same
    /// model, to the byte.
    pub resumed: Option<&'a Progress<M>>,
    /// What held-out rows are judged by, instead of the loss.
    pub metric: Option<&'a dyn HeldOutMetric>,
}

/// Judges predictions of rows that were not trained on: a metric of the user's own.
pub trait HeldOutMetric: Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// How bad the predictions are; the lower, the better. Where rows are held out in folds, the
    /// mean over the folds decides.
    fn measure(&self, rows: &HeldOutRows<'_>) -> f64;
}

/// Rows that were not trained on, and what is predicted of them.
#[derive(Debug, Clone, Copy)]
pub struct HeldOutRows<'a> {
    /// Their targets; a class as its code.
    pub targets: &'a [f64],
    /// Their predictions, as many numbers a row as the model's output has.
    pub predictions: &'a [f64],
    /// Their weights; none is 0. A row that stands there several times is given as often.
    pub weights: &'a Weights,
}

/// Keeps the state of a long fit.
pub trait Checkpoint<M>: Sync {
    /// Whether to keep the state now that so many rounds are done; asked before each round.
    fn is_due(&self, n_rounds: usize) -> bool;

    /// Keeps the state.
    fn keep(&self, progress: Progress<M>);
}

/// How far a fit has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress<M> {
    /// What the fit was given, by name: `resumed` must belong to the same.
    pub given: BTreeMap<String, String>,
    /// The models so far: one, or one for each fold of a cross-validation that comes first.
    pub models: Vec<M>,
    /// Held-out losses so far, from that of the start on.
    pub losses: Vec<f64>,
}

impl<M> Default for Extras<'_, M> {
    fn default() -> Self {
        Extras { validation: None, continued: None, checkpoint: None, resumed: None, metric: None }
    }
}

impl<M> Extras<'_, M> {
    /// The first part that was given, by name.
    pub fn given(&self) -> Option<&'static str> {
        let parts = [
            ("validation rows", self.validation.is_some()),
            ("a model to go on from", self.continued.is_some()),
            ("a checkpoint", self.checkpoint.is_some() || self.resumed.is_some()),
            ("a metric", self.metric.is_some()),
        ];
        parts.iter().find(|(_, given)| *given).map(|(name, _)| *name)
    }
}
