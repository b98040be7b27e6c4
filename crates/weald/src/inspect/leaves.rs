//! The leaf of each row in each tree: rows that share many leaves are alike to the model, and leaves
//! as categories are features for another one (He et al. 2014).

use std::borrow::Cow;

use super::grove::{Grove, groves};
use crate::data::Aligned;
use crate::describe::{Describe, descend};
use crate::run::in_stretches;
use crate::tree::walk::{Reader, Walk};

/// Rows that a thread takes at a time.
const STRETCH: usize = 1 << 12;

/// The leaf of each row in each tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaves {
    /// How many trees.
    pub n_trees: usize,
    /// The leaves of one row after the other, tree after tree: numbers of nodes in their tree.
    pub nodes: Vec<u32>,
}

/// The leaf of each row of a table in each tree of a model.
///
/// On the threads of the pool that the caller is in, as [`Model::scores`](crate::model::Model::scores).
pub fn leaves(model: &dyn Describe, table: &Aligned<'_>) -> Leaves {
    let readers = Reader::of(table.table());
    let groves: Vec<Going<'_, '_>> =
        groves(model).iter().map(|grove| Going::of(grove, &readers)).collect();
    let n_trees: usize = groves.iter().map(|grove| grove.n_trees).sum();
    let mut nodes = vec![0; table.table().n_rows() * n_trees];
    in_stretches(&mut nodes, (STRETCH * n_trees).max(1), |stretch, nodes| {
        let start = stretch * STRETCH;
        let rows = start..start + nodes.len() / n_trees;
        let mut before = 0;
        for grove in &groves {
            let Going { walk, columns, ends, .. } = grove;
            descend(walk, columns, 0..grove.n_trees, rows.clone(), |tree, first, leaves| {
                let to = nodes[(first - start) * n_trees + before + tree..].iter_mut();
                let to = to.step_by(n_trees).zip(leaves);
                to.for_each(|(node, &leaf)| *node = ends[leaf as usize]);
            });
            before += grove.n_trees;
        }
    });
    Leaves { n_trees, nodes }
}

/// Trees that rows are taken down.
struct Going<'m, 't> {
    n_trees: usize,
    walk: Cow<'m, Walk>,
    columns: Vec<Reader<'t>>,
    /// The node of each leaf, by the leaf's number among those of all trees.
    ends: Vec<u32>,
}

impl<'m, 't> Going<'m, 't> {
    fn of(grove: &Grove<'m>, table: &[Reader<'t>]) -> Going<'m, 't> {
        let (n_trees, walk) = (grove.kept.n_trees(), grove.kept.walk());
        let of_tree = |tree| {
            let nodes = walk.descent().rights(tree).zip(0..);
            nodes.filter(|(right, _)| *right == 0).map(|(_, node)| node)
        };
        let ends = (0..n_trees).flat_map(of_tree).collect();
        Going { n_trees, columns: grove.columns(table), ends, walk }
    }
}
