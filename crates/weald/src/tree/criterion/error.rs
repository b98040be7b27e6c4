//! The misclassified weight: what AdaBoost's theory asks a weak learner to make small.
//!
//! Few splits of a deep tree change which class prevails, so that most gain nothing by it: to be
//! preferred over Gini and entropy only for a tree of one split.

use super::bounded::second_share;
use super::{Criterion, Valued};
use crate::tree::statistic::{ClassSum, Spread};

/// `weight * (1 - largest p)`.
#[derive(Debug, Clone, Copy)]
pub struct Misclassified;

impl<S: ClassSum> Criterion<S> for Misclassified {
    fn cost(&self, sum: &S) -> f64 {
        (sum.total() - largest(sum)) as f64
    }

    /// In exact integers, so that equal gains come out equal.
    fn gain(&self, parent: &S, left: &S, right: &S) -> f64 {
        (largest(left) + largest(right) - largest(parent)) as f64
    }

    /// The variance of a row's error, as for Gini. Chance gains less where one class prevails.
    fn noise(&self, total: &S, spread: &Spread) -> f64 {
        let p = largest(total) as f64 / total.total() as f64;
        spread.weight * p * (1.0 - p)
    }
}

impl<S: ClassSum> Valued<S> for Misclassified {
    fn best_value(&self, sum: &S) -> f64 {
        second_share(sum)
    }

    fn excess(&self, weight: f64, best: f64, value: f64) -> f64 {
        error_excess(weight, best, value)
    }
}

fn largest<S: ClassSum>(sum: &S) -> i64 {
    sum.class_weights().max().unwrap_or(0)
}

/// What more of some weight is misclassified with another share of the second class than its own:
/// nothing, unless another class prevails.
pub fn error_excess(weight: f64, share: f64, value: f64) -> f64 {
    if (share > 0.5) == (value > 0.5) { 0.0 } else { weight * (2.0 * share - 1.0).abs() }
}

/// The misclassified weight of class weights that sum to `total`.
pub fn error_cost(total: f64, classes: impl Iterator<Item = f64>) -> f64 {
    total - classes.fold(0.0, f64::max)
}
