//! Quantile (pinball) loss (Koenker & Bassett 1978), for one quantile or several at once.
//!
//! Each level has a score and trees of its own, so nothing keeps the scores of a row in order.
//! Predictions are: they are the scores sorted (monotone rearrangement, Chernozhukov,
//! Fernandez-Val & Galichon 2010). Sorting never makes the loss larger, whatever the target.

use super::{Gradient, LeafRule, Link, Loss, Rows, weighted, weighted_quantile};
use crate::data::{Target, Task, Weights};
use crate::model::Output;

/// For each level, `level * (y - s)` below the target and `(1 - level) * (s - y)` above it.
#[derive(Debug, Clone)]
pub struct Quantile {
    /// Which quantiles, each between 0 and 1, in rising order.
    pub levels: Vec<f64>,
}

impl Loss for Quantile {
    fn name(&self) -> &'static str {
        "quantile"
    }

    fn task(&self) -> Task {
        Task::Regression
    }

    fn degree(&self) -> Option<i32> {
        Some(1)
    }

    fn width(&self) -> usize {
        self.levels.len()
    }

    fn start(&self, targets: &[f64], weights: &Weights) -> Vec<f64> {
        let mut values = weighted(targets.iter().copied(), weights);
        self.levels.iter().map(|&level| weighted_quantile(&mut values, level)).collect()
    }

    fn loss(&self, target: f64, scores: &[f64]) -> f64 {
        let pinball = |(level, s): (&f64, &f64)| {
            let left = target - s;
            if left >= 0.0 { level * left } else { (level - 1.0) * left }
        };
        self.levels.iter().zip(scores).map(pinball).sum()
    }

    fn gradients(&self, rows: &Rows<'_>, output: usize, out: &mut [Gradient]) {
        let level = self.levels[output];
        let (below, above) = (-level as f32, (1.0 - level) as f32);
        let scores = rows.scores.iter().skip(output).step_by(self.levels.len());
        for ((out, y), s) in out.iter_mut().zip(rows.targets).zip(scores) {
            *out = Gradient { g: if s > y { above } else { below }, h: 1.0 };
        }
    }

    fn leaf_rule(&self, output: usize) -> LeafRule {
        LeafRule::Quantile(self.levels[output])
    }

    fn link(&self) -> Link {
        Link::Rearranged
    }

    fn output(&self, _: &Target) -> Output {
        Output::Quantiles { levels: self.levels.as_slice().into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorting_never_makes_the_loss_larger(
            target in -5.0..5.0f64,
            scores in prop::collection::vec(-5.0..5.0f64, 4),
        ) {
            let loss = Quantile { levels: vec![0.05, 0.3, 0.5, 0.9] };
            let mut sorted = vec![0.0; 4];
            loss.link().respond(&scores, &mut sorted);
            prop_assert!(sorted.is_sorted());
            prop_assert!(loss.loss(target, &sorted) <= loss.loss(target, &scores) + 1e-12);
        }
    }
}
