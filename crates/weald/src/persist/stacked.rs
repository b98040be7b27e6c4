//! Stacked models: members as in a committee, and the model of what they say.

use std::sync::Arc;

use super::committee::{
    member_from_bytes, member_to_bytes, read_whole_members, write_whole_members,
};
use super::container::{ArrayWriter, Arrays, Element, numbers};
use super::names::price;
use super::{damaged, json, proof};
use crate::any::AnyModel;
use crate::combine::{Stacked, level_one, n_said};
use crate::data::Schema;
use crate::ensemble::{Member, Named, check_members};
use crate::error::ModelFileError;
use crate::model::{Model, Output};

/// A column takes as much memory as so many names in a list.
const NAMES_PER_COLUMN: usize = 2;

/// Adds the arrays of a stacked model.
pub(super) fn write(model: &Stacked<AnyModel>, arrays: &mut ArrayWriter) {
    let members = model.members.iter().map(|member| &member.learner);
    write_whole_members(members, (&model.schema, model.output()), arrays);
    let names: Vec<&str> = model.members.iter().map(|member| member.name.as_str()).collect();
    let mut names = serde_json::to_vec(&names).expect("text has a JSON form");
    let price = price(NAMES_PER_COLUMN * model.last.schema().len());
    names.resize(names.len().max(price), b' ');
    arrays.bytes("stacked.names", names);
    let schema = model.last.schema().clone();
    let last = Member { model: model.last.clone(), schema, columns: None };
    arrays.bytes("stacked.last", member_to_bytes(&last, model.output()));
    arrays.bytes("stacked.pass_through", vec![u8::from(model.pass_through)]);
    arrays.numbers("stacked.prior", &[model.prior.len()], model.prior.iter().copied());
}

/// Takes the arrays of a stacked model that is within so many models, and proves them.
pub(super) fn read(
    arrays: &mut Arrays<'_>,
    (schema, output): (Arc<Schema>, Output),
    depth: usize,
) -> Result<Stacked<AnyModel>, ModelFileError> {
    let pass_through = match arrays.list("stacked.pass_through", Element::U8)? {
        [0] => false,
        [1] => true,
        codes => return damaged(format!("whether columns are passed through is {codes:?}")),
    };
    let prior = arrays.shaped("stacked.prior", Element::F64, &[output.width()])?;
    let prior: Vec<f64> = numbers(prior).collect();
    proof::value(&prior, &output, || "the prior".into())?;
    let models = read_whole_members(arrays, &schema, &output, depth)?;
    let text = arrays.list("stacked.names", Element::U8)?;
    let passed = if pass_through { schema.len() } else { 0 };
    let n_columns = models.len().saturating_mul(n_said(&output)).saturating_add(passed);
    if text.len() < price(NAMES_PER_COLUMN.saturating_mul(n_columns)) {
        return damaged(format!("its last model has columns for only {} bytes", text.len()));
    }
    let names: Vec<String> = json::parse(text, "the names of its members")?;
    if names.len() != models.len() {
        return damaged(format!("it has {} members but {} names", models.len(), names.len()));
    }
    let named = names.into_iter().zip(models);
    let members: Vec<Named<AnyModel>> =
        named.map(|(name, learner)| Named { name, learner }).collect();
    if let Err(error) = check_members(&members) {
        return damaged(format!("its members have no names: {error}"));
    }
    let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    let columns = Arc::new(level_one(&names, &schema, &output, pass_through));
    let bytes = arrays.list("stacked.last", Element::U8)?;
    let last = member_from_bytes(bytes, &columns, &|_| output.clone(), depth + 1)?;
    match last.columns {
        Some(_) => damaged("its last model has columns of its own"),
        None => Ok(Stacked { members, last: last.model, pass_through, prior, schema }),
    }
}
