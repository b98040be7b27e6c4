//! A single decision tree (Breiman, Friedman, Olshen & Stone 1984; Quinlan 1993).
//!
//! The member of every tree ensemble, and the model to prefer when a person must read it. As a
//! predictor alone it is beaten by any forest or booster.

use std::sync::Arc;

use super::constraints::Constraints;
use super::criterion::{self, Bounded, Valued};
use super::features::FeatureCount;
use super::frontier::{Frontier, Growth};
use super::grow::{Grower, Memory};
use super::grown::Grown;
use super::interactions::Interactions;
use super::limits::Limits;
use super::model::TreeModel;
use super::monotone::Monotone;
use super::parts::Parts;
use super::prune::Pruning;
use super::search::Search;
use super::statistic::fixed_point::IntegerWeights;
use super::statistic::{
    ClassCounts, CountSum, CountedPair, Entry, PackedPair, PairSum, SeveralCounts, SeveralPairs,
    Statistic, WidePair,
};
use super::stump_rounds::StumpRounds;
use super::suspects::report_suspects;
use super::values::put_values;
use crate::data::{
    Bins, ClassLabels, Distribution, Rescaled, Resolution, Sample, SeveralLabels, SeveralNumbers,
    Table, Target,
};
use crate::error::{Error, Result};
use crate::learner::{Learner, Refit, Scalable, fit_anew};
use crate::model::Output;
use crate::observer::Event;
use crate::parameter::{Parameter, Parameters, Value, named_values, out_of_range, parameter_list};
use crate::run::Run;

/// Rows up to which numbers keep all their digits while a tree grows.
const WIDE_ROWS: usize = 1 << 17;
/// Rows from which numbers that are drawn with replacement are packed with their counts.
const COUNTED_ROWS: usize = 1 << 13;
/// Rows up to which numeric columns get a bin for each distinct value, where not told otherwise.
const EXACT_ROWS: usize = 100_000;

/// Grows one tree.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionTree {
    /// What a good split lowers.
    pub criterion: Criterion,
    /// How a feature's split is found.
    pub splitter: Splitter,
    /// Splits on the longest way from the root to a leaf.
    pub max_depth: Option<usize>,
    /// Leaves at the most; the most useful splits are made first.
    pub max_leaves: Option<usize>,
    /// Rows a node needs to be split.
    pub min_split_rows: usize,
    /// Rows that each child must keep.
    pub min_leaf_rows: usize,
    /// Weight that each child must keep.
    pub min_leaf_weight: f64,
    /// What a split must lower the cost by, as a share of the total weight.
    pub min_gain: f64,
    /// What a split pays for each level of a category that it must name: 1 is what a level of noise
    /// gains, 0 is CART.
    pub level_charge: f64,
    /// How many features a node chooses from; they are drawn for each node.
    pub max_features: FeatureCount,
    /// Columns along which the mean, or the share of the second class, may only rise or only fall.
    pub monotone: Monotone,
    /// Sets of columns that may be used in one branch.
    pub interactions: Interactions,
    /// What is cut back after growing.
    pub pruning: Pruning,
    /// How finely numeric columns are cut before growing.
    pub bins: BinChoice,
}

/// What a good split lowers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// Gini for classes, variance for numbers.
    Auto,
    /// Gini impurity.
    Gini,
    /// Entropy (information gain).
    Entropy,
    /// Information gain by the information of the split itself, as in C4.5.
    GainRatio,
    /// The misclassified weight: the weak learner of AdaBoost's theory.
    Error,
    /// Variance around the mean.
    Variance,
}
named_values!(Criterion {
    Auto = "auto",
    Gini = "gini",
    Entropy = "entropy",
    GainRatio = "gain-ratio",
    Error = "error",
    Variance = "variance",
});

/// How a feature's split is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Splitter {
    /// The best of all split points.
    Best,
    /// The best feature at one uniformly drawn split point each, as in extra trees.
    RandomCut,
    /// A random feature at a random split point, whatever the target: a completely random tree.
    Isolating,
}
named_values!(Splitter { Best = "best", RandomCut = "random-cut", Isolating = "isolating" });

/// How finely numeric columns are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinChoice {
    /// Exact up to 100,000 rows, fast above.
    Auto,
    /// At most 255 bins a column.
    Fast,
    /// At most 16,320 bins a column, of which a node looks at no more than 255 at a time: those of
    /// its own range.
    Fine,
    /// A bin for each distinct value, up to 65,535.
    Exact,
}
named_values!(BinChoice { Auto = "auto", Fast = "fast", Fine = "fine", Exact = "exact" });

impl BinChoice {
    /// The resolution for a table of `n_rows`.
    pub fn resolution(self, n_rows: usize) -> Resolution {
        match self {
            BinChoice::Exact => Resolution::Exact,
            BinChoice::Fine => Resolution::Fine,
            BinChoice::Auto if n_rows <= EXACT_ROWS => Resolution::Exact,
            BinChoice::Auto | BinChoice::Fast => Resolution::Fast,
        }
    }
}

impl Default for DecisionTree {
    fn default() -> DecisionTree {
        DecisionTree {
            criterion: Criterion::Auto,
            splitter: Splitter::Best,
            max_depth: None,
            max_leaves: None,
            min_split_rows: 2,
            min_leaf_rows: 1,
            min_leaf_weight: 0.0,
            min_gain: 0.0,
            level_charge: 0.0,
            max_features: FeatureCount::All,
            monotone: Monotone::default(),
            interactions: Interactions::default(),
            pruning: Pruning::None,
            bins: BinChoice::Auto,
        }
    }
}

impl DecisionTree {
    /// A tree like C4.5's: gain ratio, cuts between all values, at least two rows a leaf, error-based
    /// pruning.
    pub fn c45() -> DecisionTree {
        DecisionTree {
            criterion: Criterion::GainRatio,
            min_leaf_rows: 2,
            pruning: Pruning::ErrorBased { confidence: 0.25 },
            bins: BinChoice::Exact,
            ..DecisionTree::default()
        }
    }
}

impl Learner for DecisionTree {
    type Model = TreeModel;

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<TreeModel> {
        self.check()?;
        sample.check_targets()?;
        let Some(Rescaled { target, exponent }) = Rescaled::of(sample) else {
            return self.fit_usual(sample, run);
        };
        // What is given in squares of the target's unit goes with it.
        let squared = |x: f64| libm::ldexp(x, -2 * exponent).min(f64::MAX);
        let pruning = match self.pruning {
            Pruning::CostComplexity { alpha } => Pruning::CostComplexity { alpha: squared(alpha) },
            other => other,
        };
        let usual = DecisionTree { min_gain: squared(self.min_gain), pruning, ..self.clone() };
        let mut model = usual.fit_usual(&Sample { target: &target, ..*sample }, run)?;
        model.multiply(exponent);
        Ok(model)
    }

    fn prepare(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<()> {
        self.prepared(sample, run).map(|_| ())
    }

    fn fit_pairs(
        &self,
        sample: &Sample<'_>,
        pairs: &Distribution,
        run: &Run<'_>,
    ) -> Result<TreeModel> {
        self.check()?;
        sample.check()?;
        self.of_pairs(sample, pairs, run)
    }

    fn refits<'a>(
        &'a self,
        sample: &Sample<'a>,
        run: &Run<'_>,
    ) -> Result<Box<dyn Refit<TreeModel> + 'a>> {
        match StumpRounds::of(self, sample, run)? {
            Some(rounds) => Ok(Box::new(rounds)),
            None => Ok(fit_anew(self, sample)),
        }
    }
}

impl DecisionTree {
    /// The tree of targets that are neither extremely large nor extremely small.
    fn fit_usual(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<TreeModel> {
        let constraints = self.constraints(sample)?;
        run.install(|| {
            let bins = self.prepared(sample, run)?;
            run.report(&Event::Stage { name: "growing" });
            let grown = self.grow(sample, (&bins, &constraints), run)?;
            let tree = put_values(grown, sample, self.criterion, &constraints);
            Ok(TreeModel {
                tree: self.pruning.prune(tree, sample.target)?,
                schema: sample.table.schema().clone(),
                output: Output::of(sample.target),
            })
        })
    }

    /// The bins, once the input has been looked at.
    pub(super) fn prepared(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<Arc<Bins>> {
        let resolution = self.bins.resolution(sample.n_rows());
        let bins = sample.table.bins(resolution, run)?;
        report_suspects(sample, &bins, run);
        Ok(bins)
    }

    /// What the tree of a sample must respect.
    pub fn constraints(&self, sample: &Sample<'_>) -> Result<Constraints> {
        match sample.target {
            Target::Classes(labels) if labels.n_classes() > 2 && !self.monotone.is_none() => {
                Monotone::refuse(
                    "more than two classes",
                    "leave monotone out, or tell one class from all others",
                )
            }
            Target::Several(_) if !self.monotone.is_none() => Monotone::refuse(
                "several numbers",
                "leave monotone out, or predict one number at a time",
            ),
            Target::SeveralClasses(_) if !self.monotone.is_none() => Monotone::refuse(
                "several classes",
                "leave monotone out, or predict one class at a time",
            ),
            _ => Constraints::of(sample.table, &self.monotone, &self.interactions),
        }
    }

    /// Grows the tree's shape: the task decides how rows are summed, the criterion what a split
    /// is worth.
    pub fn grow(
        &self,
        sample: &Sample<'_>,
        (bins, constraints): (&Bins, &Constraints),
        run: &Run<'_>,
    ) -> Result<Grown> {
        let weights = &IntegerWeights::of(sample.weights, sample.n_rows())?;
        let task = Task { tree: self, table: sample.table, bins, constraints, run, weights };
        match (sample.target, self.criterion) {
            (Target::Classes(labels), Criterion::Auto | Criterion::Gini) => {
                task.classes(labels, &criterion::Gini)
            }
            (Target::Classes(labels), Criterion::Entropy) => {
                task.classes(labels, &criterion::Entropy)
            }
            (Target::Classes(labels), Criterion::GainRatio) => {
                task.classes(labels, &criterion::GainRatio)
            }
            (Target::Classes(labels), Criterion::Error) => {
                task.classes(labels, &criterion::Misclassified)
            }
            (Target::SeveralClasses(several), Criterion::Auto | Criterion::Gini) => {
                task.several_classes(several, &criterion::Gini)
            }
            (Target::SeveralClasses(several), Criterion::Entropy) => {
                task.several_classes(several, &criterion::Entropy)
            }
            (Target::SeveralClasses(several), Criterion::GainRatio) => {
                task.several_classes(several, &criterion::GainRatio)
            }
            (Target::SeveralClasses(several), Criterion::Error) => {
                task.several_classes(several, &criterion::Misclassified)
            }
            (Target::Numbers(values), Criterion::Auto | Criterion::Variance) => {
                task.numbers(values)
            }
            (Target::Several(several), Criterion::Auto | Criterion::Variance) => {
                task.several(several)
            }
            (Target::Classes(_) | Target::SeveralClasses(_), Criterion::Variance) => wrong_task(
                "variance",
                "numbers",
                "classes",
                "use gini, entropy, gain-ratio or error",
            ),
            (Target::Numbers(_) | Target::Several(_), other) => wrong_task(
                &other.show(),
                "classes",
                sample.target.words(),
                "use the criterion variance (the method decision-tree does)",
            ),
        }
    }
}

/// One tree's task: what `grow` needs, whatever the statistic.
struct Task<'a, 'r> {
    tree: &'a DecisionTree,
    table: &'a Table,
    bins: &'a Bins,
    constraints: &'a Constraints,
    run: &'a Run<'r>,
    weights: &'a IntegerWeights,
}

impl Task<'_, '_> {
    fn classes<C>(&self, labels: &ClassLabels, criterion: &C) -> Result<Grown>
    where
        C: Valued<PairSum> + Valued<CountSum>,
    {
        let packed = match labels.n_classes() {
            2 => PackedPair::two_classes(labels.codes(), self.weights),
            _ => None,
        };
        match packed {
            Some((pairs, entries)) => self.grow(&pairs, entries, criterion, 1.0),
            None => {
                let n_classes = labels.n_classes();
                let counts = ClassCounts::new(labels.codes(), n_classes, self.weights.clone());
                self.grow(&counts, counts.entries(), criterion, 1.0)
            }
        }
    }

    fn numbers(&self, values: &[f64]) -> Result<Grown> {
        if self.weights.largest > 1
            && values.len() >= COUNTED_ROWS
            && let Some((pairs, unit, entries)) = CountedPair::numbers(values, self.weights)
        {
            return self.grow(&pairs, entries, &criterion::Variance, unit * unit);
        }
        let packed = match values.len() {
            0..WIDE_ROWS => None,
            _ => PackedPair::numbers(values, self.weights),
        };
        match packed {
            Some((pairs, unit, entries)) => {
                self.grow(&pairs, entries, &criterion::Variance, unit * unit)
            }
            None => {
                let (pairs, unit) = WidePair::numbers(values, self.weights.clone());
                self.grow(&pairs, pairs.entries(), &criterion::Variance, unit * unit)
            }
        }
    }

    fn several_classes<C>(&self, several: &SeveralLabels, criterion: &C) -> Result<Grown>
    where
        C: criterion::Criterion<CountSum>,
    {
        let counts = SeveralCounts::new(several, self.weights.clone());
        // A split must lower the mean over outputs; the criterion has their sum.
        let cost_unit = 1.0 / several.n_outputs() as f64;
        self.grow_by(&counts, counts.entries(), &criterion::Summed(*criterion), cost_unit)
    }

    fn several(&self, several: &SeveralNumbers) -> Result<Grown> {
        let (numbers, unit, entries) = SeveralPairs::new(several, self.weights);
        let criterion = criterion::SeveralVariances { factors: numbers.factors() };
        // A split must lower the mean over outputs; the criterion has their sum.
        let cost_unit = unit * unit / several.n_outputs() as f64;
        self.grow_by(&numbers, entries, &criterion, cost_unit)
    }

    /// Grows the tree, given what a unit of the criterion's cost is.
    fn grow<T: Statistic, C: Valued<T::Sum>>(
        &self,
        statistic: &T,
        entries: Vec<Entry>,
        criterion: &C,
        cost_unit: f64,
    ) -> Result<Grown> {
        match self.constraints.have_directions() {
            true => self.grow_by(statistic, entries, &Bounded::new(*criterion), cost_unit),
            false => self.grow_by(statistic, entries, criterion, cost_unit),
        }
    }

    fn grow_by<T: Statistic, C: criterion::Criterion<T::Sum>>(
        &self,
        statistic: &T,
        entries: Vec<Entry>,
        criterion: &C,
        cost_unit: f64,
    ) -> Result<Grown> {
        let tree = self.tree;
        let limits = Limits {
            max_depth: tree.max_depth.unwrap_or(usize::MAX),
            min_split_rows: tree.min_split_rows as u64,
            min_leaf_rows: tree.min_leaf_rows as u64,
            min_leaf_weight: tree.min_leaf_weight / self.weights.unit,
            min_level_rows: 1,
            min_gain: tree.min_gain * self.weights.total as f64 / cost_unit,
        };
        let frontier = match tree.max_leaves {
            None => Frontier::DepthFirst,
            Some(max_leaves) => Frontier::InOrder { growth: Growth::LeafWise, max_leaves },
        };
        let features: Vec<usize> = (0..self.table.n_columns()).collect();
        let n_features = tree.max_features.of(features.len());
        let mut search = Search::new(
            (self.table, self.bins),
            (statistic, criterion),
            tree.splitter,
            (&features, n_features),
            (&limits, self.constraints),
        );
        search.level_charge = tree.level_charge;
        Grower::grow(search, frontier, self.run, Parts::whole(entries), &mut Memory::default())
    }
}

fn wrong_task<R>(
    criterion: &str,
    expected: &'static str,
    found: &'static str,
    hint: &'static str,
) -> Result<R> {
    Err(Error::WrongTask { method: format!("the criterion {criterion}"), expected, found, hint })
}

impl Parameters for DecisionTree {
    fn method(&self) -> &'static str {
        "decision-tree"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
            criterion: "what a good split lowers",
            splitter: "how a feature's split is found",
            max_depth: "splits on the longest way from root to leaf",
            max_leaves: "leaves at the most, most useful splits first",
            min_split_rows: "rows a node needs to be split",
            min_leaf_rows: "rows that each child must keep",
            min_leaf_weight: "weight that each child must keep",
            min_gain: "what a split must lower the cost by, per unit of total weight",
            level_charge: "what naming a subset of levels costs; 1 is what noise gains",
            max_features: "features drawn for each node",
            monotone: "columns along which the mean or the second class's share may only rise (+) or fall (-)",
            interactions: "sets of columns that may be used in one branch; the others are one set more",
            pruning: "what is cut back after growing",
            bins: "how finely numeric columns are cut",
        ]
    }

    fn check(&self) -> Result<()> {
        if self.max_leaves == Some(0) {
            return out_of_range("max_leaves", 0, "at least 1, or none");
        }
        if self.min_leaf_rows == 0 {
            return out_of_range("min_leaf_rows", 0, "at least 1");
        }
        if !(self.min_leaf_weight >= 0.0 && self.min_leaf_weight.is_finite()) {
            return out_of_range("min_leaf_weight", self.min_leaf_weight, "at least 0");
        }
        if !(self.min_gain >= 0.0 && self.min_gain.is_finite()) {
            return out_of_range("min_gain", self.min_gain, "at least 0");
        }
        if !(self.level_charge >= 0.0 && self.level_charge.is_finite()) {
            return out_of_range("level_charge", self.level_charge, "at least 0");
        }
        self.max_features.check()?;
        self.monotone.check()?;
        self.interactions.check()?;
        self.pruning.check()
    }
}
