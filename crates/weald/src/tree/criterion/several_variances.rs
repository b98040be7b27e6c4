//! Variance of several outputs at once: the gain of a split is the sum of theirs.
//!
//! An output counts as it is given: one of larger numbers counts for more, as it does in the mean
//! squared error. Divide outputs by their scatter first if they are to count alike.
//!
//! Levels of a category have no best order where there are several outputs. They are sorted by the
//! mean of one output; the outputs whose levels differ most, [`MOST_ORDERS`] at the most, are tried
//! in turn, and the best prefix of all counts with the gain of all outputs.

use std::cmp::Reverse;

use super::{Criterion, cross_difference};
use crate::tree::statistic::{SeveralSum, Spread};

/// Outputs that levels are sorted by, at the most.
const MOST_ORDERS: usize = 3;

/// Squared distance from the means, up to the sum of squared targets, which no split changes.
#[derive(Debug, Clone, Copy)]
pub struct SeveralVariances<'a> {
    /// What a squared unit of each output counts.
    pub factors: &'a [f64],
}

impl SeveralVariances<'_> {
    fn sum(&self, term: impl Fn(usize) -> f64) -> f64 {
        self.factors.iter().enumerate().map(|(k, factor)| factor * term(k)).sum()
    }
}

impl Criterion<SeveralSum> for SeveralVariances<'_> {
    fn cost(&self, sum: &SeveralSum) -> f64 {
        if sum.h == 0 {
            return 0.0;
        }
        -self.sum(|k| squared_by(sum.g[k], sum.h))
    }

    fn noise(&self, _: &SeveralSum, spread: &Spread) -> f64 {
        spread.variance
    }

    /// As [`Variance`](super::Variance) has it for one output, with differences taken in exact
    /// integers.
    fn gain(&self, parent: &SeveralSum, left: &SeveralSum, right: &SeveralSum) -> f64 {
        let (h, hl, hr) = (parent.h as f64, left.h as f64, right.h as f64);
        let squares = self.sum(|k| {
            let difference = cross_difference(left.g[k], parent.h, parent.g[k], left.h);
            difference * difference
        });
        squares / (h * (hl * hr))
    }

    /// The outputs whose levels differ most, by what each level alone would gain.
    fn orders(&self, levels: &[SeveralSum]) -> Vec<usize> {
        let spread = |k: usize| {
            let alone: f64 = levels.iter().map(|level| squared_by(level.g[k], level.h)).sum();
            let all = levels.iter().fold((0, 0), |(g, h), level| (g + level.g[k], h + level.h));
            self.factors[k] * (alone - squared_by(all.0, all.1))
        };
        let mut orders: Vec<(Reverse<u64>, usize)> = (0..self.factors.len())
            // The bits of numbers that are not negative are in their order.
            .map(|k| (Reverse(spread(k).max(0.0).to_bits()), k))
            .collect();
        orders.sort_unstable();
        orders.into_iter().take(MOST_ORDERS).map(|(_, k)| k).collect()
    }
}

/// `g^2 / h`.
fn squared_by(g: i64, h: i64) -> f64 {
    let g = g as f64;
    if h == 0 { 0.0 } else { g * g / h as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Target, Weights};
    use crate::tree::criterion::Variance;
    use crate::tree::statistic::fixed_point::IntegerWeights;
    use crate::tree::statistic::{PairSum, SeveralPairs, Statistic, Sum};

    #[test]
    fn the_gain_is_the_sum_over_outputs_in_their_own_units() {
        let outputs = [vec![0.0, 4.0, 8.0, 2.0], vec![0.5, -0.25, 0.25, 0.0]];
        let names = ["a".to_string(), "b".into()].into();
        let Ok(Target::Several(several)) = Target::several(names, &outputs) else { panic!() };
        let weights = IntegerWeights::of(&Weights::Uniform, 4).unwrap();
        let (pairs, unit, entries) = SeveralPairs::new(&several, &weights);
        let criterion = SeveralVariances { factors: pairs.factors() };
        let sum = |rows: &[usize]| {
            let mut sum = pairs.zero();
            rows.iter().for_each(|&row| pairs.add(entries[row], &mut sum));
            sum
        };
        let (all, left, right) = (sum(&[0, 1, 2, 3]), sum(&[0, 3]), sum(&[1, 2]));
        // The means of `a` are 1 and 6, those of `b` 0.25 and 0: n_l n_r / n times their squared
        // differences.
        let expected = 1.0 * (25.0 + 0.0625);
        assert_eq!(criterion.gain(&all, &left, &right) * unit * unit, expected);
        let by_cost = criterion.cost(&all) - criterion.cost(&left) - criterion.cost(&right);
        assert!((by_cost * unit * unit - expected).abs() < 1e-9);
    }

    #[test]
    fn one_output_gains_to_the_bit_what_it_gains_alone() {
        let several = |g: i64, h: i64| SeveralSum { g: [g].into(), h, n: h };
        let pair = |g: i64, h: i64| PairSum { g, h, n: h };
        let criterion = SeveralVariances { factors: &[1.0] };
        for (g, h, gl, hl) in [(77, 10, 12, 3), (1 << 60, 1 << 17, -(1 << 58), 999), (5, 7, 5, 2)] {
            let gain = criterion.gain(&several(g, h), &several(gl, hl), &several(g - gl, h - hl));
            assert_eq!(gain, Variance.gain(&pair(g, h), &pair(gl, hl), &pair(g - gl, h - hl)));
        }
        assert!(several(1, 2).compare(&several(2, 3), 0).is_lt());
    }
}
