//! Balanced accuracy: accuracy as if every class were equally frequent.
//!
//! The plain mean over the classes of the share of their rows that are predicted right. Classes
//! without rows are left out. Prefer it over accuracy where one class is rare.

use super::judged::Judged;
use super::tally::{Tally, mean_over};

pub(super) fn balanced_accuracy(judged: &Judged<'_, u32>) -> f64 {
    let tally = Tally::of(judged);
    mean_over(tally.classes.iter().filter(|c| c.actual > 0.0), |c| c.right / c.actual)
}
