//! Numbers to predict of extreme size, as multiples of a power of two.
//!
//! Squares of targets, and sums of them by weight, leave the range of doubles long before targets do.
//! A method whose answers grow with its targets is therefore fitted to targets of usual size, and
//! its answers are multiplied afterwards: by a power of two, so that nothing is rounded.

use std::sync::Arc;

use super::sample::{Sample, Weights};
use super::target::{SeveralNumbers, Target};

/// Powers of two that the range of targets may be of as it is, up or down.
const USUAL: i32 = 60;

/// Targets of usual size.
#[derive(Debug, Clone, PartialEq)]
pub struct Rescaled {
    /// The targets, divided by `2^exponent`.
    pub target: Target,
    /// What answers to them are multiplied by, as a power of two.
    pub exponent: i32,
}

impl Rescaled {
    /// The targets of a sample by a power of two that brings the range of those that count to
    /// between one half and 1; `None` if it is of usual size, and for classes.
    pub fn of(sample: &Sample<'_>) -> Option<Rescaled> {
        let exponent = exponent_beyond_usual(sample.target, sample.weights);
        match exponent {
            0 => None,
            _ => Some(Rescaled { target: scaled(sample.target, -exponent)?, exponent }),
        }
    }
}

/// The exponent that targets are to be divided by before they are squared: 0 if they are of usual size.
pub fn exponent_beyond_usual(target: &Target, weights: &Weights) -> i32 {
    exponent_of(target, weights).filter(|exponent| exponent.abs() > USUAL).unwrap_or(0)
}

/// The power of two above the range of the targets that count; above their size, if all are equal.
/// `None` for classes, and if all are 0.
fn exponent_of(target: &Target, weights: &Weights) -> Option<i32> {
    let counts = |row: &usize| weights.at(*row) > 0.0;
    // Halves, since the range of the largest doubles is none of them.
    let extremes = |(low, high): (f64, f64), y: f64| (low.min(0.5 * y), high.max(0.5 * y));
    let none = (f64::INFINITY, f64::NEG_INFINITY);
    let half_size = |(low, high): (f64, f64)| match high - low {
        range if range > 0.0 => range,
        _ => high.abs(),
    };
    let half = match target {
        Target::Classes(_) | Target::SeveralClasses(_) => return None,
        Target::Numbers(values) => {
            let values = (0..values.len()).filter(counts).map(|row| values[row]);
            half_size(values.fold(none, extremes))
        }
        Target::Several(several) => {
            let of_output = |k: usize| {
                let values = (0..several.n_rows()).filter(counts).map(|row| several.row(row)[k]);
                half_size(values.fold(none, extremes))
            };
            (0..several.n_outputs()).map(of_output).fold(0.0, f64::max)
        }
    };
    // Half of the smallest doubles is 0.
    (half > 0.0 && half.is_finite()).then(|| libm::frexp(half).1 + 1)
}

/// The targets times a power of two; `None` for classes.
pub fn scaled(target: &Target, exponent: i32) -> Option<Target> {
    match target {
        Target::Classes(_) | Target::SeveralClasses(_) => None,
        Target::Numbers(values) => {
            let mut values = values.to_vec();
            multiply(&mut values, exponent);
            Some(Target::Numbers(values.into()))
        }
        Target::Several(several) => {
            Some(Target::Several(SeveralNumbers::scaled(several, |values| {
                let mut values = values.to_vec();
                multiply(&mut values, exponent);
                Arc::from(values)
            })))
        }
    }
}

/// Multiplies numbers by a power of two; what would be infinite is the largest number.
pub fn multiply(numbers: &mut [f64], exponent: i32) {
    for x in numbers {
        *x = libm::ldexp(*x, exponent).clamp(-f64::MAX, f64::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Table};

    fn rescaled(y: &[f64], weights: &Weights) -> Option<(Vec<f64>, i32)> {
        let x = Column::numeric(vec![0.0; y.len()]);
        let table = Table::new(vec![("x".into(), x)]).unwrap();
        let target = Target::numbers(y.to_vec()).unwrap();
        let found = Rescaled::of(&Sample::new(&table, &target, weights).unwrap())?;
        let Target::Numbers(values) = found.target else { panic!() };
        Some((values.to_vec(), found.exponent))
    }

    #[test]
    fn targets_of_any_size_become_the_same() {
        let y = [3.0, -1.5, 0.25, 1.0];
        for k in [-1040, -960, -400, -100, 100, 400, 900, 1021] {
            let by_power: Vec<f64> = y.iter().map(|&y| libm::ldexp(y, k)).collect();
            let (found, exponent) = rescaled(&by_power, &Weights::Uniform).unwrap();
            assert_eq!(found, y.map(|y| y / 8.0), "{k}");
            assert_eq!(exponent, k + 3);
        }
        for k in [-50, 0, 50] {
            let by_power: Vec<f64> = y.iter().map(|&y| libm::ldexp(y, k)).collect();
            assert_eq!(rescaled(&by_power, &Weights::Uniform), None);
        }
    }

    #[test]
    fn only_rows_that_count_say_how_large_targets_are() {
        let absent = Weights::counts(vec![1, 1, 0]).unwrap();
        assert_eq!(rescaled(&[1.0, 2.0, 1e300], &absent), None);
        let (found, _) = rescaled(&[1e-200, 2e-200, 1e300], &absent).unwrap();
        assert!(found[1] > 0.1 && found[2] == f64::MAX);
        assert_eq!(rescaled(&[0.0, 0.0, 1e300], &absent), None);
        let (found, exponent) = rescaled(&[1e300, 1e300], &Weights::Uniform).unwrap();
        assert!(found[0] == found[1] && libm::ldexp(found[0], exponent) == 1e300);
        let (found, _) = rescaled(&[-1.7e308, 1.7e308], &Weights::Uniform).unwrap();
        assert!(found[0] == -found[1] && found[1] <= 0.5);
    }
}
