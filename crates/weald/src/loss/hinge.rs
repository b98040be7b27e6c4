//! Hinge loss, the support vector machine's.

use super::{Gradient, Link, Loss, Rows, weighted};
use crate::data::{Task, Weights};

/// `max(0, 1 - m)` with the margin `m = s` for class 1 and `-s` for class 0.
#[derive(Debug, Clone, Copy)]
pub struct Hinge;

impl Loss for Hinge {
    fn name(&self) -> &'static str {
        "hinge"
    }

    fn task(&self) -> Task {
        Task::Classification
    }

    /// The loss of a constant is linear between -1 and 1: the heavier class decides.
    fn start(&self, targets: &[f64], weights: &Weights) -> Vec<f64> {
        let pairs = weighted(targets.iter().copied(), weights);
        let lean: f64 = pairs.iter().map(|(y, w)| w * (2.0 * y - 1.0)).sum();
        vec![if lean > 0.0 {
            1.0
        } else if lean < 0.0 {
            -1.0
        } else {
            0.0
        }]
    }

    fn loss(&self, target: f64, scores: &[f64]) -> f64 {
        (1.0 - (2.0 * target - 1.0) * scores[0]).max(0.0)
    }

    fn gradients(&self, rows: &Rows<'_>, _: usize, out: &mut [Gradient]) {
        for ((out, y), s) in out.iter_mut().zip(rows.targets).zip(rows.scores) {
            let sign = 2.0 * y - 1.0;
            let g = if sign * s < 1.0 { -sign as f32 } else { 0.0 };
            *out = Gradient { g, h: 1.0 };
        }
    }

    fn link(&self) -> Link {
        Link::DoubleLogistic
    }
}
