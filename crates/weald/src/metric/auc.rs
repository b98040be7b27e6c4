//! AUC: the area under the ROC curve.
//!
//! The probability that a row of the class has a higher score than a row that is not of it, ties
//! counted half; rows are drawn in proportion to their weights. Two classes: the score of the last
//! class. More: the plain mean of each class against the rest, which is scikit-learn's
//! `roc_auc_score(multi_class="ovr")`; classes that do not occur are left out, where scikit-learn
//! refuses. NaN if only one class occurs.

use super::judged::Judged;
use super::ranking::{Tie, of_last_or_mean};
use super::sum::Sum;

pub(super) fn auc(judged: &Judged<'_, u32>) -> f64 {
    of_last_or_mean(judged, of_ranking)
}

fn of_ranking(ties: &[Tie]) -> f64 {
    let (mut above, mut below, mut area) = (Sum::default(), Sum::default(), Sum::default());
    for tie in ties {
        area.add(tie.negative * (above.value() + tie.positive / 2.0));
        above.add(tie.positive);
        below.add(tie.negative);
    }
    area.value() / (above.value() * below.value())
}
