//! The best cut of a numeric feature among its bins.

use std::borrow::Borrow;

use super::{Best, Candidate, Division, Occupied, Split, Test};
use crate::data::cuts::Cuts;
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
        (_, Some(alone)) => Some(missing_alone(candidate.feature, &alone)),
    }
}

/// The split that a scan found.
fn cut<S: Sum>(candidate: &Candidate<'_, S>, best: &Best) -> Split {
    let (feature, division) = (candidate.feature, best.division);
    match best.next {
        Some(next) => cut_between((feature, candidate.cuts), best.code, next, division),
        None => missing_alone(feature, &division),
    }
}

/// The cut between the codes `last` and `next`.
pub fn cut_between(
    (feature, cuts): (usize, &Cuts),
    last: u16,
    next: u16,
    division: Division,
) -> Split {
    let threshold = cuts.between(last.into(), next.into());
    let missing_left = division.missing_left;
    let rule = Rule::Number { feature: feature as u32, threshold, missing_left };
    Split::new(division, rule, Test::UpTo { code: Some(last), missing_left })
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
pub fn missing_alone(feature: usize, division: &Division) -> Split {
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
