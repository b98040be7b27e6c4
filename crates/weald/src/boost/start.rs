//! The constant score that boosting starts from.

use super::validation::{check_offset, starting_scores};
use crate::data::Weights;
use crate::error::Result;
use crate::loss::{Gradient, LeafRule, Loss, Rows, weighted_quantile};

/// Newton steps at the most; a convex loss needs far fewer.
const MOST_STEPS: usize = 60;
/// How often a step is halved before there is nothing more to gain.
const MOST_HALVINGS: usize = 40;
/// What stands for a score that is not finite: the logarithm of 0, say.
const FAR: f64 = 30.0;

/// The scores `c` that make the loss smallest, or that of `offset + c` if there is an offset.
pub fn start(
    loss: &dyn Loss,
    targets: &[f64],
    weights: &Weights,
    offset: Option<&[f64]>,
) -> Result<Vec<f64>> {
    // The rows that are left to train on may all be 0.
    let finite = |s: f64| if s.is_finite() { s } else { FAR.copysign(s) };
    let plain: Vec<f64> = loss.start(targets, weights).into_iter().map(finite).collect();
    let Some(offset) = offset else { return Ok(plain) };
    check_offset(offset, targets.len() / loss.n_targets(), plain.len())?;
    let quantile = |output: usize| match loss.leaf_rule(output) {
        LeafRule::Quantile(level) => Some((output, level)),
        _ => None,
    };
    match (0..plain.len()).map(quantile).collect::<Option<Vec<_>>>() {
        None => downhill(loss, targets, weights, offset, plain),
        Some(levels) => {
            let best = |(output, level): (usize, f64)| {
                let own = offset.iter().skip(output).step_by(plain.len());
                let targets = targets.iter().skip(loss.target_of(output)).step_by(loss.n_targets());
                let rest = targets.zip(own).enumerate();
                let rest = rest.map(|(row, (y, offset))| (y - offset, weights.at(row)));
                let mut rest: Vec<_> = rest.filter(|(_, weight)| *weight > 0.0).collect();
                weighted_quantile(&mut rest, level)
            };
            Ok(levels.into_iter().map(best).collect())
        }
    }
}

/// Newton's method from `at` on, each step halved until the loss falls.
fn downhill(
    loss: &dyn Loss,
    targets: &[f64],
    weights: &Weights,
    offset: &[f64],
    mut at: Vec<f64>,
) -> Result<Vec<f64>> {
    let n_rows = targets.len() / loss.n_targets();
    let scores = |at: &[f64]| starting_scores(at, Some(offset), n_rows);
    let total = |at: &[f64]| -> Result<f64> {
        let scores = scores(at)?;
        let rows = targets.chunks_exact(loss.n_targets());
        let rows = rows.zip(scores.chunks_exact(at.len())).enumerate();
        Ok(rows.map(|(row, (y, scores))| weights.at(row) * loss.loss_of(y, scores)).sum())
    };
    let mut here = total(&at)?;
    for _ in 0..MOST_STEPS {
        let steps = newton_steps(loss, targets, weights, &scores(&at)?);
        let shorter = (0..MOST_HALVINGS).map(|halvings| 0.5f64.powi(halvings as i32));
        let mut is_lower = false;
        for share in shorter {
            let tried: Vec<f64> = at.iter().zip(&steps).map(|(c, step)| c + share * step).collect();
            let there = total(&tried)?;
            if there < here {
                (at, here, is_lower) = (tried, there, true);
                break;
            }
        }
        if !is_lower {
            break;
        }
    }
    Ok(at)
}

fn newton_steps(loss: &dyn Loss, targets: &[f64], weights: &Weights, scores: &[f64]) -> Vec<f64> {
    let (mut shared, n_rows) = (Vec::new(), targets.len() / loss.n_targets());
    if loss.width() > 1 {
        shared.resize(n_rows * loss.n_shared(), 0.0);
        loss.shared(scores, &mut shared);
    }
    let rows = Rows { targets, scores, shared: &shared };
    let mut gradients = vec![Gradient::default(); n_rows];
    let step = |output: usize| {
        loss.gradients(&rows, output, &mut gradients);
        let add = |(g, h): (f64, f64), (row, own): (usize, &Gradient)| {
            let weight = weights.at(row);
            (g + weight * f64::from(own.g), h + weight * f64::from(own.h))
        };
        let (g, h) = gradients.iter().enumerate().fold((0.0, 0.0), add);
        if h > 0.0 { -g / h } else { 0.0 }
    };
    (0..loss.width()).map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Absolute, Logistic, Poisson, Softmax, Squared};

    #[test]
    fn an_exposure_is_divided_out() {
        // The rate that fits best is all events by all exposure.
        let (exposure, events) = ([1.0f64, 10.0, 100.0], [0.0, 3.0, 19.0]);
        let offset: Vec<f64> = exposure.iter().map(|x| x.ln()).collect();
        let found = start(&Poisson, &events, &Weights::Uniform, Some(&offset)).unwrap()[0];
        assert!((found - (22.0f64 / 111.0).ln()).abs() < 1e-6, "{found}");
    }

    #[test]
    fn the_start_around_an_offset_is_the_best_constant() {
        let losses: [(&dyn Loss, Vec<f64>); 4] = [
            (&Squared, vec![1.0, 5.0, 2.5, -3.0]),
            (&Absolute, vec![1.0, 5.0, 2.5, -3.0]),
            (&Logistic, vec![0.0, 1.0, 1.0, 1.0]),
            (&Softmax { n_classes: 3 }, vec![0.0, 1.0, 2.0, 1.0]),
        ];
        let weights = Weights::Real([1.0, 2.0, 0.5, 1.0].into());
        for (loss, targets) in losses {
            let width = loss.width();
            let offset: Vec<f64> = (0..4 * width).map(|i| (i as f64 * 1.7).sin() * 2.0).collect();
            let found = start(loss, &targets, &weights, Some(&offset)).unwrap();
            let total = |at: &[f64]| -> f64 {
                let scores = starting_scores(at, Some(&offset), 4).unwrap();
                let of = |row: usize| loss.loss(targets[row], &scores[row * width..][..width]);
                (0..4).map(|row| weights.at(row) * of(row)).sum()
            };
            for k in 0..width {
                for step in [-0.1, -0.001, 0.001, 0.1] {
                    let mut moved = found.clone();
                    moved[k] += step;
                    assert!(total(&moved) >= total(&found) - 1e-6, "{} {found:?}", loss.name());
                }
            }
        }
    }

    #[test]
    fn nothing_but_zeros_is_a_finite_start() {
        let found = start(&Poisson, &[0.0, 0.0], &Weights::Uniform, None).unwrap();
        assert_eq!(found, [-FAR]);
    }
}
