//! Tweedie deviance, for amounts that are often 0 (Jorgensen 1987).

use super::poisson::check_at_least_zero;
use super::{Gradient, Link, Loss, Rows, mean};
use crate::data::{Task, Weights};
use crate::error::Result;

/// `-y exp((1 - p) s) / (1 - p) + exp((2 - p) s) / (2 - p)`: half the deviance, up to what the
/// score cannot change.
#[derive(Debug, Clone, Copy)]
pub struct Tweedie {
    /// The power of the mean in the variance, between 1 and 2.
    pub power: f64,
}

impl Loss for Tweedie {
    fn name(&self) -> &'static str {
        "tweedie"
    }

    fn task(&self) -> Task {
        Task::Regression
    }

    fn check(&self, targets: &[f64]) -> Result<()> {
        check_at_least_zero("tweedie", targets)
    }

    fn start(&self, targets: &[f64], weights: &Weights) -> Vec<f64> {
        vec![libm::log(mean(targets, weights))]
    }

    fn loss(&self, target: f64, scores: &[f64]) -> f64 {
        let (s, one, two) = (scores[0], 1.0 - self.power, 2.0 - self.power);
        -target * libm::exp(one * s) / one + libm::exp(two * s) / two
    }

    fn gradients(&self, rows: &Rows<'_>, _: usize, out: &mut [Gradient]) {
        let (one, two) = (1.0 - self.power, 2.0 - self.power);
        for ((out, y), s) in out.iter_mut().zip(rows.targets).zip(rows.scores) {
            let s = s.clamp(-80.0, 80.0);
            let (a, b) = (y * libm::exp(one * s), libm::exp(two * s));
            *out = Gradient { g: (b - a) as f32, h: (two * b - one * a) as f32 };
        }
    }

    fn link(&self) -> Link {
        Link::Log
    }
}
