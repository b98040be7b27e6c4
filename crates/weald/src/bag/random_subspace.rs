//! Random subspaces (Ho 1998, "The random subspace method for constructing decision forests").
//!
//! Each member sees all rows but half of the columns. To prefer where columns are many and say
//! similar things, above all where there are more of them than rows. Every member sees every row, so
//! there is no out-of-bag error.

use super::Bagging;
use crate::data::Resampling;

impl<L> Bagging<L> {
    /// Random subspaces for `base`: all rows, half of the columns.
    pub fn random_subspace(base: L) -> Bagging<L> {
        Bagging { resampling: Resampling::None, feature_share: 0.5, ..Bagging::of(base) }
    }
}
