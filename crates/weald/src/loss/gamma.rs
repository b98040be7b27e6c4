//! Gamma deviance, for positive amounts.

use super::{Gradient, Link, Loss, Rows, mean};
use crate::data::{Task, Weights};
use crate::error::{Error, Result};

/// `y exp(-s) + s`: half the deviance, up to what the score cannot change.
#[derive(Debug, Clone, Copy)]
pub struct Gamma;

impl Loss for Gamma {
    fn name(&self) -> &'static str {
        "gamma"
    }

    fn task(&self) -> Task {
        Task::Regression
    }

    fn check(&self, targets: &[f64]) -> Result<()> {
        match targets.iter().position(|y| *y <= 0.0) {
            Some(row) => Err(Error::Parameter {
                name: "target".into(),
                value: format!("{} in row {}", targets[row], row + 1),
                expected: "numbers above 0 for the loss gamma".into(),
            }),
            None => Ok(()),
        }
    }

    fn start(&self, targets: &[f64], weights: &Weights) -> Vec<f64> {
        vec![libm::log(mean(targets, weights))]
    }

    fn loss(&self, target: f64, scores: &[f64]) -> f64 {
        target * libm::exp(-scores[0]) + scores[0]
    }

    fn gradients(&self, rows: &Rows<'_>, _: usize, out: &mut [Gradient]) {
        for ((out, y), s) in out.iter_mut().zip(rows.targets).zip(rows.scores) {
            let ratio = y * libm::exp((-s).min(80.0));
            *out = Gradient { g: (1.0 - ratio) as f32, h: ratio as f32 };
        }
    }

    fn link(&self) -> Link {
        Link::Log
    }
}
