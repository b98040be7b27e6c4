//! A model is a value; predicting changes nothing.

use std::sync::Arc;

use crate::data::{Aligned, Schema, Table, Target};
use crate::error::Result;
use crate::scores::Scores;

/// What fitting returns.
pub trait Model: Send + Sync {
    /// The columns that the model was trained on.
    fn schema(&self) -> &Arc<Schema>;

    /// What the scores mean.
    fn output(&self) -> &Output;

    /// The scores of a table that is known to have the model's columns.
    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores;

    /// The scores of a table; columns are matched by name, levels by name.
    fn scores(&self, table: &Table) -> Result<Scores> {
        Ok(self.aligned_scores(&self.schema().align(table)?))
    }
}

/// What a model's scores mean.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Output {
    /// One probability for each of these classes, summing to one.
    Probabilities {
        /// The classes, in code order.
        classes: Arc<[String]>,
    },
    /// One predicted number.
    Value,
}

impl Output {
    /// What a model of this target predicts.
    pub fn of(target: &Target) -> Output {
        match target {
            Target::Classes(labels) => Output::Probabilities { classes: labels.classes().clone() },
            Target::Numbers(_) => Output::Value,
        }
    }

    /// How many numbers a row's scores have.
    pub fn width(&self) -> usize {
        match self {
            Output::Probabilities { classes } => classes.len(),
            Output::Value => 1,
        }
    }
}
