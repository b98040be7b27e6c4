//! The rounds of a boosting run: its scores, gradients and trees.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::additive::AdditiveModel;
use super::bag::{Bag, BagOrder};
use super::conformal::{Rest, rest};
use super::dart::Dart;
use super::early_stopping::{measure, sum_of_losses};
use super::gradient_boosting::GradientBoosting;
use super::gradients::{AllRows, CHUNK, Gradients};
use super::islr::Start;
use super::leaf_values::{LeafValues, by_stretches};
use super::linear_leaves::LeafSlopes;
use super::start::start;
use super::target_statistics::{Spelling, TargetStatistics};
use super::targets::Targets;
use super::validation::{ValidationRows, follow, starting_scores};
use super::vector_leaves;
use crate::data::{Bins, Sample, Table, Weights};
use crate::error::{Error, Result};
use crate::learner::{Extras, HeldOutMetric};
use crate::loss::{JointLoss, Loss, Together};
use crate::run::Run;
use crate::seed::{Purpose, Seed};
use crate::tree::Tree;
use crate::tree::constraints::Constraints;
use crate::tree::grow::Memory;
use crate::tree::grown::Grown;
use crate::tree::kernel::vectors::RowBlock;
use crate::tree::parts::{cut, on_each_thread, ranges};
use crate::tree::statistic::{Entry, row_of};
use crate::tree::walk::Reader;

mod growing;

/// Rows from which each thread has a part of them to itself.
const PARTED_ROWS: usize = 1 << 16;

/// A boosting run: scores, gradients, and the trees so far.
pub struct Boosting<'a, 'r> {
    settings: &'a GradientBoosting,
    loss: &'a dyn Loss,
    sample: &'a Sample<'a>,
    run: &'a Run<'r>,
    seed: Seed,
    /// The sample's columns and those of target statistics, and how splits of these are spelled.
    table: Table,
    spelling: Spelling,
    bins: Arc<Bins>,
    features: Vec<usize>,
    constraints: Constraints,
    targets: Targets<'a>,
    /// The rows that may be trained on, and those of this round.
    whole_bag: Bag,
    bag: Bag,
    out_of_bag: Vec<u32>,
    /// The rows that may be trained on, by what they hold, if rounds draw from them.
    order: Option<BagOrder>,
    /// Rows that are not trained on, of the sample and apart from it.
    held_out: &'a [usize],
    /// The loss of the rows trained on and of those held out, where rows have it together.
    joint: Option<Box<dyn JointLoss>>,
    held_out_joint: Option<Box<dyn JointLoss>>,
    validation: Option<ValidationRows<'a>>,
    /// What these are judged by, if it is not the loss.
    metric: Option<&'a dyn HeldOutMetric>,
    start: Vec<f64>,
    offset: Option<&'a [f64]>,
    scores: Vec<f64>,
    shared: Vec<f64>,
    gradients: Vec<Gradients>,
    trees: Vec<Tree>,
    dart: Dart,
    /// Memory for each tree that grows at a time.
    memory: Vec<Memory>,
    entries: Vec<Vec<Entry>>,
    vectors: Vec<RowBlock>,
    /// The rows of each thread.
    ranges: Vec<Range<usize>>,
    /// Whether nodes keep the rows of each thread apart.
    is_parted: bool,
}

/// What a run is made of.
#[derive(Clone, Copy)]
pub struct Work<'a, 'r> {
    /// The method.
    pub settings: &'a GradientBoosting,
    /// The loss that it goes downhill on.
    pub loss: &'a dyn Loss,
    /// What to learn from.
    pub sample: &'a Sample<'a>,
    /// The columns whose levels have target statistics.
    pub statistics: &'a TargetStatistics,
    /// What else is given.
    pub extras: &'a Extras<'a, AdditiveModel>,
    /// Seed, threads and observer.
    pub run: &'a Run<'r>,
}

impl<'a, 'r> Boosting<'a, 'r> {
    /// The scores before the first round, or after those of `so_far`.
    pub fn start(
        work: Work<'a, 'r>,
        (held_out, seed): (&'a [usize], Seed),
        so_far: Option<&AdditiveModel>,
    ) -> Result<Boosting<'a, 'r>> {
        let Work { settings, loss, sample, statistics, extras, run } = work;
        let n_rows = sample.n_rows();
        let targets = Targets::of(sample.target);
        let all = targets.all();
        loss.check(&all)?;
        let weights = sample.weights.without(held_out, n_rows);
        let (table, spelling) = statistics.put_on(sample, &weights, seed)?;
        let resolution = settings.bins.resolution(n_rows);
        let bins = table.bins(resolution, run)?;
        // Scores and gradients of each row, and the entries that trees are grown from.
        run.needs(
            n_rows.saturating_mul(loss.width()).saturating_mul(6 * size_of::<f64>()),
            || format!("the gradients of {n_rows} rows and {} scores", loss.width()),
        )?;
        let bag = Bag::of(&weights, n_rows)?;
        let draws = settings.draws_rows();
        let order = draws.then(|| BagOrder::of(&sample.reweighted(&weights)));
        let joint_of = |weights: &Weights| {
            loss.joint(&Together { targets: &all, weights, groups: sample.groups })
        };
        let joint = joint_of(&weights)?;
        let held_out_joint = match joint {
            Some(_) => joint_of(&sample.weights.only(held_out, n_rows))?,
            None => None,
        };
        let constraints =
            settings.constraints(sample.table, loss)?.followed_by(statistics.sources());
        let start = match (extras.continued, settings.start) {
            (Some(model), _) => model.start.clone(),
            (None, Start::Best) => start(loss, &all, &weights, sample.offset)?,
            (None, Start::Zero) => vec![0.0; loss.width()],
        };
        let (schema, output) = (sample.table.schema(), loss.output(sample.target));
        let of_rows = |rows| ValidationRows::new(rows, schema, &output, loss, &start);
        let validation = extras.validation.as_ref().map(of_rows).transpose()?;
        let n_parts = if n_rows >= PARTED_ROWS { run.threads() } else { 1 };
        // What has no place in the planes is summed by one thread, from the rows of all parts.
        let is_parted = bins.planes().hold_all();
        let mut boosting = Boosting {
            settings,
            loss,
            sample,
            run,
            seed,
            spelling,
            bins,
            features: (0..table.n_columns()).collect(),
            table,
            constraints,
            out_of_bag: bag.out_of_bag(n_rows),
            whole_bag: bag.clone(),
            bag,
            order,
            held_out,
            joint,
            held_out_joint,
            validation,
            metric: extras.metric,
            scores: starting_scores(&start, sample.offset, n_rows)?,
            gradients: start.iter().map(|_| Gradients::new(n_rows)).collect(),
            targets,
            start,
            offset: sample.offset,
            shared: Vec::new(),
            trees: Vec::new(),
            dart: Dart::default(),
            memory: Vec::new(),
            entries: Vec::new(),
            vectors: Vec::new(),
            ranges: ranges(n_rows, n_parts, CHUNK),
            is_parted,
        };
        let n_before = extras.continued.map_or(0, |model| model.trees.len());
        boosting.recall(so_far.or(extras.continued), n_before);
        Ok(boosting)
    }

    /// Moves the scores along the trees of a model, of which the first ones are not of this fit.
    fn recall(&mut self, model: Option<&AdditiveModel>, n_before: usize) {
        let width = self.start.len();
        self.trees = model.map_or(Vec::new(), |model| model.trees.to_vec());
        let (before, own) = self.trees.split_at(n_before);
        follow(before, &self.table, width, &mut self.scores);
        if self.settings.drop_rate > 0.0 {
            self.dart.recall(own, &self.table, &self.scores);
        }
        follow(own, &self.table, width, &mut self.scores);
        if let Some(rows) = &mut self.validation {
            let spelled: Vec<Tree> =
                self.trees.iter().map(|tree| self.spelling.spelled(tree).into_owned()).collect();
            rows.follow(&spelled, width);
        }
    }

    /// Trees of a round: one for each score, or one for all.
    pub fn trees_per_round(&self) -> usize {
        self.start.len() / self.settings.tree_width(self.loss)
    }

    /// How many whole rounds there are.
    pub fn n_rounds(&self) -> usize {
        self.trees.len() / self.trees_per_round()
    }

    /// The summed loss of the rows that are not trained on, and their weight; or what the metric
    /// says of them, and 1.
    pub fn judge_held_out(&self) -> (f64, f64) {
        let weights = self.sample.weights;
        match (&self.validation, self.metric) {
            (Some(rows), Some(metric)) => rows.measure(metric, self.loss),
            (Some(rows), None) => rows.loss(self.loss),
            (None, Some(metric)) => {
                measure(metric, self.loss, self.targets, &self.scores, weights, self.held_out)
            }
            (None, None) => match &self.held_out_joint {
                Some(joint) => joint.loss(&self.scores),
                None => {
                    sum_of_losses(self.loss, self.targets, &self.scores, weights, self.held_out)
                }
            },
        }
    }

    /// What the rows that are not trained on have left to explain after so many rounds, by score.
    pub fn held_out_rest(&self, n_rounds: usize) -> Vec<Rest> {
        let trees = &self.trees[..n_rounds * self.trees_per_round()];
        if let Some(rows) = &self.validation {
            let spelled = trees.iter().map(|tree| self.spelling.spelled(tree).into_owned());
            return rows.rest(&spelled.collect::<Vec<_>>());
        }
        let width = self.start.len();
        let table = self.table.take(self.held_out);
        let of_rows = |offset: &[f64]| -> Vec<f64> {
            self.held_out.iter().flat_map(|&row| &offset[row * width..][..width]).copied().collect()
        };
        let offset = self.offset.map(of_rows);
        let mut scores: Vec<f64> = self.start.repeat(self.held_out.len());
        scores.iter_mut().zip(offset.iter().flatten()).for_each(|(score, x)| *score += x);
        follow(trees, &table, width, &mut scores);
        let of_row = |&row: &usize| (self.targets.at(row), self.sample.weights.copies(row).1);
        rest(&scores, width, self.held_out.iter().map(of_row))
    }

    /// Draws the rows and columns of a round.
    pub fn draw(&mut self, round: usize) {
        let seed = self.seed.child(round as u64);
        if let (Some(order), None) = (&self.order, self.settings.goss) {
            self.bag = self.whole_bag.drawn(self.settings.row_share(), order, seed);
            self.out_of_bag = self.bag.out_of_bag(self.targets.len());
        }
        let n_columns = self.table.n_columns();
        let n = self.settings.n_seen(n_columns);
        if n < n_columns {
            let mut features: Vec<usize> = (0..n_columns).collect();
            seed.stream(Purpose::Features).shuffle(&mut features);
            features.truncate(n);
            features.sort_unstable();
            self.features = features;
        }
    }

    /// Leaves trees out of the scores of a round (DART).
    pub fn drop_trees(&mut self, round: usize) {
        let (rate, width) = (self.settings.drop_rate, self.start.len());
        if rate > 0.0 {
            let seed = self.seed.child(round as u64);
            let trees = (&self.trees[..], &self.table);
            self.dart.leave_out(rate, seed, trees, &mut self.scores, width);
        }
    }

    /// Gives the trees of a complete round, and those left out of it, their share (DART).
    pub fn put_trees_back(&mut self) {
        if self.settings.drop_rate > 0.0 {
            let per_round = self.trees_per_round();
            self.dart.put_back(&mut self.trees, per_round);
        }
    }

    /// Takes the gradients of every score.
    pub fn take_gradients(&mut self, round: usize) -> Result<()> {
        let width = self.start.len();
        if width > 1 {
            let n_shared = self.loss.n_shared();
            self.shared.resize(self.targets.len() * n_shared, 0.0);
            let chunks = self.shared.par_chunks_mut(CHUNK * n_shared);
            let scores = self.scores.par_chunks(CHUNK * width);
            chunks.zip(scores).for_each(|(out, scores)| self.loss.shared(scores, out));
        }
        let rows = AllRows { targets: self.targets, scores: &self.scores, shared: &self.shared };
        for (output, gradients) in self.gradients.iter_mut().enumerate() {
            let bag = if self.settings.goss.is_some() { &self.whole_bag } else { &self.bag };
            gradients.take(
                (self.loss, self.joint.as_deref()),
                &rows,
                output,
                (bag, &self.ranges),
            )?;
            if self.trees.is_empty() && gradients.are_flat() {
                return Err(Error::FlatLoss { loss: self.loss.name() });
            }
        }
        if let (Some(order), Some(goss)) = (&self.order, self.settings.goss) {
            let seed = self.seed.child(round as u64);
            self.bag = goss.draw(&mut self.gradients, &self.whole_bag, order, seed);
            self.out_of_bag = self.bag.out_of_bag(self.targets.len());
        }
        Ok(())
    }

    /// What a gain by each score counts.
    fn gain_factors(&self) -> Vec<f64> {
        (0..self.start.len()).map(|output| self.loss.gain_factor(output)).collect()
    }

    /// Puts values on the tree and moves the scores along it, from number `output` on.
    pub fn step(&mut self, output: usize, grown: Grown) {
        let put_on = |output: usize| {
            let values = LeafValues {
                settings: self.settings,
                loss: self.loss,
                bag: &self.bag,
                gradients: &self.gradients[output],
                targets: self.targets,
                scores: &self.scores,
                constraints: &self.constraints,
                ranges: &self.ranges,
                output,
            };
            values.put_on(&grown)
        };
        let mut tree = match self.settings.tree_width(self.loss) {
            1 => {
                let mut tree = put_on(output);
                let factor = self.loss.gain_factor(output);
                tree.nodes.iter_mut().for_each(|node| node.cost *= factor);
                tree
            }
            width => {
                let trees: Vec<Tree> = (0..width).map(put_on).collect();
                vector_leaves::joined(&trees, &self.gain_factors())
            }
        };
        if self.settings.linear_leaves {
            tree.linear = self.leaf_slopes(output).fit(&grown);
        }
        let width = self.start.len();
        self.move_along(&grown, &tree, output);
        let columns = Reader::of(&self.table);
        // By value, as predictions go: a bin that the node has not seen may lie on both sides.
        let of = |rows: &[u32]| tree.leaves_of(&self.table, rows);
        let others: Vec<u32> = self.out_of_bag.par_chunks(CHUNK).flat_map_iter(of).collect();
        for (&row, &leaf) in self.out_of_bag.iter().zip(&others) {
            let number = |f: usize| columns[f].number(row as usize);
            let scores = &mut self.scores[row as usize * width + output..];
            tree.add_to(leaf as usize, number, scores);
        }
        if self.settings.drop_rate > 0.0 {
            let mut leaf_of_row = grown.leaf_of_row(self.targets.len());
            let others = self.out_of_bag.iter().zip(others);
            others.for_each(|(&row, leaf)| leaf_of_row[row as usize] = leaf);
            self.dart.remember(&leaf_of_row);
        }
        if let Some(validation) = &mut self.validation {
            validation.follow_one(&self.spelling.spelled(&tree), output, width);
        }
        self.trees.push(tree);
        self.entries.push(grown.into_entries());
    }

    /// What the linear leaves of a tree are fitted by.
    fn leaf_slopes(&self, output: usize) -> LeafSlopes<'_> {
        let gradients = &self.gradients[output];
        LeafSlopes {
            settings: self.settings,
            table: &self.table,
            bag: &self.bag,
            gradients,
            longest: self.loss.longest_step(),
        }
    }

    /// Moves the scores of the rows that a tree was grown on.
    fn move_along(&mut self, grown: &Grown, tree: &Tree, output: usize) {
        let width = self.start.len();
        let parts = grown.in_ranges(&self.ranges);
        let columns = Reader::of(&self.table);
        let scores = cut(&mut self.scores, self.ranges.iter().map(|r| r.len() * width));
        let tasks = self.ranges.iter().map(|r| r.start).zip(parts).zip(scores);
        on_each_thread(tasks.collect(), |((first, leaves), scores)| {
            by_stretches(&leaves, |place, entries| {
                let leaf = leaves[place].0;
                // Copies of a row stand next to each other; its score moves once.
                let mut last = None;
                let rows = entries.iter().map(|&e| row_of(e));
                let rows = rows.filter(|&row| last.replace(row) != Some(row));
                let place = |row: usize| (row - first) * width + output;
                let linear = tree.linear.as_ref().and_then(|linear| linear.leaf(leaf));
                match (linear, tree.value(leaf)) {
                    (None, [value]) => rows.for_each(|row| scores[place(row)] += value),
                    _ => rows.for_each(|row| {
                        let number = |f: usize| columns[f].number(row);
                        tree.add_to(leaf, number, &mut scores[place(row)..]);
                    }),
                }
            });
        });
    }

    /// The model of the first `n_rounds` rounds.
    pub fn model(&self, n_rounds: usize) -> AdditiveModel {
        let state = self.state(n_rounds);
        let spelled = |tree| self.spelling.spelled(tree).into_owned();
        AdditiveModel {
            trees: state.trees.iter().map(spelled).collect::<Vec<_>>().into(),
            schema: self.sample.table.schema().clone(),
            ..state
        }
    }

    /// The same on the columns that it was trained with: what a run can go on from.
    pub fn state(&self, n_rounds: usize) -> AdditiveModel {
        AdditiveModel {
            start: self.start.clone(),
            trees: self.trees[..n_rounds * self.trees_per_round()].to_vec().into(),
            n_runs: 1,
            link: self.loss.link(),
            schema: self.table.schema().clone(),
            output: self.loss.output(self.sample.target),
            curve: None,
        }
    }
}
