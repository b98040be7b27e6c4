//! A criterion for leaves whose values must stay within bounds, as monotone constraints ask.
//!
//! Rows that may not have the value they would like best cost more. What a split gains is therefore
//! what it gains anyway, and what the bounds cost the node, less what they cost its children.

use super::{Criterion, RankedBy, TIE};
use crate::tree::constraints::Bounds;
use crate::tree::splitter::Division;
use crate::tree::statistic::{ClassSum, PairSum, Spread, Sum};

/// A criterion whose leaves have one value each, and would cost more with any other.
pub trait Valued<S: Sum>: Criterion<S> {
    /// The value of least cost: the mean, or the share of the second class.
    fn best_value(&self, sum: &S) -> f64;

    /// What rows of so much weight, whose best value is `best`, cost more if they have another.
    fn excess(&self, weight: f64, best: f64, value: f64) -> f64;
}

/// A criterion with bounds; while they are open, no other than the criterion alone.
#[derive(Debug, Clone, Copy)]
pub struct Bounded<C> {
    criterion: C,
    bounds: Bounds,
}

impl<C> Bounded<C> {
    /// No bounds yet.
    pub fn new(criterion: C) -> Bounded<C> {
        Bounded { criterion, bounds: Bounds::OPEN }
    }

    /// What the bounds cost.
    fn excess<S: Sum>(&self, sum: &S) -> f64
    where
        C: Valued<S>,
    {
        let best = self.criterion.best_value(sum);
        let value = self.bounds.clamp(best);
        if value == best { 0.0 } else { self.criterion.excess(sum.weight(), best, value) }
    }
}

impl<S: Sum, C: Valued<S>> Criterion<S> for Bounded<C> {
    fn ranked_by(&self, total: &PairSum) -> Option<RankedBy> {
        self.criterion.ranked_by(total).filter(|_| self.bounds.are_open())
    }

    fn ranks_by_squares(&self) -> bool {
        self.bounds.are_open() && self.criterion.ranks_by_squares()
    }

    fn cost(&self, sum: &S) -> f64 {
        self.criterion.cost(sum) + self.excess(sum)
    }

    fn gain(&self, parent: &S, left: &S, right: &S) -> f64 {
        let free = self.criterion.gain(parent, left, right);
        if self.bounds.are_open() {
            return free;
        }
        let at_most = free + self.excess(parent);
        let gain = at_most - (self.excess(left) + self.excess(right));
        if gain > TIE * at_most { gain } else { 0.0 }
    }

    fn value(&self, sum: &S) -> Option<f64> {
        Some(self.bounds.clamp(self.criterion.best_value(sum)))
    }

    fn within(&self, bounds: Bounds) -> Bounded<C> {
        Bounded { bounds, ..*self }
    }

    fn noise(&self, total: &S, spread: &Spread) -> f64 {
        self.criterion.noise(total, spread)
    }

    fn choose(&self, offers: &[Division]) -> Option<usize> {
        self.criterion.choose(offers)
    }
}

/// The share of the second of two classes.
pub(super) fn second_share<S: ClassSum>(sum: &S) -> f64 {
    sum.class_weights().nth(1).unwrap_or(0) as f64 / sum.total() as f64
}

#[cfg(test)]
mod tests {
    use super::super::{Entropy, Gini, Variance};
    use super::*;

    fn pair(g: i64, h: i64) -> PairSum {
        PairSum { g, h, n: h }
    }

    /// What rows cost that all have one value, for each criterion, up to what no split changes.
    fn costs(sum: &PairSum, value: f64) -> [f64; 3] {
        let (ones, all) = (sum.g as f64, sum.h as f64);
        let squares = ones * (1.0 - value).powi(2) + (all - ones) * value.powi(2);
        let bits = -(ones * value.log2() + (all - ones) * (1.0 - value).log2());
        [squares - ones, 2.0 * squares, bits]
    }

    #[test]
    fn within_bounds_rows_cost_what_the_nearest_value_costs() {
        let bounds = Bounds { low: 0.25, high: 0.5 };
        for (sum, value) in [(pair(1, 8), 0.25), (pair(3, 8), 0.375), (pair(7, 8), 0.5)] {
            let found = [
                Bounded::new(Variance).within_of(bounds).cost(&sum),
                Bounded::new(Gini).within_of(bounds).cost(&sum),
                Bounded::new(Entropy).within_of(bounds).cost(&sum),
            ];
            for (found, expected) in found.into_iter().zip(costs(&sum, value)) {
                assert!((found - expected).abs() < 1e-12, "{sum:?}: {found} {expected}");
            }
            assert_eq!(Bounded::new(Gini).within_of(bounds).value_of(&sum), value);
        }
    }

    #[test]
    fn a_split_gains_the_difference_of_bounded_costs() {
        let (parent, left, right) = (pair(9, 20), pair(1, 10), pair(8, 10));
        for bounds in [Bounds::OPEN, Bounds { low: 0.3, high: 0.6 }, Bounds { low: 0.5, high: 0.6 }]
        {
            let gini = Bounded::new(Gini).within_of(bounds);
            let gain = Criterion::<PairSum>::gain(&gini, &parent, &left, &right);
            let expected = gini.cost(&parent) - gini.cost(&left) - gini.cost(&right);
            assert!((gain - expected).abs() < 1e-12, "{bounds:?}: {gain} {expected}");
        }
        // Both sides end up at the bound that the node is at already.
        let shut = Bounded::new(Variance).within_of(Bounds { low: -1.0, high: 0.05 });
        assert_eq!(shut.gain(&parent, &left, &right), 0.0);
    }

    impl<C: Valued<PairSum>> Bounded<C> {
        fn within_of(&self, bounds: Bounds) -> Bounded<C> {
            Criterion::<PairSum>::within(self, bounds)
        }

        fn value_of(&self, sum: &PairSum) -> f64 {
            Criterion::<PairSum>::value(self, sum).unwrap_or(f64::NAN)
        }
    }
}
