//! Log loss, also called cross-entropy: minus the mean logarithm of the true class's probability.
//!
//! Probabilities are clipped to `[ε, 1 - ε]` with ε = 2⁻⁵², so a certain and wrong prediction
//! costs 36.04 and not infinity. They are not made to sum to one first.

use super::judged::Judged;
use super::sum::mean;

pub(super) fn log_loss(judged: &Judged<'_, u32>) -> f64 {
    let clip = |p: f64| p.clamp(f64::EPSILON, 1.0 - f64::EPSILON);
    let loss = |scores: &[f64], class: u32| -libm::log(clip(scores[class as usize]));
    mean(judged.rows().map(|(scores, class, w)| (loss(scores, class), w)))
}
