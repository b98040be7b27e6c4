//! Real AdaBoost (Friedman, Hastie & Tibshirani 2000, Algorithm 2), and its form for several classes
//! (SAMME.R; Zhu, Zou, Rosset & Hastie 2009, Algorithm 4), which is the same for two.
//!
//! Members speak by the logarithms of their class shares rather than by one vote, so that a few
//! rounds go further. Shares are held above half of the lightest row's: a pure leaf would speak with
//! infinite force.

use super::algorithm::Algorithm;
use super::learner::AdaBoost;
use super::model::BoostedModel;
use super::rounds::{Facts, Rounds, exponential, least_share};
use super::voice::Voice;
use crate::data::Sample;
use crate::error::Result;
use crate::learner::Learner;
use crate::run::Run;
use crate::scores::{Scores, argmax};

pub(super) fn fit<L: Learner>(
    boost: &AdaBoost<L>,
    sample: &Sample<'_>,
    run: &Run<'_>,
) -> Result<BoostedModel<L::Model>> {
    let voice = Voice::LogShares { floor: 0.5 * least_share(sample)? };
    let mut rounds = Rounds::new(boost, sample, run, (Algorithm::Real, voice))?;
    let (y, k) = (rounds.labels()?.codes(), rounds.labels()?.n_classes());
    let chance = 1.0 - 1.0 / k.max(2) as f64;
    let mut w = rounds.distribution()?; // 1. w_i = 1 / N
    loop {
        let error = |p: &Scores| w.share(|i| argmax(p.row(i)) != y[i] as usize);
        let judged = rounds.speaker(&w, |p| (error(p), error(p) < chance))?; // 2. (a)
        let Some((speaker, error)) = judged else { break };
        let is_useful = error < chance;
        let rate = if is_useful { rounds.coefficient(1.0) } else { 0.0 };
        let f = |i: usize| {
            let mut f = vec![0.0; k];
            voice.add(0, rate, speaker.answers.row(i), &mut f); // 2. (b) 1/2 ln(p / (1 - p))
            f[y[i] as usize]
        };
        let z = w.reweight(|i| exponential(-f(i))); // 2. (c)
        let is_over = error == 0.0 || !is_useful;
        let facts = Facts { error, edge: chance - error, coefficient: rate, normaliser: z };
        rounds.add_speakers(vec![speaker], facts);
        if is_over {
            break;
        }
    }
    rounds.finish() // 3. sign of the sum of f_m(x)
}
