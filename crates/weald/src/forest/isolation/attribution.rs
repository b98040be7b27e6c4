//! Which columns isolate a row.
//!
//! The rows that a node was grown on end at some mean depth below it. A split that sends a row to a
//! side where that depth is smaller has isolated it, and its column is credited with the difference.
//! What all columns are credited with is, in each tree, the mean path over the rows of the tree less
//! the path of the row: nothing is left over. Credits are divided by `c(psi)`, so that
//! `score = 2^(typical + sum of credits)`, where `typical` is that of the mean path.

use super::model::{IsolationModel, IsolationTrees};
use super::oblique_trees::{ObliqueTree, ObliqueTrees, read_row};
use crate::data::{Aligned, MISSING};
use crate::forest::path_length::path_length;
use crate::predict::{DeepNode, DeepTrees};
use crate::run::in_stretches;
use crate::scores::Scores;
use crate::tree::Rule;
use crate::tree::walk::Reader;

/// Rows that a thread takes at a time.
const STRETCH: usize = 64;

impl IsolationModel {
    /// How much each column isolates each row: rows x columns. Above 0 it makes the score higher.
    pub fn credits(&self, table: &Aligned<'_>) -> Scores {
        let n_columns = self.schema.len();
        let mut credits = Scores::zeros(table.table().n_rows(), n_columns);
        let columns = Reader::of(table.table());
        let credited = Credited::of(&self.trees);
        let share = match path_length(0.0, self.sample_rows) * self.trees.len() as f64 {
            0.0 => 0.0,
            total => 1.0 / total,
        };
        in_stretches(credits.values_mut(), STRETCH * n_columns, |stretch, credits| {
            let mut row = vec![f64::NAN; n_columns];
            for (at, credits) in credits.chunks_exact_mut(n_columns).enumerate() {
                read_row(&columns, stretch * STRETCH + at, &mut row);
                credited.credit(&row, credits);
                credits.iter_mut().for_each(|credit| *credit *= share);
            }
        });
        credits
    }

    /// The binary logarithm of the score of a row whose credits are all 0.
    pub fn typical(&self) -> f64 {
        let roots = Credited::of(&self.trees).mean_paths();
        match path_length(0.0, self.sample_rows) {
            0.0 => -1.0,
            typical => -roots / typical,
        }
    }
}

/// Trees with the mean path of the rows of each node.
enum Credited<'m> {
    Axis(Vec<(Vec<DeepNode<'m>>, Vec<f64>)>),
    Oblique(&'m ObliqueTrees, Vec<Vec<f64>>),
}

impl<'m> Credited<'m> {
    fn of(trees: &'m IsolationTrees) -> Credited<'m> {
        match trees {
            IsolationTrees::Axis(trees) => {
                Credited::Axis((0..trees.len()).map(|tree| axis_paths(trees, tree)).collect())
            }
            IsolationTrees::Oblique(trees) => {
                Credited::Oblique(trees, trees.trees.iter().map(oblique_paths).collect())
            }
        }
    }

    /// The mean over trees of the mean path of their rows.
    fn mean_paths(&self) -> f64 {
        let mean = |roots: &mut dyn Iterator<Item = f64>, n: usize| roots.sum::<f64>() / n as f64;
        match self {
            Credited::Axis(trees) => mean(&mut trees.iter().map(|tree| tree.1[0]), trees.len()),
            Credited::Oblique(_, paths) => mean(&mut paths.iter().map(|p| p[0]), paths.len()),
        }
    }

    /// Adds what each column isolates a row by, in splits summed over trees.
    fn credit(&self, row: &[f64], credits: &mut [f64]) {
        match self {
            Credited::Axis(trees) => {
                for (nodes, paths) in trees {
                    let mut at = 0;
                    while let Some((feature, is_left)) = goes_left(&nodes[at].rule, row) {
                        let child = if is_left { at + 1 } else { nodes[at].right as usize };
                        credits[feature] += paths[at] - paths[child];
                        at = child;
                    }
                }
            }
            Credited::Oblique(trees, paths) => {
                for (tree, paths) in trees.trees.iter().zip(paths) {
                    credit_oblique(trees, tree, paths, row, credits);
                }
            }
        }
    }
}

/// The column that a rule asks for, and whether the row goes left; `None` in a leaf.
fn goes_left(rule: &Rule, row: &[f64]) -> Option<(usize, bool)> {
    let feature = rule.feature()?;
    let x = row[feature];
    let is_left = match rule {
        Rule::Leaf => return None,
        Rule::Number { threshold, missing_left, .. } => {
            x < *threshold || (x.is_nan() && *missing_left)
        }
        Rule::Categories { left, missing_left, .. } => match x.is_nan() {
            true => *missing_left,
            false => left.contains(if x < f64::from(MISSING) { x as u32 } else { MISSING }),
        },
    };
    Some((feature, is_left))
}

fn axis_paths(trees: &DeepTrees, tree: usize) -> (Vec<DeepNode<'_>>, Vec<f64>) {
    let nodes: Vec<DeepNode<'_>> = trees.nodes(tree).collect();
    let leaf = |at: usize| nodes[at].leaf.map(|(value, weight)| (value[0], f64::from(weight)));
    let paths = mean_paths(nodes.len(), leaf, |at| nodes[at].right as usize);
    (nodes, paths)
}

/// The mean path of each node's rows, each as deep as the splits above it that count: those of the
/// training rows all do.
fn oblique_paths(tree: &ObliqueTree) -> Vec<f64> {
    let nodes = &tree.nodes;
    let mut depths = vec![0.0; nodes.len()];
    for (at, node) in nodes.iter().enumerate().filter(|(_, node)| node.right > 0) {
        depths[at + 1] = depths[at] + 1.0;
        depths[node.right as usize] = depths[at] + 1.0;
    }
    let leaf = |at: usize| {
        let n_rows = nodes[at].n_rows;
        (nodes[at].right == 0).then(|| (path_length(depths[at], n_rows.into()), f64::from(n_rows)))
    };
    mean_paths(nodes.len(), leaf, |at| nodes[at].right as usize)
}

/// The mean over the leaves below each node of a tree in pre-order, by weight.
fn mean_paths(
    n_nodes: usize,
    leaf: impl Fn(usize) -> Option<(f64, f64)>,
    right: impl Fn(usize) -> usize,
) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); n_nodes];
    for at in (0..n_nodes).rev() {
        sums[at] = match leaf(at) {
            Some((path, weight)) => (path * weight, weight),
            None => {
                let (left, right) = (sums[at + 1], sums[right(at)]);
                (left.0 + right.0, left.1 + right.1)
            }
        };
    }
    sums.into_iter().map(|(sum, weight)| sum / weight).collect()
}

/// A direction's credit is shared by its columns as they add to how far the row is from the middle.
fn credit_oblique(
    trees: &ObliqueTrees,
    tree: &ObliqueTree,
    paths: &[f64],
    row: &[f64],
    credits: &mut [f64],
) {
    let value = |feature: u32| trees.value(tree, feature, row[feature as usize]);
    tree.walk(
        |term| value(term.feature),
        |at, is_left, counts| {
            let child = if is_left { at + 1 } else { tree.nodes[at].right as usize };
            let uncounted = if counts { 0.0 } else { 1.0 };
            let credit = paths[at] - paths[child] + uncounted;
            let terms = tree.terms_of(at);
            let parts = || terms.iter().map(|term| term.of(value(term.feature)).abs());
            let total: f64 = parts().sum();
            for (term, part) in terms.iter().zip(parts()) {
                let share = if total > 0.0 { part / total } else { 1.0 / terms.len() as f64 };
                credits[term.feature as usize] += credit * share;
            }
        },
    );
}
