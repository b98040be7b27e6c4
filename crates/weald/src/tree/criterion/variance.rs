//! Variance: squared distance from the mean (CART for numbers).

use super::{Criterion, RankedBy, Valued, cross_difference};
use crate::tree::statistic::{PairSum, Spread};

/// Squared distance from the mean, up to the sum of squared targets, which no split changes.
#[derive(Debug, Clone, Copy)]
pub struct Variance;

impl Criterion<PairSum> for Variance {
    fn ranked_by(&self, total: &PairSum) -> Option<RankedBy> {
        Some(RankedBy::variance(total))
    }

    fn cost(&self, sum: &PairSum) -> f64 {
        if sum.h == 0 {
            return 0.0;
        }
        let g = sum.g as f64;
        -(g * g / sum.h as f64)
    }

    fn noise(&self, _: &PairSum, spread: &Spread) -> f64 {
        spread.variance
    }

    /// `(g_left H - G h_left)^2 / (H h_left h_right)`: the same as by cost, but the difference is
    /// taken in exact integers, so that equal gains come out equal.
    fn gain(&self, parent: &PairSum, left: &PairSum, right: &PairSum) -> f64 {
        let (h, hl, hr) = (parent.h as f64, left.h as f64, right.h as f64);
        let difference = cross_difference(left.g, parent.h, parent.g, left.h);
        difference * difference / (h * (hl * hr))
    }
}

impl Valued<PairSum> for Variance {
    fn best_value(&self, sum: &PairSum) -> f64 {
        sum.g as f64 / sum.h as f64
    }

    fn excess(&self, weight: f64, best: f64, value: f64) -> f64 {
        squared_excess(weight, best, value)
    }
}

/// What squared distances add up to more, by weight, from another value than their mean.
pub fn squared_excess(weight: f64, mean: f64, value: f64) -> f64 {
    weight * ((mean - value) * (mean - value))
}
