//! Losses that rows have together: where what one row costs depends on the others.

use super::Gradient;
use crate::data::Weights;

/// The rows that a joint loss is of.
#[derive(Debug, Clone, Copy)]
pub struct Together<'a> {
    /// Their targets.
    pub targets: &'a [f64],
    /// Their weights; a row of weight 0 is absent.
    pub weights: &'a Weights,
    /// The group of each row, if rows belong together.
    pub groups: Option<&'a [u32]>,
}

/// A loss over rows that are known, given the score of each.
pub trait JointLoss: Send + Sync {
    /// The derivatives by the score of each row, divided by the row's weight; 0 for absent rows.
    fn gradients(&self, scores: &[f64], out: &mut [Gradient]);

    /// The loss, and the weight that a mean divides it by.
    fn loss(&self, scores: &[f64]) -> (f64, f64);
}
