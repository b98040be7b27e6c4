//! Proximities: how near two rows are to each other, as a forest sees it (Breiman 2001).
//!
//! The share of trees in which both fall into one leaf. It needs no scales and no distance between
//! levels, and columns that do not matter for the target do not count. For rows that the forest was
//! trained on it is larger than for new ones, because trees tell rows of their bag apart.

use super::model::ForestModel;
use crate::data::Table;
use crate::error::{Error, Result};
use crate::run::in_stretches;
use crate::scores::Scores;
use crate::tree::walk::Reader;

/// Pairs of rows that are answered at the most: 2 GiB of numbers.
const MOST_PAIRS: usize = 1 << 28;
/// Rows that a thread takes through all trees at a time.
const STRETCH: usize = 256;

/// The leaf of each row in each tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaves {
    n_trees: usize,
    leaves: Vec<u32>,
}

impl Leaves {
    /// How many rows.
    pub fn n_rows(&self) -> usize {
        self.leaves.len() / self.n_trees
    }

    /// The leaf of one row in each tree, counted from the tree's first.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.leaves[row * self.n_trees..][..self.n_trees]
    }

    /// The leaves of each row in turn.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, u32> {
        self.leaves.chunks_exact(self.n_trees)
    }
}

impl ForestModel {
    /// The leaf that each row of a table falls into in each tree. Columns are matched by name.
    pub fn leaves(&self, table: &Table) -> Result<Leaves> {
        let aligned = self.schema.align(table)?;
        let n_trees = self.trees.len();
        let mut leaves = vec![0; aligned.table().n_rows() * n_trees];
        let columns = Reader::of(aligned.table());
        let first: Vec<u32> = (0..n_trees).map(|tree| self.trees.leaves_of(tree).start).collect();
        in_stretches(&mut leaves, STRETCH * n_trees, |stretch, leaves| {
            self.trees.leaves(&columns, stretch * STRETCH, leaves);
            for row in leaves.chunks_exact_mut(n_trees) {
                row.iter_mut().zip(&first).for_each(|(leaf, first)| *leaf -= first);
            }
        });
        Ok(Leaves { n_trees, leaves })
    }

    /// For each row of `a`, how near it is to each row of `b`: the share of trees in which both
    /// fall into one leaf.
    ///
    /// # Errors
    /// If there are more than 2^28 pairs: take fewer rows at a time.
    pub fn proximity(&self, a: &Table, b: &Table) -> Result<Scores> {
        let (rows, others) = (a.n_rows(), b.n_rows());
        if others == 0 {
            return Err(Error::NoRows);
        }
        if rows.checked_mul(others).is_none_or(|pairs| pairs > MOST_PAIRS) {
            return Err(Error::TooManyPairs { rows, others, most: MOST_PAIRS });
        }
        let (of_a, of_b) = (self.leaves(a)?, self.leaves(b)?);
        let mut near = Scores::zeros(rows, others);
        in_stretches(near.values_mut(), others, |row, near| {
            let own = of_a.row(row);
            for (near, other) in near.iter_mut().zip(of_b.rows()) {
                let n_shared = own.iter().zip(other).filter(|(one, other)| one == other).count();
                *near = n_shared as f64 / self.trees.len() as f64;
            }
        });
        Ok(near)
    }
}
