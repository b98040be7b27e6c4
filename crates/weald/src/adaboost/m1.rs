//! AdaBoost.M1 (Freund & Schapire 1997, figure 2): several classes, members that say one of them.
//!
//! The simplest extension, and a demanding one: with many classes weak members are wrong more often
//! than right, and boosting ends. SAMME asks less of them.

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
    let mut rounds = Rounds::new(boost, sample, run, (Algorithm::M1, Voice::Vote))?;
    let y = rounds.labels()?.codes();
    let mut d = rounds.distribution()?; // 1. D_1(i) = 1 / m
    while let Some(h) = rounds.voter(&d, 0.5)? {
        let eps = rounds.error_above_zero(h.error); // 3.
        // 4. beta = eps / (1 - eps); the logarithm of its inverse is what the member's vote weighs.
        let say = rounds.coefficient(if h.is_useful { log_odds(eps) } else { 0.0 });
        // 5. Right rows are multiplied by beta; here wrong ones by its inverse. By the root of beta
        // the normaliser is that of the bound: 2 sqrt(eps (1 - eps)).
        let z = d.reweight(h.raise_wrong(y, exponential(say)));
        let is_over = h.error == 0.0 || !h.is_useful;
        let facts = Facts {
            error: h.error,
            edge: 0.5 - h.error,
            coefficient: say,
            normaliser: z * exponential(-0.5 * say),
        };
        rounds.add_voter(h, facts);
        if is_over {
            break;
        }
    }
    rounds.finish() // argmax over y of the sum of ln(1 / beta_t) where h_t(x) = y
}
