//! The best cut of a numeric feature among its bins.

use std::borrow::Borrow;

use super::{Best, Candidate, Cut, Division, Occupied, Offer};
use crate::tree::criterion::{Criterion, beats};
use crate::tree::statistic::Sum;

/// The best cut of bins that come in increasing order; `None` if no cut keeps to the limits.
pub fn best_cut<S: Sum, C: Criterion<S>, B: Borrow<S>>(
    candidate: &Candidate<'_, S>,
    criterion: &C,
    missing: &S,
    bins: impl Iterator<Item = (u16, B)>,
) -> Option<Offer> {
    let gain = |left: &S, right: &S| criterion.gain(candidate.total, left, right);
    if candidate.direction.is_none() {
        let best = candidate.scan(|left, right, _| gain(left, right), missing, bins)?;
        return Some(cut(candidate, &best));
    }
    let ordered = |left: &S, right: &S, _| candidate.gain(criterion, left, right);
    let best = candidate.scan(ordered, missing, bins).map(|best| cut(candidate, &best));
    // Missing values have no order among the others.
    let mut known = candidate.total.clone();
    known.remove(missing);
    let alone = candidate.divide(&known, missing, false, gain);
    match (best, alone) {
        (Some(best), Some(alone)) if !beats(alone.gain, best.division.gain) => Some(best),
        (best, None) => best,
        (_, Some(alone)) => Some(missing_alone(candidate.feature, alone)),
    }
}

/// What a scan found.
fn cut<S: Sum>(candidate: &Candidate<'_, S>, best: &Best) -> Offer {
    let (feature, division) = (candidate.feature, best.division);
    match best.next {
        Some(next) => Offer { feature, division, cut: Cut::Between(best.code, next) },
        None => missing_alone(feature, division),
    }
}

/// Missing values apart from all others, which `division` has on the left.
pub fn missing_alone(feature: usize, division: Division) -> Offer {
    Offer { feature, division, cut: Cut::MissingAlone }
}

impl<S: Sum> Occupied<S> {
    /// The best cut; `None` if no cut keeps to the limits.
    pub fn best_cut<C: Criterion<S>>(
        &self,
        candidate: &Candidate<'_, S>,
        criterion: &C,
    ) -> Option<Offer> {
        let bins = self.codes.iter().copied().zip(&self.sums);
        best_cut(candidate, criterion, &self.missing, bins)
    }
}
