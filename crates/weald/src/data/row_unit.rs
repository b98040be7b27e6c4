//! The power of two near what a row weighs: what parameters count in that stand for rows.
//!
//! A penalty of 1 beside the losses of the rows, or a level's share smoothed by one row, would vanish
//! or be all there is where weights are in another unit. Such parameters are multiplied by this.

use super::sample::Weights;
use crate::exact_sum::ExactSum;

/// A row weighs from here to twice as much, in this unit: neither rows of weight 1 nor of 1 and 2 are
/// near either end, where a little more would double the unit.
const LEAST: f64 = 0.875;

impl Weights {
    /// The power of two near what a row weighs where weights are real; 1 where rows are counted.
    ///
    /// What a row weighs is the sum of squared weights by that of weights: the sum of weights in this
    /// unit is Kish's effective number of rows (1965). Rows that weigh next to nothing do not change it.
    /// All weights times a power of two is the unit times that, to the bit, and in any order of rows.
    pub fn row_unit(&self) -> f64 {
        match self {
            Weights::Uniform | Weights::Counts(_) => 1.0,
            Weights::Real(weights) => libm::ldexp(1.0, exponent_of_unit(weights)),
        }
    }
}

/// The exponent of the unit; 0 if all weights are 0.
pub(super) fn exponent_of_unit(weights: &[f64]) -> i32 {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return 0;
    }
    let exponent = libm::frexp(largest).1;
    let exact = ExactSum::for_largest(1.0);
    let (mut sum, mut squares) = (0i128, 0i128);
    for &weight in weights {
        let share = libm::ldexp(weight, -exponent);
        sum = exact.units(share).saturating_add(sum);
        squares = exact.units(share * share).saturating_add(squares);
    }
    let row = exact.value(squares) / exact.value(sum);
    exponent + libm::frexp(row / LEAST).1 - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(weights: &[f64]) -> f64 {
        Weights::Real(weights.into()).row_unit()
    }

    #[test]
    fn the_unit_is_what_a_row_weighs() {
        assert_eq!(unit(&[1.0, 1.0, 1.0]), 1.0);
        assert_eq!(unit(&[1.0, 2.0, 1.0, 2.0]), 1.0);
        assert_eq!(unit(&[3.0, 4.0]), 4.0);
        assert_eq!(unit(&[0.9, 0.9]), 1.0);
        assert_eq!(unit(&[0.87]), 0.5);
        assert_eq!(unit(&[0.0, 0.0]), 1.0);
        assert_eq!(Weights::counts(vec![7, 9]).unwrap().row_unit(), 1.0);
        // One row is as good as all of the weight.
        assert_eq!(unit(&[1024.0, 1e-9, 1e-9, 0.0]), 1024.0);
    }

    #[test]
    fn rows_of_next_to_no_weight_and_the_order_of_rows_do_not_change_it() {
        let mut weights = vec![0.7, 1.3, 2.2, 0.4];
        let plain = unit(&weights);
        weights.extend([1e-300; 1000]);
        assert_eq!(unit(&weights), plain);
        weights.reverse();
        assert_eq!(unit(&weights), plain);
        for k in [-1040, -300, -1, 5, 1000] {
            let times: Vec<f64> = [0.75, 1.25, 2.0].map(|w| libm::ldexp(w, k)).to_vec();
            assert_eq!(exponent_of_unit(&times), exponent_of_unit(&[0.75, 1.25, 2.0]) + k);
        }
    }
}
