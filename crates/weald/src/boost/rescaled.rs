//! Boosting along targets of extreme size: of usual size, with answers that are multiplied.

use super::additive::AdditiveModel;
use crate::data::{Rescaled, Sample, multiply, scaled};
use crate::error::{Error, Result};
use crate::learner::Extras;
use crate::loss::Loss;

/// A fit whose targets, and all that is compared with them, are divided by a power of two.
pub(super) struct OfUsualSize<'a, 'e> {
    sample: &'a Sample<'a>,
    extras: &'a Extras<'e, AdditiveModel>,
    usual: Rescaled,
    /// What power of the targets' unit the loss grows with.
    degree: i32,
}

impl<'a, 'e> OfUsualSize<'a, 'e> {
    /// `None` if targets are of usual size, or the loss depends on their unit.
    ///
    /// # Errors
    /// If something is given that knows of the targets as they are.
    pub fn of(
        loss: &dyn Loss,
        sample: &'a Sample<'a>,
        extras: &'a Extras<'e, AdditiveModel>,
    ) -> Result<Option<OfUsualSize<'a, 'e>>> {
        let Some(degree) = loss.degree() else { return Ok(None) };
        let Some(usual) = Rescaled::of(sample) else { return Ok(None) };
        let given = [
            (extras.continued.is_some(), "a model to go on from"),
            (extras.checkpoint.is_some() || extras.resumed.is_some(), "a checkpoint"),
            (extras.metric.is_some(), "a metric of your own"),
        ];
        match given.into_iter().find(|(is_given, _)| *is_given) {
            Some((_, what)) => Err(Error::ExtremeTarget { exponent: usual.exponent, what }),
            None => Ok(Some(OfUsualSize { sample, extras, usual, degree })),
        }
    }

    /// What a split must gain, where targets are of usual size: gains of squared losses are squares, those
    /// of others have no unit.
    pub fn min_gain(&self, given: f64) -> f64 {
        match self.degree {
            2 => libm::ldexp(given, -2 * self.usual.exponent).min(f64::MAX),
            _ => given,
        }
    }

    /// What a fit to targets of usual size becomes.
    pub fn fit(
        self,
        fit: impl FnOnce(&Sample<'_>, &Extras<'_, AdditiveModel>) -> Result<AdditiveModel>,
    ) -> Result<AdditiveModel> {
        let OfUsualSize { sample, extras, usual: Rescaled { target, exponent }, degree } = self;
        let offset = |scores: &[f64]| {
            let mut scores = scores.to_vec();
            multiply(&mut scores, -exponent);
            scores
        };
        let own = sample.offset.map(offset);
        let held_out = extras.validation;
        let of_held_out = held_out.and_then(|held_out| held_out.offset).map(offset);
        let its_target = held_out.and_then(|held_out| scaled(held_out.target, -exponent));
        let validation = (held_out.zip(its_target.as_ref())).map(|(held_out, target)| Sample {
            target,
            offset: of_held_out.as_deref(),
            ..held_out
        });
        let extras = Extras { validation, ..Extras::default() };
        let mut model =
            fit(&Sample { target: &target, offset: own.as_deref(), ..*sample }, &extras)?;
        model.multiply(exponent, degree * exponent);
        Ok(model)
    }
}
