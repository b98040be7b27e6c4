//! Leaves that are linear functions of the columns split on above them (Shi, Li, Li & Zhou 2019,
//! "Gradient Boosting with Piece-Wise Linear Regression Trees").
//!
//! Prefer them where the target changes smoothly with columns of numbers: a few linear leaves then
//! say what takes many constant ones. Where it jumps, or where most columns are categories,
//! constant leaves do as well and are faster to fit and to predict.
//!
//! A tree is grown as ever, by the gains of constant leaves (as LightGBM's `linear_tree` does; the
//! paper's trees choose their splits by the gains of linear leaves, which costs much more). Then
//! each leaf gets the linear function that lowers the second-order loss of its rows most:
//! `sum g f(x) + h f(x)² / 2`, with `linear_l2 / 2` times the squares of its slopes, each slope
//! times the standard deviation of its column in the leaf. So, other than LightGBM's
//! `linear_lambda`, the penalty does not depend on the units of a column, and it is to slopes what
//! `l2` is to constants.
//!
//! Safe in these ways:
//! - a value out of the range that the leaf was fitted to counts as the nearest end of the range,
//!   and no row is told more than some row was that the leaf was fitted to. LightGBM goes on along
//!   the slopes without end;
//! - no row is moved farther than the loss's longest step: slopes are made smaller until it is so;
//! - a leaf has at most [`MOST_SLOPES`] columns, those split on next to it, and [`ROWS_PER_SLOPE`]
//!   rows for each;
//! - rows with a missing or infinite value in a leaf's columns keep its constant value, and the
//!   function is fitted without them; a column that most rows lack is left out;
//! - columns that are constant in a leaf, or that the others already say, are left out; a leaf
//!   with none left, or where slopes gain nothing, stays constant.

use rayon::prelude::*;

use super::bag::Bag;
use super::gradient_boosting::GradientBoosting;
use super::gradients::Gradients;
use super::normal_equations::{LinearFunction, NormalEquations, Unsolved};
use super::wide_gradients::ExactScales;
use crate::data::Table;
use crate::error::Result;
use crate::loss::{LeafRule, Loss};
use crate::parameter::out_of_range;
use crate::tree::criterion::shrink;
use crate::tree::grown::{Grown, GrownNode};
use crate::tree::statistic::{Entry, row_of};
use crate::tree::walk::Reader;
use crate::tree::{LinearLeaf, LinearLeaves, Rule, Slope};

/// Slopes of a leaf, at the most.
pub const MOST_SLOPES: usize = 10;
/// Rows that a leaf needs for each slope.
pub const ROWS_PER_SLOPE: usize = 5;

/// What the linear leaves of a tree are computed from.
pub struct LeafSlopes<'a> {
    /// Learning rate and penalties.
    pub settings: &'a GradientBoosting,
    /// The columns.
    pub table: &'a Table,
    /// The rows that the tree was grown on.
    pub bag: &'a Bag,
    /// The gradients that it was grown on.
    pub gradients: &'a Gradients,
    /// The longest step of a row, before the learning rate.
    pub longest: f64,
}

/// The rows of a leaf that have a number in each of some columns.
struct CompleteRows {
    /// The numbers, row after row.
    values: Vec<f64>,
    /// The gradients in exact units.
    gradients: Vec<(i64, i64)>,
    /// How many rows lack each column.
    lacking: Vec<usize>,
}

impl GradientBoosting {
    /// An error if leaves are to be linear, but have values that no Newton step gives.
    pub(super) fn check_linear(&self, loss: &dyn Loss) -> Result<()> {
        if self.linear_leaves && self.tree_width(loss) > 1 {
            return out_of_range("linear_leaves", true, "false with vector_leaves");
        }
        let is_newton =
            |output| matches!(loss.leaf_rule(output), LeafRule::Newton | LeafRule::Huber(_));
        if !self.linear_leaves || (0..loss.width()).all(is_newton) {
            return Ok(());
        }
        let name = loss.name();
        let expected = format!("false with the loss {name}, whose leaves have exact values");
        out_of_range("linear_leaves", true, &expected)
    }
}

impl LeafSlopes<'_> {
    /// The linear leaves of a tree, if any leaf is better linear than constant.
    pub fn fit(&self, grown: &Grown) -> Option<Box<LinearLeaves>> {
        let columns = Reader::of(self.table);
        let scales = self.gradients.exact_scales(self.bag.n);
        let above = columns_above(&grown.nodes);
        let rows = grown.leaf_by_leaf();
        let leaves: Vec<(usize, &[Entry])> = rows.leaves().collect();
        let linear: Vec<LinearLeaf> = leaves
            .into_par_iter()
            .filter_map(|(leaf, entries)| {
                let mut linear = self.leaf(&columns, &scales, entries, &above[leaf])?;
                linear.node = leaf as u32;
                linear.slopes.sort_unstable_by_key(|slope| slope.feature);
                Some(linear)
            })
            .collect();
        (!linear.is_empty()).then(|| Box::new(LinearLeaves(linear)))
    }

    /// The linear function of a leaf.
    fn leaf(
        &self,
        columns: &[Reader<'_>],
        scales: &ExactScales,
        entries: &[Entry],
        above: &[u32],
    ) -> Option<LinearLeaf> {
        let most = MOST_SLOPES.min(entries.len() / ROWS_PER_SLOPE);
        let mut features = above[..most.min(above.len())].to_vec();
        // Whenever a column is left out, rows that lack it come in.
        while !features.is_empty() {
            let rows = self.complete_rows(columns, scales, entries, &features);
            let n = rows.gradients.len();
            if n < ROWS_PER_SLOPE * features.len() || 2 * n < entries.len() {
                features.remove(rows.most_lacking());
                continue;
            }
            let equations = NormalEquations::of(&rows.values, features.len(), &rows.gradients);
            let ridge = self.settings.linear_l2;
            match equations.and_then(|e| Ok((e.solve(ridge, (scales.g, scales.h))?, e.g, e.h))) {
                Ok((function, g, h)) => {
                    let mean = self.mean(g as f64 / scales.g, h as f64 / scales.h);
                    return self.step(mean, function, &features, &rows);
                }
                Err(Unsolved::Redundant(column)) => features.remove(column),
                Err(Unsolved::Useless) => return None,
            };
        }
        None
    }

    /// The step of the leaf where all columns are at their means, as of a constant leaf.
    fn mean(&self, g: f64, h: f64) -> f64 {
        let step = -shrink(g, self.settings.l1) / (h + self.settings.l2());
        step.clamp(-self.longest, self.longest)
    }

    /// The leaf that says `mean` plus the function, times the learning rate.
    fn step(
        &self,
        mean: f64,
        LinearFunction { base, slopes }: LinearFunction,
        features: &[u32],
        rows: &CompleteRows,
    ) -> Option<LinearLeaf> {
        let of_row = |row: &[f64]| {
            let slopes = slopes.iter().zip(row);
            base + slopes.map(|((slope, low, _), x)| slope * (x - low)).sum::<f64>()
        };
        let (least, most) = (rows.values.chunks_exact(features.len()).map(of_row))
            .fold((0.0f64, 0.0f64), |(least, most), x| (least.min(x), most.max(x)));
        // All the way gains most, and any part of it something: the loss is a parabola.
        let part = ((self.longest - mean) / most).min((self.longest + mean) / least.abs()).min(1.0);
        let rate = self.settings.rate();
        let slope = |(&feature, (slope, low, high)): (&u32, (f64, f64, f64))| Slope {
            feature,
            slope: rate * part * slope,
            low,
            high,
        };
        let leaf = LinearLeaf {
            node: 0,
            base: rate * (mean + part * base),
            slopes: features.iter().zip(slopes).map(slope).collect(),
            low: rate * (mean + part * least),
            high: rate * (mean + part * most),
        };
        (part > 0.0 && leaf.is_finite()).then_some(leaf)
    }

    fn complete_rows(
        &self,
        columns: &[Reader<'_>],
        scales: &ExactScales,
        entries: &[Entry],
        features: &[u32],
    ) -> CompleteRows {
        let mut rows = CompleteRows {
            values: Vec::with_capacity(entries.len() * features.len()),
            gradients: Vec::with_capacity(entries.len()),
            lacking: vec![0; features.len()],
        };
        for row in entries.iter().map(|&e| row_of(e)) {
            let start = rows.values.len();
            let mut is_complete = true;
            for (feature, lacking) in features.iter().zip(&mut rows.lacking) {
                let x = columns[*feature as usize].number(row);
                *lacking += usize::from(!x.is_finite());
                is_complete &= x.is_finite();
                rows.values.push(x);
            }
            if is_complete {
                rows.gradients.push(scales.units(&self.gradients.rows[row]));
            } else {
                rows.values.truncate(start);
            }
        }
        rows
    }
}

impl CompleteRows {
    /// The column that most rows lack; of equals the last, which is split on farthest above.
    fn most_lacking(&self) -> usize {
        (0..self.lacking.len()).max_by_key(|&at| self.lacking[at]).unwrap_or(0)
    }
}

/// For each node the columns of numbers that are split on above it, the nearest first, each once,
/// and at most [`MOST_SLOPES`].
fn columns_above(nodes: &[GrownNode]) -> Vec<Vec<u32>> {
    let mut above: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        let mut below = above[at].clone();
        match node.rule {
            Rule::Leaf => continue,
            Rule::Categories { .. } => {}
            Rule::Number { feature, .. } => {
                below.retain(|&other| other != feature);
                below.insert(0, feature);
                below.truncate(MOST_SLOPES);
            }
        }
        above[at + 1].clone_from(&below);
        above[node.right as usize] = below;
    }
    above
}
