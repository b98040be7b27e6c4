//! Newton's step for several outputs at once: the gain of a split is the sum of theirs.
//!
//! Levels of a category have no best order where there are several outputs. They are sorted by the
//! smoothed value of one output; the outputs whose levels differ most, [`MOST_ORDERS`] at the most,
//! are tried in turn, and the best prefix of all counts with the gain of all outputs. A subset pays
//! for its name as with one output ([`LevelPenalty`](super::LevelPenalty)), for the name of the
//! output that it was sorted by, and for what noise gains in the other outputs.

use std::cmp::{Ordering, Reverse};

use super::Criterion;
use super::newton::{compare_smoothed, price_of_subset, shrink};
use crate::tree::kernel::vectors::{BLOCK_PAIRS, Ranked};
use crate::tree::statistic::VectorSum;

/// Outputs that levels are sorted by, at the most.
const MOST_ORDERS: usize = 3;

/// `-sum over outputs of factor * T(g)^2 / (h + l2)`, as [`Newton`](super::Newton) has it for one.
#[derive(Debug, Clone, Copy)]
pub struct VectorNewton<'a> {
    /// Penalties and units of each output.
    pub outputs: &'a [OutputUnits],
    /// The same as the kernels want it; `None` where they cannot rank.
    pub ranked: Option<&'a [Ranked]>,
    /// What a nat costs that names a subset of levels, in the unit of the loss.
    pub level_charge: f64,
    /// What a subset costs whatever its levels, in the unit of the loss.
    pub subset_charge: f64,
}

/// Penalties and units of one output.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutputUnits {
    /// What a unit of `g^2 / h` is in the unit of the loss.
    pub factor: f64,
    /// The penalty on the size of a leaf's value, in units of `g`.
    pub l1: f64,
    /// The penalty on its square, in units of `h`.
    pub l2: f64,
    /// Added to a level's `h` where levels are sorted, in units of `h`.
    pub smoothing: f64,
}

impl OutputUnits {
    /// How the kernels rank by these outputs. They know no `l1`.
    pub fn ranked(outputs: &[OutputUnits]) -> Option<Vec<Ranked>> {
        let nothing = Ranked { factor: [0.0; BLOCK_PAIRS], lambda: [1.0; BLOCK_PAIRS] };
        // One pair more holds the weight.
        let mut ranked = vec![nothing; (outputs.len() + 1).div_ceil(BLOCK_PAIRS)];
        for (at, output) in outputs.iter().enumerate() {
            let block = &mut ranked[at / BLOCK_PAIRS];
            block.factor[at % BLOCK_PAIRS] = output.factor;
            block.lambda[at % BLOCK_PAIRS] = output.l2;
        }
        outputs.iter().all(|output| output.l1 == 0.0).then_some(ranked)
    }

    /// What one Newton step of this output lowers the loss by, twice.
    #[inline(always)]
    fn gain(&self, (g, h): (i64, i64), l2: f64) -> f64 {
        let (g, h) = (shrink(g as f64, self.l1), h as f64 + l2);
        if h > 0.0 { self.factor * (g * g / h) } else { 0.0 }
    }
}

impl Criterion<VectorSum> for VectorNewton<'_> {
    fn ranked_vectors(&self) -> Option<&[Ranked]> {
        self.ranked
    }

    fn cost(&self, sum: &VectorSum) -> f64 {
        let gain = |(k, output): (usize, &OutputUnits)| output.gain(sum.pair(k), output.l2);
        -self.outputs.iter().enumerate().map(gain).sum::<f64>()
    }

    /// The outputs whose levels differ most, by what each level alone would gain.
    fn orders(&self, levels: &[VectorSum]) -> Vec<usize> {
        let spread = |k: usize| {
            let output = &self.outputs[k];
            let l2 = output.l2 + output.smoothing;
            let alone: f64 = levels.iter().map(|level| output.gain(level.pair(k), l2)).sum();
            let all = levels.iter().map(|level| level.pair(k));
            let all = all.fold((0, 0), |sum: (i64, i64), (g, h)| (sum.0 + g, sum.1 + h));
            alone - output.gain(all, l2)
        };
        let mut orders: Vec<(Reverse<u64>, usize)> = (0..self.outputs.len())
            // The bits of numbers that are not negative are in their order.
            .map(|k| (Reverse(spread(k).max(0.0).to_bits()), k))
            .collect();
        orders.sort_unstable();
        orders.into_iter().take(MOST_ORDERS).map(|(_, k)| k).collect()
    }

    fn compare_levels(&self, a: &VectorSum, b: &VectorSum, order: usize) -> Ordering {
        let output = &self.outputs[order];
        compare_smoothed(a.pair(order), b.pair(order), output.l2 + output.smoothing)
    }

    fn charge_of_levels(&self, n_left: usize, n_levels: usize) -> f64 {
        let fixed = if n_levels > 2 { self.subset_charge } else { 0.0 };
        fixed + price_of_subset(self.level_charge, n_left, n_levels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::statistic::{Layout, Statistic, Sum, Vectors};

    /// A sum of one row of these pairs.
    fn sum(pairs: &[(i32, i32)]) -> VectorSum {
        let mut rows = vec![[0; 8]; Vectors::n_blocks_for(pairs.len())];
        Vectors::write(&mut rows, pairs.iter().copied(), 1);
        let vectors = Vectors::new(rows, pairs.len(), Layout::default());
        let mut sum = vectors.zero();
        vectors.add(0, &mut sum);
        sum
    }

    fn free(outputs: &[OutputUnits]) -> VectorNewton<'_> {
        VectorNewton { outputs, ranked: None, level_charge: 0.0, subset_charge: 0.0 }
    }

    const PLAIN: OutputUnits = OutputUnits { factor: 1.0, l1: 0.0, l2: 0.0, smoothing: 0.0 };

    #[test]
    fn the_cost_is_the_sum_over_outputs_in_the_unit_of_the_loss() {
        let outputs = [
            OutputUnits { factor: 0.5, ..PLAIN },
            OutputUnits { factor: 2.0, l1: 3.0, l2: 2.0, smoothing: 0.0 },
        ];
        let criterion = free(&outputs);
        // 0.5 * 8^2 / 4 + 2 * (103 - 3)^2 / (48 + 2)
        assert_eq!(criterion.cost(&sum(&[(8, 4), (-103, 48)])), -(8.0 + 400.0));
        assert_eq!(criterion.cost(&sum(&[(0, 4), (2, 48)])), 0.0);
        assert_eq!(OutputUnits::ranked(&outputs), None);
    }

    #[test]
    fn levels_are_sorted_by_the_outputs_that_tell_them_apart_most() {
        let outputs = [PLAIN; 5];
        let criterion = free(&outputs);
        let levels = [
            sum(&[(1, 10), (50, 10), (30, 10), (7, 10), (2, 10)]),
            sum(&[(1, 10), (50, 10), (-30, 10), (-7, 10), (2, 10)]),
            sum(&[(2, 10), (50, 10), (0, 10), (0, 10), (2, 10)]),
        ];
        assert_eq!(criterion.orders(&levels), [2, 3, 0]);
        assert_eq!(criterion.compare_levels(&levels[0], &levels[1], 2), Ordering::Greater);
        assert_eq!(criterion.compare_levels(&levels[0], &levels[1], 0), Ordering::Equal);
        assert!(levels[0].rows() == 1);
    }

    #[test]
    fn a_subset_of_levels_pays_for_its_name() {
        let charged = |level_charge| {
            let outputs = [PLAIN; 2];
            let criterion = VectorNewton { level_charge, subset_charge: 0.1, ..free(&outputs) };
            let (left, right) = (sum(&[(-30, 50), (8, 50)]), sum(&[(30, 50), (-8, 50)]));
            let mut parent = left.clone();
            parent.merge(&right);
            criterion.gain_of_levels((&parent, &left, &right), (5, 10))
        };
        assert!((charged(0.0) + 0.1 - 2.0 * (900.0 + 64.0) / 50.0).abs() < 1e-9);
        assert!((charged(0.0) - charged(1.0) - 8.0 * 2f64.ln()).abs() < 1e-9);
        assert_eq!(charged(100.0), 0.0);
    }
}
