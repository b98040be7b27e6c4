//! A loss of the user's own, from two closures.
//!
//! For what no other file of this folder holds. Losses with several scores a row, or leaves that
//! are not Newton steps, implement [`Loss`] themselves.

use std::fmt;

use super::{Gradient, Link, Loss, Rows, weighted};
use crate::data::{Task, Weights};

/// A loss from two closures, each given a target (a class as its code, 0 or 1) and a score.
///
/// Derivatives must be finite, also in single precision: a fit ends with an error that names the
/// row where they are not. A negative second derivative counts as 0: where a loss bends down,
/// Newton's step would go uphill. A leaf whose second derivatives add up to 0 does not move; if
/// they are 0 in every row at the start, that is an error: give 1 for plain gradient steps.
///
/// ```
/// use weald::loss::{CustomLoss, Link};
/// // Squared error of logarithms.
/// let loss = CustomLoss {
///     name: "squared-log",
///     task: weald::data::Task::Regression,
///     loss: |y: f64, s: f64| 0.5 * (y.ln_1p() - s).powi(2),
///     gradient: |y: f64, s: f64| (s - y.ln_1p(), 1.0),
///     start: None,
///     link: Link::Log,
/// };
/// # let _ = &loss as &dyn weald::loss::Loss;
/// ```
pub struct CustomLoss<L, G> {
    /// What errors call it.
    pub name: &'static str,
    /// What it is for; classes are two.
    pub task: Task,
    /// The loss of a target and a score.
    pub loss: L,
    /// Its first and second derivative by the score.
    pub gradient: G,
    /// The score before the first tree; `None`: the constant where the derivatives add up to 0.
    pub start: Option<f64>,
    /// How a score becomes a prediction.
    pub link: Link,
}

impl<L, G> fmt::Debug for CustomLoss<L, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CustomLoss({})", self.name)
    }
}

impl<L, G> Loss for CustomLoss<L, G>
where
    L: Fn(f64, f64) -> f64 + Send + Sync,
    G: Fn(f64, f64) -> (f64, f64) + Send + Sync,
{
    fn name(&self) -> &'static str {
        self.name
    }

    fn task(&self) -> Task {
        self.task
    }

    fn start(&self, targets: &[f64], weights: &Weights) -> Vec<f64> {
        let values = weighted(targets.iter().copied(), weights);
        let slope = |s: f64| values.iter().map(|(y, w)| w * (self.gradient)(*y, s).0).sum();
        vec![self.start.unwrap_or_else(|| level_point(slope))]
    }

    fn loss(&self, target: f64, scores: &[f64]) -> f64 {
        (self.loss)(target, scores[0])
    }

    fn gradients(&self, rows: &Rows<'_>, _: usize, out: &mut [Gradient]) {
        for ((out, y), s) in out.iter_mut().zip(rows.targets).zip(rows.scores) {
            let (g, h) = (self.gradient)(*y, *s);
            *out = Gradient::of(g, h);
        }
    }

    fn link(&self) -> Link {
        self.link
    }
}

/// Where `slope` goes from below 0 to above it: found by doubling steps from 0, then by halving
/// the stretch. 0 where the doubling finds no such place.
pub fn level_point(slope: impl Fn(f64) -> f64) -> f64 {
    let at_zero = slope(0.0);
    if at_zero == 0.0 || at_zero.is_nan() {
        return 0.0;
    }
    let away = if at_zero > 0.0 { -1.0 } else { 1.0 };
    let (mut near, mut step) = (0.0, 1.0);
    let far = loop {
        let far = away * step;
        let here = slope(far);
        if here.is_nan() || step > 1e100 {
            return 0.0;
        }
        if here * away >= 0.0 {
            break far;
        }
        near = far;
        step *= 2.0;
    };
    let mut far = far;
    for _ in 0..100 {
        if near as f32 == far as f32 {
            break;
        }
        let middle = 0.5 * near + 0.5 * far;
        if slope(middle) * away >= 0.0 { far = middle } else { near = middle }
    }
    // In single precision: what the order of the rows could change is rounded away.
    f64::from((0.5 * near + 0.5 * far) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_constant_is_found_far_and_near() {
        for centre in [0.0, 3e-9, -7.25, 123_456.0, -1e30] {
            let found = level_point(|s| s - centre);
            assert!((found - centre).abs() <= 1e-6 * f64::abs(centre), "{found} {centre}");
        }
        // Always downhill, and not a number: there is no such place.
        assert_eq!(level_point(|_| -1.0), 0.0);
        assert_eq!(level_point(|s| if s > 4.0 { f64::NAN } else { -1.0 }), 0.0);
    }

    #[test]
    fn negative_second_derivatives_count_as_0_and_nan_stays() {
        let loss = CustomLoss {
            name: "cauchy",
            task: Task::Regression,
            loss: |y: f64, s: f64| (1.0 + (y - s) * (y - s)).ln(),
            gradient: |y: f64, s: f64| {
                let (r, q) = (s - y, 1.0 + (s - y) * (s - y));
                (2.0 * r / q, 2.0 * (1.0 - r * r) / (q * q))
            },
            start: None,
            link: Link::Identity,
        };
        let rows = Rows { targets: &[0.0, 9.0, f64::NAN], scores: &[0.5; 3], shared: &[] };
        let mut out = [Gradient::default(); 3];
        loss.gradients(&rows, 0, &mut out);
        assert!(out[0].h > 0.0 && out[1].h == 0.0 && out[2].h.is_nan());
    }
}
