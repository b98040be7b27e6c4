//! Gradient boosting (Friedman 2001), with Newton steps (Chen & Guestrin 2016).
//!
//! The method to prefer on tables. Each round takes the gradient of a loss at the scores so far,
//! grows a tree on it, and moves the scores a little way along the tree.

use rayon::prelude::*;

use super::additive::AdditiveModel;
use super::gradients::{Bag, Gradients, Scaled, Sums};
use crate::data::{Bins, Resolution, Sample, Target, Weights};
use crate::error::{Error, Result};
use crate::learner::Learner;
use crate::loss::{self, LeafRule, Loss, weighted_quantile};
use crate::model::Output;
use crate::observer::Event;
use crate::parameter::{Parameter, Parameters, named_values, out_of_range};
use crate::run::Run;
use crate::tree::criterion::{Newton, shrink};
use crate::tree::frontier::Frontier;
use crate::tree::grow::{Grower, Grown, Memory};
use crate::tree::limits::Limits;
use crate::tree::search::Search;
use crate::tree::statistic::{Entry, PairSum, Statistic, row_of};
use crate::tree::{Node, Rule, Splitter, Tree};

/// Rows that a thread takes at a time when scores move.
const STRETCH: usize = 1 << 15;

/// Boosts trees along the gradient of a loss.
#[derive(Debug, Clone, PartialEq)]
pub struct GradientBoosting {
    /// What is made small.
    pub loss: LossName,
    /// Rounds.
    pub n_trees: usize,
    /// How far the scores move along each tree.
    pub learning_rate: f64,
    /// Leaves of a tree at the most; the most useful splits are made first.
    pub max_leaves: usize,
    /// Splits on the longest way from a tree's root to a leaf.
    pub max_depth: Option<usize>,
    /// Rows that each leaf must keep.
    pub min_leaf_rows: usize,
    /// Sum of second derivatives that each leaf must keep.
    pub min_child_weight: f64,
    /// What a split must gain.
    pub min_gain: f64,
    /// The penalty on the size of leaf values.
    pub l1: f64,
    /// The penalty on their squares.
    pub l2: f64,
}

/// A loss by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LossName {
    /// Logistic for two classes, softmax for more, squared for numbers.
    Auto,
    /// Cross-entropy, two classes.
    Logistic,
    /// Cross-entropy, any number of classes.
    Softmax,
    /// AdaBoost's, two classes.
    Exponential,
    /// The support vector machine's, two classes.
    Hinge,
    /// The hinge squared, two classes.
    SquaredHinge,
    /// For means.
    Squared,
    /// For medians.
    Absolute,
    /// Squared near, absolute far.
    Huber,
    /// For counts.
    Poisson,
    /// For positive amounts.
    Gamma,
    /// For amounts that are often 0.
    Tweedie,
}
named_values!(LossName {
    Auto = "auto",
    Logistic = "logistic",
    Softmax = "softmax",
    Exponential = "exponential",
    Hinge = "hinge",
    SquaredHinge = "squared-hinge",
    Squared = "squared",
    Absolute = "absolute",
    Huber = "huber",
    Poisson = "poisson",
    Gamma = "gamma",
    Tweedie = "tweedie",
});

impl Default for GradientBoosting {
    fn default() -> GradientBoosting {
        GradientBoosting {
            loss: LossName::Auto,
            n_trees: 100,
            learning_rate: 0.1,
            max_leaves: 31,
            max_depth: None,
            min_leaf_rows: 20,
            min_child_weight: 1e-3,
            min_gain: 0.0,
            l1: 0.0,
            l2: 0.0,
        }
    }
}

impl Learner for GradientBoosting {
    type Model = AdditiveModel;

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<AdditiveModel> {
        self.check()?;
        sample.check()?;
        let loss = self.loss_for(sample.target)?;
        run.install(|| {
            let mut boosting = Boosting::start(self, &*loss, sample, run)?; // F_0 = argmin_c sum L(y, c)
            for round in 0..self.n_trees {
                boosting.take_gradients(); // g = dL/dF, h = d2L/dF2
                for output in 0..loss.width() {
                    let Ok(grown) = boosting.grow_tree(output) else { return boosting.finish() };
                    boosting.step(output, grown); // F += rate * tree
                }
                run.report(&Event::Member { index: round, total: self.n_trees });
                if run.stopped() {
                    break;
                }
            }
            boosting.finish()
        })
    }
}

impl GradientBoosting {
    /// The loss for this target.
    fn loss_for(&self, target: &Target) -> Result<Box<dyn Loss>> {
        let n_classes = match target {
            Target::Classes(labels) => labels.n_classes(),
            Target::Numbers(_) => 0,
        };
        let loss: Box<dyn Loss> = match (self.loss, n_classes) {
            (LossName::Auto, 0) | (LossName::Squared, _) => Box::new(loss::Squared),
            (LossName::Auto, 2) | (LossName::Logistic, _) => Box::new(loss::Logistic),
            (LossName::Auto | LossName::Softmax, _) => Box::new(loss::Softmax { n_classes }),
            (LossName::Exponential, _) => Box::new(loss::Exponential),
            (LossName::Hinge, _) => Box::new(loss::Hinge),
            (LossName::SquaredHinge, _) => Box::new(loss::SquaredHinge),
            (LossName::Absolute, _) => Box::new(loss::Absolute),
            (LossName::Huber, _) => Box::new(loss::Huber { delta: 1.0 }),
            (LossName::Poisson, _) => Box::new(loss::Poisson),
            (LossName::Gamma, _) => Box::new(loss::Gamma),
            (LossName::Tweedie, _) => Box::new(loss::Tweedie { power: 1.5 }),
        };
        if loss.task() != target.task() {
            let (expected, found) = match n_classes {
                0 => ("classes", "numbers"),
                _ => ("numbers", "classes"),
            };
            return Err(Error::WrongTask {
                method: format!("the loss {}", loss.name()),
                expected,
                found,
                hint: "use the loss auto, or another target",
            });
        }
        let is_binary = loss.width() == 1 && n_classes > 0;
        if is_binary && n_classes != 2 {
            return Err(Error::WrongTask {
                method: format!("the loss {}", loss.name()),
                expected: "two classes",
                found: if n_classes == 1 { "one class" } else { "more than two" },
                hint: "use the loss softmax",
            });
        }
        Ok(loss)
    }
}

/// A boosting run: scores, gradients, and the trees so far.
struct Boosting<'a, 'r> {
    settings: &'a GradientBoosting,
    loss: &'a dyn Loss,
    sample: &'a Sample<'a>,
    run: &'a Run<'r>,
    bins: std::sync::Arc<Bins>,
    features: Vec<usize>,
    targets: Vec<f64>,
    bag: Bag,
    out_of_bag: Vec<usize>,
    start: Vec<f64>,
    scores: Vec<f64>,
    gradients: Vec<Gradients>,
    trees: Vec<Tree>,
    memory: Memory,
    entries: Vec<Entry>,
}

impl<'a, 'r> Boosting<'a, 'r> {
    fn start(
        settings: &'a GradientBoosting,
        loss: &'a dyn Loss,
        sample: &'a Sample<'a>,
        run: &'a Run<'r>,
    ) -> Result<Boosting<'a, 'r>> {
        let n_rows = sample.n_rows();
        let targets: Vec<f64> = match sample.target {
            Target::Classes(labels) => labels.codes().iter().map(|&c| f64::from(c)).collect(),
            Target::Numbers(values) => values.to_vec(),
        };
        loss.check(&targets)?;
        let bins = sample.table.bins(Resolution::Fast, run).ok_or(Error::Interrupted)?;
        run.report(&Event::Stage { name: "boosting" });
        let start = loss.start(&targets, sample.weights);
        let bag = Bag::of(sample.weights, n_rows)?;
        Ok(Boosting {
            settings,
            loss,
            sample,
            run,
            bins,
            features: (0..sample.table.n_columns()).collect(),
            out_of_bag: (0..n_rows).filter(|&row| sample.weights.at(row) == 0.0).collect(),
            bag,
            scores: start.iter().copied().cycle().take(n_rows * start.len()).collect(),
            gradients: start.iter().map(|_| Gradients::new(n_rows)).collect(),
            targets,
            start,
            trees: Vec::new(),
            memory: Memory::default(),
            entries: Vec::new(),
        })
    }

    fn take_gradients(&mut self) {
        for (output, gradients) in self.gradients.iter_mut().enumerate() {
            gradients.take(self.loss, &self.targets, &self.scores, output, &self.bag);
        }
    }

    fn grow_tree(&mut self, output: usize) -> Result<Grown> {
        let settings = self.settings;
        let memory = std::mem::take(&mut self.entries);
        let scaled = self.gradients[output].scale(&self.bag, memory);
        let Scaled { sums, entries, g_unit, h_unit } = scaled;
        let criterion = Newton { l1: settings.l1 / g_unit, l2: settings.l2 / h_unit };
        let limits = Limits {
            max_depth: settings.max_depth.unwrap_or(usize::MAX),
            min_split_rows: 2,
            min_leaf_rows: settings.min_leaf_rows as u64,
            min_leaf_weight: settings.min_child_weight / h_unit,
            // A split that gains nothing is not made.
            min_gain: (settings.min_gain * h_unit / (g_unit * g_unit)).max(f64::MIN_POSITIVE),
        };
        match sums {
            Sums::Packed(pairs) => self.grow(&pairs, entries, &criterion, &limits),
            Sums::Wide(pairs) => self.grow(&pairs, entries, &criterion, &limits),
        }
    }

    fn grow<T: Statistic<Sum = PairSum>>(
        &mut self,
        statistic: &T,
        entries: Vec<Entry>,
        criterion: &Newton,
        limits: &Limits,
    ) -> Result<Grown> {
        let search = Search::new(
            (self.sample.table, &self.bins),
            (statistic, criterion),
            Splitter::Best,
            (&self.features, self.features.len()),
            limits,
        );
        let frontier = Frontier::BestFirst { max_leaves: self.settings.max_leaves };
        Grower::grow(search, frontier, self.run, entries, &mut self.memory)
    }

    /// Puts values on the tree and moves the scores along it.
    fn step(&mut self, output: usize, grown: Grown) {
        let tree = self.put_values(output, &grown);
        let width = self.start.len();
        let leaves: Vec<(usize, &[Entry])> = grown.leaves().collect();
        // Each thread has a stretch of rows; a leaf's entries are in row order.
        self.scores.par_chunks_mut(STRETCH * width).enumerate().for_each(|(stretch, scores)| {
            let first = stretch * STRETCH;
            for (leaf, entries) in &leaves {
                let value = tree.values[*leaf];
                let mut last = None;
                for row in within(entries, first).map(|&e| row_of(e)) {
                    // Copies of a row stand next to each other; its score moves once.
                    if last.replace(row) != Some(row) {
                        scores[(row - first) * width + output] += value;
                    }
                }
            }
        });
        for &row in &self.out_of_bag {
            let leaf = grown.leaf(row, self.sample.table, &self.bins);
            self.scores[row * width + output] += tree.values[leaf];
        }
        self.trees.push(tree);
        self.entries = grown.into_entries();
    }

    /// The tree with the value of each node, from unrounded gradients.
    fn put_values(&self, output: usize, grown: &Grown) -> Tree {
        let gradients = &self.gradients[output];
        let scales = gradients.exact_scales(self.bag.n);
        let leaves: Vec<(usize, &[Entry])> = grown.leaves().collect();
        let n_stretches = self.targets.len().div_ceil(STRETCH);
        let sum_of = |stretch: usize| {
            let of_leaf = |(_, entries): &(usize, &[Entry])| {
                let rows = within(entries, stretch * STRETCH).map(|&e| row_of(e));
                let units = rows.map(|row| scales.units(&gradients.rows[row]));
                units.fold((0, 0), |sum: (i64, i64), (g, h)| (sum.0 + g, sum.1 + h))
            };
            leaves.iter().map(of_leaf).collect::<Vec<_>>()
        };
        let stretches: Vec<Vec<(i64, i64)>> =
            (0..n_stretches).into_par_iter().map(sum_of).collect();
        let mut of_node = vec![(0i64, 0i64); grown.nodes.len()];
        for sums in stretches {
            for ((leaf, _), (g, h)) in leaves.iter().zip(sums) {
                of_node[*leaf].0 += g;
                of_node[*leaf].1 += h;
            }
        }
        for (at, node) in grown.nodes.iter().enumerate().rev().filter(|(_, n)| n.rule != Rule::Leaf)
        {
            let (left, right) = (of_node[at + 1], of_node[node.right as usize]);
            of_node[at] = (left.0 + right.0, left.1 + right.1);
        }
        let rate = self.settings.learning_rate;
        let describe = |(at, node): (usize, &crate::tree::grow::GrownNode)| {
            let (g, h) = (of_node[at].0 as f64 / scales.g, of_node[at].1 as f64 / scales.h);
            let (g, h) = (shrink(g, self.settings.l1), h + self.settings.l2);
            let step = if h > 0.0 { -g / h } else { 0.0 };
            let cost = if h > 0.0 { 0.5 * g * step } else { 0.0 };
            let node = Node { rule: node.rule.clone(), right: node.right, weight: h, cost };
            (node, rate * step)
        };
        let (nodes, mut values): (Vec<Node>, Vec<f64>) =
            grown.nodes.iter().enumerate().map(describe).unzip();
        if let LeafRule::Quantile(level) = self.loss.leaf_rule() {
            let width = self.start.len();
            for (leaf, entries) in &leaves {
                let rest = |&e: &Entry| {
                    let row = row_of(e);
                    let left_over = self.targets[row] - self.scores[row * width + output];
                    // Copies stand there themselves; only a real weight makes a row heavier.
                    (left_over, self.bag.weights.as_ref().map_or(1.0, |w| w[row].into()))
                };
                let mut rest: Vec<(f64, f64)> = entries.iter().map(rest).collect();
                values[*leaf] = rate * weighted_quantile(&mut rest, level);
            }
        }
        Tree { nodes, values, width: 1 }
    }

    fn finish(self) -> Result<AdditiveModel> {
        let width = self.start.len();
        let mut trees = self.trees;
        // A round that was stopped half way would favour the classes it reached.
        trees.truncate(trees.len() / width * width);
        if trees.is_empty() && self.settings.n_trees > 0 {
            return Err(Error::Interrupted);
        }
        Ok(AdditiveModel {
            start: self.start,
            trees,
            link: self.loss.link(),
            schema: self.sample.table.schema().clone(),
            output: Output::of(self.sample.target),
        })
    }
}

/// The entries of a leaf, which are in row order, that lie in the stretch from row `first` on.
fn within(entries: &[Entry], first: usize) -> std::slice::Iter<'_, Entry> {
    let start = entries.partition_point(|&e| row_of(e) < first);
    let end = entries.partition_point(|&e| row_of(e) < first + STRETCH);
    entries[start..end].iter()
}

impl Bag {
    /// The rows of a sample: a count is so many copies of a row, a real weight makes it heavier.
    fn of(weights: &Weights, n_rows: usize) -> Result<Bag> {
        match weights {
            Weights::Uniform => Ok(Bag { rows: None, weights: None, copies: None, n: n_rows }),
            Weights::Counts(counts) => {
                let copies = counts.iter().enumerate();
                let rows: Vec<u32> = copies
                    .flat_map(|(row, &n)| std::iter::repeat_n(row as u32, n as usize))
                    .collect();
                match rows.len() {
                    0 => Err(Error::ZeroWeights(n_rows)),
                    n => Ok(Bag {
                        rows: Some(rows),
                        weights: None,
                        copies: Some(counts.to_vec()),
                        n,
                    }),
                }
            }
            Weights::Real(weights) => {
                let largest = weights.iter().copied().fold(0.0, f64::max);
                if let Some(row) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
                    return Err(Error::BadWeight { row: row + 1, value: weights[row] });
                }
                if largest == 0.0 {
                    return Err(Error::ZeroWeights(n_rows));
                }
                let rows: Vec<u32> =
                    (0..n_rows as u32).filter(|&row| weights[row as usize] > 0.0).collect();
                let n = rows.len();
                let weights = weights.iter().map(|&w| w as f32).collect();
                Ok(Bag { rows: Some(rows), weights: Some(weights), copies: None, n })
            }
        }
    }
}

impl Parameters for GradientBoosting {
    fn method(&self) -> &'static str {
        "gradient-boosting"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        macro_rules! list {
            ($($name:ident: $meaning:literal),+ $(,)?) => {
                vec![$(Parameter {
                    name: stringify!($name),
                    meaning: $meaning,
                    value: &mut self.$name,
                }),+]
            };
        }
        list![
            loss: "what is made small",
            n_trees: "rounds",
            learning_rate: "how far the scores move along each tree",
            max_leaves: "leaves of a tree at the most, most useful splits first",
            max_depth: "splits on the longest way from root to leaf",
            min_leaf_rows: "rows that each leaf must keep",
            min_child_weight: "sum of second derivatives that each leaf must keep",
            min_gain: "what a split must gain",
            l1: "penalty on the size of leaf values",
            l2: "penalty on their squares",
        ]
    }

    fn check(&self) -> Result<()> {
        if self.max_leaves < 2 {
            return out_of_range("max_leaves", self.max_leaves, "at least 2");
        }
        if !(self.learning_rate > 0.0 && self.learning_rate.is_finite()) {
            return out_of_range("learning_rate", self.learning_rate, "a number above 0");
        }
        if self.min_leaf_rows == 0 {
            return out_of_range("min_leaf_rows", 0, "at least 1");
        }
        for (name, value) in [
            ("min_child_weight", self.min_child_weight),
            ("min_gain", self.min_gain),
            ("l1", self.l1),
            ("l2", self.l2),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return out_of_range(name, value, "at least 0");
            }
        }
        Ok(())
    }
}
