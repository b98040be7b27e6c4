//! Greedy ensemble selection (Caruana, Niculescu-Mizil, Crew & Ksikes 2004, "Ensemble selection
//! from libraries of models").
//!
//! Starting with nothing, the member that makes the mean of those chosen best is added, again and
//! again; a member may be chosen more than once. What is kept is the best of the committees on the
//! way. By log loss for classes, by squared error for numbers, on rows that members have not seen.

use super::super_learner::target_value;
use crate::data::{Target, exponent_beyond_usual};
use crate::ensemble::Honest;
use crate::exact_sum::ExactSum;
use crate::scores::Scores;

/// A class that a member holds to be impossible costs this much, not all there is.
const LEAST_PROBABILITY: f64 = 1e-15;

/// The share of the rounds in which each learner was chosen.
pub fn weights<M>(honest: &Honest<M>, target: &Target, n_rounds: usize) -> Vec<f64> {
    let n = honest.answers.len();
    let mut counts = vec![0usize; n];
    let mut sum = Scores::zeros(target.len(), honest.answers[0].width());
    let mut best = (f64::INFINITY, counts.clone());
    for round in 1..=n_rounds {
        let loss = |learner: usize| {
            mean_loss(honest, target, |row, at| {
                (sum.row(row)[at] + honest.answers[learner].row(row)[at]) / round as f64
            })
        };
        let losses: Vec<f64> = (0..n).map(loss).collect();
        let chosen = (0..n).fold(0, |a, b| if losses[b] < losses[a] { b } else { a });
        let answers = honest.answers[chosen].values();
        sum.values_mut().iter_mut().zip(answers).for_each(|(sum, x)| *sum += x);
        counts[chosen] += 1;
        if losses[chosen] < best.0 {
            best = (losses[chosen], counts.clone());
        }
    }
    let n_chosen: usize = best.1.iter().sum();
    match n_chosen {
        0 => vec![1.0 / n as f64; n], // no loss is finite
        _ => best.1.iter().map(|&count| count as f64 / n_chosen as f64).collect(),
    }
}

/// The weighted mean loss of what is said of each row, as an exact sum.
fn mean_loss<M>(honest: &Honest<M>, target: &Target, says: impl Fn(usize, usize) -> f64) -> f64 {
    let width = honest.answers[0].width();
    let exponent = exponent_beyond_usual(target, &honest.weights);
    let loss = |row: usize| match target {
        Target::Classes(labels) => {
            -libm::log(says(row, labels.codes()[row] as usize).max(LEAST_PROBABILITY))
        }
        Target::Numbers(_) | Target::Several(_) | Target::SeveralClasses(_) => {
            let off =
                |at: usize| libm::ldexp(target_value(target, row, at) - says(row, at), -exponent);
            (0..width).map(|at| off(at) * off(at)).sum()
        }
    };
    let losses: Vec<f64> = (0..target.len()).map(loss).collect();
    let weight = |row: usize| honest.weights.copies(row).1;
    let largest = |of: &dyn Fn(usize) -> f64| (0..losses.len()).map(of).fold(0.0, f64::max);
    let exact = ExactSum::for_largest(largest(&|row| losses[row] * weight(row)));
    let exact_weight = ExactSum::for_largest(largest(&weight));
    let (mut sum, mut total) = (0, 0);
    for (row, loss) in losses.iter().enumerate() {
        let (copies, weight) = honest.weights.copies(row);
        sum += i128::from(copies) * exact.units(weight * loss);
        total += i128::from(copies) * exact_weight.units(weight);
    }
    exact.mean(sum, exact_weight.value(total))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Weights;

    fn honest(answers: &[[f64; 4]]) -> Honest<()> {
        let scores = |values: &[f64; 4]| {
            let mut scores = Scores::zeros(4, 1);
            scores.values_mut().copy_from_slice(values);
            scores
        };
        let answers = answers.iter().map(scores).collect();
        Honest { rows: vec![0, 1, 2, 3], weights: Weights::Uniform, answers, models: None }
    }

    #[test]
    fn a_worked_selection() {
        let target = Target::numbers(vec![0.0; 4]).unwrap();
        // The best alone is the third (.81); with it, the first makes the mean .05 everywhere.
        let answers = [[1.0; 4], [-5.0; 4], [-0.9; 4]];
        assert_eq!(weights(&honest(&answers), &target, 1), [0.0, 0.0, 1.0]);
        assert_eq!(weights(&honest(&answers), &target, 2), [0.5, 0.0, 0.5]);
        // 9 and 10 rounds of 19 leave nothing: what is best on the way is kept.
        let found = weights(&honest(&answers), &target, 40);
        assert!((found[0] - 9.0 / 19.0).abs() < 1e-12, "{found:?}");
        assert!((found[2] - 10.0 / 19.0).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn of_equals_the_first_is_chosen_and_a_perfect_one_stays_alone() {
        let target = Target::numbers(vec![1.0, 2.0, 3.0, 4.0]).unwrap();
        let answers = [[0.0; 4], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]];
        assert_eq!(weights(&honest(&answers), &target, 10), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn classes_are_judged_by_log_loss() {
        let target = Target::from_names(&["a", "b", "b", "a"]);
        let scores = |sure: [f64; 4]| {
            let mut scores = Scores::zeros(4, 2);
            let rows = scores.rows_mut().zip(sure);
            rows.for_each(|(row, p)| row.copy_from_slice(&[p, 1.0 - p]));
            scores
        };
        // The first is right more often but certain where it errs.
        let answers = vec![scores([1.0, 0.0, 0.0, 0.0]), scores([0.6, 0.4, 0.55, 0.6])];
        let rows = vec![0, 1, 2, 3];
        let honest: Honest<()> = Honest { rows, weights: Weights::Uniform, answers, models: None };
        assert_eq!(weights(&honest, &target, 1), [0.0, 1.0]);
    }
}
