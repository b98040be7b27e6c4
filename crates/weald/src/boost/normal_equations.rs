//! The normal equations of weighted least squares, summed as integers.
//!
//! A leaf's rows have a few columns of numbers, a gradient `g` and a second derivative `h` each.
//! What is sought is the linear function `f` that makes `sum g f + h f² / 2` small: in columns
//! centred at their mean by `h`, the mean of `f` and its slopes do not touch each other, and the
//! slopes solve `(C + ridge) slopes = -u` with `C = sum h x xᵀ` and `u = sum g x`.
//!
//! Each column is first put on a grid of 2^30 steps from its lowest to its highest value, so that
//! large offsets (years, times in seconds) cost no digits and sums of products are integers: the
//! same for any order of rows, and for a row twice as for its weight doubled.

use crate::cholesky::{Cholesky, dot};

/// The steps of the grid, as a power of two.
const GRID_BITS: u32 = 30;

/// A column is redundant when the ones before it leave less than this of its variance.
const REDUNDANT: f64 = 1e-6;

/// Sums over rows. Gradients are in units as of `ExactScales`, whose sums stay below 2^61: with
/// values below 2^30 every sum of products stays below 2^121.
pub struct NormalEquations {
    columns: Vec<GridColumn>,
    /// The sum of `g`.
    pub g: i64,
    /// The sum of `h`.
    pub h: i64,
    /// The sums of `g x`, of `h x`, and of `h x y` for `y` up to `x`, of columns less their middle.
    gx: Vec<i128>,
    hx: Vec<i128>,
    hxy: Vec<i128>,
}

/// A column on its grid.
#[derive(Debug, Clone, Copy)]
struct GridColumn {
    low: f64,
    high: f64,
    /// Steps of the grid for each unit of the column.
    steps: f64,
    /// The step next to the mean by `h`.
    middle: i32,
}

/// A linear function that is 0 where every column is at its mean by `h`.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearFunction {
    /// What it says where every column is at its lowest.
    pub base: f64,
    /// The slope, the lowest and the highest value of each column.
    pub slopes: Vec<(f64, f64, f64)>,
}

/// Why there is no function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsolved {
    /// This column is constant, or the ones before it already say what it says.
    Redundant(usize),
    /// Nothing is gained by slopes.
    Useless,
}

impl NormalEquations {
    /// Sums over rows: the `n_columns` numbers of each, all finite, and its gradient.
    pub fn of(
        values: &[f64],
        n_columns: usize,
        gradients: &[(i64, i64)],
    ) -> Result<NormalEquations, Unsolved> {
        let mut columns = (0..n_columns)
            .map(|column| GridColumn::of(values[column..].iter().step_by(n_columns)))
            .enumerate()
            .map(|(at, column)| column.ok_or(Unsolved::Redundant(at)))
            .collect::<Result<Vec<GridColumn>, Unsolved>>()?;
        let (g, h) = gradients.iter().fold((0, 0), |sum, (g, h)| (sum.0 + g, sum.1 + h));
        if h <= 0 {
            return Err(Unsolved::Useless);
        }
        let mut steps: Vec<i32> = Vec::with_capacity(values.len());
        let mut sums = vec![0i128; n_columns];
        for (row, &(_, h)) in values.chunks_exact(n_columns).zip(gradients) {
            for ((sum, column), &x) in sums.iter_mut().zip(&columns).zip(row) {
                let step = column.step(x);
                *sum += i128::from(h) * i128::from(step);
                steps.push(step);
            }
        }
        for (column, sum) in columns.iter_mut().zip(sums) {
            column.middle = (sum / i128::from(h)) as i32;
        }
        let mut gx = vec![0; n_columns];
        let mut hx = vec![0; n_columns];
        let mut hxy = vec![0; n_columns * (n_columns + 1) / 2];
        let mut centred = vec![0i64; n_columns];
        for (row, &(g, h)) in steps.chunks_exact(n_columns).zip(gradients) {
            for ((to, column), &step) in centred.iter_mut().zip(&columns).zip(row) {
                *to = i64::from(step - column.middle);
            }
            let mut products = hxy.iter_mut();
            for (i, &x) in centred.iter().enumerate() {
                gx[i] += i128::from(g) * i128::from(x);
                hx[i] += i128::from(h) * i128::from(x);
                for (&y, sum) in centred[..=i].iter().zip(products.by_ref()) {
                    // Below 2^60 times below 2^50: one product of two 64-bit numbers.
                    *sum += i128::from(x * y) * i128::from(h);
                }
            }
        }
        Ok(NormalEquations { columns, g, h, gx, hx, hxy })
    }

    /// The slopes that gain most, with the penalty `ridge / 2` on the square of what one standard
    /// deviation of a column changes. Units of `g` and `h` are `1 / g_scale` and `1 / h_scale`.
    pub fn solve(
        &self,
        ridge: f64,
        (g_scale, h_scale): (f64, f64),
    ) -> Result<LinearFunction, Unsolved> {
        let n = self.columns.len();
        let (g, h) = (self.g as f64, self.h as f64);
        let mean = |i: usize| self.hx[i] as f64 / h;
        let covariance =
            |i: usize, j: usize| self.hxy[i * (i + 1) / 2 + j] as f64 - mean(i) * self.hx[j] as f64;
        let sizes: Vec<f64> = (0..n).map(|i| covariance(i, i).max(0.0).sqrt()).collect();
        if let Some(at) = sizes.iter().position(|size| *size == 0.0) {
            return Err(Unsolved::Redundant(at));
        }
        // In columns of size 1: correlations, and how each goes with the gradient.
        let correlations: Vec<Vec<f64>> = (0..n)
            .map(|i| (0..=i).map(|j| covariance(i, j) / sizes[i] / sizes[j]).collect())
            .collect();
        let along: Vec<f64> =
            (0..n).map(|i| (self.gx[i] as f64 - mean(i) * g) / sizes[i]).collect();
        let factor = Cholesky::of(&correlations, ridge / (h / h_scale), REDUNDANT)
            .map_err(Unsolved::Redundant)?;
        let slopes = factor.solve(along.iter().map(|b| -b).collect());
        let change = change(&correlations, &along, &slopes);
        if change.is_nan() || change >= 0.0 {
            return Err(Unsolved::Useless);
        }
        let (mut base, mut of_columns) = (0.0, Vec::with_capacity(n));
        for (i, column) in self.columns.iter().enumerate() {
            let a_step = slopes[i] / sizes[i] * (h_scale / g_scale);
            base -= a_step * (f64::from(column.middle) + mean(i));
            of_columns.push((a_step * column.steps, column.low, column.high));
        }
        Ok(LinearFunction { base, slopes: of_columns })
    }
}

impl GridColumn {
    /// The grid of a column; `None` if it has no two values.
    fn of<'a>(values: impl Iterator<Item = &'a f64>) -> Option<GridColumn> {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        // Zeros have no sign here: which of the two came first must not matter.
        let widen = |(low, high): (f64, f64), &x: &f64| (low.min(x + 0.0), high.max(x + 0.0));
        let (low, high) = values.fold(ends, widen);
        let steps = f64::from(1u32 << GRID_BITS) / (high - low);
        (low < high && steps > 0.0 && steps.is_finite()).then_some(GridColumn {
            low,
            high,
            steps,
            middle: 0,
        })
    }

    /// The step of the grid next to a value.
    #[inline(always)]
    fn step(&self, x: f64) -> i32 {
        // At least 0, so that cutting off after adding a half rounds.
        ((x - self.low) * self.steps + 0.5) as i32
    }
}

/// What slopes change of the objective, below 0 if they lower it: `b x + x m x / 2`.
fn change(m: &[Vec<f64>], b: &[f64], x: &[f64]) -> f64 {
    let square = |i: usize| x[i] * (dot(&x[..i], &m[i]) + 0.5 * m[i][i] * x[i]);
    dot(b, x) + (0..x.len()).map(square).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SCALE: f64 = 1024.0;

    /// The obvious way: the equations with a column of ones, by Gaussian elimination. The value at
    /// 0 and the slopes.
    fn obvious(rows: &[Vec<f64>], gradients: &[(i64, i64)], ridge: f64) -> Vec<f64> {
        let n = rows[0].len();
        let with_one = |row: &[f64]| [&[1.0], row].concat();
        let mut m = vec![vec![0.0; n + 2]; n + 1];
        for (row, &(g, h)) in rows.iter().zip(gradients) {
            let x = with_one(row);
            for i in 0..=n {
                (0..=n).for_each(|j| m[i][j] += h as f64 / SCALE * x[i] * x[j]);
                m[i][n + 1] -= g as f64 / SCALE * x[i];
            }
        }
        for i in 1..=n {
            let h = m[0][0];
            let variance = (m[i][i] - m[0][i] * m[0][i] / h) / h;
            m[i][i] += ridge * variance;
        }
        for i in 0..=n {
            let best = (i..=n).max_by(|&a, &b| m[a][i].abs().total_cmp(&m[b][i].abs())).unwrap();
            m.swap(i, best);
            let pivot = m[i].clone();
            for (k, row) in m.iter_mut().enumerate().filter(|(k, _)| *k != i) {
                let factor = row[i] / pivot[i];
                (i..n + 2).for_each(|j| row[j] -= factor * pivot[j]);
                assert!(k != i && row[n + 1].is_finite());
            }
        }
        (0..=n).map(|i| m[i][n + 1] / m[i][i]).collect()
    }

    fn fit(
        rows: &[Vec<f64>],
        gradients: &[(i64, i64)],
        ridge: f64,
    ) -> Result<(f64, LinearFunction), Unsolved> {
        let equations = NormalEquations::of(&rows.concat(), rows[0].len(), gradients)?;
        let mean = -(equations.g as f64) / equations.h as f64;
        Ok((mean, equations.solve(ridge, (SCALE, SCALE))?))
    }

    fn says((mean, function): &(f64, LinearFunction), row: &[f64]) -> f64 {
        let slopes = function.slopes.iter().zip(row);
        mean + function.base + slopes.map(|((slope, low, _), x)| slope * (x - low)).sum::<f64>()
    }

    fn row_and_gradient(n: usize) -> impl Strategy<Value = (Vec<f64>, (i64, i64))> {
        let values = prop::collection::vec(-4.0..4.0f64, n);
        (values, (-100_000i64..100_000, 1i64..100_000))
    }

    proptest! {
        #[test]
        fn slopes_are_those_of_gaussian_elimination(
            rows in (1usize..6).prop_flat_map(|n| prop::collection::vec(row_and_gradient(n), 30..80)),
            ridge in prop_oneof![Just(0.0), 0.0..50.0f64],
        ) {
            let (rows, gradients): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
            let found = fit(&rows, &gradients, ridge).unwrap();
            let expected = obvious(&rows, &gradients, ridge);
            for ((slope, ..), expected) in found.1.slopes.iter().zip(&expected[1..]) {
                prop_assert!((slope - expected).abs() <= 1e-6 * (1.0 + expected.abs()));
            }
            for row in &rows {
                let slopes = expected[1..].iter().zip(row);
                let expected = expected[0] + slopes.map(|(slope, x)| slope * x).sum::<f64>();
                prop_assert!((says(&found, row) - expected).abs() <= 1e-6 * (1.0 + expected.abs()));
            }
        }

        #[test]
        fn neither_the_order_of_rows_nor_their_weight_in_copies_matters(
            rows in prop::collection::vec(row_and_gradient(3), 20..40),
        ) {
            let (rows, gradients): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
            let back = |list: &[_]| -> Vec<_> { list.iter().rev().cloned().collect() };
            let found = fit(&rows, &gradients, 1.0).unwrap();
            let reversed: Vec<Vec<f64>> = rows.iter().rev().cloned().collect();
            prop_assert_eq!(&fit(&reversed, &back(&gradients), 1.0).unwrap(), &found);
            let twice = [&rows[..], &rows[..]].concat();
            let doubled: Vec<_> = gradients.iter().map(|(g, h)| (2 * g, 2 * h)).collect();
            let copies = fit(&twice, &[&gradients[..], &gradients[..]].concat(), 1.0).unwrap();
            prop_assert_eq!(copies, fit(&rows, &doubled, 1.0).unwrap());
        }
    }

    #[test]
    fn huge_offsets_and_odd_units_cost_no_digits() {
        for (offset, unit) in [(0.0, 1.0), (2020.0, 1.0), (1e9, 1.0), (-3e12, 1.0), (0.0, 1e-200)] {
            let x: Vec<Vec<f64>> =
                (0..50).map(|i| vec![offset + unit * f64::from(i * 7 % 50)]).collect();
            // The gradient of a line through 3 of slope 2: y = 3 + 2 i.
            let gradients: Vec<(i64, i64)> =
                (0..50).map(|i| (-(3 + 2 * (i * 7 % 50)) * 1024, 1024)).collect();
            let found = fit(&x, &gradients, 0.0).unwrap();
            assert!((found.1.slopes[0].0 * unit - 2.0).abs() < 1e-6, "{offset} {unit}: {found:?}");
            assert!((says(&found, &x[0]) - 3.0).abs() < 1e-6, "{offset} {unit}: {found:?}");
        }
    }

    #[test]
    fn constant_and_repeated_columns_are_named_and_flat_ones_useless() {
        let gradients: Vec<(i64, i64)> = (0..40).map(|i| (i % 7 - 3, 10)).collect();
        let rows = |f: &dyn Fn(f64) -> Vec<f64>| (0..40).map(|i| f(f64::from(i))).collect();
        let solve = |rows: Vec<Vec<f64>>, ridge| fit(&rows, &gradients, ridge).map(|_| ());
        assert_eq!(solve(rows(&|i| vec![i, 4.0]), 0.0), Err(Unsolved::Redundant(1)));
        assert_eq!(solve(rows(&|i| vec![-0.0 * i, i]), 0.0), Err(Unsolved::Redundant(0)));
        assert_eq!(solve(rows(&|i| vec![i, 5.0 - 3.0 * i]), 0.0), Err(Unsolved::Redundant(1)));
        let sum = |i: f64| vec![i, i * i, 1e6 + 2.0 * i - 0.5 * i * i];
        assert_eq!(solve(rows(&sum), 0.0), Err(Unsolved::Redundant(2)));
        assert_eq!(solve(rows(&sum), 1.0), Ok(()), "a penalty shares slopes among copies");
        // The range is infinite; the grid has no steps.
        assert_eq!(solve(rows(&|i| vec![(i - 20.0) * 8e306]), 0.0), Err(Unsolved::Redundant(0)));
        let x = rows(&|i| vec![i]);
        assert_eq!(fit(&x, &[(0, 10); 40], 0.0).unwrap_err(), Unsolved::Useless);
        assert_eq!(fit(&x, &[(5, 0); 40], 0.0).unwrap_err(), Unsolved::Useless);
    }

    #[test]
    fn the_largest_sums_do_not_overflow() {
        // A million rows of 2^41 units each: sums of gradients of 2^61, values at both ends.
        let n = 1 << 20;
        let values: Vec<f64> = (0..n).map(|i| f64::from(i % 2)).collect();
        let most = 1i64 << 41;
        let gradients: Vec<(i64, i64)> =
            (0..n).map(|i| (if i % 2 == 0 { most } else { -most }, most)).collect();
        let equations = NormalEquations::of(&values, 1, &gradients).unwrap();
        let function = equations.solve(0.0, (1.0, 1.0)).unwrap();
        assert!((function.slopes[0].0 - 2.0).abs() < 1e-6, "{function:?}");
    }
}
