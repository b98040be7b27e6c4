//! The checkpoint file: the state of a fit that may be broken off.
//!
//! The container, document and digest of a model file, of the kind `checkpoint`. The document's
//! `parameters` are what the fit was given. Three arrays: `checkpoint.losses` (`f64`, held-out
//! losses so far), `checkpoint.models` (`u8`, the bytes of whole model files, one after the other)
//! and `checkpoint.ends` (`u64`, where each of them ends).

use super::container::{ArrayWriter, Arrays, Element, numbers};
use super::document::{Document, Kind};
use super::{damaged, digest, from_bytes, to_bytes};
use crate::any::{AnyModel, TargetField, Trained};
use crate::error::{Error, ModelFileError};
use crate::learner::Progress;

/// The bytes of the checkpoint file: a pure function of the state and the version of weald.
pub fn progress_to_bytes(progress: &Progress<AnyModel>) -> Vec<u8> {
    let mut arrays = ArrayWriter::default();
    let losses = progress.losses.iter().copied();
    arrays.numbers("checkpoint.losses", &[progress.losses.len()], losses);
    let (mut models, mut ends) = (Vec::new(), Vec::new());
    for model in &progress.models {
        models.extend(to_bytes(&nameless(model.clone())));
        ends.push(models.len() as u64);
    }
    arrays.wholes("checkpoint.ends", ends.into_iter());
    arrays.bytes("checkpoint.models", models);
    let mut bytes = arrays.finish(&Document::of_checkpoint(&progress.given).to_json());
    digest::seal(&mut bytes);
    bytes
}

/// The state that a file's bytes hold, if it is whole, and its models are proven sound.
pub fn progress_from_bytes(bytes: &[u8]) -> crate::Result<Progress<AnyModel>> {
    let mut arrays = Arrays::open(bytes)?;
    digest::verify(bytes)?;
    let document = Document::parse(&arrays.take_document())?;
    if document.kind != Kind::Checkpoint {
        let what = "it is a model, not the checkpoint of a fit".into();
        return Err(Error::ModelFile(ModelFileError::Foreign(what)));
    }
    let losses: Vec<f64> = numbers(arrays.list("checkpoint.losses", Element::F64)?).collect();
    let ends = arrays.list("checkpoint.ends", Element::U64)?.as_chunks().0;
    let files = arrays.list("checkpoint.models", Element::U8)?;
    arrays.finish()?;
    let (mut models, mut start) = (Vec::with_capacity(ends.len()), 0);
    for end in ends {
        let end = u64::from_le_bytes(*end) as usize;
        let Some(file) = files.get(start..end) else {
            return Ok(damaged(format!("a model ends at byte {end} of {}", files.len()))?);
        };
        models.push(from_bytes(file)?.model);
        start = end;
    }
    if start != files.len() || models.is_empty() || losses.iter().any(|loss| loss.is_nan()) {
        return Ok(damaged("its models and losses are not those of a fit")?);
    }
    Ok(Progress { given: document.into_parameters(), models, losses })
}

/// Whether a file's bytes are those of a checkpoint, whole or damaged; an error if they are not those
/// of weald at all.
pub fn is_checkpoint(bytes: &[u8]) -> crate::Result<bool> {
    let document = Document::parse(&Arrays::open(bytes)?.take_document())?;
    Ok(document.kind == Kind::Checkpoint)
}

/// A model without anything around it.
fn nameless(model: AnyModel) -> Trained {
    Trained {
        model,
        method: "checkpoint".into(),
        parameters: Default::default(),
        seed: 0,
        target: TargetField { name: String::new() },
        metrics: vec![],
        n_rows: 0,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::base::constant::ConstantModel;
    use crate::data::{Field, FieldKind, Schema};
    use crate::model::Output;

    fn progress() -> Progress<AnyModel> {
        let field = Field::new("x", FieldKind::Numeric);
        let schema = Arc::new(Schema { fields: vec![field.into()] });
        let model = |value| {
            let (schema, output) = (schema.clone(), Output::Value);
            AnyModel::Constant(ConstantModel { value: vec![value], schema, output })
        };
        Progress {
            given: [("seed".to_string(), "3".to_string())].into(),
            models: vec![model(1.0), model(2.0)],
            losses: vec![f64::INFINITY, 0.5],
        }
    }

    #[test]
    fn a_state_survives_a_round_trip() {
        let bytes = progress_to_bytes(&progress());
        assert_eq!(progress_from_bytes(&bytes).unwrap(), progress());
    }

    #[test]
    fn a_checkpoint_is_no_model_and_a_model_no_checkpoint() {
        let bytes = progress_to_bytes(&progress());
        let error = from_bytes(&bytes).unwrap_err().to_string();
        assert!(error.contains("checkpoint of a fit"), "{error}");
        let model = to_bytes(&nameless(progress().models.remove(0)));
        let error = progress_from_bytes(&model).unwrap_err().to_string();
        assert!(error.contains("it is a model"), "{error}");
    }

    #[test]
    fn no_changed_byte_goes_unnoticed() {
        let bytes = progress_to_bytes(&progress());
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(progress_from_bytes(&changed).is_err(), "byte {at}");
            assert!(progress_from_bytes(&bytes[..at]).is_err(), "cut at byte {at}");
        }
    }
}
