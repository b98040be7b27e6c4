//! AdaBoost for two classes (Freund & Schapire 1997; figure 1 of Schapire & Singer 1999 with
//! members that say -1 or 1).
//!
//! Coefficients are those of the papers, `1/2 ln((1 - eps) / eps)`. Hastie, Tibshirani & Friedman
//! (Algorithm 10.1) leave the half out: the same classifier with twice the score.

use super::algorithm::Algorithm;
use super::learner::AdaBoost;
use super::model::BoostedModel;
use super::rounds::{Facts, Rounds, exponential, log_odds};
use super::voice::Voice;
use crate::data::Sample;
use crate::error::Result;
use crate::learner::Learner;
use crate::run::Run;

pub(super) fn fit<L: Learner>(
    boost: &AdaBoost<L>,
    sample: &Sample<'_>,
    run: &Run<'_>,
) -> Result<BoostedModel<L::Model>> {
    let mut rounds = Rounds::new(boost, sample, run, (Algorithm::Binary, Voice::Sign))?;
    let y = rounds.labels()?.codes();
    let mut d = rounds.distribution()?; // D_1(i) = 1 / m
    while let Some(h) = rounds.voter(&d, 0.5)? {
        let eps = rounds.error_above_zero(h.error);
        // Half of what SAMME has, to the last digit.
        let alpha = 0.5 * rounds.coefficient(if h.is_useful { log_odds(eps) } else { 0.0 });
        // D_{t+1}(i) = D_t(i) exp(-alpha y_i h(x_i)) / Z_t, all of them times exp(alpha).
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
    rounds.finish() // H(x) = sign(sum of alpha_t h_t(x))
}
