//! Confidence intervals from the replicates of a bootstrap.

use super::normal;
use super::statistic::sorted_quantile;

/// A confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// The percentile interval: what a share `confidence` of the replicates lies within.
    pub(super) fn percentile(sorted: &[f64], confidence: f64) -> Interval {
        let outside = (1.0 - confidence) / 2.0;
        Interval::between(sorted, outside, 1.0 - outside)
    }

    /// The interval that is corrected for bias and accelerated (Efron 1987): the percentile
    /// interval at other levels.
    ///
    /// An end whose level the formula carries past all replicates is the last of them. Where `z0`
    /// is infinite, because all replicates lie on one side of the estimate, there is nothing to
    /// correct by, and the interval is the percentile interval.
    pub(super) fn bca(sorted: &[f64], confidence: f64, z0: f64, acceleration: f64) -> Interval {
        if z0.is_infinite() {
            return Interval::percentile(sorted, confidence);
        }
        let outside = (1.0 - confidence) / 2.0;
        let level = |z: f64| {
            let shifted = z0 + z;
            let rest = 1.0 - acceleration * shifted;
            if rest <= 0.0 {
                return if shifted > 0.0 { 1.0 } else { 0.0 };
            }
            normal::cdf(z0 + shifted / rest) // Efron 1987, (2.3)
        };
        let z = normal::quantile(outside);
        Interval::between(sorted, level(z), level(-z))
    }

    fn between(sorted: &[f64], low: f64, high: f64) -> Interval {
        Interval { low: sorted_quantile(sorted, low), high: sorted_quantile(sorted, high) }
    }
}

/// The bias correction: where the estimate lies among the replicates, as a normal number.
/// Replicates that are the estimate count half.
pub(super) fn bias_correction(sorted: &[f64], estimate: f64) -> f64 {
    let below = sorted.partition_point(|x| *x < estimate);
    let not_above = sorted.partition_point(|x| *x <= estimate);
    normal::quantile((below + not_above) as f64 / (2 * sorted.len()) as f64)
}

/// The acceleration: how fast the standard error changes with the estimate, from the skewness of
/// the jackknife's values. Values that are no numbers are left out; without two that differ it is 0.
pub(super) fn acceleration(jackknife: &[f64]) -> f64 {
    let values: Vec<f64> = jackknife.iter().copied().filter(|x| x.is_finite()).collect();
    let Some(&first) = values.first() else { return 0.0 };
    let mean = first + values.iter().map(|x| x - first).sum::<f64>() / values.len() as f64;
    let largest = values.iter().fold(0.0, |most: f64, x| most.max((mean - x).abs()));
    if largest == 0.0 {
        return 0.0;
    }
    // Divided by the largest: cubes of small numbers would vanish.
    let (squares, cubes) = values.iter().fold((0.0, 0.0), |(squares, cubes), x| {
        let d = (mean - x) / largest;
        (squares + d * d, cubes + d * d * d)
    });
    cubes / (6.0 * squares * f64::sqrt(squares)) // Efron & Tibshirani 1993, (14.15)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hundred() -> Vec<f64> {
        (0..=100).map(f64::from).collect()
    }

    #[test]
    fn percentiles_are_read_off() {
        assert_eq!(Interval::percentile(&hundred(), 0.5), Interval { low: 25.0, high: 75.0 });
        assert_eq!(Interval::percentile(&[4.0], 0.9), Interval { low: 4.0, high: 4.0 });
    }

    #[test]
    fn without_bias_and_acceleration_both_intervals_are_the_same() {
        let (plain, corrected) =
            (Interval::percentile(&hundred(), 0.9), Interval::bca(&hundred(), 0.9, 0.0, 0.0));
        assert!((plain.low - corrected.low).abs() < 1e-9, "{plain:?} {corrected:?}");
        assert!((plain.high - corrected.high).abs() < 1e-9, "{plain:?} {corrected:?}");
    }

    #[test]
    fn ties_with_the_estimate_count_half() {
        assert_eq!(bias_correction(&[5.0; 7], 5.0), 0.0);
        assert_eq!(bias_correction(&[1.0, 2.0, 2.0, 3.0], 2.0), 0.0);
        let quarter = bias_correction(&[1.0, 2.0, 3.0, 4.0], 1.5);
        assert_eq!(quarter, normal::quantile(0.25));
        assert_eq!(bias_correction(&[1.0, 2.0], 9.0), f64::INFINITY);
        assert_eq!(bias_correction(&[1.0, 2.0], 0.0), f64::NEG_INFINITY);
    }

    #[test]
    fn all_replicates_on_one_side_leave_the_percentile_interval() {
        let plain = Interval::percentile(&hundred(), 0.9);
        for z0 in [f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Interval::bca(&hundred(), 0.9, z0, 0.1), plain);
        }
    }

    #[test]
    fn a_level_past_all_replicates_is_the_last_of_them() {
        assert_eq!(Interval::bca(&hundred(), 0.95, 1.0, 0.5).high, 100.0);
        assert_eq!(Interval::bca(&hundred(), 0.95, -1.0, -0.5).low, 0.0);
    }

    #[test]
    fn the_acceleration_is_a_sixth_of_the_skewness_over_the_root() {
        // Values left out one at a time of the mean: the skewness of (1, 1, 1, 5) is 2 / sqrt(3).
        let x = [1.0, 1.0, 1.0, 5.0];
        let without = x.map(|left_out| (8.0 - left_out) / 3.0);
        let expected = 2.0 / 3.0f64.sqrt() / 6.0 / 2.0;
        assert!((acceleration(&without) - expected).abs() < 1e-15);
        let tiny = without.map(|x| x * 1e-200);
        assert!((acceleration(&tiny) - expected).abs() < 1e-15);
        for flat in [&[][..], &[3.0], &[0.1; 9], &[f64::NAN, 2.0], &[f64::INFINITY]] {
            assert_eq!(acceleration(flat), 0.0);
        }
    }
}
