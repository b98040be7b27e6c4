//! Numbers as scaled integers.
//!
//! The scale is always a power of two, so numbers with few binary digits stay exact, and it
//! depends only on totals and extremes, never on the order or the number of rows: a row of weight
//! two is the same as the row twice.

use crate::data::Weights;
use crate::error::{Error, Result};
use crate::exact_sum::exact_sum;

/// Bits that a sum of weights may fill.
const WEIGHT_BITS: i32 = 31;
/// Bits that a sum of weighted targets may fill.
const SUM_BITS: i32 = 61;

/// Weights as integers.
#[derive(Debug, Clone, PartialEq)]
pub struct IntegerWeights {
    /// The weight of each row; `None` when every row weighs 1.
    pub units: Option<Vec<u32>>,
    /// Whether a weight is a number of copies of the row.
    pub are_counts: bool,
    /// Their sum.
    pub total: u64,
    /// The largest.
    pub largest: u32,
    /// What one unit weighs.
    pub unit: f64,
}

impl IntegerWeights {
    /// The weights of `n_rows` rows. Counts stay as they are; real weights are scaled so that
    /// their sum fills 31 bits, and no positive weight becomes 0.
    pub fn of(weights: &Weights, n_rows: usize) -> Result<IntegerWeights> {
        match weights {
            Weights::Uniform => Ok(IntegerWeights {
                units: None,
                are_counts: true,
                total: n_rows as u64,
                largest: 1,
                unit: 1.0,
            }),
            Weights::Counts(counts) => {
                let units: Vec<u32> = counts.to_vec();
                IntegerWeights::checked(units, true, 1.0)
            }
            Weights::Real(weights) => {
                if let Some(row) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
                    return Err(Error::BadWeight { row: row + 1, value: weights[row] });
                }
                let exponent = WEIGHT_BITS - 1 - exponent_of_sum(weights);
                let unit = |w: &f64| match *w {
                    0.0 => 0,
                    w => (scale(w, exponent).round() as u32).max(1),
                };
                let units = weights.iter().map(unit).collect();
                IntegerWeights::checked(units, false, scale(1.0, -exponent))
            }
        }
    }

    fn checked(units: Vec<u32>, are_counts: bool, unit: f64) -> Result<IntegerWeights> {
        let total = units.iter().map(|&u| u64::from(u)).sum();
        if total == 0 {
            return Err(Error::ZeroWeights(units.len()));
        }
        let largest = units.iter().copied().max().unwrap_or(0);
        Ok(IntegerWeights { units: Some(units), are_counts, total, largest, unit })
    }

    /// The weight of one row.
    pub fn at(&self, row: usize) -> u32 {
        self.units.as_ref().map_or(1, |units| units[row])
    }

    /// How often a row counts towards limits on rows.
    pub fn copies(&self, row: usize) -> u32 {
        if self.are_counts { self.at(row) } else { 1 }
    }
}

/// Numbers as integers around their mid-range.
#[derive(Debug, Clone, PartialEq)]
pub struct IntegerNumbers {
    /// `(value - centre) * 2^exponent`, rounded.
    pub units: Vec<i64>,
    /// What one unit is.
    pub unit: f64,
}

impl IntegerNumbers {
    /// `values` with so many bits that weighted sums over `total` units of weight cannot
    /// overflow, and at most `most_bits` for a single value. Values of rows without weight do not
    /// count and become 0.
    pub fn of(values: &[f64], weights: &IntegerWeights, most_bits: i32) -> IntegerNumbers {
        let counted = || (0..values.len()).filter(|&row| weights.at(row) > 0);
        let low = counted().map(|row| values[row]).fold(f64::INFINITY, f64::min);
        let high = counted().map(|row| values[row]).fold(f64::NEG_INFINITY, f64::max);
        let centre = 0.5 * low + 0.5 * high;
        let reach = (high - centre).max(centre - low);
        let bits = most_bits.min(SUM_BITS - bit_length(weights.total));
        let exponent = if reach > 0.0 { bits - exponent_of(reach) } else { 0 };
        let unit = |row: usize| match weights.at(row) {
            0 => 0,
            _ => scale(values[row] - centre, exponent).round() as i64,
        };
        IntegerNumbers { units: (0..values.len()).map(unit).collect(), unit: scale(1.0, -exponent) }
    }
}

/// The least `e` with `|x| < 2^e`.
fn exponent_of(x: f64) -> i32 {
    libm::frexp(x).1
}

/// An `e` with `2^(e-1) <= sum <= 2^e`, the same for every order of the numbers: the sum is taken
/// with enough slack that rounding cannot matter.
fn exponent_of_sum(numbers: &[f64]) -> i32 {
    exponent_of(exact_sum(numbers.iter().copied()))
}

fn bit_length(n: u64) -> i32 {
    (u64::BITS - n.leading_zeros()) as i32
}

/// `x * 2^exponent`, exact unless the result leaves the range of a double.
fn scale(x: f64, exponent: i32) -> f64 {
    libm::ldexp(x, exponent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn real_weights_fill_31_bits_and_none_vanishes(
            weights in prop::collection::vec(prop_oneof![Just(0.0), 1e-300..1e-280f64, 0.1..9.0f64], 1..50)
        ) {
            prop_assume!(weights.iter().any(|&w| w > 0.0));
            let integers = IntegerWeights::of(&Weights::Real(weights.clone().into()), weights.len()).unwrap();
            prop_assert!(integers.total < 1 << 32);
            for (row, &w) in weights.iter().enumerate() {
                prop_assert_eq!(integers.at(row) == 0, w == 0.0);
                let error = (f64::from(integers.at(row)) * integers.unit - w).abs();
                prop_assert!(error <= integers.unit);
            }
        }

        #[test]
        fn numbers_keep_their_order_and_distance(
            values in prop::collection::vec(-1e9..1e9f64, 2..50)
        ) {
            let weights = IntegerWeights::of(&Weights::Uniform, values.len()).unwrap();
            let integers = IntegerNumbers::of(&values, &weights, 52);
            for (a, b) in values.iter().zip(&values[1..]).enumerate().map(|(i, _)| (i, i + 1)) {
                let distance = (integers.units[a] - integers.units[b]) as f64 * integers.unit;
                prop_assert!((distance - (values[a] - values[b])).abs() <= 4.0 * integers.unit);
            }
        }
    }

    #[test]
    fn a_weight_of_two_is_the_row_twice() {
        let once = IntegerWeights::of(&Weights::Real([2.0, 0.3].into()), 2).unwrap();
        let twice = IntegerWeights::of(&Weights::Real([1.0, 1.0, 0.3].into()), 3).unwrap();
        assert_eq!(once.at(0), twice.at(0) + twice.at(1));
        assert_eq!((once.at(1), once.total), (twice.at(2), twice.total));
    }
}
