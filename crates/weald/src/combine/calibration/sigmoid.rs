//! Platt's sigmoid (Platt 1999, "Probabilistic outputs for support vector machines and comparisons
//! to regularized likelihood methods").
//!
//! The log odds of a class become `a z + b`, two numbers that logistic regression finds. To prefer
//! over [`Temperature`](super::Temperature) where a base favours a class, as a boosted one of rare
//! classes does, and over [`Isotonic`](super::Isotonic) where rows are fewer than a thousand or so.
//! Several classes: each against the rest, then divided by their sum.
//!
//! Targets are not 0 and 1 but what Laplace's rule expects of so many rows, as Platt has it, so that
//! nothing becomes certain. The numbers are found by Newton steps, each halved until the loss falls
//! enough (Lin, Lin & Weng 2007, "A note on Platt's probabilistic outputs for support vector
//! machines"). Where Platt lets `a` have any sign, here it is at least 0: of rows not seen a base that
//! knows nothing is often wrong by a little, and what it says must not be turned round.

use super::{Asked, LARGEST_LOG_ODDS, LEAST, log_odds};

/// Newton steps at the most.
const MOST_STEPS: usize = 100;
/// The slope of the loss, as a share of all weight, at which the search ends.
const TOLERANCE: f64 = 1e-9;
/// What a step is shortened to at the least.
const LEAST_STEP: f64 = 1e-10;
/// How much of what a slope promises a step must keep.
const SUFFICIENT: f64 = 1e-4;
/// What is added to second derivatives, as a share of all weight, so that they can be divided by.
const RIDGE: f64 = 1e-12;

/// A probability of the log odds `z`: `1 / (1 + exp(-(slope z + intercept)))`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sigmoid {
    /// What log odds are multiplied by; at least 0.
    pub slope: f64,
    /// What is added to them.
    pub intercept: f64,
}

/// The loss at a place, and its derivatives.
struct Place {
    loss: f64,
    slope: [f64; 2],
    /// By the slope twice, by both, by the intercept twice.
    curvature: [f64; 3],
}

impl Sigmoid {
    /// The sigmoid by which honest answers have the least loss to Platt's targets, for one class
    /// against the rest.
    pub(super) fn fit(asked: &Asked<'_>, class: usize) -> Sigmoid {
        let of_class = |row: usize| asked.classes[row] as usize == class;
        let one = asked.row_weight;
        let (total, yes) = (asked.weights.total(), asked.weights.weight_of(of_class));
        let no = total - yes;
        let (high, low) = ((yes + one) / (yes + 2.0 * one), one / (no + 2.0 * one)); // t+, t-
        let target = |row| if of_class(row) { high } else { low };
        let z = |row| log_odds(asked.answers.row(row), class);
        let mut at = Sigmoid { slope: 0.0, intercept: libm::log((yes + one) / (no + one)) };
        let mut here = at.place(asked, z, target);
        for _ in 0..MOST_STEPS {
            if here.slope.iter().all(|slope| slope.abs() <= TOLERANCE * total) {
                break;
            }
            let Some((next, there)) = at.step(&here, total, |to| to.place(asked, z, target)) else {
                break;
            };
            (at, here) = (next, there);
        }
        match at.slope >= 0.0 {
            true => at,
            // The loss is convex: where the best slope is below 0, the best of the others is 0.
            false => {
                let share = (yes * high + no * low) / total;
                Sigmoid { slope: 0.0, intercept: libm::log(share / (1.0 - share)) }
            }
        }
    }

    /// The place that a Newton step leads to, shortened until the loss falls enough; `None` if it
    /// never does.
    fn step(
        self,
        here: &Place,
        total: f64,
        place: impl Fn(Sigmoid) -> Place,
    ) -> Option<(Sigmoid, Place)> {
        let [g, k] = here.slope;
        let ridge = RIDGE * total;
        let [gg, gk, kk] =
            [here.curvature[0] + ridge, here.curvature[1], here.curvature[2] + ridge];
        let determinant = gg * kk - gk * gk;
        let (to_slope, to_intercept) =
            (-(kk * g - gk * k) / determinant, -(gg * k - gk * g) / determinant);
        let promised = g * to_slope + k * to_intercept;
        let mut size = 1.0;
        while size >= LEAST_STEP {
            let next = Sigmoid {
                slope: self.slope + size * to_slope,
                intercept: self.intercept + size * to_intercept,
            };
            let there = place(next);
            if there.loss < here.loss + SUFFICIENT * size * promised {
                return Some((next, there));
            }
            size /= 2.0;
        }
        None
    }

    /// The loss of the rows and its derivatives, from exact sums.
    fn place(
        self,
        asked: &Asked<'_>,
        z: impl Fn(usize) -> f64 + Sync,
        target: impl Fn(usize) -> f64 + Sync,
    ) -> Place {
        let most = LARGEST_LOG_ODDS;
        let largest_loss = 1.0 + most * self.slope.abs() + self.intercept.abs();
        let bounds = [largest_loss, most, 1.0, most * most, most, 1.0];
        let [loss, slope, intercept, gg, gk, kk] = asked.weights.sums(bounds, |row| {
            let (z, target) = (z(row), target(row));
            let u = self.slope * z + self.intercept;
            let small = libm::exp(-u.abs());
            let loss = libm::log1p(small) + u.max(0.0) - target * u;
            let p = if u >= 0.0 { 1.0 / (1.0 + small) } else { small / (1.0 + small) };
            let (error, spread) = (p - target, p * (1.0 - p));
            [loss, z * error, error, z * z * spread, z * spread, spread]
        });
        Place { loss, slope: [slope, intercept], curvature: [gg, gk, kk] }
    }

    /// The probability of such log odds; never 0 or 1.
    pub(super) fn at(self, z: f64) -> f64 {
        let u = self.slope * z + self.intercept;
        (1.0 / (1.0 + libm::exp(-u))).clamp(LEAST, 1.0 - LEAST)
    }
}
