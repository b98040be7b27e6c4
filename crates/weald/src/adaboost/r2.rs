//! AdaBoost.R2 (Drucker 1997, "Improving regressors using boosting techniques").
//!
//! Rows that are predicted badly get heavier, by how far off they are as a share of the farthest.
//! The prediction is the weighted median of the members.

use super::algorithm::{Algorithm, RegressionLoss};
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
    loss: RegressionLoss,
    sample: &Sample<'_>,
    run: &Run<'_>,
) -> Result<BoostedModel<L::Model>> {
    let mut rounds = Rounds::new(boost, sample, run, (Algorithm::R2 { loss }, Voice::Median))?;
    let y = rounds.numbers()?;
    let mut w = rounds.distribution()?; // w_i = 1
    loop {
        let judge = |h: &Scores| {
            let losses = losses(loss, h.values(), y, w.units()); // 4. L_i
            let mean = w.mean(|i| losses[i]); // 5. the average loss
            ((losses, mean), mean < 0.5)
        };
        let Some((speaker, (losses, mean))) = rounds.speaker(&w, judge)? else { break }; // 1. to 3.
        let is_useful = mean < 0.5;
        let above_zero = rounds.error_above_zero(mean);
        let beta = above_zero / (1.0 - above_zero); // 6.
        let say = rounds.coefficient(if is_useful { libm::log(1.0 / beta) } else { 0.0 });
        let z = w.reweight(|i| exponential(-say * (1.0 - losses[i]))); // 7. w_i beta^(1 - L_i)
        let facts = Facts { error: mean, edge: 0.5 - mean, coefficient: say, normaliser: z };
        rounds.add_speakers(vec![speaker], facts);
        if mean == 0.0 || !is_useful {
            break;
        }
    }
    rounds.finish() // 8. the weighted median, by ln(1 / beta_t)
}

/// How far off each row is, as a share of the farthest that counts.
fn losses(loss: RegressionLoss, h: &[f64], y: &[f64], units: &[u64]) -> Vec<f64> {
    let off = |i: usize| if units[i] > 0 { (h[i] - y[i]).abs() } else { 0.0 };
    let farthest = (0..y.len()).map(off).fold(0.0, f64::max);
    if farthest == 0.0 {
        return vec![0.0; y.len()];
    }
    let of_share = |share: f64| match loss {
        RegressionLoss::Linear => share,
        RegressionLoss::Square => share * share,
        RegressionLoss::Exponential => 1.0 - libm::exp(-share),
    };
    (0..y.len()).map(|i| of_share(off(i) / farthest)).collect()
}
