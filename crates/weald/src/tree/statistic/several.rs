//! Several numbers a row: a sum `g` of weighted targets for each output, and one `h` of weights.
//!
//! For trees that predict several numbers at once. As [`WidePair`](super::WidePair) for each output,
//! with the same digits, so that one output gives the tree that it gives there. Each output has a
//! unit of its own, a power of two; what a squared unit counts beside those of the others is its
//! *factor*. The vectors of boosting ([`Vectors`](super::Vectors)) have a curvature for each output
//! and fewer digits instead, which their kernels can add.

use std::cmp::Ordering;

use super::fixed_point::{IntegerNumbers, IntegerWeights};
use super::{Entry, Spread, Statistic, Sum, row_of};
use crate::data::SeveralNumbers;

/// What rows of several numbers add up to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeveralSum {
    /// Weighted targets of each output.
    pub g: Box<[i64]>,
    /// Weights.
    pub h: i64,
    /// Rows, with their number of copies.
    pub n: i64,
}

impl Sum for SeveralSum {
    fn merge(&mut self, other: &SeveralSum) {
        self.g.iter_mut().zip(&other.g).for_each(|(a, b)| *a += b);
        self.h += other.h;
        self.n += other.n;
    }

    fn remove(&mut self, other: &SeveralSum) {
        self.g.iter_mut().zip(&other.g).for_each(|(a, b)| *a -= b);
        self.h -= other.h;
        self.n -= other.n;
    }

    fn clear(&mut self) {
        self.g.fill(0);
        self.h = 0;
        self.n = 0;
    }

    fn rows(&self) -> u64 {
        self.n as u64
    }

    fn weight(&self) -> f64 {
        self.h as f64
    }

    /// By the mean of each output in turn; the criterion knows which of them are worth it.
    fn n_orders(&self) -> usize {
        self.g.len()
    }

    fn compare(&self, other: &SeveralSum, order: usize) -> Ordering {
        let left = i128::from(self.g[order]) * i128::from(other.h);
        left.cmp(&(i128::from(other.g[order]) * i128::from(self.h)))
    }
}

/// Several numbers looked up by row; entries carry weights.
#[derive(Debug)]
pub struct SeveralPairs {
    /// A row's numbers together.
    targets: Vec<i64>,
    factors: Vec<f64>,
    are_counts: bool,
}

impl SeveralPairs {
    /// The numbers of each row, the unit in whose square the factors count, and an entry for each row
    /// that counts, in row order.
    pub fn new(
        several: &SeveralNumbers,
        weights: &IntegerWeights,
    ) -> (SeveralPairs, f64, Vec<Entry>) {
        let n_outputs = several.n_outputs();
        let mut targets = vec![0; several.n_rows() * n_outputs];
        let mut units = Vec::with_capacity(n_outputs);
        for output in 0..n_outputs {
            let numbers = IntegerNumbers::of(&several.output(output), weights, 52);
            let places = targets.iter_mut().skip(output).step_by(n_outputs);
            places.zip(&numbers.units).for_each(|(to, from)| *to = *from);
            // An output that does not vary has no unit.
            let varies = numbers.units.iter().any(|unit| *unit != 0);
            units.push(if varies { numbers.unit } else { 0.0 });
        }
        let largest = units.iter().copied().fold(0.0, f64::max);
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let factors = units.iter().map(|own| (own / unit) * (own / unit)).collect();
        let entry = |row: usize| match weights.at(row) {
            0 => None,
            weight => Some(Entry::from(weight) << 32 | row as Entry),
        };
        let entries = (0..several.n_rows()).filter_map(entry).collect();
        (SeveralPairs { targets, factors, are_counts: weights.are_counts }, unit, entries)
    }

    /// What a squared unit of each output counts.
    pub fn factors(&self) -> &[f64] {
        &self.factors
    }

    fn copies(&self, weight: i64) -> i64 {
        if self.are_counts { weight } else { 1 }
    }

    fn row(&self, entry: Entry) -> &[i64] {
        &self.targets[row_of(entry) * self.factors.len()..][..self.factors.len()]
    }
}

fn weight_of(entry: Entry) -> i64 {
    (entry >> 32) as i64
}

impl Statistic for SeveralPairs {
    type Sum = SeveralSum;

    fn zero(&self) -> SeveralSum {
        SeveralSum { g: vec![0; self.factors.len()].into(), h: 0, n: 0 }
    }

    fn width(&self) -> usize {
        self.factors.len()
    }

    fn add(&self, entry: Entry, sum: &mut SeveralSum) {
        let weight = weight_of(entry);
        sum.g.iter_mut().zip(self.row(entry)).for_each(|(g, target)| *g += target * weight);
        sum.h += weight;
        sum.n += self.copies(weight);
    }

    /// The variance is the sum over outputs, by their factors.
    fn spread(&self, total: &SeveralSum, entries: &[Entry]) -> Spread {
        let h = total.h as f64;
        let means: Vec<f64> = total.g.iter().map(|&g| g as f64 / h).collect();
        let mut spread = Spread::default();
        for &entry in entries {
            let weight = weight_of(entry) as f64;
            let copies = if self.are_counts { weight } else { 1.0 };
            let distance = |(target, mean): (&i64, &f64)| *target as f64 * weight - mean * weight;
            let distances = self.row(entry).iter().zip(&means).map(distance);
            let squares = distances.zip(&self.factors).map(|(d, factor)| factor * (d * d));
            spread.weight += weight * weight / copies;
            spread.variance += squares.sum::<f64>() / copies;
        }
        Spread { weight: spread.weight / h, variance: spread.variance / h }
    }

    fn is_pure(&self, _: &SeveralSum, entries: &[Entry]) -> bool {
        entries.iter().all(|&entry| self.row(entry) == self.row(entries[0]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Target, Weights};

    fn pairs(outputs: &[Vec<f64>], weights: &Weights) -> (SeveralPairs, f64, Vec<Entry>) {
        let names = (0..outputs.len()).map(|k| k.to_string()).collect();
        let Ok(Target::Several(several)) = Target::several(names, outputs) else { panic!() };
        SeveralPairs::new(&several, &IntegerWeights::of(weights, outputs[0].len()).unwrap())
    }

    #[test]
    fn each_output_has_its_own_unit_and_a_factor_that_undoes_it() {
        let outputs = [vec![-1.0, 0.0, 1.0], vec![1e-3, 2e-3, 5e-3], vec![7.0; 3]];
        let (pairs, unit, entries) = pairs(&outputs, &Weights::counts(vec![1, 0, 3]).unwrap());
        assert_eq!((pairs.factors()[0], pairs.factors()[2]), (1.0, 0.0));
        let mut sum = pairs.zero();
        entries.iter().for_each(|&entry| pairs.add(entry, &mut sum));
        assert_eq!((sum.h, sum.rows()), (4, 4));
        // Around the middle of the rows that count: (-1 + 3) and (-2 + 3 * 2) thousandths.
        let value = |k: usize| sum.g[k] as f64 * unit * pairs.factors()[k].sqrt();
        assert!((value(0) - 2.0).abs() < 1e-9 && (value(1) - 4e-3).abs() < 1e-12, "{sum:?}");
    }

    #[test]
    fn rows_scatter_as_much_as_all_outputs_together() {
        let outputs = [vec![-1.0, 1.0, -1.0, 1.0], vec![2.0, 2.0, -2.0, -2.0]];
        let (pairs, unit, entries) = pairs(&outputs, &Weights::Uniform);
        let mut sum = pairs.zero();
        entries.iter().for_each(|&entry| pairs.add(entry, &mut sum));
        let spread = pairs.spread(&sum, &entries);
        assert_eq!((spread.weight, spread.variance * unit * unit), (1.0, 5.0));
        assert!(!pairs.is_pure(&sum, &entries[..2]));
        assert!(pairs.is_pure(&sum, &entries[..1]));
    }
}
