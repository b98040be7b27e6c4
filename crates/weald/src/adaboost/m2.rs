//! AdaBoost.M2 (Freund & Schapire 1997, figure 4): members say how plausible each class is.
//!
//! The distribution is over mislabels: a row and one of its wrong classes. A member's pseudo-loss
//! is what it does not tell apart there, so that it may say several classes and still be of use. It
//! is not one-versus-one.

use super::algorithm::Algorithm;
use super::learner::AdaBoost;
use super::model::BoostedModel;
use super::rounds::{Facts, Rounds, exponential};
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
    let mut rounds = Rounds::new(boost, sample, run, (Algorithm::M2, Voice::Plausibilities))?;
    let (codes, k) = (rounds.labels()?.codes(), rounds.labels()?.n_classes());
    let is_mislabel = |i: usize, y: usize| codes[i] as usize != y;
    let shape = (sample.n_rows(), k);
    let mut d = Distribution::over_pairs(sample.weights, shape, is_mislabel)?; // D_1(i, y)
    while let Some(speaker) = rounds.fit_pairs(&d)? {
        let h = speaker.answers.values(); // h(x_i, y)
        let lead = |e: usize| h[e / k * k + codes[e / k] as usize] - h[e]; // h(x_i, y_i) - h(x_i, y)
        let eps = d.mean(|e| 0.5 * (1.0 - lead(e))); // the pseudo-loss
        let is_useful = eps < 0.5;
        if !is_useful && !rounds.is_empty() {
            break;
        }
        let above_zero = rounds.error_above_zero(eps);
        let beta = above_zero / (1.0 - above_zero);
        let say = rounds.coefficient(if is_useful { libm::log(1.0 / beta) } else { 0.0 });
        // D_{t+1}(i, y) = D_t(i, y) beta^((1 + h(x_i, y_i) - h(x_i, y)) / 2) / Z_t
        let z = d.reweight(|e| exponential(-0.5 * say * lead(e)));
        let facts = Facts { error: eps, edge: 0.5 - eps, coefficient: say, normaliser: z };
        rounds.add_speakers(vec![speaker], facts);
        if eps == 0.0 || !is_useful {
            break;
        }
    }
    rounds.finish() // argmax over y of the sum of ln(1 / beta_t) h_t(x, y)
}
