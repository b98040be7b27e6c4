//! A distribution that boosting changes round after round.
//!
//! It is over rows, or over pairs of a row and a class. Weights are integers that are not
//! normalised: a round that raises the weight of some rows leaves those of the others as they are,
//! so that whoever keeps sums over rows need look at the changed ones alone. Sums do not depend on
//! the order of rows, and a row that stands there twice is the row of count 2.

use std::ops::Range;
use std::sync::Arc;

use super::sample::Weights;
use crate::error::{Error, Result};
use crate::run::{map_stretches, of_stretches};

/// Bits that the sum of all weights has to begin with.
const TOTAL_BITS: i32 = 50;
/// Bits that it has at the least and at the most; beyond, all weights are scaled.
const LEAST_BITS: i32 = 44;
const MOST_BITS: i32 = 62;
/// Bits of the weights that learners are given: they make integers of their own of them.
const LEARNER_BITS: i32 = 29;
/// Bits that a number has behind the binary point when it is averaged.
const MEAN_BITS: i32 = 40;

/// Entries that a thread looks at at a time.
const STRETCH: usize = 1 << 14;

/// How much rows count in a round, or pairs of a row and one of `width` classes.
#[derive(Debug, Clone)]
pub struct Distribution {
    /// What each copy of a row weighs.
    units: Vec<u64>,
    copies: Option<Arc<[u32]>>,
    width: usize,
    /// How many entries of some weight there are, each as often as its row stands there.
    n_copies: u64,
    total: u64,
    /// Room for the units of the next round.
    spare: Vec<u64>,
}

impl Distribution {
    /// The distribution of rows that their weights make.
    pub fn of(weights: &Weights, n_rows: usize) -> Result<Distribution> {
        Distribution::over_pairs(weights, (n_rows, 1), |_, _| true)
    }

    /// The same over those pairs of a row and one of `width` classes that there are.
    pub fn over_pairs(
        weights: &Weights,
        (n_rows, width): (usize, usize),
        exists: impl Fn(usize, usize) -> bool,
    ) -> Result<Distribution> {
        let copies = match weights {
            Weights::Counts(counts) => Some(counts.clone()),
            Weights::Uniform | Weights::Real(_) => None,
        };
        let of_copy = |entry: usize| match weights.copies(entry / width) {
            (1.., weight) if exists(entry / width, entry % width) => weight,
            _ => 0.0,
        };
        let reals: Vec<f64> = (0..n_rows * width).map(of_copy).collect();
        let there = (0..reals.len()).filter(|&entry| reals[entry] > 0.0);
        let n_copies = there.map(|entry| u64::from(weights.copies(entry / width).0)).sum();
        let (units, spare, total) = (Vec::new(), Vec::new(), 0);
        let mut made = Distribution { units, copies, width, n_copies, total, spare };
        if n_copies == 0 {
            return Err(Error::ZeroWeights(n_rows));
        }
        made.rescale(&reals);
        Ok(made)
    }

    /// How many rows.
    pub fn n_rows(&self) -> usize {
        self.units.len() / self.width
    }

    /// What each copy of each row weighs, pair by pair, in a unit of its own.
    pub fn units(&self) -> &[u64] {
        &self.units
    }

    /// How often a row stands there.
    pub fn copies(&self, row: usize) -> u32 {
        self.copies.as_ref().map_or(1, |copies| copies[row])
    }

    /// What all weigh together.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Whether a row may stand there several times.
    pub fn has_copies(&self) -> bool {
        self.copies.is_some()
    }

    /// How many entries of some weight there are, each as often as its row stands there.
    pub fn n_copies(&self) -> u64 {
        self.n_copies
    }

    /// What all copies of an entry weigh.
    fn at(&self, entry: usize) -> u64 {
        match &self.copies {
            None => self.units[entry],
            Some(copies) => self.units[entry] * u64::from(copies[entry / self.width]),
        }
    }

    /// The weight of those entries, of all.
    pub fn share(&self, is_among: impl Fn(usize) -> bool + Sync) -> f64 {
        let some = self.sum(|entry, unit| if is_among(entry) { unit } else { 0 });
        some as f64 / self.total as f64
    }

    /// The sum over all entries of so many units, given each one's own.
    fn sum(&self, units: impl Fn(usize, u64) -> u64 + Sync) -> u64 {
        let stretch = |range: Range<usize>| {
            let entries = range.clone().zip(&self.units[range]);
            let units = entries.map(|(entry, &unit)| (entry, units(entry, unit)));
            match &self.copies {
                None => units.map(|(_, units)| units).sum::<u64>(),
                Some(copies) => {
                    units.map(|(entry, units)| units * u64::from(copies[entry / self.width])).sum()
                }
            }
        };
        of_stretches(self.units.len(), STRETCH, stretch).into_iter().sum()
    }

    /// The mean of a number of each entry, of at most 1000 in size.
    pub fn mean(&self, number: impl Fn(usize) -> f64 + Sync) -> f64 {
        let one = libm::ldexp(1.0, MEAN_BITS);
        let of_entry = |e: usize| i128::from(self.at(e)) * ((number(e) * one).round() as i128);
        let sum = |range: Range<usize>| range.map(of_entry).sum::<i128>();
        let sum: i128 = of_stretches(self.units.len(), STRETCH, sum).into_iter().sum();
        sum as f64 / self.total as f64 / one
    }

    /// Multiplies the weight of each entry by a factor, and returns what the sum of all is then, if
    /// it was 1 before: `Z`, the normaliser. Entries whose factor is 1 keep their units, unless all
    /// must be scaled. If nothing would be left, nothing changes.
    pub fn reweight(&mut self, factor: impl Fn(usize) -> f64 + Sync) -> f64 {
        let before = self.total as f64;
        let (largest, total) = self.multiply(&factor);
        if largest == 0.0 {
            return 0.0;
        }
        let room = libm::ldexp(1.0, MOST_BITS) / self.n_copies as f64;
        if largest < room && total >= 1 << LEAST_BITS {
            std::mem::swap(&mut self.units, &mut self.spare);
            self.total = total;
            return total as f64 / before;
        }
        let product = |(entry, &unit): (usize, &u64)| product(unit, factor(entry));
        let products: Vec<f64> = self.units.iter().enumerate().map(product).collect();
        let exponent = self.rescale(&products);
        libm::ldexp(self.total as f64 / before, -exponent)
    }

    /// Writes the weights by their factors to `spare`, in whole units. The largest before rounding,
    /// and the sum, if that fits.
    fn multiply(&mut self, factor: impl Fn(usize) -> f64 + Sync) -> (f64, u64) {
        let Distribution { units, copies, width, spare, .. } = self;
        spare.resize(units.len(), 0);
        let one = |(entry, unit, new): (usize, u64, &mut u64)| {
            let factor = factor(entry);
            *new = multiplied(unit, factor);
            let copies = copies.as_ref().map_or(1, |copies| copies[entry / *width]);
            (product(unit, factor), new.wrapping_mul(copies.into()))
        };
        let both = |a: (f64, u64), b: (f64, u64)| {
            (if b.0 > a.0 { b.0 } else { a.0 }, a.1.wrapping_add(b.1))
        };
        let parts = map_stretches(spare, STRETCH, |stretch, spare| {
            let entries = (stretch * STRETCH..).zip(&units[stretch * STRETCH..]).zip(spare);
            entries.map(|((entry, &unit), new)| one((entry, unit, new))).fold((0.0, 0), both)
        });
        parts.into_iter().fold((0.0, 0), both)
    }

    /// Takes numbers as weights, scaled so that their sum has [`TOTAL_BITS`]; returns the power of
    /// two they are multiplied by.
    fn rescale(&mut self, reals: &[f64]) -> i32 {
        let largest = reals.iter().fold(0.0, |a: f64, &b| a.max(b));
        // First as large as fits for sure, then as large as the sum allows.
        let first = TOTAL_BITS - libm::frexp(largest).1 - libm::frexp(self.n_copies as f64).1;
        self.put(reals, first);
        let exponent = first + TOTAL_BITS - (u64::BITS - self.total.leading_zeros()) as i32;
        self.put(reals, exponent);
        exponent
    }

    fn put(&mut self, reals: &[f64], exponent: i32) {
        let unit = |&x: &f64| match x > 0.0 {
            true => at_least(libm::ldexp(x, exponent)),
            false => 0,
        };
        self.units.clear();
        self.units.extend(reals.iter().map(unit));
        self.total = self.sum(|_, unit| unit);
    }

    /// What a unit weighs in those weights.
    pub fn learner_unit(&self) -> f64 {
        libm::ldexp(1.0, learner_exponent(self.total) + self.learner_size())
    }

    /// The power of two by which they add up to about as much as there are rows: what learners say
    /// of weight is of that size.
    fn learner_size(&self) -> i32 {
        libm::frexp(self.n_copies as f64).1 - LEARNER_BITS
    }

    /// The weights of the rows, for a learner: of a row's pairs together.
    pub fn weights(&self) -> Weights {
        self.weights_by(|pairs| pairs.iter().sum())
    }

    /// The weights of the rows in pairs with one class, for a learner.
    pub fn weights_of(&self, class: usize) -> Weights {
        self.weights_by(|pairs| pairs[class])
    }

    fn weights_by(&self, of_pairs: impl Fn(&[u64]) -> u64) -> Weights {
        let units = self.units.chunks_exact(self.width).map(of_pairs);
        let units: Vec<u64> = units.collect();
        let of_row = |(row, unit): (usize, &u64)| unit * u64::from(self.copies(row));
        let total: u64 = units.iter().enumerate().map(of_row).sum();
        let exponent = learner_exponent(total);
        let back = self.learner_size();
        let weight = |(row, unit): (usize, u64)| match unit {
            0 => 0.0,
            unit => {
                let whole = libm::ldexp(unit as f64, exponent).round().max(1.0);
                libm::ldexp(whole * f64::from(self.copies(row)), back)
            }
        };
        Weights::Real(units.into_iter().enumerate().map(weight).collect())
    }
}

/// A weight by a factor; what is not there stays away.
#[inline(always)]
fn product(unit: u64, factor: f64) -> f64 {
    // Signed, as units have room to be, since that is quicker.
    if unit == 0 { 0.0 } else { unit as i64 as f64 * factor }
}

/// The same in whole units: none if the product is 0, and at least one if it is not.
#[inline(always)]
fn multiplied(unit: u64, factor: f64) -> u64 {
    let product = product(unit, factor);
    if factor == 1.0 { unit } else { at_least(product) }
}

/// The least whole number that is not below. What is bounded by products of normalisers stays so where
/// weights are rounded up; rounded to the nearest, a row of one unit would stay at one for ever.
#[inline(always)]
fn at_least(x: f64) -> u64 {
    // There may be no instruction that rounds up.
    let whole = x as i64;
    whole.wrapping_add(i64::from((whole as f64) < x)) as u64
}

/// The power of two that weights of such a sum are multiplied by for a learner.
fn learner_exponent(total: u64) -> i32 {
    LEARNER_BITS - (u64::BITS - total.leading_zeros()) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * b.abs().max(1e-9)
    }

    proptest! {
        #[test]
        fn reweighting_is_multiplication(
            rows in prop::collection::vec((0.01..9.0f64, prop::collection::vec(1e-6..50.0f64, 30)), 2..40)
        ) {
            let weights = Weights::real(rows.iter().map(|r| r.0).collect()).unwrap();
            let mut d = Distribution::of(&weights, rows.len()).unwrap();
            let mut plain: Vec<f64> = rows.iter().map(|r| r.0).collect();
            for round in 0..30 {
                let before: f64 = plain.iter().sum();
                plain.iter_mut().zip(&rows).for_each(|(w, r)| *w *= r.1[round]);
                let after: f64 = plain.iter().sum();
                let z = d.reweight(|row| rows[row].1[round]);
                prop_assert!((z / (after / before) - 1.0).abs() < 1e-6, "{z} {}", after / before);
                plain.iter_mut().for_each(|w| *w /= after);
                let share = d.share(|row| row % 2 == 0);
                let expected: f64 = plain.iter().step_by(2).sum();
                prop_assert!((share - expected).abs() < 1e-6);
                let mean = d.mean(|row| if row % 2 == 0 { 1.0 } else { -0.5 });
                prop_assert!((mean - (expected - 0.5 * (1.0 - expected))).abs() < 1e-6);
            }
        }

        #[test]
        fn counts_are_rows_spelled_out(
            rows in prop::collection::vec((0u32..4, 0.1..3.0f64), 2..30), rounds in 1usize..60
        ) {
            prop_assume!(rows.iter().any(|r| r.0 > 0));
            let n: usize = rows.iter().map(|r| r.0 as usize).sum();
            let spelled: Vec<usize> = rows.iter().enumerate()
                .flat_map(|(row, r)| std::iter::repeat_n(row, r.0 as usize)).collect();
            let counts = Weights::counts(rows.iter().map(|r| r.0).collect()).unwrap();
            let mut counted = Distribution::of(&counts, rows.len()).unwrap();
            let mut plain = Distribution::of(&Weights::Uniform, n).unwrap();
            for round in 0..rounds {
                let is_raised = |row: usize| (row + round).is_multiple_of(3);
                let factor = |row: usize| if is_raised(row) { rows[row].1 } else { 1.0 };
                prop_assert_eq!(
                    counted.reweight(factor), plain.reweight(|at| factor(spelled[at]))
                );
            }
            for (at, &row) in spelled.iter().enumerate() {
                prop_assert_eq!(plain.units()[at], counted.units()[row]);
            }
            let (a, b) = (counted.weights(), plain.weights());
            for (at, &row) in spelled.iter().enumerate() {
                prop_assert_eq!(b.at(at) * f64::from(rows[row].0), a.at(row));
            }
        }
    }

    #[test]
    fn what_is_not_raised_keeps_its_units() {
        let mut d = Distribution::of(&Weights::Uniform, 5).unwrap();
        let before = d.units().to_vec();
        let z = d.reweight(|row| if row == 2 { 4.0 } else { 1.0 });
        assert!(close(z, 8.0 / 5.0), "{z}");
        assert_eq!(d.units()[2], 4 * before[2]);
        assert!((0..5).filter(|&row| row != 2).all(|row| d.units()[row] == before[row]));
        assert!(close(d.share(|row| row == 2), 0.5));
    }

    #[test]
    fn no_weight_vanishes_and_none_overflows() {
        let mut d = Distribution::of(&Weights::real(vec![1e-300, 1e300, 0.0]).unwrap(), 3).unwrap();
        assert!(d.units()[0] == 1 && d.units()[2] == 0);
        for _ in 0..500 {
            d.reweight(|row| if row == 0 { 1e12 } else { 1e-12 });
        }
        assert!(d.share(|row| row == 0) > 0.999 && d.units()[1] >= 1 && d.units()[2] == 0);
        assert!(matches!(
            Distribution::of(&Weights::Real([0.0].into()), 1),
            Err(Error::ZeroWeights(1))
        ));
    }

    #[test]
    fn a_row_weighs_what_its_pairs_do() {
        let pairs = Distribution::over_pairs(&Weights::Uniform, (3, 4), |row, class| class != row);
        let pairs = pairs.unwrap();
        assert_eq!(pairs.n_rows(), 3);
        assert_eq!(pairs.units()[5], 0);
        assert!(close(pairs.share(|entry| entry / 4 == 0), 1.0 / 3.0));
        let weights = pairs.weights();
        assert!(weights.at(0) == weights.at(2) && weights.at(0) > 0.5);
    }
}
