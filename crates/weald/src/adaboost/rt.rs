//! AdaBoost.RT (Solomatine & Shrestha 2004): regression with a threshold on the relative error.
//!
//! A row is wrong if it is off by more than a share of its own value; right rows get lighter. The
//! members' mean is taken, by the logarithm of their error rates. Targets near 0 are off by any
//! share: prefer R2 for them.

use super::algorithm::Algorithm;
use super::learner::AdaBoost;
use super::model::BoostedModel;
use super::rounds::{Facts, Rounds, exponential};
use super::voice::Voice;
use crate::data::Sample;
use crate::error::Result;
use crate::learner::Learner;
use crate::run::Run;
use crate::scores::Scores;

pub(super) fn fit<L: Learner>(
    boost: &AdaBoost<L>,
    (threshold, power): (f64, u8),
    sample: &Sample<'_>,
    run: &Run<'_>,
) -> Result<BoostedModel<L::Model>> {
    let mut rounds =
        Rounds::new(boost, sample, run, (Algorithm::Rt { threshold, power }, Voice::Mean))?;
    let y = rounds.numbers()?;
    let is_wrong = |h: &Scores, i: usize| (h.values()[i] - y[i]).abs() > threshold * y[i].abs();
    let mut d = rounds.distribution()?; // D_1(i) = 1 / m
    loop {
        let judge = |h: &Scores| {
            let eps = d.share(|i| is_wrong(h, i));
            (eps, eps < 1.0)
        };
        let Some((speaker, eps)) = rounds.speaker(&d, judge)? else { break };
        let above_zero = rounds.error_above_zero(eps);
        let beta = libm::pow(above_zero, f64::from(power)); // beta_t = eps^n
        let say = rounds.coefficient(if eps < 1.0 { libm::log(1.0 / beta) } else { 0.0 });
        // D_{t+1}(i) = D_t(i) beta_t / Z_t where the row is right; here wrong rows by its inverse.
        let z = d.reweight(|i| if is_wrong(&speaker.answers, i) { exponential(say) } else { 1.0 });
        let z = z * exponential(-say);
        let facts = Facts { error: eps, edge: 1.0 - eps, coefficient: say, normaliser: z };
        rounds.add_speakers(vec![speaker], facts);
        if eps == 0.0 || eps == 1.0 {
            break;
        }
    }
    rounds.finish() // the mean, weighted by ln(1 / beta_t)
}
