//! Gradient boosting (Friedman 2001), with Newton steps (Chen & Guestrin 2016).
//!
//! The method to prefer on tables. Each round takes the gradient of a loss at the scores so far,
//! grows a tree on it, and moves the scores a little way along the tree.

use super::additive::AdditiveModel;
use super::rounds::Boosting;
use crate::data::{Sample, Target};
use crate::error::{Error, Result};
use crate::learner::Learner;
use crate::loss::{self, Loss};
use crate::observer::Event;
use crate::parameter::{Parameter, Parameters, Value, out_of_range, parameter_list};
use crate::run::Run;

/// Boosts trees along the gradient of a loss.
#[derive(Debug, Clone, PartialEq)]
pub struct GradientBoosting {
    /// What is made small.
    pub loss: LossChoice,
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
    /// The share of rows that each round sees, drawn anew for each.
    pub subsample: f64,
    /// The share of columns that each tree sees, drawn anew for each.
    pub colsample: f64,
    /// Rounds without a better loss on held-out rows after which boosting ends; the best round is
    /// kept.
    pub early_stopping_rounds: Option<usize>,
    /// The share of rows held out for that.
    pub validation_share: f64,
}

/// A loss by name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LossChoice {
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
    /// Squared up to this distance, absolute beyond.
    Huber(f64),
    /// For the quantile of this level.
    Quantile(f64),
    /// For counts.
    Poisson,
    /// For positive amounts.
    Gamma,
    /// For amounts that are often 0, with this power of the mean in the variance.
    Tweedie(f64),
}

impl LossChoice {
    /// The losses without a number, by name.
    const NAMED: [(&str, LossChoice); 10] = [
        ("auto", LossChoice::Auto),
        ("logistic", LossChoice::Logistic),
        ("softmax", LossChoice::Softmax),
        ("exponential", LossChoice::Exponential),
        ("hinge", LossChoice::Hinge),
        ("squared-hinge", LossChoice::SquaredHinge),
        ("squared", LossChoice::Squared),
        ("absolute", LossChoice::Absolute),
        ("poisson", LossChoice::Poisson),
        ("gamma", LossChoice::Gamma),
    ];

    fn check(self) -> Result<()> {
        match self {
            LossChoice::Huber(delta) if !(delta > 0.0 && delta.is_finite()) => {
                out_of_range("loss", self.show(), "a distance above 0 after huber:")
            }
            LossChoice::Quantile(level) if !(level > 0.0 && level < 1.0) => {
                out_of_range("loss", self.show(), "a level between 0 and 1 after quantile:")
            }
            LossChoice::Tweedie(power) if !(power > 1.0 && power < 2.0) => {
                out_of_range("loss", self.show(), "a power between 1 and 2 after tweedie:")
            }
            _ => Ok(()),
        }
    }
}

impl Value for LossChoice {
    fn show(&self) -> String {
        match self {
            LossChoice::Huber(delta) => format!("huber:{delta}"),
            LossChoice::Quantile(level) => format!("quantile:{level}"),
            LossChoice::Tweedie(power) => format!("tweedie:{power}"),
            plain => {
                let found = LossChoice::NAMED.iter().find(|(_, loss)| loss == plain);
                found.map_or(String::new(), |(name, _)| (*name).into())
            }
        }
    }

    fn parse(&mut self, text: &str) -> bool {
        if let Some((_, loss)) = LossChoice::NAMED.iter().find(|(name, _)| *name == text) {
            *self = *loss;
            return true;
        }
        *self = match text.split_once(':').map(|(name, number)| (name, number.parse())) {
            Some(("huber", Ok(delta))) => LossChoice::Huber(delta),
            Some(("quantile", Ok(level))) => LossChoice::Quantile(level),
            Some(("tweedie", Ok(power))) => LossChoice::Tweedie(power),
            _ => return false,
        };
        true
    }

    fn expected(&self) -> String {
        let names: Vec<&str> = LossChoice::NAMED.iter().map(|(name, _)| *name).collect();
        format!("{}, huber:1.0, quantile:0.5 or tweedie:1.5", names.join(", "))
    }
}

impl Default for GradientBoosting {
    fn default() -> GradientBoosting {
        GradientBoosting {
            loss: LossChoice::Auto,
            n_trees: 100,
            learning_rate: 0.1,
            max_leaves: 31,
            max_depth: None,
            min_leaf_rows: 20,
            min_child_weight: 1e-3,
            min_gain: 0.0,
            l1: 0.0,
            l2: 0.0,
            subsample: 1.0,
            colsample: 1.0,
            early_stopping_rounds: None,
            validation_share: 0.1,
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
                boosting.draw(round);
                boosting.take_gradients(); // g = dL/dF, h = d2L/dF2
                for output in 0..loss.width() {
                    let grown = boosting.grow_tree(output);
                    if run.stopped() {
                        return boosting.finish(round); // what this round has grown is not whole
                    }
                    boosting.step(output, grown?); // F += rate * tree
                }
                run.report(&Event::Member { index: round, total: self.n_trees });
                if boosting.is_over() || run.stopped() {
                    return boosting.finish(round + 1);
                }
            }
            boosting.finish(self.n_trees)
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
            (LossChoice::Auto, 0) | (LossChoice::Squared, _) => Box::new(loss::Squared),
            (LossChoice::Auto, 2) | (LossChoice::Logistic, _) => Box::new(loss::Logistic),
            (LossChoice::Auto | LossChoice::Softmax, _) => Box::new(loss::Softmax { n_classes }),
            (LossChoice::Exponential, _) => Box::new(loss::Exponential),
            (LossChoice::Hinge, _) => Box::new(loss::Hinge),
            (LossChoice::SquaredHinge, _) => Box::new(loss::SquaredHinge),
            (LossChoice::Absolute, _) => Box::new(loss::Absolute),
            (LossChoice::Huber(delta), _) => Box::new(loss::Huber { delta }),
            (LossChoice::Poisson, _) => Box::new(loss::Poisson),
            (LossChoice::Gamma, _) => Box::new(loss::Gamma),
            (LossChoice::Tweedie(power), _) => Box::new(loss::Tweedie { power }),
            (LossChoice::Quantile(level), _) => Box::new(loss::Quantile { level }),
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

impl Parameters for GradientBoosting {
    fn method(&self) -> &'static str {
        "gradient-boosting"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
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
            subsample: "share of rows that each round sees",
            colsample: "share of columns that each tree sees",
            early_stopping_rounds: "rounds without a better held-out loss before the end",
            validation_share: "share of rows held out for early stopping",
        ]
    }

    fn check(&self) -> Result<()> {
        self.loss.check()?;
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
        for (name, share) in [("subsample", self.subsample), ("colsample", self.colsample)] {
            if !(share > 0.0 && share <= 1.0) {
                return out_of_range(name, share, "a share above 0 and at most 1");
            }
        }
        if !(self.validation_share > 0.0 && self.validation_share < 1.0) {
            return out_of_range("validation_share", self.validation_share, "between 0 and 1");
        }
        if self.early_stopping_rounds == Some(0) {
            return out_of_range("early_stopping_rounds", 0, "at least 1, or none");
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
