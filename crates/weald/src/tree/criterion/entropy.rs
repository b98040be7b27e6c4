//! Entropy: the bits needed to tell a row's class (ID3, C4.5).

use super::bounded::second_share;
use super::{Criterion, Valued};
use crate::tree::statistic::{ClassSum, Spread};

/// `weight * (-sum over classes of p log2 p)`.
#[derive(Debug, Clone, Copy)]
pub struct Entropy;

impl<S: ClassSum> Criterion<S> for Entropy {
    fn cost(&self, sum: &S) -> f64 {
        entropy_cost(sum.total() as f64, sum.class_weights().map(|c| c as f64))
    }

    /// Half a nat for each class but one, in bits.
    fn noise(&self, total: &S, spread: &Spread) -> f64 {
        let n_classes = total.class_weights().filter(|weight| *weight > 0).count();
        spread.weight * 0.5 * std::f64::consts::LOG2_E * n_classes.saturating_sub(1) as f64
    }
}

impl<S: ClassSum> Valued<S> for Entropy {
    fn best_value(&self, sum: &S) -> f64 {
        second_share(sum)
    }

    fn excess(&self, weight: f64, best: f64, value: f64) -> f64 {
        entropy_excess(weight, best, value)
    }
}

/// The bits that rows take more, by weight, with another share of the second class than their own.
pub fn entropy_excess(weight: f64, share: f64, value: f64) -> f64 {
    let part = |own: f64, other: f64| match own > 0.0 {
        true => own * libm::log2(own / other.max(f64::MIN_POSITIVE)),
        false => 0.0,
    };
    (weight * (part(share, value) + part(1.0 - share, 1.0 - value))).max(0.0)
}

/// The entropy cost of class weights that sum to `total`.
pub fn entropy_cost(total: f64, classes: impl Iterator<Item = f64>) -> f64 {
    let inner: f64 = classes.map(x_log2_x).sum();
    (x_log2_x(total) - inner).max(0.0)
}

/// `x log2 x`, 0 at 0.
pub(super) fn x_log2_x(x: f64) -> f64 {
    if x > 0.0 { x * libm::log2(x) } else { 0.0 }
}
