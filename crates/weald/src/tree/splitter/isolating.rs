//! A random split, whatever the target (completely random trees; Liu, Ting & Zhou 2008).
//!
//! The feature is drawn uniformly among those that still vary in the node: the first such one of
//! a random order. Its split is a random cut. The target has no say but in one thing: missing
//! values go where the criterion gains more, so that the rule for them means something.

use super::Offer;
use crate::seed::Stream;

/// The first split that `offer_of` finds among the features in random order.
pub fn first_that_varies(
    features: &[usize],
    draws: &mut Stream,
    mut offer_of: impl FnMut(usize) -> Option<Offer>,
) -> Option<Offer> {
    let mut features = features.to_vec();
    for drawn in 0..features.len() {
        let other = drawn + draws.below((features.len() - drawn) as u64) as usize;
        features.swap(drawn, other);
        if let Some(offer) = offer_of(features[drawn]) {
            return Some(offer);
        }
    }
    None
}
