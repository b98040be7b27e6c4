//! Models of two classes that tell several apart: members as in a committee, and their tasks.

use std::sync::Arc;

use super::committee::{read_whole_members, write_whole_members};
use super::container::{ArrayWriter, Arrays, Element, numbers};
use super::{damaged, proof};
use crate::any::AnyModel;
use crate::combine::{Coded, Scheme, answers};
use crate::data::Schema;
use crate::error::ModelFileError;
use crate::model::Output;
use crate::parameter::Value;

/// Adds the arrays of such models.
pub(super) fn write(model: &Coded<AnyModel>, arrays: &mut ArrayWriter) {
    let of_tasks = Output::Probabilities { classes: answers() };
    write_whole_members(model.members.iter(), (&model.schema, &of_tasks), arrays);
    let code = |says: &Option<bool>| says.map_or(0, |yes| 1 + u8::from(yes));
    arrays.bytes("coded.tasks", model.tasks.iter().flatten().map(code).collect());
    arrays.bytes("coded.scheme", model.scheme.show().into_bytes());
    arrays.numbers("coded.sizes", &[model.sizes.len()], model.sizes.iter().copied());
    arrays.numbers("coded.prior", &[model.prior.len()], model.prior.iter().copied());
}

/// Takes the arrays of such models, which are within so many others, and proves them.
pub(super) fn read(
    arrays: &mut Arrays<'_>,
    (schema, output): (Arc<Schema>, Output),
    depth: usize,
) -> Result<Coded<AnyModel>, ModelFileError> {
    let Output::Probabilities { classes } = &output else {
        return damaged("its tasks are of classes, but its output is not");
    };
    let n_classes = classes.len();
    let mut scheme = Scheme::OneVsRest;
    let text = std::str::from_utf8(arrays.list("coded.scheme", Element::U8)?).unwrap_or_default();
    if !scheme.parse(text) {
        return damaged("its scheme is none of those known");
    }
    let list = |arrays: &mut Arrays<'_>, name| {
        arrays.shaped(name, Element::F64, &[n_classes]).map(|list| numbers(list).collect())
    };
    let sizes: Vec<f64> = list(arrays, "coded.sizes")?;
    if sizes.iter().any(|size| !size.is_finite() || *size < 0.0) {
        return damaged(format!("its classes have the sizes {:?}", &sizes[..n_classes.min(9)]));
    }
    let prior: Vec<f64> = list(arrays, "coded.prior")?;
    proof::value(&prior, &output, || "the prior".into())?;
    let of_tasks = Output::Probabilities { classes: answers() };
    let members = read_whole_members(arrays, &schema, &of_tasks, depth)?;
    let codes = arrays.list("coded.tasks", Element::U8)?;
    if codes.len() != members.len() * n_classes || codes.iter().any(|&code| code > 2) {
        let found = codes.len();
        return damaged(format!("it has {found} codes for {} tasks", members.len()));
    }
    let says = |&code: &u8| (code > 0).then_some(code == 2);
    let tasks = codes.chunks_exact(n_classes).map(|task| task.iter().map(says).collect()).collect();
    let model = Coded { members, tasks, scheme, sizes, prior, schema, output };
    match model.is_sound() {
        true => Ok(model),
        false => damaged("its tasks are not those of its scheme"),
    }
}
