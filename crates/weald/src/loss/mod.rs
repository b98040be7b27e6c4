//! Losses: what gradient boosting goes downhill on.
//!
//! One file a loss. A loss sees targets as numbers (a class is its code) and raw scores; it knows
//! the constant score that fits best, its derivatives, and how scores become predictions.

mod absolute;
mod cox;
mod custom;
mod each;
mod exponential;
mod gamma;
mod hinge;
pub(crate) mod huber;
mod joint;
mod lambdarank;
mod logistic;
mod poisson;
mod quantile;
mod smooth;
mod softmax;
mod squared;
mod squared_hinge;
mod tweedie;

pub use absolute::Absolute;
pub use cox::Cox;
pub use custom::{CustomLoss, level_point};
pub use each::Each;
pub use exponential::Exponential;
pub use gamma::Gamma;
pub use hinge::Hinge;
pub use huber::Huber;
pub use joint::{JointLoss, Together};
pub use lambdarank::LambdaRank;
pub(crate) use lambdarank::{check_labels, mean_weight, ndcg, rows_by_group};
pub use logistic::Logistic;
pub use poisson::Poisson;
pub use quantile::Quantile;
pub use softmax::Softmax;
pub use squared::Squared;
pub use squared_hinge::SquaredHinge;
pub use tweedie::Tweedie;

use crate::data::{ClassList, Target, Task, Weights};
use crate::error::Result;
use crate::exact_sum::ExactSum;
use crate::model::Output;

/// First and second derivative of a loss by one score of one row.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Gradient {
    /// The first derivative.
    pub g: f32,
    /// The second derivative, or a stand-in for it where it is of no use; never negative.
    pub h: f32,
}

impl Gradient {
    /// The derivatives of a user's loss: a negative second one counts as 0.
    pub fn of(g: f64, h: f64) -> Gradient {
        // Not `max`, which would hide a NaN.
        Gradient { g: g as f32, h: if h < 0.0 { 0.0 } else { h as f32 } }
    }

    /// Whether both derivatives are finite.
    #[inline(always)]
    pub fn is_finite(&self) -> bool {
        self.g.is_finite() & self.h.is_finite()
    }
}

/// Consecutive rows, as a loss sees them.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// Their targets, [`Loss::n_targets`] a row.
    pub targets: &'a [f64],
    /// Their scores, `width` numbers a row.
    pub scores: &'a [f64],
    /// What [`Loss::shared`] gives for each row, [`Loss::n_shared`] numbers; empty where a row has one
    /// score.
    pub shared: &'a [f64],
}

/// The longest step where a score is a logarithm (Friedman, Hastie & Tibshirani 2000, section 8).
const LONGEST_LOG_STEP: f64 = 4.0;

/// How the value of a leaf is found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LeafRule {
    /// One Newton step: `-sum g / (sum h + l2)`.
    Newton,
    /// The quantile of what is left to explain, `target - score`, at this level.
    Quantile(f64),
    /// The step with the least Huber loss of this distance, and the penalty `l2 / 2` of its square: errors
    /// beyond the distance have no second derivative, and one Newton step would be too short.
    Huber(f64),
    /// Half the log-odds of a leaf's rows, weighted by their second derivatives: the exact
    /// minimiser of the exponential loss.
    HalfLogOdds,
}

/// A loss.
pub trait Loss: Send + Sync + std::fmt::Debug {
    /// Its name.
    fn name(&self) -> &'static str;

    /// What it is for.
    fn task(&self) -> Task;

    /// Whether it is defined for these targets; an error that says what it needs if not.
    fn check(&self, targets: &[f64]) -> Result<()> {
        let _ = targets;
        Ok(())
    }

    /// Scores that a row has.
    fn width(&self) -> usize {
        1
    }

    /// Targets that a row has.
    fn n_targets(&self) -> usize {
        1
    }

    /// If targets and scores in another unit have the same loss in another unit: the power of the
    /// targets' unit that the loss grows with. Targets of extreme size may then be divided first.
    fn degree(&self) -> Option<i32> {
        None
    }

    /// The constant scores that fit best.
    fn start(&self, targets: &[f64], weights: &Weights) -> Vec<f64>;

    /// The loss of one row, given its scores; of a [joint](Self::joint) loss, as if the row were the
    /// only one.
    fn loss(&self, target: f64, scores: &[f64]) -> f64;

    /// The loss of one row, given all its targets.
    fn loss_of(&self, targets: &[f64], scores: &[f64]) -> f64 {
        self.loss(targets[0], scores)
    }

    /// Numbers that the derivatives of a row have in common.
    fn n_shared(&self) -> usize {
        1
    }

    /// Which of a row's targets score number `output` is of.
    fn target_of(&self, output: usize) -> usize {
        let _ = output;
        0
    }

    /// What a gain by score number `output` counts beside those by other scores.
    fn gain_factor(&self, output: usize) -> f64 {
        let _ = output;
        1.0
    }

    /// The second derivative of a row before the first round, in the unit of the penalty `l2`: of
    /// classes that are equally many, by what it is for two; 1 for all others.
    fn curvature(&self) -> f64 {
        match (self.link(), self.width() as f64) {
            (Link::Softmax, k) => 4.0 * (k - 1.0) / (k * k),
            _ => 1.0,
        }
    }

    /// What the derivatives by all scores of a row have in common, for consecutive rows: computed
    /// once a round. Asked only of losses with several scores.
    fn shared(&self, scores: &[f64], out: &mut [f64]) {
        let _ = scores;
        out.fill(0.0);
    }

    /// The derivatives by score number `output` of some rows; of a joint loss, as if each row were
    /// the only one.
    fn gradients(&self, rows: &Rows<'_>, output: usize, out: &mut [Gradient]);

    /// The loss of rows that have it together, if it is not one row's after the other.
    fn joint(&self, rows: &Together<'_>) -> Result<Option<Box<dyn JointLoss>>> {
        let _ = rows;
        Ok(None)
    }

    /// How the value of a leaf is found, in trees for score number `output`.
    fn leaf_rule(&self, output: usize) -> LeafRule {
        let _ = output;
        LeafRule::Newton
    }

    /// The longest step of a leaf, before the learning rate. Where a score is a logarithm a
    /// quadratic is a good picture of the loss only nearby: a leaf of one class that had a
    /// probability of 0.0001 asks for a step of 10,000, and every step past a few says the same.
    fn longest_step(&self) -> f64 {
        match self.link() {
            Link::Log | Link::Logistic | Link::Softmax | Link::Each => LONGEST_LOG_STEP,
            Link::Identity | Link::DoubleLogistic | Link::Rearranged => f64::INFINITY,
        }
    }

    /// How scores become predictions.
    fn link(&self) -> Link {
        Link::Identity
    }

    /// What predictions mean.
    fn output(&self, target: &Target) -> Output {
        Output::of(target)
    }
}

/// How scores become predictions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// The score is the prediction.
    Identity,
    /// The prediction is `exp(score)`.
    Log,
    /// The probability of class 1 is `1 / (1 + exp(-score))`.
    Logistic,
    /// The probability of class 1 is `1 / (1 + exp(-2 score))`, as in AdaBoost.
    DoubleLogistic,
    /// The probability of class `k` is `exp(score_k)` by the sum over all classes.
    Softmax,
    /// The predictions are the scores, sorted: quantiles do not cross.
    Rearranged,
    /// The probabilities of each output by themselves: of two classes as by `Logistic`, of others as by
    /// `Softmax`.
    Each,
}

impl Link {
    /// Every link with the code it has in model files, which never changes.
    const CODES: [(Link, u8); 7] = [
        (Link::Identity, 0),
        (Link::Log, 1),
        (Link::Logistic, 2),
        (Link::DoubleLogistic, 3),
        (Link::Softmax, 4),
        (Link::Rearranged, 5),
        (Link::Each, 6),
    ];

    /// The code in model files.
    pub fn code(self) -> u8 {
        Link::CODES.iter().find(|(link, _)| *link == self).map_or(u8::MAX, |(_, code)| *code)
    }

    /// The link with this code.
    pub fn from_code(code: u8) -> Option<Link> {
        Link::CODES.iter().find(|(_, c)| *c == code).map(|(link, _)| *link)
    }

    /// How many numbers a prediction has, given the number of scores; with [`Link::Each`] the
    /// [`Output`] tells.
    pub fn width(self, n_scores: usize) -> usize {
        match self {
            Link::Logistic | Link::DoubleLogistic => 2,
            Link::Identity | Link::Log | Link::Softmax | Link::Rearranged | Link::Each => n_scores,
        }
    }

    /// Whether it makes such predictions of so many scores.
    pub fn fits(self, n_scores: usize, output: &Output) -> bool {
        let is_kind = match output {
            Output::Probabilities { .. } => {
                matches!(self, Link::Logistic | Link::DoubleLogistic | Link::Softmax)
            }
            Output::SeveralProbabilities { outputs } => {
                let n: usize = outputs.iter().map(|output| n_scores_of(output.classes.len())).sum();
                return self == Link::Each && n == n_scores && n > 0;
            }
            Output::Value | Output::Values { .. } => matches!(self, Link::Identity | Link::Log),
            Output::Hazard => self == Link::Log,
            Output::Ranking => self == Link::Identity,
            Output::Quantiles { .. } => self == Link::Rearranged,
            Output::Anomaly | Output::LogDensity => false,
        };
        is_kind && n_scores > 0 && self.width(n_scores) == output.width()
    }

    /// The prediction of one row, which means what `output` says.
    pub fn respond_as(self, output: &Output, scores: &[f64], prediction: &mut [f64]) {
        let (Link::Each, Output::SeveralProbabilities { outputs }) = (self, output) else {
            return self.respond(scores, prediction);
        };
        let mut first = 0;
        for (list, to) in outputs.iter().zip(ClassList::segments(outputs)) {
            let own = first..first + n_scores_of(list.classes.len());
            first = own.end;
            let link = if list.classes.len() == 2 { Link::Logistic } else { Link::Softmax };
            link.respond(&scores[own], &mut prediction[to]);
        }
    }

    /// The prediction of one row.
    ///
    /// # Panics
    /// If it is [`Link::Each`]: only [`Link::respond_as`] knows which scores are of which output.
    pub fn respond(self, scores: &[f64], prediction: &mut [f64]) {
        match self {
            Link::Identity => prediction.copy_from_slice(scores),
            Link::Log => {
                for (p, s) in prediction.iter_mut().zip(scores) {
                    *p = libm::exp(*s).min(f64::MAX);
                }
            }
            Link::Logistic => two_classes(scores[0], prediction),
            Link::DoubleLogistic => two_classes(2.0 * scores[0], prediction),
            Link::Softmax => {
                let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                for (p, s) in prediction.iter_mut().zip(scores) {
                    *p = libm::exp(s - most);
                }
                let total: f64 = prediction.iter().sum();
                prediction.iter_mut().for_each(|p| *p /= total);
            }
            Link::Each => unreachable!("which scores are of which output is told to respond_as"),
            Link::Rearranged => {
                prediction.copy_from_slice(scores);
                prediction.sort_unstable_by(f64::total_cmp);
            }
        }
    }
}

/// Scores of an output of so many classes.
fn n_scores_of(n_classes: usize) -> usize {
    if n_classes == 2 { 1 } else { n_classes }
}

/// `1 - p` and `p` for the log-odds `score`, each from the side where it loses nothing.
fn two_classes(score: f64, prediction: &mut [f64]) {
    let small = libm::exp(-score.abs());
    let (minor, major) = (small / (1.0 + small), 1.0 / (1.0 + small));
    let (no, yes) = if score >= 0.0 { (minor, major) } else { (major, minor) };
    prediction[0] = no;
    prediction[1] = yes;
}

/// The weighted mean of the targets, the same in any order of the rows and for a count as for that
/// many rows.
fn mean(targets: &[f64], weights: &Weights) -> f64 {
    let weight = |row: usize| weights.copies(row).1;
    let product = |row: usize| weight(row) * targets[row];
    let exact_sum = |of: &dyn Fn(usize) -> f64| {
        let rows = || (0..targets.len()).map(|row| (i128::from(weights.copies(row).0), of(row)));
        let exact = ExactSum::for_largest(rows().map(|(_, x)| x.abs()).fold(0.0, f64::max));
        (exact, rows().map(|(copies, x)| copies * exact.units(x)).sum::<i128>())
    };
    let ((products, sum), (totals, total)) = (exact_sum(&product), exact_sum(&weight));
    products.mean(sum, totals.value(total))
}

/// The smallest value with at least `level` of the weight at or below it.
pub fn weighted_quantile(values: &mut [(f64, f64)], level: f64) -> f64 {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = values.iter().map(|(_, w)| w).sum();
    let mut below = 0.0;
    for (value, weight) in values.iter() {
        below += weight;
        if below >= level * total {
            return *value;
        }
    }
    values.last().map_or(0.0, |(value, _)| *value)
}

/// `values` with their weights, zero weights left out.
fn weighted(values: impl Iterator<Item = f64>, weights: &Weights) -> Vec<(f64, f64)> {
    values.enumerate().map(|(row, x)| (x, weights.at(row))).filter(|(_, w)| *w > 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every loss, with targets it is defined for.
    fn all() -> Vec<(Box<dyn Loss>, Vec<f64>)> {
        let numbers = vec![-1.5, 0.0, 0.3, 2.0, 7.0];
        let counts = vec![0.0, 1.0, 3.0, 0.0, 12.0];
        let positive = vec![0.1, 1.0, 2.5, 0.7, 30.0];
        let classes = vec![0.0, 1.0, 1.0, 0.0, 1.0];
        vec![
            (Box::new(Squared), numbers.clone()),
            (Box::new(Absolute), numbers.clone()),
            (Box::new(Huber { delta: 1.0 }), numbers.clone()),
            (Box::new(Quantile { levels: vec![0.8] }), numbers.clone()),
            (Box::new(Quantile { levels: vec![0.1, 0.5, 0.9] }), numbers),
            (Box::new(Poisson), counts),
            (Box::new(Gamma), positive.clone()),
            (Box::new(Tweedie { power: 1.5 }), positive),
            (Box::new(Logistic), classes.clone()),
            (Box::new(Exponential), classes.clone()),
            (Box::new(Hinge), classes.clone()),
            (Box::new(SquaredHinge), classes),
            (Box::new(Softmax { n_classes: 4 }), vec![0.0, 3.0, 1.0, 2.0, 2.0]),
        ]
    }

    fn gradients_of(
        loss: &dyn Loss,
        targets: &[f64],
        scores: &[f64],
        output: usize,
    ) -> Vec<Gradient> {
        let mut shared = vec![0.0; targets.len()];
        loss.shared(scores, &mut shared);
        let mut found = vec![Gradient::default(); targets.len()];
        loss.gradients(&Rows { targets, scores, shared: &shared }, output, &mut found);
        found
    }

    /// Scores that no loss has a kink at.
    fn scores(n: usize) -> Vec<f64> {
        (0..n).map(|i| (i as f64 * 0.7).sin() * 1.3 + 0.017).collect()
    }

    #[test]
    fn first_derivatives_are_finite_differences() {
        for (loss, targets) in all() {
            let width = loss.width();
            let scores = scores(targets.len() * width);
            for output in 0..width {
                let found = gradients_of(&*loss, &targets, &scores, output);
                for (row, &y) in targets.iter().enumerate() {
                    let at = |step: f64| {
                        let mut own = scores[row * width..(row + 1) * width].to_vec();
                        own[output] += step;
                        loss.loss(y, &own)
                    };
                    let expected = (at(1e-5) - at(-1e-5)) / 2e-5;
                    let error = (f64::from(found[row].g) - expected).abs();
                    let name = loss.name();
                    assert!(error <= 2e-5 * (1.0 + expected.abs()), "{name}: {found:?} {expected}");
                }
            }
        }
    }

    #[test]
    fn second_derivatives_are_finite_differences_where_newton_uses_them() {
        for (loss, targets) in all() {
            // Kinked losses have a stand-in of 1.
            if matches!(loss.leaf_rule(0), LeafRule::Quantile(_))
                || ["hinge", "huber"].contains(&loss.name())
            {
                continue;
            }
            let width = loss.width();
            let scores = scores(targets.len() * width);
            let all_move = if width > 1 { width as f64 / (width as f64 - 1.0) } else { 1.0 };
            for output in 0..width {
                let gradient = |step: f64| {
                    let mut moved = scores.clone();
                    moved.iter_mut().skip(output).step_by(width).for_each(|s| *s += step);
                    gradients_of(&*loss, &targets, &moved, output)
                };
                let (before, here, after) = (gradient(-1e-3), gradient(0.0), gradient(1e-3));
                for row in 0..targets.len() {
                    let expected = all_move * f64::from(after[row].g - before[row].g) / 2e-3;
                    let found = f64::from(here[row].h);
                    let close = (found - expected).abs() <= 1e-3 * (1.0 + expected.abs());
                    assert!(close, "{}: {found} {expected}", loss.name());
                }
            }
        }
    }

    #[test]
    fn the_start_is_the_best_constant() {
        for (loss, targets) in all() {
            let weights = Weights::Real([1.0, 2.0, 0.5, 1.0, 1.5].into());
            let start = loss.start(&targets, &weights);
            let total = |scores: &[f64]| -> f64 {
                let rows = targets.iter().enumerate();
                rows.map(|(row, &y)| weights.at(row) * loss.loss(y, scores)).sum()
            };
            let best = total(&start);
            for output in 0..loss.width() {
                for step in [-0.3, -0.01, 0.01, 0.3] {
                    let mut moved = start.clone();
                    moved[output] += step;
                    assert!(total(&moved) >= best - 1e-9, "{} {start:?} {step}", loss.name());
                }
            }
        }
    }

    #[test]
    fn a_weighted_quantile() {
        let mut values = vec![(3.0, 1.0), (1.0, 1.0), (2.0, 2.0)];
        assert_eq!(weighted_quantile(&mut values, 0.5), 2.0);
        assert_eq!(weighted_quantile(&mut values, 0.2), 1.0);
        assert_eq!(weighted_quantile(&mut values, 1.0), 3.0);
    }

    #[test]
    fn two_classes_sum_to_one_and_never_overflow() {
        for score in [-800.0, -3.0, 0.0, 1e-9, 40.0, 1e308] {
            let mut p = [0.0; 2];
            Link::Logistic.respond(&[score], &mut p);
            assert!((p[0] + p[1] - 1.0).abs() < 1e-15 && p.iter().all(|p| (0.0..=1.0).contains(p)));
        }
    }
}
