//! Average precision: the area under the precision-recall curve, `Σ (Rₙ - Rₙ₋₁) Pₙ` over the
//! distinct scores, the highest first, without interpolation.
//!
//! Two classes: of the last class. More: the plain mean of each class against the rest, over the
//! classes that occur. NaN if the class does not occur, where scikit-learn says 0. Prefer it over
//! AUC where the class is rare and only the top of the ranking matters.

use super::judged::Judged;
use super::ranking::{Tie, of_last_or_mean};
use super::sum::Sum;

pub(super) fn average_precision(judged: &Judged<'_, u32>) -> f64 {
    of_last_or_mean(judged, of_ranking)
}

fn of_ranking(ties: &[Tie]) -> f64 {
    let (mut found, mut seen, mut area) = (Sum::default(), Sum::default(), Sum::default());
    for tie in ties {
        found.add(tie.positive);
        seen.add(tie.positive);
        seen.add(tie.negative);
        area.add(tie.positive * found.value() / seen.value());
    }
    area.value() / found.value()
}
