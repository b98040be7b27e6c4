//! The super learner (van der Laan, Polley & Hubbard 2007; Breiman 1996, "Stacked regressions"):
//! the convex combination of members with the least squared error on rows that they have not seen.
//!
//! Weights of at least 0 that sum to 1 make the error `aᵀRa`, where `R` holds the products of the
//! members' residuals. Its minimum is found by non-negative least squares: the `b` of at least 0
//! with the least `bᵀRb + (1 - sum b)²` is a multiple of it. So to scale `b` to sum to 1 loses
//! nothing, which it does where weights are found first and scaled then. For classes a residual is
//! that of each class's probability: the error is Brier's.

use crate::cholesky::{Cholesky, dot};
use crate::data::Target;
use crate::ensemble::Honest;
use crate::exact_sum::ExactSum;

/// The weights, one for each learner; they sum to 1.
pub fn weights<M>(honest: &Honest<M>, target: &Target) -> Vec<f64> {
    let mut products = residual_products(honest, target); // R
    let n = products.len();
    let largest = (0..n).map(|i| products[i][i]).fold(0.0, f64::max);
    if largest == 0.0 {
        return vec![1.0 / n as f64; n]; // all are right about everything
    }
    for row in &mut products {
        row.iter_mut().for_each(|x| *x = *x / largest + 1.0); // R + 1 1ᵀ, in a unit of its own
    }
    let b = non_negative(&products, &vec![1.0; n]);
    let total: f64 = b.iter().sum();
    b.iter().map(|b| b / total).collect()
}

/// For each pair of learners the weighted mean of the products of their residuals: exact sums, so
/// that the order of rows does not matter.
fn residual_products<M>(honest: &Honest<M>, target: &Target) -> Vec<Vec<f64>> {
    let (n, n_rows) = (honest.answers.len(), target.len());
    let width = honest.answers[0].width();
    let residual = |learner: usize, row: usize, at: usize| {
        target_value(target, row, at) - honest.answers[learner].row(row)[at]
    };
    let places = || (0..n_rows).flat_map(|row| (0..width).map(move |at| (row, at)));
    let of_all =
        (0..n).flat_map(|learner| places().map(move |(row, at)| residual(learner, row, at)));
    // Residuals as shares of the largest: their products are neither too large nor too small.
    let largest = of_all.fold(0.0, |a: f64, x| a.max(x.abs()));
    if largest == 0.0 {
        return vec![vec![0.0; n]; n];
    }
    let heaviest = (0..n_rows).map(|row| honest.weights.copies(row).1).fold(0.0, f64::max);
    let exact = ExactSum::for_largest(heaviest);
    let product = |i: usize, j: usize| {
        let units = places().map(|(row, at)| {
            let (copies, weight) = honest.weights.copies(row);
            let share = (residual(i, row, at) / largest) * (residual(j, row, at) / largest);
            i128::from(copies) * exact.units(weight * share)
        });
        exact.value(units.sum())
    };
    // Half of them, and the other half from these.
    let lower: Vec<Vec<f64>> = (0..n).map(|i| (0..=i).map(|j| product(i, j)).collect()).collect();
    (0..n).map(|i| (0..n).map(|j| lower[i.max(j)][i.min(j)]).collect()).collect()
}

/// What an answer should be: 1 at the row's class and 0 elsewhere, or the row's number.
pub(super) fn target_value(target: &Target, row: usize, at: usize) -> f64 {
    match target {
        Target::Classes(labels) => f64::from(labels.codes()[row] as usize == at),
        Target::Numbers(values) => values[row],
        Target::Several(several) => several.row(row)[at],
        Target::SeveralClasses(several) => {
            f64::from(u8::from(several.places(row).any(|place| place == at)))
        }
    }
}

/// The `x` of at least 0 with the least `xᵀAx - 2bᵀx`, for a symmetric `A` that is positive
/// semi-definite: Lawson and Hanson's active set (1974, algorithm NNLS).
pub(super) fn non_negative(a: &[Vec<f64>], b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let tolerance = 1e-12 * (0..n).map(|i| a[i][i]).fold(0.0, f64::max);
    let mut x = vec![0.0; n];
    let mut free: Vec<usize> = Vec::new();
    // Each round lowers the error, so that no set comes twice; the limit is for rounding alone.
    for _ in 0..10 * n {
        let slope = |i: usize| b[i] - dot(&a[i], &x);
        let bound = (0..n).filter(|i| !free.contains(i));
        let steepest = bound.fold(None, |best: Option<(usize, f64)>, i| match best {
            Some((_, most)) if slope(i) <= most => best,
            _ => Some((i, slope(i))),
        });
        let Some((entering, _)) = steepest.filter(|&(_, slope)| slope > tolerance) else { break };
        free.push(entering);
        free.sort_unstable();
        let Some(mut solution) = solve(a, b, &free, tolerance) else {
            free.retain(|&i| i != entering); // it adds nothing to the others
            break;
        };
        while solution.iter().any(|&z| z <= 0.0) {
            // Go towards the solution until the first number is 0, which is bound from then on.
            let steps = free.iter().zip(&solution).filter(|(_, z)| **z <= 0.0);
            let step = steps.map(|(&i, z)| x[i] / (x[i] - z)).fold(1.0, f64::min);
            free.iter().zip(&solution).for_each(|(&i, z)| x[i] += step * (z - x[i]));
            let left: Vec<usize> = free
                .iter()
                .zip(&solution)
                .filter(|(i, z)| **z > 0.0 || x[**i] > 1e-14)
                .map(|(&i, _)| i)
                .collect();
            (0..n).filter(|i| !left.contains(i)).for_each(|i| x[i] = 0.0);
            free = left;
            match solve(a, b, &free, tolerance) {
                Some(next) => solution = next,
                None => break,
            }
        }
        free.iter().zip(&solution).for_each(|(&i, &z)| x[i] = z.max(0.0));
    }
    x
}

/// The solution of the equations of the free numbers alone; `None` if one adds nothing to others.
fn solve(a: &[Vec<f64>], b: &[f64], free: &[usize], redundant: f64) -> Option<Vec<f64>> {
    let lower = |(at, &i): (usize, &usize)| free[..=at].iter().map(|&j| a[i][j]).collect();
    let matrix: Vec<Vec<f64>> = free.iter().enumerate().map(lower).collect();
    let factor = Cholesky::of(&matrix, 0.0, redundant).ok()?;
    Some(factor.solve(free.iter().map(|&i| b[i]).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Weights;
    use crate::scores::Scores;
    use proptest::prelude::*;

    fn honest(answers: &[Vec<f64>], weights: Weights) -> Honest<()> {
        let scores = |values: &Vec<f64>| {
            let mut scores = Scores::zeros(values.len(), 1);
            scores.values_mut().copy_from_slice(values);
            scores
        };
        let rows = (0..answers[0].len()).collect();
        Honest { rows, weights, answers: answers.iter().map(scores).collect(), models: None }
    }

    fn error(weights: &[f64], answers: &[Vec<f64>], y: &[f64]) -> f64 {
        let at = |row: usize| -> f64 { weights.iter().zip(answers).map(|(w, a)| w * a[row]).sum() };
        (0..y.len()).map(|row| (y[row] - at(row)).powi(2)).sum()
    }

    #[test]
    fn two_members_that_err_to_either_side_are_averaged() {
        let y = vec![1.0, 2.0, 3.0, 4.0];
        let answers = [vec![2.0, 3.0, 4.0, 5.0], vec![0.0, 1.0, 2.0, 3.0], vec![9.0; 4]];
        let target = Target::numbers(y).unwrap();
        let found = weights(&honest(&answers, Weights::Uniform), &target);
        assert!((found[0] - 0.5).abs() < 1e-9 && (found[1] - 0.5).abs() < 1e-9, "{found:?}");
        assert!(found[2].abs() < 1e-9);
    }

    #[test]
    fn equal_and_perfect_members_are_borne() {
        let target = Target::numbers(vec![1.0, 5.0]).unwrap();
        let same = vec![1.5, 4.0];
        let found = weights(&honest(&[same.clone(), same], Weights::Uniform), &target);
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12 && found[0] >= 0.0);
        let perfect = vec![1.0, 5.0];
        let found = weights(&honest(&[perfect.clone(), perfect], Weights::Uniform), &target);
        assert_eq!(found, [0.5, 0.5]);
        let one = weights(&honest(&[vec![7.0, 7.0]], Weights::Uniform), &target);
        assert_eq!(one, [1.0]);
    }

    proptest! {
        #[test]
        fn no_other_convex_combination_is_better(
            y in prop::collection::vec(-5.0..5.0f64, 12),
            noise in prop::collection::vec(prop::collection::vec(-3.0..3.0f64, 12), 1..5),
            others in prop::collection::vec(prop::collection::vec(0.0..1.0f64, 5), 20),
        ) {
            let answers: Vec<Vec<f64>> = noise
                .iter()
                .map(|noise| y.iter().zip(noise).map(|(y, e)| y + e).collect())
                .collect();
            let target = Target::numbers(y.clone()).unwrap();
            let found = weights(&honest(&answers, Weights::Uniform), &target);
            prop_assert!(found.iter().all(|&w| w >= 0.0));
            prop_assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let least = error(&found, &answers, &y);
            let corners = (0..answers.len()).map(|i| {
                (0..answers.len()).map(|j| f64::from(i == j)).collect::<Vec<_>>()
            });
            let mixed = others.iter().map(|other| {
                let other = &other[..answers.len()];
                let total: f64 = other.iter().sum::<f64>() + 1e-300;
                other.iter().map(|w| w / total).collect::<Vec<_>>()
            });
            for other in corners.chain(mixed) {
                prop_assert!(least <= error(&other, &answers, &y) * (1.0 + 1e-9) + 1e-9);
            }
        }
    }
}
