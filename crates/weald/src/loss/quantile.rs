//! Quantile (pinball) loss (Koenker & Bassett 1978).

use super::{Gradient, LeafRule, Loss, Rows, weighted, weighted_quantile};
use crate::data::{Task, Weights};

/// `level * (y - s)` below the target, `(1 - level) * (s - y)` above it.
#[derive(Debug, Clone, Copy)]
pub struct Quantile {
    /// Which quantile, between 0 and 1.
    pub level: f64,
}

impl Loss for Quantile {
    fn name(&self) -> &'static str {
        "quantile"
    }

    fn task(&self) -> Task {
        Task::Regression
    }

    fn start(&self, targets: &[f64], weights: &Weights) -> Vec<f64> {
        vec![weighted_quantile(&mut weighted(targets.iter().copied(), weights), self.level)]
    }

    fn loss(&self, target: f64, scores: &[f64]) -> f64 {
        let left = target - scores[0];
        if left >= 0.0 { self.level * left } else { (self.level - 1.0) * left }
    }

    fn gradients(&self, rows: &Rows<'_>, _: usize, out: &mut [Gradient]) {
        let (below, above) = (-self.level as f32, (1.0 - self.level) as f32);
        for ((out, y), s) in out.iter_mut().zip(rows.targets).zip(rows.scores) {
            *out = Gradient { g: if s > y { above } else { below }, h: 1.0 };
        }
    }

    fn leaf_rule(&self) -> LeafRule {
        LeafRule::Quantile(self.level)
    }
}
