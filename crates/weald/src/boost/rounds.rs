//! The rounds of a boosting run: its scores, gradients and trees.

use std::sync::Arc;

use rayon::prelude::*;

use super::additive::AdditiveModel;
use super::early_stopping::EarlyStopping;
use super::gradient_boosting::GradientBoosting;
use super::gradients::{Bag, Gradients, Scaled, Sums};
use crate::data::{Bins, Resolution, Sample, Target, Weights};
use crate::error::{Error, Result};
use crate::loss::{LeafRule, Loss, Rows, weighted_quantile};
use crate::model::Output;
use crate::observer::Event;
use crate::run::Run;
use crate::seed::{Purpose, Seed};
use crate::tree::criterion::{Newton, shrink};
use crate::tree::frontier::Frontier;
use crate::tree::grow::{Grower, Grown, GrownNode, Memory};
use crate::tree::limits::Limits;
use crate::tree::search::Search;
use crate::tree::statistic::{Entry, PairSum, Statistic, row_of};
use crate::tree::suspects::report_suspects;
use crate::tree::{Node, Rule, Splitter, Tree};

/// Rows that a thread takes at a time when scores move.
const STRETCH: usize = 1 << 15;

/// A boosting run: scores, gradients, and the trees so far.
pub struct Boosting<'a, 'r> {
    settings: &'a GradientBoosting,
    loss: &'a dyn Loss,
    sample: &'a Sample<'a>,
    run: &'a Run<'r>,
    bins: Arc<Bins>,
    features: Vec<usize>,
    targets: Vec<f64>,
    /// The rows that may be trained on, and those of this round.
    whole_bag: Bag,
    bag: Bag,
    out_of_bag: Vec<u32>,
    early_stopping: Option<EarlyStopping>,
    start: Vec<f64>,
    scores: Vec<f64>,
    shared: Vec<f64>,
    gradients: Vec<Gradients>,
    trees: Vec<Tree>,
    memory: Memory,
    entries: Vec<Entry>,
}

impl<'a, 'r> Boosting<'a, 'r> {
    /// The scores before the first round.
    pub fn start(
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
        report_suspects(sample, &bins, run);
        run.report(&Event::Stage { name: "boosting" });
        let early_stopping = EarlyStopping::of(settings, sample, run.seed)?;
        let weights = match &early_stopping {
            None => sample.weights.clone(),
            Some(held_out) => held_out.training_weights(sample.weights, n_rows),
        };
        let bag = Bag::of(&weights, n_rows)?;
        let start = loss.start(&targets, &weights);
        Ok(Boosting {
            settings,
            loss,
            sample,
            run,
            bins,
            features: (0..sample.table.n_columns()).collect(),
            out_of_bag: bag.out_of_bag(n_rows),
            whole_bag: bag.clone(),
            bag,
            early_stopping,
            scores: start.iter().copied().cycle().take(n_rows * start.len()).collect(),
            gradients: start.iter().map(|_| Gradients::new(n_rows)).collect(),
            targets,
            start,
            shared: Vec::new(),
            trees: Vec::new(),
            memory: Memory::default(),
            entries: Vec::new(),
        })
    }

    /// Draws the rows and columns of a round.
    pub fn draw(&mut self, round: usize) {
        let seed = self.run.seed.child(round as u64);
        if self.settings.subsample < 1.0 {
            self.bag = self.whole_bag.drawn(self.settings.subsample, self.targets.len(), seed);
            self.out_of_bag = self.bag.out_of_bag(self.targets.len());
        }
        if self.settings.colsample < 1.0 {
            let n_columns = self.sample.table.n_columns();
            let n = ((self.settings.colsample * n_columns as f64).ceil() as usize).max(1);
            let mut features: Vec<usize> = (0..n_columns).collect();
            seed.stream(Purpose::Features).shuffle(&mut features);
            features.truncate(n);
            features.sort_unstable();
            self.features = features;
        }
    }

    /// Whether the held-out loss has stopped falling; asked once after each round.
    pub fn is_over(&mut self) -> bool {
        let Some(early_stopping) = &mut self.early_stopping else { return false };
        early_stopping.is_over(self.loss, &self.targets, &self.scores, self.sample.weights)
    }

    /// Takes the gradients of every score.
    pub fn take_gradients(&mut self) {
        let width = self.start.len();
        if width > 1 {
            let shared = |scores: &[f64]| self.loss.shared(scores);
            self.shared = self.scores.par_chunks_exact(width).map(shared).collect();
        }
        let rows = Rows { targets: &self.targets, scores: &self.scores, shared: &self.shared };
        for (output, gradients) in self.gradients.iter_mut().enumerate() {
            gradients.take(self.loss, &rows, output, &self.bag);
        }
    }

    /// Grows a tree on the gradients of one score.
    pub fn grow_tree(&mut self, output: usize) -> Result<Grown> {
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
    pub fn step(&mut self, output: usize, grown: Grown) {
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
        let leaf = |row: &u32| grown.leaf(*row as usize, self.sample.table, &self.bins);
        let others: Vec<usize> = self.out_of_bag.par_iter().map(leaf).collect();
        for (&row, leaf) in self.out_of_bag.iter().zip(others) {
            self.scores[row as usize * width + output] += tree.values[leaf];
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
        let describe = |(at, node): (usize, &GrownNode)| {
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

    /// The model of the first `n_rounds` rounds, or of the best one if rows were held out.
    pub fn finish(self, n_rounds: usize) -> Result<AdditiveModel> {
        let best = self.early_stopping.map_or(n_rounds, |e| e.best_round().min(n_rounds));
        let mut trees = self.trees;
        trees.truncate(best * self.start.len());
        if trees.is_empty() {
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
    /// A share of the bag, at least one row; every copy is drawn on its own.
    fn drawn(&self, share: f64, n_rows: usize, seed: Seed) -> Bag {
        let mut draws = seed.stream(Purpose::Rows);
        let all: Vec<u32> = self.rows.clone().unwrap_or_else(|| (0..n_rows as u32).collect());
        let mut rows: Vec<u32> = all.iter().copied().filter(|_| draws.unit() < share).collect();
        if rows.is_empty() {
            rows.push(all[draws.below(all.len() as u64) as usize]);
        }
        let mut copies = vec![0; n_rows];
        rows.iter().for_each(|&row| copies[row as usize] += 1);
        let n = rows.len();
        Bag { rows: Some(rows), weights: self.weights.clone(), copies: Some(copies), n }
    }

    /// The rows that are not in the bag.
    fn out_of_bag(&self, n_rows: usize) -> Vec<u32> {
        let Some(rows) = &self.rows else { return Vec::new() };
        let mut inside = vec![false; n_rows];
        rows.iter().for_each(|&row| inside[row as usize] = true);
        (0..n_rows as u32).filter(|&row| !inside[row as usize]).collect()
    }

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
