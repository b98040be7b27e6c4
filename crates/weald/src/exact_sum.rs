//! Exact sums of real numbers, the same in any order.

/// Exact sums of real numbers: 128-bit integers with a binary point so placed that the largest
/// number still leaves room for 2^32 of them, and numbers down to 2^-37 of it lose nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExactSum {
    exponent: i32,
    /// `2^exponent` in two factors: it may itself be out of a double's range.
    factors: [f64; 2],
}

impl ExactSum {
    const BITS: i32 = 90;

    /// A binary point that fits numbers up to `largest` in size.
    pub fn for_largest(largest: f64) -> ExactSum {
        let exponent = if largest > 0.0 { ExactSum::BITS - libm::frexp(largest).1 } else { 0 };
        let half = exponent / 2;
        let factors = [libm::ldexp(1.0, half), libm::ldexp(1.0, exponent - half)];
        ExactSum { exponent, factors }
    }

    /// A number as an integer.
    pub fn units(&self, x: f64) -> i128 {
        (x * self.factors[0] * self.factors[1]).round() as i128
    }

    /// An integer as a number, divided by `weight`: finite even where the sum itself is not.
    pub fn mean(&self, units: i128, weight: f64) -> f64 {
        libm::ldexp(units as f64 / weight, -self.exponent)
    }

    /// An integer as a number.
    pub fn value(&self, units: i128) -> f64 {
        libm::ldexp(units as f64, -self.exponent)
    }
}

/// The sum of numbers, the same in any order.
pub fn exact_sum(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    let exact = ExactSum::for_largest(numbers.clone().map(f64::abs).fold(0.0, f64::max));
    exact.value(numbers.map(|x| exact.units(x)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn exact_sums_do_not_depend_on_order(mut numbers in prop::collection::vec(-1e6..1e6f64, 1..60)) {
            let exact = ExactSum::for_largest(1e6);
            let sum = |n: &[f64]| n.iter().map(|&x| exact.units(x)).sum::<i128>();
            let before = sum(&numbers);
            numbers.reverse();
            prop_assert_eq!(before, sum(&numbers));
            let plain: f64 = numbers.iter().sum();
            prop_assert!((exact.value(before) - plain).abs() <= 1e-8);
        }
    }

    #[test]
    fn extremes_are_exact() {
        for x in [1e300, 5e-324, -1.5, 0.1] {
            let exact = ExactSum::for_largest(f64::abs(x));
            assert_eq!(exact.value(exact.units(x)), x);
        }
    }
}
