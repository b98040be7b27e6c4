//! Rules that make one answer of many.

use crate::parameter::named_values;
use crate::scores::{Scores, argmax};

/// How the answers of an ensemble's members become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combiner {
    /// The weighted mean of the members' scores.
    Mean,
    /// The weighted share of members that vote for each class.
    Vote,
}
named_values!(Combiner { Mean = "mean", Vote = "vote" });

impl Combiner {
    /// One answer from one or more of equal shape. They are taken one after the other, so that only
    /// one need be there at a time.
    pub fn combine(self, answers: impl IntoIterator<Item = Scores>, weights: &[f64]) -> Scores {
        let mut combining = Combining::new(self, weights);
        for (answer, &weight) in answers.into_iter().zip(weights) {
            combining.add(answer, weight);
        }
        combining.finish()
    }

    /// Makes of what a member says what is averaged: a vote for its class is 1 there, 0 elsewhere.
    pub fn count(self, answer: &mut [f64]) {
        if self == Combiner::Vote {
            let class = argmax(answer);
            answer.fill(0.0);
            answer[class] = 1.0;
        }
    }
}

/// Answers on their way to one.
#[derive(Debug, Clone)]
pub struct Combining {
    combiner: Combiner,
    /// What weights are multiplied by.
    unit: f64,
    /// The weight of the answers so far.
    total: f64,
    sums: Option<Scores>,
}

impl Combining {
    /// No answer yet, of members with these weights.
    pub fn new(combiner: Combiner, weights: &[f64]) -> Combining {
        Combining { combiner, unit: unit(weights.iter().sum()), total: 0.0, sums: None }
    }

    /// Adds an answer. All have the same shape.
    pub fn add(&mut self, mut answer: Scores, weight: f64) {
        self.total += weight;
        let zeros = || Scores::zeros(answer.n_rows(), answer.width());
        let sums = self.sums.get_or_insert_with(zeros).rows_mut();
        for (sums, row) in sums.zip(answer.rows_mut()) {
            self.combiner.count(row);
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += self.unit * weight * *x);
        }
    }

    /// The answer of those that were added; NaN if they weigh nothing.
    pub fn finish(self) -> Scores {
        let mut combined = self.sums.unwrap_or_else(|| Scores::zeros(0, 1));
        let mean = |sum: f64| (sum / (self.unit * self.total)).clamp(f64::MIN, f64::MAX);
        combined.values_mut().iter_mut().for_each(|sum| *sum = mean(*sum));
        combined
    }
}

/// What weights are multiplied by so that no sum of finite numbers is infinite: a power of two, so
/// that nothing else changes.
fn unit(total: f64) -> f64 {
    let mut unit = 1.0;
    while unit * total > 0.5 {
        unit *= 0.5;
    }
    unit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(rows: &[[f64; 2]]) -> Scores {
        let mut s = Scores::zeros(rows.len(), 2);
        s.rows_mut().zip(rows).for_each(|(to, from)| to.copy_from_slice(from));
        s
    }

    #[test]
    fn mean_and_vote_differ_where_they_should() {
        // Two members lean slightly to class 1, one is sure of class 0.
        let answers = [scores(&[[0.4, 0.6]]), scores(&[[0.4, 0.6]]), scores(&[[1.0, 0.0]])];
        let weights = [1.0, 1.0, 1.0];
        let mean = Combiner::Mean.combine(answers.clone(), &weights);
        assert!((mean.row(0)[0] - 0.6).abs() < 1e-12 && mean.classes() == [0]);
        let vote = Combiner::Vote.combine(answers.clone(), &weights);
        assert!((vote.row(0)[1] - 2.0 / 3.0).abs() < 1e-12 && vote.classes() == [1]);
        let weighted = Combiner::Vote.combine(answers, &[1.0, 1.0, 3.0]);
        assert_eq!(weighted.classes(), [0]);
    }

    #[test]
    fn a_tied_vote_goes_to_the_lowest_class() {
        let answers = [scores(&[[0.0, 1.0]]), scores(&[[1.0, 0.0]])];
        assert_eq!(Combiner::Vote.combine(answers, &[1.0, 1.0]).classes(), [0]);
    }

    #[test]
    fn means_are_sums_by_the_total_and_always_finite() {
        let numbers: Vec<f64> = (0..11).map(|i| 0.1 + f64::from(i) * 0.37).collect();
        let answers = numbers.iter().map(|&x| scores(&[[x, -x]]));
        let sum: f64 = numbers.iter().sum();
        let mean = Combiner::Mean.combine(answers, &[1.0; 11]);
        assert_eq!(mean.row(0), [sum / 11.0, -sum / 11.0]);
        for weights in [vec![1.0; 7], vec![1e300; 7], vec![0.0, 1e-300, 0.0, 0.0, 3.0, 1e9, 0.0]] {
            let answers = (0..7).map(|_| scores(&[[f64::MAX, f64::MIN]]));
            let mean = Combiner::Mean.combine(answers, &weights);
            assert!(mean.row(0)[0] > 0.99 * f64::MAX && mean.row(0)[1] < 0.99 * f64::MIN);
            assert!(mean.values().iter().all(|x| x.is_finite()));
        }
    }
}
