//! SAMME (Zhu, Zou, Rosset & Hastie 2009, "Multi-class AdaBoost", Algorithm 2).
//!
//! AdaBoost for several classes that asks of members only to be better than chance. With two
//! classes it is AdaBoost with coefficients twice as large.

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
    let mut rounds = Rounds::new(boost, sample, run, (Algorithm::Samme, Voice::Vote))?;
    let y = rounds.labels()?.codes();
    let k = rounds.labels()?.n_classes().max(2) as f64;
    let chance = 1.0 - 1.0 / k;
    let mut w = rounds.distribution()?; // 1. w_i = 1 / n
    while let Some(h) = rounds.voter(&w, chance)? {
        let err = rounds.error_above_zero(h.error); // 2. (b)
        let alpha = match h.is_useful {
            true => rounds.coefficient(log_odds(err) + libm::log(k - 1.0)), // 2. (c)
            false => 0.0,
        };
        // 2. (d), (e)
        let z = w.reweight(h.raise_wrong(y, exponential(alpha)));
        let is_over = h.error == 0.0 || !h.is_useful;
        let facts = Facts {
            error: h.error,
            edge: chance - h.error,
            coefficient: alpha,
            normaliser: z * exponential(-alpha * (k - 1.0) / k),
        };
        rounds.add_voter(h, facts);
        if is_over {
            break;
        }
    }
    rounds.finish() // 3. argmax over k of the sum of alpha_m where T_m(x) = k
}
