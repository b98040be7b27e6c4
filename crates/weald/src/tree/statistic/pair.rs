//! Pairs: a sum `g` of targets and a sum `h` of weights.
//!
//! Two classes (`g` is the weight of class 1), regression (`g` is the weighted target) and, with
//! boosting, gradients and their curvature ([`PackedGradients`](super::PackedGradients)). Packed pairs
//! travel with the rows and are summed by the vector kernels; wide ones hold many more bits and any
//! weights.

use std::cmp::Ordering;

use super::fixed_point::{IntegerNumbers, IntegerWeights};
use super::{ClassSum, Entry, Spread, Statistic, Sum, row_of};
use crate::tree::kernel::histogram::packed;

/// A sum of pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PairSum {
    /// Weighted targets.
    pub g: i64,
    /// Weights.
    pub h: i64,
    /// Rows, with their number of copies.
    pub n: i64,
}

impl Sum for PairSum {
    fn merge(&mut self, other: &PairSum) {
        self.g += other.g;
        self.h += other.h;
        self.n += other.n;
    }

    fn remove(&mut self, other: &PairSum) {
        self.g -= other.g;
        self.h -= other.h;
        self.n -= other.n;
    }

    fn clear(&mut self) {
        *self = PairSum::default();
    }

    fn rows(&self) -> u64 {
        self.n as u64
    }

    fn weight(&self) -> f64 {
        self.h as f64
    }

    fn n_orders(&self) -> usize {
        1
    }

    /// By mean target: the best subset is a prefix of this order (Fisher 1958).
    fn compare(&self, other: &PairSum, _: usize) -> Ordering {
        let left = i128::from(self.g) * i128::from(other.h);
        left.cmp(&(i128::from(other.g) * i128::from(self.h)))
    }
}

impl ClassSum for PairSum {
    fn class_weights(&self) -> impl Iterator<Item = i64> {
        [self.h - self.g, self.g].into_iter()
    }

    fn total(&self) -> i64 {
        self.h
    }
}

/// Pairs in the high half of each entry: 16 bits signed `g`, 16 bits unsigned `h`.
#[derive(Debug)]
pub struct PackedPair {
    reach: f64,
}

/// The most that one packed row may weigh.
const MOST_PACKED_WEIGHT: u32 = i16::MAX as u32;
/// Bits of a packed target, at the most.
const PACKED_BITS: i32 = 14;

impl PackedPair {
    /// Two classes, with an entry for each row that counts; `None` if the weights do not fit.
    pub fn two_classes(
        codes: &[u32],
        weights: &IntegerWeights,
    ) -> Option<(PackedPair, Vec<Entry>)> {
        if !fits(weights) {
            return None;
        }
        let pair = |row: usize, w: u32| (if codes[row] == 1 { w as i16 } else { 0 }, w as u16);
        let reach = f64::from(weights.largest);
        Some((PackedPair { reach }, entries(codes.len(), weights, pair)))
    }

    /// Numbers, with the unit of `g` and an entry for each row that counts; `None` if the weights
    /// do not fit, or if so few values are large that the others would lose their digits.
    pub fn numbers(
        values: &[f64],
        weights: &IntegerWeights,
    ) -> Option<(PackedPair, f64, Vec<Entry>)> {
        let room = 30 - (u64::BITS - weights.total.leading_zeros()) as i32;
        if !fits(weights) || weights.largest > 1 || room < 8 {
            return None;
        }
        let numbers = IntegerNumbers::of(values, weights, room.min(PACKED_BITS));
        if is_heavy_tailed(&numbers.units, weights) {
            return None;
        }
        let pair = |row: usize, w: u32| (numbers.units[row] as i16, w as u16);
        let reach = numbers.units.iter().map(|u| u.unsigned_abs()).max().unwrap_or(0) as f64;
        let entries = entries(values.len(), weights, pair);
        Some((PackedPair { reach }, numbers.unit, entries))
    }
}

/// The entry of one row.
#[inline(always)]
pub fn pack(row: u32, g: i16, h: u16) -> Entry {
    u64::from(g as u16) << 48 | u64::from(h) << 32 | u64::from(row)
}

fn entries(
    n_rows: usize,
    weights: &IntegerWeights,
    pair: impl Fn(usize, u32) -> (i16, u16),
) -> Vec<Entry> {
    let entry = |row: usize| {
        let weight = weights.at(row);
        (weight > 0).then(|| {
            let (g, h) = pair(row, weight);
            pack(row as u32, g, h)
        })
    };
    (0..n_rows).filter_map(entry).collect()
}

/// Whether weights are counts, small enough for a packed row and for packed sums.
fn fits(weights: &IntegerWeights) -> bool {
    weights.are_counts && weights.largest <= MOST_PACKED_WEIGHT && weights.total < 1 << 31
}

/// Whether the standard deviation is less than 1/64 of the largest value: a few values are then
/// so far out that the others lose their digits.
pub(super) fn is_heavy_tailed(units: &[i64], weights: &IntegerWeights) -> bool {
    let largest = units.iter().map(|u| u.unsigned_abs()).max().unwrap_or(0);
    let n = i128::from(weights.total);
    let weighted = || units.iter().enumerate().map(|(row, &u)| (weights.at(row).into(), u.into()));
    let sum: i128 = weighted().map(|(w, u): (i128, i128)| w * u).sum();
    let squares: i128 = weighted().map(|(w, u): (i128, i128)| w * u * u).sum();
    let reach = n * i128::from(largest);
    (n * squares - sum * sum) * (64 * 64) < reach * reach
}

impl Statistic for PackedPair {
    type Sum = PairSum;

    fn packed_reach(&self) -> Option<f64> {
        Some(self.reach)
    }

    fn h_bits(&self) -> Option<u32> {
        Some(32)
    }

    #[inline(always)]
    fn cell(&self, entry: Entry) -> u64 {
        packed(entry)
    }

    fn pair_as_sum(&self, pair: PairSum) -> Option<PairSum> {
        Some(pair)
    }

    fn sum_as_pair(&self, sum: &PairSum) -> Option<PairSum> {
        Some(*sum)
    }

    fn zero(&self) -> PairSum {
        PairSum::default()
    }

    fn add(&self, entry: Entry, sum: &mut PairSum) {
        let h = i64::from((entry >> 32) as u16);
        sum.g += i64::from((entry >> 48) as i16);
        sum.h += h;
        sum.n += h;
    }

    fn spread(&self, total: &PairSum, entries: &[Entry]) -> Spread {
        let parts = |&e: &Entry| (f64::from((e >> 48) as i16), f64::from((e >> 32) as u16));
        // Weights of packed pairs are counts.
        spread(total, entries.iter().map(parts), true)
    }

    fn is_pure(&self, _: &PairSum, entries: &[Entry]) -> bool {
        // Rows of one target have g / h in common; with counts as weights that is g * h' = g' * h.
        let parts = |e: Entry| (i64::from((e >> 48) as i16), i64::from((e >> 32) as u16));
        let Some(&first) = entries.first() else { return true };
        let (g, h) = parts(first);
        entries.iter().all(|&e| parts(e).0 * h == g * parts(e).1)
    }
}

/// How rows with these `g` and `h` scatter around the mean of all. A count is a number of rows, any
/// other weight that of one.
pub(super) fn spread(
    total: &PairSum,
    rows: impl Iterator<Item = (f64, f64)>,
    are_counts: bool,
) -> Spread {
    let (mean, total) = (total.g as f64 / total.h as f64, total.h as f64);
    let (weight, variance) = rows.fold((0.0, 0.0), |(weight, variance), (g, h)| {
        let distance = g - mean * h;
        let copies = if are_counts { h } else { 1.0 };
        (weight + h * h / copies, variance + distance * distance / copies)
    });
    Spread { weight: weight / total, variance: variance / total }
}

/// Pairs looked up by row.
#[derive(Debug)]
pub struct WidePair {
    targets: Vec<i64>,
    weights: IntegerWeights,
}

impl WidePair {
    /// Numbers, with the unit of `g`.
    pub fn numbers(values: &[f64], weights: IntegerWeights) -> (WidePair, f64) {
        let numbers = IntegerNumbers::of(values, &weights, 52);
        (WidePair { targets: numbers.units, weights }, numbers.unit)
    }

    /// One entry for each row that counts, in row order.
    pub fn entries(&self) -> Vec<Entry> {
        let counts = |row: &usize| self.weights.at(*row) > 0;
        (0..self.targets.len()).filter(counts).map(|row| row as Entry).collect()
    }
}

impl Statistic for WidePair {
    type Sum = PairSum;

    fn zero(&self) -> PairSum {
        PairSum::default()
    }

    fn add(&self, entry: Entry, sum: &mut PairSum) {
        let row = row_of(entry);
        let weight = i64::from(self.weights.at(row));
        sum.g += self.targets[row] * weight;
        sum.h += weight;
        sum.n += i64::from(self.weights.copies(row));
    }

    fn spread(&self, total: &PairSum, entries: &[Entry]) -> Spread {
        let parts = |&e: &Entry| {
            let weight = f64::from(self.weights.at(row_of(e)));
            (self.targets[row_of(e)] as f64 * weight, weight)
        };
        spread(total, entries.iter().map(parts), self.weights.are_counts)
    }

    fn is_pure(&self, _: &PairSum, entries: &[Entry]) -> bool {
        let target = |e: &Entry| self.targets[row_of(*e)];
        entries.iter().all(|e| target(e) == target(&entries[0]))
    }
}
