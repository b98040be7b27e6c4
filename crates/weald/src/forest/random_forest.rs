//! Random forests (Breiman 2001).
//!
//! Each tree is grown to its end on a bootstrap of the rows, and each of its splits chooses among a
//! few features drawn for it. Trees so different err differently, and their mean errs less than any
//! of them: `Var = (1 - rho)/m sigma^2 + rho sigma^2`. The rows that a tree has not seen test it.

use std::sync::Arc;

use super::importance::Importance;
use super::leaf_rows::{LeafRows, TreeRows};
use super::member::Member;
use super::model::ForestModel;
use super::permutation::{self, PermutationImportance};
use crate::data::{Bins, ClassWeights, Resampling, Rescaled, RowOrder, Sample, Target};
use crate::ensemble::{Batches, OutOfBag, OutOfBagCurve};
use crate::error::Result;
use crate::learner::{Learner, Scalable};
use crate::model::Output;
use crate::observer::Event;
use crate::parameter::{Choice, Parameter, Parameters, out_of_range, parameter_list};
use crate::predict::DeepTrees;
use crate::run::Run;
use crate::scores::Scores;
use crate::tree::constraints::Constraints;
use crate::tree::suspects::report_suspects;
use crate::tree::{
    BinChoice, Criterion, DecisionTree, FeatureCount, Interactions, Monotone, Pruning, Splitter,
};

/// Trees of a forest that is to find out how many it needs, at least and at the most, and those over
/// which the error out of the bag must still fall to go on. A mean of 100 trees errs by about a hundredth
/// of the variance of one: more are worth it only where that is much beside what is left.
const LEAST_TREES: usize = 100;
const MOST_TREES: usize = 300;
const PATIENCE: usize = 25;

/// Trees that each thread grows before the others' are waited for.
const TREES_PER_THREAD: usize = 8;

/// Grows a committee of deep trees.
#[derive(Debug, Clone, PartialEq)]
pub struct RandomForest {
    /// How many trees; at the most, where `patience` is given. By itself as many as the rows out of their
    /// bags gain by, from 100 to 300; 100 where there are none.
    pub n_trees: Choice<usize>,
    /// How many features a split chooses from; they are drawn for each split.
    pub max_features: FeatureCount,
    /// How the rows of a tree are drawn.
    pub resampling: Resampling,
    /// How many rows are drawn, as a share of those there are.
    pub sample_share: f64,
    /// Ends when the mean loss out of the bag (the Brier score, or the squared error) of this many trees
    /// is hardly better than that of as many before them.
    pub patience: Option<usize>,
    /// What a good split lowers.
    pub criterion: Criterion,
    /// How a feature's split is found.
    pub splitter: Splitter,
    /// Splits on the longest way from a tree's root to a leaf.
    pub max_depth: Option<usize>,
    /// Leaves of a tree at the most; the most useful splits are made first.
    pub max_leaves: Option<usize>,
    /// Rows a node needs to be split.
    pub min_split_rows: usize,
    /// Rows that each leaf must keep.
    pub min_leaf_rows: usize,
    /// Weight that each leaf must keep.
    pub min_leaf_weight: f64,
    /// Rows by which the class shares of each leaf are smoothed towards those of all rows; nothing for
    /// numbers.
    pub leaf_smoothing: f64,
    /// What a split must lower the cost by, as a share of the total weight.
    pub min_gain: f64,
    /// What a split pays for each level of a category that it must name: 1 is what a level of noise
    /// gains on the mean, and the best of several drawn categories gains more.
    pub level_charge: f64,
    /// Columns along which the mean, or the share of the second class, may only rise or only fall.
    /// Every tree keeps to it, and so does their mean; quantiles are of the rows, and need not.
    pub monotone: Monotone,
    /// Sets of columns that may be used in one branch of a tree.
    pub interactions: Interactions,
    /// How finely numeric columns are cut before growing.
    pub bins: BinChoice,
    /// How much the rows of each class count.
    pub class_weights: ClassWeights,
    /// Whether columns are shuffled out of the bag to see how much worse the trees get.
    pub permutation_importance: bool,
    /// Whether the training rows of each leaf are kept, for quantiles and standard errors.
    pub keep_rows: bool,
}

impl Default for RandomForest {
    fn default() -> RandomForest {
        RandomForest {
            n_trees: Choice::Auto,
            max_features: FeatureCount::Auto,
            resampling: Resampling::Bootstrap,
            sample_share: 1.0,
            patience: None,
            criterion: Criterion::Auto,
            splitter: Splitter::Best,
            max_depth: None,
            max_leaves: None,
            min_split_rows: 2,
            min_leaf_rows: 1,
            min_leaf_weight: 0.0,
            leaf_smoothing: 0.05,
            min_gain: 0.0,
            level_charge: 2.0,
            monotone: Monotone::default(),
            interactions: Interactions::default(),
            bins: BinChoice::Fine,
            class_weights: ClassWeights::Equal,
            permutation_importance: false,
            keep_rows: false,
        }
    }
}

impl Learner for RandomForest {
    type Model = ForestModel;

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<ForestModel> {
        self.fit_out_of_bag(sample, run).map(|(model, _)| model)
    }

    fn prepare(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<()> {
        self.prepared(sample, run)?;
        if self.resampling != Resampling::None {
            run.install(|| RowOrder::of(sample)); // the table keeps the keys of its rows
        }
        Ok(())
    }

    fn fit_with_out_of_bag(
        &self,
        sample: &Sample<'_>,
        run: &Run<'_>,
    ) -> Result<Option<(ForestModel, Scores)>> {
        if !self.resampling.leaves_out(self.sample_share) {
            return Ok(None);
        }
        let (model, honest) = self.fit_out_of_bag(sample, run)?;
        Ok(honest.map(|honest| (model, honest.predictions())))
    }
}

impl RandomForest {
    /// The bins, once the input has been looked at.
    fn prepared(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<Arc<Bins>> {
        let resolution = self.bins.resolution(sample.n_rows());
        let bins = sample.table.bins(resolution, run)?;
        report_suspects(sample, &bins, run);
        Ok(bins)
    }

    /// The forest, and what it says of the rows out of each bag; nothing if no rows are left out.
    pub fn fit_out_of_bag(
        &self,
        sample: &Sample<'_>,
        run: &Run<'_>,
    ) -> Result<(ForestModel, Option<OutOfBag>)> {
        self.check()?;
        sample.check_targets()?;
        self.check_reach(sample.target)?;
        let Some(Rescaled { target, exponent }) = Rescaled::of(sample) else {
            return self.fit_usual(sample, run);
        };
        let min_gain = libm::ldexp(self.min_gain, -2 * exponent).min(f64::MAX);
        let usual = RandomForest { min_gain, ..self.clone() };
        let (mut model, honest) = usual.fit_usual(&Sample { target: &target, ..*sample }, run)?;
        model.multiply(exponent);
        Ok((model, honest.map(|honest| honest.multiplied(exponent))))
    }

    /// The same for targets that are neither extremely large nor extremely small.
    fn fit_usual(
        &self,
        sample: &Sample<'_>,
        run: &Run<'_>,
    ) -> Result<(ForestModel, Option<OutOfBag>)> {
        let weights = self.class_weights.applied(sample)?;
        let sample = &sample.reweighted(&weights);
        let constraints = self.tree(sample.target).constraints(sample)?;
        run.install(|| {
            let bins = self.prepared(sample, run)?;
            run.report(&Event::Stage { name: "growing trees" });
            self.grow(sample, (&bins, &constraints), run)
        })
    }

    /// Whether what so many trees say adds up to a number.
    fn check_reach(&self, target: &Target) -> Result<()> {
        let largest_of = |values: &[f64]| values.iter().map(|x| x.abs()).fold(0.0, f64::max);
        let largest = match target {
            Target::Classes(_) | Target::SeveralClasses(_) => 1.0,
            Target::Numbers(values) => largest_of(values),
            Target::Several(several) => {
                (0..several.n_rows()).map(|row| largest_of(several.row(row))).fold(0.0, f64::max)
            }
        };
        let (most, n_trees) = (0.5 * f64::MAX / largest, self.how_many().n_members);
        if n_trees as f64 <= most {
            return Ok(());
        }
        let expected = format!(
            "at most {most:.0} for targets up to {largest:e}, which trees add up: scale the target"
        );
        out_of_range("n_trees", n_trees, &expected)
    }

    fn grow(
        &self,
        sample: &Sample<'_>,
        (bins, constraints): (&Bins, &Constraints),
        run: &Run<'_>,
    ) -> Result<(ForestModel, Option<OutOfBag>)> {
        let output = Output::of(sample.target);
        let learner = self.tree(sample.target);
        let mut trees = DeepTrees::new(sample.table.schema(), output.width());
        let batches = self.how_many();
        let mut out_of_bag = batches.out_of_bag(sample, output.width(), run)?;
        let (mut removed, mut shuffled) = (Vec::new(), Vec::new());
        let mut rows = self.keep_rows.then(|| LeafRows::new(sample, self.resampling));
        let urn = self.resampling.urn(sample)?;
        let smoothing = self.smoothing_weight(sample);
        let fit = |run: &Run<'_>| {
            let bag = urn.draw(self.sample_share, run.seed)?;
            let grown = learner.grow(&sample.reweighted(&bag), (bins, constraints), run)?;
            let rows = self.keep_rows.then(|| TreeRows::of(&grown, sample, &bag));
            let member = Member::new(grown, sample, &bag, (constraints, smoothing));
            let shuffled = self
                .permutation_importance
                .then(|| permutation::of_tree(&member, sample, run.seed));
            Ok((member, shuffled, rows))
        };
        let add = |(member, worse, own): (Member, _, Option<TreeRows>), seen: &mut OutOfBag| {
            trees.push(&member.tree);
            if let (Some(rows), Some(own)) = (&mut rows, &own) {
                rows.push(own);
            }
            seen.add(&member.rows_out, member.answers());
            removed.push(member.importance);
            shuffled.extend(worse);
        };
        batches.fit(run, &mut out_of_bag, fit, add)?;
        trees.finish();
        let leaves_out = self.resampling.leaves_out(self.sample_share);
        let model = ForestModel {
            trees,
            schema: sample.table.schema().clone(),
            output,
            out_of_bag: OutOfBagCurve::of(out_of_bag.curve()).filter(|_| leaves_out),
            importance: Importance::of_trees(&removed, leaves_out),
            permutation: self
                .permutation_importance
                .then(|| PermutationImportance::of_trees(&shuffled)),
            rows: rows.map(|rows| Box::new(rows.finish())),
        };
        Ok((model, Some(out_of_bag).filter(|_| leaves_out)))
    }

    /// How many trees there are to be.
    fn how_many(&self) -> Batches {
        let per_thread = TREES_PER_THREAD;
        match self.n_trees {
            Choice::Set(n_members) => {
                Batches { n_members, least: None, per_thread, patience: self.patience }
            }
            Choice::Auto if self.resampling.leaves_out(self.sample_share) => Batches {
                n_members: MOST_TREES,
                least: Some(LEAST_TREES),
                per_thread,
                patience: self.patience.or(Some(PATIENCE)),
            },
            Choice::Auto => {
                Batches { n_members: LEAST_TREES, least: None, per_thread, patience: None }
            }
        }
    }

    /// What the rows that smooth the shares of a leaf weigh: as much as others on the mean.
    fn smoothing_weight(&self, sample: &Sample<'_>) -> f64 {
        match sample.target {
            Target::Classes(_) | Target::SeveralClasses(_) => {
                self.leaf_smoothing * sample.mean_weight()
            }
            Target::Numbers(_) | Target::Several(_) => 0.0,
        }
    }

    /// The learner of one tree.
    fn tree(&self, target: &Target) -> DecisionTree {
        let max_features = match (self.max_features, target) {
            (FeatureCount::Auto, Target::Classes(_) | Target::SeveralClasses(_)) => {
                FeatureCount::Sqrt
            }
            (FeatureCount::Auto, Target::Numbers(_) | Target::Several(_)) => {
                FeatureCount::Share(0.5)
            }
            (given, _) => given,
        };
        DecisionTree {
            criterion: self.criterion,
            splitter: self.splitter,
            max_depth: self.max_depth,
            max_leaves: self.max_leaves,
            min_split_rows: self.min_split_rows,
            min_leaf_rows: self.min_leaf_rows,
            min_leaf_weight: self.min_leaf_weight,
            min_gain: self.min_gain,
            // Noise counts as often as the row that it is of.
            level_charge: self.level_charge * self.resampling.copies_of_a_row(self.sample_share),
            max_features,
            monotone: self.monotone.clone(),
            interactions: self.interactions.clone(),
            pruning: Pruning::None,
            bins: self.bins,
        }
    }
}

impl Parameters for RandomForest {
    fn method(&self) -> &'static str {
        "random-forest"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
            n_trees: "how many trees; auto: from 100 to 300, while rows out of their bags gain",
            max_features: "features drawn for each split; auto: sqrt for classes, half of them for numbers",
            resampling: "how the rows of a tree are drawn",
            sample_share: "how many rows are drawn, as a share of those there are",
            patience: "trees over which the Brier score or squared error out of the bag must still fall",
            criterion: "what a good split lowers",
            splitter: "how a feature's split is found",
            max_depth: "splits on the longest way from root to leaf",
            max_leaves: "leaves of a tree at the most, most useful splits first",
            min_split_rows: "rows a node needs to be split",
            min_leaf_rows: "rows that each leaf must keep",
            min_leaf_weight: "weight that each leaf must keep",
            leaf_smoothing: "rows by which the class shares of a leaf are smoothed towards all rows'",
            min_gain: "what a split must lower the cost by, per unit of total weight",
            level_charge: "what naming a subset of levels costs; 1 is what noise gains",
            monotone: "columns along which the mean or the second class's share may only rise (+) or fall (-)",
            interactions: "sets of columns that may be used in one branch; the others are one set more",
            bins: "how finely numeric columns are cut",
            class_weights: "how much the rows of each class count",
            keep_rows: "keep the training rows of each leaf, for quantiles and intervals",
            permutation_importance: "whether columns are shuffled to see how much worse trees get",
        ]
    }

    fn check(&self) -> Result<()> {
        if self.n_trees == Choice::Set(0) {
            return out_of_range("n_trees", 0, "at least 1, or auto");
        }
        if self.patience == Some(0) {
            return out_of_range("patience", 0, "at least 1, or none");
        }
        if !(self.leaf_smoothing >= 0.0 && self.leaf_smoothing.is_finite()) {
            return out_of_range("leaf_smoothing", self.leaf_smoothing, "a number from 0 on");
        }
        self.resampling.check(self.sample_share)?;
        let has_rows_out = self.resampling.leaves_out(self.sample_share);
        if let (Some(patience), false) = (self.patience, has_rows_out) {
            return out_of_range("patience", patience, "none where every tree sees every row");
        }
        if self.permutation_importance && !has_rows_out {
            let expected = "false where every tree sees every row";
            return out_of_range("permutation_importance", true, expected);
        }
        self.tree(&Target::Numbers([].into())).check()
    }
}
