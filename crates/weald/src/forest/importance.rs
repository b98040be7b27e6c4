//! How much each column lowers impurity in a forest.
//!
//! The plain importance is measured on the rows that the splits were chosen on, so a column of
//! noise with many values looks important: among many cuts one always fits by chance. The unbiased
//! one multiplies what a node says of the rows in its bag with what the rows out of the bag say
//! there (Zhou & Hooker 2021). Noise then gains nothing in expectation, and may come out below 0.

use crate::tree::Rule;
use crate::tree::grown::GrownNode;

/// The importance of each column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Importance {
    /// The share of the impurity removed, on the rows in the bag; sums to 1 if anything is.
    pub plain: Vec<f64>,
    /// The same on rows in and out of the bag together, in the same unit; empty if no rows were out
    /// of any bag.
    pub unbiased: Vec<f64>,
}

/// What the rows of each leaf of a tree add up to: weight, and weighted answer.
pub struct LeafSums<'a> {
    /// Numbers in an answer: class shares, or a value.
    pub width: usize,
    /// The weight of each leaf.
    pub weights: &'a [f64],
    /// Weighted answers, `width` for each leaf.
    pub sums: &'a [f64],
}

/// Sums of all nodes of a tree.
pub struct NodeSums {
    width: usize,
    weights: Vec<f64>,
    sums: Vec<f64>,
}

/// What the splits of one tree remove of the impurity, for each of `n_features`: on the rows in the
/// bag, and with the rows `out` of it.
pub fn of_tree(
    nodes: &[GrownNode],
    n_features: usize,
    bag: &LeafSums<'_>,
    out: &LeafSums<'_>,
) -> (Vec<f64>, Vec<f64>) {
    let (mut plain, mut unbiased) = (vec![0.0; n_features], vec![0.0; n_features]);
    let (mut bag, mut out) = (NodeSums::of(nodes, bag), NodeSums::of(nodes, out));
    // Around the mean of all rows little is lost by subtraction.
    let centre: Vec<f64> = (0..bag.width).map(|k| bag.mean(0, k)).collect();
    bag.centre_on(&centre);
    out.centre_on(&centre);
    for (at, node) in nodes.iter().enumerate() {
        let Some(feature) = node.rule.feature() else { continue };
        let (left, right) = (at + 1, node.right as usize);
        for k in 0..bag.width {
            // A child without rows out of the bag says what its parent does.
            let out_mean = |child: usize| match out.weights[child] > 0.0 {
                true => out.mean(child, k),
                false => out.mean(at, k),
            };
            let gain = |mean: &dyn Fn(usize) -> f64| {
                bag.sums[left * bag.width + k] * mean(left)
                    + bag.sums[right * bag.width + k] * mean(right)
                    - bag.sums[at * bag.width + k] * mean(at)
            };
            plain[feature] += gain(&|node| bag.mean(node, k));
            if out.weights[at] > 0.0 {
                unbiased[feature] += gain(&out_mean);
            }
        }
    }
    (plain, unbiased)
}

impl NodeSums {
    /// Sums of all nodes, given those of leaves.
    pub fn of(nodes: &[GrownNode], leaves: &LeafSums<'_>) -> NodeSums {
        let width = leaves.width;
        let (mut weights, mut sums) = (vec![0.0; nodes.len()], vec![0.0; nodes.len() * width]);
        let mut leaf = leaves.weights.len();
        // Children come after their parents: backwards, every child is complete.
        for (at, node) in nodes.iter().enumerate().rev() {
            if node.rule == Rule::Leaf {
                leaf -= 1;
                weights[at] = leaves.weights[leaf];
                sums[at * width..][..width].copy_from_slice(&leaves.sums[leaf * width..][..width]);
            } else {
                let (left, right) = (at + 1, node.right as usize);
                weights[at] = weights[left] + weights[right];
                for k in 0..width {
                    sums[at * width + k] = sums[left * width + k] + sums[right * width + k];
                }
            }
        }
        NodeSums { width, weights, sums }
    }

    /// The mean of one number of a node's answers.
    pub fn mean(&self, node: usize, k: usize) -> f64 {
        match self.weights[node] {
            0.0 => 0.0,
            weight => self.sums[node * self.width + k] / weight,
        }
    }

    fn centre_on(&mut self, centre: &[f64]) {
        for (sums, weight) in self.sums.chunks_exact_mut(self.width).zip(&self.weights) {
            sums.iter_mut().zip(centre).for_each(|(sum, centre)| *sum -= weight * centre);
        }
    }
}

impl Importance {
    /// The mean over trees, given what the splits of each removed.
    pub fn of_trees(trees: &[(Vec<f64>, Vec<f64>)], have_rows_out: bool) -> Importance {
        let n_features = trees.first().map_or(0, |(plain, _)| plain.len());
        let (mut plain, mut unbiased) = (vec![0.0; n_features], vec![0.0; n_features]);
        for (of_tree, unbiased_of_tree) in trees {
            let total: f64 = of_tree.iter().sum();
            if total > 0.0 {
                plain.iter_mut().zip(of_tree).for_each(|(sum, x)| *sum += x / total);
                unbiased.iter_mut().zip(unbiased_of_tree).for_each(|(sum, x)| *sum += x / total);
            }
        }
        let total: f64 = plain.iter().sum();
        if total > 0.0 {
            plain.iter_mut().chain(&mut unbiased).for_each(|x| *x /= total);
        }
        Importance { plain, unbiased: if have_rows_out { unbiased } else { Vec::new() } }
    }
}
