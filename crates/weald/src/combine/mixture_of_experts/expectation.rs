//! Expectation: how much each expert answers for each row, and how likely the rows are.

use crate::base::row_sums::RowWeights;
use crate::data::{Sample, Target, Weights};
use crate::exact_sum::ExactSum;
use crate::scores::Scores;

/// A class that an expert holds to be impossible is this likely.
const LEAST_PROBABILITY: f64 = 1e-15;
/// The least variance of an expert, as a share of that of all rows: one that foresees a row exactly
/// would be infinitely likely.
const LEAST_VARIANCE: f64 = 1e-6;

/// How much each expert answers for each row: a row's shares together, which sum to 1.
pub struct Responsibilities {
    shares: Vec<f64>,
    n_experts: usize,
}

/// How likely targets are.
pub struct Likelihood<'a> {
    target: &'a Target,
    /// The least variance of each output; none for classes.
    least_variances: Vec<f64>,
}

impl Responsibilities {
    /// Most of each row is its nearest expert's, the others share the rest.
    pub fn of_nearest(
        nearest: impl Iterator<Item = usize>,
        n_experts: usize,
        most: f64,
    ) -> Responsibilities {
        let rest = (1.0 - most) / (n_experts - 1).max(1) as f64;
        let share = |expert: usize, nearest: usize| match (n_experts, expert == nearest) {
            (1, _) => 1.0,
            (_, true) => most,
            (_, false) => rest,
        };
        let shares = nearest.flat_map(|own| (0..n_experts).map(move |expert| share(expert, own)));
        Responsibilities { shares: shares.collect(), n_experts }
    }

    /// All of them, row after row.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    fn at(&self, row: usize, expert: usize) -> f64 {
        self.shares[row * self.n_experts + expert]
    }

    /// The part of each row's weight that is an expert's.
    pub fn weights(&self, expert: usize, weights: &Weights) -> Weights {
        let n_rows = self.shares.len() / self.n_experts;
        Weights::Real((0..n_rows).map(|row| weights.at(row) * self.at(row, expert)).collect())
    }

    /// The share of all weight that is an expert's.
    pub fn share(&self, expert: usize, weights: &RowWeights) -> f64 {
        mean(weights, 1.0, |row| self.at(row, expert))
    }

    /// The same of each expert.
    pub fn all_shares(&self, weights: &RowWeights) -> Vec<f64> {
        let shares: Vec<f64> = (0..self.n_experts).map(|at| self.share(at, weights)).collect();
        let total: f64 = shares.iter().sum();
        shares.iter().map(|share| share / total).collect()
    }

    /// The part of the expected log-likelihood that is the gate's, by weight.
    pub fn gate_part(&self, gate: &Scores, weights: &RowWeights) -> f64 {
        let log = |p: f64| libm::log(p.max(f64::MIN_POSITIVE));
        let part = |row: usize| {
            let own = gate.row(row).iter().enumerate();
            own.map(|(expert, &p)| self.at(row, expert) * log(p)).sum()
        };
        mean(weights, -log(0.0), part)
    }
}

impl<'a> Likelihood<'a> {
    /// Of the targets of a sample.
    pub fn of(sample: &Sample<'a>) -> Likelihood<'a> {
        let target = sample.target;
        let outputs: Vec<Vec<f64>> = match target {
            Target::Classes(_) | Target::SeveralClasses(_) => Vec::new(),
            Target::Numbers(values) => vec![values.to_vec()],
            Target::Several(several) => {
                (0..several.n_outputs()).map(|output| several.output(output)).collect()
            }
        };
        let least = |values: &Vec<f64>| {
            let range = |of: fn(f64, f64) -> f64| values.iter().copied().reduce(of).unwrap_or(0.0);
            let half = 0.5 * range(f64::max) - 0.5 * range(f64::min);
            (LEAST_VARIANCE * half * half).max(f64::MIN_POSITIVE)
        };
        Likelihood { target, least_variances: outputs.iter().map(least).collect() }
    }

    /// The logarithm of how likely an expert holds a row's target to be.
    fn log(&self, row: usize, answer: &[f64], variances: &[f64]) -> f64 {
        match self.target {
            Target::Classes(labels) => {
                libm::log(answer[labels.codes()[row] as usize].max(LEAST_PROBABILITY))
            }
            Target::Numbers(values) => log_normal(values[row] - answer[0], variances[0]),
            Target::Several(several) => {
                let outputs = several.row(row).iter().zip(answer).zip(variances);
                outputs.map(|((y, f), &variance)| log_normal(y - f, variance)).sum()
            }
            Target::SeveralClasses(several) => several
                .places(row)
                .map(|place| libm::log(answer[place].max(LEAST_PROBABILITY)))
                .sum(),
        }
    }

    /// The variances of an expert that make its rows most likely, and how likely these then are: its
    /// part of the expected log-likelihood, by weight.
    pub fn of_expert(
        &self,
        answers: &Scores,
        (responsibilities, expert, weights): (&Responsibilities, usize, &RowWeights),
    ) -> (Vec<f64>, f64) {
        let share = responsibilities.share(expert, weights);
        let variance = |(output, &least): (usize, &f64)| {
            let y = |row: usize| match self.target {
                Target::Several(several) => several.row(row)[output],
                Target::Numbers(values) => values[row],
                Target::Classes(_) | Target::SeveralClasses(_) => 0.0,
            };
            let square = |row: usize| {
                let off = y(row) - answers.row(row)[output];
                responsibilities.at(row, expert) * (off * off).min(f64::MAX)
            };
            let largest = (0..answers.n_rows()).map(square).fold(0.0, f64::max);
            (mean(weights, largest, square) / share).max(least)
        };
        let variances: Vec<f64> = self.least_variances.iter().enumerate().map(variance).collect();
        let part = |row: usize| {
            responsibilities.at(row, expert) * self.log(row, answers.row(row), &variances)
        };
        let largest = (0..answers.n_rows()).map(|row| part(row).abs()).fold(0.0, f64::max);
        let part = mean(weights, largest, part);
        (variances, part)
    }

    /// How much each expert answers for each row, given the gate, and the mean log-likelihood of a
    /// row (Jordan & Jacobs 1994, eq. 8 and 14).
    pub fn expectation(
        &self,
        gate: &Scores,
        experts: &[(Scores, Vec<f64>)],
        weights: &RowWeights,
    ) -> (Responsibilities, f64) {
        let (n_rows, n_experts) = (gate.n_rows(), experts.len());
        let mut shares = Vec::with_capacity(n_rows * n_experts);
        let mut logs = Vec::with_capacity(n_rows);
        for row in 0..n_rows {
            let joint = |(expert, (answers, variances)): (usize, &(Scores, Vec<f64>))| {
                let prior = libm::log(gate.row(row)[expert].max(f64::MIN_POSITIVE));
                prior + self.log(row, answers.row(row), variances)
            };
            let joint: Vec<f64> = experts.iter().enumerate().map(joint).collect();
            let most = joint.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let parts: Vec<f64> = joint.iter().map(|log| libm::exp(log - most)).collect();
            let total: f64 = parts.iter().sum();
            shares.extend(parts.iter().map(|part| part / total));
            logs.push(most + libm::log(total));
        }
        let largest = logs.iter().fold(0.0, |a: f64, log| a.max(log.abs()));
        let likelihood = mean(weights, largest, |row| logs[row]);
        (Responsibilities { shares, n_experts }, likelihood)
    }
}

fn log_normal(off: f64, variance: f64) -> f64 {
    let square = (off * off / variance).min(f64::MAX);
    -0.5 * (libm::log(2.0 * std::f64::consts::PI * variance) + square)
}

/// A weighted mean over rows, the same in any order, of numbers up to `largest` in size.
fn mean(weights: &RowWeights, largest: f64, of: impl Fn(usize) -> f64) -> f64 {
    // An expert that is infinitely wrong must not carry the sum over its end.
    let exact = ExactSum::for_largest(largest.min(f64::MAX));
    let finite = |row: usize| of(row).clamp(-f64::MAX, f64::MAX);
    // Weights of 44 bits leave no room in the sum: they are shares of the whole, as real numbers.
    let share = |row: usize| weights.weight(weights.units(row)) / weights.total();
    let sum: i128 = (0..weights.n_rows()).map(|row| exact.units(share(row) * finite(row))).sum();
    exact.value(sum)
}
