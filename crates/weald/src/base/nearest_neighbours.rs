//! Nearest neighbours: the classes, or the mean, of the training rows most like a row (Fix & Hodges
//! 1951; Cover & Hart 1967).
//!
//! The model is the training rows, so that fitting is quick and predicting is not. To be preferred
//! where few columns matter, all of them alike, and the target follows no simple form; and in mixed
//! committees. What is near is told in `base/neighbours`. A count of two is two rows; a real weight
//! makes a row's vote heavier, and the row is still one of `k`.

use std::sync::Arc;

use super::design::{Design, DesignRows, read_row};
use super::neighbours::{Near, Nearest, Neighbours};
use super::row_sums::RowWeights;
use super::suspects::report_suspects;
use crate::data::{Aligned, Sample, Schema, Target};
use crate::describe::{Describe, Fact};
use crate::error::Result;
use crate::exact_sum::ExactSum;
use crate::learner::Learner;
use crate::model::{Model, Output};
use crate::parameter::{Parameter, Parameters, out_of_range, parameter_list};
use crate::run::{Run, in_stretches};
use crate::scores::Scores;
use serde_json::json;

/// Rows that are predicted together.
const BATCH: usize = 32;

/// Fits nearest neighbours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearestNeighbours {
    /// How many rows answer.
    pub k: usize,
}

/// The training rows, in an order of their own, equal ones together.
#[derive(Debug, Clone, PartialEq)]
pub struct NeighboursModel {
    /// How many rows answer.
    pub k: usize,
    /// The rows.
    pub neighbours: Neighbours,
    /// What each copy of each row weighs.
    pub weights: Vec<f64>,
    /// The targets of each row together: the code of its class, or its numbers.
    pub targets: Vec<f64>,
    /// The columns of the training table.
    pub schema: Arc<Schema>,
    /// What it predicts.
    pub output: Output,
}

impl Default for NearestNeighbours {
    fn default() -> NearestNeighbours {
        NearestNeighbours { k: 5 }
    }
}

impl Learner for NearestNeighbours {
    type Model = NeighboursModel;

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<NeighboursModel> {
        self.check()?;
        sample.check()?;
        let weights = RowWeights::of(sample.weights, sample.n_rows())?;
        run.install(|| {
            report_suspects(sample, run);
            let design = Arc::new(Design::of(sample.table, &weights));
            // All rows, and those that are kept.
            design.needs(sample.n_rows(), 2, run)?;
            let all = Neighbours::of(&design, sample.table, vec![1; sample.n_rows()]);
            let targets = targets(sample.target);
            let (rows, kept) = in_order(all.rows(), &targets, sample);
            let (schema, output) = (sample.table.schema().clone(), Output::of(sample.target));
            Ok(NeighboursModel {
                k: self.k,
                neighbours: all.take(&rows, kept.copies),
                weights: kept.weights,
                targets: kept.targets,
                schema,
                output,
            })
        })
    }

    fn prepare(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<()> {
        report_suspects(sample, run);
        Ok(())
    }
}

/// How often rows stand there, what they weigh and what they are.
#[derive(Default)]
struct Kept {
    copies: Vec<u32>,
    weights: Vec<f64>,
    targets: Vec<f64>,
}

/// Those rows that count, in an order that is theirs alone, equal ones as copies of one.
fn in_order(rows: &DesignRows, targets: &[f64], sample: &Sample<'_>) -> (Vec<usize>, Kept) {
    let width = targets.len() / rows.n_rows();
    let of_row = |row: usize| {
        let targets = &targets[row * width..][..width];
        (rows.numbers(row), rows.slots(row), targets, sample.weights.copies(row).1)
    };
    let compare = |&a: &usize, &b: &usize| {
        let (a, b) = (of_row(a), of_row(b));
        let numbers = |a: &[f64], b: &[f64]| {
            let pairs = a.iter().zip(b).map(|(a, b)| a.total_cmp(b));
            pairs.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        };
        let rest = || a.1.cmp(b.1).then_with(|| numbers(a.2, b.2)).then(a.3.total_cmp(&b.3));
        numbers(a.0, b.0).then_with(rest)
    };
    let counts = |&row: &usize| sample.weights.at(row) > 0.0;
    let mut order: Vec<usize> = (0..rows.n_rows()).filter(counts).collect();
    order.sort_unstable_by(compare);
    let (mut kept, mut first_of) = (Kept::default(), Vec::new());
    for row in order {
        let copies = sample.weights.copies(row).0;
        if let (Some(first), Some(own)) = (first_of.last(), kept.copies.last_mut())
            && compare(first, &row).is_eq()
            && let Some(sum) = own.checked_add(copies)
        {
            *own = sum;
            continue;
        }
        first_of.push(row);
        kept.copies.push(copies);
        kept.weights.push(sample.weights.copies(row).1);
        kept.targets.extend(of_row(row).2);
    }
    (first_of, kept)
}

/// The targets of each row together.
fn targets(target: &Target) -> Vec<f64> {
    match target {
        Target::Classes(labels) => labels.codes().iter().map(|&code| code.into()).collect(),
        Target::Numbers(values) => values.iter().map(|y| y + 0.0).collect(),
        Target::Several(several) => {
            (0..several.n_rows()).flat_map(|row| several.row(row)).map(|y| y + 0.0).collect()
        }
        Target::SeveralClasses(_) => unreachable!("Sample::check has refused several classes"),
    }
}

impl NeighboursModel {
    /// How many targets a row has.
    pub fn n_targets(output: &Output) -> usize {
        match output {
            Output::Probabilities { .. } => 1,
            output => output.width(),
        }
    }

    /// How many training rows are kept, equal ones as one.
    pub fn n_rows(&self) -> usize {
        self.weights.len()
    }

    /// What all training rows say together.
    pub fn prior(&self) -> Vec<f64> {
        let near = |row| Near { row, distance: 0.0, is_last: false };
        let all = Nearest { rows: (0..self.n_rows()).map(near).collect(), last_share: 1.0 };
        self.said_by(&all)
    }

    /// What the nearest rows say together.
    pub fn said_by(&self, nearest: &Nearest) -> Vec<f64> {
        let mut said = vec![0.0; self.output.width()];
        self.respond(nearest, &mut said);
        said
    }

    /// Writes what the nearest rows say together.
    fn respond(&self, nearest: &Nearest, prediction: &mut [f64]) {
        match &self.output {
            Output::Probabilities { .. } => self.shares(nearest, prediction),
            _ => {
                for (at, prediction) in prediction.iter_mut().enumerate() {
                    *prediction = self.mean(nearest, at);
                }
            }
        }
    }

    /// The share of each class in the votes.
    fn shares(&self, nearest: &Nearest, shares: &mut [f64]) {
        let weight = self.weight_among(nearest);
        let exact = ExactSum::for_largest(1.0);
        // Votes of those before the last distance, and of those at it.
        let mut votes = vec![[0i128; 2]; shares.len()];
        for near in &nearest.rows {
            let vote = self.copies(near.row) * exact.units(weight(near.row));
            votes[self.targets[near.row] as usize][usize::from(near.is_last)] += vote;
        }
        let value = |[before, last]: [i128; 2]| {
            exact.value(before) + nearest.last_share * exact.value(last)
        };
        let add = |[a, b]: [i128; 2], own: &[i128; 2]| [a + own[0], b + own[1]];
        let total = value(votes.iter().fold([0, 0], add));
        shares.iter_mut().zip(votes).for_each(|(share, own)| *share = value(own) / total);
    }

    /// The weighted mean of a target.
    fn mean(&self, nearest: &Nearest, at: usize) -> f64 {
        let width = NeighboursModel::n_targets(&self.output);
        let weight = self.weight_among(nearest);
        let weighted = |row: usize| weight(row) * self.targets[row * width + at];
        let sizes = nearest.rows.iter().map(|near| weighted(near.row).abs());
        let exact = ExactSum::for_largest(sizes.fold(0.0, f64::max));
        let exact_weight = ExactSum::for_largest(1.0);
        let (mut sums, mut weights) = ([0i128; 2], [0i128; 2]);
        for near in &nearest.rows {
            let which = usize::from(near.is_last);
            sums[which] += self.copies(near.row) * exact.units(weighted(near.row));
            weights[which] += self.copies(near.row) * exact_weight.units(weight(near.row));
        }
        let total =
            exact_weight.value(weights[0]) + nearest.last_share * exact_weight.value(weights[1]);
        let mean = exact.mean(sums[0], total) + nearest.last_share * exact.mean(sums[1], total);
        // Where all are the largest there is, a sum of shares may be rounded up.
        mean.clamp(f64::MIN, f64::MAX)
    }

    /// What a row weighs, by the heaviest of some.
    fn weight_among(&self, nearest: &Nearest) -> impl Fn(usize) -> f64 {
        let weights = nearest.rows.iter().map(|near| self.weights[near.row]);
        let most = weights.fold(0.0, f64::max);
        move |row| self.weights[row] / most
    }

    fn copies(&self, row: usize) -> i128 {
        self.neighbours.copies()[row].into()
    }
}

impl Model for NeighboursModel {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn output(&self) -> &Output {
        &self.output
    }

    fn is_sound(&self) -> bool {
        true
    }

    fn aligned_row(&self, row: &[f64], scores: &mut [f64]) {
        self.respond(&self.neighbours.nearest(row, self.k), scores);
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        let (table, width) = (table.table(), self.output.width());
        let n_columns = table.n_columns();
        let mut scores = Scores::zeros(table.n_rows(), width);
        in_stretches(scores.values_mut(), BATCH * width, |batch, out| {
            let mut values = vec![0.0; out.len() / width * n_columns];
            for (at, values) in values.chunks_exact_mut(n_columns).enumerate() {
                read_row(table, batch * BATCH + at, values);
            }
            let nearest = self.neighbours.nearest_of(values.chunks_exact(n_columns), self.k);
            for (nearest, out) in nearest.iter().zip(out.chunks_exact_mut(width)) {
                self.respond(nearest, out);
            }
        });
        scores
    }
}

impl Describe for NeighboursModel {
    fn n_stages(&self) -> usize {
        0
    }

    fn facts(&self) -> Vec<Fact> {
        vec![("k", json!(self.k)), ("n_kept_rows", json!(self.n_rows()))]
    }
}

impl Parameters for NearestNeighbours {
    fn method(&self) -> &'static str {
        "nearest-neighbours"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
            k: "how many rows answer; those as far as the last share what is left",
        ]
    }

    fn check(&self) -> Result<()> {
        if self.k == 0 {
            return out_of_range("k", 0, "at least 1");
        }
        Ok(())
    }
}
