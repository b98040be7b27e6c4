//! AdaBoost.MH (Schapire & Singer 1999, section 6): one run over pairs of a row and a class.
//!
//! A pair is right if the member says of the row that it has the class, or that it has it not, as it
//! is. All classes share a round's member and coefficient, and the Hamming loss is at most the
//! product of the normalisers. A separate AdaBoost for each class is one-versus-rest, not this.

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
    let mut rounds = Rounds::new(boost, sample, run, (Algorithm::Mh, Voice::Confidences))?;
    let (codes, k) = (rounds.labels()?.codes(), rounds.labels()?.n_classes());
    let y = |e: usize| if codes[e / k] as usize == e % k { 1.0 } else { -1.0 }; // Y_i[l]
    let shape = (sample.n_rows(), k);
    let mut d = Distribution::over_pairs(sample.weights, shape, |_, _| true)?; // 1 / (m k)
    while let Some(speaker) = rounds.fit_pairs(&d)? {
        let h = |e: usize| 2.0 * speaker.answers.values()[e] - 1.0; // h(x_i, l)
        let r = d.mean(|e| y(e) * h(e));
        let error = 0.5 * (1.0 - r); // the Hamming loss under D, where h is -1 or 1
        let is_useful = r > 0.0;
        if !is_useful && !rounds.is_empty() {
            break;
        }
        // alpha_t = 1/2 ln((1 + r) / (1 - r))
        let log_odds = log_odds(rounds.error_above_zero(error));
        let alpha = rounds.coefficient(if is_useful { 0.5 * log_odds } else { 0.0 });
        let z = d.reweight(|e| exponential(-alpha * y(e) * h(e)));
        let facts = Facts { error, edge: 0.5 - error, coefficient: alpha, normaliser: z };
        rounds.add_speakers(vec![speaker], facts);
        if error == 0.0 || !is_useful {
            break;
        }
    }
    rounds.finish() // argmax over l of the sum of alpha_t h_t(x, l)
}
