//! Deep trees whose answers are averaged, as forests have them.
//!
//! A forest of full depth has millions of nodes, so each takes 8 bytes (16 where thresholds need
//! double precision), and of a leaf only what it says and what it weighs is kept; leaves that say
//! the same share it. Rows go down one tree after the other, many at a time, while that tree is at
//! hand in the cache. Where all trees are small, many rows become bytes instead, as in boosting.

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::OnceLock;

use crate::data::{self, Schema, Table};
use crate::run::in_stretches;
use crate::scores::Scores;
use crate::tree::kernel::descent::{Compares, IN_FLIGHT, Narrow, Rows, Value};
use crate::tree::kernel::mux::MOST_LEAVES;
use crate::tree::walk::{Reader, Walk};
use crate::tree::{Node, Rule, Tree};

use super::COLUMNS_PER_TREE;
use super::batch::{Batch, Kind};

/// Rows that a thread takes through all trees at a time: many, because each tree comes from memory
/// for each such stretch.
const STRETCH: usize = 1 << 12;
/// Numbers of theirs at the most that are read at a time.
const MOST_NUMBERS: usize = 1 << 18;
/// Rows from which on it pays to make trees ready for bytes.
const BATCH_ROWS: usize = 1 << 10;

/// One packed tree: what is in its leaves, in pre-order.
#[derive(Debug)]
pub struct DeepTree {
    /// The tree.
    pub walk: Walk,
    /// What each leaf says, `width` numbers each.
    pub values: Vec<f64>,
    /// The weight of the rows that each leaf was grown on.
    pub weights: Vec<f32>,
}

/// Many of them.
#[derive(Debug)]
pub struct DeepTrees {
    walk: Walk,
    width: usize,
    /// Where each tree's leaves begin, and where the last one's end.
    first_leaf: Vec<u32>,
    /// Which of `values` each leaf says; empty if each says its own.
    value_of_leaf: Vec<u32>,
    values: Vec<f64>,
    weights: Vec<f32>,
    /// The place of each known value, while there may be more.
    known: HashMap<Box<[u64]>, u32>,
    /// Small trees, ready for rows as bytes: made on first use.
    batch: OnceLock<Box<Batch>>,
}

/// One node of a tree as it is read back.
#[derive(Debug, Clone, PartialEq)]
pub struct DeepNode<'a> {
    /// Where rows go from here.
    pub rule: Rule,
    /// The right child; 0 in a leaf.
    pub right: u32,
    /// What a leaf says, and its weight.
    pub leaf: Option<(&'a [f64], f32)>,
}

impl DeepTree {
    /// A tree over the columns of `schema`, packed.
    pub fn of(schema: &Schema, tree: &Tree) -> DeepTree {
        let nodes = tree.nodes.iter().map(|node| (&node.rule, node.right));
        let leaves = || (0..tree.nodes.len()).filter(|&at| tree.is_leaf(at));
        DeepTree {
            walk: Walk::one(schema, nodes),
            values: leaves().flat_map(|at| tree.value(at)).copied().collect(),
            weights: leaves().map(|at| tree.nodes[at].weight as f32).collect(),
        }
    }
}

impl DeepTrees {
    /// No trees yet, over these columns, with so many numbers in a leaf.
    pub fn new(schema: &Schema, width: usize) -> DeepTrees {
        DeepTrees {
            walk: Walk::over(schema),
            width,
            first_leaf: vec![0],
            value_of_leaf: Vec::new(),
            values: Vec::new(),
            weights: Vec::new(),
            known: HashMap::new(),
            batch: OnceLock::new(),
        }
    }

    /// Multiplies what all leaves say by a power of two.
    pub fn multiply(&mut self, exponent: i32) {
        self.batch = OnceLock::new();
        data::multiply(&mut self.values, exponent);
    }

    /// Adds a tree.
    pub fn push(&mut self, tree: &DeepTree) {
        self.batch = OnceLock::new();
        self.walk.append(&tree.walk);
        self.weights.extend_from_slice(&tree.weights);
        self.first_leaf.push(self.weights.len() as u32);
        if self.width == 1 {
            self.values.extend_from_slice(&tree.values);
            return;
        }
        for value in tree.values.chunks_exact(self.width) {
            let bits: Box<[u64]> = value.iter().map(|x| x.to_bits()).collect();
            let place = *self.known.entry(bits).or_insert_with(|| {
                self.values.extend_from_slice(value);
                (self.values.len() / self.width - 1) as u32
            });
            self.value_of_leaf.push(place);
        }
    }

    /// Gives back memory that is of use only while trees are added.
    pub fn finish(&mut self) {
        self.known = HashMap::new();
        self.walk.shrink();
        self.first_leaf.shrink_to_fit();
        self.value_of_leaf.shrink_to_fit();
        self.values.shrink_to_fit();
        self.weights.shrink_to_fit();
    }

    /// How many trees.
    pub fn len(&self) -> usize {
        self.first_leaf.len() - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many numbers a leaf has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The trees as rows go down them.
    pub fn walk(&self) -> &Walk {
        &self.walk
    }

    /// How many nodes all trees have.
    pub fn n_nodes(&self) -> usize {
        self.walk.descent().n_nodes()
    }

    /// How many leaves all trees have.
    pub fn n_leaves(&self) -> usize {
        self.weights.len()
    }

    /// Bytes of memory that the trees take.
    pub fn n_bytes(&self) -> usize {
        let lists = (self.first_leaf.capacity() + self.value_of_leaf.capacity()) * 4;
        let leaves = self.values.capacity() * 8 + self.weights.capacity() * 4;
        self.walk.descent().n_bytes() + lists + leaves
    }

    /// The nodes of one tree in pre-order.
    pub fn nodes(&self, tree: usize) -> impl ExactSizeIterator<Item = DeepNode<'_>> {
        let mut leaf = self.first_leaf[tree];
        self.walk.rules(tree).map(move |(rule, right)| {
            let found = (rule == Rule::Leaf).then(|| {
                leaf += 1;
                (self.value(leaf - 1), self.weights[leaf as usize - 1])
            });
            DeepNode { rule, right, leaf: found }
        })
    }

    /// What a leaf says, by its number among all.
    #[inline]
    pub fn value(&self, leaf: u32) -> &[f64] {
        &self.values[self.place_of_value(leaf) as usize * self.width..][..self.width]
    }

    /// Which of the values a leaf says.
    #[inline]
    pub fn place_of_value(&self, leaf: u32) -> u32 {
        self.value_of_leaf.get(leaf as usize).copied().unwrap_or(leaf)
    }

    /// Everything that leaves say, `width` numbers each.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The weight of each leaf.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The leaves of one tree, by their numbers among all.
    pub fn leaves_of(&self, tree: usize) -> std::ops::Range<u32> {
        self.first_leaf[tree]..self.first_leaf[tree + 1]
    }

    /// The mean of what the trees say of each row of a table, whose columns are theirs.
    pub fn mean(&self, table: &Table) -> Scores {
        if table.n_rows() >= BATCH_ROWS && self.are_small() {
            self.mean_of_batch(table)
        } else if self.walk.descent().takes_singles() {
            self.mean_by::<f32>(table)
        } else {
            self.mean_by::<f64>(table)
        }
    }

    /// Whether rows can become bytes, and it pays.
    fn are_small(&self) -> bool {
        let most_leaves = self.first_leaf.windows(2).map(|pair| pair[1] - pair[0]).max();
        most_leaves.is_some_and(|most| most as usize <= MOST_LEAVES)
            && self.walk.n_values() <= COLUMNS_PER_TREE * self.len()
    }

    fn mean_of_batch(&self, table: &Table) -> Scores {
        let batch = self.batch.get_or_init(|| {
            let trees: Vec<Tree> = (0..self.len()).map(|tree| self.unpacked(tree)).collect();
            Box::new(Batch::of(Kind::Mux, &trees))
        });
        let mut scores = Scores::zeros(table.n_rows(), self.width);
        let columns = Reader::of(table);
        in_stretches(scores.values_mut(), STRETCH * self.width, |stretch, scores| {
            batch.add(&columns, stretch * STRETCH, scores, self.width);
            self.divide(scores);
        });
        scores
    }

    /// A tree with what its leaves say; what it does not keep of inner nodes is 0.
    fn unpacked(&self, tree: usize) -> Tree {
        let mut values = Vec::new();
        let mut node = |DeepNode { rule, right, leaf }: DeepNode<'_>| {
            match leaf {
                Some((value, _)) => values.extend_from_slice(value),
                None => values.extend(std::iter::repeat_n(0.0, self.width)),
            }
            Node { rule, right, weight: 0.0, cost: 0.0 }
        };
        let nodes = self.nodes(tree).map(&mut node).collect();
        Tree { nodes, values, width: self.width, linear: None }
    }

    fn mean_by<V: Value>(&self, table: &Table) -> Scores
    where
        Narrow: Compares<V>,
    {
        let mut scores = Scores::zeros(table.n_rows(), self.width);
        let columns = Reader::of(table);
        let (width, n_values) = (self.width, self.walk.n_values());
        let most_rows = (MOST_NUMBERS / n_values).clamp(IN_FLIGHT, STRETCH);
        in_stretches(scores.values_mut(), most_rows * width, |stretch, scores| {
            let n_rows = scores.len() / width;
            let mut tile: Vec<V> = Vec::new();
            self.walk.read(&columns, stretch * most_rows, n_rows, &mut tile);
            let rows = Rows::of(&tile);
            let mut leaves = vec![0; n_rows];
            for tree in 0..self.len() {
                self.walk.rows(tree, rows, &mut leaves);
                self.read_through(tree);
                for (scores, &leaf) in scores.chunks_exact_mut(width).zip(&leaves) {
                    scores.iter_mut().zip(self.value(leaf)).for_each(|(sum, x)| *sum += x);
                }
            }
            self.divide(scores);
        });
        scores
    }

    /// Touches what the leaves of a tree say, in order: so it comes from memory as a stream.
    fn read_through(&self, tree: usize) {
        let leaves = self.leaves_of(tree);
        let places = self.value_of_leaf.get(leaves.start as usize..leaves.end as usize);
        let places = places.unwrap_or_default().iter().step_by(64 / size_of::<u32>());
        black_box(places.fold(0, |all, place| all ^ place));
    }

    /// The leaf of each of some rows from `first` on in each tree, by its number among all: row
    /// after row.
    pub fn leaves(&self, columns: &[Reader<'_>], first: usize, leaves: &mut [u32]) {
        let n_trees = self.len();
        let n_rows = leaves.len() / n_trees;
        let mut tile: Vec<f64> = Vec::new();
        self.walk.read(columns, first, n_rows, &mut tile);
        let rows = Rows::of(&tile);
        let mut found = vec![0; n_rows];
        for tree in 0..n_trees {
            self.walk.rows(tree, rows, &mut found);
            let to = leaves[tree..].iter_mut().step_by(n_trees);
            to.zip(&found).for_each(|(to, leaf)| *to = *leaf);
        }
    }

    /// The mean of what the trees say of one row that has a number for each column.
    pub fn mean_of_row(&self, row: &[f64], scores: &mut [f64]) {
        scores.fill(0.0);
        self.leaves_of_row(row, |leaf| {
            scores.iter_mut().zip(self.value(leaf)).for_each(|(sum, x)| *sum += x);
        });
        self.divide(scores);
    }

    /// The leaf of one row in each tree, by its number among all, tree after tree.
    pub fn leaves_of_row(&self, row: &[f64], mut visit: impl FnMut(u32)) {
        let mut tile = Vec::new();
        self.walk.read_row(row, &mut tile);
        let row = Rows::of(&tile);
        let mut leaves = [0; IN_FLIGHT];
        for first in (0..self.len()).step_by(IN_FLIGHT) {
            let leaves = &mut leaves[..IN_FLIGHT.min(self.len() - first)];
            self.walk.trees(first, row, leaves);
            leaves.iter().for_each(|&leaf| visit(leaf));
        }
    }

    /// What the trees say before they look at a row: the mean over all leaves, by weight.
    pub fn prior(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.width];
        let mut total = 0.0;
        for (leaf, &weight) in self.weights.iter().enumerate() {
            let weight = f64::from(weight);
            let value = self.value(leaf as u32);
            sums.iter_mut().zip(value).for_each(|(sum, x)| *sum += weight * x);
            total += weight;
        }
        sums.iter_mut().for_each(|sum| *sum /= total);
        sums
    }

    fn divide(&self, sums: &mut [f64]) {
        let n_trees = self.len() as f64;
        sums.iter_mut().for_each(|sum| *sum /= n_trees);
    }
}

impl Clone for DeepTrees {
    fn clone(&self) -> DeepTrees {
        DeepTrees {
            walk: self.walk.clone(),
            width: self.width,
            first_leaf: self.first_leaf.clone(),
            value_of_leaf: self.value_of_leaf.clone(),
            values: self.values.clone(),
            weights: self.weights.clone(),
            known: HashMap::new(),
            batch: OnceLock::new(),
        }
    }
}

impl PartialEq for DeepTrees {
    /// Whether all trees are the same, however they are kept.
    fn eq(&self, other: &DeepTrees) -> bool {
        self.width == other.width
            && self.first_leaf == other.first_leaf
            && (0..self.len()).all(|tree| self.nodes(tree).eq(other.nodes(tree)))
    }
}
