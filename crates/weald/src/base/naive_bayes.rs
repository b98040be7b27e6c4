//! Naive Bayes: the class under which the values of a row are most likely, each column taken as if
//! it knew nothing of the others (Maron 1961; Domingos & Pazzani 1997).
//!
//! `ln p(class | row) = ln p(class) + sum over columns of ln p(value | class) + what is the same for
//! all classes`. Numbers are normal in each class, with its own mean and variance; levels have their
//! shares in the class, smoothed. A missing value, or a level that training had none of, is left out
//! of the sum. It is fitted in one pass, and a good member of a mixed committee; its ranking of
//! classes is better than its probabilities, which are too sure.

use std::f64::consts::PI;
use std::sync::Arc;

use super::design::{Coding, Design, read_row};
use super::linear::softmax::softmax;
use super::row_sums::{FixedPoint, RowWeights};
use super::suspects::report_suspects;
use crate::data::{Aligned, Column, MISSING, Sample, Schema, Target};
use crate::describe::{Describe, Fact};
use crate::error::{Error, Result};
use crate::learner::Learner;
use crate::model::{Model, Output};
use crate::parameter::{Parameter, Parameters, out_of_range, parameter_list};
use crate::run::{Run, in_stretches};
use crate::scores::Scores;
use serde_json::json;

/// The share of the largest variance of a column that is added to every variance.
const FLOOR: f64 = 1e-9;
/// What is added to a variance at the most, in that of its own column.
const MOST_ADDED: f64 = 1e18;
/// Rows that a thread predicts at a time.
const STRETCH: usize = 256;

/// Fits naive Bayes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NaiveBayes {
    /// Rows of each class that each level is given beside its own.
    pub smoothing: f64,
}

/// How likely values are in each class. A column's numbers for the classes stand together.
#[derive(Debug, Clone, PartialEq)]
pub struct NaiveBayesModel {
    /// Which columns count, and how numbers are made alike.
    pub design: Arc<Design>,
    /// The logarithm of the share of each class; minus infinity if training had none of it.
    pub priors: Vec<f64>,
    /// The mean of each number in each class, in deviations of its column.
    pub means: Vec<f64>,
    /// Its variance, in that of its column.
    pub variances: Vec<f64>,
    /// The logarithm of the share of each indicator of a level in each class; 0 for missing values.
    pub levels: Vec<f64>,
    /// The columns of the training table.
    pub schema: Arc<Schema>,
    /// The classes.
    pub output: Output,
}

impl Default for NaiveBayes {
    fn default() -> NaiveBayes {
        NaiveBayes { smoothing: 1.0 }
    }
}

impl Learner for NaiveBayes {
    type Model = NaiveBayesModel;

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<NaiveBayesModel> {
        self.check()?;
        sample.check()?;
        let Target::Classes(labels) = sample.target else {
            return Err(Error::WrongTask {
                method: "naive-bayes".into(),
                expected: "classes",
                found: sample.target.words(),
                hint: "use ridge or nearest-neighbours for numbers",
            });
        };
        let weights = RowWeights::of(sample.weights, sample.n_rows())?;
        run.install(|| {
            report_suspects(sample, run);
            let design = Arc::new(Design::of(sample.table, &weights));
            let (n_columns, n_classes) = (design.width(), labels.n_classes());
            let bytes = n_columns.saturating_mul(n_classes).saturating_mul(3 * size_of::<f64>());
            run.needs(bytes, || format!("{n_columns} columns in {n_classes} classes"))?;
            let rows =
                Rows { codes: labels.codes(), n_classes: labels.n_classes(), weights: &weights };
            let widest = design.standards().map(|s| s.deviation).fold(0.0, f64::max);
            let (mut means, mut variances) = (Vec::new(), Vec::new());
            let mut levels = vec![0.0; design.n_indicators() * rows.n_classes];
            for (column, (coding, _, first)) in sample.table.columns().iter().zip(design.columns())
            {
                match (column, coding) {
                    (
                        Column::Numeric(numbers),
                        Coding::Numbers { standard: Some(standard), .. },
                    ) => {
                        let z: Vec<f64> = numbers.iter().map(|x| standard.of(x)).collect();
                        let ratio = widest / standard.deviation;
                        let added = (FLOOR * ratio * ratio).min(MOST_ADDED);
                        for (mean, variance) in rows.normals(&z) {
                            means.push(mean);
                            variances.push(variance + added);
                        }
                    }
                    (Column::Categorical(c), coding) if coding.n_levels() > 0 => {
                        let own = rows.level_shares(c.codes(), coding, self.smoothing);
                        levels[first * rows.n_classes..][..own.len()].copy_from_slice(&own);
                    }
                    _ => {}
                }
            }
            let total = weights.total();
            let share = |class| libm::log(weights.weight_of(|row| rows.is(row, class)) / total);
            let priors = (0..rows.n_classes).map(share).collect();
            let (schema, output) = (sample.table.schema().clone(), Output::of(sample.target));
            Ok(NaiveBayesModel { design, priors, means, variances, levels, schema, output })
        })
    }

    fn prepare(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<()> {
        report_suspects(sample, run);
        Ok(())
    }
}

/// The classes of the rows, and how much they count.
struct Rows<'a> {
    codes: &'a [u32],
    n_classes: usize,
    weights: &'a RowWeights,
}

impl Rows<'_> {
    fn is(&self, row: usize, class: usize) -> bool {
        self.codes[row] as usize == class
    }

    /// The mean and the variance of a number in each class; those of the whole column, 0 and 1,
    /// where a class has none.
    fn normals(&self, z: &[f64]) -> Vec<(f64, f64)> {
        let reach = self.weights.largest(|row| Some(z[row].abs()).filter(|z| !z.is_nan()));
        let means = self.means(reach, |row| z[row]);
        let mean_of = |row: usize| means[self.codes[row] as usize].unwrap_or(0.0);
        let square = |row: usize| (z[row] - mean_of(row)) * (z[row] - mean_of(row));
        let variances = self.means(4.0 * reach * reach, square);
        let both = means.iter().zip(variances);
        both.map(|(mean, variance)| (mean.unwrap_or(0.0), variance.unwrap_or(1.0))).collect()
    }

    /// The mean over each class of a number that rows may have, of at most `bound` in size.
    fn means(&self, bound: f64, number: impl Fn(usize) -> f64) -> Vec<Option<f64>> {
        let fixed = FixedPoint::for_largest(bound);
        let mut sums = vec![(0i128, 0i128); self.n_classes];
        for row in 0..self.codes.len() {
            let x = number(row);
            if !x.is_nan() && self.weights.counts(row) {
                let (weight, sum) = &mut sums[self.codes[row] as usize];
                *weight += self.weights.units(row);
                *sum += self.weights.units(row) * i128::from(fixed.units(x));
            }
        }
        let mean = |(weight, sum): &(i128, i128)| {
            (*weight > 0).then(|| fixed.number(*sum) / *weight as f64)
        };
        sums.iter().map(mean).collect()
    }

    /// The logarithm of the share of each level of a column in each class.
    fn level_shares(&self, codes: &[u32], coding: &Coding, smoothing: f64) -> Vec<f64> {
        let (n_levels, n_classes) = (coding.n_levels(), self.n_classes);
        let mut sums = vec![0i128; n_levels * n_classes];
        let mut totals = vec![0i128; n_classes];
        for (row, &code) in codes.iter().enumerate().filter(|(_, code)| **code != MISSING) {
            if let Some(level) = coding.indicator(code.into()) {
                let class = self.codes[row] as usize;
                sums[level * n_classes + class] += self.weights.units(row);
                totals[class] += self.weights.units(row);
            }
        }
        let weight = |units: i128| self.weights.weight(units);
        let share = |(at, &units): (usize, &i128)| {
            let all = weight(totals[at % n_classes]) + smoothing * n_levels as f64;
            libm::log((weight(units) + smoothing) / all)
        };
        sums.iter().enumerate().map(share).collect()
    }
}

impl NaiveBayesModel {
    /// Writes the probabilities of a row; `logs` is room for the logarithms of the classes.
    fn respond(&self, row: &[f64], logs: &mut [f64], probabilities: &mut [f64]) {
        let n_classes = self.priors.len();
        logs.copy_from_slice(&self.priors);
        for ((coding, number, first), &x) in self.design.columns().zip(row) {
            if let Some(standard) = coding.standard() {
                let z = standard.of(x);
                if !z.is_nan() {
                    let means = &self.means[number * n_classes..][..n_classes];
                    let variances = &self.variances[number * n_classes..][..n_classes];
                    for ((log, mean), variance) in logs.iter_mut().zip(means).zip(variances) {
                        let far = (z - mean) * (z - mean) / variance;
                        *log -= 0.5 * (libm::log(2.0 * PI * variance) + far);
                    }
                }
            } else if let Some(own) = coding.indicator(x) {
                let shares = &self.levels[(first + own) * n_classes..][..n_classes];
                logs.iter_mut().zip(shares).for_each(|(log, share)| *log += share);
            }
        }
        softmax(logs, probabilities);
    }
}

impl Model for NaiveBayesModel {
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
        self.respond(row, &mut vec![0.0; scores.len()], scores);
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        let (table, width) = (table.table(), self.output.width());
        let mut scores = Scores::zeros(table.n_rows(), width);
        in_stretches(scores.values_mut(), STRETCH * width, |stretch, out| {
            let (mut values, mut logs) = (vec![0.0; table.n_columns()], vec![0.0; width]);
            for (at, out) in out.chunks_exact_mut(width).enumerate() {
                read_row(table, stretch * STRETCH + at, &mut values);
                self.respond(&values, &mut logs, out);
            }
        });
        scores
    }
}

impl Describe for NaiveBayesModel {
    fn n_stages(&self) -> usize {
        0
    }

    fn facts(&self) -> Vec<Fact> {
        let priors: Vec<f64> = self.priors.iter().map(|log| log.exp()).collect();
        vec![("priors", json!(priors))]
    }
}

impl Parameters for NaiveBayes {
    fn method(&self) -> &'static str {
        "naive-bayes"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
            smoothing: "rows of each class that each level is given beside its own",
        ]
    }

    fn check(&self) -> Result<()> {
        if !self.smoothing.is_finite() || self.smoothing <= 0.0 {
            return out_of_range("smoothing", self.smoothing, "above 0");
        }
        Ok(())
    }
}
