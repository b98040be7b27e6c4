//! What all models that find anomalies have in common.

use weald::any::AnyModel;
use weald::data::Aligned;
use weald::forest::IsolationModel;
use weald::forest::density::DensityModel;
use weald::model::Model;
use weald::scores::Scores;

use crate::failure::{Failure, Kind, Result};

/// A model by which rows are anomalies or not.
pub enum Detector<'m> {
    /// By how soon they are alone.
    Isolation(&'m IsolationModel),
    /// By how few others are near.
    Density(&'m DensityModel),
}

impl<'m> Detector<'m> {
    /// The model, if it is such a one.
    pub fn of(model: &'m AnyModel, method: &str) -> Result<Detector<'m>> {
        match model {
            AnyModel::Isolation(model) => Ok(Detector::Isolation(model)),
            AnyModel::Density(model) => Ok(Detector::Density(model)),
            _ => {
                let headline = format!("a model of the method {method} finds no anomalies");
                Err(Failure::new(Kind::Model, headline)
                    .help("`weald detect FILE --save MODEL` makes one that does"))
            }
        }
    }

    /// How anomalous each row is.
    pub fn scores(&self, table: &Aligned<'_>) -> Scores {
        match self {
            Detector::Isolation(model) => model.aligned_scores(table),
            Detector::Density(model) => {
                let mut scores = model.aligned_scores(table);
                scores.values_mut().iter_mut().for_each(|log| *log = -*log);
                scores
            }
        }
    }

    /// Rows with a higher score are anomalies.
    pub fn threshold(&self) -> f64 {
        match self {
            Detector::Isolation(model) => model.threshold,
            Detector::Density(model) => -model.threshold,
        }
    }

    /// How much each column makes each row stand out; `None` if columns have no part in it alone.
    pub fn credits(&self, table: &Aligned<'_>) -> Option<Scores> {
        match self {
            Detector::Isolation(model) => Some(model.credits(table)),
            Detector::Density(_) => None,
        }
    }

    /// Whether it says which columns make a row stand out.
    pub fn gives_reasons(&self) -> bool {
        matches!(self, Detector::Isolation(_))
    }
}
