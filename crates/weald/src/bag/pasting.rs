//! Pasting (Breiman 1999, "Pasting small votes for classification in large databases and on-line").
//!
//! Each member sees a small part of the rows, drawn without replacement. To prefer over bagging
//! where rows are so many that a member cannot, or need not, see most of them: members are cheaper
//! and differ more. Half of the rows differ about as much from each other as bootstraps do (Bühlmann
//! & Yu 2002), which makes it the default; Breiman's bites are far smaller.

use super::Bagging;
use crate::data::Resampling;

impl<L> Bagging<L> {
    /// Pasting of `base`: half of the rows, none twice.
    pub fn pasting(base: L) -> Bagging<L> {
        Bagging { resampling: Resampling::Subsample, sample_share: 0.5, ..Bagging::of(base) }
    }
}
