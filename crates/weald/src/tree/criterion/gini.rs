//! Gini impurity: the chance that two rows drawn from the node differ in class (CART).

use super::bounded::second_share;
use super::{Criterion, RankedBy, Valued, cross_difference, squared_excess};
use crate::tree::statistic::{ClassSum, PairSum, Spread};

/// `weight * (1 - sum over classes of p^2)`.
#[derive(Debug, Clone, Copy)]
pub struct Gini;

impl<S: ClassSum> Criterion<S> for Gini {
    fn ranked_by(&self, total: &PairSum) -> Option<RankedBy> {
        Some(RankedBy::variance(total))
    }

    fn ranks_by_squares(&self) -> bool {
        true
    }

    fn cost(&self, sum: &S) -> f64 {
        gini_cost(sum.total() as f64, sum.class_weights().map(|c| c as f64))
    }

    fn noise(&self, total: &S, spread: &Spread) -> f64 {
        spread.weight * <Gini as Criterion<S>>::cost(self, total) / total.total() as f64
    }

    /// `sum over classes of (c_left W - C w_left)^2 / (W w_left w_right)`: the same as by cost,
    /// but the differences are taken in exact integers, so that equal gains come out equal.
    fn gain(&self, parent: &S, left: &S, right: &S) -> f64 {
        let (w, wl, wr) = (parent.total(), left.total(), right.total());
        let classes = parent.class_weights().zip(left.class_weights());
        let squares: f64 = classes
            .map(|(c, cl)| {
                let difference = cross_difference(cl, w, c, wl);
                difference * difference
            })
            .sum();
        squares / (w as f64 * (wl as f64 * wr as f64))
    }
}

impl<S: ClassSum> Valued<S> for Gini {
    fn best_value(&self, sum: &S) -> f64 {
        second_share(sum)
    }

    /// Both classes' shares are as far off.
    fn excess(&self, weight: f64, best: f64, value: f64) -> f64 {
        2.0 * squared_excess(weight, best, value)
    }
}

/// The Gini cost of class weights that sum to `total`.
pub fn gini_cost(total: f64, classes: impl Iterator<Item = f64>) -> f64 {
    if total == 0.0 {
        return 0.0;
    }
    let squares: f64 = classes.map(|c| c * c).sum();
    (total - squares / total).max(0.0)
}
