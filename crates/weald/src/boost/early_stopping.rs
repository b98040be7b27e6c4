//! Ending when held-out rows stop gaining.

use super::gradient_boosting::GradientBoosting;
use crate::data::folds::hold_out;
use crate::data::{Sample, Weights};
use crate::error::Result;
use crate::loss::Loss;
use crate::seed::Seed;

/// Held-out rows and their loss, round by round.
pub struct EarlyStopping {
    rows: Vec<usize>,
    patience: usize,
    losses: Vec<f64>,
}

impl EarlyStopping {
    /// Holds rows out, stratified, if the settings ask for it.
    pub fn of(
        settings: &GradientBoosting,
        sample: &Sample<'_>,
        seed: Seed,
    ) -> Result<Option<EarlyStopping>> {
        let Some(patience) = settings.early_stopping_rounds else { return Ok(None) };
        let (_, rows) = hold_out(sample.target, settings.validation_share, seed)?;
        Ok(Some(EarlyStopping { rows, patience, losses: Vec::new() }))
    }

    /// The weights without the held-out rows.
    pub fn training_weights(&self, weights: &Weights, n_rows: usize) -> Weights {
        match weights {
            Weights::Real(weights) => {
                let mut weights = weights.to_vec();
                self.rows.iter().for_each(|&row| weights[row] = 0.0);
                Weights::Real(weights.into())
            }
            Weights::Uniform | Weights::Counts(_) => {
                let mut counts: Vec<u32> = (0..n_rows).map(|row| weights.at(row) as u32).collect();
                self.rows.iter().for_each(|&row| counts[row] = 0);
                Weights::Counts(counts.into())
            }
        }
    }

    /// Notes the loss after a round; whether it has not fallen for as long as patience lasts.
    pub fn is_over(
        &mut self,
        loss: &dyn Loss,
        targets: &[f64],
        scores: &[f64],
        weights: &Weights,
    ) -> bool {
        let width = loss.width();
        let (mut sum, mut total) = (0.0, 0.0);
        for &row in &self.rows {
            let weight = weights.at(row);
            sum += weight * loss.loss(targets[row], &scores[row * width..][..width]);
            total += weight;
        }
        self.losses.push(if total > 0.0 { sum / total } else { 0.0 });
        self.losses.len() - self.best_round() >= self.patience
    }

    /// How many rounds had the lowest loss; of equals, the fewest.
    pub fn best_round(&self) -> usize {
        let mut best = 0;
        for (round, loss) in self.losses.iter().enumerate() {
            if *loss < self.losses[best] {
                best = round;
            }
        }
        (best + 1).min(self.losses.len())
    }
}
