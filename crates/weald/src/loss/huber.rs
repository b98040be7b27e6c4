//! Huber's loss: squared near the target, absolute far from it (Huber 1964).

use super::{Gradient, Loss, Rows, weighted, weighted_quantile};
use crate::data::{Task, Weights};

/// `r^2 / 2` up to `|r| = delta`, `delta (|r| - delta / 2)` beyond.
#[derive(Debug, Clone, Copy)]
pub struct Huber {
    /// Where squared becomes absolute.
    pub delta: f64,
}

impl Loss for Huber {
    fn name(&self) -> &'static str {
        "huber"
    }

    fn task(&self) -> Task {
        Task::Regression
    }

    /// The derivative of the total loss rises with the score: its root, by bisection.
    fn start(&self, targets: &[f64], weights: &Weights) -> Vec<f64> {
        let mut values = weighted(targets.iter().copied(), weights);
        let (mut low, mut high) =
            (weighted_quantile(&mut values, 0.0), weighted_quantile(&mut values, 1.0));
        let slope = |s: f64| -> f64 {
            values.iter().map(|(y, w)| w * (s - y).clamp(-self.delta, self.delta)).sum()
        };
        for _ in 0..100 {
            let middle = 0.5 * low + 0.5 * high;
            if slope(middle) < 0.0 { low = middle } else { high = middle }
        }
        // In single precision: what the order of the rows could change is rounded away.
        vec![f64::from((0.5 * low + 0.5 * high) as f32)]
    }

    fn loss(&self, target: f64, scores: &[f64]) -> f64 {
        let r = (target - scores[0]).abs();
        if r <= self.delta { 0.5 * r * r } else { self.delta * (r - 0.5 * self.delta) }
    }

    fn gradients(&self, rows: &Rows<'_>, _: usize, out: &mut [Gradient]) {
        for ((out, y), s) in out.iter_mut().zip(rows.targets).zip(rows.scores) {
            *out = Gradient { g: (s - y).clamp(-self.delta, self.delta) as f32, h: 1.0 };
        }
    }
}
