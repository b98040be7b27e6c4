//! The Brier score: the mean squared error of the probabilities.
//!
//! Two classes: `(p - y)²` of the last class. More (or one): summed over the classes, so that the
//! worst is 2.

use super::judged::Judged;
use super::sum::mean;

pub(super) fn brier(judged: &Judged<'_, u32>) -> f64 {
    let first = usize::from(judged.scores.width() == 2);
    let square = |scores: &[f64], class: u32| -> f64 {
        let truth = |c: usize| f64::from(u8::from(c == class as usize));
        (first..scores.len()).map(|c| (scores[c] - truth(c)) * (scores[c] - truth(c))).sum()
    };
    mean(judged.rows().map(|(scores, class, w)| (square(scores, class), w)))
}
