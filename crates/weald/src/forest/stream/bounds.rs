//! The smallest and the largest value of each column among some rows.
//!
//! Bounds are a slice: the low ends of all columns, then the high ends. Values are finite or NaN,
//! which stretches nothing; a column without values has its ends the wrong way round.

/// The bounds of no rows.
pub(super) fn clear(bounds: &mut [f64]) {
    let half = bounds.len() / 2;
    bounds[..half].fill(f64::INFINITY);
    bounds[half..].fill(f64::NEG_INFINITY);
}

/// The bounds of one row.
pub(super) fn enclose(bounds: &mut [f64], row: &[f64]) {
    clear(bounds);
    stretch(bounds, row);
}

/// Takes over other bounds; whether they differ.
pub(super) fn replace(bounds: &mut [f64], others: &[f64]) -> bool {
    let change =
        |any: bool, (old, &new): (&mut f64, &f64)| any | (std::mem::replace(old, new) != new);
    bounds.iter_mut().zip(others).fold(false, change)
}

/// Whether a row lies inside, missing values wherever one likes.
pub(super) fn hold(bounds: &[f64], row: &[f64]) -> bool {
    let (lows, highs) = bounds.split_at(row.len());
    let outside = |((x, low), high): ((&f64, &f64), &f64)| (x < low) | (x > high);
    // Without a way out, so that several columns are compared at a time.
    !row.iter().zip(lows).zip(highs).fold(false, |any, column| any | outside(column))
}

/// Stretches bounds until they hold a row.
pub(super) fn stretch(bounds: &mut [f64], row: &[f64]) {
    let (lows, highs) = bounds.split_at_mut(row.len());
    lower(lows, row);
    raise(highs, row);
}

/// Stretches bounds until they hold others.
pub(super) fn merge(bounds: &mut [f64], others: &[f64]) {
    let half = others.len() / 2;
    lower(&mut bounds[..half], &others[..half]);
    raise(&mut bounds[half..], &others[half..]);
}

fn lower(lows: &mut [f64], to: &[f64]) {
    lows.iter_mut().zip(to).for_each(|(low, &x)| *low = if x < *low { x } else { *low });
}

fn raise(highs: &mut [f64], to: &[f64]) {
    highs.iter_mut().zip(to).for_each(|(high, &x)| *high = if x > *high { x } else { *high });
}

/// The low and the high end of a column.
pub(super) fn of(bounds: &[f64], feature: usize) -> (f64, f64) {
    (bounds[feature], bounds[bounds.len() / 2 + feature])
}

/// Whether a column varies.
pub(super) fn vary(bounds: &[f64], feature: usize) -> bool {
    let (low, high) = of(bounds, feature);
    low < high
}

/// How many columns vary.
pub(super) fn n_varying(bounds: &[f64]) -> usize {
    let (lows, highs) = bounds.split_at(bounds.len() / 2);
    lows.iter().zip(highs).map(|(low, high)| usize::from(low < high)).sum()
}

/// The `nth` of the columns that vary.
pub(super) fn nth_varying(bounds: &[f64], nth: usize) -> Option<usize> {
    (0..bounds.len() / 2).filter(|&feature| vary(bounds, feature)).nth(nth)
}

/// How much of the range of a column, which varies, the inner one is.
pub(super) fn share((a, b): (f64, f64), (low, high): (f64, f64)) -> f64 {
    if a >= b {
        return 0.0;
    }
    // In halves where the range is larger than any number.
    match high - low {
        whole if whole.is_finite() => (b - a) / whole,
        _ => (0.5 * b - 0.5 * a) / (0.5 * high - 0.5 * low),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO: f64 = f64::NAN;

    fn of_rows(rows: &[[f64; 2]]) -> Vec<f64> {
        let mut bounds = vec![0.0; 4];
        clear(&mut bounds);
        rows.iter().for_each(|row| stretch(&mut bounds, row));
        bounds
    }

    #[test]
    fn missing_values_stretch_nothing_and_lie_everywhere() {
        let bounds = of_rows(&[[1.0, NO], [3.0, NO]]);
        assert_eq!((of(&bounds, 0), n_varying(&bounds)), ((1.0, 3.0), 1));
        assert!(hold(&bounds, &[2.0, NO]) && hold(&bounds, &[NO, NO]));
        assert!(!hold(&bounds, &[2.0, 0.0]) && !hold(&bounds, &[3.5, NO]));
        assert_eq!((nth_varying(&bounds, 0), nth_varying(&bounds, 1)), (Some(0), None));
    }

    #[test]
    fn merged_bounds_are_those_of_all_rows() {
        let (some, others) = ([[1.0, 5.0], [2.0, NO]], [[0.5, NO], [1.5, 7.0]]);
        let mut merged = of_rows(&some);
        merge(&mut merged, &of_rows(&others));
        assert_eq!(merged, of_rows(&[some, others].concat()));
        merge(&mut merged, &of_rows(&[]));
        assert_eq!(merged, of_rows(&[some, others].concat()));
    }

    #[test]
    fn shares_of_the_widest_and_the_narrowest_ranges() {
        let (widest, narrowest) = ((f64::MIN, f64::MAX), (0.0, 5e-324));
        assert_eq!((share((0.0, f64::MAX), widest), share((0.0, 0.0), narrowest)), (0.5, 0.0));
        assert_eq!((share(widest, widest), share(narrowest, narrowest)), (1.0, 1.0));
    }
}
