//! AdaBoost.MR (Schapire & Singer 1999, section 8): the right class is to rank above the others.
//!
//! The distribution is over pairs of a row's right class and one of its wrong ones; the ranking loss
//! is at most the product of the normalisers.

use super::algorithm::Algorithm;
use super::learner::AdaBoost;
use super::model::BoostedModel;
use super::rounds::{Facts, Rounds, exponential, log_odds};
use super::voice::Voice;
use crate::data::{Distribution, Sample};
use crate::error::Result;
use crate::learner::Learner;
use crate::run::Run;

pub(super) fn fit<L: Learner>(
    boost: &AdaBoost<L>,
    sample: &Sample<'_>,
    run: &Run<'_>,
) -> Result<BoostedModel<L::Model>> {
    let mut rounds = Rounds::new(boost, sample, run, (Algorithm::Mr, Voice::Confidences))?;
    let (codes, k) = (rounds.labels()?.codes(), rounds.labels()?.n_classes());
    let is_wrong = |i: usize, l0: usize| codes[i] as usize != l0;
    let shape = (sample.n_rows(), k);
    let mut d = Distribution::over_pairs(sample.weights, shape, is_wrong)?; // D_1(i, l0, l1)
    while let Some(speaker) = rounds.fit_pairs(&d)? {
        let said = speaker.answers.values(); // (1 + h(x_i, l)) / 2
        // (h(x_i, l1) - h(x_i, l0)) / 2, where l1 is the right class.
        let half_lead = |e: usize| said[e / k * k + codes[e / k] as usize] - said[e];
        let r = d.mean(half_lead);
        let error = 0.5 * (1.0 - r);
        let is_useful = r > 0.0;
        if !is_useful && !rounds.is_empty() {
            break;
        }
        // alpha_t = 1/2 ln((1 + r) / (1 - r))
        let log_odds = log_odds(rounds.error_above_zero(error));
        let alpha = rounds.coefficient(if is_useful { 0.5 * log_odds } else { 0.0 });
        // D *= exp(1/2 alpha (h(x_i, l0) - h(x_i, l1)))
        let z = d.reweight(|e| exponential(-alpha * half_lead(e)));
        let facts = Facts { error, edge: 0.5 - error, coefficient: alpha, normaliser: z };
        rounds.add_speakers(vec![speaker], facts);
        if error == 0.0 || !is_useful {
            break;
        }
    }
    rounds.finish()
}
