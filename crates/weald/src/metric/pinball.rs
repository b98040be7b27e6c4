//! The pinball loss of predicted quantiles (Koenker & Bassett 1978): the mean over rows and levels.
//!
//! Lowest in expectation for the true quantiles. A plain number counts as a median, so that the
//! loss is half the mean absolute error. For one level it is scikit-learn's `mean_pinball_loss`.

use super::judged::Judged;
use super::sum::mean;

pub(super) fn pinball(judged: &Judged<'_, f64>, levels: &[f64]) -> f64 {
    let of_row = |scores: &[f64], truth: f64| {
        let of_level = |(level, score): (&f64, &f64)| {
            let left = truth - score;
            (if left >= 0.0 { level * left } else { (level - 1.0) * left }, 1.0)
        };
        mean(levels.iter().zip(scores).map(of_level))
    };
    mean(judged.rows().map(|(scores, truth, weight)| (of_row(scores, truth), weight)))
}
