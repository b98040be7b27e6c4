//! Gentle AdaBoost (Friedman, Hastie & Tibshirani 2000, Algorithm 4).
//!
//! Newton steps on the exponential loss: members are regressions of the class, -1 or 1, so that no
//! logarithm of a small share can throw the scores about. More than two classes are as many
//! questions of yes and no, with a member each in every round.

use super::algorithm::Algorithm;
use super::learner::AdaBoost;
use super::model::BoostedModel;
use super::rounds::{Facts, Rounds, Speaker, exponential};
use super::voice::Voice;
use crate::data::{Distribution, Sample, Target};
use crate::error::Result;
use crate::learner::Learner;
use crate::run::Run;

pub(super) fn fit<L: Learner>(
    boost: &AdaBoost<L>,
    sample: &Sample<'_>,
    run: &Run<'_>,
) -> Result<BoostedModel<L::Model>> {
    let mut rounds = Rounds::new(boost, sample, run, (Algorithm::Gentle, Voice::Numbers))?;
    let (codes, n_classes) = (rounds.labels()?.codes(), rounds.labels()?.n_classes());
    let n = Voice::Numbers.n_scores(n_classes);
    // The class that a score is for: of two, the second.
    let class = |score: usize| if n == 1 { 1 } else { score };
    let y = |e: usize| if codes[e / n] as usize == class(e % n) { 1.0 } else { -1.0 };
    let answers = |score: usize| (0..sample.n_rows()).map(|i| y(i * n + score)).collect();
    let targets = (0..n).map(|score| Target::numbers(answers(score)));
    let targets: Vec<Target> = targets.collect::<Result<_>>()?;
    let mut w = Distribution::over_pairs(sample.weights, (sample.n_rows(), n), |_, _| true)?; // 1.
    while rounds.go_on() {
        let mut speakers: Vec<Speaker<L::Model>> = Vec::with_capacity(n);
        for (score, target) in targets.iter().enumerate() {
            // 2. (a) f_m by weighted least squares of y
            match rounds.fit_to(target, &w.weights_of(score), score)? {
                Some(speaker) => speakers.push(speaker),
                None => return rounds.finish(),
            }
        }
        let rate = rounds.coefficient(1.0);
        let f = |e: usize| speakers[e % n].answers.values()[e / n];
        let error = w.share(|e| (f(e) > 0.0) != (y(e) > 0.0));
        let z = w.reweight(|e| exponential(-rate * y(e) * f(e))); // 2. (c)
        let facts = Facts { error, edge: 0.5 - error, coefficient: rate, normaliser: z };
        rounds.add_speakers(speakers, facts); // 2. (b) F += f_m
        if error == 0.0 {
            break;
        }
    }
    rounds.finish() // 3. sign of F(x)
}
