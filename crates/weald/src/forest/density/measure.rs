//! What volume is: a measure for each column, by which the cells of trees are weighed.
//!
//! Numbers are measured by their length between the smallest and the largest value. Beyond these
//! the measure goes on with the same density and falls off: `(1 + z/3s)^-4` at a distance `z`, so
//! that all that lies beyond is as much as a stretch of length `s`. `s` is how far the outermost
//! values lie beyond the next ones on the mean: outermost cells then keep about the share of one row
//! for what is larger than all that was seen. The fourth power is that of Student's t with three
//! degrees of freedom: rows far out are unlikely, not impossible. Levels are counted.
//!
//! A column of one value has no spread of its own and is given that value's size; a column without
//! any value is given 1.

use super::cell::Side;
use crate::data::{Column, FieldKind, Sample, Schema};
use crate::run::{Run, SuspectColumns};

/// Outermost values whose distance from the next one is averaged.
const OUTERMOST: usize = 8;
/// No tail is longer: sums of lengths stay finite.
const LONGEST: f64 = f64::MAX / 16.0;

/// A measure for each column; each one's total is taken as 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// The columns.
    pub columns: Vec<ColumnMeasure>,
}

/// How a column is measured.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnMeasure {
    /// By length.
    Numbers(Reach),
    /// By the number of levels, of which there are so many.
    Levels(usize),
}

/// Where the numbers of a column lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reach {
    /// The smallest.
    pub low: f64,
    /// The largest.
    pub high: f64,
    /// The length of all that is smaller; above 0.
    pub left: f64,
    /// The length of all that is larger; above 0.
    pub right: f64,
}

impl Measure {
    /// Of the rows of a sample; tells of columns that the user should look at.
    pub fn of(sample: &Sample<'_>, run: &Run<'_>) -> Measure {
        let found: Vec<Found> = sample.table.columns().iter().map(|c| find(c, sample)).collect();
        let schema = sample.table.schema();
        warn(schema, &found, run);
        let column = |(feature, found): (usize, &Found)| match &schema.fields[feature].kind {
            FieldKind::Numeric => ColumnMeasure::Numbers(Reach::of(found)),
            FieldKind::Categorical { levels } => ColumnMeasure::Levels(levels.len()),
        };
        Measure { columns: found.iter().enumerate().map(column).collect() }
    }

    /// The length of a side of a cell, in the units of its column.
    pub fn length(&self, feature: usize, side: &Side) -> f64 {
        match (&self.columns[feature], side) {
            (ColumnMeasure::Numbers(reach), Side::Numbers { from, to }) => reach.length(*from, *to),
            (_, Side::Levels(levels)) => levels.len() as f64,
            (ColumnMeasure::Levels(n), Side::Numbers { .. }) => *n as f64,
        }
    }

    /// How much of a side of a cell a part of it is.
    pub fn share(&self, feature: usize, part: &Side, whole: &Side) -> f64 {
        let whole = self.length(feature, whole);
        if whole > 0.0 { self.length(feature, part) / whole } else { 0.0 }
    }

    /// The logarithm of the measure's own density at a row, over the columns that it has a value
    /// in: levels as codes, NaN is missing.
    pub fn log_density(&self, row: &[f64]) -> f64 {
        let columns = self.columns.iter().zip(row).filter(|(_, x)| !x.is_nan());
        columns.fold(0.0, |sum, (column, &x)| sum + column.log_density(x))
    }
}

impl ColumnMeasure {
    fn log_density(&self, x: f64) -> f64 {
        match self {
            ColumnMeasure::Numbers(reach) => reach.log_density(x),
            ColumnMeasure::Levels(n) => -libm::log(*n as f64),
        }
    }
}

impl Reach {
    fn of(found: &Found) -> Reach {
        let (Some(&low), Some(&high)) = (found.smallest.first(), found.largest.first()) else {
            return Reach { low: 0.0, high: 0.0, left: 1.0, right: 1.0 };
        };
        let high = -high;
        if low == high {
            let size = if low == 0.0 { 1.0 } else { low.abs() };
            let size = size.clamp(f64::MIN_POSITIVE, LONGEST);
            return Reach { low, high, left: size, right: size };
        }
        // The mean gap, where the outermost values are one.
        let gap = (high / 2.0 - low / 2.0) / (found.n as f64 + 1.0) * 2.0;
        let tail = |outermost: &[f64]| {
            let n = OUTERMOST.min(found.n / 2).max(1);
            let halves = outermost[..n].iter().map(|x| outermost[n] / 2.0 - x / 2.0);
            let excess = halves.sum::<f64>() / n as f64 * 2.0;
            let length = if excess > 0.0 { excess } else { gap };
            length.clamp(f64::MIN_POSITIVE, LONGEST)
        };
        Reach { low, high, left: tail(&found.smallest), right: tail(&found.largest) }
    }

    /// What lengths are multiplied by, so that they are finite.
    fn unit(&self) -> f64 {
        let is_finite = (self.high - self.low + self.left + self.right).is_finite();
        if is_finite { 1.0 } else { 0.125 }
    }

    /// The length from one number to a larger one, times `unit`.
    fn length(&self, from: f64, to: f64) -> f64 {
        let (below, within, above) = self.lengths(from, to);
        below + within + above
    }

    /// How much of it lies below the smallest value, up to the largest, and above.
    fn lengths(&self, from: f64, to: f64) -> (f64, f64, f64) {
        let unit = self.unit();
        let (a, b) = (from.clamp(self.low, self.high), to.clamp(self.low, self.high));
        let below = beyond(self.low - to, self.left) - beyond(self.low - from, self.left);
        let above = beyond(from - self.high, self.right) - beyond(to - self.high, self.right);
        (unit * below.max(0.0), unit * b - unit * a, unit * above.max(0.0))
    }

    fn log_density(&self, x: f64) -> f64 {
        let unit = self.unit();
        let (all, below, above) = (f64::INFINITY, self.low - x, x - self.high);
        let fall = |z: f64, s: f64| if z > 0.0 { 4.0 * libm::log(1.0 + z / s / 3.0) } else { 0.0 };
        let fall = fall(below, self.left) + fall(above, self.right);
        libm::log(unit) - libm::log(self.length(-all, all)) - fall
    }

    /// The number that is `share` of the way from one number to a larger one, which it is below.
    pub fn at(&self, share: f64, (from, to): (f64, f64)) -> f64 {
        let unit = self.unit();
        let (below, within, above) = self.lengths(from, to);
        let way = share * (below + within + above);
        let start = from.clamp(self.low, self.high);
        let found = if way < below {
            let rest = beyond(self.low - from, self.left) + way / unit;
            self.low - distance(rest, self.left)
        } else if way < below + within {
            (unit * start + (way - below)) / unit
        } else {
            let rest = beyond(from - self.high, self.right) - (way - below - within) / unit;
            self.high + distance(rest, self.right)
        };
        found.max(from).min(if to == f64::INFINITY { f64::MAX } else { to.next_down() })
    }
}

/// What is left of a tail of length `s` beyond a distance `z`: `s (1 + z/3s)^-3`.
fn beyond(z: f64, s: f64) -> f64 {
    let base = 1.0 + z.max(0.0) / s / 3.0;
    s / (base * base * base)
}

/// The distance beyond which so much is left.
fn distance(rest: f64, s: f64) -> f64 {
    3.0 * s * (libm::cbrt(s / rest) - 1.0)
}

/// What is in a column.
#[derive(Default)]
struct Found {
    /// How many finite numbers, as often as they stand there; of levels, how many rows have one.
    n: usize,
    n_infinite: usize,
    is_constant: bool,
    /// The smallest finite numbers, rising, and the negatives of the largest, rising.
    smallest: Vec<f64>,
    largest: Vec<f64>,
}

/// What the rows of a sample that are not absent hold in a column.
fn find(column: &Column, sample: &Sample<'_>) -> Found {
    let mut found = Found::default();
    let copies = |row: usize| match sample.weights.copies(row) {
        (n, weight) if weight > 0.0 => n as usize,
        _ => 0,
    };
    match column {
        Column::Numeric(numbers) => {
            for (row, x) in numbers.iter().enumerate() {
                let n = copies(row);
                if x.is_nan() || n == 0 {
                    continue;
                }
                if x.is_infinite() {
                    found.n_infinite += n;
                    continue;
                }
                found.n += n;
                keep_smallest(&mut found.smallest, x, n);
                keep_smallest(&mut found.largest, -x, n);
            }
            found.is_constant =
                found.n > 0 && found.n_infinite == 0 && found.smallest[0] == -found.largest[0];
        }
        Column::Categorical(categories) => {
            let codes = categories.codes().iter().enumerate();
            let there =
                codes.filter(|(row, code)| **code != crate::data::MISSING && copies(*row) > 0);
            let mut first = None;
            found.is_constant = true;
            for (row, &code) in there {
                found.n += copies(row);
                found.is_constant &= *first.get_or_insert(code) == code;
            }
            found.is_constant &= found.n > 0;
        }
    }
    found
}

/// Adds copies of a number to the smallest ones.
fn keep_smallest(kept: &mut Vec<f64>, x: f64, n: usize) {
    if kept.len() > OUTERMOST && x >= kept[OUTERMOST] {
        return;
    }
    let at = kept.partition_point(|&y| y <= x);
    kept.splice(at..at, std::iter::repeat_n(x, n.min(OUTERMOST + 1)));
    kept.truncate(OUTERMOST + 1);
}

fn warn(schema: &Schema, found: &[Found], run: &Run<'_>) {
    let names = |is_so: fn(&Found) -> bool| -> Vec<String> {
        let named = schema.fields.iter().zip(found).filter(|(_, found)| is_so(found));
        named.map(|(field, _)| field.name.clone()).collect()
    };
    let suspects = SuspectColumns {
        missing: names(|found| found.n + found.n_infinite == 0),
        constant: names(|found| found.is_constant),
        infinite: names(|found| found.n_infinite > 0),
    };
    run.warn_of_columns(suspects, found.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    const REACH: Reach = Reach { low: 2.0, high: 6.0, left: 0.5, right: 1.5 };

    #[test]
    fn lengths_add_up_and_tails_are_as_long_as_they_say() {
        let all = f64::INFINITY;
        assert_eq!(REACH.lengths(-all, all), (0.5, 4.0, 1.5));
        let ends = [-all, -3.0, 1.0, 2.0, 4.5, 6.0, 6.1, 100.0, all];
        let sum: f64 = ends.windows(2).map(|w| REACH.length(w[0], w[1])).sum();
        assert!((sum - 6.0).abs() < 1e-12);
        assert_eq!(REACH.length(3.0, 4.5), 1.5);
    }

    #[test]
    fn the_density_is_the_derivative_of_the_length() {
        for x in [-20.0, 0.0, 1.9, 3.0, 6.5, 40.0] {
            let slope = REACH.length(x - 1e-4, x + 1e-4) / 2e-4 / 6.0;
            assert!((libm::log(slope) - REACH.log_density(x)).abs() < 1e-4, "{x}");
        }
        assert_eq!(REACH.log_density(f64::INFINITY), f64::NEG_INFINITY);
    }

    #[test]
    fn the_way_back_from_a_length() {
        let all = f64::INFINITY;
        for (from, to) in [(-all, all), (-4.0, 1.0), (1.0, 3.0), (5.0, all), (7.0, 9.0)] {
            for share in [0.0, 0.1, 0.5, 0.99] {
                let x = REACH.at(share, (from, to));
                assert!(x >= from && x < to, "{x}");
                let found = REACH.length(from, x) / REACH.length(from, to);
                assert!((found - share).abs() < 1e-9, "{share} {found}");
            }
        }
    }

    #[test]
    fn huge_and_tiny_units_are_measured_alike() {
        for unit in [1e300, 1e-300] {
            let reach = Reach {
                low: -1.5 * unit * 1e8_f64.min(f64::MAX / unit / 2.0),
                high: 1.5 * unit * 1e8_f64.min(f64::MAX / unit / 2.0),
                left: unit,
                right: unit,
            };
            let half = reach.length(f64::NEG_INFINITY, 0.0)
                / reach.length(f64::NEG_INFINITY, f64::INFINITY);
            assert!((half - 0.5).abs() < 1e-12 && reach.log_density(0.0).is_finite());
        }
    }

    #[test]
    fn the_smallest_are_kept_as_often_as_they_stand_there() {
        let mut kept = vec![];
        for (x, n) in [(5.0, 1), (3.0, 2), (9.0, 100), (1.0, 1), (4.0, 1)] {
            keep_smallest(&mut kept, x, n);
        }
        assert_eq!(kept, [1.0, 3.0, 3.0, 4.0, 5.0, 9.0, 9.0, 9.0, 9.0]);
    }
}
