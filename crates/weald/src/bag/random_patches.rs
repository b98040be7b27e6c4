//! Random patches (Louppe & Geurts 2012, "Ensembles on random patches").
//!
//! Each member sees a share of the rows and a share of the columns, none of them twice. To prefer
//! where the table is large: members need little time and memory, at little or no cost in accuracy.
//! Both shares are to be tuned; where there is no time for that, half of each is a start.

use super::Bagging;
use crate::data::Resampling;

impl<L> Bagging<L> {
    /// Random patches for `base`: half of the rows and half of the columns.
    pub fn random_patches(base: L) -> Bagging<L> {
        Bagging {
            resampling: Resampling::Subsample,
            sample_share: 0.5,
            feature_share: 0.5,
            ..Bagging::of(base)
        }
    }
}
