//! Entropy: the bits needed to tell a row's class (ID3, C4.5).

use super::Criterion;
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

/// The entropy cost of class weights that sum to `total`.
pub fn entropy_cost(total: f64, classes: impl Iterator<Item = f64>) -> f64 {
    let inner: f64 = classes.map(x_log2_x).sum();
    (x_log2_x(total) - inner).max(0.0)
}

/// `x log2 x`, 0 at 0.
pub(super) fn x_log2_x(x: f64) -> f64 {
    if x > 0.0 { x * libm::log2(x) } else { 0.0 }
}
