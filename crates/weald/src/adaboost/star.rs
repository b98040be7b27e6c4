//! AdaBoost* (Rätsch & Warmuth 2005, "Efficient margin maximizing with boosting").
//!
//! AdaBoost with a second term in its coefficient, by which the smallest margin comes within
//! `precision` of the largest that any weighting of the hypotheses has. To prefer where the margin
//! itself is the aim; on noisy data AdaBoost is as good or better.

use super::algorithm::Algorithm;
use super::learner::AdaBoost;
use super::model::BoostedModel;
use super::rounds::{Facts, Rounds, exponential};
use super::voice::Voice;
use crate::data::Sample;
use crate::error::Result;
use crate::learner::Learner;
use crate::run::Run;

pub(super) fn fit<L: Learner>(
    boost: &AdaBoost<L>,
    precision: f64,
    sample: &Sample<'_>,
    run: &Run<'_>,
) -> Result<BoostedModel<L::Model>> {
    let mut rounds = Rounds::new(boost, sample, run, (Algorithm::Star { precision }, Voice::Sign))?;
    let y = rounds.labels()?.codes();
    let mut d = rounds.distribution()?;
    let mut least_edge: f64 = 1.0;
    while let Some(h) = rounds.voter(&d, 0.5)? {
        let gamma = 1.0 - 2.0 * rounds.error_above_zero(h.error); // the edge of the hypothesis
        least_edge = least_edge.min(gamma);
        let rho = (least_edge - precision).max(-1.0 + precision); // what margin is aimed at
        // Half of ln((1 + gamma) / (1 - gamma)) - ln((1 + rho) / (1 - rho)).
        let alpha = match h.is_useful {
            true => rounds.coefficient(half_log_ratio(gamma) - half_log_ratio(rho)),
            false => 0.0,
        };
        let z = d.reweight(h.raise_wrong(y, exponential(2.0 * alpha)));
        let is_over = h.error == 0.0 || !h.is_useful;
        let facts = Facts {
            error: h.error,
            edge: 0.5 - h.error,
            coefficient: alpha,
            normaliser: z * exponential(-alpha),
        };
        rounds.add_voter(h, facts);
        if is_over {
            break;
        }
    }
    rounds.finish()
}

fn half_log_ratio(x: f64) -> f64 {
    0.5 * libm::log((1.0 + x) / (1.0 - x))
}
