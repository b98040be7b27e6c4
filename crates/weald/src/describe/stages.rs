//! What the first members of a model add up to.

use std::ops::Range;

use super::trees::descend;
use crate::data::{Aligned, Table};
use crate::ensemble::Combining;
use crate::predict::DeepTrees;
use crate::run::in_stretches;
use crate::scores::Scores;
use crate::tree::walk::Reader;

/// Rows that a thread takes at a time.
const STRETCH: usize = 1 << 12;
/// Trees of a forest whose leaves are found ahead: the values of rows are read once for all.
const AHEAD: usize = 32;

/// What the trees or members so far add up to.
#[derive(Debug)]
pub enum SoFar {
    /// Nothing is added up.
    Nothing,
    /// Scores before the link.
    Raw(Scores),
    /// What trees of a forest say.
    Sums {
        /// The sum of their values.
        sums: Scores,
        /// Leaves that were found ahead.
        ahead: LeavesAhead,
    },
    /// What members say.
    Answers(Combining),
}

impl SoFar {
    /// Sums of trees of a forest, before the first.
    pub fn sums(n_rows: usize, width: usize) -> SoFar {
        SoFar::Sums { sums: Scores::zeros(n_rows, width), ahead: LeavesAhead::default() }
    }

    /// Adds what one tree of a forest says. Trees are to be added in their order.
    pub fn add_tree(&mut self, trees: &DeepTrees, tree: usize, table: &Aligned<'_>) {
        if let SoFar::Sums { sums, ahead } = self {
            ahead.add_tree(trees, tree, table.table(), sums);
        }
    }

    /// The mean of what the first `n` trees of a forest say.
    pub fn mean(&self, n: usize) -> Option<Scores> {
        let SoFar::Sums { sums, .. } = self else { return None };
        let mut mean = sums.clone();
        mean.values_mut().iter_mut().for_each(|sum| *sum /= n as f64);
        Some(mean)
    }
}

/// The leaves of all rows in some trees of a forest.
#[derive(Debug, Default)]
pub struct LeavesAhead {
    trees: Range<usize>,
    /// The leaves of one row after the other, tree after tree, by their number among all.
    leaves: Vec<u32>,
}

impl LeavesAhead {
    /// Adds what one tree says. Trees are to be added in their order.
    fn add_tree(&mut self, trees: &DeepTrees, tree: usize, table: &Table, sums: &mut Scores) {
        if !self.trees.contains(&tree) {
            self.look(trees, tree..(tree + AHEAD).min(trees.len()), table);
        }
        let (n_trees, width) = (self.trees.len(), trees.width());
        let leaves = &self.leaves;
        let at = tree - self.trees.start;
        in_stretches(sums.values_mut(), STRETCH * width, |stretch, sums| {
            let leaves = leaves[stretch * STRETCH * n_trees..].chunks_exact(n_trees);
            for (sums, leaves) in sums.chunks_exact_mut(width).zip(leaves) {
                sums.iter_mut().zip(trees.value(leaves[at])).for_each(|(sum, x)| *sum += x);
            }
        });
    }

    fn look(&mut self, trees: &DeepTrees, some: Range<usize>, table: &Table) {
        let (n_trees, columns) = (some.len(), Reader::of(table));
        self.leaves.resize(table.n_rows() * n_trees, 0);
        in_stretches(&mut self.leaves, STRETCH * n_trees, |stretch, found| {
            let start = stretch * STRETCH;
            let rows = start..start + found.len() / n_trees;
            descend(trees.walk(), &columns, some.clone(), rows, |tree, first, leaves| {
                let to = found[(first - start) * n_trees + tree - some.start..].iter_mut();
                to.step_by(n_trees).zip(leaves).for_each(|(to, &leaf)| *to = leaf);
            });
        });
        self.trees = some;
    }
}
