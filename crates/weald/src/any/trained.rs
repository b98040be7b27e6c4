//! A fitted model with everything needed to use it, and to know where it came from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::AnyModel;
use crate::model::{Model, Output};

/// What a model file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    /// The model.
    pub model: AnyModel,
    /// The name of the method that made it.
    pub method: String,
    /// The method's hyper-parameters as text.
    pub parameters: BTreeMap<String, String>,
    /// The seed of the run.
    pub seed: u64,
    /// What is predicted.
    pub target: TargetField,
    /// What was measured when the model was made.
    pub metrics: Vec<MetricValue>,
    /// Rows that the model was trained on.
    pub n_rows: u64,
}

impl Trained {
    /// The target columns: one for each output, where there are several.
    pub fn target_names(&self) -> Vec<&str> {
        match self.model.output() {
            Output::Values { names } => names.iter().map(String::as_str).collect(),
            Output::SeveralProbabilities { outputs } => {
                outputs.iter().map(|output| output.name.as_str()).collect()
            }
            _ => vec![&self.target.name],
        }
    }
}

/// The target column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetField {
    /// Its name; of several, all names.
    pub name: String,
}

/// One measured number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetricValue {
    /// The metric's name.
    pub metric: String,
    /// On which rows: "test", "train" or "cross-validation".
    pub part: String,
    /// The model's value.
    pub value: f64,
    /// The value of the constant model on the same rows.
    pub baseline: f64,
}
