//! Logistic loss (cross-entropy), for two classes.

use super::smooth::sigmoid;
use super::{Gradient, Link, Loss, Rows, mean};
use crate::data::{Task, Weights};
use crate::tree::kernel::dispatch::{Loop, with_vectors};

/// `ln(1 + exp(-s))` for class 1, `ln(1 + exp(s))` for class 0.
#[derive(Debug, Clone, Copy)]
pub struct Logistic;

impl Loss for Logistic {
    fn name(&self) -> &'static str {
        "logistic"
    }

    fn task(&self) -> Task {
        Task::Classification
    }

    fn start(&self, targets: &[f64], weights: &Weights) -> Vec<f64> {
        vec![log_odds(mean(targets, weights))]
    }

    fn loss(&self, target: f64, scores: &[f64]) -> f64 {
        let s = scores[0];
        s.max(0.0) - s * target + libm::log1p(libm::exp(-s.abs()))
    }

    fn gradients(&self, rows: &Rows<'_>, _: usize, out: &mut [Gradient]) {
        with_vectors(Gradients { rows, out });
    }

    fn link(&self) -> Link {
        Link::Logistic
    }
}

/// The derivatives of some rows.
struct Gradients<'a> {
    rows: &'a Rows<'a>,
    out: &'a mut [Gradient],
}

impl Loop for Gradients<'_> {
    type Found = ();

    #[inline(always)]
    fn run(self) {
        let Rows { targets, scores, .. } = self.rows;
        for ((out, y), s) in self.out.iter_mut().zip(*targets).zip(*scores) {
            let p = sigmoid(*s as f32);
            *out = Gradient { g: p - *y as f32, h: p * (1.0 - p) };
        }
    }
}

/// `ln(p / (1 - p))`, finite also where one class is absent.
pub(super) fn log_odds(p: f64) -> f64 {
    let p = p.clamp(1e-12, 1.0 - 1e-12);
    libm::log(p / (1.0 - p))
}
