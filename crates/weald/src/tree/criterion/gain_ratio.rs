//! Gain ratio: information gain by the information of the split itself (C4.5; Quinlan 1993).
//!
//! A feature's split point is chosen by information gain. Among the features' best splits, those
//! whose gain is at least the average one compete by ratio, so that a split of almost nothing
//! does not win by its tiny denominator.

use super::entropy::{Entropy, x_log2_x};
use super::{Criterion, TIE, Valued, first_largest};
use crate::tree::splitter::Division;
use crate::tree::statistic::{ClassSum, Spread};

/// Entropy with C4.5's choice among features.
#[derive(Debug, Clone, Copy)]
pub struct GainRatio;

impl<S: ClassSum> Criterion<S> for GainRatio {
    fn cost(&self, sum: &S) -> f64 {
        Entropy.cost(sum)
    }

    fn noise(&self, total: &S, spread: &Spread) -> f64 {
        Entropy.noise(total, spread)
    }

    fn choose(&self, offers: &[Division]) -> Option<usize> {
        if offers.is_empty() {
            return None;
        }
        let average = offers.iter().map(|o| o.gain).sum::<f64>() / offers.len() as f64;
        let ratio =
            |o: &Division| (o.gain >= average * (1.0 - TIE)).then(|| o.gain / split_information(o));
        first_largest(offers.iter().map(ratio))
    }
}

impl<S: ClassSum> Valued<S> for GainRatio {
    fn best_value(&self, sum: &S) -> f64 {
        Entropy.best_value(sum)
    }

    fn excess(&self, weight: f64, best: f64, value: f64) -> f64 {
        Valued::<S>::excess(&Entropy, weight, best, value)
    }
}

/// The entropy of the split itself, times the weight.
fn split_information(offer: &Division) -> f64 {
    let (left, right) = (offer.left_weight, offer.right_weight);
    x_log2_x(left + right) - (x_log2_x(left) + x_log2_x(right))
}
