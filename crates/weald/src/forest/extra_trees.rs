//! Extremely randomised trees (Geurts, Ernst & Wehenkel 2006).
//!
//! Instead of the best split point of each drawn feature, one drawn uniformly; every tree sees all
//! rows. Faster than a random forest and smoother, but weaker where few features matter.

use super::random_forest::RandomForest;
use crate::data::Resampling;
use crate::tree::{BinChoice, Splitter};

impl RandomForest {
    /// Extra trees: random split points, all rows.
    pub fn extra_trees() -> RandomForest {
        RandomForest {
            splitter: Splitter::RandomCut,
            resampling: Resampling::None,
            // Cuts are drawn among values: bins are of no use.
            bins: BinChoice::Fast,
            ..RandomForest::default()
        }
    }
}
