//! Softmax loss (cross-entropy), for many classes; one score a class.

use super::smooth::{exp, ln};
use super::{Gradient, Link, Loss, Rows};
use crate::data::{Task, Weights};
use crate::tree::kernel::dispatch::{Loop, with_vectors};

/// Rows that are computed side by side.
const LANES: usize = 8;

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
    fn shared(&self, scores: &[f64], out: &mut [f64]) {
        with_vectors(LogSums { n_classes: self.n_classes, scores, out });
    }

    /// The second derivative is taken `K / (K - 1)` times, so that a leaf moves by Friedman's
    /// `(K - 1) / K * sum r / sum |r| (1 - |r|)`: all `K` scores move in a round, though only their
    /// differences count (Friedman 2001, algorithm 6).
    fn gradients(&self, rows: &Rows<'_>, output: usize, out: &mut [Gradient]) {
        with_vectors(Gradients { n_classes: self.n_classes, rows, output, out });
    }

    fn link(&self) -> Link {
        Link::Softmax
    }
}

/// The logarithm of the sum of exponentials of each row's scores.
struct LogSums<'a> {
    n_classes: usize,
    scores: &'a [f64],
    out: &'a mut [f64],
}

impl Loop for LogSums<'_> {
    type Found = ();

    #[inline(always)]
    fn run(self) {
        let LogSums { n_classes, scores, out } = self;
        let (blocks, rest) = out.as_chunks_mut::<LANES>();
        let (whole, last) = scores.split_at(blocks.len() * LANES * n_classes);
        for (scores, out) in whole.chunks_exact(LANES * n_classes).zip(blocks) {
            log_sums_of(n_classes, scores, out);
        }
        for (scores, out) in last.chunks_exact(n_classes).zip(rest) {
            log_sums_of(n_classes, scores, std::array::from_mut(out));
        }
    }
}

#[inline(always)]
fn log_sums_of<const N: usize>(n_classes: usize, scores: &[f64], out: &mut [f64; N]) {
    let of_class =
        |class: usize| -> [f64; N] { std::array::from_fn(|lane| scores[lane * n_classes + class]) };
    let mut most = of_class(0);
    for class in 1..n_classes {
        for (most, score) in most.iter_mut().zip(of_class(class)) {
            *most = if score > *most { score } else { *most };
        }
    }
    let mut sums = [0.0f32; N];
    for class in 0..n_classes {
        let scores = of_class(class);
        for lane in 0..N {
            sums[lane] += exp((scores[lane] - most[lane]) as f32);
        }
    }
    for lane in 0..N {
        out[lane] = most[lane] + f64::from(ln(sums[lane]));
    }
}

/// The derivatives of some rows by one score.
struct Gradients<'a> {
    n_classes: usize,
    rows: &'a Rows<'a>,
    output: usize,
    out: &'a mut [Gradient],
}

impl Loop for Gradients<'_> {
    type Found = ();

    #[inline(always)]
    fn run(self) {
        let Gradients { n_classes, rows, output, out } = self;
        let all_move = n_classes as f32 / (n_classes as f32 - 1.0).max(1.0);
        let class = output as f64;
        let scores = rows.scores[output..].chunks(n_classes).map(|scores| scores[0]);
        for (((out, y), s), log_sum) in
            out.iter_mut().zip(rows.targets).zip(scores).zip(rows.shared)
        {
            let p = exp((s - log_sum) as f32);
            let own = if *y == class { 1.0 } else { 0.0 };
            *out = Gradient { g: p - own, h: all_move * p * (1.0 - p) };
        }
    }
}
