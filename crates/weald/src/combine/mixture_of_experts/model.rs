//! A fitted mixture of experts.

use std::sync::Arc;

use crate::base::linear::LinearModel;
use crate::data::{Aligned, Schema};
use crate::describe::{Describe, Fact, Part};
use crate::model::{Model, Output, ask};
use crate::scores::Scores;
use serde_json::json;

/// A gate, and experts that it believes in parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture<M> {
    /// How much each expert is believed, row by row.
    pub gate: LinearModel,
    /// The experts.
    pub experts: Vec<M>,
    /// The variance of each expert about each number that it says; none for classes.
    pub variances: Vec<Vec<f64>>,
    /// The mean log-likelihood of a training row after each round; it never falls.
    pub likelihoods: Vec<f64>,
    /// What would be said of a row of which nothing is known.
    pub prior: Vec<f64>,
    /// What it predicts.
    pub output: Output,
}

/// What so many experts are called, where the gate tells them apart.
pub fn expert_names(n_experts: usize) -> Arc<[String]> {
    (1..=n_experts).map(|expert| format!("expert {expert}")).collect()
}

impl<M> Mixture<M> {
    /// The same of what `f` makes of each expert; `None` if it makes nothing of one.
    pub fn map<N>(&self, f: impl FnMut(&M) -> Option<N>) -> Option<Mixture<N>> {
        Some(Mixture {
            gate: self.gate.clone(),
            experts: self.experts.iter().map(f).collect::<Option<_>>()?,
            variances: self.variances.clone(),
            likelihoods: self.likelihoods.clone(),
            prior: self.prior.clone(),
            output: self.output.clone(),
        })
    }

    /// How much the gate believes each expert, row by row.
    pub fn gate_probabilities(&self, table: &Aligned<'_>) -> Scores {
        self.gate.aligned_scores(table)
    }
}

impl<M: Model> Model for Mixture<M> {
    fn schema(&self) -> &Arc<Schema> {
        self.gate.schema()
    }

    fn output(&self) -> &Output {
        &self.output
    }

    fn is_sound(&self) -> bool {
        self.experts.iter().all(M::is_sound)
    }

    fn aligned_row(&self, row: &[f64], scores: &mut [f64]) {
        let mut gate = vec![0.0; self.experts.len()];
        self.gate.aligned_row(row, &mut gate);
        let mut answer = vec![0.0; scores.len()];
        scores.fill(0.0);
        for (expert, &belief) in self.experts.iter().zip(&gate) {
            expert.aligned_row(row, &mut answer);
            scores.iter_mut().zip(&answer).for_each(|(sum, x)| *sum += belief * x);
        }
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        let gate = self.gate.aligned_scores(table);
        let mut scores = Scores::zeros(table.table().n_rows(), self.output.width());
        for (at, expert) in self.experts.iter().enumerate() {
            let answers = ask(expert, table, || format!("expert {}", at + 1));
            let rows = scores.rows_mut().zip(gate.rows()).zip(answers.rows());
            for ((scores, gate), answer) in rows {
                scores.iter_mut().zip(answer).for_each(|(sum, x)| *sum += gate[at] * x);
            }
        }
        scores
    }
}

impl<M: Describe> Describe for Mixture<M> {
    fn parts(&self) -> Vec<Part<'_>> {
        self.experts.iter().map(|expert| Part::of(expert)).collect()
    }

    fn facts(&self) -> Vec<Fact> {
        vec![
            ("n_experts", json!(self.experts.len())),
            ("shares", json!(self.gate.prior)),
            ("variances", json!(self.variances)),
            ("log_likelihoods", json!(self.likelihoods)),
        ]
    }
}
