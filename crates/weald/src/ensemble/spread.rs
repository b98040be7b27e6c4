//! The middle of weighted numbers: their median, and their mean without both ends.

/// The weighted median: half of the weight lies at or below it, half at or above. Where the weight
/// falls in two exact halves, the mean of the two numbers next to the middle. There is at least one
/// number, and all weights are above 0.
pub fn weighted_median(values: &mut [(f64, f64)]) -> f64 {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = values.iter().map(|(_, weight)| weight).sum();
    let mut below = 0.0;
    for (at, &(x, weight)) in values.iter().enumerate() {
        below += weight;
        if below == 0.5 * total && at + 1 < values.len() {
            return 0.5 * x + 0.5 * values[at + 1].0;
        }
        if below >= 0.5 * total {
            return x;
        }
    }
    values.last().map_or(f64::NAN, |last| last.0)
}

/// The weighted mean without `share` of the weight at either end; numbers at the cuts count in part.
pub fn trimmed_mean(values: &mut [(f64, f64)], share: f64) -> f64 {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = values.iter().map(|(_, weight)| weight).sum();
    let (from, to) = (share * total, (1.0 - share) * total);
    let (mut below, mut sum, mut inside) = (0.0, 0.0, 0.0);
    for &(x, weight) in values.iter() {
        let part = f64::min(below + weight, to) - f64::max(below, from);
        if part > 0.0 {
            sum += x * (part / (to - from));
            inside += part / (to - from);
        }
        below += weight;
    }
    sum / inside
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn equal(values: &[f64]) -> Vec<(f64, f64)> {
        values.iter().map(|&x| (x, 1.0)).collect()
    }

    #[test]
    fn worked_medians() {
        assert_eq!(weighted_median(&mut equal(&[3.0, 1.0, 2.0])), 2.0);
        assert_eq!(weighted_median(&mut equal(&[4.0, 1.0, 2.0, 3.0])), 2.5);
        assert_eq!(weighted_median(&mut [(1.0, 1.0), (2.0, 1.0), (9.0, 3.0)]), 9.0);
        assert_eq!(weighted_median(&mut [(1.0, 2.0), (2.0, 1.0), (9.0, 1.0)]), 1.5);
    }

    #[test]
    fn worked_trimmed_means() {
        assert_eq!(trimmed_mean(&mut equal(&[100.0, 1.0, 2.0, 3.0, -50.0]), 0.2), 2.0);
        // A tenth of five is half a number at either end.
        let half = trimmed_mean(&mut equal(&[1.0, 2.0, 3.0, 4.0, 10.0]), 0.1);
        assert!((half - (0.5 + 2.0 + 3.0 + 4.0 + 5.0) / 4.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn a_weight_of_two_is_the_number_twice(
            rows in prop::collection::vec((-9..9i32, 1..4u32), 1..12), share in 0.01..0.49f64,
        ) {
            let mut counted: Vec<(f64, f64)> =
                rows.iter().map(|&(x, n)| (f64::from(x), f64::from(n))).collect();
            let mut spelled: Vec<(f64, f64)> = rows
                .iter()
                .flat_map(|&(x, n)| std::iter::repeat_n((f64::from(x), 1.0), n as usize))
                .collect();
            prop_assert_eq!(weighted_median(&mut counted), weighted_median(&mut spelled));
            let (a, b) = (trimmed_mean(&mut counted, share), trimmed_mean(&mut spelled, share));
            prop_assert!((a - b).abs() < 1e-9);
        }
    }
}
