//! Softmax loss (cross-entropy), for many classes; one score a class.

use super::smooth::exp;
use super::{Gradient, Link, Loss, Rows};
use crate::data::{Task, Weights};
use crate::tree::kernel::dispatch::with_vectors;

/// `-ln p_y` with `p_k = exp(s_k)` by the sum over all classes.
#[derive(Debug, Clone, Copy)]
pub struct Softmax {
    /// How many classes.
    pub n_classes: usize,
}

impl Loss for Softmax {
    fn name(&self) -> &'static str {
        "softmax"
    }

    fn task(&self) -> Task {
        Task::Classification
    }

    fn width(&self) -> usize {
        self.n_classes
    }

    fn start(&self, targets: &[f64], weights: &Weights) -> Vec<f64> {
        let mut shares = vec![0.0; self.n_classes];
        for (row, y) in targets.iter().enumerate() {
            shares[*y as usize] += weights.at(row);
        }
        let total: f64 = shares.iter().sum();
        shares.iter().map(|s| libm::log((s / total).max(1e-12))).collect()
    }

    fn loss(&self, target: f64, scores: &[f64]) -> f64 {
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scores.iter().map(|s| libm::exp(s - most)).sum();
        libm::log(sum) + most - scores[target as usize]
    }

    /// `ln sum exp(s)`, so that each probability costs one exponential more.
    fn shared(&self, scores: &[f64]) -> f64 {
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f32 = scores.iter().map(|s| exp((s - most) as f32)).sum();
        most + libm::log(f64::from(sum))
    }

    /// The second derivative is taken `K / (K - 1)` times, so that a leaf moves by Friedman's
    /// `(K - 1) / K * sum r / sum |r| (1 - |r|)`: all `K` scores move in a round, though only their
    /// differences count (Friedman 2001, algorithm 6).
    fn gradients(&self, rows: &Rows<'_>, output: usize, out: &mut [Gradient]) {
        let n_classes = self.n_classes as f32;
        let all_move = n_classes / (n_classes - 1.0).max(1.0);
        let scores = rows.scores.iter().skip(output).step_by(self.n_classes);
        let output = output as f64;
        with_vectors(|| {
            for (((out, y), s), log_sum) in
                out.iter_mut().zip(rows.targets).zip(scores).zip(rows.shared)
            {
                let p = exp((s - log_sum) as f32);
                let own = if *y == output { 1.0 } else { 0.0 };
                *out = Gradient { g: p - own, h: all_move * p * (1.0 - p) };
            }
        });
    }

    fn link(&self) -> Link {
        Link::Softmax
    }
}
