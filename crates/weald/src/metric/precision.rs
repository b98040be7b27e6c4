//! Precision: of the rows predicted as the class, the share that are of it.
//!
//! Classes as for F1. A class that occurs but is never predicted has 0, as in scikit-learn.

use super::judged::Judged;
use super::tally::{Tally, share};

pub(super) fn precision(judged: &Judged<'_, u32>) -> f64 {
    Tally::of(judged).of_last_or_mean(|c| share(c.right, c.predicted))
}
