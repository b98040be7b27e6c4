//! Linear models: ridge regression, logistic regression and the linear support vector machine.
//!
//! To be preferred over trees where the target follows the columns in straight lines, where rows are
//! few, and as members of mixed committees, because they err elsewhere than trees do. Columns are
//! made alike first (`base/design`), so that one penalty suits all.

pub mod hinge;
pub mod minimise;
mod model;
mod objective;
pub mod softmax;
mod squared;

use std::sync::Arc;

pub use model::{LinearModel, Term};

use self::minimise::Ending;
use self::softmax::{ClassTargets, SoftmaxRegression};
use super::constant::Constant;
use super::design::{Design, DesignRows};
use super::row_sums::RowWeights;
use super::suspects::report_suspects;
use crate::data::{ClassLabels, Sample, Target, Task};
use crate::error::{Error, Result};
use crate::learner::{Learner, at_usual_size};
use crate::model::{Model, Output};
use crate::observer::Warning;
use crate::parameter::{Parameter, Parameters, named_values, out_of_range, parameter_list};
use crate::run::Run;

/// Coefficients that are kept at a time while steps are taken, counting sums of 128 bits twice.
const COPIES: usize = 2 * minimise::MEMORY + 8;

/// Fits a linear model: `sum_i w_i loss(y_i, W x_i + b) + l2 / 2 |W|²`.
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    /// What a row pays.
    pub loss: LinearLoss,
    /// The penalty on squared coefficients, in columns of deviation 1, beside the sum of the losses;
    /// the intercept has none.
    pub l2: f64,
    /// Steps at the most, where the coefficients are found by steps.
    pub max_iterations: usize,
    /// How small every entry of the gradient must be, by the weight of all rows.
    pub tolerance: f64,
}

/// What a row pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinearLoss {
    /// Logistic for classes, squared for numbers.
    Auto,
    /// Half the squared difference: ridge regression.
    Squared,
    /// Minus the logarithm of the probability of its class: logistic regression.
    Logistic,
    /// How far its margin is short of 1: the support vector machine.
    Hinge,
}
named_values!(LinearLoss {
    Auto = "auto",
    Squared = "squared",
    Logistic = "logistic",
    Hinge = "hinge",
});

impl Default for Linear {
    fn default() -> Linear {
        Linear { loss: LinearLoss::Auto, l2: 1.0, max_iterations: 1000, tolerance: 1e-6 }
    }
}

impl Linear {
    /// Ridge regression.
    pub fn ridge() -> Linear {
        Linear { loss: LinearLoss::Squared, ..Linear::default() }
    }

    /// Logistic regression.
    pub fn logistic() -> Linear {
        Linear { loss: LinearLoss::Logistic, ..Linear::default() }
    }

    /// The linear support vector machine.
    pub fn svm() -> Linear {
        Linear { loss: LinearLoss::Hinge, ..Linear::default() }
    }
}

impl LinearLoss {
    /// What it is for, if that is one task alone.
    pub fn task(self) -> Option<Task> {
        match self {
            LinearLoss::Auto => None,
            LinearLoss::Squared => Some(Task::Regression),
            LinearLoss::Logistic | LinearLoss::Hinge => Some(Task::Classification),
        }
    }
}

impl Learner for Linear {
    type Model = LinearModel;

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<LinearModel> {
        self.check()?;
        sample.check()?;
        at_usual_size(sample, |sample| self.fit_usual(sample, run))
    }

    fn prepare(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<()> {
        report_suspects(sample, run);
        Ok(())
    }
}

impl Linear {
    /// The model of targets that are neither extremely large nor extremely small.
    fn fit_usual(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<LinearModel> {
        let weights = RowWeights::of(sample.weights, sample.n_rows())?;
        run.install(|| {
            report_suspects(sample, run);
            let design = Arc::new(Design::of(sample.table, &weights));
            design.needs(sample.n_rows(), 1, run)?;
            self.needs(&design, sample, run)?;
            let rows = DesignRows::of(&design, sample.table);
            let (coefficients, n_steps, is_reached) = match (sample.target, self.loss) {
                (Target::Classes(labels), LinearLoss::Auto | LinearLoss::Logistic) => {
                    self.logistic_fit((&rows, &weights), labels, run)?
                }
                (Target::Classes(labels), LinearLoss::Hinge) => {
                    let classes = (labels.codes(), labels.n_classes());
                    hinge::fit((&rows, &weights), classes, (self.l2, self.ending()), run)
                }
                (target, LinearLoss::Auto | LinearLoss::Squared) => {
                    let outputs = outputs(target)?;
                    squared::fit((&rows, &weights), &outputs, (self.l2, self.ending()), run)
                }
                (target, _) => return wrong_task(self, target),
            };
            if !is_reached && !run.stopped() {
                run.warn(Warning::NotConverged { n_steps: self.max_iterations });
            }
            let (schema, output) = (sample.table.schema().clone(), Output::of(sample.target));
            let prior = Constant {}.fit(sample, run)?.value;
            let model = LinearModel {
                design,
                coefficients,
                scale: 1.0,
                prior,
                n_steps: n_steps as u64,
                schema,
                output,
            };
            match (sample.target, self.loss) {
                (Target::Classes(labels), LinearLoss::Hinge) => {
                    scaled(model, sample, (labels, &weights))
                }
                _ => Ok(model),
            }
        })
    }

    /// Makes sure that there is the memory for the coefficients, which steps keep several times over.
    fn needs(&self, design: &Design, sample: &Sample<'_>, run: &Run<'_>) -> Result<()> {
        let (n_scores, width) = (Output::of(sample.target).width(), design.width() + 1);
        let bytes = n_scores.saturating_mul(width).saturating_mul(COPIES * size_of::<f64>());
        run.needs(bytes, || format!("{n_scores} times {width} coefficients"))
    }

    fn ending(&self) -> Ending {
        Ending { max_iterations: self.max_iterations, tolerance: self.tolerance }
    }

    fn logistic_fit(
        &self,
        (rows, weights): (&DesignRows, &RowWeights),
        labels: &ClassLabels,
        run: &Run<'_>,
    ) -> Result<(Vec<f64>, usize, bool)> {
        let regression = SoftmaxRegression {
            rows,
            targets: ClassTargets::Classes(labels.codes()),
            n_classes: labels.n_classes(),
            weights,
            l2: self.l2,
            start: None,
            ending: self.ending(),
        };
        regression.fit(run).map(|found| (found.at, found.n_steps, found.is_reached))
    }
}

/// A model of margins whose scale makes them log odds.
fn scaled(
    model: LinearModel,
    sample: &Sample<'_>,
    (labels, weights): (&ClassLabels, &RowWeights),
) -> Result<LinearModel> {
    let margins = model.margins(&model.schema().align(sample.table)?);
    let n_classes = labels.n_classes();
    let margins = match n_classes {
        // Half for one class and half against the other.
        2 => margins.values().iter().flat_map(|&margin| [-0.5 * margin, 0.5 * margin]).collect(),
        _ => margins.into_values(),
    };
    let scale = hinge::scale(&margins, (labels.codes(), n_classes), weights);
    Ok(LinearModel { scale, ..model })
}

/// The numbers of each output.
fn outputs(target: &Target) -> Result<Vec<Vec<f64>>> {
    match target {
        Target::Numbers(values) => Ok(vec![values.to_vec()]),
        Target::Several(several) => {
            Ok((0..several.n_outputs()).map(|output| several.output(output)).collect())
        }
        Target::Classes(_) | Target::SeveralClasses(_) => wrong_task(&Linear::ridge(), target),
    }
}

fn wrong_task<T>(learner: &Linear, target: &Target) -> Result<T> {
    let (method, expected, hint) = match learner.loss {
        LinearLoss::Squared => ("ridge", "numbers", "use logistic-regression for classes"),
        LinearLoss::Hinge => ("linear-svm", "classes", "use ridge for numbers"),
        _ => ("logistic-regression", "classes", "use ridge for numbers"),
    };
    Err(Error::WrongTask { method: method.into(), expected, found: target.words(), hint })
}

impl Parameters for Linear {
    fn method(&self) -> &'static str {
        "linear"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
            loss: "what a row pays; auto is logistic for classes and squared for numbers",
            l2: "penalty on squared coefficients, in columns of deviation 1, beside the sum of the losses",
            max_iterations: "steps at the most",
            tolerance: "how small the gradient must be, by the weight of all rows",
        ]
    }

    fn check(&self) -> Result<()> {
        if !self.l2.is_finite() || self.l2 < 0.0 {
            return out_of_range("l2", self.l2, "at least 0");
        }
        if self.max_iterations == 0 {
            return out_of_range("max_iterations", 0, "at least 1");
        }
        if !self.tolerance.is_finite() || self.tolerance < 0.0 {
            return out_of_range("tolerance", self.tolerance, "at least 0");
        }
        Ok(())
    }
}
