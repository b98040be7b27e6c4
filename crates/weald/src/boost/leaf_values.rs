//! What the leaves of a tree are worth: the step that lowers the loss most.
//!
//! One Newton step from unrounded gradients, or the exact minimiser where it is known: a quantile,
//! half the log-odds. Sums are of integers, so threads may share the work.

use std::ops::Range;

use rayon::prelude::*;

use super::bag::Bag;
use super::gradient_boosting::GradientBoosting;
use super::gradients::Gradients;
use super::targets::Targets;
use crate::loss::{LeafRule, Loss, huber, weighted_quantile};
use crate::tree::constraints::Constraints;
use crate::tree::criterion::shrink;
use crate::tree::grown::{Grown, GrownNode};
use crate::tree::parts::on_each_thread;
use crate::tree::statistic::{Entry, row_of};
use crate::tree::{Node, Rule, Tree};

/// Rows that are visited together.
const STRETCH: usize = 1 << 15;

/// The largest step by half the log-odds: one row in about 3000 of the other class.
const MOST_HALF_LOG_ODDS: f64 = 4.0;

/// What the values of a tree are computed from.
pub struct LeafValues<'a> {
    /// Learning rate and penalties.
    pub settings: &'a GradientBoosting,
    /// How the value of a leaf is found.
    pub loss: &'a dyn Loss,
    /// The rows that the tree was grown on.
    pub bag: &'a Bag,
    /// The gradients that it was grown on.
    pub gradients: &'a Gradients,
    /// The target of each row.
    pub targets: Targets<'a>,
    /// The scores before the tree.
    pub scores: &'a [f64],
    /// What the values must respect.
    pub constraints: &'a Constraints,
    /// The rows of each thread.
    pub ranges: &'a [Range<usize>],
    /// Which of a row's scores the tree moves.
    pub output: usize,
}

/// Sums of gradients and of second derivatives, in exact units.
type Units = (i64, i64);

/// The best step for what rows have left to explain, where that is found from all of them.
type Best = dyn Fn(&mut [(f64, f64)]) -> f64 + Sync;

impl LeafValues<'_> {
    /// The grown tree with the value of each node, times the learning rate.
    pub fn put_on(&self, grown: &Grown) -> Tree {
        let scales = self.gradients.exact_scales(self.bag.n);
        let sums = self.node_sums(grown);
        let rate = self.settings.rate();
        let rule = match self.loss.leaf_rule(self.output) {
            // Linear leaves are Newton steps, and what is below them too.
            LeafRule::Huber(_) if self.settings.linear_leaves => LeafRule::Newton,
            rule => rule,
        };
        let longest = self.loss.longest_step();
        let describe = |((g, h), node): (Units, &GrownNode)| {
            let (g, h) = (g as f64 / scales.g, h as f64 / scales.h);
            let (g, h) = (shrink(g, self.settings.l1), h + self.settings.l2());
            let step = match rule {
                _ if h <= 0.0 => 0.0,
                LeafRule::HalfLogOdds => half_log_odds(g, h),
                LeafRule::Newton | LeafRule::Quantile(_) | LeafRule::Huber(_) => {
                    (-g / h).clamp(-longest, longest)
                }
            };
            let cost = if h > 0.0 { 0.5 * g * step } else { 0.0 };
            let node = Node { rule: node.rule.clone(), right: node.right, weight: h, cost };
            (node, rate * step)
        };
        let (nodes, mut values): (Vec<Node>, Vec<f64>) =
            sums.into_iter().zip(&grown.nodes).map(describe).unzip();
        let best: Option<Box<Best>> = match rule {
            LeafRule::Quantile(level) => Some(Box::new(move |rest| weighted_quantile(rest, level))),
            LeafRule::Huber(delta) => {
                let l2 = self.settings.l2();
                Some(Box::new(move |rest| huber::location(rest, delta, l2)))
            }
            LeafRule::Newton | LeafRule::HalfLogOdds => None,
        };
        if let Some(best) = best {
            // Where values have an order, those of inner nodes decide what theirs may be below.
            let rows = grown.leaf_by_leaf();
            let fitted: Vec<(usize, &[Entry])> = match self.constraints.have_directions() {
                false => rows.leaves().collect(),
                true => rows.rows_of_nodes().into_iter().enumerate().collect(),
            };
            let steps: Vec<f64> =
                fitted.par_iter().map(|(_, entries)| best(&mut self.rest(entries))).collect();
            for ((node, _), value) in fitted.iter().zip(steps) {
                values[*node] = rate * value;
            }
        }
        let rules = nodes.iter().map(|node| (&node.rule, node.right));
        self.constraints.put_in_order(rules, &mut values);
        Tree { nodes, values, width: 1, linear: None }
    }

    /// What the rows of each node add up to.
    fn node_sums(&self, grown: &Grown) -> Vec<Units> {
        let scales = self.gradients.exact_scales(self.bag.n);
        let sum_of = |entries: &[Entry]| {
            let rows = entries.iter().map(|&e| &self.gradients.rows[row_of(e)]);
            rows.map(|gradient| scales.units(gradient))
                .fold((0, 0), |sum: Units, (g, h)| (sum.0 + g, sum.1 + h))
        };
        let parts = on_each_thread(grown.in_ranges(self.ranges), |leaves| {
            let mut of_leaf: Vec<(usize, Units)> =
                leaves.iter().map(|(leaf, _)| (*leaf, (0, 0))).collect();
            by_stretches(&leaves, |place, entries| {
                let (g, h) = sum_of(entries);
                of_leaf[place].1.0 += g;
                of_leaf[place].1.1 += h;
            });
            of_leaf
        });
        let mut of_node: Vec<Units> = vec![(0, 0); grown.nodes.len()];
        for (leaf, (g, h)) in parts.into_iter().flatten() {
            of_node[leaf].0 += g;
            of_node[leaf].1 += h;
        }
        for (at, node) in grown.nodes.iter().enumerate().rev().filter(|(_, n)| n.rule != Rule::Leaf)
        {
            let (left, right) = (of_node[at + 1], of_node[node.right as usize]);
            of_node[at] = (left.0 + right.0, left.1 + right.1);
        }
        of_node
    }

    /// What a leaf's rows have left to explain, with their weights.
    fn rest(&self, entries: &[Entry]) -> Vec<(f64, f64)> {
        let (width, target) = (self.loss.width(), self.loss.target_of(self.output));
        let rest = |&e: &Entry| {
            let row = row_of(e);
            let left_over = self.targets.one(row, target) - self.scores[row * width + self.output];
            // Copies stand there themselves; only a real weight makes a row heavier.
            (left_over, self.bag.weights.as_ref().map_or(1.0, |w| w[row].into()))
        };
        entries.iter().map(rest).collect()
    }
}

/// Half the log-odds of class 1 where the weight of class 1 is `(h - g) / 2` and that of class 0
/// `(h + g) / 2`, as in the exponential loss. In a leaf of one class alone it would be infinite.
fn half_log_odds(g: f64, h: f64) -> f64 {
    let odds = (h - g).max(0.0) / (h + g).max(0.0);
    (0.5 * libm::log(odds)).clamp(-MOST_HALF_LOG_ODDS, MOST_HALF_LOG_ODDS)
}

/// Calls `visit` with each leaf's place in the list and its entries, in stretches of rows that
/// stay in cache while all leaves are visited.
pub fn by_stretches(leaves: &[(usize, &[Entry])], mut visit: impl FnMut(usize, &[Entry])) {
    let mut rest: Vec<&[Entry]> = leaves.iter().map(|(_, entries)| *entries).collect();
    let first = rest.iter().filter_map(|entries| entries.first()).map(|&e| row_of(e)).min();
    let last = rest.iter().filter_map(|entries| entries.last()).map(|&e| row_of(e)).max();
    let (Some(mut end), Some(last)) = (first, last) else { return };
    while end <= last {
        end += STRETCH;
        for (place, rest) in rest.iter_mut().enumerate() {
            let (own, others) = rest.split_at(rest.partition_point(|&e| row_of(e) < end));
            *rest = others;
            visit(place, own);
        }
    }
}
