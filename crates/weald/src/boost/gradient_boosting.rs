//! Gradient boosting (Friedman 2001), with Newton steps (Chen & Guestrin 2016).
//!
//! The method to prefer on tables. Each round takes the gradient of a loss at the scores so far,
//! grows a tree on it, and moves the scores a little way along the tree.

use super::additive::AdditiveModel;
use super::constraints::{Interactions, Monotone};
use super::dart;
use super::goss::Goss;
use super::islr::Start;
use super::loss_choice::{LossChoice, check_fit};
use super::rounds::Boosting;
use crate::data::Sample;
use crate::error::{Error, Result};
use crate::learner::{Extras, Learner};
use crate::loss::Loss;
use crate::observer::Event;
use crate::parameter::{Parameter, Parameters, out_of_range, parameter_list};
use crate::run::Run;

/// Boosts trees along the gradient of a loss.
#[derive(Debug, Clone, PartialEq)]
pub struct GradientBoosting {
    /// What is made small.
    pub loss: LossChoice,
    /// The scores before the first tree.
    pub start: Start,
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
    /// What is added to each level's sum of second derivatives where the levels of a category are
    /// sorted: a level of few rows is drawn to the middle.
    pub level_smoothing: f64,
    /// What a split pays for each level of a category that it must name: 1 is what a level of
    /// noise gains.
    pub level_charge: f64,
    /// Rows that a level needs to be told apart; rarer ones go where missing values go.
    pub min_level_rows: usize,
    /// The share of rows that each round sees, drawn anew for each.
    pub subsample: f64,
    /// The share of rows with the largest gradients that each round keeps, and the share that it
    /// draws from the others, instead of `subsample`.
    pub goss: Option<Goss>,
    /// The share of columns that each tree sees, drawn anew for each.
    pub colsample: f64,
    /// Columns along which the score may only rise or only fall.
    pub monotone: Monotone,
    /// Sets of columns that may be used in one branch of a tree.
    pub interactions: Interactions,
    /// The share of earlier trees, at least one, that each round leaves out (DART); 0 for none.
    pub drop_rate: f64,
    /// Rounds without a better loss on held-out rows after which boosting ends; the best round is
    /// kept.
    pub early_stopping_rounds: Option<usize>,
    /// The share of rows held out for that.
    pub validation_share: f64,
}

impl Default for GradientBoosting {
    fn default() -> GradientBoosting {
        GradientBoosting {
            loss: LossChoice::Auto,
            start: Start::Best,
            n_trees: 100,
            learning_rate: 0.1,
            max_leaves: 31,
            max_depth: None,
            min_leaf_rows: 20,
            min_child_weight: 1e-3,
            min_gain: 0.0,
            l1: 0.0,
            l2: 0.0,
            level_smoothing: 10.0,
            level_charge: 1.0,
            min_level_rows: 20,
            subsample: 1.0,
            goss: None,
            colsample: 1.0,
            monotone: Monotone::default(),
            interactions: Interactions::default(),
            drop_rate: 0.0,
            early_stopping_rounds: None,
            validation_share: 0.1,
        }
    }
}

impl Learner for GradientBoosting {
    type Model = AdditiveModel;

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<AdditiveModel> {
        self.fit_with(sample, &Extras::default(), run)
    }

    fn fit_with(
        &self,
        sample: &Sample<'_>,
        extras: &Extras<'_, AdditiveModel>,
        run: &Run<'_>,
    ) -> Result<AdditiveModel> {
        self.fit_loss(&*self.loss.for_target(sample.target), sample, extras, run)
    }
}

impl GradientBoosting {
    /// Boosts along any loss, whatever the field `loss` says: one of the user's own, such as a
    /// [`CustomLoss`](crate::loss::CustomLoss).
    pub fn fit_loss(
        &self,
        loss: &dyn Loss,
        sample: &Sample<'_>,
        extras: &Extras<'_, AdditiveModel>,
        run: &Run<'_>,
    ) -> Result<AdditiveModel> {
        if let Some(extra) = extras.given() {
            return Err(Error::NotTaken { extra });
        }
        self.check()?;
        sample.check()?;
        check_fit(loss, sample.target)?;
        run.install(|| {
            let mut boosting = Boosting::start(self, loss, sample, run)?; // F_0 = argmin_c sum L(y, c)
            for round in 0..self.n_trees {
                boosting.draw(round);
                boosting.drop_trees(round);
                boosting.take_gradients(round)?; // g = dL/dF, h = d2L/dF2
                for output in 0..loss.width() {
                    let grown = boosting.grow_tree(output);
                    if run.stopped() {
                        return boosting.finish(round); // what this round has grown is not whole
                    }
                    boosting.step(output, grown?); // F += rate * tree
                }
                boosting.put_trees_back();
                run.report(&Event::Member { index: round, total: self.n_trees });
                if boosting.is_over() || run.stopped() {
                    return boosting.finish(round + 1);
                }
            }
            boosting.finish(self.n_trees)
        })
    }
}

impl Parameters for GradientBoosting {
    fn method(&self) -> &'static str {
        "gradient-boosting"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
            loss: "what is made small",
            start: "the scores before the first tree",
            n_trees: "rounds",
            learning_rate: "how far the scores move along each tree",
            max_leaves: "leaves of a tree at the most, most useful splits first",
            max_depth: "splits on the longest way from root to leaf",
            min_leaf_rows: "rows that each leaf must keep",
            min_child_weight: "sum of second derivatives that each leaf must keep",
            min_gain: "what a split must gain",
            l1: "penalty on the size of leaf values",
            l2: "penalty on their squares",
            level_smoothing: "second derivatives added to each level where levels are sorted",
            level_charge: "what naming a subset of levels costs; 1 is what noise gains",
            min_level_rows: "rows that a level needs to be told apart from missing values",
            subsample: "share of rows that each round sees",
            goss: "share of rows with the largest gradients to keep, and share of the others to draw",
            colsample: "share of columns that each tree sees",
            monotone: "columns along which the score may only rise (+) or only fall (-)",
            interactions: "sets of columns that may be used in one branch; the others are one set more",
            drop_rate: "share of earlier trees that each round leaves out (DART)",
            early_stopping_rounds: "rounds without a better held-out loss before the end",
            validation_share: "share of rows held out for early stopping",
        ]
    }

    fn check(&self) -> Result<()> {
        self.loss.check()?;
        self.monotone.check()?;
        self.interactions.check()?;
        if self.n_trees == 0 {
            return out_of_range("n_trees", 0, "at least 1");
        }
        if self.max_leaves < 2 {
            return out_of_range("max_leaves", self.max_leaves, "at least 2");
        }
        if !(self.learning_rate > 0.0 && self.learning_rate.is_finite()) {
            return out_of_range("learning_rate", self.learning_rate, "a number above 0");
        }
        if self.min_leaf_rows == 0 {
            return out_of_range("min_leaf_rows", 0, "at least 1");
        }
        if self.min_level_rows == 0 {
            return out_of_range("min_level_rows", 0, "at least 1");
        }
        for (name, share) in [("subsample", self.subsample), ("colsample", self.colsample)] {
            if !(share > 0.0 && share <= 1.0) {
                return out_of_range(name, share, "a share above 0 and at most 1");
            }
        }
        if let Some(goss) = self.goss {
            goss.check()?;
            if self.subsample < 1.0 {
                return out_of_range("subsample", self.subsample, "1 where goss draws the rows");
            }
        }
        if !(self.validation_share > 0.0 && self.validation_share < 1.0) {
            return out_of_range("validation_share", self.validation_share, "between 0 and 1");
        }
        if self.early_stopping_rounds == Some(0) {
            return out_of_range("early_stopping_rounds", 0, "at least 1, or none");
        }
        if !(0.0..=1.0).contains(&self.drop_rate) {
            return out_of_range("drop_rate", self.drop_rate, "between 0 and 1");
        }
        if self.drop_rate > 0.0 && self.early_stopping_rounds.is_some() {
            // The trees of the best round are scaled in later ones.
            let expected = "0 with early_stopping_rounds, which would need the trees as they were";
            return out_of_range("drop_rate", self.drop_rate, expected);
        }
        if self.drop_rate > 0.0 && self.max_leaves > dart::MOST_LEAVES {
            let expected = format!("at most {} where drop_rate is above 0", dart::MOST_LEAVES);
            return out_of_range("max_leaves", self.max_leaves, &expected);
        }
        for (name, value) in [
            ("min_child_weight", self.min_child_weight),
            ("min_gain", self.min_gain),
            ("l1", self.l1),
            ("l2", self.l2),
            ("level_smoothing", self.level_smoothing),
            ("level_charge", self.level_charge),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return out_of_range(name, value, "at least 0");
            }
        }
        Ok(())
    }
}
