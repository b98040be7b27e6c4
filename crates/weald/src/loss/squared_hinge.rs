//! Squared hinge loss: the hinge without its kink.

use super::{Gradient, Link, Loss, Rows, mean};
use crate::data::{Task, Weights};

/// `max(0, 1 - m)^2` with the margin `m = s` for class 1 and `-s` for class 0.
#[derive(Debug, Clone, Copy)]
pub struct SquaredHinge;

impl Loss for SquaredHinge {
    fn name(&self) -> &'static str {
        "squared-hinge"
    }

    fn task(&self) -> Task {
        Task::Classification
    }

    /// Between -1 and 1 both classes have a loss; the minimum is `2 p - 1`.
    fn start(&self, targets: &[f64], weights: &Weights) -> Vec<f64> {
        vec![2.0 * mean(targets, weights) - 1.0]
    }

    fn loss(&self, target: f64, scores: &[f64]) -> f64 {
        (1.0 - (2.0 * target - 1.0) * scores[0]).max(0.0).powi(2)
    }

    fn gradients(&self, rows: &Rows<'_>, _: usize, out: &mut [Gradient]) {
        for ((out, y), s) in out.iter_mut().zip(rows.targets).zip(rows.scores) {
            let sign = 2.0 * y - 1.0;
            let short = 1.0 - sign * s;
            *out = match short > 0.0 {
                true => Gradient { g: (-2.0 * sign * short) as f32, h: 2.0 },
                false => Gradient { g: 0.0, h: 0.0 },
            };
        }
    }

    fn link(&self) -> Link {
        Link::DoubleLogistic
    }
}
