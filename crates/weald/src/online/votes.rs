//! Weighted votes, added up exactly.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::exact_sum::ExactSum;
use crate::parameter::out_of_range;

/// What each expert's vote weighs at this step, as integers of one unit: `β^(m_i - m)`, with `m`
/// the fewest mistakes of those who speak; 0 for those who do not. With β = 0 it is 1 for experts
/// that never erred.
pub(super) fn weights(beta: f64, mistakes: &[u64], speaks: impl Fn(usize) -> bool) -> Vec<i128> {
    let exact = ExactSum::for_largest(1.0);
    let who = |expert: &usize| speaks(*expert);
    let fewest = (0..mistakes.len()).filter(who).map(|expert| mistakes[expert]).min();
    let fewest = if beta == 0.0 { 0 } else { fewest.unwrap_or(0) };
    let weight = |expert: usize| match speaks(expert) {
        true => exact.units(libm::pow(beta, (mistakes[expert] - fewest) as f64)),
        false => 0,
    };
    (0..mistakes.len()).map(weight).collect()
}

/// The weight of each class that is voted for, the lowest class first.
pub(super) fn votes(advice: &[Option<u32>], weights: &[i128]) -> BTreeMap<u32, i128> {
    let mut votes = BTreeMap::new();
    for (said, weight) in advice.iter().zip(weights) {
        if let Some(class) = said {
            *votes.entry(*class).or_insert(0) += weight;
        }
    }
    votes
}

/// The class with the most weight; the lowest of equals, and of none the class 0.
pub(super) fn plurality(votes: &BTreeMap<u32, i128>) -> u32 {
    let mut best = (0, 0);
    for (&class, &weight) in votes {
        if weight > best.1 {
            best = (class, weight);
        }
    }
    best.0
}

/// The trust in each expert, together 1.
pub(super) fn trust(beta: f64, mistakes: &[u64]) -> Vec<f64> {
    let weights = weights(beta, mistakes, |_| true);
    let all = weights.iter().sum::<i128>() as f64;
    weights.iter().map(|&weight| weight as f64 / all).collect()
}

/// `mistakes · log(1/β)`, which is nothing where there are none, also for β = 0.
pub(super) fn price(mistakes: u64, log_of_inverse: f64) -> f64 {
    if mistakes == 0 { 0.0 } else { mistakes as f64 * log_of_inverse }
}

/// Whether β is in range.
pub(super) fn check_beta(beta: f64) -> Result<()> {
    match (0.0..1.0).contains(&beta) {
        true => Ok(()),
        false => out_of_range("beta", beta, "at least 0 and below 1"),
    }
}
