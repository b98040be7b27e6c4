//! A random split, whatever the target (completely random trees; Liu, Ting & Zhou 2008).
//!
//! The feature is drawn uniformly among those that still vary in the node: the first such one of
//! a random order. Its split is a random cut. The target has no say but in one thing: missing
//! values go where the criterion gains more, so that the rule for them means something.

use super::Split;
use crate::seed::Stream;

/// The first split that `split_of` finds among the features in random order.
pub fn first_that_varies(
    features: &[usize],
    draws: &mut Stream,
    mut split_of: impl FnMut(usize) -> Option<Split>,
) -> Option<Split> {
    let mut features = features.to_vec();
    for drawn in 0..features.len() {
        let other = drawn + draws.below((features.len() - drawn) as u64) as usize;
        features.swap(drawn, other);
        if let Some(split) = split_of(features[drawn]) {
            return Some(split);
        }
    }
    None
}
