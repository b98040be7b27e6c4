//! The minimum of a smooth objective by L-BFGS (Liu & Nocedal 1989).
//!
//! Steps go along the gradient, bent by what the last steps have shown of the curvature. How far is
//! found by halving and doubling until the objective has fallen enough and no longer falls steeply
//! (Wolfe's conditions; Lewis & Overton 2013): it never rises from one step to the next.

use std::collections::VecDeque;

use super::objective::{Objective, sum_of_any_order};
use crate::cholesky::dot;
use crate::run::Run;

/// Steps that the curvature is told from.
pub(super) const MEMORY: usize = 10;
/// The share of what the gradient promises that a step must gain.
const ENOUGH: f64 = 1e-4;
/// The share of the slope at which a step ends at the latest.
const FLAT: f64 = 0.9;
/// Lengths that are tried for one step.
const MOST_TRIES: usize = 40;

/// When to end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ending {
    /// Steps at the most.
    pub max_iterations: usize,
    /// How small every entry of the gradient must be, by the weight of all rows.
    pub tolerance: f64,
}

/// Where an objective is least, as far as was looked.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimum {
    /// The coefficients.
    pub at: Vec<f64>,
    /// The objective there.
    pub value: f64,
    /// How many steps were taken.
    pub n_steps: usize,
    /// Whether the gradient is as small as it should be, or nothing lower can be found.
    pub is_reached: bool,
}

/// A point with its value and gradient.
struct Point {
    at: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

/// A step that was taken, and what it changed of the gradient.
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    /// Their product.
    product: f64,
}

/// Goes down from `start`. If the run is stopped, as far as it has come.
pub fn minimise(
    objective: &Objective<'_>,
    start: Vec<f64>,
    ending: Ending,
    run: &Run<'_>,
) -> Minimum {
    let product = |a: &[f64], b: &[f64]| product(a, b, objective.stride());
    let small = ending.tolerance * objective.total_weight();
    let curvatures = objective.curvatures();
    let mut pairs: VecDeque<Pair> = VecDeque::with_capacity(MEMORY);
    let mut point = evaluated(objective, start);
    let (mut n_steps, mut is_reached) = (0, false);
    for _ in 0..ending.max_iterations {
        is_reached = point.gradient.iter().all(|g| g.abs() <= small);
        if is_reached || run.poll() {
            break;
        }
        let mut direction = direction(&point.gradient, &pairs, &curvatures, &product);
        let mut slope = product(&direction, &point.gradient);
        if slope.is_nan() || slope >= 0.0 {
            pairs.clear();
            direction = self::direction(&point.gradient, &pairs, &curvatures, &product);
            slope = product(&direction, &point.gradient);
        }
        let Some(next) = search(objective, &point, (&direction, slope), &product) else {
            // Nothing lower: the rest is rounding.
            is_reached = true;
            break;
        };
        let step = difference(&next.at, &point.at);
        let change = difference(&next.gradient, &point.gradient);
        let curved = product(&step, &change);
        if curved > 1e-14 * product(&change, &change).sqrt() * product(&step, &step).sqrt() {
            if pairs.len() == MEMORY {
                pairs.pop_front();
            }
            pairs.push_back(Pair { step, change, product: curved });
        }
        point = next;
        n_steps += 1;
    }
    Minimum { at: point.at, value: point.value, n_steps, is_reached }
}

/// Downhill: minus the gradient by about the inverse of the second derivatives, in two loops over
/// the last steps.
fn direction(
    gradient: &[f64],
    pairs: &VecDeque<Pair>,
    curvatures: &[f64],
    product: &impl Fn(&[f64], &[f64]) -> f64,
) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut shares = Vec::with_capacity(pairs.len());
    for pair in pairs.iter().rev() {
        let share = product(&pair.step, &direction) / pair.product;
        add(&mut direction, -share, &pair.change);
        shares.push(share);
    }
    let inverse = |of: &[f64]| -> Vec<f64> {
        of.iter().zip(curvatures.iter().cycle()).map(|(x, c)| x / c).collect()
    };
    let size = pairs
        .back()
        .map_or(1.0, |pair| pair.product / product(&pair.change, &inverse(&pair.change)));
    direction = inverse(&direction);
    direction.iter_mut().for_each(|x| *x *= size);
    for (pair, share) in pairs.iter().zip(shares.into_iter().rev()) {
        let back = product(&pair.change, &direction) / pair.product;
        add(&mut direction, share - back, &pair.step);
    }
    direction
}

/// A point along a direction that is low enough and, if one was found, flat enough; `None` if none
/// is lower.
fn search(
    objective: &Objective<'_>,
    from: &Point,
    (direction, slope): (&[f64], f64),
    product: &impl Fn(&[f64], &[f64]) -> f64,
) -> Option<Point> {
    let (mut low, mut high, mut length) = (0.0, f64::INFINITY, 1.0);
    let mut best: Option<Point> = None;
    for _ in 0..MOST_TRIES {
        let mut at = from.at.clone();
        add(&mut at, length, direction);
        if at == from.at {
            break;
        }
        let point = evaluated(objective, at);
        let is_low =
            point.value <= from.value + ENOUGH * length * slope && point.value < from.value;
        if !is_low {
            high = length;
        } else if product(direction, &point.gradient) < FLAT * slope {
            low = length;
            best = Some(point);
        } else {
            return Some(point);
        }
        length = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * low };
    }
    best
}

fn evaluated(objective: &Objective<'_>, at: Vec<f64>) -> Point {
    let (value, gradient) = objective.at(&at);
    Point { at, value, gradient }
}

/// The sum of products, which does not depend on the order of scores.
fn product(a: &[f64], b: &[f64], stride: usize) -> f64 {
    let of_scores = a.chunks_exact(stride).zip(b.chunks_exact(stride));
    sum_of_any_order(of_scores.map(|(a, b)| dot(a, b)).collect())
}

fn add(to: &mut [f64], times: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, x)| *to += times * x);
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}
