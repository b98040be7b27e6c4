//! A member of a committee that may have seen some columns alone.

use std::sync::Arc;

use crate::data::{Aligned, Schema};
use crate::model::{Model, Output};
use crate::scores::Scores;

/// A model of some columns of a table, as a model of all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Member<M> {
    /// What was fitted on the columns.
    pub model: M,
    /// All columns of the table.
    pub schema: Arc<Schema>,
    /// Which of them the model was fitted on, rising; `None`: all.
    pub columns: Option<Box<[u32]>>,
}

impl<M> Member<M> {
    /// How many columns the model was fitted on.
    pub fn n_columns(&self) -> usize {
        self.columns.as_ref().map_or(self.schema.len(), |columns| columns.len())
    }
}

impl<M: Model> Model for Member<M> {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn output(&self) -> &Output {
        self.model.output()
    }

    fn is_sound(&self) -> bool {
        self.model.is_sound()
    }

    fn aligned_row(&self, row: &[f64], scores: &mut [f64]) {
        match &self.columns {
            Some(columns) => {
                let own: Vec<f64> = columns.iter().map(|&column| row[column as usize]).collect();
                self.model.aligned_row(&own, scores);
            }
            None => self.model.aligned_row(row, scores),
        }
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        match &self.columns {
            Some(columns) => self.model.aligned_scores(&table.select(self.model.schema(), columns)),
            None => self.model.aligned_scores(table),
        }
    }
}
