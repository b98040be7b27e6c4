//! The Bayes optimal classifier over a pool of models (Mitchell 1997, section 6.7), also Bayesian
//! model averaging (Hoeting, Madigan, Raftery & Volinsky 1999).
//!
//! Each member weighs its prior times the likelihood of rows that it has not seen. The likelihood of
//! a class is the probability that the member gave it; that of a number is normal about what the
//! member said, with the member's own mean squared error as variance. A likelihood is a product over
//! rows, so that with many rows the best member has all the weight: the average is over which member
//! is true, not over what they know together.

use super::super_learner::target_value;
use crate::data::{Target, Weights, exponent_beyond_usual};
use crate::ensemble::Honest;
use crate::error::{Error, Result};
use crate::exact_sum::ExactSum;

/// Probabilities below this count as this much: one surprise must not forbid a member for ever.
const LEAST_PROBABILITY: f64 = 1e-15;

/// The posterior of each learner; they sum to 1.
pub fn weights<M>(honest: &Honest<M>, target: &Target, prior: &[f64]) -> Result<Vec<f64>> {
    let n = honest.answers.len();
    let of_row = mean_weight(honest, target.len());
    let log_posterior = |learner: usize| {
        let log_prior = prior.get(learner).map_or(0.0, |&p| libm::log(p));
        log_prior + log_likelihood(honest, target, learner) / of_row
    };
    let logs: Vec<f64> = (0..n).map(log_posterior).collect();
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !most.is_finite() {
        // Numbers that a member foresees exactly are infinitely likely.
        let is_most = |log: &f64| f64::from(*log == most);
        let n_most: f64 = logs.iter().map(is_most).sum();
        return match n_most > 0.0 {
            true => Ok(logs.iter().map(|log| is_most(log) / n_most).collect()),
            false => Err(Error::ZeroWeights(n)),
        };
    }
    let shares: Vec<f64> = logs.iter().map(|log| libm::exp(log - most)).collect();
    let total: f64 = shares.iter().sum();
    Ok(shares.iter().map(|share| share / total).collect())
}

/// What a row weighs on the mean: real weights say how much rows count beside each other, not how many
/// there are.
fn mean_weight<M>(honest: &Honest<M>, n_rows: usize) -> f64 {
    let Weights::Real(weights) = &honest.weights else { return 1.0 };
    let n_present = weights.iter().filter(|weight| **weight > 0.0).count();
    weighted_sum(honest, n_rows, &|_| 1.0) / n_present.max(1) as f64
}

/// The logarithm of how likely a learner held the targets to be; of numbers, of usual size.
fn log_likelihood<M>(honest: &Honest<M>, target: &Target, learner: usize) -> f64 {
    let answers = &honest.answers[learner];
    let sum = |of: &dyn Fn(usize) -> f64| weighted_sum(honest, target.len(), of);
    match target {
        Target::Classes(labels) => sum(&|row| {
            libm::log(answers.row(row)[labels.codes()[row] as usize].max(LEAST_PROBABILITY))
        }),
        Target::Numbers(_) | Target::Several(_) | Target::SeveralClasses(_) => {
            let weight = sum(&|_| 1.0);
            let exponent = exponent_beyond_usual(target, &honest.weights);
            let of_output = |at: usize| {
                // Scaled first: the difference of two numbers may be beyond all others.
                let usual = |x: f64| libm::ldexp(x, -exponent);
                let off = |row| usual(target_value(target, row, at)) - usual(answers.row(row)[at]);
                let variance = sum(&|row| off(row) * off(row)) / weight;
                -0.5 * weight * (libm::log(2.0 * std::f64::consts::PI * variance) + 1.0)
            };
            (0..answers.width()).map(of_output).sum()
        }
    }
}

/// A weighted sum over rows, the same in any order.
fn weighted_sum<M>(honest: &Honest<M>, n_rows: usize, of: &dyn Fn(usize) -> f64) -> f64 {
    let term = |row: usize| honest.weights.copies(row).1 * of(row);
    let largest = (0..n_rows).map(|row| term(row).abs()).fold(0.0, f64::max);
    let exact = ExactSum::for_largest(largest);
    let units =
        (0..n_rows).map(|row| i128::from(honest.weights.copies(row).0) * exact.units(term(row)));
    exact.value(units.sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scores::Scores;

    fn honest(answers: Vec<Scores>, weights: Weights) -> Honest<()> {
        Honest { rows: (0..answers[0].n_rows()).collect(), weights, answers, models: None }
    }

    fn of_two(second: &[f64]) -> Scores {
        let mut scores = Scores::zeros(second.len(), 2);
        let rows = scores.rows_mut().zip(second);
        rows.for_each(|(row, p)| row.copy_from_slice(&[1.0 - p, *p]));
        scores
    }

    /// Three hypotheses of a coin (Mitchell's example has the posteriors .4 .3 .3).
    #[test]
    fn a_posterior_is_prior_times_likelihood() {
        let target = Target::from_names(&["a", "b", "b"]);
        let coins = vec![of_two(&[0.5; 3]), of_two(&[0.8; 3]), of_two(&[0.2; 3])];
        // Likelihoods .125, .128, .032.
        let found = weights(&honest(coins.clone(), Weights::Uniform), &target, &[]).unwrap();
        let expected = [0.125, 0.128, 0.032].map(|x| x / 0.285);
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        let prior = [2.0, 1.0, 1.0];
        let found = weights(&honest(coins.clone(), Weights::Uniform), &target, &prior).unwrap();
        assert!((found[0] - 0.25 / 0.41).abs() < 1e-12, "{found:?}");
        // A row of weight two is there twice.
        let counts = Weights::counts(vec![1, 1, 0]).unwrap();
        let found = weights(&honest(coins, counts), &target, &[]).unwrap();
        assert!((found[0] - 0.25 / 0.57).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn numbers_are_normal_about_what_is_said() {
        let target = Target::numbers(vec![0.0, 0.0]).unwrap();
        let said = |x: f64| {
            let mut scores = Scores::zeros(2, 1);
            scores.values_mut().copy_from_slice(&[x, -x]);
            scores
        };
        // The likelihood of n rows is (2 pi e s²)^(-n/2): here in proportion to 1 / s².
        let found = weights(&honest(vec![said(1.0), said(2.0)], Weights::Uniform), &target, &[]);
        let found = found.unwrap();
        assert!((found[0] - 0.8).abs() < 1e-12, "{found:?}");
        let perfect = honest(vec![said(1.0), said(0.0), said(0.0)], Weights::Uniform);
        assert_eq!(weights(&perfect, &target, &[]).unwrap(), [0.0, 0.5, 0.5]);
        // Off by 2e308 and 3.1e308, which no double is.
        let target = Target::numbers(vec![1.5e308, -1.5e308]).unwrap();
        let far = honest(vec![said(-0.5e308), said(-1.6e308)], Weights::Uniform);
        let found = weights(&far, &target, &[]).unwrap();
        assert!((found[0] / found[1] - (3.1f64 / 2.0).powi(2)).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn many_rows_do_not_underflow() {
        let target = Target::from_names(&vec!["b"; 5000]);
        let Target::Classes(labels) = &target else { panic!() };
        assert_eq!(labels.n_classes(), 1);
        let target = Target::classes(vec![1; 5000], ["a", "b"].map(String::from).into()).unwrap();
        let coins = vec![of_two(&[0.01; 5000]), of_two(&[0.0100001; 5000])];
        let found = weights(&honest(coins, Weights::Uniform), &target, &[]).unwrap();
        assert!(found.iter().all(|w| w.is_finite()) && found[1] > found[0]);
    }
}
