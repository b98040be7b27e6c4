//! RMSE: the root of the mean squared error, in the target's unit.

use super::judged::Judged;
use super::sum::mean;

pub(super) fn rmse(judged: &Judged<'_, f64>) -> f64 {
    let (scale, errors) = judged.errors();
    scale * mean(errors.map(|(e, w)| (e * e, w))).sqrt()
}
