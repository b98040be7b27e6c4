//! The names of outputs, columns and levels: the array `names`, a JSON document.
//!
//! A level such as `"a"` takes 4 bytes of JSON but many times that in memory. So that a small file
//! cannot ask for much memory, a file pays for its lists of names: where they are very long and
//! the names short, spaces follow the JSON, and a file without them is refused.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::document::Number;
use super::{damaged, json};
use crate::any::AnyModel;
use crate::data::{ClassList, Schema};
use crate::error::ModelFileError;
use crate::model::{Model, Output};

/// Bytes of memory that one name in a list may take while it is read.
const NAME_COST: usize = 96;
/// Bytes of memory that names may take whatever the file's length.
const FREE: usize = 12 << 20;

/// What outputs and columns are called.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Names {
    /// What the model's scores mean.
    pub(super) output: OutputNames,
    /// The columns.
    pub(super) schema: Arc<Schema>,
}

/// [`Output`] as it is written.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum OutputNames {
    /// Class probabilities.
    Probabilities {
        /// The classes, in code order.
        classes: Arc<[String]>,
    },
    /// One number.
    Value,
    /// One number for each output.
    Values {
        /// What the outputs are called.
        names: Arc<[String]>,
    },
    /// Class probabilities of each output.
    SeveralProbabilities {
        /// The outputs, each with its classes in code order.
        outputs: Arc<[ClassList]>,
    },
    /// Quantiles.
    Quantiles {
        /// The levels, rising.
        levels: Vec<Number>,
    },
    /// A relative hazard.
    Hazard,
    /// A number to sort by.
    Ranking,
    /// An anomaly score.
    Anomaly,
    /// A log density.
    LogDensity,
}

impl Names {
    pub(super) fn of(model: &AnyModel) -> Names {
        Names::of_parts(model.output(), model.schema())
    }

    /// Of an output and columns.
    pub(super) fn of_parts(output: &Output, schema: &Arc<Schema>) -> Names {
        let output = match output {
            Output::Probabilities { classes } => {
                OutputNames::Probabilities { classes: classes.clone() }
            }
            Output::Value => OutputNames::Value,
            Output::Values { names } => OutputNames::Values { names: names.clone() },
            Output::SeveralProbabilities { outputs } => {
                OutputNames::SeveralProbabilities { outputs: outputs.clone() }
            }
            Output::Hazard => OutputNames::Hazard,
            Output::Ranking => OutputNames::Ranking,
            Output::Anomaly => OutputNames::Anomaly,
            Output::LogDensity => OutputNames::LogDensity,
            Output::Quantiles { levels } => OutputNames::Quantiles {
                levels: levels.iter().map(|&level| Number(level)).collect(),
            },
        };
        Names { output, schema: schema.clone() }
    }

    pub(super) fn to_json(&self) -> Vec<u8> {
        let mut json = serde_json::to_vec(self).expect("names have a JSON form");
        let price = price(n_listed(&json));
        json.resize(json.len().max(price), b' ');
        json
    }

    pub(super) fn parse(json: &[u8]) -> Result<Names, ModelFileError> {
        let n_listed = n_listed(json);
        if json.len() < price(n_listed) {
            return damaged(format!("it has {n_listed} names in only {} bytes", json.len()));
        }
        json::parse(json, "the array names")
    }
}

impl From<OutputNames> for Output {
    fn from(names: OutputNames) -> Output {
        match names {
            OutputNames::Probabilities { classes } => Output::Probabilities { classes },
            OutputNames::Value => Output::Value,
            OutputNames::Values { names } => Output::Values { names },
            OutputNames::SeveralProbabilities { outputs } => {
                Output::SeveralProbabilities { outputs }
            }
            OutputNames::Hazard => Output::Hazard,
            OutputNames::Ranking => Output::Ranking,
            OutputNames::Anomaly => Output::Anomaly,
            OutputNames::LogDensity => Output::LogDensity,
            OutputNames::Quantiles { levels } => {
                Output::Quantiles { levels: levels.into_iter().map(|level| level.0).collect() }
            }
        }
    }
}

/// Bytes that the array must have for so many names in lists: a third of the memory they take.
pub(super) fn price(n_listed: usize) -> usize {
    n_listed.saturating_mul(NAME_COST).saturating_sub(FREE).div_ceil(3)
}

/// How many strings stand in lists. Those in objects come with keys, which pay for them.
fn n_listed(json: &[u8]) -> usize {
    let mut listed = 0;
    // The last byte outside strings that is not a space, and whether a string followed it.
    let (mut last, mut is_pending) = (0, false);
    let mut bytes = json.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b'"' => {
                skip_string(&mut bytes);
                is_pending = matches!(last, b'[' | b',');
            }
            _ => {
                // Before a colon it was a key.
                listed += usize::from(is_pending && byte != b':');
                (last, is_pending) = (byte, false);
            }
        }
    }
    listed
}

fn skip_string(bytes: &mut std::slice::Iter<'_, u8>) {
    while let Some(&byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Field, FieldKind};

    fn names(n_levels: usize) -> Names {
        let levels = (0..n_levels).map(|i| format!("{i}")).collect();
        let field = |name: &str, kind| Field::new(name, kind).into();
        let fields = vec![
            field("a\",\\", FieldKind::Numeric),
            field("[\"b", FieldKind::Categorical { levels }),
        ];
        Names { output: OutputNames::Value, schema: Arc::new(Schema { fields }) }
    }

    #[test]
    fn only_names_in_lists_are_counted() {
        assert_eq!(n_listed(br#" [ "a" , "b\\", "c\",d" ] "#), 3);
        assert_eq!(n_listed(br#"{"a":"b","c":{"d":["e",["f"]]}}"#), 2);
        assert_eq!(n_listed(br#"["#), 0);
        assert_eq!(n_listed(br#"["a"#), 0);
        for n in [0, 1, 70] {
            assert_eq!(n_listed(&names(n).to_json()), n);
        }
    }

    #[test]
    fn long_lists_of_short_names_are_paid_for() {
        let few = names(100_000).to_json();
        assert_eq!(few.last(), Some(&b'}'));
        let many = names(300_000).to_json();
        assert_eq!(many.last(), Some(&b' '));
        let read = Names::parse(&many).unwrap();
        assert_eq!(read.schema, names(300_000).schema);
        let error = Names::parse(many.trim_ascii_end()).unwrap_err().to_string();
        assert!(error.contains("it has 300000 names in only"), "{error}");
    }
}
