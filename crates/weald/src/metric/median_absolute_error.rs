//! The median absolute error: half of the weight errs less, whatever the other half does.
//!
//! Where a row's end is exactly half of the weight, the mean of it and the next larger error.

use super::judged::Judged;
use super::sum::Sum;

pub(super) fn median_absolute_error(judged: &Judged<'_, f64>) -> f64 {
    let (scale, errors) = judged.errors();
    let mut errors: Vec<(f64, f64)> = errors.map(|(e, w)| (e.abs(), w)).collect();
    errors.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let total = errors.iter().map(|e| e.1).collect::<Sum>().value();
    // What rounding may leave between a sum of weights and half of all.
    let slack = 4.0 * f64::EPSILON * total;
    let mut below = Sum::default();
    for (i, &(error, weight)) in errors.iter().enumerate() {
        below.add(weight);
        let over = below.value() - total / 2.0;
        if over > slack {
            return scale * error;
        }
        if over >= -slack {
            let next = errors.get(i + 1).map_or(error, |e| e.0);
            return scale * (error / 2.0 + next / 2.0);
        }
    }
    f64::NAN
}
