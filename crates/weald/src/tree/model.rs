//! A fitted tree, as it is kept and as it predicts.
//!
//! Nodes stand in pre-order: the left child of an inner node follows it, the right child is named.
//! A node's subtree is therefore one stretch of the list, and every child comes after its parent.

use std::sync::Arc;

use super::kernel::descent::Rows;
use super::level_set::LevelSet;
use super::linear::{LinearLeaf, LinearLeaves};
use super::walk::{Reader, Walk};
use crate::data::{self, Aligned, FieldKind, MISSING, Schema, Table};
use crate::learner::Scalable;
use crate::model::{Below, Model, OneCut, Output};
use crate::run::in_stretches;
use crate::scores::Scores;

/// Rows that a thread takes at a time.
const STRETCH: usize = 1 << 12;
/// Rows of theirs whose values are read at a time.
const BLOCK: usize = 256;

/// A binary tree. Every node, not only a leaf, carries the value it would predict.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// The nodes in pre-order; the root first.
    pub nodes: Vec<Node>,
    /// The value of each node, `width` numbers each.
    pub values: Vec<f64>,
    /// Numbers in a node's value.
    pub width: usize,
    /// Leaves that are more than a constant; only in trees of one number a node.
    pub linear: Option<Box<LinearLeaves>>,
}

/// One node.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where rows go from here.
    pub rule: Rule,
    /// The right child; 0 in a leaf.
    pub right: u32,
    /// The weight of the training rows that came here.
    pub weight: f64,
    /// The criterion's cost of making this node a leaf. Where the range of the target is beyond `2^60`,
    /// or below its inverse, it is that of the target divided by the power of two above its range.
    pub cost: f64,
}

/// Where a node sends a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// Nowhere: the node is a leaf.
    Leaf,
    /// Left when the value is below the threshold.
    Number {
        /// The column.
        feature: u32,
        /// The split point.
        threshold: f64,
        /// Whether a missing value goes left.
        missing_left: bool,
    },
    /// Left when the level is in the set.
    Categories {
        /// The column.
        feature: u32,
        /// The levels that go left. Levels that the node never saw follow the missing ones.
        left: LevelSet,
        /// Whether a missing value goes left.
        missing_left: bool,
    },
}

impl Rule {
    /// The column a node looks at; `None` in a leaf.
    pub fn feature(&self) -> Option<usize> {
        match self {
            Rule::Leaf => None,
            Rule::Number { feature, .. } | Rule::Categories { feature, .. } => {
                Some(*feature as usize)
            }
        }
    }

    /// The names of the levels that go left; `None` if the rule asks for no level.
    pub fn left_levels<'s>(&self, schema: &'s Schema) -> Option<Vec<&'s str>> {
        let Rule::Categories { feature, left, .. } = self else { return None };
        let FieldKind::Categorical { levels } = &schema.fields[*feature as usize].kind else {
            return None;
        };
        Some(left.codes().map(|code| levels[code as usize].as_str()).collect())
    }
}

impl Tree {
    /// Multiplies what its nodes say by a power of two; what they weigh and cost stays.
    pub fn multiply(&mut self, exponent: i32) {
        data::multiply(&mut self.values, exponent);
        for leaf in self.linear.iter_mut().flat_map(|linear| &mut linear.0) {
            let LinearLeaf { base, slopes, low, high, .. } = leaf;
            for x in [base, low, high].into_iter().chain(slopes.iter_mut().map(|s| &mut s.slope)) {
                data::multiply(std::slice::from_mut(x), exponent);
            }
        }
    }

    /// The value of one node.
    pub fn value(&self, node: usize) -> &[f64] {
        &self.values[node * self.width..(node + 1) * self.width]
    }

    /// The children of an inner node.
    pub fn children(&self, node: usize) -> Option<(usize, usize)> {
        match self.nodes[node].rule {
            Rule::Leaf => None,
            _ => Some((node + 1, self.nodes[node].right as usize)),
        }
    }

    /// Whether a node is a leaf.
    pub fn is_leaf(&self, node: usize) -> bool {
        self.nodes[node].rule == Rule::Leaf
    }

    /// What the split of an inner node lowers the criterion's cost by. Where values were moved to
    /// respect the direction of a feature this may be below 0.
    pub fn gain(&self, node: usize) -> Option<f64> {
        let cost = |node: usize| self.nodes[node].cost;
        self.children(node).map(|(left, right)| cost(node) - cost(left) - cost(right))
    }

    /// How many leaves.
    pub fn n_leaves(&self) -> usize {
        self.nodes.iter().filter(|n| n.rule == Rule::Leaf).count()
    }

    /// Splits on the longest way from the root to a leaf.
    pub fn depth(&self) -> usize {
        let mut depths = vec![0; self.nodes.len()];
        for node in 0..self.nodes.len() {
            if let Some((left, right)) = self.children(node) {
                depths[left] = depths[node] + 1;
                depths[right] = depths[node] + 1;
            }
        }
        depths.into_iter().max().unwrap_or(0)
    }

    /// The leaf of one row, given its numbers (NaN is missing) and level codes.
    pub fn leaf(&self, number: impl Fn(usize) -> f64, level: impl Fn(usize) -> u32) -> usize {
        let mut at = 0;
        loop {
            let node = &self.nodes[at];
            let left = match &node.rule {
                Rule::Leaf => return at,
                Rule::Number { feature, threshold, missing_left } => {
                    let x = number(*feature as usize);
                    if x.is_nan() { *missing_left } else { x < *threshold }
                }
                Rule::Categories { feature, left, missing_left } => {
                    let code = level(*feature as usize);
                    if code == MISSING { *missing_left } else { left.contains(code) }
                }
            };
            at = if left { at + 1 } else { node.right as usize };
        }
    }

    /// The leaf of each row of a table whose columns are the tree's features.
    pub fn leaves(&self, table: &Table) -> Vec<u32> {
        let columns = Reader::of(table);
        if table.n_rows() < self.nodes.len() {
            // Too few rows to be worth a look at every node.
            let leaf = |row| self.leaf(|f| columns[f].number(row), |f| columns[f].level(row));
            return (0..table.n_rows()).map(|row| leaf(row) as u32).collect();
        }
        let walk = Walk::of(std::slice::from_ref(self));
        let ends: Vec<u32> =
            (0..self.nodes.len() as u32).filter(|&at| self.is_leaf(at as usize)).collect();
        let mut leaves = vec![0; table.n_rows()];
        in_stretches(&mut leaves, STRETCH, |stretch, leaves| {
            let mut tile: Vec<f64> = Vec::new();
            for (block, leaves) in leaves.chunks_mut(BLOCK).enumerate() {
                walk.read(&columns, stretch * STRETCH + block * BLOCK, leaves.len(), &mut tile);
                walk.rows(0, Rows::of(&tile), leaves);
                leaves.iter_mut().for_each(|leaf| *leaf = ends[*leaf as usize]);
            }
        });
        leaves
    }

    /// The leaf of each of some rows.
    pub fn leaves_of(&self, table: &Table, rows: &[u32]) -> Vec<u32> {
        let columns = Reader::of(table);
        let leaf = |row: usize| self.leaf(|f| columns[f].number(row), |f| columns[f].level(row));
        rows.iter().map(|&row| leaf(row as usize) as u32).collect()
    }
}

/// The level that a number is the code of; missing if it is none.
fn code(x: f64) -> u32 {
    let code = x as u32;
    if f64::from(code) == x { code } else { MISSING }
}

/// A tree with the columns it was trained on and what its values mean.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeModel {
    /// The tree.
    pub tree: Tree,
    /// The columns it was trained on.
    pub schema: Arc<Schema>,
    /// What its values mean.
    pub output: Output,
}

impl Scalable for TreeModel {
    fn multiply(&mut self, exponent: i32) {
        self.tree.multiply(exponent);
    }
}

impl Model for TreeModel {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn output(&self) -> &Output {
        &self.output
    }

    fn is_sound(&self) -> bool {
        true
    }

    fn aligned_row(&self, row: &[f64], scores: &mut [f64]) {
        let leaf = self.tree.leaf(|f| row[f], |f| code(row[f]));
        scores.copy_from_slice(self.tree.value(leaf));
    }

    fn one_cut(&self) -> Option<OneCut<'_>> {
        let tree = &self.tree;
        match &tree.nodes[..] {
            [_] => Some(OneCut { question: None, left: tree.value(0), right: tree.value(0) }),
            [Node { rule: Rule::Number { feature, threshold, missing_left }, .. }, _, _] => {
                let (feature, threshold, missing_left) =
                    (*feature as usize, *threshold, *missing_left);
                let question = Some(Below { feature, threshold, missing_left });
                Some(OneCut { question, left: tree.value(1), right: tree.value(2) })
            }
            _ => None,
        }
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        let table = table.table();
        let mut scores = Scores::zeros(table.n_rows(), self.tree.width);
        let leaves = self.tree.leaves(table);
        let width = self.tree.width;
        in_stretches(scores.values_mut(), STRETCH * width, |stretch, values| {
            let leaves = &leaves[stretch * STRETCH..];
            for (row, &leaf) in values.chunks_exact_mut(width).zip(leaves) {
                row.copy_from_slice(self.tree.value(leaf as usize));
            }
        });
        scores
    }
}
