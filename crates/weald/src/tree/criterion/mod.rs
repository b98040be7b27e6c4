//! What a good split lowers.
//!
//! A criterion is a cost over sums; the gain of a split is
//! `cost(parent) - cost(left) - cost(right)`. Costs are in units of weight: the impurity of a node
//! times its weight.

mod bounded;
mod entropy;
mod error;
mod gain_ratio;
mod gini;
mod newton;
mod several_variances;
mod summed;
mod variance;
mod vector_newton;

pub use bounded::{Bounded, Valued};
pub use entropy::{Entropy, entropy_cost, entropy_excess};
pub use error::{Misclassified, error_cost, error_excess};
pub use gain_ratio::GainRatio;
pub use gini::{Gini, gini_cost};
pub use newton::{LevelPenalty, Newton, price_of_subset, shrink};
pub use several_variances::SeveralVariances;
pub use summed::Summed;
pub use variance::{Variance, squared_excess};
pub use vector_newton::{OutputUnits, VectorNewton};

use std::cmp::Ordering;

use super::constraints::Bounds;
use super::kernel::vectors::Ranked;
use super::splitter::Division;
use super::statistic::{PairSum, Spread, Sum};

/// Two gains this near, relative to the larger, are equal: they are sums of the same integers
/// rounded in another order.
const TIE: f64 = 1e-12;

/// A cost over sums.
pub trait Criterion<S: Sum>: Copy + Sync {
    /// How the vector kernels can rank a node's splits, given its sum; `None` if they cannot.
    fn ranked_by(&self, total: &PairSum) -> Option<RankedBy> {
        let _ = total;
        None
    }

    /// How the vector kernels can rank by sums of several pairs; `None` if they cannot.
    fn ranked_vectors(&self) -> Option<&[Ranked]> {
        None
    }

    /// Whether a split is the better the larger the sum of squared class weights, each side's by its
    /// weight.
    fn ranks_by_squares(&self) -> bool {
        false
    }

    /// What it costs to make the rows a leaf.
    fn cost(&self, sum: &S) -> f64;

    /// What a split lowers the cost by; never below 0.
    fn gain(&self, parent: &S, left: &S, right: &S) -> f64 {
        let before = self.cost(parent);
        let gain = before - (self.cost(left) + self.cost(right));
        if gain > TIE * before.abs() { gain } else { 0.0 }
    }

    /// The value of a leaf of these rows; `None` for a criterion that does not think of values.
    fn value(&self, sum: &S) -> Option<f64> {
        let _ = sum;
        None
    }

    /// The same criterion for leaves whose values must stay within bounds.
    fn within(&self, bounds: Bounds) -> Self {
        let _ = bounds;
        *self
    }

    /// The orders of sums by which the levels of a category are sorted in turn.
    fn orders(&self, levels: &[S]) -> Vec<usize> {
        (0..levels.first().map_or(0, Sum::n_orders)).collect()
    }

    /// Compares two levels of a category in one of the orders of their sums.
    fn compare_levels(&self, a: &S, b: &S, order: usize) -> Ordering {
        a.compare(b, order)
    }

    /// What it costs to name `n_left` of `n_levels` levels.
    fn charge_of_levels(&self, n_left: usize, n_levels: usize) -> f64 {
        let _ = (n_left, n_levels);
        0.0
    }

    /// What a split lowers the cost by that sends `n_left` of `n_levels` levels to the left, less
    /// what it costs to name them; never below 0.
    fn gain_of_levels(
        &self,
        (parent, left, right): (&S, &S, &S),
        (n_left, n_levels): (usize, usize),
    ) -> f64 {
        (self.gain(parent, left, right) - self.charge_of_levels(n_left, n_levels)).max(0.0)
    }

    /// What a level of a category gains by chance, given how the node's rows scatter.
    fn noise(&self, total: &S, spread: &Spread) -> f64 {
        let _ = (total, spread);
        0.0
    }

    /// Which of the features' best splits a node takes; `None` for none.
    fn choose(&self, offers: &[Division]) -> Option<usize> {
        first_largest(offers.iter().map(|offer| Some(offer.gain)))
    }
}

/// A ranking of splits by `(g - mean h)^2 / (h + lambda)`, summed over both sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedBy {
    /// What `g` is centred on.
    pub mean: f64,
    /// What is added to `h`.
    pub lambda: f64,
}

impl RankedBy {
    /// By the variance that a split removes: centred, so that single precision suffices.
    fn variance(total: &PairSum) -> RankedBy {
        RankedBy { mean: total.g as f64 / total.h as f64, lambda: 0.0 }
    }
}

/// `a b - c d`, the difference taken in exact integers.
fn cross_difference(a: i64, b: i64, c: i64, d: i64) -> f64 {
    let narrow = || a.checked_mul(b)?.checked_sub(c.checked_mul(d)?);
    match narrow() {
        Some(difference) => difference as f64,
        None => (i128::from(a) * i128::from(b) - i128::from(c) * i128::from(d)) as f64,
    }
}

/// Whether a gain beats the best so far: equals go to the earlier one.
pub fn beats(gain: f64, best: f64) -> bool {
    gain > best + TIE * best
}

/// The position of the largest value; of equals, the first.
fn first_largest(values: impl Iterator<Item = Option<f64>>) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (i, value) in values.enumerate() {
        let Some(value) = value else { continue };
        if best.is_none_or(|(_, b)| beats(value, b)) {
            best = Some((i, value));
        }
    }
    best.map(|(i, _)| i)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_gains_go_to_the_first() {
        assert_eq!(first_largest([Some(1.0), Some(2.0), Some(2.0 + 1e-15)].into_iter()), Some(1));
        assert_eq!(first_largest([None, Some(0.0), None].into_iter()), Some(1));
        assert_eq!(first_largest([None, None].into_iter()), None);
    }
}
