//! The nodes that each row passes on its way to its leaves.

use super::grove::groves;
use super::leaves::leaves;
use super::shape::depths;
use crate::data::Aligned;
use crate::describe::Describe;
use crate::run::in_stretches;

/// Rows that a thread takes at a time.
const STRETCH: usize = 1 << 10;

/// Which nodes each row passes: a sparse matrix of rows and the nodes of all trees, whose entries
/// are all 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// Where the nodes of each row begin in `indices`, and where the last one's end.
    pub indptr: Vec<u64>,
    /// The nodes of one row after the other, rising. They are counted through all trees: those of a
    /// tree follow those of the trees before it.
    pub indices: Vec<u64>,
    /// How many nodes each tree has.
    pub n_nodes: Vec<usize>,
}

/// The nodes that each row of a table passes in the trees of a model, roots and leaves included.
///
/// On the threads of the pool that the caller is in, as [`Model::scores`](crate::model::Model::scores).
pub fn paths(model: &dyn Describe, table: &Aligned<'_>) -> Paths {
    let trees = ways(model);
    let leaves = leaves(model, table);
    let (n_rows, n_trees) = (table.table().n_rows(), leaves.n_trees);
    let of_rows = |first: usize| leaves.nodes[first * n_trees..].chunks_exact(n_trees.max(1));
    let mut indptr = vec![0; n_rows + 1];
    in_stretches(&mut indptr[1..], STRETCH, |stretch, lens| {
        for (len, leaves) in lens.iter_mut().zip(of_rows(stretch * STRETCH)) {
            let passed = trees.iter().zip(leaves).map(|(tree, &leaf)| tree.n_passed(leaf));
            *len = passed.sum();
        }
    });
    for row in 0..n_rows {
        indptr[row + 1] += indptr[row];
    }
    let mut indices = vec![0; indptr[n_rows] as usize];
    in_stretches(&mut parts(&mut indices, &indptr), 1, |stretch, part| {
        let mut indices = part.iter_mut().flat_map(|part| part.iter_mut());
        for leaves in of_rows(stretch * STRETCH).take(STRETCH) {
            for (tree, &leaf) in trees.iter().zip(leaves) {
                tree.to(leaf).zip(&mut indices).for_each(|(node, index)| *index = node);
            }
        }
    });
    Paths { indptr, indices, n_nodes: trees.iter().map(|tree| tree.rights.len()).collect() }
}

/// The stretches of all nodes, one for each stretch of rows.
fn parts<'i>(mut indices: &'i mut [u64], indptr: &[u64]) -> Vec<&'i mut [u64]> {
    let n_rows = indptr.len() - 1;
    let mut parts = Vec::with_capacity(n_rows.div_ceil(STRETCH));
    for first in (0..n_rows).step_by(STRETCH) {
        let end = (first + STRETCH).min(n_rows);
        let (part, rest) = indices.split_at_mut((indptr[end] - indptr[first]) as usize);
        parts.push(part);
        indices = rest;
    }
    parts
}

/// The ways through one tree.
struct Ways {
    /// Nodes in the trees before it.
    before: u64,
    /// The right child of each node; 0 in a leaf.
    rights: Vec<u32>,
    /// Splits above each node.
    depths: Vec<u32>,
}

fn ways(model: &dyn Describe) -> Vec<Ways> {
    let mut before = 0;
    let mut trees = Vec::new();
    for grove in groves(model) {
        let walk = grove.kept.walk();
        for tree in 0..grove.kept.n_trees() {
            let rights: Vec<u32> = walk.descent().rights(tree).collect();
            let n_nodes = rights.len() as u64;
            trees.push(Ways { before, depths: depths(&rights), rights });
            before += n_nodes;
        }
    }
    trees
}

impl Ways {
    /// How many nodes a row passes that comes to a leaf.
    fn n_passed(&self, leaf: u32) -> u64 {
        u64::from(self.depths[leaf as usize]) + 1
    }

    /// The nodes on the way to a leaf, counted through all trees. In pre-order the nodes of a right
    /// subtree are those from the right child on: no rule need be asked again.
    fn to(&self, leaf: u32) -> impl Iterator<Item = u64> {
        let next = move |&at: &u32| {
            let right = self.rights[at as usize];
            (at != leaf).then_some(if leaf < right { at + 1 } else { right })
        };
        std::iter::successors(Some(0), next).map(|node| self.before + u64::from(node))
    }
}
