//! R²: one minus the squared error over that of the best constant, the target's mean.
//!
//! 1 is perfect, 0 as good as the mean, negative worse. NaN where the target is constant, where
//! scikit-learn says 1 or 0.

use super::judged::Judged;
use super::sum::{Sum, mean};

pub(super) fn r2(judged: &Judged<'_, f64>) -> f64 {
    let (scale, errors) = judged.errors();
    let truths = || judged.rows().map(|(_, truth, w)| (truth / scale, w));
    let first = truths().next().map(|(truth, _)| truth);
    if truths().all(|(truth, _)| Some(truth) == first) {
        return f64::NAN;
    }
    let center = mean(truths());
    let squares = |pairs: &mut dyn Iterator<Item = (f64, f64)>| -> f64 {
        pairs.map(|(x, w)| w * x * x).collect::<Sum>().value()
    };
    let spread = squares(&mut truths().map(|(truth, w)| (truth - center, w)));
    1.0 - squares(&mut { errors }) / spread
}
