//! An order of rows that depends on what they hold, not on where they stand.
//!
//! A resample is drawn from a multiset of rows, so a table whose rows stand in another order, or
//! that spells a count of three out as three rows, must give the same draws. Every row has a key
//! that is made of its values ([`row_keys`](super::row_keys)), and rows are drawn, dealt and held out
//! in the order of their keys. Rows of one key come in the order of their targets; what is then still
//! equal is the same row.
//!
//! The names of classes play no part in this: a class is known by the rows that it has, and by its
//! name only if another has the very same.

use std::cmp::Ordering;
use std::sync::Arc;

use super::row_keys::ByKey;
use super::sample::{Sample, Weights};
use super::target::{ClassLabels, SeveralLabels, Target};
use crate::seed::mix;

/// The rows of a sample, in an order that depends on what they hold.
#[derive(Debug, Clone, PartialEq)]
pub struct RowOrder {
    rows: Arc<[u32]>,
    /// Whether each row differs from the one before it; `None` if all do.
    is_other: Option<Vec<bool>>,
}

impl RowOrder {
    /// The order of a sample's rows, those of weight 0 included.
    pub fn of(sample: &Sample<'_>) -> RowOrder {
        let by_key = sample.table.rows_by_key();
        let ByKey { rows, keys } = &*by_key;
        if keys.is_sorted_by(|a, b| a < b) {
            return RowOrder { rows: rows.clone(), is_other: None };
        }
        let targets = Targets::of(sample, &by_key);
        let mut rows = rows.to_vec();
        let mut is_other = Vec::with_capacity(rows.len());
        let mut rest = &mut rows[..];
        for equal in keys.chunk_by(|a, b| a == b) {
            let (same_key, others) = rest.split_at_mut(equal.len());
            rest = others;
            let weight = |row: u32| match sample.weights {
                Weights::Real(weights) => weights[row as usize],
                Weights::Uniform | Weights::Counts(_) => 0.0,
            };
            let by_weight = |a: u32, b: u32| weight(a).total_cmp(&weight(b));
            same_key.sort_by(|&a, &b| targets.compare(a, b).then_with(|| by_weight(a, b)));
            is_other.push(true);
            is_other.extend(same_key.windows(2).map(|w| targets.compare(w[0], w[1]).is_ne()));
        }
        RowOrder { rows: rows.into(), is_other: Some(is_other) }
    }

    /// The rows.
    pub fn rows(&self) -> &Arc<[u32]> {
        &self.rows
    }

    /// The rows that are there, equals together.
    pub fn groups(&self, weights: &Weights) -> Groups {
        let (mut copies, mut ends) = (Vec::with_capacity(self.rows.len()), Vec::new());
        for (place, &row) in self.rows.iter().enumerate() {
            let is_other = self.is_other.as_ref().is_none_or(|is_other| is_other[place]);
            if is_other && ends.last().copied().unwrap_or(0) < copies.len() {
                ends.push(copies.len());
            }
            copies.extend(std::iter::repeat_n(row, n_copies(weights, row)));
        }
        ends.push(copies.len());
        Groups { copies, ends }
    }

    /// The place of the first copy of each row among the copies of all rows, in this order.
    pub fn places(&self, weights: &Weights) -> Vec<u64> {
        let mut places = vec![0; self.rows.len()];
        let mut next = 0;
        for &row in self.rows.iter() {
            places[row as usize] = next;
            next += n_copies(weights, row) as u64;
        }
        places
    }
}

/// Rows, equals together.
#[derive(Debug, Clone, PartialEq)]
pub struct Groups {
    copies: Vec<u32>,
    ends: Vec<usize>,
}

impl Groups {
    /// The rows of each group, a row as often as it stands there.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let groups = starts.zip(&self.ends).map(|(&start, &end)| &self.copies[start..end]);
        groups.filter(|rows| !rows.is_empty())
    }

    /// Rows and how often each stands there, if up to `most` equal ones are to be one row, and more
    /// than that each its own.
    pub fn merged(&self, most: usize) -> (Vec<usize>, Vec<u32>) {
        let (mut rows, mut counts) = (Vec::new(), Vec::new());
        for equal in self.iter() {
            let n_together = if equal.len() <= most { equal.len() } else { 1 };
            for together in equal.chunks(n_together) {
                rows.push(together[0] as usize);
                counts.push(together.len() as u32);
            }
        }
        (rows, counts)
    }

    /// How many rows there are, copies counted.
    pub fn n_rows(&self) -> usize {
        self.copies.len()
    }
}

/// How often a row stands there; a real weight, however heavy, is one row.
pub(super) fn n_copies(weights: &Weights, row: u32) -> usize {
    match weights {
        Weights::Uniform => 1,
        Weights::Counts(counts) => counts[row as usize] as usize,
        Weights::Real(weights) => usize::from(weights[row as usize] > 0.0),
    }
}

/// The targets of rows, as far as they can be put in order.
enum Targets<'a> {
    Classes(&'a ClassLabels, Vec<u32>),
    SeveralClasses(&'a SeveralLabels, Vec<Vec<u32>>),
    Numbers(&'a Target),
}

impl<'a> Targets<'a> {
    fn of(sample: &Sample<'a>, by_key: &ByKey) -> Targets<'a> {
        match sample.target {
            Target::Classes(labels) => {
                Targets::Classes(labels, class_ranks(labels, sample.weights, by_key))
            }
            Target::SeveralClasses(several) => {
                let ranks = |k: usize| class_ranks(&several.output(k), sample.weights, by_key);
                Targets::SeveralClasses(several, (0..several.n_outputs()).map(ranks).collect())
            }
            Target::Numbers(_) | Target::Several(_) => Targets::Numbers(sample.target),
        }
    }

    fn compare(&self, a: u32, b: u32) -> Ordering {
        let (a, b) = (a as usize, b as usize);
        // Adding 0 makes -0 and 0 equals.
        let numbers = |a: &f64, b: &f64| (a + 0.0).total_cmp(&(b + 0.0));
        match self {
            Targets::Classes(labels, ranks) => {
                let rank = |row: usize| ranks[labels.codes()[row] as usize];
                rank(a).cmp(&rank(b))
            }
            Targets::SeveralClasses(several, ranks) => {
                let rank = |row: usize| {
                    let codes = several.row(row).iter().zip(ranks);
                    codes.map(|(&code, ranks)| ranks[code as usize])
                };
                rank(a).cmp(rank(b))
            }
            Targets::Numbers(Target::Numbers(values)) => numbers(&values[a], &values[b]),
            Targets::Numbers(Target::Several(several)) => {
                let pairs = several.row(a).iter().zip(several.row(b));
                pairs.map(|(a, b)| numbers(a, b)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
            }
            Targets::Numbers(Target::Classes(_) | Target::SeveralClasses(_)) => Ordering::Equal,
        }
    }
}

/// The place of each class in an order by the keys of its rows, then by name.
fn class_ranks(labels: &ClassLabels, weights: &Weights, by_key: &ByKey) -> Vec<u32> {
    let mut sums = vec![0u64; labels.n_classes()];
    for (&row, &key) in by_key.rows.iter().zip(by_key.keys.iter()) {
        // A sum is the same in any order, and a row that stands there twice adds twice.
        let sum = &mut sums[labels.codes()[row as usize] as usize];
        *sum = sum.wrapping_add(mix(key).wrapping_mul(n_copies(weights, row) as u64));
    }
    let mut classes: Vec<usize> = (0..sums.len()).collect();
    classes.sort_by_key(|&class| (sums[class], &labels.classes()[class]));
    let mut ranks = vec![0; classes.len()];
    classes.iter().zip(0..).for_each(|(&class, rank)| ranks[class] = rank);
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Table};

    fn table(columns: Vec<Column>) -> Table {
        let named = |(i, column): (usize, Column)| (format!("x{i}"), column);
        Table::new(columns.into_iter().enumerate().map(named).collect()).unwrap()
    }

    fn numbers(values: &[f64]) -> Column {
        Column::numeric(values.to_vec())
    }

    #[test]
    fn equal_rows_stand_together_and_targets_part_those_of_one_key() {
        let x = numbers(&[2.0, 1.0, 2.0, 1.0, 2.0, 2.0, 7.0]);
        let table = table(vec![x]);
        let target = Target::from_names(&["b", "a", "a", "a", "b", "b", "b"]);
        let weights = Weights::counts(vec![1, 2, 1, 1, 3, 0, 0]).unwrap();
        let order = RowOrder::of(&Sample::new(&table, &target, &weights).unwrap());
        let groups = order.groups(&weights);
        let mut groups: Vec<&[u32]> = groups.iter().collect();
        groups.sort();
        assert_eq!(groups, [&[0, 4, 4, 4][..], &[1, 1, 3], &[2]]);
        let places = order.places(&weights);
        let mut all: Vec<u64> = (0..7)
            .flat_map(|row| (0..n_copies(&weights, row)).map(move |i| (row, i)))
            .map(|(row, i)| places[row as usize] + i as u64)
            .collect();
        all.sort_unstable();
        assert_eq!(all, (0..8).collect::<Vec<u64>>());
    }

    #[test]
    fn classes_are_known_by_their_rows() {
        // Rows of one key, whose classes differ, and further rows by which classes are known.
        let table = table(vec![numbers(&[0.0, 0.0, 0.0, 1.0, 2.0, 2.0])]);
        let order = |codes: Vec<u32>, classes: [&str; 3]| {
            let target = Target::classes(codes, classes.map(String::from).into()).unwrap();
            let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
            RowOrder::of(&sample)
        };
        let plain = order(vec![0, 1, 2, 0, 1, 1], ["a", "b", "c"]);
        assert_eq!(plain, order(vec![0, 1, 2, 0, 1, 1], ["z", "y", "x"]));
        assert_eq!(plain, order(vec![2, 1, 0, 2, 1, 1], ["c", "b", "a"]));
    }
}
