//! How the rows of a committee's member are drawn.
//!
//! A drawn sample is a weight vector over the same table. Counts are rows that stand there several
//! times, so copies are drawn one by one; a real weight goes with its row wherever it is drawn, but
//! for [`Resampling::Weighted`], which draws by it instead. A row of weight 0 is never drawn.
//!
//! Rows are drawn from an [`Urn`].
//!
//! To prefer over the bootstrap: subsamples where rows are many and members expensive, strata where
//! a class is so rare that a bootstrap may miss it, balanced draws where the rare class matters as
//! much as the frequent one (Chen, Liaw & Breiman 2004), draws by weight where the learner takes no
//! weights.

use super::sample::Sample;
use super::urn::Urn;
use crate::error::Result;
use crate::parameter::{named_values, out_of_range};

/// How rows are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resampling {
    /// With replacement, as in bagging.
    Bootstrap,
    /// Without replacement, as in pasting.
    Subsample,
    /// With replacement within each class, which keeps its share of the rows. For classes alone.
    Stratified,
    /// With replacement within each class, from each as often as the rarest has rows. For classes
    /// alone.
    Balanced,
    /// With replacement, each row as likely as its weight says. Drawn rows weigh 1 each.
    Weighted,
    /// Every row once.
    None,
}
named_values!(Resampling {
    Bootstrap = "bootstrap",
    Subsample = "subsample",
    Stratified = "stratified",
    Balanced = "balanced",
    Weighted = "weighted",
    None = "none",
});

impl Resampling {
    /// What the rows of members are drawn from. It is made once and shared by all members.
    ///
    /// # Errors
    /// If rows are to be drawn by class and there are no classes.
    pub fn urn<'a>(self, sample: &Sample<'a>) -> Result<Urn<'a>> {
        Urn::filled(self, sample)
    }

    /// Whether it needs classes.
    pub fn needs_classes(self) -> bool {
        matches!(self, Resampling::Stratified | Resampling::Balanced)
    }

    /// Whether some rows may be left out.
    pub fn leaves_out(self, share: f64) -> bool {
        match self {
            Resampling::Bootstrap
            | Resampling::Stratified
            | Resampling::Balanced
            | Resampling::Weighted => true,
            Resampling::Subsample => share < 1.0,
            Resampling::None => false,
        }
    }

    /// How often a row stands there on the mean of all that do, weighted by how often: what a draw
    /// with replacement makes of one row.
    pub fn copies_of_a_row(self, share: f64) -> f64 {
        match self {
            Resampling::Bootstrap
            | Resampling::Stratified
            | Resampling::Balanced
            | Resampling::Weighted => 1.0 + share,
            Resampling::Subsample | Resampling::None => 1.0,
        }
    }

    /// Whether a share of rows is one that can be drawn.
    pub fn check(self, share: f64) -> Result<()> {
        let is_positive = share > 0.0 && share.is_finite();
        match self {
            Resampling::Subsample if !(is_positive && share <= 1.0) => {
                out_of_range("sample_share", share, "a share above 0 and at most 1")
            }
            Resampling::None if share != 1.0 => {
                out_of_range("sample_share", share, "1 where rows are not drawn")
            }
            _ if !is_positive => out_of_range("sample_share", share, "a share above 0"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn shares_that_cannot_be_drawn_are_refused() {
        for (how, share) in [
            (Resampling::Bootstrap, 0.0),
            (Resampling::Bootstrap, f64::INFINITY),
            (Resampling::Stratified, -1.0),
            (Resampling::Balanced, f64::NAN),
            (Resampling::Weighted, 0.0),
            (Resampling::Subsample, 1.5),
            (Resampling::None, 0.5),
        ] {
            assert!(matches!(how.check(share), Err(Error::Parameter { .. })), "{how:?} {share}");
        }
        assert!(
            Resampling::Bootstrap.check(2.0).is_ok() && Resampling::Subsample.check(1.0).is_ok()
        );
    }
}
