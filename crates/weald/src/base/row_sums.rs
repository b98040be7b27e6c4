//! Sums over the rows of a sample, of real numbers, that do not depend on anything but the rows.
//!
//! Weights and numbers are integers with a binary point each, and so are their products: any order
//! and any number of threads give the same sum, and a count of three is three rows to the bit. A
//! weight keeps 44 bits below the largest of its sample, a number 50 below a bound that is known
//! before summing; 2^32 products still fit into 128 bits.

use std::ops::{AddAssign, Range};

use crate::data::Weights;
use crate::error::{Error, Result};
use crate::run::of_stretches;

/// Bits of the largest weight.
const WEIGHT_BITS: i32 = 44;
/// Bits of the largest number.
const NUMBER_BITS: i32 = 50;
/// Exponents beyond which a power of two is no normal double.
const MOST_EXPONENT: i32 = 1000;
/// Adding 1.5 * 2^52 leaves the whole part of a number of at most 51 bits in the last bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// What rows weigh, at the most, whose products with numbers fit into 64 bits together.
const MOST_HELD: i64 = 1 << (62 - NUMBER_BITS);
/// Rows that a thread looks at at a time.
pub const STRETCH: usize = 1 << 11;

/// The weights of rows as integers.
#[derive(Debug, Clone)]
pub struct RowWeights {
    units: Vec<i64>,
    exponent: i32,
    total: i128,
}

/// Many sums over rows side by side. Rows that weigh little are added in 64 bits, which is many times
/// as fast, and carried over to 128 before those could overflow: the sums are the same.
#[derive(Debug, Clone)]
pub struct SideBySide {
    near: Vec<i64>,
    far: Vec<i128>,
    /// The weight of the rows in `near`.
    held: i64,
}

/// What a row adds to sums that stand side by side.
pub trait Terms {
    /// Adds `times` each number, in units of a [`FixedPoint`], to its sum.
    fn add_to<S: AddAssign + Copy>(&self, sums: &mut [S], times: impl Fn(i64) -> S);
}

/// Numbers up to a bound as integers.
#[derive(Debug, Clone, Copy)]
pub struct FixedPoint {
    exponent: i32,
    factor: f64,
}

impl RowWeights {
    /// The weights of so many rows; one must be positive.
    pub fn of(weights: &Weights, n_rows: usize) -> Result<RowWeights> {
        let (units, exponent): (Vec<i64>, i32) = match weights {
            Weights::Uniform => (vec![1; n_rows], 0),
            Weights::Counts(counts) => (counts.iter().map(|&count| count.into()).collect(), 0),
            Weights::Real(weights) => {
                let largest = weights.iter().copied().fold(0.0, f64::max);
                let fixed = FixedPoint::with_bits(largest, WEIGHT_BITS);
                (weights.iter().map(|&weight| fixed.units(weight)).collect(), fixed.exponent)
            }
        };
        match units.iter().map(|&units| i128::from(units)).sum() {
            0 => Err(Error::ZeroWeights(n_rows)),
            total => Ok(RowWeights { units, exponent, total }),
        }
    }

    /// How many rows there are.
    pub fn n_rows(&self) -> usize {
        self.units.len()
    }

    /// Whether a row counts at all.
    pub fn counts(&self, row: usize) -> bool {
        self.units[row] > 0
    }

    /// The weight of a row, in units of its own.
    pub fn units(&self, row: usize) -> i128 {
        self.small_units(row).into()
    }

    /// The same in 64 bits, which they fit into.
    pub fn small_units(&self, row: usize) -> i64 {
        self.units[row]
    }

    /// What all rows weigh.
    pub fn total(&self) -> f64 {
        self.weight(self.total)
    }

    /// A sum of weights in their units.
    pub fn weight(&self, units: i128) -> f64 {
        libm::ldexp(units as f64, -self.exponent)
    }

    /// A sum of products of weights and numbers.
    pub fn value(&self, sum: i128, of: FixedPoint) -> f64 {
        libm::ldexp(sum as f64, -self.exponent - of.exponent)
    }

    /// The weight of some rows.
    pub fn weight_of(&self, is_among: impl Fn(usize) -> bool + Sync) -> f64 {
        self.weight(self.add_up(|row| if is_among(row) { self.units(row) } else { 0 }))
    }

    /// The weighted sum of a number of each row that has one, of at most `bound` in size.
    pub fn sum(&self, bound: f64, number: impl Fn(usize) -> Option<f64> + Sync) -> f64 {
        let fixed = FixedPoint::for_largest(bound);
        let of_row = |row| number(row).map_or(0, |x| self.units(row) * i128::from(fixed.units(x)));
        self.value(self.add_up(of_row), fixed)
    }

    /// Weighted sums of several numbers of each row, each of at most its bound in size.
    pub fn sums<const N: usize>(
        &self,
        bounds: [f64; N],
        numbers: impl Fn(usize) -> [f64; N] + Sync,
    ) -> [f64; N] {
        let fixed = bounds.map(FixedPoint::for_largest);
        let stretch = |rows: Range<usize>| {
            let mut sums = [0i128; N];
            for row in rows.filter(|&row| self.counts(row)) {
                for ((sum, fixed), x) in sums.iter_mut().zip(&fixed).zip(numbers(row)) {
                    *sum += self.units(row) * i128::from(fixed.units(x));
                }
            }
            sums
        };
        let parts = of_stretches(self.n_rows(), STRETCH, stretch);
        let total = |at: usize| parts.iter().map(|sums| sums[at]).sum();
        std::array::from_fn(|at| self.value(total(at), fixed[at]))
    }

    /// The weighted mean of a number of each row that has one, of at most `bound` in size; `None` if
    /// no row that counts has.
    pub fn mean_of(&self, bound: f64, number: impl Fn(usize) -> Option<f64> + Sync) -> Option<f64> {
        let fixed = FixedPoint::for_largest(bound);
        let stretch = |rows: Range<usize>| {
            let known = rows.filter(|&row| self.counts(row)).filter_map(|row| {
                number(row).map(|x| (self.units(row), i128::from(fixed.units(x))))
            });
            known.fold((0, 0), |(weight, sum), (own, x)| (weight + own, sum + own * x))
        };
        let parts = of_stretches(self.n_rows(), STRETCH, stretch);
        let (weight, sum) = parts.into_iter().fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        // What is next to the bound may have been rounded beyond it.
        let mean = || libm::ldexp(sum as f64 / weight as f64, -fixed.exponent);
        (weight > 0).then(|| mean().clamp(-bound, bound))
    }

    /// The largest of a number of each row that counts and has one; 0 if there is none.
    pub fn largest(&self, number: impl Fn(usize) -> Option<f64>) -> f64 {
        let rows = (0..self.n_rows()).filter(|&row| self.counts(row));
        rows.filter_map(number).fold(0.0, f64::max)
    }

    fn add_up(&self, units: impl Fn(usize) -> i128 + Sync) -> i128 {
        let stretch =
            |rows: Range<usize>| -> i128 { rows.filter(|&row| self.counts(row)).map(&units).sum() };
        of_stretches(self.n_rows(), STRETCH, stretch).into_iter().sum()
    }
}

impl SideBySide {
    /// So many sums of nothing.
    pub fn new(n: usize) -> SideBySide {
        SideBySide { near: vec![0; n], far: vec![0; n], held: 0 }
    }

    /// Adds a row that weighs so many units.
    #[inline]
    pub fn add(&mut self, weight: i64, row: &impl Terms) {
        if weight > MOST_HELD {
            return row.add_to(&mut self.far, |units| i128::from(weight) * i128::from(units));
        }
        if self.held + weight > MOST_HELD {
            self.carry();
        }
        self.held += weight;
        match weight {
            1 => row.add_to(&mut self.near, |units| units),
            _ => row.add_to(&mut self.near, |units| weight * units),
        }
    }

    /// The sums.
    pub fn sums(mut self) -> Vec<i128> {
        self.carry();
        self.far
    }

    fn carry(&mut self) {
        for (far, near) in self.far.iter_mut().zip(&mut self.near) {
            *far += i128::from(std::mem::take(near));
        }
        self.held = 0;
    }
}

impl FixedPoint {
    /// A binary point that fits numbers up to `largest` in size.
    pub fn for_largest(largest: f64) -> FixedPoint {
        FixedPoint::with_bits(largest, NUMBER_BITS)
    }

    fn with_bits(largest: f64, bits: i32) -> FixedPoint {
        let exponent = if largest > 0.0 { bits - libm::frexp(largest).1 } else { 0 };
        let exponent = exponent.min(MOST_EXPONENT);
        FixedPoint { exponent, factor: libm::ldexp(1.0, exponent) }
    }

    /// A sum of such integers as a number.
    pub fn number(&self, units: i128) -> f64 {
        libm::ldexp(units as f64, -self.exponent)
    }

    /// A number as an integer, rounded.
    #[inline(always)]
    pub fn units(&self, x: f64) -> i64 {
        (x * self.factor + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_become_the_nearest_integers() {
        let fixed = FixedPoint::for_largest(1.0);
        let one = libm::ldexp(1.0, NUMBER_BITS - 1) as i64;
        let found: Vec<i64> =
            [1.0, -1.0, 0.5, -0.25, 0.0, -0.0, 1e-300].map(|x| fixed.units(x)).into();
        assert_eq!(found, [one, -one, one / 2, -one / 4, 0, 0, 0]);
        for x in [1e300, 5e-324, -1.5, 0.1] {
            let fixed = FixedPoint::for_largest(f64::abs(x));
            let back = libm::ldexp(fixed.units(x) as f64, -fixed.exponent);
            assert!((back - x).abs() <= 1e-14 * x.abs() || x == 5e-324, "{x} {back}");
        }
    }

    #[test]
    fn a_mean_is_within_the_bound() {
        let weights = RowWeights::of(&Weights::Uniform, 5).unwrap();
        assert_eq!(weights.mean_of(f64::MAX, |_| Some(f64::MAX)), Some(f64::MAX));
        assert_eq!(weights.mean_of(1.0, |row| (row > 2).then_some(0.25)), Some(0.25));
        assert_eq!(weights.mean_of(1.0, |_| None), None);
    }

    #[test]
    fn weights_of_every_kind_add_up() {
        let total = |weights: Weights, n| RowWeights::of(&weights, n).map(|w| w.total());
        assert_eq!(total(Weights::Uniform, 3), Ok(3.0));
        assert_eq!(total(Weights::counts(vec![2, 0, u32::MAX]).unwrap(), 3), Ok(4_294_967_297.0));
        assert_eq!(total(Weights::real(vec![0.25, 0.0, 1e9]).unwrap(), 3), Ok(1e9 + 0.25));
        assert_eq!(total(Weights::Counts([0, 0].into()), 2), Err(Error::ZeroWeights(2)));
        let tiny = [5e-324, 5e-324];
        assert_eq!(
            total(Weights::real(tiny.into()).unwrap(), 2),
            Ok(1.0),
            "their unit is no matter"
        );
        assert_eq!(total(Weights::Real(tiny.into()), 2), Err(Error::ZeroWeights(2)));
    }

    struct Pair([i64; 2]);

    impl Terms for Pair {
        fn add_to<S: AddAssign + Copy>(&self, sums: &mut [S], times: impl Fn(i64) -> S) {
            sums.iter_mut().zip(self.0).for_each(|(sum, units)| *sum += times(units));
        }
    }

    #[test]
    fn sums_side_by_side_never_overflow() {
        let largest = 1i64 << NUMBER_BITS;
        for weights in [[1, 1, 1], [3, MOST_HELD, 5], [MOST_HELD + 1, 1, 1 << WEIGHT_BITS]] {
            let (mut sums, mut expected) = (SideBySide::new(2), [0i128; 2]);
            for round in 0..9000 {
                let (weight, row) = (weights[round % 3], [largest, round as i64 - largest]);
                sums.add(weight, &Pair(row));
                for (sum, units) in expected.iter_mut().zip(row) {
                    *sum += i128::from(weight) * i128::from(units);
                }
            }
            assert_eq!(sums.sums(), expected);
        }
    }

    proptest! {
        #[test]
        fn a_count_is_so_many_rows_in_any_order(
            rows in prop::collection::vec((-1e6..1e6f64, 0u32..4), 1..60),
        ) {
            prop_assume!(rows.iter().any(|(_, count)| *count > 0));
            let counts = Weights::counts(rows.iter().map(|(_, count)| *count).collect()).unwrap();
            let counted = RowWeights::of(&counts, rows.len()).unwrap();
            let spelled: Vec<f64> = rows.iter().rev()
                .flat_map(|(x, count)| std::iter::repeat_n(*x, *count as usize)).collect();
            let plain = RowWeights::of(&Weights::Uniform, spelled.len()).unwrap();
            let sum = counted.sum(1e6, |row| Some(rows[row].0));
            prop_assert_eq!(sum, plain.sum(1e6, |row| Some(spelled[row])));
            let expected: f64 = spelled.iter().sum();
            prop_assert!((sum - expected).abs() <= 1e-6);
        }
    }
}
