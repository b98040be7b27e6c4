//! Whether one method is better than another, or luckier in its folds.
//!
//! The differences of two methods, fold by fold, are not independent: any two folds train on mostly
//! the same rows. The plain t test takes them as if they were and finds differences far too often.
//! Nadeau & Bengio (*Inference for the generalization error*, 2003) correct the variance of their
//! mean from `1/k` to `1/k + n_test/n_train`: the corrected resampled t test.

use super::student;

/// What the test says of differences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedTest {
    /// The mean difference.
    pub mean: f64,
    /// The mean over its corrected standard error.
    pub t: f64,
    /// How likely a `t` so far from 0 is if there is no difference; two-sided, and of one
    /// comparison.
    pub p: f64,
}

/// The corrected resampled t test of differences over folds or other resamples, where each tests on
/// `test_per_train` times as many rows as it trains on. Differences that are NaN are left out; of
/// fewer than two there is no test.
pub fn corrected_t_test(differences: &[f64], test_per_train: f64) -> Option<PairedTest> {
    let known: Vec<f64> = differences.iter().copied().filter(|x| !x.is_nan()).collect();
    if known.len() < 2 {
        return None;
    }
    let k = known.len() as f64;
    let mean = known.iter().sum::<f64>() / k;
    let variance = known.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (k - 1.0);
    if known.iter().all(|&x| x == 0.0) {
        return Some(PairedTest { mean, t: 0.0, p: 1.0 });
    }
    let t = mean / ((1.0 / k + test_per_train) * variance).sqrt();
    Some(PairedTest { mean, t, p: student::two_sided(t, k - 1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_folds_by_hand() {
        let differences = [0.02, 0.01, 0.03, 0.00, 0.02, 0.01, 0.02, 0.03, 0.01, 0.02];
        let test = corrected_t_test(&differences, 1.0 / 9.0).unwrap();
        // By hand: squares that add up to 8.1e-4, over 9.
        let t = 0.017 / ((0.1 + 1.0 / 9.0) * 8.1e-4 / 9.0f64).sqrt();
        assert!((test.mean - 0.017).abs() < 1e-15 && (test.t - t).abs() < 1e-9, "{test:?}");
        // The plain test would find it more than twice as surely.
        let plain = corrected_t_test(&differences, 0.0).unwrap();
        assert!((plain.t / test.t - (1.0 + 10.0 / 9.0f64).sqrt()).abs() < 1e-12);
        assert!(plain.p < test.p && test.p < 0.01);
    }

    #[test]
    fn what_cannot_be_tested_is_said() {
        assert_eq!(corrected_t_test(&[0.1], 0.25), None);
        assert_eq!(corrected_t_test(&[0.1, f64::NAN], 0.25), None);
        let same = corrected_t_test(&[0.0, 0.0, 0.0], 0.25).unwrap();
        assert_eq!((same.t, same.p), (0.0, 1.0));
        let constant = corrected_t_test(&[0.5, 0.5], 0.25).unwrap();
        assert_eq!((constant.t, constant.p), (f64::INFINITY, 0.0));
    }
}
