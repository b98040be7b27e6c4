//! Ridge regression (Hoerl & Kennard 1970): least squares with a penalty, by the normal equations.
//!
//! The equations are sums of integers and are solved once for all outputs. Where there are very many
//! columns, so that a factor of the matrix would take too long, each output is fitted by steps.

use std::ops::{AddAssign, Range};

use super::minimise::{Ending, minimise};
use super::objective::{Objective, RowLoss};
use crate::base::design::{DesignRows, NOWHERE};
use crate::base::row_sums::{FixedPoint, RowWeights, STRETCH, SideBySide, Terms};
use crate::cholesky::Cholesky;
use crate::run::{Run, of_stretches};

/// Columns up to which the equations are written down.
const MOST_EQUATIONS: usize = 1000;
/// A column is redundant when those before it leave less than this of it.
const REDUNDANT: f64 = 1e-10;
/// Parts that rows are summed in.
const PARTS: usize = 16;

/// The coefficients of each output, how many steps each took at the most, and whether all were found.
/// An output has a number for each row.
pub fn fit(
    (rows, weights): (&DesignRows, &RowWeights),
    outputs: &[Vec<f64>],
    (l2, ending): (f64, Ending),
    run: &Run<'_>,
) -> (Vec<f64>, usize, bool) {
    let outputs: Vec<Output> = outputs.iter().map(|values| Output::of(values, weights)).collect();
    let factor = (rows.design().width() <= MOST_EQUATIONS)
        .then(|| Equations::of(rows, weights).factor(l2 / weights.total()));
    // To solve the equations is one step.
    let (mut coefficients, mut most_steps, mut all_reached) = (Vec::new(), 1, true);
    for output in &outputs {
        let own = match &factor {
            Some(factor) => factor.solve(rows, weights, &output.shares),
            None => {
                let loss = Squared { shares: &output.shares };
                let objective = Objective::new((rows, weights), &loss, l2);
                let start = vec![0.0; objective.stride()];
                let found = minimise(&objective, start, ending, run);
                most_steps = most_steps.max(found.n_steps);
                all_reached &= found.is_reached;
                found.at
            }
        };
        coefficients.extend(output.in_its_unit(own));
    }
    (coefficients, most_steps, all_reached)
}

/// An output as shares of how far it is from its mean at the most.
struct Output {
    mean: f64,
    /// Half of how far it is.
    reach: f64,
    shares: Vec<f64>,
}

impl Output {
    fn of(values: &[f64], weights: &RowWeights) -> Output {
        let largest = weights.largest(|row| Some(values[row].abs()));
        let mean = weights.mean_of(largest, |row| Some(values[row])).unwrap_or(0.0);
        let far = |y: f64| 0.5 * y - 0.5 * mean;
        let reach = weights.largest(|row| Some(far(values[row]).abs()));
        let share = |(row, &y): (usize, &f64)| match weights.counts(row) && reach > 0.0 {
            true => far(y) / reach,
            false => 0.0,
        };
        Output { mean, reach, shares: values.iter().enumerate().map(share).collect() }
    }

    /// Coefficients of the shares as those of the values.
    fn in_its_unit(&self, mut coefficients: Vec<f64>) -> Vec<f64> {
        coefficients.iter_mut().for_each(|w| *w = 2.0 * (*w * self.reach));
        if let Some(intercept) = coefficients.last_mut() {
            *intercept += self.mean;
        }
        coefficients
    }
}

/// Means over rows of the products of columns: ones first, then numbers, then indicators. The lower
/// triangle.
struct Equations {
    matrix: Vec<Vec<f64>>,
    /// The largest size of each number.
    reach: Vec<f64>,
}

impl Equations {
    fn of(rows: &DesignRows, weights: &RowWeights) -> Equations {
        let n_numbers = rows.design().n_numbers();
        let reach = rows.reach(weights);
        let n = rows.design().width() + 1;
        let bound = |column: usize| match column {
            1.. if column <= n_numbers => reach[column - 1],
            _ => 1.0,
        };
        let units: Vec<FixedPoint> = (0..n)
            .flat_map(|i| (0..=i).map(move |j| (i, j)))
            .map(|(i, j)| FixedPoint::for_largest(bound(i) * bound(j)))
            .collect();
        let stretch = |range: Range<usize>| {
            let mut sums = SideBySide::new(units.len());
            let mut dense = vec![1.0; 1 + n_numbers];
            for row in range.filter(|&row| weights.counts(row)) {
                dense[1..].copy_from_slice(rows.numbers(row));
                let row_products =
                    Products { dense: &dense, slots: rows.slots(row), units: &units };
                sums.add(weights.small_units(row), &row_products);
            }
            sums.sums()
        };
        let sums = added(rows.n_rows(), stretch);
        let total = weights.total();
        let entry = |at: usize| weights.value(sums[at], units[at]) / total;
        let matrix =
            (0..n).map(|i| (0..=i).map(|j| entry(i * (i + 1) / 2 + j)).collect()).collect();
        Equations { matrix, reach }
    }

    /// The factor of the matrix with `l2` added for each coefficient but the intercept. Columns that
    /// others make redundant are left out, the last of them first.
    fn factor(self, l2: f64) -> Factor {
        let mut kept: Vec<usize> = (0..self.matrix.len()).collect();
        loop {
            let own = |(at, &i): (usize, &usize)| -> Vec<f64> {
                let mut row: Vec<f64> = kept[..=at].iter().map(|&j| self.matrix[i][j]).collect();
                row[at] += if i == 0 { 0.0 } else { l2 };
                row
            };
            let matrix: Vec<Vec<f64>> = kept.iter().enumerate().map(own).collect();
            match Cholesky::of(&matrix, 0.0, REDUNDANT) {
                Ok(cholesky) => return Factor { cholesky, kept, reach: self.reach },
                Err(redundant) => kept.remove(redundant),
            };
        }
    }
}

/// The products of a row's entries that are not 0: one and its numbers, then its indicators.
struct Products<'a> {
    dense: &'a [f64],
    slots: &'a [u32],
    /// Those of the lower triangle.
    units: &'a [FixedPoint],
}

impl Terms for Products<'_> {
    #[inline(always)]
    fn add_to<S: AddAssign + Copy>(&self, sums: &mut [S], times: impl Fn(i64) -> S) {
        let along = |sums: &mut [S], i: usize, x: f64| {
            let first = i * (i + 1) / 2;
            let n = self.dense.len().min(i + 1);
            let cells = sums[first..first + n].iter_mut().zip(&self.units[first..first + n]);
            for ((sum, units), other) in cells.zip(self.dense) {
                *sum += times(units.units(x * other));
            }
        };
        self.dense.iter().enumerate().for_each(|(i, &x)| along(sums, i, x));
        let seen = || self.slots.iter().filter(|slot| **slot != NOWHERE);
        let column = |slot: &u32| self.dense.len() + *slot as usize;
        for (at, slot) in seen().enumerate() {
            let i = column(slot);
            along(sums, i, 1.0);
            for other in seen().take(at + 1) {
                let cell = i * (i + 1) / 2 + column(other);
                sums[cell] += times(self.units[cell].units(1.0));
            }
        }
    }
}

/// The products of a row's entries and its output.
struct Along<'a> {
    numbers: &'a [f64],
    slots: &'a [u32],
    share: f64,
    units: &'a [FixedPoint],
}

impl Terms for Along<'_> {
    #[inline(always)]
    fn add_to<S: AddAssign + Copy>(&self, sums: &mut [S], times: impl Fn(i64) -> S) {
        sums[0] += times(self.units[0].units(self.share));
        let cells = sums[1..].iter_mut().zip(&self.units[1..]);
        for ((sum, units), z) in cells.zip(self.numbers) {
            *sum += times(units.units(z * self.share));
        }
        for &slot in self.slots.iter().filter(|slot| **slot != NOWHERE) {
            let i = 1 + self.numbers.len() + slot as usize;
            sums[i] += times(self.units[i].units(self.share));
        }
    }
}

/// What solves the equations.
struct Factor {
    cholesky: Cholesky,
    kept: Vec<usize>,
    reach: Vec<f64>,
}

impl Factor {
    /// The coefficients of an output whose values are at most 1, the intercept last.
    fn solve(&self, rows: &DesignRows, weights: &RowWeights, shares: &[f64]) -> Vec<f64> {
        let n = rows.design().width() + 1;
        let bound = |i: usize| i.checked_sub(1).and_then(|j| self.reach.get(j)).copied();
        let units: Vec<FixedPoint> =
            (0..n).map(|i| FixedPoint::for_largest(bound(i).unwrap_or(1.0))).collect();
        let stretch = |range: Range<usize>| {
            let mut sums = SideBySide::new(n);
            for row in range.filter(|&row| weights.counts(row)) {
                let (numbers, slots) = (rows.numbers(row), rows.slots(row));
                let along = Along { numbers, slots, share: shares[row], units: &units };
                sums.add(weights.small_units(row), &along);
            }
            sums.sums()
        };
        let sums = added(rows.n_rows(), stretch);
        let total = weights.total();
        let along = |&i: &usize| weights.value(sums[i], units[i]) / total;
        let solved = self.cholesky.solve(self.kept.iter().map(along).collect());
        let mut coefficients = vec![0.0; n];
        // The intercept comes first in the equations and last in models.
        for (&i, w) in self.kept.iter().zip(solved) {
            coefficients[(i + n - 1) % n] = w;
        }
        coefficients
    }
}

/// The sums over all rows, given those over some.
fn added(n_rows: usize, sums: impl Fn(Range<usize>) -> Vec<i128> + Sync + Send) -> Vec<i128> {
    let len = n_rows.div_ceil(PARTS).max(STRETCH);
    let mut parts = of_stretches(n_rows, len, sums).into_iter();
    let mut all = parts.next().unwrap_or_default();
    for part in parts {
        all.iter_mut().zip(part).for_each(|(all, own)| *all += own);
    }
    all
}

/// Half the squared difference.
struct Squared<'a> {
    shares: &'a [f64],
}

impl RowLoss for Squared<'_> {
    fn width(&self) -> usize {
        1
    }

    fn at(&self, row: usize, scores: &[f64], slopes: &mut [f64]) -> f64 {
        slopes[0] = scores[0] - self.shares[row];
        0.5 * slopes[0] * slopes[0]
    }

    fn bounds(&self, most: f64) -> (f64, f64) {
        (0.5 * (1.0 + most) * (1.0 + most), 1.0 + most)
    }

    fn curvature(&self) -> f64 {
        1.0
    }
}
