//! Where a numeric column is cut into bins.
//!
//! A column with few distinct values gets one bin a value and loses nothing. Any other column is
//! cut at quantiles, so that bins hold about equally many rows; a value that fills a bin alone
//! gets one alone.

use super::bins::MISSING_U16;
use super::column::{Numbers, View};
use crate::seed::{Purpose, Seed};

/// Rows that quantiles are computed from, at the most.
const SAMPLE_ROWS: usize = 200_000;

/// The bins of one column. The code of a value is the number of cuts at or below it.
#[derive(Debug, Clone, PartialEq)]
pub enum Cuts {
    /// One bin for each distinct value.
    Exact {
        /// The distinct values, increasing.
        values: Vec<f64>,
    },
    /// Bins between cuts.
    Quantiles {
        /// The cuts, increasing.
        cuts: Vec<f64>,
    },
    /// One bin for each level of a categorical column.
    Levels {
        /// How many levels have a code of their own.
        n_levels: usize,
    },
}

impl Cuts {
    /// The cuts of a numeric column into at most `most` bins.
    pub fn of(numbers: &Numbers, most: usize, sampled: &SampledRows) -> Cuts {
        // Exact resolution (as many bins as two bytes hold) always looks at every row.
        let rows = sampled.0.as_deref().filter(|_| most != usize::from(MISSING_U16));
        let (values, counts) = distinct(numbers, rows);
        if values.len() > most {
            return Cuts::Quantiles { cuts: quantiles(&values, &counts, most) };
        }
        let values = if rows.is_none() { Some(values) } else { complete(numbers, values, most) };
        match values {
            Some(values) => Cuts::Exact { values },
            // The rare values that the sample missed made them too many.
            None => {
                let (values, counts) = distinct(numbers, rows);
                Cuts::Quantiles { cuts: quantiles(&values, &counts, most) }
            }
        }
    }

    /// How many bins.
    pub fn n_bins(&self) -> usize {
        match self {
            Cuts::Exact { values } => values.len(),
            Cuts::Quantiles { cuts } => cuts.len() + 1,
            Cuts::Levels { n_levels } => *n_levels,
        }
    }

    /// The cuts between neighbouring bins of a numeric column, increasing.
    pub fn edges(&self) -> Vec<f64> {
        match self {
            Cuts::Exact { values } => values.windows(2).map(|w| midpoint(w[0], w[1])).collect(),
            Cuts::Quantiles { cuts } => cuts.clone(),
            Cuts::Levels { .. } => Vec::new(),
        }
    }

    /// A split point between two bins, `left < right`, that are neighbours among the bins that
    /// occur in a node: values in `left` are below it, values in `right` are not.
    pub fn between(&self, left: usize, right: usize) -> f64 {
        debug_assert!(left < right);
        match self {
            Cuts::Exact { values } => midpoint(values[left], values[right]),
            Cuts::Quantiles { cuts } if left + 1 == right => cuts[left],
            Cuts::Quantiles { cuts } => midpoint(cuts[left], cuts[right - 1]),
            Cuts::Levels { .. } => f64::NAN,
        }
    }
}

/// A number `m` with `a < m <= b`, near the middle and, where one fits, in single precision, so
/// that single-precision data compares with it exactly.
pub fn midpoint(a: f64, b: f64) -> f64 {
    let middle = 0.5 * a + 0.5 * b;
    let single = |x: f64| f64::from(x as f32);
    let fits = |m: f64| a < m && m <= b;
    if fits(single(middle)) {
        single(middle)
    } else if single(b) == b || !fits(middle) {
        b
    } else {
        middle
    }
}

/// The rows that quantiles are computed from: all of them, or one drawn from each of
/// 200,000 equal stretches where there are more rows than that. All columns sample the same
/// ones, which are near each other in a row-major matrix.
pub struct SampledRows(Option<Vec<u32>>);

impl SampledRows {
    /// The sample of a table's rows. It belongs to the table, not to a run: any seed would do, but
    /// always the same.
    pub fn of(n_rows: usize) -> SampledRows {
        if n_rows <= SAMPLE_ROWS {
            return SampledRows(None);
        }
        let mut draws = Seed(0).stream(Purpose::CutSample);
        let start = |i: usize| (i as u128 * n_rows as u128 / SAMPLE_ROWS as u128) as usize;
        let draw = |i| start(i) + draws.below((start(i + 1) - start(i)) as u64) as usize;
        SampledRows(Some((0..SAMPLE_ROWS).map(draw).map(|row| row as u32).collect()))
    }
}

/// The distinct values of some rows that are not missing, increasing, and how often each occurs; of
/// all rows if none are named.
fn distinct(numbers: &Numbers, rows: Option<&[u32]>) -> (Vec<f64>, Vec<usize>) {
    match numbers {
        Numbers::F32(view) => {
            let mut values = known(view, rows);
            sort_singles(&mut values);
            counted(values.into_iter().map(f64::from))
        }
        Numbers::F64(view) => {
            let mut values = known(view, rows);
            values.sort_unstable_by(f64::total_cmp);
            counted(values.into_iter())
        }
    }
}

/// The values of some rows that are not missing.
fn known<T: Copy + PartialEq>(view: &View<T>, rows: Option<&[u32]>) -> Vec<T> {
    // Only what is missing differs from itself.
    #[allow(clippy::eq_op)]
    let is_known = |x: &T| *x == *x;
    match rows {
        None => view.iter().filter(is_known).collect(),
        Some(rows) => {
            let (values, stride) = view.strided();
            rows.iter().map(|&row| values[row as usize * stride]).filter(is_known).collect()
        }
    }
}

/// Sorts numbers by digits of eleven bits, lowest first: many times faster than by comparison.
fn sort_singles(values: &mut Vec<f32>) {
    const DIGIT: u32 = 1 << 11;
    if values.len() < DIGIT as usize {
        return values.sort_unstable_by(f32::total_cmp);
    }
    // Bits that sort as the numbers do: of negative ones all are turned, of others the sign.
    let key = |x: f32| {
        let bits = x.to_bits();
        bits ^ (((bits as i32 >> 31) as u32) | 1 << 31)
    };
    let mut spare = vec![0.0; values.len()];
    for shift in [0, 11, 22] {
        let digit = |x: f32| (key(x) >> shift & (DIGIT - 1)) as usize;
        let mut starts = [0usize; DIGIT as usize];
        values.iter().for_each(|&x| starts[digit(x)] += 1);
        let mut next = 0;
        for start in &mut starts {
            next += std::mem::replace(start, next);
        }
        for &x in values.iter() {
            let place = &mut starts[digit(x)];
            spare[*place] = x;
            *place += 1;
        }
        std::mem::swap(values, &mut spare);
    }
}

/// Values in order, each once, and how often it occurs.
fn counted(values: impl Iterator<Item = f64>) -> (Vec<f64>, Vec<usize>) {
    let mut counts: Vec<usize> = Vec::new();
    let mut kept: Vec<f64> = Vec::new();
    for x in values {
        // -0.0 and 0.0 are one value: they compare equal, as they do at prediction.
        match kept.last() {
            Some(&last) if last == x => *counts.last_mut().unwrap_or(&mut 0) += 1,
            _ => {
                kept.push(x);
                counts.push(1);
            }
        }
    }
    (kept, counts)
}

/// The distinct values of the whole column, given those of a sample; `None` if there are more
/// than `most`.
fn complete(numbers: &Numbers, mut values: Vec<f64>, most: usize) -> Option<Vec<f64>> {
    for x in numbers.iter().filter(|x| !x.is_nan()) {
        let at = values.partition_point(|&v| v < x);
        if values.get(at) != Some(&x) {
            if values.len() == most {
                return None;
            }
            values.insert(at, x);
        }
    }
    Some(values)
}

/// Cuts of distinct values into at most `most` bins of about equal count: a bin is closed when it
/// holds its share of what is left, or when the next value alone fills a bin.
fn quantiles(values: &[f64], counts: &[usize], most: usize) -> Vec<f64> {
    let mut cuts = Vec::with_capacity(most);
    let mut left: usize = counts.iter().sum();
    let mut in_bin = 0;
    for i in 0..values.len().saturating_sub(1) {
        let bins_left = most - cuts.len();
        if bins_left == 1 {
            break;
        }
        in_bin += counts[i];
        let share = left.div_ceil(bins_left);
        if in_bin >= share || counts[i + 1] >= share {
            cuts.push(midpoint(values[i], values[i + 1]));
            left -= in_bin;
            in_bin = 0;
        }
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn column(values: Vec<f64>) -> Numbers {
        Numbers::F64(View::from(values))
    }

    fn cuts(numbers: &Numbers, most: usize) -> Cuts {
        Cuts::of(numbers, most, &SampledRows::of(numbers.len()))
    }

    proptest! {
        #[test]
        fn a_midpoint_separates(a in any::<f64>(), b in any::<f64>()) {
            prop_assume!(a < b);
            let m = midpoint(a, b);
            prop_assert!(a < m && m <= b, "{a} {m} {b}");
        }

        #[test]
        fn a_midpoint_of_singles_is_single(a in any::<f32>(), b in any::<f32>()) {
            prop_assume!(a < b);
            let m = midpoint(a.into(), b.into());
            prop_assert_eq!(f64::from(m as f32), m);
        }

        #[test]
        fn singles_are_sorted(
            some in prop::collection::vec(prop_oneof![any::<f32>(), Just(-0.0), Just(0.0)], 1..99),
            copies in 1usize..60
        ) {
            let known = some.iter().copied().filter(|x| !x.is_nan());
            let mut values: Vec<f32> = known.cycle().take(some.len() * copies).collect();
            let mut expected = values.clone();
            expected.sort_by(f32::total_cmp);
            sort_singles(&mut values);
            prop_assert!(values.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits()));
        }

        #[test]
        fn cuts_increase_and_are_few(
            values in prop::collection::vec(-50i32..50, 1..400), most in 2usize..40
        ) {
            let numbers = column(values.iter().map(|&x| f64::from(x) / 7.0).collect());
            let cuts = cuts(&numbers, most);
            prop_assert!(cuts.n_bins() <= most);
            prop_assert!(cuts.edges().windows(2).all(|w| w[0] < w[1]));
        }
    }

    #[test]
    fn few_values_are_exact_and_many_are_even() {
        let few = column((0..1000).map(|i| f64::from(i % 200)).collect());
        assert!(matches!(cuts(&few, 255), Cuts::Exact { values } if values.len() == 200));
        let many = column((0..10_000).map(f64::from).collect());
        let Cuts::Quantiles { cuts } = cuts(&many, 255) else { panic!() };
        assert_eq!(cuts.len(), 254);
        let widest = cuts.windows(2).map(|w| w[1] - w[0]).fold(0.0, f64::max);
        assert!(widest <= 40.0, "{widest}");
    }

    #[test]
    fn a_frequent_value_gets_a_bin_alone() {
        let mut values: Vec<f64> = (0..5_000).map(|i| f64::from(i) + 0.5).collect();
        values.extend(std::iter::repeat_n(2500.0, 5_000));
        let edges = cuts(&column(values), 255).edges();
        let below = edges.iter().rev().find(|&&c| c <= 2500.0).unwrap();
        let above = edges.iter().find(|&&c| c > 2500.0).unwrap();
        assert!(*below > 2499.5 && *above <= 2500.5, "{below} {above}");
    }

    #[test]
    fn values_that_the_sample_missed_are_found() {
        let mut values = vec![1.0; 300_000];
        values[123_457] = 2.0;
        values[299_999] = f64::INFINITY;
        let cuts = cuts(&column(values), 255);
        assert_eq!(cuts, Cuts::Exact { values: vec![1.0, 2.0, f64::INFINITY] });
    }
}
