//! Accuracy: the share of rows whose predicted class is right.
//!
//! The predicted class is the one of largest score, the lowest on ties.

use super::judged::Judged;
use super::sum::mean;
use crate::scores::argmax;

pub(super) fn accuracy(judged: &Judged<'_, u32>) -> f64 {
    let right = |scores, class: u32| argmax(scores) == class as usize;
    mean(judged.rows().map(|(scores, class, w)| (f64::from(right(scores, class)), w)))
}
