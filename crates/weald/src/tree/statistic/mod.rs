//! How rows are summed.
//!
//! Every sum is of integers: exact, the same in any order, and mergeable. A [`Statistic`] knows
//! what one row adds; a [`Sum`] is what a set of rows adds up to. Weights and targets that are not
//! whole numbers are first scaled to fixed point ([`fixed_point`]).

mod counted_pair;
mod counts;
pub mod fixed_point;
mod packed_gradients;
mod pair;
mod several;
mod several_counts;
mod vector;

use std::cmp::Ordering;

pub use counted_pair::CountedPair;
pub use counts::{ClassCounts, CountSum};
pub use packed_gradients::PackedGradients;
pub use pair::{PackedPair, PairSum, WidePair, pack};
pub use several::{SeveralPairs, SeveralSum};
pub use several_counts::{SeveralCountSum, SeveralCounts};
pub use vector::{Layout, VectorSum, Vectors};

use super::kernel::vectors::Block;

/// A row on its way through a tree: the row number in the low 32 bits, and in the high 32 bits
/// what the statistic wants to travel with it.
pub type Entry = u64;

/// The row number of an entry.
pub fn row_of(entry: Entry) -> usize {
    entry as u32 as usize
}

/// How rows are summed.
pub trait Statistic: Sync {
    /// What rows add up to.
    type Sum: Sum;

    /// For entries that carry a packed pair, which the vector kernels can sum: the largest `|g|`
    /// of a row. `None` for other entries.
    fn packed_reach(&self) -> Option<f64> {
        None
    }

    /// For entries whose sums of one feature fit in a packed cell: how many of its lowest bits hold
    /// `h`, above which stands `g`. `None` for other entries.
    fn h_bits(&self) -> Option<u32> {
        None
    }

    /// What an entry adds to such a cell.
    fn cell(&self, entry: Entry) -> u64 {
        let _ = entry;
        0
    }

    /// The pair of such a cell.
    #[inline]
    fn pair_of_cell(&self, cell: u64) -> PairSum {
        let bits = self.h_bits().unwrap_or(32);
        let h = (cell & ((1 << bits) - 1)) as i64;
        PairSum { g: cell as i64 >> bits, h, n: h }
    }

    /// Rows whose sums fit in such a cell.
    fn most_cell_rows(&self) -> usize {
        usize::MAX
    }

    /// The pair of a cell of a plane, which holds `h` in its lower and `g` in its upper half.
    #[inline]
    fn pair_of_plane_cell(&self, cell: u64) -> PairSum {
        self.pair_of_cell(cell)
    }

    /// A sum from a pair; `None` where sums are not pairs.
    fn pair_as_sum(&self, pair: PairSum) -> Option<Self::Sum> {
        let _ = pair;
        None
    }

    /// A sum as a pair; `None` where sums are not pairs.
    fn sum_as_pair(&self, sum: &Self::Sum) -> Option<PairSum> {
        let _ = sum;
        None
    }

    /// For rows that add vectors: what the vector kernels need to know of them.
    fn vectors(&self) -> Option<&Vectors> {
        None
    }

    /// A sum as blocks; `None` where sums are not vectors.
    fn sum_as_blocks<'s>(&self, sum: &'s Self::Sum) -> Option<&'s [Block]> {
        let _ = sum;
        None
    }

    /// Adds the rows of a cell of vectors; nothing where sums are not vectors.
    fn add_blocks(&self, blocks: &[Block], sum: &mut Self::Sum) {
        let _ = (blocks, sum);
    }

    /// The sum of no rows.
    fn zero(&self) -> Self::Sum;

    /// How many numbers a sum is made of.
    fn width(&self) -> usize {
        1
    }

    /// What one row may weigh, where cells of planes do not know how many rows they are of: packed
    /// gradients. Their sums then say that they are of as many rows as they weigh.
    fn row_weights(&self) -> Option<RowWeights> {
        None
    }

    /// Whether all sums know how many rows they are of.
    fn counts_rows(&self) -> bool {
        self.row_weights().is_none()
    }

    /// A sum that is told how many rows it is of, where sums may not know.
    fn of_rows(&self, sum: &Self::Sum, rows: u64) -> Self::Sum {
        let _ = rows;
        sum.clone()
    }

    /// Adds one row.
    fn add(&self, entry: Entry, sum: &mut Self::Sum);

    /// The class of a row and its weight, where entries carry both.
    fn class_of(&self, entry: Entry) -> Option<(usize, i64)> {
        let _ = entry;
        None
    }

    /// The weight of each class; nothing where there are no classes.
    fn class_weights(&self, sum: &Self::Sum, weights: &mut Vec<i64>) {
        let _ = (sum, weights);
    }

    /// How rows scatter, where that can be told.
    fn spread(&self, total: &Self::Sum, entries: &[Entry]) -> Spread {
        let _ = (total, entries);
        Spread::default()
    }

    /// Whether all rows have one target, so that no split can help.
    fn is_pure(&self, sum: &Self::Sum, entries: &[Entry]) -> bool;
}

/// How the rows of a node scatter, in the statistic's integer units.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Spread {
    /// The sum of squared weights by the sum of weights: 1 for counts, whose copies are rows.
    pub weight: f64,
    /// The same with squared distances of the target from its mean.
    pub variance: f64,
}

/// What one row may weigh, in the statistic's integer unit; never nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowWeights {
    /// The lightest row.
    pub lightest: f64,
    /// The heaviest row.
    pub heaviest: f64,
}

impl RowWeights {
    /// What so many rows weigh at the least.
    pub fn least(&self, rows: u64) -> f64 {
        rows as f64 * self.lightest
    }

    /// Whether rows of this weight must be so many.
    pub fn are_surely(&self, rows: u64, weight: f64) -> bool {
        weight > rows.saturating_sub(1) as f64 * self.heaviest
    }
}

/// What rows add up to.
pub trait Sum: Clone + Send + Sync {
    /// Adds the rows of `other`.
    fn merge(&mut self, other: &Self);

    /// Takes the rows of `other` away.
    fn remove(&mut self, other: &Self);

    /// Becomes the sum of no rows.
    fn clear(&mut self);

    /// How many rows, a row that stands there `n` times counted `n` times.
    fn rows(&self) -> u64;

    /// The weight, in the integer unit of the statistic.
    fn weight(&self) -> f64;

    /// In how many ways levels may be sorted so that a good subset is a prefix.
    fn n_orders(&self) -> usize;

    /// Compares two levels in one of those orders.
    fn compare(&self, other: &Self, order: usize) -> Ordering;
}

/// A sum in which the weight of every class can be read.
pub trait ClassSum: Sum {
    /// The weights of the classes, in integer units.
    fn class_weights(&self) -> impl Iterator<Item = i64>;

    /// The weight of all classes together, in integer units.
    fn total(&self) -> i64;
}
