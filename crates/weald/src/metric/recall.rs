//! Recall: of the rows of the class, the share predicted as the class.
//!
//! Classes as for F1. A class that is predicted but never occurs has 0, as in scikit-learn; that
//! is where the mean of recalls and balanced accuracy differ.

use super::judged::Judged;
use super::tally::{Tally, share};

pub(super) fn recall(judged: &Judged<'_, u32>) -> f64 {
    Tally::of(judged).of_last_or_mean(|c| share(c.right, c.actual))
}
