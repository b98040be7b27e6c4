//! Poisson deviance, for counts.

use super::{Gradient, Link, Loss, Rows, mean};
use crate::data::{Task, Weights};
use crate::error::{Error, Result};

/// `exp(s) - y s`: half the deviance, up to what the score cannot change.
#[derive(Debug, Clone, Copy)]
pub struct Poisson;

impl Loss for Poisson {
    fn name(&self) -> &'static str {
        "poisson"
    }

    fn task(&self) -> Task {
        Task::Regression
    }

    fn check(&self, targets: &[f64]) -> Result<()> {
        check_at_least_zero("poisson", targets)
    }

    fn start(&self, targets: &[f64], weights: &Weights) -> Vec<f64> {
        vec![libm::log(mean(targets, weights))]
    }

    fn loss(&self, target: f64, scores: &[f64]) -> f64 {
        libm::exp(scores[0]) - target * scores[0]
    }

    fn gradients(&self, rows: &Rows<'_>, _: usize, out: &mut [Gradient]) {
        for ((out, y), s) in out.iter_mut().zip(rows.targets).zip(rows.scores) {
            let mean = libm::exp(s.min(80.0));
            *out = Gradient { g: (mean - y) as f32, h: mean as f32 };
        }
    }

    fn link(&self) -> Link {
        Link::Log
    }
}

/// An error unless every target is at least 0 and one is positive.
pub(super) fn check_at_least_zero(loss: &str, targets: &[f64]) -> Result<()> {
    let bad = targets.iter().position(|y| *y < 0.0);
    let value = match bad {
        Some(row) => format!("{} in row {}", targets[row], row + 1),
        None if targets.iter().all(|y| *y == 0.0) => "0 in every row".into(),
        None => return Ok(()),
    };
    Err(Error::Parameter {
        name: "target".into(),
        value,
        expected: format!("numbers of at least 0, not all 0, for the loss {loss}"),
    })
}
