//! The trees of a model, however they are kept.

use std::borrow::Cow;
use std::ops::Range;
use std::slice::from_ref;

use serde_json::json;

use super::{Describe, Fact, in_shares};
use crate::predict::{DeepTrees, Trees};
use crate::tree::kernel::descent::{IN_FLIGHT, Rows};
use crate::tree::walk::{Reader, Walk};
use crate::tree::{Tree, TreeModel};

/// Rows whose values are read at a time, at the most.
const MOST_ROWS: usize = 1 << 10;
/// Numbers of theirs, at the most.
const MOST_NUMBERS: usize = 1 << 18;

/// Trees that are kept together.
#[derive(Debug, Clone, Copy)]
pub enum Kept<'m> {
    /// A tree alone.
    One(&'m Tree),
    /// Trees that are added up.
    Sum(&'m Trees),
    /// Trees that are averaged.
    Mean(&'m DeepTrees),
}

impl<'m> Kept<'m> {
    /// How many trees.
    pub fn n_trees(self) -> usize {
        match self {
            Kept::One(_) => 1,
            Kept::Sum(trees) => trees.len(),
            Kept::Mean(trees) => trees.len(),
        }
    }

    /// The trees as rows go down them.
    pub fn walk(self) -> Cow<'m, Walk> {
        match self {
            Kept::One(tree) => Cow::Owned(Walk::of(from_ref(tree))),
            Kept::Sum(trees) => Cow::Borrowed(trees.walk()),
            Kept::Mean(trees) => Cow::Borrowed(trees.walk()),
        }
    }

    /// The share of each column in what all splits gain; 0 of trees that keep no gains.
    pub(super) fn importance(self, n_columns: usize) -> Vec<f64> {
        let trees = match self {
            Kept::One(tree) => from_ref(tree),
            Kept::Sum(trees) => trees,
            Kept::Mean(_) => &[],
        };
        let gains = || trees.iter().flat_map(gains);
        // In units of the largest no sum is infinite.
        let largest = gains().map(|(_, gain)| gain).fold(0.0, f64::max);
        let mut shares = vec![0.0; n_columns];
        if largest > 0.0 {
            gains().for_each(|(column, gain)| shares[column] += gain / largest);
        }
        in_shares(shares)
    }
}

/// The column of each split and what the split gains.
fn gains(tree: &Tree) -> impl Iterator<Item = (usize, f64)> {
    (0..tree.nodes.len()).filter_map(|node| {
        let gain = tree.gain(node)?.clamp(0.0, f64::MAX);
        Some((tree.nodes[node].rule.feature()?, gain))
    })
}

/// Takes rows of a table down some trees. For each tree and some rows at a time `visit` is told the
/// tree, the first of the rows, and the leaf of each, by its number among the leaves of all trees.
pub fn descend(
    walk: &Walk,
    columns: &[Reader<'_>],
    trees: Range<usize>,
    rows: Range<usize>,
    mut visit: impl FnMut(usize, usize, &[u32]),
) {
    let n_together = (MOST_NUMBERS / walk.n_values()).clamp(IN_FLIGHT, MOST_ROWS);
    let mut tile: Vec<f64> = Vec::new();
    let mut leaves = vec![0; n_together.min(rows.len())];
    for first in rows.clone().step_by(n_together) {
        let leaves = &mut leaves[..n_together.min(rows.end - first)];
        walk.read(columns, first, leaves.len(), &mut tile);
        let values = Rows::of(&tile);
        for tree in trees.clone() {
            walk.rows(tree, values, leaves);
            visit(tree, first, leaves);
        }
    }
}

impl Describe for TreeModel {
    fn own_trees(&self) -> Option<Kept<'_>> {
        Some(Kept::One(&self.tree))
    }

    fn n_members(&self) -> usize {
        1
    }

    fn facts(&self) -> Vec<Fact> {
        vec![("n_leaves", json!(self.tree.n_leaves())), ("depth", json!(self.tree.depth()))]
    }
}
