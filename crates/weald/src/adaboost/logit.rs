//! LogitBoost (Friedman, Hastie & Tibshirani 2000, Algorithms 3 and 6).
//!
//! Newton steps on the logistic loss. It minds outliers less than AdaBoost does, whose weights grow
//! without bound. The record's product of normalisers is the mean logistic loss to the base of 2,
//! which is at least the training error.

use super::algorithm::Algorithm;
use super::learner::AdaBoost;
use super::model::BoostedModel;
use super::rounds::{Facts, Rounds, Speaker};
use super::voice::Voice;
use crate::data::{Distribution, Sample, Target};
use crate::error::Result;
use crate::learner::Learner;
use crate::run::Run;
use crate::scores::Scores;

/// How far a working response may be off, as the authors advise.
const LARGEST_RESPONSE: f64 = 4.0;
/// Parts of 1 that responses are multiples of: few enough digits that a weight times a response is
/// exact, and three rows are one row thrice as heavy.
const GRID: f64 = (1 << 20) as f64;
/// The least weight of a row.
const LEAST_WEIGHT: f64 = 1e-10;
/// The least probability whose logarithm is taken.
const LEAST_SHARE: f64 = 1e-300;

pub(super) fn fit<L: Learner>(
    boost: &AdaBoost<L>,
    sample: &Sample<'_>,
    run: &Run<'_>,
) -> Result<BoostedModel<L::Model>> {
    let mut rounds = Rounds::new(boost, sample, run, (Algorithm::Logit, Voice::Numbers))?;
    let (codes, n_classes) = (rounds.labels()?.codes(), rounds.labels()?.n_classes());
    let n = Voice::Numbers.n_scores(n_classes);
    let class = |score: usize| if n == 1 { 1 } else { score };
    let rows = Distribution::of(sample.weights, sample.n_rows())?;
    // Half a step for two classes, (J - 1) / J for J: 2. (b), with the means left out, which change
    // no probability.
    let step = if n == 1 { 0.5 } else { (n as f64 - 1.0) / n as f64 };
    let rate = rounds.coefficient(step);
    let mut loss_before = 1.0;
    while rounds.go_on() {
        let p = probabilities(rounds.scores(), (sample.n_rows(), n_classes)); // p(x_i)
        let mut speakers: Vec<Speaker<L::Model>> = Vec::with_capacity(n);
        let mut n_wrong = 0.0;
        for score in 0..n {
            let share = |i: usize| p.row(i)[class(score)];
            let weight = |i: usize| (share(i) * (1.0 - share(i))).max(LEAST_WEIGHT);
            let response = |i: usize| {
                let y = if codes[i] as usize == class(score) { 1.0 } else { 0.0 };
                let z = (y - share(i)) / weight(i);
                (z.clamp(-LARGEST_RESPONSE, LARGEST_RESPONSE) * GRID).round() / GRID
            };
            let z: Vec<f64> = (0..sample.n_rows()).map(response).collect(); // 2. (a)
            let mut w = rows.clone();
            w.reweight(weight);
            let target = Target::numbers(z.clone())?;
            let Some(speaker) = rounds.fit_to(&target, &w.weights(), score)? else {
                return rounds.finish();
            };
            let f = speaker.answers.values();
            n_wrong += w.share(|i| (f[i] > 0.0) != (z[i] > 0.0));
            speakers.push(speaker);
        }
        let error = n_wrong / n as f64;
        let facts = Facts { error, edge: 0.5 - error, coefficient: rate, normaliser: 1.0 };
        rounds.add_speakers(speakers, facts);
        let p = probabilities(rounds.scores(), (sample.n_rows(), n_classes));
        let bits = |i: usize| -libm::log2(p.row(i)[codes[i] as usize].max(LEAST_SHARE));
        let loss = rows.mean(bits);
        rounds.set_normaliser(loss / loss_before);
        loss_before = loss;
        if loss == 0.0 {
            break;
        }
    }
    rounds.finish()
}

/// The probabilities that scores make.
fn probabilities(scores: Option<&Scores>, (n_rows, n_classes): (usize, usize)) -> Scores {
    let mut p = Scores::zeros(n_rows, n_classes.max(2));
    if let Some(scores) = scores {
        let link = Voice::link(scores.width(), n_classes);
        p.rows_mut().zip(scores.rows()).for_each(|(p, scores)| link.respond(scores, p));
    }
    p
}
