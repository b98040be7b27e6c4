//! The nodes of each tree of a model, to be drawn, printed or counted.
//!
//! A tree alone and the trees of boosting keep the weight, the cost and the value of every node; the
//! trees of a forest keep the value and the weight of leaves alone, in single precision.

use std::sync::Arc;

use super::grove::{Grove, groves};
use crate::describe::{Describe, Kept};
use crate::predict::{DeepNode, DeepTrees};
use crate::tree::{LinearLeaf, Rule, Tree};

/// One tree of a model.
#[derive(Debug, Clone)]
pub struct TreeView<'m> {
    kept: KeptTree<'m>,
    /// Which columns of the whole table the tree counts; `None`: all.
    columns: Option<Arc<[u32]>>,
}

#[derive(Debug, Clone, Copy)]
enum KeptTree<'m> {
    Whole(&'m Tree),
    Deep(&'m DeepTrees, usize),
}

/// What is known of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeView<'m> {
    /// Where rows go from here; the left child follows the node.
    pub rule: Rule,
    /// The right child; 0 in a leaf.
    pub right: u32,
    /// What the node says, or would say if it were a leaf; in boosting what it adds to the scores.
    /// Of inner nodes of a forest it is not kept.
    pub value: Option<&'m [f64]>,
    /// The weight of the training rows that came here; in boosting the sum of their second
    /// derivatives and the penalty `l2`. Of inner nodes of a forest it is not kept.
    pub weight: Option<f64>,
    /// The criterion's cost of making the node a leaf. In a forest it is not kept.
    pub cost: Option<f64>,
    /// What the split lowers that cost by; `None` in a leaf and in a forest.
    pub gain: Option<f64>,
    /// How a leaf depends on the row, if it is more than a constant.
    pub linear: Option<LinearLeaf>,
}

/// The trees of a model, in their order.
pub fn trees(model: &dyn Describe) -> Vec<TreeView<'_>> {
    groves(model).into_iter().flat_map(|grove| of_grove(&grove)).collect()
}

fn of_grove<'m>(grove: &Grove<'m>) -> Vec<TreeView<'m>> {
    let view = |kept| TreeView { kept, columns: grove.columns.clone() };
    match grove.kept {
        Kept::One(tree) => vec![view(KeptTree::Whole(tree))],
        Kept::Sum(trees) => trees.iter().map(|tree| view(KeptTree::Whole(tree))).collect(),
        Kept::Mean(trees) => {
            (0..trees.len()).map(|tree| view(KeptTree::Deep(trees, tree))).collect()
        }
    }
}

impl<'m> TreeView<'m> {
    /// The nodes in pre-order.
    pub fn nodes(&self) -> Vec<NodeView<'m>> {
        match self.kept {
            KeptTree::Whole(tree) => {
                (0..tree.nodes.len()).map(|node| self.whole_node(tree, node)).collect()
            }
            KeptTree::Deep(trees, tree) => {
                trees.nodes(tree).map(|node| self.deep_node(node)).collect()
            }
        }
    }

    /// How many nodes.
    pub fn n_nodes(&self) -> usize {
        match self.kept {
            KeptTree::Whole(tree) => tree.nodes.len(),
            KeptTree::Deep(trees, tree) => trees.walk().descent().rights(tree).len(),
        }
    }

    /// How many leaves.
    pub fn n_leaves(&self) -> usize {
        // Every split makes one leaf more.
        self.n_nodes().div_ceil(2)
    }

    /// Splits on the longest way from the root to a leaf.
    pub fn depth(&self) -> usize {
        match self.kept {
            KeptTree::Whole(tree) => tree.depth(),
            KeptTree::Deep(trees, tree) => {
                let rights: Vec<u32> = trees.walk().descent().rights(tree).collect();
                depths(&rights).into_iter().max().unwrap_or(0) as usize
            }
        }
    }

    fn whole_node(&self, tree: &'m Tree, at: usize) -> NodeView<'m> {
        let node = &tree.nodes[at];
        let mut linear = tree.linear.as_ref().and_then(|linear| linear.leaf(at)).cloned();
        for slope in linear.iter_mut().flat_map(|leaf| &mut leaf.slopes) {
            slope.feature = self.column(slope.feature);
        }
        NodeView {
            rule: self.rule(node.rule.clone()),
            right: node.right,
            value: Some(tree.value(at)),
            weight: Some(node.weight),
            cost: Some(node.cost),
            gain: tree.gain(at),
            linear,
        }
    }

    fn deep_node(&self, node: DeepNode<'m>) -> NodeView<'m> {
        NodeView {
            rule: self.rule(node.rule),
            right: node.right,
            value: node.leaf.map(|(value, _)| value),
            weight: node.leaf.map(|(_, weight)| weight.into()),
            cost: None,
            gain: None,
            linear: None,
        }
    }

    /// The rule with its column as the whole table counts it.
    fn rule(&self, mut rule: Rule) -> Rule {
        if let Rule::Number { feature, .. } | Rule::Categories { feature, .. } = &mut rule {
            *feature = self.column(*feature);
        }
        rule
    }

    fn column(&self, own: u32) -> u32 {
        self.columns.as_ref().map_or(own, |columns| columns[own as usize])
    }
}

/// Splits above each node, given the right child of each; 0 in a leaf.
pub(super) fn depths(rights: &[u32]) -> Vec<u32> {
    let mut depths = vec![0; rights.len()];
    for (at, &right) in rights.iter().enumerate().filter(|(_, right)| **right != 0) {
        depths[at + 1] = depths[at] + 1;
        depths[right as usize] = depths[at] + 1;
    }
    depths
}
