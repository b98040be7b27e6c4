//! Mixtures of experts: experts as the members of a committee, and the gate.

use std::sync::Arc;

use super::committee::{
    member_from_bytes, member_to_bytes, read_whole_members, write_whole_members,
};
use super::container::{ArrayWriter, Arrays, Element, numbers};
use super::{damaged, proof};
use crate::any::AnyModel;
use crate::combine::{Mixture, expert_names};
use crate::data::Schema;
use crate::ensemble::Member;
use crate::error::ModelFileError;
use crate::model::{Model, Output};

/// Adds the arrays of a mixture.
pub(super) fn write(model: &Mixture<AnyModel>, arrays: &mut ArrayWriter) {
    write_whole_members(model.experts.iter(), (model.schema(), &model.output), arrays);
    let gate = AnyModel::Linear(model.gate.clone());
    let gate = Member { model: gate, schema: model.schema().clone(), columns: None };
    arrays.bytes("mixture.gate", member_to_bytes(&gate, gate.output()));
    let n_variances = model.variances.first().map_or(0, Vec::len);
    let shape = [model.variances.len(), n_variances];
    arrays.numbers("mixture.variances", &shape, model.variances.iter().flatten().copied());
    let likelihoods = model.likelihoods.iter().copied();
    arrays.numbers("mixture.likelihoods", &[model.likelihoods.len()], likelihoods);
    arrays.numbers("mixture.prior", &[model.prior.len()], model.prior.iter().copied());
}

/// Takes the arrays of a mixture that is within so many models, and proves them.
pub(super) fn read(
    arrays: &mut Arrays<'_>,
    (schema, output): (Arc<Schema>, Output),
    depth: usize,
) -> Result<Mixture<AnyModel>, ModelFileError> {
    let n_variances = match &output {
        Output::Probabilities { .. } => 0,
        Output::Value | Output::Values { .. } => output.width(),
        _ => return damaged("experts say nothing but classes or numbers"),
    };
    let prior = arrays.shaped("mixture.prior", Element::F64, &[output.width()])?;
    let prior: Vec<f64> = numbers(prior).collect();
    proof::value(&prior, &output, || "the prior".into())?;
    let experts = read_whole_members(arrays, &schema, &output, depth)?;
    if experts.is_empty() {
        return damaged("it has no experts");
    }
    let classes = expert_names(experts.len());
    let bytes = arrays.list("mixture.gate", Element::U8)?;
    let of_gate = |_| Output::Probabilities { classes: classes.clone() };
    let gate = member_from_bytes(bytes, &schema, &of_gate, depth + 1)?;
    let (AnyModel::Linear(gate), None) = (gate.model, gate.columns) else {
        return damaged("its gate is not linear, or has columns of its own");
    };
    let shape = [experts.len(), n_variances];
    let variances: Vec<f64> =
        numbers(arrays.shaped("mixture.variances", Element::F64, &shape)?).collect();
    if let Some(bad) = variances.iter().find(|v| !v.is_finite() || **v <= 0.0) {
        return damaged(format!("an expert has the variance {bad}"));
    }
    let variances = match n_variances {
        0 => vec![Vec::new(); experts.len()],
        n => variances.chunks_exact(n).map(<[f64]>::to_vec).collect(),
    };
    let likelihoods: Vec<f64> =
        numbers(arrays.list("mixture.likelihoods", Element::F64)?).collect();
    if likelihoods.iter().any(|likelihood| likelihood.is_nan()) {
        return damaged("a likelihood is NaN");
    }
    Ok(Mixture { gate, experts, variances, likelihoods, prior, output })
}
