//! The hyper-parameters of gradient boosting, with their names, meanings and ranges.

use super::dart;
use super::gradient_boosting::GradientBoosting;
use crate::error::Result;
use crate::parameter::{Choice, Parameter, Parameters, out_of_range, parameter_list};

impl Parameters for GradientBoosting {
    fn method(&self) -> &'static str {
        "gradient-boosting"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
            loss: "what is made small",
            start: "the scores before the first tree",
            n_trees: "rounds at the most; as a rule early stopping ends before",
            learning_rate: "how far the scores move along each tree; auto: 0.15, 0.1 with vector leaves, 0.07 to sort",
            growth: "the order in which a tree grows; auto: leaf-wise, oblivious in two of three of several runs if few columns are categories",
            max_leaves: "leaves of a tree at the most; auto: 16, 31 from 10,000 rows on, 8 to sort, 64 if oblivious",
            max_depth: "splits on the longest way from root to leaf",
            min_leaf_rows: "rows that each leaf must keep; auto: 3, more for quantiles, 20 for the level 0.1",
            min_child_weight: "sum of second derivatives that each leaf must keep; auto: 0.001 of a row's weight",
            min_gain: "what a split must gain",
            l1: "penalty on the size of leaf values",
            l2: "penalty on their squares; auto: the weight of a row, for K classes times 4(K-1)/K²; 0 to sort",
            linear_leaves: "whether leaves are linear in the numbers split on above them",
            linear_l2: "penalty on squared slopes of linear leaves, by standard deviations",
            level_smoothing: "second derivatives added to each level where levels are sorted",
            level_charge: "what naming a subset of levels costs; 1 is what noise gains",
            min_level_rows: "rows that a level needs to be told apart from missing values",
            target_statistics: "whether levels are also told by their mean target; auto: where many are rare",
            bins: "how finely columns of numbers are cut; auto: exact up to 100,000 rows",
            subsample: "share of rows that each round sees; auto: 0.8, or 1 where goss draws them",
            goss: "share of rows with the largest gradients to keep, and share of the others to draw",
            colsample: "share of columns that each tree sees; auto: 0.7, but 12 columns and more, or all for few rounds",
            node_colsample: "share of those that each node looks at; auto: 0.7, but 8 columns and more, or all for few rounds",
            vector_leaves: "one tree a round with a value for each score in its leaves; auto: from 6 classes on, and of several targets",
            monotone: "columns along which the score may only rise (+) or only fall (-)",
            interactions: "sets of columns that may be used in one branch; the others are one set more",
            drop_rate: "share of earlier trees that each round leaves out (DART)",
            early_stopping_rounds: "rounds without a better held-out loss before the end; auto: 30 without one to speak of, 100 to sort",
            validation: "how rows are held out for early stopping",
            validation_share: "share of rows held out for early stopping",
            n_runs: "runs whose mean is the model, each with other rows held out; auto: fewer for more data",
            conformal: "whether held-out rows move quantiles so that new rows are covered as promised; auto: if enough are",
        ]
    }

    fn check(&self) -> Result<()> {
        self.loss.check()?;
        self.monotone.check()?;
        self.interactions.check()?;
        self.validation.check()?;
        if self.n_trees == 0 {
            return out_of_range("n_trees", 0, "at least 1");
        }
        self.check_runs()?;
        if let Some(few @ ..2) = self.max_leaves.given() {
            return out_of_range("max_leaves", few, "at least 2, or auto");
        }
        if !(self.rate() > 0.0 && self.rate().is_finite()) {
            return out_of_range("learning_rate", self.rate(), "a number above 0, or auto");
        }
        if self.min_leaf_rows == Choice::Set(0) {
            return out_of_range("min_leaf_rows", 0, "at least 1");
        }
        if self.min_level_rows == 0 {
            return out_of_range("min_level_rows", 0, "at least 1");
        }
        for (name, share) in [
            ("subsample", self.row_share()),
            ("colsample", self.column_share()),
            ("node_colsample", self.node_share()),
        ] {
            if !(share > 0.0 && share <= 1.0) {
                return out_of_range(name, share, "a share above 0 and at most 1");
            }
        }
        if let Some(goss) = self.goss {
            goss.check()?;
            if self.row_share() < 1.0 {
                return out_of_range("subsample", self.row_share(), "1 where goss draws the rows");
            }
        }
        if self.linear_leaves && !self.monotone.is_none() {
            return out_of_range("linear_leaves", true, "false with monotone constraints");
        }
        if self.linear_leaves && self.target_statistics == Choice::Set(true) {
            return out_of_range("target_statistics", true, "false or auto with linear leaves");
        }
        if !(self.validation_share > 0.0 && self.validation_share < 1.0) {
            return out_of_range("validation_share", self.validation_share, "between 0 and 1");
        }
        if self.patience() == Some(0) {
            return out_of_range("early_stopping_rounds", 0, "at least 1, none, or auto");
        }
        if !(0.0..=1.0).contains(&self.drop_rate) {
            return out_of_range("drop_rate", self.drop_rate, "between 0 and 1");
        }
        if self.drop_rate > 0.0 && self.leaves() > dart::MOST_LEAVES {
            let expected = format!("at most {} where drop_rate is above 0", dart::MOST_LEAVES);
            return out_of_range("max_leaves", self.leaves(), &expected);
        }
        for (name, value) in [
            ("min_child_weight", self.min_child_weight()),
            ("min_gain", self.min_gain),
            ("l1", self.l1),
            ("l2", self.l2()),
            ("linear_l2", self.linear_l2),
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
