//! One random split of a feature, judged by the criterion (extra trees; Geurts, Ernst & Wehenkel
//! 2006).
//!
//! A number is cut at a point drawn uniformly between the node's smallest and largest value; each
//! level of a category goes left or right by a coin. Missing values go where the gain is larger.

use super::categories::subset;
use super::histogram::missing_alone;
use super::{Candidate, Cut, Division, Occupied, Offer};
use crate::data::Numbers;
use crate::seed::Stream;
use crate::tree::criterion::{Criterion, beats};
use crate::tree::statistic::{Entry, Statistic, Sum, row_of};
use crate::tree::workspace::sum_of;

/// A random cut of a numeric feature; `None` if it is constant or the cut breaks the limits. Its
/// values are read once, into `values`.
pub fn random_cut<T: Statistic, C: Criterion<T::Sum>>(
    candidate: &Candidate<'_, T::Sum>,
    criterion: &C,
    (statistic, entries): (&T, &[Entry]),
    (numbers, values): (&Numbers, &mut Vec<f64>),
    draws: &mut Stream,
) -> Option<Offer> {
    read(numbers, entries, values);
    let rows = || values.iter().copied().zip(entries);
    let Some((low, high)) = range(values) else {
        // Every value is one value: it can only be told from missing ones.
        let (left, _) = sums(statistic, rows(), |x| !x.is_nan());
        // Missing values have no order among the others.
        let unordered = Candidate { direction: None, ..*candidate };
        let division = divide(&unordered, criterion, &left, false)?;
        return Some(missing_alone(candidate.feature, division));
    };
    let threshold = draw_between(low, high, draws);
    let (left, missing) = sums(statistic, rows(), |x| x < threshold);
    let division = judge(candidate, criterion, &left, &missing)?;
    Some(Offer { feature: candidate.feature, division, cut: Cut::At(threshold) })
}

/// The value of each row of a node.
fn read(numbers: &Numbers, entries: &[Entry], values: &mut Vec<f64>) {
    values.clear();
    match numbers {
        Numbers::F32(view) => {
            let (all, stride) = view.strided();
            values.extend(entries.iter().map(|&e| f64::from(all[row_of(e) * stride])));
        }
        Numbers::F64(view) => {
            let (all, stride) = view.strided();
            values.extend(entries.iter().map(|&e| all[row_of(e) * stride]));
        }
    }
}

/// What the rows on the left, and those whose value is missing, add up to.
fn sums<'e, T: Statistic>(
    statistic: &T,
    rows: impl ExactSizeIterator<Item = (f64, &'e Entry)> + Clone,
    is_left: impl Fn(f64) -> bool,
) -> (T::Sum, T::Sum) {
    if statistic.h_bits().is_some()
        && rows.len() <= statistic.most_cell_rows()
        && let Some(sums) = packed_sums(statistic, rows.clone(), &is_left)
    {
        return sums;
    }
    let (mut left, mut missing) = (statistic.zero(), statistic.zero());
    for (x, &entry) in rows {
        if x.is_nan() {
            statistic.add(entry, &mut missing);
        } else if is_left(x) {
            statistic.add(entry, &mut left);
        }
    }
    (left, missing)
}

/// The same where sums fit into cells. Which side a row is on cannot be guessed: cells are added or
/// not without a branch.
fn packed_sums<'e, T: Statistic>(
    statistic: &T,
    rows: impl Iterator<Item = (f64, &'e Entry)>,
    is_left: impl Fn(f64) -> bool,
) -> Option<(T::Sum, T::Sum)> {
    let (mut left, mut missing) = (0u64, 0u64);
    let if_so = |is_so: bool, cell: u64| cell & u64::from(is_so).wrapping_neg();
    for (x, &entry) in rows {
        let cell = statistic.cell(entry);
        left = left.wrapping_add(if_so(is_left(x), cell));
        missing = missing.wrapping_add(if_so(x.is_nan(), cell));
    }
    Some((sum_of(statistic, left)?, sum_of(statistic, missing)?))
}

/// A random subset of a categorical feature's levels; `None` if it is constant or the subset
/// breaks the limits.
pub fn random_subset<S: Sum, C: Criterion<S>>(
    candidate: &Candidate<'_, S>,
    criterion: &C,
    occupied: &Occupied<S>,
    draws: &mut Stream,
) -> Option<Offer> {
    let left_codes = draw_subset(&occupied.codes, occupied.missing.rows() > 0, draws)?;
    let mut left = candidate.total.clone();
    left.clear();
    for (code, sum) in occupied.codes.iter().zip(&occupied.sums) {
        if left_codes.binary_search(code).is_ok() {
            left.merge(sum);
        }
    }
    let division = judge(candidate, criterion, &left, &occupied.missing)?;
    Some(subset(candidate.feature, &occupied.codes, left_codes, division))
}

/// The better of missing right and missing left.
fn judge<S: Sum, C: Criterion<S>>(
    candidate: &Candidate<'_, S>,
    criterion: &C,
    left: &S,
    missing: &S,
) -> Option<Division> {
    let right = divide(candidate, criterion, left, false);
    if missing.rows() == 0 {
        let mut only = right?;
        only.missing_left = only.left_weight >= only.right_weight;
        return Some(only);
    }
    let mut with_missing = left.clone();
    with_missing.merge(missing);
    match (right, divide(candidate, criterion, &with_missing, true)) {
        (Some(right), Some(left)) => Some(if beats(left.gain, right.gain) { left } else { right }),
        (right, left) => right.or(left),
    }
}

/// The division with `left` on the left, if both sides keep to the limits.
fn divide<S: Sum, C: Criterion<S>>(
    candidate: &Candidate<'_, S>,
    criterion: &C,
    left: &S,
    missing_left: bool,
) -> Option<Division> {
    let mut right = candidate.total.clone();
    right.remove(left);
    candidate.divide(left, &right, missing_left, |l, r| candidate.gain(criterion, l, r))
}

/// The smallest and largest of some values; `None` if they are the same or there are none.
pub(crate) fn range(values: &[f64]) -> Option<(f64, f64)> {
    // Several lows and highs, so that none waits for the one before.
    let (mut lows, mut highs) = ([f64::INFINITY; 8], [f64::NEG_INFINITY; 8]);
    let (chunks, rest) = values.as_chunks::<8>();
    let mut extend = |at: usize, x: f64| {
        lows[at] = if x < lows[at] { x } else { lows[at] };
        highs[at] = if x > highs[at] { x } else { highs[at] };
    };
    for chunk in chunks {
        chunk.iter().enumerate().for_each(|(at, &x)| extend(at, x));
    }
    rest.iter().enumerate().for_each(|(at, &x)| extend(at, x));
    let low = lows.into_iter().fold(f64::INFINITY, f64::min);
    let high = highs.into_iter().fold(f64::NEG_INFINITY, f64::max);
    (low < high).then_some((low, high))
}

/// A number in `(low, high]`, uniform where both are finite: left is below it, so neither side
/// is empty. Infinite ends stand for the largest finite numbers.
pub(crate) fn draw_between(low: f64, high: f64, draws: &mut Stream) -> f64 {
    let (a, b) = (low.max(f64::MIN), high.min(f64::MAX));
    let u = 1.0 - draws.unit();
    // In halves, because b - a may be larger than any number.
    let cut = 2.0 * ((0.5 * a) * (1.0 - u) + (0.5 * b) * u);
    if cut > low && cut <= high { cut } else { high }
}

/// Some of `codes` by coin, sorted: never none, and all of them only when missing values can
/// make the other side; `None` if there is nothing to tell apart.
fn draw_subset(codes: &[u16], some_missing: bool, draws: &mut Stream) -> Option<Vec<u16>> {
    let most = codes.len().checked_sub(usize::from(!some_missing))?;
    if most == 0 {
        return None;
    }
    loop {
        let left: Vec<u16> = codes.iter().copied().filter(|_| draws.below(2) == 1).collect();
        if (1..=most).contains(&left.len()) {
            return Some(left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Purpose, Seed};

    #[test]
    fn cuts_are_uniform_and_leave_no_side_empty() {
        let mut draws = Seed(1).stream(Purpose::Cut);
        let cuts: Vec<f64> = (0..20_000).map(|_| draw_between(-1.0, 3.0, &mut draws)).collect();
        assert!(cuts.iter().all(|&c| c > -1.0 && c <= 3.0));
        let mean = cuts.iter().sum::<f64>() / 20_000.0;
        // The standard error of the mean is 4 / sqrt(12 * 20000) = 0.008.
        assert!((mean - 1.0).abs() < 0.04, "{mean}");
        for (low, high) in [(f64::MIN, f64::MAX), (0.0, 5e-324), (f64::NEG_INFINITY, f64::INFINITY)]
        {
            let cut = draw_between(low, high, &mut draws);
            assert!(low < cut && cut <= high, "{low} {cut} {high}");
        }
    }
}
