//! The means of levels, and how far each is drawn to the mean of all.
//!
//! The targets of a level's `n` rows have the variance `within`, the true means of levels `between`. The
//! best guess of a level's mean is then that of its own rows and of `within / between` rows more whose
//! mean is that of all (Efron & Morris 1975). Both variances are estimated by moments, as in an analysis
//! of variance with groups of unequal size.

use super::Folds;
use crate::base::row_sums::{FixedPoint, RowWeights};
use crate::boost::targets::Targets;
use crate::data::{Categories, MISSING, Sample, Weights};
use crate::error::Result;
use crate::exact_sum::ExactSum;

/// A column of categories beside a target.
#[derive(Clone, Copy)]
pub struct LevelTargets<'a> {
    /// The column.
    pub categories: &'a Categories,
    /// The targets of its rows.
    pub targets: Targets<'a>,
    /// The class whose share is the target, if it is one.
    pub class: Option<u32>,
}

/// What the levels of a column have. Targets are told by their distance from the mean of all rows.
pub struct LevelMeans {
    weights: RowWeights,
    /// What a row weighs on the mean.
    row_weight: f64,
    /// The mean of rows that have a level.
    mean: f64,
    unit: FixedPoint,
    /// How many rows each level has.
    pub rows: Vec<f64>,
    /// The sum of their targets.
    sums: Vec<f64>,
    /// How many rows more, of the mean of all, a level's mean is taken over. Infinite if levels differ no
    /// more than by chance.
    more: f64,
}

impl LevelTargets<'_> {
    /// The means of a sample's rows.
    pub fn means(&self, sample: &Sample<'_>) -> Result<LevelMeans> {
        let weights = RowWeights::of(sample.weights, sample.n_rows())?;
        let known = |row: usize| self.level(row).map(|_| self.target(row));
        let bound = weights.largest(|row| known(row).map(f64::abs));
        let mean = weights.mean_of(bound, known).unwrap_or(0.0);
        let farthest = weights.largest(|row| known(row).map(|y| (y - mean).abs()));
        let unit = FixedPoint::for_largest(farthest);
        let row_weight = sample.mean_weight();
        let (rows, sums) = (Vec::new(), Vec::new());
        let mut means = LevelMeans { weights, row_weight, mean, unit, rows, sums, more: 0.0 };
        (means.rows, means.sums) = means.sums_of(self, 0..sample.n_rows() as u32);
        // In units of the farthest, whose square may be beyond all numbers.
        let share = |row: usize| known(row).map(|y| ((y - mean) / farthest).powi(2));
        let squares = if farthest > 0.0 { means.weights.sum(1.0, share) / row_weight } else { 0.0 };
        means.more = means.rows_more(squares, farthest);
        Ok(means)
    }

    /// What each row is told of its level: the mean of the other folds, or of all rows trained on if it
    /// is none of them.
    pub fn told(&self, means: &LevelMeans, folds: &Folds) -> Vec<f64> {
        let mut told = vec![f64::NAN; self.targets.len()];
        let mut tell = |rows: &[u32], own: &(Vec<f64>, Vec<f64>)| {
            for &row in rows {
                if let Some(level) = self.level(row as usize) {
                    let (n, sum) =
                        (means.rows[level] - own.0[level], means.sums[level] - own.1[level]);
                    told[row as usize] = means.drawn(n, sum);
                }
            }
        };
        for rows in &folds.rows {
            tell(rows, &means.sums_of(self, rows.iter().copied()));
        }
        let nothing = vec![0.0; means.rows.len()];
        tell(&folds.told_all, &(nothing.clone(), nothing));
        told
    }

    /// Whether a row that counts has no level.
    pub fn has_missing(&self, weights: &Weights) -> bool {
        let mut rows = 0..self.targets.len();
        rows.any(|row| self.level(row).is_none() && weights.at(row) > 0.0)
    }

    fn target(&self, row: usize) -> f64 {
        match self.class {
            None => self.targets.at(row),
            Some(class) => f64::from(u8::from(self.targets.at(row) == f64::from(class))),
        }
    }

    fn level(&self, row: usize) -> Option<usize> {
        let code = self.categories.codes()[row];
        (code != MISSING).then_some(code as usize)
    }
}

impl LevelMeans {
    /// The mean of each level, drawn to that of all, which is 0.
    pub fn all(&self) -> Vec<f64> {
        self.rows.iter().zip(&self.sums).map(|(n, sum)| self.drawn(*n, *sum)).collect()
    }

    /// How much of what a row is told is its level's own, on the mean over rows.
    pub fn reliability(&self) -> f64 {
        let own = |n: f64| if n > 0.0 { n * (n / (n + self.more)) } else { 0.0 };
        exact_sum(self.rows.iter().map(|n| own(*n))) / exact_sum(self.rows.iter().copied()).max(1.0)
    }

    /// The mean of `n` rows that sum to `sum`, drawn to that of all.
    fn drawn(&self, n: f64, sum: f64) -> f64 {
        if n > 0.0 { sum / (n + self.more) } else { 0.0 }
    }

    /// How many of some rows each level has, and the sum of their targets.
    fn sums_of(
        &self,
        of: &LevelTargets<'_>,
        rows: impl Iterator<Item = u32>,
    ) -> (Vec<f64>, Vec<f64>) {
        let n_levels = of.categories.levels().len();
        let (mut weight, mut sum) = (vec![0i128; n_levels], vec![0i128; n_levels]);
        for row in rows.map(|row| row as usize).filter(|&row| self.weights.counts(row)) {
            if let Some(level) = of.level(row) {
                let units = self.weights.units(row);
                weight[level] += units;
                sum[level] += units * i128::from(self.unit.units(of.target(row) - self.mean));
            }
        }
        let rows = weight.iter().map(|units| self.weights.weight(*units) / self.row_weight);
        let sums = sum.iter().map(|sum| self.weights.value(*sum, self.unit) / self.row_weight);
        (rows.collect(), sums.collect())
    }

    /// `within / between`, of rows whose squared targets sum to `squares`, in units of `farthest`.
    fn rows_more(&self, squares: f64, farthest: f64) -> f64 {
        let levels = || self.rows.iter().zip(&self.sums).filter(|(n, _)| **n > 0.0);
        let n_levels = levels().count() as f64;
        let n = exact_sum(levels().map(|(n, _)| *n));
        // A level whose rows say the same as all others has none; a column whose levels have one row
        // each tells nothing but which row it is.
        let free = n - n_levels;
        if farthest == 0.0 || n_levels < 2.0 || free < 1.0 {
            return f64::INFINITY;
        }
        let explained = exact_sum(levels().map(|(n, sum)| (sum / farthest) * (sum / farthest / n)));
        let within = ((squares - explained) / free).max(0.0); // SSW / (N - k)
        let spread = n - exact_sum(levels().map(|(n, _)| n * n)) / n; // N - sum n^2 / N
        let between = (explained - (n_levels - 1.0) * within) / spread;
        if between > 0.0 { within / between } else { f64::INFINITY }
    }
}

/// A sum that is the same in any order.
fn exact_sum(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    let unit = ExactSum::for_largest(numbers.clone().fold(0.0, |largest, x| x.abs().max(largest)));
    unit.value(numbers.map(|x| unit.units(x)).sum())
}
