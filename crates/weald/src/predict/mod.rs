//! What many trees say of rows, and the fastest way to find out.
//!
//! Every way adds the same numbers in the same order, tree after tree in double precision, so all
//! give the same bytes, and the bytes of the scores that boosting kept while it trained:
//! - *byte multiplexer*: many rows in trees of at most 256 leaves;
//! - *stumps*: many rows in trees of one split;
//! - *descent*, rows in flight: many rows in larger trees;
//! - *descent*, trees in flight: a few rows, without any preparation of the rows.
//!
//! Trees with linear leaves go by descent, which has the numbers of a row at hand when it knows the
//! leaf.
//!
//! Deep trees of a forest are averaged, and kept small ([`DeepTrees`]).
//!
//! `Trees::way` chooses. What a way needs is prepared when it is first taken, and kept.

mod batch;
mod deep;
mod planes;

pub use deep::{DeepNode, DeepTree, DeepTrees};

pub(crate) use planes::{cut, single_at_least};

use std::ops::Deref;
use std::sync::OnceLock;

use crate::data::Table;
use crate::run::in_stretches;
use crate::scores::Scores;
use crate::tree::kernel::descent::{IN_FLIGHT, Rows};
use crate::tree::kernel::mux::MOST_LEAVES;
use crate::tree::walk::{Reader, Walk};
use crate::tree::{LinearLeaf, Rule, Tree};
use batch::{Batch, Kind};

/// Rows that a thread takes at a time.
const STRETCH: usize = 1 << 10;

/// Fewer rows than this go down the trees one by one: bytes go through 64 rows at a time, and that
/// costs as much as some ten rows alone.
const BATCH: usize = 16;

/// Columns for each tree from which on turning rows into bytes costs more than it saves.
const COLUMNS_PER_TREE: usize = 8;

/// Trees that are added up. They do not change, so that what speeds up their sum can be kept.
#[derive(Default)]
pub struct Trees {
    trees: Vec<Tree>,
    shape: Shape,
    walk: OnceLock<Box<Packed>>,
    batch: OnceLock<Box<Batch>>,
}

/// What the choice of a way depends on.
#[derive(Debug, Default)]
struct Shape {
    /// Leaves of the largest tree.
    most_leaves: usize,
    /// Columns that some tree asks for.
    n_columns: usize,
    /// Whether any root asks for a level, or leaves have several numbers.
    is_mixed: bool,
    /// Whether any leaf is linear.
    is_linear: bool,
}

/// Packed trees with the values of all leaves.
struct Packed {
    walk: Walk,
    values: Vec<f64>,
    /// The linear leaves, their columns by their place in a tile; empty where none is linear.
    linear: Vec<Option<LinearLeaf>>,
}

/// A way to add up trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Row after row, trees in flight.
    EachRow,
    /// Tree after tree, rows in flight.
    EachTree,
    /// Rows as bytes.
    Batch(Kind),
}

impl Trees {
    /// Which way for so many rows: the one obvious place.
    fn way(&self, n_rows: usize) -> Way {
        let Shape { most_leaves, n_columns, is_mixed, is_linear } = self.shape;
        if n_rows < BATCH {
            Way::EachRow
        } else if most_leaves > MOST_LEAVES
            || n_columns > COLUMNS_PER_TREE * self.trees.len()
            || is_linear
        {
            Way::EachTree
        } else if most_leaves <= 2 && !is_mixed {
            Way::Batch(Kind::Stumps)
        } else {
            Way::Batch(Kind::Mux)
        }
    }

    /// Adds to each row of `scores` what the trees say of that row of `table`, whose columns are
    /// the trees' features: tree `i`, of `w` numbers, adds them to the scores from `i * w` on,
    /// counted round and round.
    pub fn add_to(&self, table: &Table, scores: &mut Scores) {
        self.add_by(self.way(table.n_rows()), table, scores);
    }

    fn add_by(&self, way: Way, table: &Table, scores: &mut Scores) {
        assert_eq!(table.n_rows(), scores.n_rows(), "a row of scores for each row");
        let columns = Reader::of(table);
        let width = scores.width();
        // Prepared before the threads start, not by whichever comes first.
        match way {
            Way::EachRow | Way::EachTree => {
                let packed = self.packed();
                in_stretches(scores.values_mut(), STRETCH * width, |stretch, scores| {
                    let mut tile = Vec::new();
                    for (block, scores) in scores.chunks_mut(IN_FLIGHT * width).enumerate() {
                        let first = stretch * STRETCH + block * IN_FLIGHT;
                        packed.walk.read(&columns, first, scores.len() / width, &mut tile);
                        if way == Way::EachRow {
                            let rows = tile.chunks_exact(tile.len() / (scores.len() / width));
                            for (row, scores) in rows.zip(scores.chunks_exact_mut(width)) {
                                self.add_row(packed, row, scores);
                            }
                        } else {
                            self.add_block(packed, &tile, scores, width);
                        }
                    }
                });
            }
            Way::Batch(kind) => {
                let batch = self.batch.get_or_init(|| Box::new(Batch::of(kind, &self.trees)));
                in_stretches(scores.values_mut(), STRETCH * width, |stretch, scores| {
                    batch.add(&columns, stretch * STRETCH, scores, width);
                });
            }
        }
    }

    /// Adds what the trees say of one row that has a number for each feature: the code of the
    /// level for categories, NaN for what is missing.
    pub fn add_to_row(&self, row: &[f64], scores: &mut [f64]) {
        let packed = self.packed();
        let mut tile = Vec::new();
        packed.walk.read_row(row, &mut tile);
        self.add_row(packed, &tile, scores);
    }

    fn add_row(&self, packed: &Packed, values: &[f64], scores: &mut [f64]) {
        let row = Rows::of(values);
        let mut leaves = [0; IN_FLIGHT];
        let mut output = 0;
        let mut add = |number: f64| {
            scores[output] += number;
            output = if output + 1 == scores.len() { 0 } else { output + 1 };
        };
        for first in (0..self.trees.len()).step_by(IN_FLIGHT) {
            let leaves = &mut leaves[..IN_FLIGHT.min(self.trees.len() - first)];
            packed.walk.trees(first, row, leaves);
            for &leaf in &*leaves {
                match packed.linear_value(leaf, values) {
                    Some(number) => add(number),
                    None => packed.value(leaf, self.width()).iter().for_each(|&x| add(x)),
                }
            }
        }
    }

    fn add_block(&self, packed: &Packed, values: &[f64], scores: &mut [f64], width: usize) {
        let tile = Rows::of(values);
        let n_values = values.len() / (scores.len() / width);
        let mut leaves = [0; IN_FLIGHT];
        let leaves = &mut leaves[..scores.len() / width];
        for tree in 0..self.trees.len() {
            packed.walk.rows(tree, tile, leaves);
            let output = tree * self.width() % width;
            let rows = scores.chunks_exact_mut(width).zip(values.chunks_exact(n_values));
            for ((scores, values), &leaf) in rows.zip(&*leaves) {
                if let Some(number) = packed.linear_value(leaf, values) {
                    scores[output] += number;
                    continue;
                }
                let numbers = packed.value(leaf, self.width());
                scores[output..].iter_mut().zip(numbers).for_each(|(score, x)| *score += x);
            }
        }
    }

    /// The trees as rows go down them; their leaves are numbered through.
    pub fn walk(&self) -> &Walk {
        &self.packed().walk
    }

    fn packed(&self) -> &Packed {
        self.walk.get_or_init(|| {
            let values = self.trees.iter().flat_map(|tree| {
                let leaves = (0..tree.nodes.len()).filter(|&at| tree.is_leaf(at));
                leaves.flat_map(|at| tree.value(at)).copied()
            });
            let walk = Walk::of(&self.trees);
            let linear = if self.shape.is_linear { self.linear_leaves(&walk) } else { vec![] };
            Box::new(Packed { walk, values: values.collect(), linear })
        })
    }

    /// Each leaf of each tree, if it is linear, with its columns by their place in a tile.
    fn linear_leaves(&self, walk: &Walk) -> Vec<Option<LinearLeaf>> {
        let placed = |leaf: &LinearLeaf| {
            let mut leaf = leaf.clone();
            for slope in &mut leaf.slopes {
                // The walk asks for the columns of all slopes.
                slope.feature = walk.place(slope.feature).map_or(0, |place| place as u32);
            }
            leaf
        };
        let of_tree = |tree: &Tree| -> Vec<Option<LinearLeaf>> {
            let leaves = (0..tree.nodes.len()).filter(|&at| tree.is_leaf(at));
            let linear = |at| tree.linear.as_ref().and_then(|linear| linear.leaf(at));
            leaves.map(|at| linear(at).map(placed)).collect()
        };
        self.trees.iter().flat_map(of_tree).collect()
    }

    /// Numbers in a leaf's value.
    fn width(&self) -> usize {
        self.trees.first().map_or(1, |tree| tree.width)
    }
}

impl Packed {
    fn value(&self, leaf: u32, width: usize) -> &[f64] {
        &self.values[leaf as usize * width..][..width]
    }

    /// What a linear leaf says of a row of a tile; `None` if it says its constant value.
    #[inline]
    fn linear_value(&self, leaf: u32, row: &[f64]) -> Option<f64> {
        self.linear.get(leaf as usize)?.as_ref()?.value(|place| row[place])
    }
}

impl From<Vec<Tree>> for Trees {
    /// # Panics
    /// When the values of the trees have not all the same width.
    fn from(trees: Vec<Tree>) -> Trees {
        assert!(trees.windows(2).all(|pair| pair[0].width == pair[1].width), "trees of one width");
        Trees { shape: Shape::of(&trees), trees, walk: OnceLock::new(), batch: OnceLock::new() }
    }
}

impl Shape {
    fn of(trees: &[Tree]) -> Shape {
        let nodes = trees.iter().flat_map(|tree| &tree.nodes);
        let mut columns: Vec<usize> = nodes.filter_map(|node| node.rule.feature()).collect();
        columns.sort_unstable();
        columns.dedup();
        let is_mixed =
            |tree: &Tree| matches!(tree.nodes[0].rule, Rule::Categories { .. }) || tree.width > 1;
        Shape {
            most_leaves: trees.iter().map(Tree::n_leaves).max().unwrap_or(0),
            n_columns: columns.len(),
            is_mixed: trees.iter().any(is_mixed),
            is_linear: trees.iter().any(|tree| tree.linear.is_some()),
        }
    }
}

impl Deref for Trees {
    type Target = [Tree];

    fn deref(&self) -> &[Tree] {
        &self.trees
    }
}

impl Clone for Trees {
    fn clone(&self) -> Trees {
        Trees::from(self.trees.clone())
    }
}

impl PartialEq for Trees {
    fn eq(&self, other: &Trees) -> bool {
        self.trees == other.trees
    }
}

impl std::fmt::Debug for Trees {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.trees.fmt(f)
    }
}

#[cfg(test)]
mod tests;
