//! What a linear model pays: the losses of the rows, summed exactly, and a penalty on coefficients.

use std::ops::{AddAssign, Range};

use crate::base::design::{DesignRows, NOWHERE};
use crate::base::row_sums::{FixedPoint, RowWeights, STRETCH, SideBySide, Terms};
use crate::cholesky::dot;
use crate::run::of_stretches;

/// The loss of one row, as a function of its scores.
pub trait RowLoss: Sync {
    /// How many scores a row has.
    fn width(&self) -> usize;

    /// The loss of a row; its derivative by each score is written to `slopes`.
    fn at(&self, row: usize, scores: &[f64], slopes: &mut [f64]) -> f64;

    /// What no loss and no slope exceeds, where no score is larger than `most` in size.
    fn bounds(&self, most: f64) -> (f64, f64);

    /// About the largest second derivative by one score.
    fn curvature(&self) -> f64;
}

/// `sum_i w_i loss(W x_i + b) + l2 / 2 |W|²`. The coefficients of each score stand together, the
/// intercept, which has no penalty, last.
pub struct Objective<'a> {
    rows: &'a DesignRows,
    weights: &'a RowWeights,
    loss: &'a dyn RowLoss,
    l2: f64,
    /// The largest size of each number.
    reach: Vec<f64>,
}

/// Integer sums of some rows.
struct Sums {
    loss: i128,
    gradient: Vec<i128>,
}

impl<'a> Objective<'a> {
    /// The objective of rows with these weights.
    pub fn new(
        (rows, weights): (&'a DesignRows, &'a RowWeights),
        loss: &'a dyn RowLoss,
        l2: f64,
    ) -> Objective<'a> {
        Objective { rows, weights, loss, l2, reach: rows.reach(weights) }
    }

    /// How many scores there are.
    pub fn n_scores(&self) -> usize {
        self.loss.width()
    }

    /// How many coefficients each score has, with its intercept.
    pub fn stride(&self) -> usize {
        self.rows.design().width() + 1
    }

    /// The weight of all rows.
    pub fn total_weight(&self) -> f64 {
        self.weights.total()
    }

    /// About the second derivative by each coefficient of a score.
    pub fn curvatures(&self) -> Vec<f64> {
        let n_numbers = self.reach.len();
        let mut sums = vec![0i128; self.stride()];
        let one = FixedPoint::for_largest(1.0);
        for row in 0..self.rows.n_rows() {
            let weight = self.weights.units(row) * i128::from(one.units(1.0));
            let seen = self.rows.slots(row).iter().filter(|slot| **slot != NOWHERE);
            seen.for_each(|&slot| sums[n_numbers + slot as usize] += weight);
        }
        let total = self.weights.total();
        let of_column = |(column, &sum): (usize, &i128)| match column {
            _ if column < n_numbers || column == sums.len() - 1 => total,
            _ => self.weights.value(sum, one),
        };
        let squares = sums.iter().enumerate().map(of_column);
        squares.map(|square| self.loss.curvature() * square + self.l2).collect()
    }

    /// The objective at these coefficients, and its gradient.
    pub fn at(&self, coefficients: &[f64]) -> (f64, Vec<f64>) {
        let of_score = coefficients.chunks_exact(self.stride());
        let most = of_score.map(|own| self.most(own)).fold(0.0, f64::max);
        let (most_loss, most_slope) = self.loss.bounds(most);
        let loss_units = FixedPoint::for_largest(most_loss);
        let of_column = |reach: f64| FixedPoint::for_largest(most_slope * reach);
        let units: Vec<FixedPoint> = self.reach.iter().map(|&reach| of_column(reach)).collect();
        let of_one = of_column(1.0);
        let stretch =
            |rows: Range<usize>| self.sums(rows, coefficients, (loss_units, &units, of_one));
        let mut parts = of_stretches(self.rows.n_rows(), STRETCH, stretch).into_iter();
        let none = || Sums { loss: 0, gradient: vec![0; coefficients.len()] };
        let mut all = parts.next().unwrap_or_else(none);
        for part in parts {
            all.loss += part.loss;
            all.gradient.iter_mut().zip(part.gradient).for_each(|(all, own)| *all += own);
        }
        let last = self.stride() - 1;
        let mut square = Vec::with_capacity(self.n_scores());
        let mut gradient = Vec::with_capacity(coefficients.len());
        for (own, sums) in
            coefficients.chunks_exact(last + 1).zip(all.gradient.chunks_exact(last + 1))
        {
            for (column, (w, &sum)) in own.iter().zip(sums).enumerate() {
                let slope = self.weights.value(sum, *units.get(column).unwrap_or(&of_one));
                gradient.push(if column == last { slope } else { slope + self.l2 * w });
            }
            square.push(dot(&own[..last], &own[..last]));
        }
        let value =
            self.weights.value(all.loss, loss_units) + 0.5 * self.l2 * sum_of_any_order(square);
        (value, gradient)
    }

    /// What no row's score exceeds.
    fn most(&self, coefficients: &[f64]) -> f64 {
        let (numbers, rest) = coefficients.split_at(self.reach.len());
        let far = numbers.iter().zip(&self.reach).map(|(w, reach)| (w * reach).abs()).sum::<f64>();
        // At most one indicator of each column is 1; all of them are more than enough.
        let intercept = rest.last().map_or(0.0, |b| b.abs());
        let largest = rest[..rest.len() - 1].iter().fold(0.0f64, |most, w| most.max(w.abs()));
        far + intercept + largest * self.rows.design().n_slots() as f64
    }

    fn sums(
        &self,
        rows: Range<usize>,
        coefficients: &[f64],
        (loss_units, units, of_one): (FixedPoint, &[FixedPoint], FixedPoint),
    ) -> Sums {
        let (width, stride) = (self.n_scores(), self.stride());
        let (mut total, mut gradient) = (0, SideBySide::new(coefficients.len()));
        let (mut scores, mut slopes) = (vec![0.0; width], vec![0.0; width]);
        for row in rows.filter(|&row| self.weights.counts(row)) {
            let (numbers, slots) = (self.rows.numbers(row), self.rows.slots(row));
            for (score, own) in scores.iter_mut().zip(coefficients.chunks_exact(stride)) {
                *score = score_of(own, numbers, slots);
            }
            let weight = self.weights.small_units(row);
            let loss = self.loss.at(row, &scores, &mut slopes);
            total += i128::from(weight) * i128::from(loss_units.units(loss));
            gradient.add(weight, &RowGradient { slopes: &slopes, numbers, slots, units, of_one });
        }
        Sums { loss: total, gradient: gradient.sums() }
    }
}

/// What a row adds to the gradient, the coefficients of each score together.
struct RowGradient<'a> {
    slopes: &'a [f64],
    numbers: &'a [f64],
    slots: &'a [u32],
    units: &'a [FixedPoint],
    of_one: FixedPoint,
}

impl Terms for RowGradient<'_> {
    #[inline(always)]
    fn add_to<S: AddAssign + Copy>(&self, sums: &mut [S], times: impl Fn(i64) -> S) {
        let (n_numbers, stride) = (self.units.len(), sums.len() / self.slopes.len());
        for (slope, own) in self.slopes.iter().zip(sums.chunks_exact_mut(stride)) {
            for ((sum, z), units) in own.iter_mut().zip(self.numbers).zip(self.units) {
                *sum += times(units.units(slope * z));
            }
            let at_one = times(self.of_one.units(*slope));
            for &slot in self.slots.iter().filter(|slot| **slot != NOWHERE) {
                own[n_numbers + slot as usize] += at_one;
            }
            own[stride - 1] += at_one;
        }
    }
}

/// `w x + b` of one row, given the coefficients of one score.
#[inline]
pub fn score_of(coefficients: &[f64], numbers: &[f64], slots: &[u32]) -> f64 {
    let mut score = coefficients[coefficients.len() - 1];
    for (w, z) in coefficients.iter().zip(numbers) {
        score += w * z;
    }
    for &slot in slots.iter().filter(|slot| **slot != NOWHERE) {
        score += coefficients[numbers.len() + slot as usize];
    }
    score
}

/// The sum of numbers, of which the order is of no account: the least first.
pub fn sum_of_any_order(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.iter().sum()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::base::design::Design;
    use crate::base::linear::softmax::{ClassTargets, losses};
    use crate::data::{Column, Table, Weights};
    use crate::seed::{Purpose, Seed};

    /// Numbers, missing ones, levels and weights.
    fn made(n: usize) -> (DesignRows, RowWeights, Vec<u32>) {
        let mut draws = Seed(3).stream(Purpose::Rows);
        let x = (0..n).map(|_| draws.unit() * 3.0).collect();
        let holes =
            (0..n).map(|_| if draws.unit() < 0.2 { f64::NAN } else { draws.unit() }).collect();
        let names: Vec<Option<&str>> =
            (0..n).map(|_| ["a", "b", "c"].get(draws.below(4) as usize).copied()).collect();
        let table = Table::new(vec![
            ("x".into(), Column::numeric(x)),
            ("holes".into(), Column::numeric(holes)),
            ("c".into(), Column::from_names(&names)),
        ]);
        let table = table.unwrap();
        let weights = Weights::counts((0..n as u32).map(|row| row % 3).collect()).unwrap();
        let weights = RowWeights::of(&weights, n).unwrap();
        let design = Arc::new(Design::of(&table, &weights));
        let classes = (0..n).map(|_| draws.below(3) as u32).collect();
        (DesignRows::of(&design, &table), weights, classes)
    }

    #[test]
    fn the_gradient_is_that_of_differences() {
        let (rows, weights, classes) = made(90);
        let shares: Vec<f64> = (0..90)
            .flat_map(|row| {
                let t = f64::from(row % 4) / 4.0;
                [t * 0.25, t * 0.75, 1.0 - t]
            })
            .collect();
        let two: Vec<u32> = classes.iter().map(|class| class % 2).collect();
        for loss in losses([
            ClassTargets::Classes(&two),
            ClassTargets::Classes(&classes),
            ClassTargets::Shares(&shares),
        ]) {
            let objective = Objective::new((&rows, &weights), &*loss, 0.7);
            let n = objective.n_scores() * objective.stride();
            let mut draws = Seed(5).stream(Purpose::Cut);
            let at: Vec<f64> = (0..n).map(|_| draws.unit() - 0.5).collect();
            let (value, gradient) = objective.at(&at);
            assert!(value > 0.0);
            for i in 0..n {
                let moved = |by: f64| {
                    let mut at = at.clone();
                    at[i] += by;
                    objective.at(&at).0
                };
                let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((slope - gradient[i]).abs() < 1e-5, "{i}: {slope} {}", gradient[i]);
            }
        }
    }
}
