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

/// Classes, each entry carrying its row's.
#[derive(Debug)]
pub struct ClassCounts<'a> {
    codes: &'a [u32],
    n_classes: usize,
    weights: IntegerWeights,
}

impl<'a> ClassCounts<'a> {
    /// A class for each row.
    pub fn new(codes: &'a [u32], n_classes: usize, weights: IntegerWeights) -> ClassCounts<'a> {
        ClassCounts { codes, n_classes, weights }
    }

    /// One entry for each row that counts, in row order.
    pub fn entries(&self) -> Vec<Entry> {
        let entry = |row: usize| Entry::from(self.codes[row]) << 32 | row as Entry;
        (0..self.codes.len()).filter(|&row| self.weights.at(row) > 0).map(entry).collect()
    }
}

impl Statistic for ClassCounts<'_> {
    type Sum = CountSum;

    fn zero(&self) -> CountSum {
        CountSum { classes: vec![0; self.n_classes].into(), weight: 0, rows: 0 }
    }

    fn add(&self, entry: Entry, sum: &mut CountSum) {
        let (weight, copies) = match &self.weights.units {
            None => (1, 1),
            Some(units) => {
                let weight = i64::from(units[row_of(entry)]);
                (weight, if self.weights.are_counts { weight } else { 1 })
            }
        };
        sum.classes[(entry >> 32) as usize] += weight;
        sum.weight += weight;
        sum.rows += copies;
    }

    fn spread(&self, total: &CountSum, entries: &[Entry]) -> Spread {
        let squared = |&e: &Entry| f64::from(self.weights.at(row_of(e))).powi(2);
        let squares: f64 = entries.iter().map(squared).sum();
        Spread { repeats: squares / total.weight as f64, variance: 0.0 }
    }

    fn is_pure(&self, sum: &CountSum, _: &[Entry]) -> bool {
        sum.classes.contains(&sum.weight)
    }
}
