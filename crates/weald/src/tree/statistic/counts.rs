//! Counts: one integer a class.

use std::cmp::Ordering;

use super::fixed_point::IntegerWeights;
use super::{ClassSum, Entry, Spread, Statistic, Sum, row_of};

/// The weight of each class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountSum {
    classes: Box<[i64]>,
    weight: i64,
    rows: i64,
}

impl CountSum {
    /// Of the weight of each class, as many rows as units of weight.
    pub fn of(classes: impl Iterator<Item = i64>) -> CountSum {
        let classes: Box<[i64]> = classes.collect();
        let weight = classes.iter().sum();
        CountSum { classes, weight, rows: weight }
    }

    /// Adds a row of some class, so heavy and so many times.
    pub fn add(&mut self, class: usize, weight: i64, copies: i64) {
        self.classes[class] += weight;
        self.weight += weight;
        self.rows += copies;
    }

    /// Whether all rows are of one class.
    pub fn is_pure(&self) -> bool {
        self.classes.contains(&self.weight)
    }
}

impl Sum for CountSum {
    fn merge(&mut self, other: &CountSum) {
        self.classes.iter_mut().zip(&other.classes).for_each(|(a, b)| *a += b);
        self.weight += other.weight;
        self.rows += other.rows;
    }

    fn remove(&mut self, other: &CountSum) {
        self.classes.iter_mut().zip(&other.classes).for_each(|(a, b)| *a -= b);
        self.weight -= other.weight;
        self.rows -= other.rows;
    }

    fn clear(&mut self) {
        self.classes.fill(0);
        self.weight = 0;
        self.rows = 0;
    }

    fn rows(&self) -> u64 {
        self.rows as u64
    }

    fn weight(&self) -> f64 {
        self.weight as f64
    }

    /// For two classes the best subset is a prefix of the levels sorted by the share of one
    /// class; for more, each class is tried in turn.
    fn n_orders(&self) -> usize {
        if self.classes.len() <= 2 { 1 } else { self.classes.len() }
    }

    fn compare(&self, other: &CountSum, order: usize) -> Ordering {
        let class = if self.classes.len() == 2 { 1 } else { order };
        let left = i128::from(self.classes[class]) * i128::from(other.weight);
        left.cmp(&(i128::from(other.classes[class]) * i128::from(self.weight)))
    }
}

impl ClassSum for CountSum {
    fn class_weights(&self) -> impl Iterator<Item = i64> {
        self.classes.iter().copied()
    }

    fn total(&self) -> i64 {
        self.weight
    }
}

/// Classes, each entry carrying its row's, and the row's weight where that is a small count.
#[derive(Debug)]
pub struct ClassCounts<'a> {
    codes: &'a [u32],
    n_classes: usize,
    weights: IntegerWeights,
    /// Whether entries carry weights.
    is_packed: bool,
}

/// Classes and weights up to which both fit into an entry, and weights whose squares can be summed.
const MOST_CLASSES: usize = 1 << 16;
const MOST_WEIGHT: u32 = 1 << 15;
const MOST_TOTAL: u64 = 1 << 30;

impl<'a> ClassCounts<'a> {
    /// A class for each row.
    pub fn new(codes: &'a [u32], n_classes: usize, weights: IntegerWeights) -> ClassCounts<'a> {
        let is_packed = weights.are_counts
            && n_classes <= MOST_CLASSES
            && weights.largest <= MOST_WEIGHT
            && weights.total <= MOST_TOTAL;
        ClassCounts { codes, n_classes, weights, is_packed }
    }

    /// One entry for each row that counts, in row order.
    pub fn entries(&self) -> Vec<Entry> {
        let entry = |row: usize| match self.is_packed {
            true => {
                let weight = Entry::from(self.weights.at(row));
                Entry::from(self.codes[row]) << 48 | weight << 32 | row as Entry
            }
            false => Entry::from(self.codes[row]) << 32 | row as Entry,
        };
        (0..self.codes.len()).filter(|&row| self.weights.at(row) > 0).map(entry).collect()
    }
}

impl Statistic for ClassCounts<'_> {
    type Sum = CountSum;

    fn zero(&self) -> CountSum {
        CountSum { classes: vec![0; self.n_classes].into(), weight: 0, rows: 0 }
    }

    fn width(&self) -> usize {
        self.n_classes
    }

    fn add(&self, entry: Entry, sum: &mut CountSum) {
        let (class, weight, copies) = if self.is_packed {
            let weight = (entry >> 32 & 0xffff) as i64;
            ((entry >> 48) as usize, weight, weight)
        } else {
            let weight = i64::from(self.weights.at(row_of(entry)));
            ((entry >> 32) as usize, weight, if self.weights.are_counts { weight } else { 1 })
        };
        sum.add(class, weight, copies);
    }

    #[inline]
    fn class_of(&self, entry: Entry) -> Option<(usize, i64)> {
        self.is_packed.then_some(((entry >> 48) as usize, (entry >> 32 & 0xffff) as i64))
    }

    fn class_weights(&self, sum: &CountSum, weights: &mut Vec<i64>) {
        weights.clear();
        weights.extend_from_slice(&sum.classes);
    }

    fn spread(&self, total: &CountSum, entries: &[Entry]) -> Spread {
        if self.weights.are_counts {
            return Spread { weight: 1.0, variance: 0.0 };
        }
        let squared = |&e: &Entry| f64::from(self.weights.at(row_of(e))).powi(2);
        let squares: f64 = entries.iter().map(squared).sum();
        Spread { weight: squares / total.weight as f64, variance: 0.0 }
    }

    fn is_pure(&self, sum: &CountSum, _: &[Entry]) -> bool {
        sum.is_pure()
    }
}
