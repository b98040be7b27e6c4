//! The JSON document in the header: everything about a model but its arrays and names.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::{FORMAT_VERSION, damaged, digest, json};
use crate::any::{AnyModel, MetricValue, TargetField, Trained};
use crate::error::ModelFileError;

/// Hyper-parameters that a method may have.
const MOST_PARAMETERS: usize = 10_000;
/// Where errors are.
const PLACE: &str = "the document in the header";

/// What the header says about the model. The digest must stay first.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    sha256: String,
    format: u64,
    weald: String,
    /// Which arrays follow.
    pub(super) kind: Kind,
    method: String,
    #[serde(deserialize_with = "without_repeats")]
    parameters: BTreeMap<String, String>,
    seed: u64,
    n_rows: u64,
    target: TargetField,
    metrics: Vec<Metric>,
    /// What the array `curve.held_out` holds, if it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) curve: Option<CurveFacts>,
}

/// A learning curve but for its numbers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CurveFacts {
    pub(super) loss: String,
    pub(super) rows: String,
    pub(super) first_round: u64,
}

/// Which arrays the file holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// One value.
    Constant,
    /// One tree.
    Tree,
    /// A sum of trees.
    Additive,
    /// A mean of deep trees.
    Forest,
    /// Models that answer together.
    Committee,
    /// Models that speak in turn.
    Boosted,
    /// Trees that isolate rows.
    Isolation,
    /// A density.
    Density,
    /// Models, and one of what they say.
    Stacked,
    /// Models, and where each of them is right.
    Dynamic,
    /// Models, and a gate that believes them in parts.
    Mixture,
    /// Models of two classes that tell several apart.
    Coded,
    /// A model whose probabilities are put right.
    Calibrated,
    /// Sums over columns.
    Linear,
    /// Columns as if none knew of the others.
    NaiveBayes,
    /// The rows most like a row.
    Neighbours,
    /// No model, but the state of a fit.
    Checkpoint,
    /// No model, but the state of a stream.
    Stream,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metric {
    metric: String,
    part: String,
    value: Number,
    baseline: Number,
}

/// A number as text: the shortest that reads back to the same bits, or NaN, inf, -inf.
#[derive(Debug)]
pub(super) struct Number(pub(super) f64);

/// The one thing that is read of a document of any version.
#[derive(Deserialize)]
struct Version {
    format: u64,
}

impl Document {
    pub(super) fn of(trained: &Trained, kind: Kind, weald: &str) -> Document {
        let metric = |m: &MetricValue| Metric {
            metric: m.metric.clone(),
            part: m.part.clone(),
            value: Number(m.value),
            baseline: Number(m.baseline),
        };
        Document {
            sha256: digest::BLANK.into(),
            format: FORMAT_VERSION,
            weald: weald.into(),
            kind,
            method: trained.method.clone(),
            parameters: trained.parameters.clone(),
            seed: trained.seed,
            n_rows: trained.n_rows,
            target: trained.target.clone(),
            metrics: trained.metrics.iter().map(metric).collect(),
            curve: curve_of(&trained.model),
        }
    }

    /// The document of a checkpoint: what its fit was given.
    pub(super) fn of_checkpoint(given: &BTreeMap<String, String>) -> Document {
        Document {
            sha256: digest::BLANK.into(),
            format: FORMAT_VERSION,
            weald: env!("CARGO_PKG_VERSION").into(),
            kind: Kind::Checkpoint,
            method: String::new(),
            parameters: given.clone(),
            seed: 0,
            n_rows: 0,
            target: TargetField { name: String::new() },
            metrics: vec![],
            curve: None,
        }
    }

    /// The document of a stream that has seen so many rows.
    pub(super) fn of_stream(
        parameters: BTreeMap<String, String>,
        seed: u64,
        n_rows: u64,
    ) -> Document {
        let (kind, method) = (Kind::Stream, "streaming-forest".into());
        Document { kind, method, parameters, seed, n_rows, ..Document::of_checkpoint(&[].into()) }
    }

    /// The seed.
    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    /// How many rows.
    pub(super) fn n_rows(&self) -> u64 {
        self.n_rows
    }

    /// The parameters alone.
    pub(super) fn into_parameters(self) -> BTreeMap<String, String> {
        self.parameters
    }

    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("text and whole numbers have a JSON form")
    }

    pub(super) fn parse(text: &str) -> Result<Document, ModelFileError> {
        let Version { format } = json::parse(text.as_bytes(), PLACE)?;
        if format > FORMAT_VERSION {
            return Err(ModelFileError::Newer { found: format, supported: FORMAT_VERSION });
        }
        if format == 0 {
            return damaged("it has format version 0, the first is 1");
        }
        json::parse(text.as_bytes(), PLACE)
    }

    pub(super) fn into_trained(self, model: AnyModel) -> Trained {
        let metric = |m: Metric| MetricValue {
            metric: m.metric,
            part: m.part,
            value: m.value.0,
            baseline: m.baseline.0,
        };
        Trained {
            model,
            method: self.method,
            parameters: self.parameters,
            seed: self.seed,
            target: self.target,
            metrics: self.metrics.into_iter().map(metric).collect(),
            n_rows: self.n_rows,
        }
    }
}

pub(super) fn curve_of(model: &AnyModel) -> Option<CurveFacts> {
    let curve = model.additive()?.curve.as_ref()?;
    Some(CurveFacts {
        loss: curve.loss.clone(),
        rows: curve.rows.clone(),
        first_round: curve.first_round as u64,
    })
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:?}", self.0))
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        let text = String::deserialize(deserializer)?;
        let number = text.parse().map_err(|_| D::Error::custom("expected a number as text"))?;
        Ok(Number(number))
    }
}

/// A map whose keys may not repeat; serde's own keeps the last of them.
fn without_repeats<'de, D>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error>
where
    D: Deserializer<'de>,
{
    struct Pairs;
    impl<'de> Visitor<'de> for Pairs {
        type Value = BTreeMap<String, String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "an object of at most {MOST_PARAMETERS} texts")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut pairs = BTreeMap::new();
            while let Some((key, value)) = map.next_entry()? {
                if pairs.insert(key, value).is_some() {
                    return Err(A::Error::custom("a parameter is there twice"));
                }
                if pairs.len() > MOST_PARAMETERS {
                    return Err(A::Error::invalid_length(pairs.len(), &self));
                }
            }
            Ok(pairs)
        }
    }
    deserializer.deserialize_map(Pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_as_text() {
        for x in [0.1 + 0.2, 1e300, 5e-324, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let json = serde_json::to_string(&Number(x)).unwrap();
            let back: Number = serde_json::from_str(&json).unwrap();
            assert!(back.0.to_bits() == x.to_bits() || x.is_nan() && back.0.is_nan(), "{json}");
        }
        assert!(serde_json::from_str::<Number>("\"ten\"").is_err());
        assert!(serde_json::from_str::<Number>("1.5").is_err());
    }

    #[test]
    fn a_newer_document_is_known_by_its_version_alone() {
        let newer = r#"{"sha256":"","format":7,"trees":{"of":["another","shape"]}}"#;
        let error = Document::parse(newer).unwrap_err();
        assert_eq!(error, ModelFileError::Newer { found: 7, supported: 1 });
    }
}
