//! How good predictions are: one number for a set of rows.
//!
//! The definitions are scikit-learn's, sample weights, ties and many classes included. Where a
//! number is not defined scikit-learn answers 0, 1 or an error, depending on the metric; here the
//! answer is NaN, so that a table never shows a number that was not measured. Each file says when
//! that happens. A row of weight 0 is as good as absent.

mod accuracy;
mod auc;
mod average_precision;
mod balanced_accuracy;
mod brier;
mod calibration_error;
mod concordance;
mod f1;
mod judged;
mod log_loss;
mod mcc;
mod mean_absolute_error;
mod median_absolute_error;
mod ndcg;
mod pinball;
mod precision;
mod r2;
mod ranking;
mod recall;
mod rmse;
mod sum;
mod tally;

#[cfg(test)]
mod scikit_learn;

use std::fmt;

use crate::data::{ClassList, Target, Task, Weights};
use crate::error::{Error, Result};
use crate::loss::check_labels;
use crate::model::Output;
use crate::scores::Scores;
use judged::{Judged, usable};

/// A measure of predictions against the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Metric {
    /// The share of rows whose predicted class is right.
    Accuracy,
    /// The mean over the classes that occur of the share of their rows predicted right.
    BalancedAccuracy,
    /// Minus the mean logarithm of the probability given to the true class.
    LogLoss,
    /// The area under the ROC curve: how often a row of the class outranks one that is not.
    /// Two classes: of the last class. More: the plain mean of one class against the rest.
    Auc,
    /// The area under the precision-recall curve as a sum of steps. Classes as for [`Self::Auc`].
    AveragePrecision,
    /// The mean squared error of the probabilities. Two classes: of the last class. More: summed
    /// over the classes.
    Brier,
    /// The mean difference between probabilities and how often they come true, in 15 bins. Two
    /// classes: of the last class. More: of the predicted one.
    CalibrationError,
    /// The harmonic mean of precision and recall. Two classes: of the last class. More: the plain
    /// mean over the classes.
    F1,
    /// The share of rows predicted as the class that are of the class. Classes as for
    /// [`Self::F1`].
    Precision,
    /// The share of the class's rows that are predicted as the class. Classes as for
    /// [`Self::F1`].
    Recall,
    /// Matthews' correlation between the true and the predicted class.
    Mcc,
    /// The root of the mean squared error.
    Rmse,
    /// The mean absolute error.
    MeanAbsoluteError,
    /// The median absolute error.
    MedianAbsoluteError,
    /// The share of the target's variance that is explained.
    R2,
    /// The loss that predicted quantiles minimise, a mean over rows and levels.
    Pinball,
    /// Harrell's concordance: how often the row with the higher hazard has its event first.
    Concordance,
    /// How near the order of each group's rows is to the best, by its first five places.
    Ndcg5,
    /// The same by the first ten places.
    Ndcg10,
    /// The same by all places.
    Ndcg,
}

/// Rows whose truth is known, and what scores of them mean.
#[derive(Debug, Clone, Copy)]
pub struct Truth<'a> {
    /// The truth.
    pub target: &'a Target,
    /// How much each row counts.
    pub weights: &'a Weights,
    /// The group of each row, such as its query; rankings are measured within groups.
    pub groups: Option<&'a [u32]>,
    /// What a model of these rows predicts.
    pub output: &'a Output,
}

impl Metric {
    /// Every metric: those of classes, then those of numbers.
    pub const ALL: &[Metric] = &[
        Metric::Accuracy,
        Metric::BalancedAccuracy,
        Metric::LogLoss,
        Metric::Auc,
        Metric::AveragePrecision,
        Metric::Brier,
        Metric::CalibrationError,
        Metric::F1,
        Metric::Precision,
        Metric::Recall,
        Metric::Mcc,
        Metric::Rmse,
        Metric::MeanAbsoluteError,
        Metric::MedianAbsoluteError,
        Metric::R2,
        Metric::Pinball,
        Metric::Concordance,
        Metric::Ndcg5,
        Metric::Ndcg10,
        Metric::Ndcg,
    ];

    /// The name in JSON and on the command line.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The name in tables.
    pub fn title(self) -> &'static str {
        self.entry().title
    }

    /// Whether a larger number is a better one.
    pub fn higher_is_better(self) -> bool {
        self.entry().higher_is_better
    }

    /// The task whose predictions it measures.
    pub fn task(self) -> Task {
        match self.entry().formula {
            Formula::Classes(_) => Task::Classification,
            Formula::Numbers(_) | Formula::Quantiles(_) | Formula::Survival(_) => Task::Regression,
            Formula::Ranking(_) => Task::Regression,
        }
    }

    /// Whether it is of plain classes or numbers: all that it needs is scores and the truth.
    #[cfg(test)]
    fn is_plain(self) -> bool {
        !matches!(self.entry().formula, Formula::Survival(_) | Formula::Ranking(_))
    }

    /// Whether it is measured within groups, which must be given.
    pub fn needs_groups(self) -> bool {
        matches!(self.entry().formula, Formula::Ranking(_))
    }

    /// The metric of that [`name`](Self::name).
    pub fn named(name: &str) -> Option<Metric> {
        Metric::ALL.iter().copied().find(|m| m.name() == name)
    }

    /// What a table of results shows for this target, the most telling first. Only the number of
    /// classes matters, not the rows.
    pub fn for_target(target: &Target) -> Vec<Metric> {
        use Metric::*;
        match target {
            Target::Classes(labels) => match labels.n_classes() {
                0 | 1 => vec![Accuracy, LogLoss],
                2 => vec![Accuracy, Auc, LogLoss, Brier, CalibrationError, F1, Mcc],
                _ => vec![Accuracy, BalancedAccuracy, LogLoss, Brier, CalibrationError, F1, Mcc],
            },
            Target::SeveralClasses(_) => vec![Accuracy, LogLoss],
            Target::Numbers(_) | Target::Several(_) => vec![Rmse, MeanAbsoluteError, R2],
        }
    }

    /// What a table of results shows for a model with this output.
    pub fn for_output(output: &Output, target: &Target) -> Vec<Metric> {
        match output {
            Output::Quantiles { .. } => vec![Metric::Pinball],
            Output::Hazard => vec![Metric::Concordance],
            Output::Ranking => vec![Metric::Ndcg5, Metric::Ndcg10, Metric::Ndcg],
            Output::Anomaly | Output::LogDensity => vec![],
            Output::Probabilities { .. }
            | Output::SeveralProbabilities { .. }
            | Output::Value
            | Output::Values { .. } => Metric::for_target(target),
        }
    }

    /// The metric of `scores`, which are what a model says of the rows whose truth is `target`:
    /// one probability for each class of the target's list, or one number for each output.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn evaluate(self, scores: &Scores, target: &Target, weights: &Weights) -> Result<f64> {
        self.of(scores, &Truth { target, weights, groups: None, output: &Output::of(target) })
    }

    /// The metric of `scores`, which mean what the truth says they mean.
    ///
    /// The answer is NaN where the metric is not defined: no row counts, a score of a row that
    /// counts is NaN, [`Auc`](Self::Auc) of one class alone, [`R2`](Self::R2) of a constant
    /// target. For many classes, means over classes leave out those that do not occur. Of several
    /// outputs it is the mean of what it is of each.
    ///
    /// # Errors
    /// When the lengths differ, the task is the wrong one, a row has not one score for each class
    /// or quantile, or a weight is negative or not finite.
    pub fn of(self, scores: &Scores, truth: &Truth<'_>) -> Result<f64> {
        let &Truth { target, weights, groups, output } = truth;
        let n_rows = target.len();
        let length = |what: &str, found: usize| {
            Err(Error::Length { what: what.into(), found, expected: n_rows })
        };
        if scores.n_rows() != n_rows {
            return length("scores", scores.n_rows());
        }
        if let Some(found) = weights.n_rows().filter(|&found| found != n_rows) {
            return length("weights", found);
        }
        let weights = &usable(weights)?;
        match (self.entry().formula, target) {
            (Formula::Classes(formula), Target::Classes(labels)) => {
                check_width(scores, labels.n_classes())?;
                Ok(Judged { scores, truth: labels.codes(), weights }.by(formula))
            }
            (Formula::Classes(formula), Target::SeveralClasses(several)) => {
                check_width(scores, several.n_classes())?;
                let of = |(output, segment)| {
                    let (scores, labels) = (&scores.columns(segment), several.output(output));
                    Judged { scores, truth: labels.codes(), weights }.by(formula)
                };
                let each = ClassList::segments(several.outputs()).enumerate().map(of);
                Ok(each.sum::<f64>() / several.n_outputs() as f64)
            }
            (Formula::Numbers(formula), Target::Numbers(truth)) => {
                check_width(scores, 1)?;
                Ok(Judged { scores, truth, weights }.by(formula))
            }
            (Formula::Numbers(formula), Target::Several(several)) => {
                check_width(scores, several.n_outputs())?;
                let of = |output: usize| {
                    let (scores, truth) = (&scores.column(output), &several.output(output));
                    Judged { scores, truth, weights }.by(formula)
                };
                let each = (0..several.n_outputs()).map(of);
                Ok(each.sum::<f64>() / several.n_outputs() as f64)
            }
            (Formula::Quantiles(formula), Target::Numbers(truth)) => {
                let levels = match output {
                    Output::Quantiles { levels } => levels,
                    _ => &[0.5][..],
                };
                check_width(scores, levels.len())?;
                Ok(Judged { scores, truth, weights }.by(|judged| formula(judged, levels)))
            }
            (Formula::Survival(formula), Target::Numbers(truth)) => {
                check_width(scores, 1)?;
                Ok(Judged { scores, truth, weights }.by(formula))
            }
            (Formula::Ranking(formula), Target::Numbers(truth)) => {
                check_width(scores, 1)?;
                check_labels(truth)?;
                let groups = groups.ok_or(Error::NoGroups { what: "NDCG" })?;
                if groups.len() != n_rows {
                    return length("groups", groups.len());
                }
                Ok(Judged { scores, truth, weights }.by(|judged| formula(judged, groups)))
            }
            _ => Err(Error::WrongMetric {
                metric: self.name(),
                expected: self.task().words(),
                found: target.task().words(),
            }),
        }
    }

    /// The one list of what is known of each metric.
    fn entry(self) -> Entry {
        use Formula::{Classes, Numbers, Quantiles, Ranking, Survival};
        let (name, title, higher_is_better, formula) = match self {
            Metric::Accuracy => ("accuracy", "accuracy", true, Classes(accuracy::accuracy)),
            Metric::BalancedAccuracy => (
                "balanced-accuracy",
                "balanced accuracy",
                true,
                Classes(balanced_accuracy::balanced_accuracy),
            ),
            Metric::LogLoss => ("log-loss", "log loss", false, Classes(log_loss::log_loss)),
            Metric::Auc => ("auc", "AUC", true, Classes(auc::auc)),
            Metric::AveragePrecision => (
                "average-precision",
                "average precision",
                true,
                Classes(average_precision::average_precision),
            ),
            Metric::Brier => ("brier", "Brier score", false, Classes(brier::brier)),
            Metric::CalibrationError => (
                "calibration-error",
                "calibration error",
                false,
                Classes(calibration_error::calibration_error),
            ),
            Metric::F1 => ("f1", "F1", true, Classes(f1::f1)),
            Metric::Precision => ("precision", "precision", true, Classes(precision::precision)),
            Metric::Recall => ("recall", "recall", true, Classes(recall::recall)),
            Metric::Mcc => ("mcc", "Matthews correlation", true, Classes(mcc::mcc)),
            Metric::Rmse => ("rmse", "RMSE", false, Numbers(rmse::rmse)),
            Metric::MeanAbsoluteError => (
                "mean-absolute-error",
                "mean absolute error",
                false,
                Numbers(mean_absolute_error::mean_absolute_error),
            ),
            Metric::MedianAbsoluteError => (
                "median-absolute-error",
                "median absolute error",
                false,
                Numbers(median_absolute_error::median_absolute_error),
            ),
            Metric::R2 => ("r2", "R²", true, Numbers(r2::r2)),
            Metric::Pinball => ("pinball", "pinball loss", false, Quantiles(pinball::pinball)),
            Metric::Concordance => {
                ("concordance", "concordance", true, Survival(concordance::concordance))
            }
            Metric::Ndcg5 => ("ndcg-5", "NDCG@5", true, Ranking(ndcg::at_5)),
            Metric::Ndcg10 => ("ndcg-10", "NDCG@10", true, Ranking(ndcg::at_10)),
            Metric::Ndcg => ("ndcg", "NDCG", true, Ranking(ndcg::of_all)),
        };
        Entry { name, title, higher_is_better, formula }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

struct Entry {
    name: &'static str,
    title: &'static str,
    higher_is_better: bool,
    formula: Formula,
}

#[derive(Clone, Copy)]
enum Formula {
    Classes(fn(&Judged<'_, u32>) -> f64),
    Numbers(fn(&Judged<'_, f64>) -> f64),
    Quantiles(fn(&Judged<'_, f64>, &[f64]) -> f64),
    Survival(fn(&Judged<'_, f64>) -> f64),
    Ranking(fn(&Judged<'_, f64>, &[u32]) -> f64),
}

fn check_width(scores: &Scores, expected: usize) -> Result<()> {
    if scores.width() == expected {
        return Ok(());
    }
    Err(Error::Parameter {
        name: "scores".into(),
        value: format!("{} numbers a row", scores.width()),
        expected: match expected {
            1 => "1 number a row".into(),
            n => format!("{n} numbers a row, one for each class, quantile or output"),
        },
    })
}

#[cfg(test)]
mod tests;
