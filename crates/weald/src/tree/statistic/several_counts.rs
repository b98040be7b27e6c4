//! Several classes a row: a list of counts for each output.

use std::cmp::Ordering;

use super::fixed_point::IntegerWeights;
use super::{CountSum, Entry, Spread, Statistic, Sum, row_of};
use crate::data::SeveralLabels;

/// The weight of each class of each output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeveralCountSum {
    outputs: Box<[CountSum]>,
}

impl SeveralCountSum {
    /// Of the counts of each output, of the same rows.
    pub fn of(outputs: Box<[CountSum]>) -> SeveralCountSum {
        SeveralCountSum { outputs }
    }

    /// The counts of each output.
    pub fn outputs(&self) -> &[CountSum] {
        &self.outputs
    }
}

impl Sum for SeveralCountSum {
    fn merge(&mut self, other: &SeveralCountSum) {
        self.outputs.iter_mut().zip(&other.outputs).for_each(|(a, b)| a.merge(b));
    }

    fn remove(&mut self, other: &SeveralCountSum) {
        self.outputs.iter_mut().zip(&other.outputs).for_each(|(a, b)| a.remove(b));
    }

    fn clear(&mut self) {
        self.outputs.iter_mut().for_each(Sum::clear);
    }

    fn rows(&self) -> u64 {
        self.outputs[0].rows()
    }

    fn weight(&self) -> f64 {
        self.outputs[0].weight()
    }

    /// The orders of each output, one output after the other.
    fn n_orders(&self) -> usize {
        self.outputs.iter().map(Sum::n_orders).sum()
    }

    fn compare(&self, other: &SeveralCountSum, order: usize) -> Ordering {
        let mut order = order;
        for (own, other) in self.outputs.iter().zip(&other.outputs) {
            match order.checked_sub(own.n_orders()) {
                None => return own.compare(other, order),
                Some(rest) => order = rest,
            }
        }
        Ordering::Equal
    }
}

/// Classes looked up by row; entries carry weights.
#[derive(Debug)]
pub struct SeveralCounts<'a> {
    labels: &'a SeveralLabels,
    n_classes: Vec<usize>,
    weights: IntegerWeights,
}

impl<'a> SeveralCounts<'a> {
    /// The classes of each row.
    pub fn new(labels: &'a SeveralLabels, weights: IntegerWeights) -> SeveralCounts<'a> {
        let n_classes = labels.outputs().iter().map(|output| output.classes.len()).collect();
        SeveralCounts { labels, n_classes, weights }
    }

    /// One entry for each row that counts, in row order.
    pub fn entries(&self) -> Vec<Entry> {
        let entry = |row: usize| match self.weights.at(row) {
            0 => None,
            weight => Some(Entry::from(weight) << 32 | row as Entry),
        };
        (0..self.labels.n_rows()).filter_map(entry).collect()
    }
}

impl Statistic for SeveralCounts<'_> {
    type Sum = SeveralCountSum;

    fn zero(&self) -> SeveralCountSum {
        let empty = |&n: &usize| CountSum::of(std::iter::repeat_n(0, n));
        SeveralCountSum::of(self.n_classes.iter().map(empty).collect())
    }

    fn add(&self, entry: Entry, sum: &mut SeveralCountSum) {
        let weight = (entry >> 32) as i64;
        let copies = if self.weights.are_counts { weight } else { 1 };
        let codes = self.labels.row(row_of(entry));
        for (counts, &code) in sum.outputs.iter_mut().zip(codes) {
            counts.add(code as usize, weight, copies);
        }
    }

    fn spread(&self, total: &SeveralCountSum, entries: &[Entry]) -> Spread {
        if self.weights.are_counts {
            return Spread { weight: 1.0, variance: 0.0 };
        }
        let squares: f64 = entries.iter().map(|&e| ((e >> 32) as f64).powi(2)).sum();
        Spread { weight: squares / total.weight(), variance: 0.0 }
    }

    fn is_pure(&self, sum: &SeveralCountSum, _: &[Entry]) -> bool {
        sum.outputs.iter().all(CountSum::is_pure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Target, Weights};

    fn labels(codes: &[u32], n_classes: usize) -> crate::data::ClassLabels {
        let classes = (0..n_classes).map(|class| class.to_string()).collect();
        match Target::classes(codes.to_vec(), classes).unwrap() {
            Target::Classes(labels) => labels,
            _ => panic!(),
        }
    }

    #[test]
    fn each_output_is_counted_with_the_weight_of_the_row() {
        let names = ["a".to_string(), "b".into()];
        let outputs = [labels(&[0, 2, 1], 3), labels(&[1, 1, 0], 2)];
        let Ok(Target::SeveralClasses(several)) = Target::several_classes(&names, &outputs) else {
            panic!()
        };
        let weights = IntegerWeights::of(&Weights::counts(vec![2, 3, 0]).unwrap(), 3).unwrap();
        let counts = SeveralCounts::new(&several, weights);
        let entries = counts.entries();
        let mut sum = counts.zero();
        entries.iter().for_each(|&entry| counts.add(entry, &mut sum));
        assert_eq!((entries.len(), sum.rows(), sum.weight()), (2, 5, 5.0));
        assert_eq!(sum.outputs()[0], CountSum::of([2, 0, 3].into_iter()));
        assert_eq!(sum.outputs()[1], CountSum::of([0, 5].into_iter()));
        assert!(!counts.is_pure(&sum, &entries));
        let mut one = counts.zero();
        counts.add(entries[0], &mut one);
        assert!(counts.is_pure(&one, &entries[..1]));
        sum.remove(&one);
        assert_eq!(sum.outputs()[0], CountSum::of([0, 0, 3].into_iter()));
        // Three orders of the first output, one of the second.
        assert_eq!(sum.n_orders(), 4);
        assert!(one.compare(&sum, 0).is_gt() && one.compare(&sum, 2).is_lt());
        assert!(one.compare(&sum, 3).is_eq());
    }
}
