//! Exponential loss, AdaBoost's (Friedman, Hastie & Tibshirani 2000).

use super::logistic::log_odds;
use super::smooth::exp;
use super::{Gradient, LeafRule, Link, Loss, Rows, mean};
use crate::data::{Task, Weights};

/// `exp(-s)` for class 1, `exp(s)` for class 0; its minimiser is half the log-odds.
#[derive(Debug, Clone, Copy)]
pub struct Exponential;

impl Loss for Exponential {
    fn name(&self) -> &'static str {
        "exponential"
    }

    fn task(&self) -> Task {
        Task::Classification
    }

    fn start(&self, targets: &[f64], weights: &Weights) -> Vec<f64> {
        vec![0.5 * log_odds(mean(targets, weights))]
    }

    fn loss(&self, target: f64, scores: &[f64]) -> f64 {
        libm::exp(if target == 1.0 { -scores[0] } else { scores[0] })
    }

    fn gradients(&self, rows: &Rows<'_>, _: usize, out: &mut [Gradient]) {
        for ((out, y), s) in out.iter_mut().zip(rows.targets).zip(rows.scores) {
            let sign = 2.0 * *y as f32 - 1.0;
            let e = exp(-sign * *s as f32);
            *out = Gradient { g: -sign * e, h: e };
        }
    }

    fn leaf_rule(&self, _: usize) -> LeafRule {
        LeafRule::HalfLogOdds
    }

    fn link(&self) -> Link {
        Link::DoubleLogistic
    }
}
