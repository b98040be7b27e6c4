//! What growing gives: the shape of a tree and the leaf of each row.

use super::model::Rule;
use super::splitter::Split;
use super::statistic::{Entry, row_of};

/// The leaf of a row that was not trained on.
pub const NO_LEAF: u32 = u32::MAX;

/// The shape of a tree and the leaf of each row.
#[derive(Debug)]
pub struct Grown {
    /// The nodes in pre-order.
    pub nodes: Vec<GrownNode>,
    /// The entries, leaf by leaf.
    pub(super) entries: Vec<Entry>,
}

/// One node.
#[derive(Debug, Clone)]
pub struct GrownNode {
    /// Where rows go from here.
    pub rule: Rule,
    /// The right child; 0 in a leaf.
    pub right: u32,
    pub(super) n_entries: usize,
}

impl Grown {
    /// The leaves in pre-order, each with the entries of its rows.
    pub fn leaves(&self) -> impl Iterator<Item = (usize, &[Entry])> {
        let mut rest = self.entries.as_slice();
        let leaves = self.nodes.iter().enumerate().filter(|(_, node)| node.rule == Rule::Leaf);
        leaves.map(move |(leaf, node)| {
            let (own, others) = rest.split_at(node.n_entries);
            rest = others;
            (leaf, own)
        })
    }

    /// The entries of each node's rows, in pre-order; those of a leaf are in row order.
    pub fn rows_of_nodes(&self) -> Vec<&[Entry]> {
        let mut start = 0;
        let rows_of = |node: &GrownNode| {
            let rows = &self.entries[start..start + node.n_entries];
            start += if node.rule == Rule::Leaf { node.n_entries } else { 0 };
            rows
        };
        self.nodes.iter().map(rows_of).collect()
    }

    /// The leaf of each of `n_rows` rows; [`NO_LEAF`] for rows that were not trained on.
    pub fn leaf_of_row(&self, n_rows: usize) -> Vec<u32> {
        let mut leaf_of_row = vec![NO_LEAF; n_rows];
        for (leaf, entries) in self.leaves() {
            entries.iter().for_each(|&e| leaf_of_row[row_of(e)] = leaf as u32);
        }
        leaf_of_row
    }

    /// Gives the entries' memory back.
    pub fn into_entries(self) -> Vec<Entry> {
        self.entries
    }
}

impl GrownNode {
    /// A node that is split.
    pub(super) fn inner(split: Split, n_entries: usize) -> GrownNode {
        GrownNode { rule: split.rule, right: 0, n_entries }
    }

    /// A node that is not.
    pub(super) fn leaf(n_entries: usize) -> GrownNode {
        GrownNode { rule: Rule::Leaf, right: 0, n_entries }
    }
}
