//! Newton's step: gradients `g` and curvatures `h` of a loss (Friedman 2001; Chen & Guestrin 2016).

use super::{Criterion, RankedBy};
use crate::tree::statistic::PairSum;

/// `-T(g)^2 / (h + l2)`, twice what one Newton step lowers the loss by, where `T` moves `g` by
/// `l1` towards 0. Penalties are in the units of the integers.
#[derive(Debug, Clone, Copy)]
pub struct Newton {
    /// The penalty on the size of a leaf's value, in units of `g`.
    pub l1: f64,
    /// The penalty on its square, in units of `h`.
    pub l2: f64,
}

impl Criterion<PairSum> for Newton {
    fn ranked_by(&self, _: &PairSum) -> Option<RankedBy> {
        (self.l1 == 0.0).then_some(RankedBy { mean: 0.0, lambda: self.l2 })
    }

    fn cost(&self, sum: &PairSum) -> f64 {
        let g = shrink(sum.g as f64, self.l1);
        let h = sum.h as f64 + self.l2;
        if h > 0.0 { -(g * g / h) } else { 0.0 }
    }
}

/// `g` moved by `l1` towards 0, and no further.
pub fn shrink(g: f64, l1: f64) -> f64 {
    if g > l1 {
        g - l1
    } else if g < -l1 {
        g + l1
    } else {
        0.0
    }
}
