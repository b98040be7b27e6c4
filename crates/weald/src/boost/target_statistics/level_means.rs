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
use crate::exact_sum::exact_sum;

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

/// The rows of a sample, each for as many as it weighs.
pub struct CountedRows {
    weights: RowWeights,
    /// What a row weighs on the mean.
    row_weight: f64,
}

/// What the levels of a column have. Targets are told by their distance from the mean of all rows.
pub struct LevelMeans<'a> {
    counted: &'a CountedRows,
    /// The mean of rows that have a level.
    mean: f64,
    unit: FixedPoint,
    /// How many rows each level has.
    rows: Vec<f64>,
    /// The sum of their targets.
    sums: Vec<f64>,
    /// How many rows more, of the mean of all, a level's mean is taken over. Infinite if levels differ no
    /// more than by chance.
    more: f64,
}

impl CountedRows {
    /// Those of a sample.
    pub fn of(sample: &Sample<'_>) -> Result<CountedRows> {
        let weights = RowWeights::of(sample.weights, sample.n_rows())?;
        Ok(CountedRows { weights, row_weight: sample.mean_weight() })
    }

    /// How many of some rows each level of a column has.
    pub fn of_levels(
        &self,
        categories: &Categories,
        rows: impl Iterator<Item = usize>,
    ) -> Vec<f64> {
        let units = self.sums(categories, rows, |row| self.weights.units(row));
        units.iter().map(|units| self.weights.weight(*units) / self.row_weight).collect()
    }

    /// The sum over the rows of each level.
    fn sums(
        &self,
        categories: &Categories,
        rows: impl Iterator<Item = usize>,
        of: impl Fn(usize) -> i128,
    ) -> Vec<i128> {
        let mut sums = vec![0; categories.levels().len()];
        for row in rows.filter(|&row| self.weights.counts(row)) {
            let code = categories.codes()[row];
            if code != MISSING {
                sums[code as usize] += of(row);
            }
        }
        sums
    }
}

impl LevelTargets<'_> {
    /// The means of some rows.
    pub fn means<'r>(&self, counted: &'r CountedRows) -> LevelMeans<'r> {
        let CountedRows { weights, row_weight } = counted;
        let known = |row: usize| self.level(row).map(|_| self.target(row));
        let bound = weights.largest(|row| known(row).map(f64::abs));
        let mean = weights.mean_of(bound, known).unwrap_or(0.0);
        let farthest = weights.largest(|row| known(row).map(|y| (y - mean).abs()));
        let unit = FixedPoint::for_largest(farthest);
        let (rows, sums) = (Vec::new(), Vec::new());
        let mut means = LevelMeans { counted, mean, unit, rows, sums, more: 0.0 };
        (means.rows, means.sums) = means.sums_of(self, 0..weights.n_rows());
        // In units of the farthest, whose square may be beyond all numbers.
        let share = |row: usize| known(row).map(|y| ((y - mean) / farthest).powi(2));
        let squares = if farthest > 0.0 { weights.sum(1.0, share) / row_weight } else { 0.0 };
        means.more = means.rows_more(squares, farthest);
        means
    }

    /// What each row is told of its level: the mean of the other folds, or of all rows trained on if it
    /// is none of them.
    pub fn told(&self, means: &LevelMeans<'_>, folds: &Folds) -> Vec<f64> {
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
            tell(rows, &means.sums_of(self, rows.iter().map(|&row| row as usize)));
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

impl LevelMeans<'_> {
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
        rows: impl Iterator<Item = usize> + Clone,
    ) -> (Vec<f64>, Vec<f64>) {
        let CountedRows { weights, row_weight } = self.counted;
        let off = |row: usize| i128::from(self.unit.units(of.target(row) - self.mean));
        let product = |row: usize| weights.units(row) * off(row);
        let sums = self.counted.sums(of.categories, rows.clone(), product);
        let sums = sums.iter().map(|sum| weights.value(*sum, self.unit) / row_weight);
        (self.counted.of_levels(of.categories, rows), sums.collect())
    }

    /// `within / between`, of rows whose squared targets sum to `squares`, in units of `farthest`.
    fn rows_more(&self, squares: f64, farthest: f64) -> f64 {
        let levels = || self.rows.iter().zip(&self.sums).filter(|(n, _)| **n > 0.0);
        let n_levels = levels().count() as f64;
        let n = exact_sum(levels().map(|(n, _)| *n));
        // A column whose levels have one row each tells nothing but which row it is.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Table, Target};
    use proptest::prelude::*;

    /// The rows of each level, one by one.
    fn by_level(codes: &[u32], y: &[f64], n_levels: u32) -> Vec<Vec<f64>> {
        let rows_of = |level: u32| codes.iter().zip(y).filter(move |(code, _)| **code == level);
        (0..n_levels).map(|level| rows_of(level).map(|(_, y)| *y).collect()).collect()
    }

    fn mean(y: &[f64]) -> f64 {
        y.iter().sum::<f64>() / y.len() as f64
    }

    /// The textbook's analysis of variance, level by level and row by row.
    fn rows_more(levels: &[Vec<f64>]) -> f64 {
        let levels: Vec<&Vec<f64>> = levels.iter().filter(|rows| !rows.is_empty()).collect();
        let all: Vec<f64> = levels.iter().flat_map(|rows| rows.iter().copied()).collect();
        let (n, k) = (all.len() as f64, levels.len() as f64);
        let squares =
            |rows: &[f64], about: f64| rows.iter().map(|y| (y - about).powi(2)).sum::<f64>();
        let within = levels.iter().map(|rows| squares(rows, mean(rows))).sum::<f64>() / (n - k);
        let between = levels
            .iter()
            .map(|rows| rows.len() as f64 * (mean(rows) - mean(&all)).powi(2))
            .sum::<f64>();
        let n0 = n - levels.iter().map(|rows| (rows.len() as f64).powi(2)).sum::<f64>() / n;
        within / ((between - (k - 1.0) * within) / n0)
    }

    proptest! {
        #[test]
        fn means_are_those_of_an_analysis_of_variance(
            rows in prop::collection::vec((0u32..5, -50i32..50), 8..60),
            shift in -1e3..1e3f64,
        ) {
            let codes: Vec<u32> =
                rows.iter().map(|(code, _)| if *code == 4 { MISSING } else { *code }).collect();
            let y: Vec<f64> =
                rows.iter().map(|(code, y)| f64::from(*y + 20 * *code as i32) + shift).collect();
            let levels = by_level(&codes, &y, 5);
            let n_known: usize = levels.iter().map(Vec::len).sum();
            let n_levels = levels.iter().filter(|rows| !rows.is_empty()).count();
            prop_assume!(n_levels >= 2 && n_known > n_levels);
            let names = ["a", "b", "c", "d", "e"].map(String::from).into();
            let column = Column::categorical(codes.clone(), names).unwrap();
            let Column::Categorical(categories) = &column else { panic!() };
            let table = Table::new(vec![("level".into(), column.clone())]).unwrap();
            let target = Target::numbers(y.clone()).unwrap();
            let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
            let counted = CountedRows::of(&sample).unwrap();
            let column =
                LevelTargets { categories, targets: Targets::of(&target), class: None };
            let means = column.means(&counted);
            let expected = rows_more(&levels);
            if expected.is_finite() && expected > 0.0 {
                prop_assert!((means.more - expected).abs() <= 1e-6 * expected, "{} {expected}", means.more);
            } else {
                prop_assert!(means.more == 0.0 || means.more > 1e9, "{} {expected}", means.more);
                return Ok(());
            }
            // Each row is told the mean of the rows of other folds, and of some more at the middle.
            let known: Vec<f64> = levels.iter().flatten().copied().collect();
            let middle = mean(&known);
            let folds = Folds {
                rows: (0..3).map(|fold| (0..rows.len() as u32 - 2).filter(|r| r % 3 == fold).collect()).collect(),
                told_all: vec![rows.len() as u32 - 2, rows.len() as u32 - 1],
            };
            for (row, told) in column.told(&means, &folds).into_iter().enumerate() {
                if codes[row] == MISSING {
                    prop_assert!(told.is_nan());
                    continue;
                }
                let is_told_all = row + 2 >= rows.len();
                let others: Vec<f64> = (0..rows.len())
                    .filter(|&other| codes[other] == codes[row])
                    .filter(|&other| is_told_all || other + 2 >= rows.len() || other % 3 != row % 3)
                    .map(|other| y[other] - middle)
                    .collect();
                let expected = others.iter().sum::<f64>() / (others.len() as f64 + means.more);
                prop_assert!((told - expected).abs() < 1e-9, "row {row}: {told} {expected}");
            }
        }
    }
}
