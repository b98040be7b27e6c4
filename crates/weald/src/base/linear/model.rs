//! A linear model: scores that are sums over the columns of a design.

use std::sync::Arc;

use super::objective::score_of;
use super::softmax::{n_scores, softmax};
use crate::base::design::{Design, NOWHERE, read_row};
use crate::data::{Aligned, Schema, multiply};
use crate::describe::{Describe, Fact};
use crate::learner::Scalable;
use crate::loss::Link;
use crate::model::{Model, Output};
use crate::run::in_stretches;
use crate::scores::Scores;
use serde_json::json;

/// Rows that a thread predicts at a time.
const STRETCH: usize = 256;

/// Sums over the columns of a design, and what they mean.
///
/// A model of numbers has a score for each. A model of two classes has one, the log odds of the
/// second but for `scale`; of any other number of classes each has its own.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearModel {
    /// How columns become numbers and indicators.
    pub design: Arc<Design>,
    /// The coefficients of each score together: numbers, indicators, and the intercept last.
    pub coefficients: Vec<f64>,
    /// What scores are multiplied by to be logarithms of probabilities; 1 but for margins.
    pub scale: f64,
    /// What all training rows are together: the shares of the classes, or the means.
    pub prior: Vec<f64>,
    /// How many steps were taken to find the coefficients of a score, at the most.
    pub n_steps: u64,
    /// The columns of the training table.
    pub schema: Arc<Schema>,
    /// What it predicts.
    pub output: Output,
}

/// What is added to each score for one column of the design.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// The column, or the column and its level.
    pub name: String,
    /// What one unit of the column adds, or what the level adds; for each score.
    pub coefficients: Vec<f64>,
}

impl LinearModel {
    /// How many scores a model of this output has.
    pub fn n_scores(output: &Output) -> usize {
        match output {
            Output::Probabilities { classes } => n_scores(classes.len()),
            output => output.width(),
        }
    }

    /// The coefficients in the units of the columns, by name. A missing number counts as the mean of
    /// its column.
    pub fn terms(&self) -> Vec<Term> {
        let names = self.design.names(&self.schema);
        let deviations = self.design.standards().map(|standard| standard.deviation);
        let units = deviations.chain(std::iter::repeat(1.0));
        let term = |(column, (name, unit)): (usize, (String, f64))| Term {
            name,
            coefficients: self.of_scores().map(|own| own[column] / unit).collect(),
        };
        names.into_iter().zip(units).enumerate().map(term).collect()
    }

    /// What each score is where every number is 0 and every indicator is 0.
    pub fn intercepts(&self) -> Vec<f64> {
        let intercept = |own: &[f64]| {
            let numbers = own.iter().zip(self.design.standards());
            let at_means: f64 = numbers.map(|(w, s)| w * (s.mean / s.deviation)).sum();
            own[own.len() - 1] - at_means
        };
        self.of_scores().map(intercept).collect()
    }

    /// The scores of each row before they become predictions: margins, log odds or numbers.
    pub fn margins(&self, table: &Aligned<'_>) -> Scores {
        let width = LinearModel::n_scores(&self.output);
        self.of_rows(table, width, |margins, out| out.copy_from_slice(margins))
    }

    fn of_scores(&self) -> std::slice::ChunksExact<'_, f64> {
        self.coefficients.chunks_exact(self.design.width() + 1)
    }

    fn of_rows(
        &self,
        table: &Aligned<'_>,
        width: usize,
        respond: impl Fn(&[f64], &mut [f64]) + Send + Sync,
    ) -> Scores {
        let table = table.table();
        let mut scores = Scores::zeros(table.n_rows(), width);
        in_stretches(scores.values_mut(), STRETCH * width, |stretch, out| {
            let mut room = Room::of(self);
            let mut values = vec![0.0; table.n_columns()];
            for (at, out) in out.chunks_exact_mut(width).enumerate() {
                read_row(table, stretch * STRETCH + at, &mut values);
                self.write_margins(&values, &mut room);
                respond(&room.margins, out);
            }
        });
        scores
    }

    fn write_margins(&self, row: &[f64], room: &mut Room) {
        self.design.code(row, &mut room.numbers, &mut room.slots);
        for (margin, own) in room.margins.iter_mut().zip(self.of_scores()) {
            let sum = score_of(own, &room.numbers, &room.slots);
            *margin = if sum.is_finite() { sum } else { beyond(own, &room.numbers) };
        }
    }

    fn respond(&self, margins: &[f64], prediction: &mut [f64]) {
        let Output::Probabilities { classes } = &self.output else {
            return prediction.copy_from_slice(margins);
        };
        let scaled = |margin: f64| (self.scale * margin).clamp(-f64::MAX, f64::MAX);
        if classes.len() == 2 {
            Link::Logistic.respond(&[scaled(margins[0])], prediction);
        } else {
            let scaled: Vec<f64> = margins.iter().map(|&margin| scaled(margin)).collect();
            softmax(&scaled, prediction);
        }
    }
}

/// The largest number, or the smallest, where a sum is beyond them.
fn beyond(coefficients: &[f64], numbers: &[f64]) -> f64 {
    let small = |(w, z): (&f64, &f64)| (w * 1e-200) * z;
    let sum: f64 = coefficients.iter().zip(numbers).map(small).sum();
    if sum >= 0.0 { f64::MAX } else { f64::MIN }
}

/// Room for one row.
struct Room {
    numbers: Vec<f64>,
    slots: Vec<u32>,
    margins: Vec<f64>,
}

impl Room {
    fn of(model: &LinearModel) -> Room {
        let design = &model.design;
        Room {
            numbers: vec![0.0; design.n_numbers()],
            slots: vec![NOWHERE; design.n_slots()],
            margins: vec![0.0; LinearModel::n_scores(&model.output)],
        }
    }
}

impl Scalable for LinearModel {
    fn multiply(&mut self, exponent: i32) {
        multiply(&mut self.coefficients, exponent);
        multiply(&mut self.prior, exponent);
    }
}

impl Model for LinearModel {
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
        let mut room = Room::of(self);
        self.write_margins(row, &mut room);
        self.respond(&room.margins, scores);
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        self.of_rows(table, self.output.width(), |margins, out| self.respond(margins, out))
    }
}

impl Describe for LinearModel {
    fn n_stages(&self) -> usize {
        0
    }

    fn facts(&self) -> Vec<Fact> {
        let term = |term: Term| json!({ "name": term.name, "coefficients": term.coefficients });
        let terms: Vec<_> = self.terms().into_iter().map(term).collect();
        vec![
            ("intercepts", json!(self.intercepts())),
            ("scale", json!(self.scale)),
            ("terms", json!(terms)),
        ]
    }
}
