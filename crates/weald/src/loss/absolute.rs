//! Absolute error, for medians.

use super::{Gradient, LeafRule, Loss, Rows, weighted, weighted_quantile};
use crate::data::{Task, Weights};

/// `|y - s|`. Its second derivative is 0: trees follow the sign, leaves take the median.
#[derive(Debug, Clone, Copy)]
pub struct Absolute;

impl Loss for Absolute {
    fn name(&self) -> &'static str {
        "absolute"
    }

    fn task(&self) -> Task {
        Task::Regression
    }

    fn degree(&self) -> Option<i32> {
        Some(1)
    }

    fn start(&self, targets: &[f64], weights: &Weights) -> Vec<f64> {
        vec![weighted_quantile(&mut weighted(targets.iter().copied(), weights), 0.5)]
    }

    fn loss(&self, target: f64, scores: &[f64]) -> f64 {
        (target - scores[0]).abs()
    }

    fn gradients(&self, rows: &Rows<'_>, _: usize, out: &mut [Gradient]) {
        for ((out, y), s) in out.iter_mut().zip(rows.targets).zip(rows.scores) {
            let g = if s > y {
                1.0
            } else if s < y {
                -1.0
            } else {
                0.0
            };
            *out = Gradient { g, h: 1.0 };
        }
    }

    fn leaf_rule(&self, _: usize) -> LeafRule {
        LeafRule::Quantile(0.5)
    }
}
