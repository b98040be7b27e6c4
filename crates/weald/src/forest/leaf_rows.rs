//! The training rows in the leaves of a forest, kept for what a mean does not tell.
//!
//! A leaf's mean forgets how its rows spread and which they were. With the rows a forest answers
//! with quantiles (`quantiles`) and with the error of its own mean (`standard_errors`).

use crate::data::{Resampling, Sample, Target, Weights};
use crate::error::{Error, Result};
use crate::tree::grown::Grown;
use crate::tree::statistic::row_of;

/// The rows of each leaf, and what is to be known of them. Rows are numbered from 0; those of weight
/// 0 are not there.
#[derive(Debug, Clone, PartialEq)]
pub struct LeafRows {
    /// The target of each training row; nothing where it is a class.
    pub targets: Vec<f64>,
    /// How often each training row stands in the sample.
    pub copies: Vec<u32>,
    /// What each of them weighs.
    pub weights: Vec<f64>,
    /// How the rows of a tree were drawn.
    pub resampling: Resampling,
    /// Where the rows of each leaf of all trees begin, and where the last one's end.
    pub offsets: Vec<usize>,
    /// The rows of each leaf, rising.
    pub rows: Vec<u32>,
    /// How often each of them is in the tree's bag.
    pub counts: Vec<u32>,
}

/// The rows of the leaves of one tree.
pub struct TreeRows {
    lens: Vec<usize>,
    rows: Vec<u32>,
    counts: Vec<u32>,
}

impl TreeRows {
    /// The rows of a tree that was grown on `bag`, which was drawn from a sample.
    pub fn of(grown: &Grown, sample: &Sample<'_>, bag: &Weights) -> TreeRows {
        let drawn = |row: usize| match bag {
            Weights::Uniform => 1,
            Weights::Counts(counts) => counts[row],
            // A row's weight goes with it as often as it is drawn.
            Weights::Real(weights) => (weights[row] / sample.weights.at(row)).round() as u32,
        };
        let mut found = TreeRows { lens: vec![], rows: vec![], counts: vec![] };
        for (_, entries) in grown.leaf_by_leaf().leaves() {
            found.lens.push(entries.len());
            let rows = || entries.iter().map(|&entry| row_of(entry));
            found.rows.extend(rows().map(|row| row as u32));
            found.counts.extend(rows().map(drawn));
        }
        found
    }
}

impl LeafRows {
    /// Of no tree yet.
    pub fn new(sample: &Sample<'_>, resampling: Resampling) -> LeafRows {
        let n_rows = sample.n_rows();
        let (copies, weights) = match sample.weights {
            Weights::Uniform => (vec![1; n_rows], vec![1.0; n_rows]),
            Weights::Counts(counts) => (counts.to_vec(), vec![1.0; n_rows]),
            Weights::Real(weights) => {
                let copies = weights.iter().map(|&w| u32::from(w > 0.0)).collect();
                // Rows that were drawn by their weight weigh 1 each.
                let is_by_weight = resampling == Resampling::Weighted;
                (copies, if is_by_weight { vec![1.0; n_rows] } else { weights.to_vec() })
            }
        };
        let targets = match sample.target {
            Target::Numbers(values) => values.to_vec(),
            Target::Classes(_) | Target::Several(_) | Target::SeveralClasses(_) => vec![],
        };
        let (offsets, rows, counts) = (vec![0], vec![], vec![]);
        LeafRows { targets, copies, weights, resampling, offsets, rows, counts }
    }

    /// Adds the next tree.
    pub fn push(&mut self, tree: &TreeRows) {
        for len in &tree.lens {
            self.offsets.push(self.offsets[self.offsets.len() - 1] + len);
        }
        self.rows.extend_from_slice(&tree.rows);
        self.counts.extend_from_slice(&tree.counts);
    }

    /// Leaves out the rows that are absent from the sample.
    pub fn finish(mut self) -> LeafRows {
        let is_there: Vec<bool> = self.copies.iter().map(|&copies| copies > 0).collect();
        let mut n_before = 0;
        let number = |is_there: &bool| {
            n_before += u32::from(*is_there);
            n_before.saturating_sub(1)
        };
        let numbers: Vec<u32> = is_there.iter().map(number).collect();
        self.rows.iter_mut().for_each(|row| *row = numbers[*row as usize]);
        retain(&mut self.targets, &is_there);
        retain(&mut self.copies, &is_there);
        retain(&mut self.weights, &is_there);
        self
    }

    /// How many training rows there are.
    pub fn n_rows(&self) -> usize {
        self.copies.len()
    }

    /// How many bytes they take, in memory and in a file.
    pub fn n_bytes(&self) -> usize {
        let halves = self.copies.len() + self.rows.len() + self.counts.len();
        let wholes = self.targets.len() + self.weights.len() + self.offsets.len();
        4 * halves + 8 * wholes
    }

    /// The rows of neighbouring leaves, by the leaves' numbers among all; each with how often it is
    /// in the bag.
    pub fn drawn(
        &self,
        leaves: std::ops::Range<u32>,
    ) -> impl Iterator<Item = (usize, u32)> + Clone {
        let at = self.offsets[leaves.start as usize]..self.offsets[leaves.end as usize];
        let rows = self.rows[at.clone()].iter().map(|&row| row as usize);
        rows.zip(self.counts[at].iter().copied())
    }

    /// The rows of one leaf, each with its weight there.
    pub fn of_leaf(&self, leaf: u32) -> impl Iterator<Item = (usize, f64)> + Clone {
        let weight = |(row, count): (usize, u32)| (row, f64::from(count) * self.weights[row]);
        self.drawn(leaf..leaf + 1).map(weight)
    }
}

fn retain<T>(values: &mut Vec<T>, are_kept: &[bool]) {
    let mut are_kept = are_kept.iter();
    values.retain(|_| are_kept.next().is_some_and(|kept| *kept));
}

/// The rows that a forest has kept, or an error that says how to keep them for `what`.
pub fn required<'a>(kept: &'a Option<Box<LeafRows>>, what: &'static str) -> Result<&'a LeafRows> {
    kept.as_deref().ok_or(Error::RowsNotKept { what })
}
