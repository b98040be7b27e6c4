//! A learner is a value; fitting changes nothing and returns a model.

use crate::data::Sample;
use crate::error::Result;
use crate::model::Model;
use crate::run::Run;

/// A method with its hyper-parameters.
pub trait Learner: Send + Sync {
    /// What fitting returns.
    type Model: Model;

    /// Learns from a sample.
    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<Self::Model>;
}
