//! Trees left out at random while others are grown: DART (Rashmi & Gilad-Bachrach 2015).
//!
//! Plain boosting's later trees repair little things of a few rows. Here a tree repairs what a
//! random part of the model leaves over, so late trees matter as well. Prefer it where more
//! rounds overfit; it costs more time a round.
//!
//! The scores of a round are `start + sum of kept trees`, added up anew in the order of the trees:
//! they depend on the trees alone, not on which were left out before. For that the leaf of every
//! row in every tree is remembered, two bytes each.

use rayon::prelude::*;

use crate::data::Table;
use crate::seed::{Purpose, Seed};
use crate::tree::Tree;
use crate::tree::walk::Reader;

/// Rows that a thread takes at a time.
const STRETCH: usize = 1 << 12;
/// Leaves up to which the nodes of a tree can be numbered in two bytes.
pub const MOST_LEAVES: usize = 1 << 15;

/// What DART knows of the trees so far.
#[derive(Debug, Default)]
pub struct Dart {
    /// The scores before the first of them.
    start: Vec<f64>,
    /// The leaf of each row in each of them.
    leaves: Vec<Vec<u16>>,
    /// The rounds left out of this one.
    dropped: Vec<usize>,
}

impl Dart {
    /// Remembers trees of a fit that goes on, and the scores before the first of them.
    pub fn recall(&mut self, trees: &[Tree], table: &Table, start: &[f64]) {
        self.start = start.to_vec();
        trees.iter().for_each(|tree| self.remember(&tree.leaves(table)));
    }

    /// Draws the rounds to leave out and takes their trees out of the scores. `trees` are all
    /// trees so far, of which a round has one for each of `width` scores, or one for all; those grown before the first call are never left out.
    pub fn leave_out(
        &mut self,
        rate: f64,
        seed: Seed,
        (trees, table): (&[Tree], &Table),
        scores: &mut [f64],
        width: usize,
    ) {
        if self.leaves.is_empty() {
            self.start = scores.to_vec();
            return;
        }
        let own = &trees[trees.len() - self.leaves.len()..];
        let tree_width = own[0].width;
        let per_round = width / tree_width;
        let n_rounds = self.leaves.len() / per_round;
        let mut draws = seed.stream(Purpose::Dropped);
        self.dropped = (0..n_rounds).filter(|_| draws.unit() < rate).collect();
        if self.dropped.is_empty() {
            self.dropped = vec![draws.below(n_rounds as u64) as usize];
        }
        let kept: Vec<(usize, &Tree, &[u16])> = own
            .iter()
            .zip(&self.leaves)
            .enumerate()
            .filter(|(i, _)| self.dropped.binary_search(&(i / per_round)).is_err())
            .map(|(i, (tree, leaves))| (i % per_round * tree_width, tree, leaves.as_slice()))
            .collect();
        let columns = Reader::of(table);
        scores.copy_from_slice(&self.start);
        scores.par_chunks_mut(STRETCH * width).enumerate().for_each(|(stretch, scores)| {
            for (output, tree, leaves) in &kept {
                let first = stretch * STRETCH;
                let rows = (first..).zip(scores.chunks_exact_mut(width));
                for ((row, scores), &leaf) in rows.zip(&leaves[first..]) {
                    let number = |f: usize| columns[f].number(row);
                    tree.add_to(leaf.into(), number, &mut scores[*output..]);
                }
            }
        });
    }

    /// Remembers the leaf of each row in a new tree.
    pub fn remember(&mut self, leaf_of_row: &[u32]) {
        self.leaves.push(leaf_of_row.iter().map(|&leaf| leaf as u16).collect());
    }

    /// Scales the trees of a round that is complete, and those that were left out of it, such that
    /// together they weigh what the latter did. A round has `per_round` trees.
    pub fn put_back(&mut self, trees: &mut [Tree], per_round: usize) {
        let k = self.dropped.len() as f64;
        let (before, new) = trees.split_at_mut(trees.len() - per_round);
        let first = before.len() + per_round - self.leaves.len();
        new.iter_mut().for_each(|tree| tree.scale(1.0 / (k + 1.0)));
        for round in self.dropped.drain(..) {
            let own = &mut before[first + round * per_round..][..per_round];
            own.iter_mut().for_each(|tree| tree.scale(k / (k + 1.0)));
        }
    }
}
