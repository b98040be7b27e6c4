//! Squared error, for means.

use super::{Gradient, Loss, Rows, mean};
use crate::data::{Task, Weights};

/// `(y - s)^2 / 2`.
#[derive(Debug, Clone, Copy)]
pub struct Squared;

impl Loss for Squared {
    fn name(&self) -> &'static str {
        "squared"
    }

    fn task(&self) -> Task {
        Task::Regression
    }

    fn degree(&self) -> Option<i32> {
        Some(2)
    }

    fn start(&self, targets: &[f64], weights: &Weights) -> Vec<f64> {
        vec![mean(targets, weights)]
    }

    fn loss(&self, target: f64, scores: &[f64]) -> f64 {
        0.5 * (target - scores[0]) * (target - scores[0])
    }

    fn gradients(&self, rows: &Rows<'_>, _: usize, out: &mut [Gradient]) {
        for ((out, y), s) in out.iter_mut().zip(rows.targets).zip(rows.scores) {
            *out = Gradient { g: (s - y) as f32, h: 1.0 };
        }
    }
}
