//! The best subset of a categorical feature's levels.
//!
//! For two classes and for numbers the best subset is a prefix of the levels sorted by mean
//! target (Fisher 1958; Breiman et al. 1984, theorem 4.5), so a scan finds it among all
//! 2^(levels - 1). For more classes the levels are sorted by the share of each class in turn.
//!
//! Levels sorted by noise still make a gain, the more of them the larger: where a charge is set, a
//! subset pays for the information that names it ([`price_of_subset`]).
//!
//! Where a criterion smooths or charges, as boosting's does, the order is by smoothed means and the
//! prefix pays for the subset it is. Levels of too few rows are not told apart at all: they go
//! where missing values and levels never seen go.

use super::{Candidate, Cut, Division, Occupied, Offer};
use crate::tree::criterion::{Criterion, beats, price_of_subset};
use crate::tree::limits::ChildLimits;
use crate::tree::statistic::Sum;

/// The best subset; `None` if none keeps to the limits.
pub fn best_subset<S: Sum, C: Criterion<S>>(
    candidate: &Candidate<'_, S>,
    criterion: &C,
    occupied: &Occupied<S>,
) -> Option<Offer> {
    let mut best: Option<(Vec<u16>, Division)> = None;
    let mut order: Vec<usize> = (0..occupied.codes.len()).collect();
    let n_levels = occupied.codes.len();
    let gain = |left: &S, right: &S, n_left: usize| {
        let gain = criterion.gain_of_levels((candidate.total, left, right), (n_left, n_levels));
        (gain - price_of_subset(candidate.level_charge, n_left, n_levels)).max(0.0)
    };
    for way in criterion.orders(&occupied.sums[..n_levels]) {
        let compare = |&a: &usize, &b: &usize| {
            criterion.compare_levels(&occupied.sums[a], &occupied.sums[b], way)
        };
        order.sort_by(|a, b| compare(a, b).then(a.cmp(b)));
        let bins = order.iter().map(|&i| (occupied.codes[i], &occupied.sums[i]));
        let Some(found) = candidate.scan(gain, &occupied.missing, bins) else { continue };
        if best.as_ref().is_none_or(|(_, b)| beats(found.division.gain, b.gain)) {
            let left = order[..found.prefix].iter().map(|&i| occupied.codes[i]).collect();
            best = Some((left, found.division));
        }
    }
    // A subset that is not worth its name is none.
    let is_worth = |division: &Division| candidate.level_charge == 0.0 || division.gain > 0.0;
    let (mut left, division) = best.filter(|(_, division)| is_worth(division))?;
    left.sort_unstable();
    Some(subset(candidate.feature, &occupied.codes, left, division))
}

/// Levels of too few rows join the missing values.
pub fn pool_rare_levels<S: Sum>(limits: &ChildLimits, occupied: &mut Occupied<S>) {
    let mut kept = 0;
    for at in 0..occupied.codes.len() {
        let sum = &occupied.sums[at];
        if limits.allow_level(sum.rows(), sum.weight()) {
            occupied.codes.swap(kept, at);
            occupied.sums.swap(kept, at);
            kept += 1;
        } else {
            occupied.missing.merge(sum);
        }
    }
    occupied.codes.truncate(kept);
}

/// The offer to send the levels `left`, which are sorted, to the left, and the others of `seen` to
/// the right. Levels that the node has not seen, or does not tell apart, follow the missing values.
pub fn subset(feature: usize, seen: &[u16], left: Vec<u16>, division: Division) -> Offer {
    let listed = match division.missing_left {
        false => left,
        true => seen.iter().copied().filter(|code| left.binary_search(code).is_err()).collect(),
    };
    Offer { feature, division, cut: Cut::Levels(listed) }
}
