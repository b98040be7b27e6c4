//! Newton's step: gradients `g` and curvatures `h` of a loss (Friedman 2001; Chen & Guestrin 2016).

use std::cmp::Ordering;
use std::sync::LazyLock;

use super::{Criterion, RankedBy};
use crate::tree::constraints::Bounds;
use crate::tree::statistic::PairSum;

/// `-T(g)^2 / (h + l2)`, twice what one Newton step lowers the loss by, where `T` moves `g` by
/// `l1` towards 0. Penalties are in the units of the integers.
#[derive(Debug, Clone, Copy)]
pub struct Newton {
    /// The penalty on the size of a leaf's value, in units of `g`.
    pub l1: f64,
    /// The penalty on its square, in units of `h`.
    pub l2: f64,
    /// What keeps categories of many levels from fitting noise.
    pub levels: LevelPenalty,
    /// What the values of leaves must stay within, in units of `g` by units of `h`.
    pub bounds: Bounds,
}

/// What keeps categories of many levels from fitting noise.
///
/// Levels sorted by noise still make a gain. With `K` levels whose gradients are noise of variance
/// `dispersion * h` the best half of them gains about `0.64 K * dispersion`, where a cut of a
/// number gains that of a few levels. So a subset pays for the information that names it, as in
/// the minimum description length: `charge * dispersion * (K - 2) * H(share of levels left)` with
/// the entropy `H` in nats, 0.69 at one half. Two levels have one split and pay nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct LevelPenalty {
    /// Added to a level's `h` where levels are sorted by `g / h`, in units of `h`.
    pub smoothing: f64,
    /// What a nat costs, in the units of the gain.
    pub charge: f64,
}

impl Criterion<PairSum> for Newton {
    fn ranked_by(&self, _: &PairSum) -> Option<RankedBy> {
        let is_plain = self.l1 == 0.0 && self.bounds.are_open();
        is_plain.then_some(RankedBy { mean: 0.0, lambda: self.l2 })
    }

    fn cost(&self, sum: &PairSum) -> f64 {
        let h = sum.h as f64 + self.l2;
        if self.bounds.are_open() {
            let g = shrink(sum.g as f64, self.l1);
            return if h > 0.0 { -(g * g / h) } else { 0.0 };
        }
        // Twice what a step of `v` changes the loss by.
        let v = self.step(sum);
        2.0 * (sum.g as f64 * v + self.l1 * v.abs()) + h * v * v
    }

    fn value(&self, sum: &PairSum) -> Option<f64> {
        Some(self.step(sum))
    }

    fn within(&self, bounds: Bounds) -> Newton {
        Newton { bounds, ..*self }
    }

    /// By the value that each would have as a leaf, smoothed, in exact integers.
    fn compare_levels(&self, a: &PairSum, b: &PairSum, _: usize) -> Ordering {
        compare_smoothed((a.g, a.h), (b.g, b.h), self.l2 + self.levels.smoothing)
    }

    fn charge_of_levels(&self, n_left: usize, n_levels: usize) -> f64 {
        price_of_subset(self.levels.charge, n_left, n_levels)
    }
}

impl Newton {
    /// The best step within bounds.
    fn step(&self, sum: &PairSum) -> f64 {
        let h = sum.h as f64 + self.l2;
        let step = if h > 0.0 { -shrink(sum.g as f64, self.l1) / h } else { 0.0 };
        self.bounds.clamp(step)
    }
}

/// Compares `g / (h + smoothing)` of two pairs in exact integers.
pub(super) fn compare_smoothed(a: (i64, i64), b: (i64, i64), smoothing: f64) -> Ordering {
    let smoothing = i128::from(smoothing.round() as i64);
    let h = |pair: (i64, i64)| i128::from(pair.1) + smoothing;
    (i128::from(a.0) * h(b)).cmp(&(i128::from(b.0) * h(a)))
}

/// What it costs to name `n_left` of `n_levels` levels, as [`LevelPenalty`] counts it.
pub fn price_of_subset(charge: f64, n_left: usize, n_levels: usize) -> f64 {
    if n_levels <= 2 || charge == 0.0 {
        return 0.0;
    }
    let share = (n_levels - 2) as f64 / n_levels as f64;
    let nats = n_log_n(n_levels) - n_log_n(n_left) - n_log_n(n_levels - n_left);
    charge * share * nats
}

/// `n ln n`. Most categories have few levels, and their logarithms are at hand.
fn n_log_n(n: usize) -> f64 {
    static SMALL: LazyLock<[f64; 257]> = LazyLock::new(|| std::array::from_fn(of));
    fn of(n: usize) -> f64 {
        if n == 0 { 0.0 } else { n as f64 * libm::log(n as f64) }
    }
    SMALL.get(n).copied().unwrap_or_else(|| of(n))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(g: i64, h: i64) -> PairSum {
        PairSum { g, h, n: h }
    }

    fn newton(smoothing: f64, charge: f64) -> Newton {
        Newton {
            l1: 0.0,
            l2: 0.0,
            levels: LevelPenalty { smoothing, charge },
            bounds: Bounds::OPEN,
        }
    }

    #[test]
    fn smoothing_moves_a_level_of_few_rows_towards_the_others() {
        let (few, many) = (pair(3, 3), pair(80, 100));
        assert_eq!(newton(0.0, 0.0).compare_levels(&few, &many, 0), Ordering::Greater);
        assert_eq!(newton(10.0, 0.0).compare_levels(&few, &many, 0), Ordering::Less);
        // More than any integer holds: a tiny second derivative makes units that small.
        assert_eq!(newton(1e30, 0.0).compare_levels(&few, &many, 0), Ordering::Less);
    }

    #[test]
    fn a_subset_pays_for_what_names_it() {
        let (parent, left, right) = (pair(0, 1000), pair(-300, 500), pair(300, 500));
        let gain = |charge, n| newton(0.0, charge).gain_of_levels((&parent, &left, &right), n);
        let free = gain(0.0, (5, 10));
        assert_eq!(free, 360.0);
        // Half of ten levels: 8 * ln 2.
        assert!((free - gain(1.0, (5, 10)) - 8.0 * 2f64.ln()).abs() < 1e-9);
        // One of a thousand: 998 * H(1/1000).
        let entropy = -(0.001 * 0.001f64.ln() + 0.999 * 0.999f64.ln());
        assert!((free - gain(1.0, (1, 1000)) - 998.0 * entropy).abs() < 1e-9);
        // Two levels have one split; all levels against missing is one split as well.
        assert_eq!([gain(9.0, (1, 2)), gain(9.0, (10, 10))], [free, free]);
        // It never pays more than it gains.
        assert_eq!(gain(1.0, (500, 1000)), 0.0);
    }

    #[test]
    fn a_bounded_step_costs_what_it_changes_the_loss_by() {
        let free = Newton { l1: 3.0, l2: 2.0, ..newton(0.0, 0.0) };
        let sum = pair(-103, 48);
        assert_eq!((free.value(&sum), free.cost(&sum)), (Some(2.0), -200.0));
        let loose = free.within(Bounds { low: -9.0, high: 9.0 });
        assert_eq!((loose.value(&sum), loose.cost(&sum)), (Some(2.0), -200.0));
        // 2 (g v + l1 v) + (h + l2) v^2 at v = 1.
        let tight = free.within(Bounds { low: -9.0, high: 1.0 });
        assert_eq!((tight.value(&sum), tight.cost(&sum)), (Some(1.0), -150.0));
    }
}
