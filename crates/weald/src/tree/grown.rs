//! What growing gives: the shape of a tree and the leaf of each row.

use std::borrow::Cow;
use std::ops::Range;

use super::model::Rule;
use super::parts::NodeRows;
use super::splitter::Split;
use super::statistic::{Entry, row_of};

/// The leaf of a row that was not trained on.
pub const NO_LEAF: u32 = u32::MAX;

/// The shape of a tree and the leaf of each row.
#[derive(Debug)]
pub struct Grown {
    /// The nodes in pre-order.
    pub nodes: Vec<GrownNode>,
    /// The entries, part by part, in each part leaf by leaf.
    pub(super) entries: Vec<Entry>,
    /// For each part, the number of entries of each leaf.
    pub(super) leaf_lens: Vec<Vec<usize>>,
}

/// The entries of a tree leaf by leaf, whatever the parts.
pub struct LeafByLeaf<'g> {
    nodes: &'g [GrownNode],
    entries: Cow<'g, [Entry]>,
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

impl LeafByLeaf<'_> {
    /// The leaves in pre-order, each with the entries of its rows, which are in row order.
    pub fn leaves(&self) -> impl Iterator<Item = (usize, &[Entry])> {
        let is_leaf = |(_, (node, _)): &(usize, (&GrownNode, &[Entry]))| node.rule == Rule::Leaf;
        let nodes = self.nodes.iter().zip(self.rows_of_nodes()).enumerate().filter(is_leaf);
        nodes.map(|(leaf, (_, entries))| (leaf, entries))
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
}

impl Grown {
    /// A tree grown in one part.
    pub(super) fn whole(nodes: Vec<GrownNode>, entries: Vec<Entry>) -> Grown {
        let leaves = nodes.iter().filter(|node| node.rule == Rule::Leaf);
        let leaf_lens = vec![leaves.map(|leaf| leaf.n_entries).collect()];
        Grown { nodes, entries, leaf_lens }
    }

    /// For each part, the leaves in pre-order, each with the entries of its rows in that part,
    /// which are in row order.
    pub fn parts(&self) -> Vec<Vec<(usize, &[Entry])>> {
        let mut rest = self.entries.as_slice();
        let is_leaf = |node: &usize| self.nodes[*node].rule == Rule::Leaf;
        let leaves: Vec<usize> = (0..self.nodes.len()).filter(is_leaf).collect();
        let part = |lens: &Vec<usize>| {
            let own = |(&leaf, &len): (&usize, &usize)| {
                let (own, others) = rest.split_at(len);
                rest = others;
                (leaf, own)
            };
            leaves.iter().zip(lens).map(own).collect()
        };
        self.leaf_lens.iter().map(part).collect()
    }

    /// The same for ranges of rows that may be others than the parts, if there is one part only.
    pub fn in_ranges<'s>(&'s self, ranges: &[Range<usize>]) -> Vec<Vec<(usize, &'s [Entry])>> {
        let parts = self.parts();
        let [whole] = parts.as_slice() else { return parts };
        let before = |entries: &[Entry], row: usize| entries.partition_point(|&e| row_of(e) < row);
        let within = |range: &Range<usize>| {
            let own = |&(leaf, entries): &(usize, &'s [Entry])| {
                (leaf, &entries[before(entries, range.start)..before(entries, range.end)])
            };
            whole.iter().map(own).collect()
        };
        ranges.iter().map(within).collect()
    }

    /// The same leaf by leaf.
    pub fn leaf_by_leaf(&self) -> LeafByLeaf<'_> {
        let parts = self.parts();
        let entries = if let [_] = parts.as_slice() {
            Cow::Borrowed(self.entries.as_slice())
        } else {
            let n_leaves = parts.first().map_or(0, Vec::len);
            let leaf = |leaf: usize| parts.iter().flat_map(move |part| part[leaf].1);
            Cow::Owned((0..n_leaves).flat_map(leaf).copied().collect())
        };
        LeafByLeaf { nodes: &self.nodes, entries }
    }

    /// The leaf of each of `n_rows` rows; [`NO_LEAF`] for rows that were not trained on.
    pub fn leaf_of_row(&self, n_rows: usize) -> Vec<u32> {
        let mut leaf_of_row = vec![NO_LEAF; n_rows];
        for (leaf, entries) in self.parts().into_iter().flatten() {
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

/// A node of a tree that is grown in no particular order.
pub(super) struct Placed {
    /// Its rows in each part.
    lens: Vec<usize>,
    /// The split and the left child; the right child follows it.
    pub split: Option<(Split, usize)>,
}

impl Placed {
    /// A node that is not split.
    pub fn new(rows: &NodeRows<'_>) -> Placed {
        Placed { lens: rows.lens(), split: None }
    }
}

/// The nodes in pre-order and, for each part, the number of rows of each leaf.
pub(super) fn in_pre_order(placed: &[Placed], n_parts: usize) -> (Vec<GrownNode>, Vec<Vec<usize>>) {
    let mut nodes: Vec<GrownNode> = Vec::with_capacity(placed.len());
    let mut leaf_lens = vec![Vec::new(); n_parts];
    let mut stack = vec![(0, None)];
    while let Some((at, parent)) = stack.pop() {
        let here = nodes.len();
        if let Some(parent) = parent {
            let parent: &mut GrownNode = &mut nodes[parent];
            parent.right = here as u32;
        }
        let Placed { lens, split } = &placed[at];
        let n_entries = lens.iter().sum();
        match split {
            None => {
                nodes.push(GrownNode::leaf(n_entries));
                leaf_lens.iter_mut().zip(lens).for_each(|(all, len)| all.push(*len));
            }
            Some((split, left)) => {
                nodes.push(GrownNode::inner(split.clone(), n_entries));
                stack.push((left + 1, Some(here)));
                stack.push((*left, None));
            }
        }
    }
    (nodes, leaf_lens)
}
