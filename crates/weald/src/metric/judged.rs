//! Predictions beside the truth, and how much each row counts.

use crate::data::Weights;
use crate::error::{Error, Result};
use crate::scores::Scores;

/// What a formula sees: scores, class codes or numbers, and weights, all of one length.
pub(super) struct Judged<'a, T> {
    pub scores: &'a Scores,
    pub truth: &'a [T],
    pub weights: &'a Weights,
}

impl<'a, T: Copy> Judged<'a, T> {
    /// The formula's answer, or NaN if no row counts or a score is NaN.
    pub fn by(&self, formula: impl FnOnce(&Self) -> f64) -> f64 {
        let mut any = false;
        for (scores, _, _) in self.rows() {
            if scores.iter().any(|s| s.is_nan()) {
                return f64::NAN;
            }
            any = true;
        }
        if any { formula(self) } else { f64::NAN }
    }

    /// The rows that count: scores, truth and weight.
    pub fn rows(&self) -> impl Iterator<Item = (&'a [f64], T, f64)> {
        let weights = self.weights;
        let rows = self.scores.rows().zip(self.truth).enumerate();
        rows.map(move |(row, (scores, &truth))| (scores, truth, weights.at(row)))
            .filter(|&(_, _, weight)| weight > 0.0)
    }
}

impl<'a> Judged<'a, f64> {
    /// A power of two near the largest number seen, and each row's error divided by it with the
    /// row's weight. Dividing by a power of two is exact, and squares of the quotients do not
    /// overflow.
    pub fn errors(&self) -> (f64, impl Iterator<Item = (f64, f64)>) {
        let magnitudes = self.rows().flat_map(|(scores, truth, _)| [scores[0].abs(), truth.abs()]);
        let scale = power_of_two(magnitudes.filter(|m| m.is_finite()).fold(0.0, f64::max));
        let errors = self.rows().map(move |(s, truth, w)| (s[0] / scale - truth / scale, w));
        (scale, errors)
    }
}

/// The weights, scaled by a power of two if sums of them could overflow or vanish: no metric
/// depends on their scale.
pub(super) fn usable(weights: &Weights) -> Result<Weights> {
    let Weights::Real(values) = weights else { return Ok(weights.clone()) };
    if let Some(row) = values.iter().position(|w| !w.is_finite() || *w < 0.0) {
        return Err(Error::BadWeight { row: row + 1, value: values[row] });
    }
    let largest = values.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 || (1e-100..=1e100).contains(&largest) {
        return Ok(weights.clone());
    }
    let scale = power_of_two(largest);
    Ok(Weights::Real(values.iter().map(|w| w / scale).collect()))
}

/// The largest power of two that is at most `x`; the smallest normal one if `x` is below it.
fn power_of_two(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    f64::from_bits(x.max(f64::MIN_POSITIVE).to_bits() & EXPONENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_found() {
        for (x, power) in [(1.0, 1.0), (3.9, 2.0), (0.3, 0.25), (0.0, f64::MIN_POSITIVE)] {
            assert_eq!(power_of_two(x), power);
        }
    }
}
