//! Rules that make one answer of many (Kuncheva 2004, *Combining Pattern Classifiers*, chapters 4
//! and 5).
//!
//! The mean is the rule to prefer where members know how sure they are, the vote where they do not.
//! The median and the trimmed mean bear members that are far off; the minimum and the product let
//! one member forbid a class, the maximum lets one member bring it about. Borda's count uses the
//! whole order of the classes, not how far apart they are.
//!
//! Probabilities sum to one after every rule. Where a rule leaves nothing of any class, the mean
//! decides.

use super::spread::{trimmed_mean, weighted_median};
use crate::error::{Error, Result};
use crate::model::Output;
use crate::parameter::{Value, out_of_range};
use crate::scores::{Scores, argmax};

/// How the answers of an ensemble's members become one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Combiner {
    /// The weighted mean of the members' scores.
    Mean,
    /// The weighted share of members that vote for each class.
    Vote,
    /// The weighted median of the members' scores.
    Median,
    /// The lowest of the members' scores.
    Minimum,
    /// The highest of the members' scores.
    Maximum,
    /// The weighted geometric mean of the members' probabilities.
    Product,
    /// The weighted mean without such a share of the weight at either end.
    TrimmedMean(f64),
    /// For each class the weighted number of classes that members rank below it; equals share.
    Borda,
}

impl Combiner {
    /// The rules without a number, by name.
    const NAMED: [(&str, Combiner); 7] = [
        ("mean", Combiner::Mean),
        ("vote", Combiner::Vote),
        ("median", Combiner::Median),
        ("min", Combiner::Minimum),
        ("max", Combiner::Maximum),
        ("product", Combiner::Product),
        ("borda", Combiner::Borda),
    ];

    /// One answer from one or more of equal shape, all of such an output. Rules that are sums take
    /// them one after the other, so that only one need be there at a time.
    pub fn combine(
        self,
        answers: impl IntoIterator<Item = Scores>,
        weights: &[f64],
        output: &Output,
    ) -> Scores {
        let mut combining = Combining::new(self, weights, output);
        for (answer, &weight) in answers.into_iter().zip(weights) {
            combining.add(answer, weight);
        }
        combining.finish()
    }

    /// Makes of what a member says what is averaged: a vote for its class is 1 there, 0 elsewhere.
    pub fn count(self, answer: &mut [f64]) {
        match self {
            Combiner::Vote => {
                let class = argmax(answer);
                answer.fill(0.0);
                answer[class] = 1.0;
            }
            Combiner::Borda => rank(answer),
            _ => {}
        }
    }

    /// Whether it has a meaning for classes alone.
    pub fn needs_classes(self) -> bool {
        matches!(self, Combiner::Vote | Combiner::Product | Combiner::Borda)
    }

    /// Whether the answers to rows out of the bag can be added up as members come.
    pub fn is_sum(self) -> bool {
        matches!(self, Combiner::Mean | Combiner::Vote | Combiner::Borda)
    }

    /// Whether its number is in range.
    pub fn check(self) -> Result<()> {
        match self {
            Combiner::TrimmedMean(share) if !(share > 0.0 && share < 0.5) => {
                out_of_range("combine", self.show(), "a share above 0 and below 0.5 to trim")
            }
            _ => Ok(()),
        }
    }

    /// Whether it can combine such outputs.
    pub fn check_output(self, output: &Output) -> Result<()> {
        match output {
            Output::Probabilities { .. } => Ok(()),
            // The shares of each output must still sum to one.
            Output::SeveralProbabilities { .. } if self != Combiner::Mean => {
                Err(Error::WrongTask {
                    method: format!("combine={}", self.show()),
                    expected: "one class or number a row",
                    found: "several classes a row",
                    hint: "use combine=mean",
                })
            }
            Output::SeveralProbabilities { .. } => Ok(()),
            _ if self.needs_classes() => Err(Error::WrongTask {
                method: match self {
                    Combiner::Vote => "a vote".into(),
                    _ => format!("combine={}", self.show()),
                },
                expected: "classes",
                found: "numbers",
                hint: "use combine=mean",
            }),
            _ => Ok(()),
        }
    }

    /// One row's answer of a rule that needs all of them side by side.
    fn of_row(self, answers: &[&[f64]], weights: &[f64], output: &Output, row: &mut [f64]) {
        let column = |at: usize| -> Vec<(f64, f64)> {
            let heavy = answers.iter().zip(weights).filter(|(_, w)| **w > 0.0);
            heavy.map(|(answer, &weight)| (answer[at], weight)).collect()
        };
        let lowest = |values: &[(f64, f64)]| values.iter().fold(f64::INFINITY, |a, x| a.min(x.0));
        for (at, to) in row.iter_mut().enumerate() {
            let mut values = column(at);
            *to = match self {
                Combiner::Median => weighted_median(&mut values),
                Combiner::TrimmedMean(share) => trimmed_mean(&mut values, share),
                Combiner::Minimum => lowest(&values),
                Combiner::Maximum => values.iter().fold(f64::NEG_INFINITY, |a, x| a.max(x.0)),
                Combiner::Product => mean_log(&values),
                Combiner::Mean | Combiner::Vote | Combiner::Borda => mean(&values),
            };
        }
        if self == Combiner::Product {
            let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let is_left = largest > f64::NEG_INFINITY;
            let part = |x: f64| if is_left { libm::exp(x - largest) } else { 0.0 };
            row.iter_mut().for_each(|x| *x = part(*x));
        }
        if let Output::Probabilities { .. } = output {
            if row.iter().all(|&x| x == 0.0) {
                row.iter_mut().enumerate().for_each(|(at, x)| *x = mean(&column(at)));
            }
            let total: f64 = row.iter().sum();
            row.iter_mut().for_each(|x| *x /= total);
        }
    }
}

impl Value for Combiner {
    fn show(&self) -> String {
        match self {
            Combiner::TrimmedMean(share) => format!("trimmed-mean:{share}"),
            plain => {
                let found = Combiner::NAMED.iter().find(|(_, rule)| rule == plain);
                found.map_or(String::new(), |(name, _)| (*name).into())
            }
        }
    }

    fn parse(&mut self, text: &str) -> bool {
        let named = Combiner::NAMED.iter().find(|(name, _)| *name == text).map(|(_, rule)| *rule);
        let trimmed = || {
            let share = text.strip_prefix("trimmed-mean:")?.parse::<f64>().ok()?;
            share.is_finite().then_some(Combiner::TrimmedMean(share))
        };
        match named.or_else(trimmed) {
            Some(rule) => {
                *self = rule;
                true
            }
            None => false,
        }
    }

    fn expected(&self) -> String {
        "mean, vote, median, min, max, product, trimmed-mean:0.2 or borda".into()
    }
}

/// Answers on their way to one.
#[derive(Debug, Clone)]
pub struct Combining {
    combiner: Combiner,
    output: Output,
    /// What weights are multiplied by.
    unit: f64,
    /// The weight of the answers so far.
    total: f64,
    sums: Option<Scores>,
    /// The answers so far with their weights, where the rule needs them all.
    kept: Vec<(Scores, f64)>,
}

impl Combining {
    /// No answer yet, of members with these weights and such an output.
    pub fn new(combiner: Combiner, weights: &[f64], output: &Output) -> Combining {
        let unit = unit(weights.iter().sum());
        Combining { combiner, output: output.clone(), unit, total: 0.0, sums: None, kept: vec![] }
    }

    /// Adds an answer. All have the same shape.
    pub fn add(&mut self, mut answer: Scores, weight: f64) {
        self.total += weight;
        if !self.combiner.is_sum() {
            self.kept.push((answer, weight));
            return;
        }
        let zeros = || Scores::zeros(answer.n_rows(), answer.width());
        let sums = self.sums.get_or_insert_with(zeros).rows_mut();
        for (sums, row) in sums.zip(answer.rows_mut()) {
            self.combiner.count(row);
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += self.unit * weight * *x);
        }
    }

    /// The answer of those that were added; NaN if they weigh nothing.
    pub fn finish(self) -> Scores {
        if !self.combiner.is_sum() {
            return self.combine_kept();
        }
        let mut combined = self.sums.unwrap_or_else(|| Scores::zeros(0, 1));
        let mean = |sum: f64| (sum / (self.unit * self.total)).clamp(f64::MIN, f64::MAX);
        combined.values_mut().iter_mut().for_each(|sum| *sum = mean(*sum));
        combined
    }

    fn combine_kept(self) -> Scores {
        let (answers, weights): (Vec<Scores>, Vec<f64>) = self.kept.into_iter().unzip();
        let Some(first) = answers.first() else { return Scores::zeros(0, 1) };
        let mut combined = Scores::zeros(first.n_rows(), first.width());
        if self.total == 0.0 {
            combined.values_mut().fill(f64::NAN);
            return combined;
        }
        for (at, row) in combined.rows_mut().enumerate() {
            let of_row: Vec<&[f64]> = answers.iter().map(|answer| answer.row(at)).collect();
            self.combiner.of_row(&of_row, &weights, &self.output, row);
        }
        combined
    }
}

/// Borda's count of one ranking, as a share of all points: each class has a point for each class
/// below it and half a point for each equal one.
fn rank(answer: &mut [f64]) {
    let n = answer.len();
    if n == 1 {
        answer[0] = 1.0;
        return;
    }
    let points = |x: f64| -> f64 {
        let below = answer.iter().filter(|&&other| other < x).count() as f64;
        let equal = answer.iter().filter(|&&other| other == x).count() as f64 - 1.0;
        below + 0.5 * equal
    };
    let points: Vec<f64> = answer.iter().map(|&x| points(x)).collect();
    let all = (n * (n - 1)) as f64 / 2.0;
    answer.iter_mut().zip(points).for_each(|(to, points)| *to = points / all);
}

fn mean(values: &[(f64, f64)]) -> f64 {
    let total: f64 = values.iter().map(|(_, weight)| weight).sum();
    values.iter().map(|(x, weight)| x * (weight / total)).sum()
}

/// The logarithm of the weighted geometric mean.
fn mean_log(values: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = values.iter().map(|&(x, w)| (libm::log(x), w)).collect();
    mean(&logs)
}

/// What weights are multiplied by so that no sum of finite numbers is infinite: a power of two, so
/// that nothing else changes.
fn unit(total: f64) -> f64 {
    let mut unit = 1.0;
    while unit * total > 0.5 {
        unit *= 0.5;
    }
    unit
}

#[cfg(test)]
mod tests;
