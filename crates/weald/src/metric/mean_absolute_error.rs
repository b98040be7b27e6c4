//! The mean absolute error: less moved by a few large errors than RMSE.

use super::judged::Judged;
use super::sum::mean;

pub(super) fn mean_absolute_error(judged: &Judged<'_, f64>) -> f64 {
    let (scale, errors) = judged.errors();
    scale * mean(errors.map(|(e, w)| (e.abs(), w)))
}
