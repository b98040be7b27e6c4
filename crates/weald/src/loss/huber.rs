//! Huber's loss: squared near the target, absolute far from it (Huber 1964).

use super::{Gradient, LeafRule, Loss, Rows, weighted};
use crate::data::{Task, Weights};

/// Halvings of the range in which the best constant lies: far more than single precision has digits.
const MOST_HALVINGS: usize = 40;

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

    fn start(&self, targets: &[f64], weights: &Weights) -> Vec<f64> {
        vec![location(&mut weighted(targets.iter().copied(), weights), self.delta, 0.0)]
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

    fn leaf_rule(&self, _: usize) -> LeafRule {
        LeafRule::Huber(self.delta)
    }
}

/// The number `v` with the least sum of Huber's losses of `values` to it, each with its weight, plus
/// `l2 v^2 / 2`; the values are sorted. The derivative rises with `v`: its root, by bisection.
pub(crate) fn location(values: &mut [(f64, f64)], delta: f64, l2: f64) -> f64 {
    values.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let (Some(&(first, _)), Some(&(last, _))) = (values.first(), values.last()) else { return 0.0 };
    let (mut low, mut high) = match l2 > 0.0 {
        true => (first.min(0.0), last.max(0.0)),
        false => (first, last),
    };
    // Of the first so many values, the sums of weights and of weighted values.
    let mut sums = vec![(0.0, 0.0)];
    sums.extend(values.iter().scan((0.0, 0.0), |(weight, sum), (x, w)| {
        (*weight, *sum) = (*weight + w, *sum + w * x);
        Some((*weight, *sum))
    }));
    let slope = |v: f64| -> f64 {
        let below = |bound: f64| sums[values.partition_point(|(x, _)| *x < bound)];
        let (near, far, all) = (below(v - delta), below(v + delta), sums[values.len()]);
        let between = v * (far.0 - near.0) - (far.1 - near.1);
        l2 * v + delta * near.0 + between - delta * (all.0 - far.0)
    };
    for _ in 0..MOST_HALVINGS {
        let middle = 0.5 * low + 0.5 * high;
        if slope(middle) < 0.0 { low = middle } else { high = middle }
    }
    // In single precision: what the order of the rows could change is rounded away.
    f64::from((0.5 * low + 0.5 * high) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_has_the_least_loss() {
        let values = [(3.0, 1.0), (-1.0, 2.0), (0.5, 1.0), (90.0, 0.5), (0.25, 1.0), (3.0, 1.0)];
        for (delta, l2) in [(0.1, 0.0), (1.0, 0.0), (1.0, 3.0), (1e3, 0.0), (0.5, 1e6)] {
            let loss = |v: f64| {
                let huber = Huber { delta };
                let rows = values.iter().map(|(x, w)| w * huber.loss(*x, &[v]));
                rows.sum::<f64>() + 0.5 * l2 * v * v
            };
            let best = location(&mut values.to_vec(), delta, l2);
            let least = (-1000..=10_000).map(|i| f64::from(i) / 100.0).map(loss);
            let least = least.fold(f64::INFINITY, f64::min);
            assert!(loss(best) <= least * (1.0 + 1e-9), "{delta} {l2}: {best} has {}", loss(best));
        }
        assert_eq!(location(&mut [], 1.0, 0.0), 0.0);
        assert_eq!(location(&mut [(7.0, 1.0)], 1.0, 0.0), 7.0);
    }
}
