//! How deep rows lie, and the score that this gives (Liu, Ting & Zhou 2008, eq. 2).
//!
//! Depths are whole numbers of 2^-32, so that they may be added in any order. Those of all trees are
//! added before they are divided by what a row's depth is on the mean: a tree of few rows, which can
//! tell little, counts little, and one of a single row or none counts nothing.
//!
//! A row beyond all rows of a tree would go where the outermost of them are. If it were one of the
//! rows, the first split would isolate it with a known probability: its depth is the mean over both.
//! Only the first split is looked at; deeper ones would cost a look at all columns each.

use super::bounds;
use super::tree::{NONE, SlidingTree};
use super::widening::Widening;
use crate::forest::path_length::average_path_length;

/// A unit of depth.
const ONE: f64 = (1u64 << 32) as f64;
/// Probabilities are whole numbers of 2^-16.
const SURE: f64 = (1u64 << 16) as f64;
/// Steps of a row before anyone looks whether it has arrived.
const STEPS: u32 = 8;
/// Rows that are followed at a time.
const LANES: usize = 4;
/// Numbers of rows whose mean depth is looked up.
const KNOWN: usize = 4096;

/// The depth of one row, added up over trees.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Depths {
    found: u64,
    expected: u64,
}

/// `c(n)` in units of depth, and how deep rows are followed.
#[derive(Debug, Clone)]
pub(super) struct DepthScale {
    means: Vec<u64>,
    limit: u32,
}

impl DepthScale {
    /// The scale of trees that are followed to a depth of `limit`.
    pub fn new(limit: usize) -> DepthScale {
        let means = (0..KNOWN).map(|n| mean_depth(n as u64)).collect();
        DepthScale { means, limit: limit as u32 }
    }

    /// Adds the depths of rows of a window, or of any others, to those in other trees.
    pub fn add<'r>(
        &self,
        tree: &SlidingTree,
        mut rows: impl Iterator<Item = &'r [f64]>,
        depths: &mut [Depths],
    ) {
        if tree.root == NONE {
            return;
        }
        let mut room = Vec::new();
        for depths in depths.chunks_mut(LANES) {
            match (tree.sees_them_as_they_are(), rows.next()) {
                (true, Some(first)) => {
                    // Where there are fewer rows than lanes the others do the first one's steps.
                    let mut lanes = [first; LANES];
                    let others = lanes[1..depths.len()].iter_mut();
                    others.zip(&mut rows).for_each(|(lane, row)| *lane = row);
                    self.follow(tree, lanes, depths);
                }
                (false, Some(first)) => {
                    let rows = std::iter::once(first).chain(&mut rows);
                    for (depths, row) in depths.iter_mut().zip(rows) {
                        self.follow(tree, [tree.see(row, &mut room)], std::slice::from_mut(depths));
                    }
                }
                (_, None) => return,
            }
        }
    }

    /// Follows some rows at a time: no step waits for one of another row.
    fn follow<const N: usize>(&self, tree: &SlidingTree, rows: [&[f64]; N], depths: &mut [Depths]) {
        let root = &tree.nodes[tree.root as usize];
        let mut at = [root; N];
        let mut depth = [0; N];
        let mut left = self.limit;
        while left > 0 && at.iter().any(|node| !node.is_leaf) {
            // A leaf leads to itself, and steps whose number is known need not be guessed.
            let steps = left.min(STEPS);
            for _ in 0..steps {
                for lane in 0..N {
                    let node = at[lane];
                    depth[lane] += u64::from(!node.is_leaf);
                    let x = rows[lane][node.feature as usize];
                    at[lane] = &tree.nodes[node.children[node.side(x)] as usize];
                }
            }
            left -= steps;
        }
        let around = tree.bounds(tree.root);
        for (lane, depths) in depths.iter_mut().enumerate() {
            let depth = (depth[lane] << 32) + self.mean(at[lane].rows); // h(x) = e + c(rows)
            depths.expected += self.mean(root.rows);
            depths.found += match bounds::hold(around, rows[lane]) {
                true => depth,
                false => among(depth, Widening::new(around, rows[lane]).isolates()),
            };
        }
    }

    fn mean(&self, n: u32) -> u64 {
        self.means.get(n as usize).copied().unwrap_or_else(|| mean_depth(u64::from(n)))
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        self.means.capacity() * size_of::<u64>()
    }
}

/// The depth of a row that the first split isolates with this probability.
fn among(depth: u64, isolated: f64) -> u64 {
    let beyond = depth.saturating_sub(1 << 32);
    depth - ((beyond * (isolated * SURE).round() as u64) >> 16)
}

impl Depths {
    /// Those of both in one.
    pub fn merge(&mut self, other: &Depths) {
        self.found += other.found;
        self.expected += other.expected;
    }

    /// `2^(-E[h] / c(n))`: near 1 for a row that is soon alone, one half for one like all others and
    /// where nothing is known.
    pub fn score(&self) -> f64 {
        match self.expected {
            0 => 0.5,
            expected => libm::exp2(-(self.found as f64 / expected as f64)),
        }
    }
}

fn mean_depth(n: u64) -> u64 {
    (average_path_length(n) * ONE).round() as u64
}
