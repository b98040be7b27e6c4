//! Which cuts of a column may be its best by Gini, found in double precision.
//!
//! The exact gain of a cut takes products of 128 bits. Here every cut is ranked by a gain that is
//! rounded; bins between cuts that cannot be the best are put together, and the few that are left
//! are judged exactly.

/// How far a rounded gain may be off, as a share of the total weight. By how much a class is heavier
/// on a side than by its share is off by 2^-51 of the total, and the gain by some eight times that;
/// where a side weighs next to nothing, by up to 2^-39 for each class.
const ROUNDING: f64 = 1.0 / (1u64 << 30) as f64;

/// The bins of a column, given the weight of each class in each bin, in missing values and in all
/// rows: the last code and the class weights of each stretch that no cut parts that may be the best.
pub(super) fn near_best(
    cells: &[u64],
    missing: &[u64],
    total: &[u64],
) -> impl Iterator<Item = (u16, Vec<u64>)> {
    let n_classes = total.len();
    let ranks = ranks(cells, missing, total);
    let best = ranks.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let all: u64 = total.iter().sum();
    let floor = best - 2.0 * ROUNDING * all as f64;
    // After the last value there is still the cut between values and missing ones.
    let last = cells.iter().rposition(|&weight| weight > 0).map_or(0, |cell| cell / n_classes);
    let mut so_far = vec![0; n_classes];
    let bins = cells.chunks_exact(n_classes).zip(ranks).enumerate().take(last + 1);
    let mut stretches = Vec::new();
    for (code, (own, rank)) in bins {
        so_far.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        if rank >= floor || code == last {
            let stretch = std::mem::replace(&mut so_far, vec![0; n_classes]);
            stretches.push((code as u16, stretch));
        }
    }
    stretches.into_iter().filter(|(_, weights)| weights.iter().any(|&weight| weight > 0))
}

/// What the cut after each bin gains, with missing values on the better side; minus infinity for
/// bins that hold nothing.
fn ranks(cells: &[u64], missing: &[u64], total: &[u64]) -> Vec<f64> {
    let n_classes = total.len();
    let all: u64 = total.iter().sum();
    let shares: Vec<f64> = total.iter().map(|&weight| weight as f64 / all as f64).collect();
    let gain = |left: &[u64]| {
        let weight: u64 = left.iter().sum();
        if weight == 0 || weight == all {
            return f64::NEG_INFINITY;
        }
        let (weight, rest) = (weight as i64 as f64, (all - weight) as i64 as f64);
        let classes = left.iter().zip(&shares);
        let squares = classes.map(|(&own, share)| {
            let more = own as i64 as f64 - share * weight;
            more * more
        });
        squares.sum::<f64>() * (all as f64 / (weight * rest))
    };
    let some_missing = missing.iter().any(|&weight| weight > 0);
    let (mut left, mut with_missing) = (vec![0; n_classes], missing.to_vec());
    let mut rank = |own: &[u64]| {
        if own.iter().all(|&weight| weight == 0) {
            return f64::NEG_INFINITY;
        }
        left.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        if !some_missing {
            return gain(&left);
        }
        with_missing.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        gain(&left).max(gain(&with_missing))
    };
    cells.chunks_exact(n_classes).map(&mut rank).collect()
}
