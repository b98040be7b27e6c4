//! Expected calibration error (Naeini, Cooper & Hauskrecht 2015; Guo et al. 2017): how far
//! probabilities are from what then happens.
//!
//! Rows are put into 15 bins of equal width by their probability; in each bin the mean probability
//! is compared with the share of rows for which it came true, and the differences are averaged by
//! weight. Two classes: the probability of the last class. More (or one): that of the predicted
//! class. To prefer over the log loss and the Brier score only beside them: to answer everyone with
//! the shares of the classes is perfectly calibrated, and useless.

use super::judged::Judged;
use super::sum::Sum;
use crate::scores::argmax;

const N_BINS: usize = 15;

pub(super) fn calibration_error(judged: &Judged<'_, u32>) -> f64 {
    // What came true beyond what was said, by bin.
    let mut excess = [Sum::default(); N_BINS];
    let mut total = Sum::default();
    for (scores, class, weight) in judged.rows() {
        let said = if scores.len() == 2 { 1 } else { argmax(scores) };
        let (p, came_true) = (scores[said], f64::from(u8::from(said == class as usize)));
        let bin = ((p * N_BINS as f64) as usize).min(N_BINS - 1);
        excess[bin].add(weight * (came_true - p));
        total.add(weight);
    }
    let apart: Sum = excess.into_iter().map(|excess| excess.value().abs()).collect();
    apart.value() / total.value()
}
