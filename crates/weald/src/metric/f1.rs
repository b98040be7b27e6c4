//! F1: the harmonic mean of precision and recall, `2·tp / (2·tp + fp + fn)`.
//!
//! Two classes: of the last class. More: the plain mean over the classes that occur or are
//! predicted. NaN where the class neither occurs nor is predicted, where scikit-learn says 0.

use super::judged::Judged;
use super::tally::Tally;

pub(super) fn f1(judged: &Judged<'_, u32>) -> f64 {
    Tally::of(judged).of_last_or_mean(|c| 2.0 * c.right / (c.actual + c.predicted))
}
