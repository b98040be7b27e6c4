//! Linear models as flat arrays.

use std::sync::Arc;

use super::container::{ArrayWriter, Arrays, Element, numbers};
use super::{damaged, design, proof};
use crate::base::linear::LinearModel;
use crate::data::Schema;
use crate::error::ModelFileError;
use crate::model::Output;

/// Adds the arrays of a linear model.
pub(super) fn write(model: &LinearModel, arrays: &mut ArrayWriter) {
    design::write(&model.design, arrays);
    let shape = [LinearModel::n_scores(&model.output), model.design.width() + 1];
    arrays.numbers("coefficients.value", &shape, model.coefficients.iter().copied());
    arrays.numbers("coefficients.scale", &[1], [model.scale].into_iter());
    arrays.wholes("coefficients.steps", [model.n_steps].into_iter());
    arrays.numbers("coefficients.prior", &[model.prior.len()], model.prior.iter().copied());
}

/// Takes the arrays of a linear model, and proves them.
pub(super) fn read(
    arrays: &mut Arrays<'_>,
    (schema, output): (Arc<Schema>, Output),
) -> Result<LinearModel, ModelFileError> {
    if !matches!(output, Output::Probabilities { .. } | Output::Value | Output::Values { .. }) {
        return damaged("a linear model says nothing but classes or numbers");
    }
    let design = Arc::new(design::read(arrays, &schema)?);
    let shape = [LinearModel::n_scores(&output), design.width() + 1];
    let coefficients = arrays.shaped("coefficients.value", Element::F64, &shape)?;
    let coefficients: Vec<f64> = numbers(coefficients).collect();
    let scale = arrays.shaped("coefficients.scale", Element::F64, &[1])?;
    let scale = numbers(scale).next().unwrap_or(f64::NAN);
    if let Some(bad) = coefficients.iter().find(|w| !w.is_finite()) {
        return damaged(format!("one of its coefficients is {bad}"));
    }
    if !(scale.is_finite() && scale > 0.0) {
        return damaged(format!("its margins are multiplied by {scale}"));
    }
    let prior = arrays.shaped("coefficients.prior", Element::F64, &[output.width()])?;
    let prior: Vec<f64> = numbers(prior).collect();
    proof::value(&prior, &output, || "the prior".into())?;
    let steps = arrays.shaped("coefficients.steps", Element::U64, &[1])?;
    let n_steps = steps.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    Ok(LinearModel { design, coefficients, scale, prior, n_steps, schema, output })
}
