//! Members of which those answer that are right nearby: members as in a committee, and the rows that
//! tell who is right where.

use std::sync::Arc;

use super::committee::{
    member_from_bytes, member_to_bytes, read_whole_members, write_whole_members,
};
use super::container::{ArrayWriter, Arrays, Element, numbers};
use super::{damaged, json, proof};
use crate::any::AnyModel;
use crate::combine::{Dynamic, Knora};
use crate::data::Schema;
use crate::ensemble::{Member, Named, check_members};
use crate::error::ModelFileError;
use crate::model::{Model, Output};

/// Adds the arrays of such members.
pub(super) fn write(model: &Dynamic<AnyModel>, arrays: &mut ArrayWriter) {
    let members = model.members.iter().map(|member| &member.learner);
    write_whole_members(members, (model.schema(), &model.output), arrays);
    let names: Vec<&str> = model.members.iter().map(|member| member.name.as_str()).collect();
    arrays.bytes("dynamic.names", serde_json::to_vec(&names).expect("text has a JSON form"));
    let rule = match model.rule {
        Knora::Eliminate => 0,
        Knora::Union => 1,
    };
    arrays.bytes("dynamic.rule", vec![rule]);
    let right = AnyModel::Neighbours(Box::new(model.right.clone()));
    let right = Member { model: right, schema: model.schema().clone(), columns: None };
    arrays.bytes("dynamic.right", member_to_bytes(&right, right.output()));
    arrays.numbers("dynamic.prior", &[model.prior.len()], model.prior.iter().copied());
}

/// Takes the arrays of such members, which are within so many models, and proves them.
pub(super) fn read(
    arrays: &mut Arrays<'_>,
    (schema, output): (Arc<Schema>, Output),
    depth: usize,
) -> Result<Dynamic<AnyModel>, ModelFileError> {
    let Output::Probabilities { .. } = &output else {
        return damaged("its members vote, but its output is not classes");
    };
    let rule = match arrays.list("dynamic.rule", Element::U8)? {
        [0] => Knora::Eliminate,
        [1] => Knora::Union,
        codes => return damaged(format!("its rule is {codes:?}")),
    };
    let prior = arrays.shaped("dynamic.prior", Element::F64, &[output.width()])?;
    let prior: Vec<f64> = numbers(prior).collect();
    proof::value(&prior, &output, || "the prior".into())?;
    let models = read_whole_members(arrays, &schema, &output, depth)?;
    let names = arrays.list("dynamic.names", Element::U8)?;
    let names: Vec<String> = json::parse(names, "the names of its members")?;
    if names.len() != models.len() {
        return damaged(format!("it has {} members but {} names", models.len(), names.len()));
    }
    let of_right = Output::Values { names: names.clone().into() };
    let named = names.into_iter().zip(models);
    let members: Vec<Named<AnyModel>> =
        named.map(|(name, learner)| Named { name, learner }).collect();
    if let Err(error) = check_members(&members) {
        return damaged(format!("its members have no names: {error}"));
    }
    let bytes = arrays.list("dynamic.right", Element::U8)?;
    let right = member_from_bytes(bytes, &schema, &|_| of_right.clone(), depth + 1)?;
    let (AnyModel::Neighbours(right), None) = (right.model, right.columns) else {
        return damaged("its rows are no neighbours, or have columns of their own");
    };
    match right.targets.iter().find(|x| ![0.0, 1.0].contains(x)) {
        Some(bad) => damaged(format!("a member is right {bad} times about a row")),
        None => Ok(Dynamic { members, rule, right: *right, prior, output }),
    }
}
