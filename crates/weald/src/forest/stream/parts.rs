//! A streaming forest as plain numbers, to be kept in a file.
//!
//! Only what cannot be told from the rest is kept: the rows of the window and the splits of each
//! tree. Which rows a tree holds is a draw from the seed; they find their leaves by the splits; bounds
//! and counts follow. So parts that are read back are either a state in which a forest can be, and
//! then it goes on with the bytes of the one that was written, or an error.

use std::sync::Arc;

use super::bounds;
use super::model::StreamingModel;
use super::streaming_forest::StreamingForest;
use super::tree::{NONE, Node, SlidingTree};
use super::window::{Window, is_kept};
use crate::data::Schema;
use crate::error::{Error, ModelFileError, Result};
use crate::seed::Seed;

/// What a leaf has for a feature.
pub const LEAF: u32 = u32::MAX;

/// The state of a [`StreamingModel`] beside its hyper-parameters, columns and seed.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamParts {
    /// How many rows have been seen.
    pub n_seen: u64,
    /// The rows of the window, the oldest first, a number for each column: infinities are the largest
    /// finite numbers, levels the whole numbers of 53 bits that their names have.
    pub rows: Vec<f64>,
    /// The splits of each tree.
    pub trees: Vec<TreeParts>,
}

/// The nodes of one tree in pre-order: a node, those of its left side, those of its right side.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TreeParts {
    /// The column that each node asks for, or [`LEAF`].
    pub features: Vec<u32>,
    /// Rows whose value is below go left; 0 in a leaf.
    pub thresholds: Vec<f64>,
    /// Whether missing values go left.
    pub missing_left: Vec<bool>,
}

impl StreamingModel {
    /// The model as plain numbers.
    pub fn parts(&self) -> StreamParts {
        let rows = self.window.rows().flat_map(|row| self.window.row(row)).copied().collect();
        let trees = self.trees.iter().map(TreeParts::of).collect();
        StreamParts { n_seen: self.n_seen(), rows, trees }
    }

    /// A model from its parts, once they are proven sound.
    pub fn from_parts(
        parameters: &StreamingForest,
        schema: &Arc<Schema>,
        seed: Seed,
        parts: &StreamParts,
    ) -> Result<StreamingModel> {
        let mut model = parameters.start(schema, seed)?;
        if parts.n_seen > u64::MAX / 2 {
            return damaged(format!("it claims to have seen {} rows", parts.n_seen));
        }
        let within = parts.n_seen.min(parameters.window as u64);
        let n_columns = schema.len();
        let (found, expected) = (parts.rows.len(), within as usize * n_columns);
        if found != expected {
            return damaged(format!("its window has {found} numbers, expected {expected}"));
        }
        for (place, &x) in parts.rows.iter().enumerate() {
            if !is_kept(x, &schema.fields[place % n_columns].kind) {
                return damaged(format!(
                    "its window holds the number {x} in column {}",
                    place % n_columns
                ));
            }
        }
        let (found, expected) = (parts.trees.len(), parameters.n_trees);
        if found != expected {
            return damaged(format!("it has {found} trees, expected {expected}"));
        }
        let window = &mut model.window;
        *window = Window::new(parameters.window, n_columns, parts.n_seen - within);
        parts.rows.chunks(n_columns).for_each(|row| window.push(row));
        for (i, (tree, parts)) in model.trees.iter_mut().zip(&parts.trees).enumerate() {
            parts
                .build(tree, n_columns)
                .and_then(|()| tree.settle(window))
                .or_else(|what| damaged(format!("tree {i} {what}")))?;
        }
        Ok(model)
    }
}

impl TreeParts {
    fn of(tree: &SlidingTree) -> TreeParts {
        let mut parts = TreeParts::default();
        let mut pending = if tree.root == NONE { vec![] } else { vec![tree.root] };
        while let Some(at) = pending.pop() {
            let node = tree.nodes[at as usize];
            parts.features.push(if node.is_leaf { LEAF } else { node.feature });
            parts.thresholds.push(node.threshold);
            parts.missing_left.push(node.missing_left);
            if !node.is_leaf {
                pending.extend([node.children[1], node.children[0]]);
            }
        }
        parts
    }

    /// Gives an empty tree these nodes, still without rows.
    fn build(&self, tree: &mut SlidingTree, n_columns: usize) -> Proof {
        let n_nodes = self.features.len();
        if self.thresholds.len() != n_nodes || self.missing_left.len() != n_nodes {
            return Err("has lists of different lengths".into());
        }
        // The places where nodes are still to come: below whom, and on which side.
        let mut open: Vec<Option<(u32, usize)>> = vec![None];
        for (i, &feature) in self.features.iter().enumerate() {
            let Some(place) = open.pop() else {
                return Err(format!("has nodes beyond its last one, {i}"));
            };
            let at = tree.allocate();
            match place {
                None => tree.root = at,
                Some((parent, side)) => tree.nodes[parent as usize].children[side] = at,
            }
            bounds::clear(tree.bounds_mut(at));
            if feature == LEAF {
                continue;
            }
            if feature as usize >= n_columns {
                return Err(format!("asks for column {feature} in node {i}"));
            }
            let (threshold, missing_left) = (self.thresholds[i], self.missing_left[i]);
            let question = Node::inner(feature as usize, threshold, missing_left, 0);
            tree.nodes[at as usize] = question;
            open.extend([Some((at, 1)), Some((at, 0))]);
        }
        match n_nodes == 0 || open.is_empty() {
            true => Ok(()),
            false => Err(format!("ends with {} nodes missing", open.len())),
        }
    }
}

/// What is wrong with a tree, in words.
type Proof = std::result::Result<(), String>;

impl SlidingTree {
    /// Lets the rows that are the tree's find their leaves, and proves that the tree is one of them.
    fn settle(&mut self, window: &Window) -> Proof {
        let mut room = Vec::new();
        for row in window.rows().filter(|&row| self.joins(row)).collect::<Vec<_>>() {
            if self.root == NONE {
                return Err(format!("has no nodes, but row {row}"));
            }
            let x = self.see(window.row(row), &mut room);
            let mut at = self.root;
            loop {
                bounds::stretch(self.bounds_mut(at), x);
                let node = &mut self.nodes[at as usize];
                if node.is_leaf {
                    break;
                }
                node.rows += 1;
                at = node.children[node.side(x[node.feature as usize])];
            }
            let member = self.member(row);
            self.join_leaf(at, member);
        }
        let mut pending = if self.root == NONE { vec![] } else { vec![(self.root, 0)] };
        while let Some((at, depth)) = pending.pop() {
            self.prove(at, depth)?;
            if !self.nodes[at as usize].is_leaf {
                pending.extend(self.nodes[at as usize].children.map(|child| (child, depth + 1)));
            }
        }
        Ok(())
    }

    fn prove(&self, at: u32, depth: u32) -> Proof {
        let node = &self.nodes[at as usize];
        if node.rows == 0 {
            return Err(format!("has no rows in node {at}"));
        }
        match node.question() {
            Some(feature) => {
                let (low, high) = bounds::of(self.bounds(at), feature);
                match low < node.threshold && node.threshold <= high {
                    true => Ok(()),
                    false => Err(format!("does not divide the rows of node {at}")),
                }
            }
            None if bounds::n_varying(self.bounds(at)) == 0 => Ok(()),
            None if self.rests(depth, node.rows) => Ok(()),
            None => Err(format!("ends too early in node {at}")),
        }
    }
}

fn damaged<T>(what: String) -> Result<T> {
    Err(Error::ModelFile(ModelFileError::Damaged(what)))
}
