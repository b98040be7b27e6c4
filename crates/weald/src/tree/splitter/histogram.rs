//! The best cut of a numeric feature among its bins.

use std::borrow::Borrow;

use super::{Best, Candidate, Division, Occupied, Split, Test};
use crate::tree::criterion::{Criterion, beats};
use crate::tree::model::Rule;
use crate::tree::statistic::Sum;

/// The best cut of bins that come in increasing order; `None` if no cut keeps to the limits.
pub fn best_cut<S: Sum, C: Criterion<S>, B: Borrow<S>>(
    candidate: &Candidate<'_, S>,
    criterion: &C,
    missing: &S,
    bins: impl Iterator<Item = (u16, B)>,
) -> Option<Split> {
    let gain = |left: &S, right: &S| criterion.gain(candidate.total, left, right);
    let Some(direction) = candidate.direction else {
        let best = candidate.scan(|left, right, _| gain(left, right), missing, bins)?;
        return Some(cut(candidate, &best));
    };
    let in_order = |left: &S, right: &S| {
        let values = criterion.value(left).zip(criterion.value(right));
        values.is_none_or(|(left, right)| direction.allows(left, right))
    };
    let ordered = |left: &S, right: &S, _| {
        if in_order(left, right) { gain(left, right) } else { f64::NEG_INFINITY }
    };
    let best = candidate.scan(ordered, missing, bins).map(|best| cut(candidate, &best));
    // Missing values have no order among the others.
    let mut known = candidate.total.clone();
    known.remove(missing);
    let alone = candidate.divide(&known, missing, false, gain);
    match (best, alone) {
        (Some(best), Some(alone)) if !beats(alone.gain, best.division.gain) => Some(best),
        (best, None) => best,
        (_, Some(alone)) => Some(missing_alone(candidate.feature, &alone)),
    }
}

/// The split that a scan found.
fn cut<S: Sum>(candidate: &Candidate<'_, S>, best: &Best) -> Split {
    let Some(next) = best.next else {
        return missing_alone(candidate.feature, &best.division);
    };
    let threshold = candidate.cuts.between(best.code.into(), next.into());
    let missing_left = best.division.missing_left;
    let rule = Rule::Number { feature: candidate.feature as u32, threshold, missing_left };
    Split::new(best.division, rule, Test::UpTo { code: Some(best.code), missing_left })
}

impl<S: Sum> Occupied<S> {
    /// The best cut; `None` if no cut keeps to the limits.
    pub fn best_cut<C: Criterion<S>>(
        &self,
        candidate: &Candidate<'_, S>,
        criterion: &C,
    ) -> Option<Split> {
        let bins = self.codes.iter().copied().zip(&self.sums);
        best_cut(candidate, criterion, &self.missing, bins)
    }
}

/// The split of missing values from all others. No value is below minus infinity, so "missing
/// left, every value right" holds for infinite values too.
pub(super) fn missing_alone(feature: usize, division: &Division) -> Split {
    let division = Division {
        gain: division.gain,
        missing_left: true,
        left_weight: division.right_weight,
        right_weight: division.left_weight,
    };
    let rule =
        Rule::Number { feature: feature as u32, threshold: f64::NEG_INFINITY, missing_left: true };
    Split::new(division, rule, Test::UpTo { code: None, missing_left: true })
}
