//! Statistics of a resample: of values, of which each stands there as often as its count says.
//!
//! Each is that of the sample written out, every value as often as its count, and NaN where that
//! has none: no values at all, a deviation of one value, a correlation with a constant.

/// The mean.
pub fn mean(values: &[f64], counts: &[u32]) -> f64 {
    let (total, middle) = total_and_mean(values, counts);
    if total > 0.0 { middle } else { f64::NAN }
}

/// The standard deviation, with one less than the number of values below the fraction line.
pub fn standard_deviation(values: &[f64], counts: &[u32]) -> f64 {
    let (total, mean) = total_and_mean(values, counts);
    let squares = counted(values, counts).map(|(x, count)| count * (x - mean) * (x - mean));
    if total > 1.0 { (squares.sum::<f64>() / (total - 1.0)).sqrt() } else { f64::NAN }
}

/// Pearson's correlation of two columns.
pub fn correlation(x: &[f64], y: &[f64], counts: &[u32]) -> f64 {
    let (mean_x, mean_y) = (total_and_mean(x, counts).1, total_and_mean(y, counts).1);
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for ((x, count), y) in x.iter().zip(counts).zip(y) {
        if *count > 0 {
            let (count, dx, dy) = (f64::from(*count), x - mean_x, y - mean_y);
            xx += count * dx * dx;
            xy += count * dx * dy;
            yy += count * dy * dy;
        }
    }
    if xx > 0.0 && yy > 0.0 { (xy / xx.sqrt() / yy.sqrt()).clamp(-1.0, 1.0) } else { f64::NAN }
}

/// Values in order, for their quantiles: sorted once, whatever the number of resamples.
#[derive(Debug, Clone)]
pub struct Ordered {
    /// Each value and its row, the smallest value first.
    order: Vec<(f64, u32)>,
}

impl Ordered {
    /// Sorts values; there are fewer than 2^32.
    pub fn new(values: &[f64]) -> Ordered {
        let mut order: Vec<(f64, u32)> = values.iter().copied().zip(0..).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ordered { order }
    }

    /// The median: the middle value, or the mean of the two in the middle.
    pub fn median(&self, counts: &[u32]) -> f64 {
        self.quantile(0.5, counts)
    }

    /// The value at `level` of the way from the smallest to the largest, `level` from 0 to 1: of
    /// `n` values the one at `level (n - 1)`, counted from 0, and between two of them as far as the
    /// fraction goes. This is the seventh definition of Hyndman & Fan (1996), that of R and NumPy.
    pub fn quantile(&self, level: f64, counts: &[u32]) -> f64 {
        let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        if total == 0 {
            return f64::NAN;
        }
        let place = level * (total - 1) as f64;
        let below = place.floor();
        let mut left = below as u64;
        let mut drawn = self.order.iter().filter(|(_, row)| counts[*row as usize] > 0);
        while let Some(&(value, row)) = drawn.next() {
            let count = u64::from(counts[row as usize]);
            if left < count {
                let next = if left + 1 < count { Some(value) } else { drawn.next().map(|n| n.0) };
                return between(value, next.unwrap_or(value), place - below);
            }
            left -= count;
        }
        f64::NAN
    }
}

/// The quantile of sorted values, each once.
pub(super) fn sorted_quantile(sorted: &[f64], level: f64) -> f64 {
    let place = level * (sorted.len() as f64 - 1.0);
    let (below, above) = (place.floor(), place.ceil());
    between(sorted[below as usize], sorted[above as usize], place - below)
}

/// The number a `share` of the way from `low` to `high`; the ends themselves without rounding.
fn between(low: f64, high: f64, share: f64) -> f64 {
    if share == 0.0 || low == high { low } else { low + share * (high - low) }
}

/// How many values stand there, and their mean. Values are measured from the first that counts,
/// so that large offsets cost no digits and the mean of equal values is that value.
pub(super) fn total_and_mean(values: &[f64], counts: &[u32]) -> (f64, f64) {
    let Some((first, _)) = counted(values, counts).next() else { return (0.0, 0.0) };
    let (mut total, mut sum) = (0.0, 0.0);
    for (x, count) in values.iter().zip(counts) {
        let count = f64::from(*count);
        total += count;
        sum += count * (x - first);
    }
    (total, first + sum / total)
}

/// The values that stand there, each with how often.
fn counted<'a>(values: &'a [f64], counts: &'a [u32]) -> impl Iterator<Item = (f64, f64)> + use<'a> {
    let there = values.iter().zip(counts).filter(|(_, count)| **count > 0);
    there.map(|(x, count)| (*x, f64::from(*count)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every value as often as its count.
    fn written_out(values: &[f64], counts: &[u32]) -> Vec<f64> {
        let repeat = |(&x, &n): (&f64, &u32)| std::iter::repeat_n(x, n as usize);
        values.iter().zip(counts).flat_map(repeat).collect()
    }

    fn obvious_mean(x: &[f64]) -> f64 {
        x.iter().sum::<f64>() / x.len() as f64
    }

    fn obvious_covariance(x: &[f64], y: &[f64]) -> f64 {
        let (mx, my) = (obvious_mean(x), obvious_mean(y));
        x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum::<f64>() / (x.len() as f64 - 1.0)
    }

    /// Hyndman and Fan's seventh definition, on a sample written out.
    fn obvious_quantile(mut x: Vec<f64>, level: f64) -> f64 {
        x.sort_by(f64::total_cmp);
        let place = (x.len() - 1) as f64 * level;
        let (j, g) = (place.floor() as usize, place.fract());
        x[j] + g * (x[(j + 1).min(x.len() - 1)] - x[j])
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-10 * (1.0 + b.abs())
    }

    fn rows() -> impl Strategy<Value = Vec<(f64, f64, u32)>> {
        let value = || prop_oneof![-50.0..50.0f64, (-3..3i32).prop_map(f64::from)];
        prop::collection::vec((value(), value(), 0..4u32), 1..30)
    }

    proptest! {
        #[test]
        fn statistics_are_those_of_the_sample_written_out(rows in rows(), level in 0.0..=1.0f64) {
            let x: Vec<f64> = rows.iter().map(|r| r.0).collect();
            let y: Vec<f64> = rows.iter().map(|r| r.1).collect();
            let counts: Vec<u32> = rows.iter().map(|r| r.2).collect();
            let (long_x, long_y) = (written_out(&x, &counts), written_out(&y, &counts));
            prop_assume!(long_x.len() > 1);
            prop_assert!(near(mean(&x, &counts), obvious_mean(&long_x)));
            let (xx, yy) = (obvious_covariance(&long_x, &long_x), obvious_covariance(&long_y, &long_y));
            prop_assert!(near(standard_deviation(&x, &counts), xx.sqrt()));
            let found = correlation(&x, &y, &counts);
            if xx.min(yy) > 1e-9 {
                prop_assert!(near(found, obvious_covariance(&long_x, &long_y) / (xx * yy).sqrt()));
            } else if [&long_x, &long_y].into_iter().any(|x| x.iter().all(|v| *v == x[0])) {
                prop_assert!(found.is_nan());
            }
            let ordered = Ordered::new(&x);
            prop_assert_eq!(ordered.quantile(level, &counts), obvious_quantile(long_x.clone(), level));
            let mut sorted = long_x.clone();
            sorted.sort_by(f64::total_cmp);
            prop_assert_eq!(sorted_quantile(&sorted, level), obvious_quantile(long_x, level));
            let (half, odd) = (sorted.len() / 2, sorted.len() % 2 == 1);
            let middle = if odd { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 };
            prop_assert!(near(ordered.median(&counts), middle));
        }
    }

    #[test]
    fn what_has_no_value_is_nan_and_what_is_constant_is_exact() {
        let x = [0.1, 0.3, 1e9];
        assert!(mean(&x, &[0, 0, 0]).is_nan() && Ordered::new(&x).median(&[0, 0, 0]).is_nan());
        assert!(standard_deviation(&x, &[0, 1, 0]).is_nan());
        assert!(correlation(&x, &[1.0, 2.0, 3.0], &[0, 3, 0]).is_nan());
        assert!(correlation(&x, &[7.0, 7.0, 7.0], &[1, 1, 1]).is_nan());
        assert_eq!((mean(&x, &[0, 3, 0]), standard_deviation(&x, &[0, 3, 0])), (0.3, 0.0));
        assert_eq!(correlation(&x, &[-0.1, -0.3, -1e9], &[2, 1, 1]), -1.0);
    }

    #[test]
    fn a_large_offset_costs_no_digits() {
        let x = [1e9 + 1.0, 1e9 + 2.0, 1e9 + 4.0];
        assert!((standard_deviation(&x, &[1, 1, 1]) - (7.0f64 / 3.0).sqrt()).abs() < 1e-9);
    }
}
