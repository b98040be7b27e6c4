//! What gradient boosting chooses by the data, where a parameter says `auto`.
//!
//! A value that is given is never touched. Choices depend on how much there is to learn from, not on
//! its order nor on how copies of a row are told, and never on the machine. `bench/record/study_trials.md`
//! has the experiments.

use super::additive::AdditiveModel;
use super::gradient_boosting::GradientBoosting;
use super::held_out::HoldOut;
use super::target_statistics::TargetStatistics;
use super::targets::Targets;
use crate::data::{Column, Sample};
use crate::error::Result;
use crate::learner::Extras;
use crate::loss::{LeafRule, Link, Loss, Together};
use crate::model::Output;
use crate::parameter::{Choice, out_of_range};
use crate::tree::Growth;

/// Rows from which trees are larger, and the leaves of those for fewer and for more. Few rows are
/// better smoothed by small trees, which also take less time; many have more to tell.
const MANY_ROWS: usize = 10_000;
const FEW_ROWS_LEAVES: usize = 16;
const MANY_ROWS_LEAVES: usize = 31;

/// The leaves of trees that ask one question a level: six levels. What four columns tell together takes four
/// of them at the least, and questions that all nodes of a level share fit no more noise for being many.
const OBLIVIOUS_LEAVES: usize = 64;
const OBLIVIOUS_SORTING_LEAVES: usize = 16;

/// Of so many runs one grows leaf-wise, the first of them, where others grow oblivious trees.
const LEAF_WISE_OF: usize = 3;

/// The share of columns that may be categories where others do. Levels are sorted once for all nodes of a
/// level, and what a category tells in one node is not what it tells in another.
const MOST_CATEGORIES: f64 = 0.25;

/// From so many classes on a tree has a value for each of them. Classes that are many have much in
/// common: what a split finds out for one helps to tell the others, and a tree for each would be
/// grown on few rows of its class.
const MANY_CLASSES: usize = 6;

/// How far scores move along a tree. A mean of runs bears longer steps than one run, and fewer rounds
/// take less time; a tree that all classes share fits none of them best, and its steps are shorter.
const RATE: f64 = 0.15;
const SHARED_RATE: f64 = 0.1;

/// Where rows are sorted within queries, pairs of a few say much of one another and nothing of the
/// level: small trees, short steps and no penalty.
const SORTING_LEAVES: usize = 8;
const SORTING_RATE: f64 = 0.07;

/// Rounds to wait for a better loss. Where rows are sorted it is a step function of few queries: it
/// falls late and by leaps, and any fall counts.
const PATIENCE: usize = 30;
const SORTING_PATIENCE: usize = 100;

/// The weight by which leaves are smoothed, in rows: they weigh what rows do, so that weights may be in
/// any unit. Of several classes each has its own second derivative, which before the first round is
/// `(K - 1) / K^2`, a quarter for two: so the penalty is as many rows for many classes as for two.
const L2_ROWS: f64 = 1.0;

/// Levels of fewer rows than so many times those that a subset split needs are rare: few nodes below the
/// root still tell them apart. A column needs target statistics if this share of its rows is in such.
const RARE: f64 = 2.0;
const RARE_SHARE: f64 = 0.1;

/// Target statistics are worth a column if at least this share of what they tell is the levels' own, not
/// chance: columns of noise, and those whose levels say little, are better left to subset splits.
const LEAST_RELIABILITY: f64 = 0.5;

/// The sum of second derivatives that a leaf must keep, in rows. Leaves of rows that are all but certain
/// have hardly any, and their values would be of any size.
const CHILD_ROWS: f64 = 1e-3;

/// Rows that each leaf keeps.
const LEAF_ROWS: usize = 3;

/// Where a leaf's value is a quantile of its rows, so many of them are beyond it on the mean, on the
/// side where fewer are; at least so many rows are in a leaf, and at most this share of all need be.
/// The least of three rows is no quantile of level 0.1: a quarter of new rows are below it. Trees of
/// such leaves draw the scores of the rows trained on to these rows, and new ones are not covered.
const ROWS_BEYOND: f64 = 2.0;
const QUANTILE_ROWS: f64 = 10.0;
const QUANTILE_SHARE: f64 = 0.125;

/// A quantile is corrected if so many of the rows held out are beyond it on the mean. The median is
/// where it should be: too few rows are between quantiles, and as many on each side.
const CORRECTING_ROWS: f64 = 5.0;

/// The share of rows that each round sees.
const ROW_SHARE: f64 = 0.8;

/// The share of columns that a tree sees, the share of those that a node looks at, and the least number
/// of each. Trees that differ average better, but what several columns tell together is found only by a
/// tree that sees them all, at a node that looks at one below a node that has looked at another.
const COLUMN_SHARE: f64 = 0.7;
const LEAST_COLUMNS: usize = 12;
const NODE_SHARE: f64 = 0.7;
const LEAST_NODE_COLUMNS: usize = 8;

/// Rounds from which columns are drawn. Fewer must each learn what they can.
const FEW_ROUNDS: usize = 300;

/// Up to so many cells (rows by columns by scores) the model is the mean of so many runs. A mean
/// gains most where there is little to learn from, and there it takes no time; with more cells a run
/// takes long and leaves less to gain.
const RUNS_BY_CELLS: [(usize, usize); 4] =
    [(50_000, 8), (200_000, 5), (1_000_000, 3), (5_000_000, 2)];

impl GradientBoosting {
    /// These settings with trees and leaves decided; that of a model to go on from stays.
    pub(super) fn decided(
        &self,
        loss: &dyn Loss,
        sample: &Sample<'_>,
        continued: Option<&AdditiveModel>,
    ) -> GradientBoosting {
        let sorts = loss.output(sample.target) == Output::Ranking;
        let leaves = || match n_rows(sample) {
            _ if self.growth == Choice::Set(Growth::Oblivious) => oblivious_leaves(sorts),
            _ if sorts => SORTING_LEAVES,
            ..MANY_ROWS => FEW_ROWS_LEAVES,
            _ => MANY_ROWS_LEAVES,
        };
        let has_vectors = || match continued.and_then(AdditiveModel::tree_width) {
            Some(width) => width > 1,
            None if loss.n_targets() > 1 => !self.linear_leaves,
            None => {
                loss.link() == Link::Softmax && loss.width() >= MANY_CLASSES && !self.linear_leaves
            }
        };
        let l2 = || match sorts {
            // The second derivatives of pairs are of any size, most of them next to nothing.
            true => 0.0,
            false => L2_ROWS * sample.mean_weight() * loss.curvature(),
        };
        let child_weight = || CHILD_ROWS * sample.mean_weight();
        // A draw that is given is the only one.
        let draws_columns = (self.colsample, self.node_colsample) == (Choice::Auto, Choice::Auto)
            && self.n_trees >= FEW_ROUNDS;
        let vector_leaves = self.vector_leaves.given().unwrap_or_else(has_vectors);
        let rate = || match vector_leaves {
            _ if sorts => SORTING_RATE,
            true => SHARED_RATE,
            false => RATE,
        };
        GradientBoosting {
            learning_rate: self.learning_rate.given().unwrap_or_else(rate).into(),
            min_child_weight: self.min_child_weight.given().unwrap_or_else(child_weight).into(),
            early_stopping_rounds: match self.early_stopping_rounds {
                Choice::Auto if sorts => Choice::Set(Some(SORTING_PATIENCE)),
                given => given,
            },
            l2: self.l2.given().unwrap_or_else(l2).into(),
            max_leaves: self.max_leaves.given().unwrap_or_else(leaves).into(),
            vector_leaves: vector_leaves.into(),
            growth: match self.max_leaves {
                Choice::Auto if !self.linear_leaves && has_few_categories(sample) => self.growth,
                _ => self.way_of_growth().into(),
            },
            colsample: if draws_columns { Choice::Auto } else { self.column_share().into() },
            node_colsample: if draws_columns { Choice::Auto } else { self.node_share().into() },
            ..self.clone()
        }
    }

    /// How many runs the model is to be the mean of. Where the user says what is held out, or that
    /// nothing is, or goes on from a model, that is one run.
    pub(super) fn wanted_runs(
        &self,
        loss: &dyn Loss,
        sample: &Sample<'_>,
        extras: &Extras<'_, AdditiveModel>,
    ) -> usize {
        let is_free = self.patience().is_some()
            && self.validation == HoldOut::Auto
            && self.drop_rate == 0.0
            && extras.validation.is_none()
            && extras.continued.is_none();
        match self.n_runs {
            Choice::Set(n_runs) => n_runs,
            Choice::Auto if is_free => {
                runs_for(n_rows(sample).saturating_mul(sample.table.n_columns() * loss.width()))
            }
            Choice::Auto => 1,
        }
    }

    /// The settings of each of the runs whose mean is the model, once the others are decided. Trees that split
    /// leaf by leaf follow what is local, and trees that ask one question a level find what columns tell only
    /// together, among many that tell nothing; their mean has less of the faults of either.
    pub(super) fn of_runs(&self, n_runs: usize, sorts: bool) -> Vec<GradientBoosting> {
        let leaves = oblivious_leaves(sorts);
        let of_run = |run: usize| match self.growth {
            Choice::Auto if !run.is_multiple_of(LEAF_WISE_OF) => GradientBoosting {
                growth: Growth::Oblivious.into(),
                max_leaves: leaves.into(),
                ..self.clone()
            },
            _ => self.clone(),
        };
        (0..n_runs).map(of_run).collect()
    }

    /// In what order a tree grows, where that is not the affair of each run.
    pub(super) fn way_of_growth(&self) -> Growth {
        self.growth.given().unwrap_or(Growth::LeafWise)
    }

    /// The columns whose levels have target statistics. A linear leaf has no column to be linear in that
    /// a model does not know of, and where rows have a loss together a target says little by itself.
    pub(super) fn target_statistics(
        &self,
        loss: &dyn Loss,
        sample: &Sample<'_>,
    ) -> Result<TargetStatistics> {
        let is_joint = || -> Result<bool> {
            let targets = Targets::of(sample.target).all();
            let together =
                Together { targets: &targets, weights: sample.weights, groups: sample.groups };
            Ok(loss.joint(&together)?.is_some())
        };
        let has_levels = sample.table.columns().iter().any(|c| matches!(c, Column::Categorical(_)));
        let wanted = match self.target_statistics {
            _ if !has_levels => false.into(),
            Choice::Set(true) if loss.n_targets() > 1 => {
                return out_of_range(
                    "target_statistics",
                    true,
                    "false or auto where rows have several targets",
                );
            }
            _ if loss.n_targets() > 1 => false.into(),
            Choice::Auto if self.linear_leaves || is_joint()? => false.into(),
            given => given,
        };
        TargetStatistics::choose(wanted, self.min_level_rows, sample, loss.width())
    }

    /// What is added to the second derivatives of a leaf, once that is decided.
    pub(super) fn l2(&self) -> f64 {
        self.l2.given().unwrap_or(L2_ROWS)
    }

    /// How far scores move along a tree, once that is decided.
    pub(super) fn rate(&self) -> f64 {
        self.learning_rate.given().unwrap_or(RATE)
    }

    /// The second derivatives that a leaf must keep, once that is decided.
    pub(super) fn min_child_weight(&self) -> f64 {
        self.min_child_weight.given().unwrap_or(CHILD_ROWS)
    }

    /// Rows that each leaf keeps in trees whose leaves are found by this rule, of so many rows.
    pub(super) fn leaf_rows(&self, rule: LeafRule, n_rows: usize) -> usize {
        let by_itself = || match rule {
            LeafRule::Quantile(level) => {
                let wanted = (ROWS_BEYOND / level.min(1.0 - level)).round().max(QUANTILE_ROWS);
                wanted.min((QUANTILE_SHARE * n_rows as f64).floor()).max(LEAF_ROWS as f64) as usize
            }
            LeafRule::Newton | LeafRule::Huber(_) | LeafRule::HalfLogOdds => LEAF_ROWS,
        };
        self.min_leaf_rows.given().unwrap_or_else(by_itself)
    }

    /// Whether a quantile of this level is corrected by so many held-out rows.
    pub(super) fn corrects(&self, level: f64, n_held_out: usize) -> bool {
        let tail = level.min(1.0 - level);
        let by_itself = || tail < 0.5 && tail * n_held_out as f64 >= CORRECTING_ROWS;
        self.conformal.given().unwrap_or_else(by_itself)
    }

    /// Rounds to wait for a better loss; `None` to go on to the end.
    pub(super) fn patience(&self) -> Option<usize> {
        self.early_stopping_rounds.given().unwrap_or(Some(PATIENCE))
    }

    /// Whether a loss that hardly falls is as good as one that does not.
    pub(super) fn wants_gain(&self) -> bool {
        self.early_stopping_rounds == Choice::Auto
    }

    /// The share of rows that is drawn for each round.
    pub(super) fn row_share(&self) -> f64 {
        let by_itself = || if self.goss.is_some() { 1.0 } else { ROW_SHARE };
        self.subsample.given().unwrap_or_else(by_itself)
    }

    /// Whether rounds see other rows than all.
    pub(super) fn draws_rows(&self) -> bool {
        self.row_share() < 1.0 || self.goss.is_some()
    }

    /// How many of so many columns a tree sees, once it is decided whether columns are drawn.
    pub(super) fn n_seen(&self, n_columns: usize) -> usize {
        match self.colsample {
            Choice::Set(share) => share_of(share, n_columns),
            Choice::Auto => share_of(COLUMN_SHARE, n_columns).max(LEAST_COLUMNS).min(n_columns),
        }
    }

    /// How many of its tree's columns a node looks at, once it is decided whether columns are drawn.
    pub(super) fn n_looked_at(&self, n_columns: usize) -> usize {
        match self.node_colsample {
            Choice::Set(share) => share_of(share, n_columns),
            Choice::Auto => share_of(NODE_SHARE, n_columns).max(LEAST_NODE_COLUMNS).min(n_columns),
        }
    }

    /// The share of columns that a tree sees, if it is given.
    pub(super) fn column_share(&self) -> f64 {
        self.colsample.given().unwrap_or(1.0)
    }

    /// The share of a tree's columns that a node looks at, if it is given.
    pub(super) fn node_share(&self) -> f64 {
        self.node_colsample.given().unwrap_or(1.0)
    }

    /// How many leaves a tree may have, once that is decided.
    pub(super) fn leaves(&self) -> usize {
        self.max_leaves.given().unwrap_or(MANY_ROWS_LEAVES)
    }
}

/// Whether levels of so many rows each are too rare for subset splits.
pub(super) fn has_rare_levels(rows: &[f64], min_level_rows: usize) -> bool {
    let (mut rare, mut all) = (0.0, 0.0);
    for &n in rows {
        all += n;
        rare += if n < RARE * min_level_rows as f64 { n } else { 0.0 };
    }
    rare > RARE_SHARE * all
}

/// Whether target statistics of this reliability are worth a column.
pub(super) fn tells_enough(reliability: f64) -> bool {
    reliability >= LEAST_RELIABILITY
}

/// Whether few enough columns are categories for oblivious trees to be worth it.
fn has_few_categories(sample: &Sample<'_>) -> bool {
    let columns = sample.table.columns();
    let n = columns.iter().filter(|column| matches!(column, Column::Categorical(_))).count();
    n as f64 <= MOST_CATEGORIES * columns.len() as f64
}

fn oblivious_leaves(sorts: bool) -> usize {
    if sorts { OBLIVIOUS_SORTING_LEAVES } else { OBLIVIOUS_LEAVES }
}

/// Rows that weigh something, each as often as it stands there.
fn n_rows(sample: &Sample<'_>) -> usize {
    let copies = |row: usize| match sample.weights.copies(row) {
        (n, weight) if weight > 0.0 => n as usize,
        _ => 0,
    };
    (0..sample.n_rows()).map(copies).sum()
}

fn runs_for(cells: usize) -> usize {
    RUNS_BY_CELLS.iter().find(|(most, _)| cells <= *most).map_or(1, |(_, n_runs)| *n_runs)
}

/// A share of so many columns, at least one; a share that is `k / n_columns` in floating point is `k`.
fn share_of(share: f64, n_columns: usize) -> usize {
    ((share * n_columns as f64 - 1e-9).ceil() as usize).clamp(1, n_columns.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_of_quantiles_keep_rows_enough_to_have_one() {
        let by_itself = |level, n_rows| {
            GradientBoosting::default().leaf_rows(LeafRule::Quantile(level), n_rows)
        };
        assert_eq!(
            [0.01, 0.1, 0.5, 0.9, 0.95].map(|q| by_itself(q, 10_000)),
            [200, 20, 10, 20, 40]
        );
        assert_eq!([3, 50, 100, 160].map(|n| by_itself(0.1, n)), [3, 6, 12, 20], "of few rows");
        assert_eq!(GradientBoosting::default().leaf_rows(LeafRule::Newton, 10_000), 3);
        let given = GradientBoosting { min_leaf_rows: 1.into(), ..GradientBoosting::default() };
        assert_eq!(given.leaf_rows(LeafRule::Quantile(0.1), 10_000), 1);
    }
}
