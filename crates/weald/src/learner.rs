//! A learner is a value; fitting changes nothing and returns a model.

use crate::data::Sample;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::run::Run;

/// A method with its hyper-parameters.
pub trait Learner: Send + Sync {
    /// What fitting returns.
    type Model: Model;

    /// Learns from a sample.
    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<Self::Model>;

    /// Learns from a sample and what else is given. A method refuses what it has no use for.
    fn fit_with(
        &self,
        sample: &Sample<'_>,
        extras: &Extras<'_, Self::Model>,
        run: &Run<'_>,
    ) -> Result<Self::Model> {
        match extras.given() {
            Some(extra) => Err(Error::NotTaken { extra }),
            None => self.fit(sample, run),
        }
    }
}

/// What a fit may be given besides its sample.
#[derive(Debug)]
pub struct Extras<'a, M> {
    /// The group of each row: the query of a ranking. Rows of one group are held out together.
    pub groups: Option<&'a [u32]>,
    /// Scores that the model adds to, a row's numbers together: an exposure, another model.
    pub offset: Option<&'a [f64]>,
    /// Rows to stop early by, instead of a share of the sample's.
    pub validation: Option<Validation<'a>>,
    /// A model to go on from.
    pub continued: Option<&'a M>,
}

/// Rows that are not trained on.
#[derive(Debug, Clone, Copy)]
pub struct Validation<'a> {
    /// The rows.
    pub sample: &'a Sample<'a>,
    /// The group of each row.
    pub groups: Option<&'a [u32]>,
    /// Scores that the model adds to.
    pub offset: Option<&'a [f64]>,
}

impl<M> Default for Extras<'_, M> {
    fn default() -> Self {
        Extras { groups: None, offset: None, validation: None, continued: None }
    }
}

impl<M> Extras<'_, M> {
    /// The first part that was given, by name.
    pub fn given(&self) -> Option<&'static str> {
        let parts = [
            ("groups", self.groups.is_some()),
            ("an offset", self.offset.is_some()),
            ("validation rows", self.validation.is_some()),
            ("a model to go on from", self.continued.is_some()),
        ];
        parts.iter().find(|(_, given)| *given).map(|(name, _)| *name)
    }
}
