//! Linear regression by least squares, for the bootstrap of its coefficients.
//!
//! `y = b0 + b1 x1 + … + bk xk + noise`. In columns centred at their means the intercept and the
//! slopes do not touch each other; the slopes solve the normal equations. Beside a coefficient
//! stands its textbook standard error, which holds where the noise is the same everywhere and the
//! model is right; the bootstrap of rows needs neither.

use super::statistic::total_and_mean;
use crate::cholesky::{Cholesky, dot};
use crate::error::{Error, Result};

/// A predictor is redundant when the ones before it leave less than this of its variance.
const REDUNDANT: f64 = 1e-10;

/// What to regress on what.
#[derive(Debug, Clone)]
pub struct LeastSquares<'a> {
    predictors: Vec<&'a [f64]>,
    target: &'a [f64],
}

/// A fitted regression.
struct Regression {
    /// The intercept, then the slope of each predictor.
    coefficients: Vec<f64>,
    means: Vec<f64>,
    /// The root of each predictor's sum of squares about its mean.
    sizes: Vec<f64>,
    /// The factor of the predictors' correlations.
    factor: Cholesky,
    n_rows: f64,
}

impl<'a> LeastSquares<'a> {
    /// A regression of `target` on `predictors`, at least one, all of one length.
    pub fn new(predictors: Vec<&'a [f64]>, target: &'a [f64]) -> Result<LeastSquares<'a>> {
        if predictors.is_empty() {
            return Err(Error::NoColumns);
        }
        match predictors.iter().find(|x| x.len() != target.len()) {
            Some(x) => Err(Error::Length {
                what: "predictor".into(),
                found: x.len(),
                expected: target.len(),
            }),
            None => Ok(LeastSquares { predictors, target }),
        }
    }

    /// One coefficient, of rows of which each stands there as often as its count says: 0 is the
    /// intercept, `j` the slope of the `j`-th predictor. NaN where no single one is best: a
    /// predictor is constant, or those before it say what it says.
    pub fn coefficient(&self, which: usize, counts: &[u32]) -> f64 {
        self.fit(counts).map_or(f64::NAN, |fitted| fitted.coefficients[which])
    }

    /// The textbook standard error of a coefficient, `sigma sqrt((XᵀX)⁻¹_jj)`, with `sigma²` the
    /// squared residuals over the rows less the coefficients. `None` where there is no coefficient
    /// or no row to spare.
    pub fn standard_error(&self, which: usize, counts: &[u32]) -> Option<f64> {
        let fitted = self.fit(counts)?;
        let spare = fitted.n_rows - fitted.coefficients.len() as f64;
        let squares: f64 = (0..self.target.len())
            .map(|row| f64::from(counts[row]) * self.residual(&fitted, row).powi(2))
            .sum();
        (spare > 0.0).then(|| (squares / spare * fitted.inverse(which)).sqrt())
    }

    fn fit(&self, counts: &[u32]) -> Option<Regression> {
        let k = self.predictors.len();
        let (n_rows, target_mean) = total_and_mean(self.target, counts);
        let means: Vec<f64> = self.predictors.iter().map(|x| total_and_mean(x, counts).1).collect();
        // Products about the means, `xx` by its lower triangle.
        let mut xx: Vec<Vec<f64>> = (0..k).map(|j| vec![0.0; j + 1]).collect();
        let (mut xy, mut centred) = (vec![0.0; k], vec![0.0; k]);
        for (row, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let y = self.target[row] - target_mean;
            for ((to, x), mean) in centred.iter_mut().zip(&self.predictors).zip(&means) {
                *to = x[row] - mean;
            }
            for (j, x) in centred.iter().enumerate() {
                let x = f64::from(count) * x;
                xx[j].iter_mut().zip(&centred).for_each(|(sum, other)| *sum += x * other);
                xy[j] += x * y;
            }
        }
        // In predictors of size 1, so that units do not matter to what is redundant.
        let sizes: Vec<f64> = (0..k).map(|j| xx[j][j].sqrt()).collect();
        let correlations: Vec<Vec<f64>> =
            (0..k).map(|i| (0..=i).map(|j| xx[i][j] / sizes[i] / sizes[j]).collect()).collect();
        let along: Vec<f64> = (0..k).map(|j| xy[j] / sizes[j]).collect();
        let factor = Cholesky::of(&correlations, 0.0, REDUNDANT).ok()?;
        let slopes = factor.solve(along);
        let slopes: Vec<f64> =
            slopes.iter().zip(&sizes).map(|(slope, size)| slope / size).collect();
        let intercept = target_mean - dot(&slopes, &means);
        let coefficients = std::iter::once(intercept).chain(slopes).collect();
        Some(Regression { coefficients, means, sizes, factor, n_rows })
    }

    /// What a regression leaves unexplained of a row.
    fn residual(&self, fitted: &Regression, row: usize) -> f64 {
        let slopes = fitted.coefficients[1..].iter().zip(&self.predictors);
        self.target[row] - slopes.fold(fitted.coefficients[0], |sum, (b, x)| sum + b * x[row])
    }
}

impl Regression {
    /// The diagonal of `(XᵀX)⁻¹`, where `X` has a column of ones and the predictors.
    fn inverse(&self, which: usize) -> f64 {
        let k = self.sizes.len();
        // What is predicted where `x` is so far from the means varies as `xᵀ S⁻¹ x`.
        let spread = |x: Vec<f64>| dot(&x, &self.factor.solve(x.clone()));
        match which.checked_sub(1) {
            Some(j) => {
                spread((0..k).map(|i| f64::from(u8::from(i == j)) / self.sizes[i]).collect())
            }
            None => {
                1.0 / self.n_rows + spread((0..k).map(|i| self.means[i] / self.sizes[i]).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `(XᵀX)⁻¹` and the coefficients, of rows written out, by Gauss and Jordan.
    fn obvious(rows: &[(Vec<f64>, f64)]) -> (Vec<Vec<f64>>, Vec<f64>) {
        let n = rows[0].0.len() + 1;
        let design = |x: &[f64]| [&[1.0], x].concat();
        let mut m = vec![vec![0.0; 2 * n]; n];
        let mut xy = vec![0.0; n];
        for (x, y) in rows {
            let x = design(x);
            for i in 0..n {
                (0..n).for_each(|j| m[i][j] += x[i] * x[j]);
                xy[i] += x[i] * y;
            }
        }
        (0..n).for_each(|i| m[i][n + i] = 1.0);
        for i in 0..n {
            let best = (i..n).max_by(|&a, &b| m[a][i].abs().total_cmp(&m[b][i].abs())).unwrap();
            m.swap(i, best);
            let pivot: Vec<f64> = m[i].iter().map(|v| v / m[i][i]).collect();
            m[i] = pivot.clone();
            for row in (0..n).filter(|row| *row != i) {
                let factor = m[row][i];
                (0..2 * n).for_each(|j| m[row][j] -= factor * pivot[j]);
            }
        }
        let inverse: Vec<Vec<f64>> = m.iter().map(|row| row[n..].to_vec()).collect();
        let coefficients = inverse.iter().map(|row| dot(row, &xy)).collect();
        (inverse, coefficients)
    }

    fn row(k: usize) -> impl Strategy<Value = (Vec<f64>, f64, u32)> {
        (prop::collection::vec(-4.0..4.0f64, k), -9.0..9.0f64, 0..4u32)
    }

    proptest! {
        #[test]
        fn coefficients_and_errors_are_those_of_the_rows_written_out(
            rows in (1usize..5).prop_flat_map(|k| prop::collection::vec(row(k), 20..50)),
        ) {
            let k = rows[0].0.len();
            let columns: Vec<Vec<f64>> =
                (0..k).map(|j| rows.iter().map(|r| r.0[j]).collect()).collect();
            let target: Vec<f64> = rows.iter().map(|r| r.1).collect();
            let counts: Vec<u32> = rows.iter().map(|r| r.2).collect();
            let long: Vec<(Vec<f64>, f64)> = rows
                .iter()
                .flat_map(|(x, y, n)| std::iter::repeat_n((x.clone(), *y), *n as usize))
                .collect();
            prop_assume!(counts.iter().filter(|n| **n > 0).count() > 2 * k + 2);
            let (inverse, expected) = obvious(&long);
            let squares: f64 = long
                .iter()
                .map(|(x, y)| (y - expected[0] - dot(&expected[1..], x)).powi(2))
                .sum();
            let variance = squares / (long.len() - k - 1) as f64;
            let predictors = columns.iter().map(Vec::as_slice).collect();
            let regression = LeastSquares::new(predictors, &target).unwrap();
            for j in 0..=k {
                let found = regression.coefficient(j, &counts);
                prop_assert!((found - expected[j]).abs() <= 1e-7 * (1.0 + expected[j].abs()));
                let error = (variance * inverse[j][j]).sqrt();
                let found = regression.standard_error(j, &counts).unwrap();
                prop_assert!((found - error).abs() <= 1e-7 * (1.0 + error));
            }
        }
    }

    #[test]
    fn a_line_is_found_whatever_its_offset_and_unit() {
        for (offset, unit) in [(0.0, 1.0), (2020.0, 1.0), (-1e9, 1.0), (0.0, 1e-100), (0.0, 1e100)]
        {
            let x: Vec<f64> = (0..9).map(|i| offset + unit * f64::from(i * i)).collect();
            let y: Vec<f64> = (0..9).map(|i| 3.0 + 2.0 * f64::from(i * i)).collect();
            let line = LeastSquares::new(vec![&x], &y).unwrap();
            let found = line.coefficient(1, &[1, 0, 2, 1, 1, 0, 3, 1, 0]);
            assert!((found * unit - 2.0).abs() < 1e-9, "{offset} {unit}: {found}");
        }
    }

    #[test]
    fn what_has_no_single_answer_is_nan() {
        let (x, y) = ([1.0, 2.0, 3.0, 4.0], [1.0, 0.0, 2.0, 1.0]);
        let copy: Vec<f64> = x.iter().map(|x| 5.0 - 3.0 * x).collect();
        let line = LeastSquares::new(vec![&x], &y).unwrap();
        assert!(line.coefficient(1, &[0, 4, 0, 0]).is_nan());
        assert!(line.coefficient(1, &[0; 4]).is_nan());
        assert!(line.coefficient(1, &[0, 2, 2, 0]).is_finite());
        assert!(line.standard_error(1, &[0, 1, 1, 0]).is_none());
        let twice = LeastSquares::new(vec![&x, &copy], &y).unwrap();
        assert!(twice.coefficient(1, &[1; 4]).is_nan());
    }

    #[test]
    fn lengths_must_agree_and_there_must_be_a_predictor() {
        assert!(matches!(LeastSquares::new(vec![], &[1.0]), Err(Error::NoColumns)));
        let short = LeastSquares::new(vec![&[1.0]], &[1.0, 2.0]).map(|_| ());
        assert!(matches!(short, Err(Error::Length { found: 1, expected: 2, .. })));
    }
}
