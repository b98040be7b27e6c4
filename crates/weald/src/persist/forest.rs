//! Forests as flat arrays: small nodes, and leaves that share what they say.

use std::sync::Arc;

use super::container::{ArrayWriter, Arrays, Element, numbers};
use super::rules::{RuleArrays, RuleWriter, SetForm};
use super::trees::{Offsets, ends};
use super::{damaged, leaf_rows, proof};
use crate::data::Schema;
use crate::ensemble::OutOfBagCurve;
use crate::error::ModelFileError;
use crate::forest::{ForestModel, Importance, PermutationImportance};
use crate::model::Output;
use crate::predict::{DeepTree, DeepTrees};
use crate::tree::walk::{AllColumns, Walk};

/// Adds the arrays of a forest.
pub(super) fn write(model: &ForestModel, arrays: &mut ArrayWriter) {
    write_trees(&model.trees, arrays);
    let Importance { plain, unbiased } = &model.importance;
    arrays.numbers("importance.plain", &[plain.len()], plain.iter().copied());
    if !unbiased.is_empty() {
        arrays.numbers("importance.unbiased", &[unbiased.len()], unbiased.iter().copied());
    }
    if let Some(PermutationImportance { increase, standard_error }) = &model.permutation {
        arrays.numbers("permutation.increase", &[increase.len()], increase.iter().copied());
        let errors = standard_error.iter().copied();
        arrays.numbers("permutation.error", &[standard_error.len()], errors);
    }
    if let Some(rows) = &model.rows {
        leaf_rows::write(rows, arrays);
    }
    write_curve(model.out_of_bag.as_ref(), arrays);
}

/// Adds the arrays of packed trees.
pub(super) fn write_trees(trees: &DeepTrees, arrays: &mut ArrayWriter) {
    let mut rules = RuleWriter::default();
    let mut lens = Vec::with_capacity(trees.len());
    for tree in 0..trees.len() {
        let nodes = trees.nodes(tree);
        lens.push(nodes.len());
        nodes.for_each(|node| rules.push(&node.rule, node.right));
    }
    arrays.wholes("tree.offsets", ends(lens.into_iter()));
    rules.write_thresholds(arrays);
    rules.write(SetForm::Lists, arrays);
    let values = trees.values();
    arrays.numbers(
        "leaf.values",
        &[values.len() / trees.width(), trees.width()],
        values.iter().copied(),
    );
    arrays
        .halves("leaf.value", (0..trees.n_leaves() as u32).map(|leaf| trees.place_of_value(leaf)));
    arrays.singles("leaf.weight", trees.weights().iter().copied());
}

/// Takes the arrays of a forest, and proves them.
pub(super) fn read(
    arrays: &mut Arrays<'_>,
    schema: Arc<Schema>,
    output: Output,
) -> Result<ForestModel, ModelFileError> {
    let trees = read_trees(arrays, &schema, &output)?;
    let columns = [schema.len()];
    let plain = arrays.shaped("importance.plain", Element::F64, &columns)?;
    let unbiased = match arrays.has("importance.unbiased") {
        true => arrays.shaped("importance.unbiased", Element::F64, &columns)?,
        false => &[],
    };
    let importance =
        Importance { plain: numbers(plain).collect(), unbiased: numbers(unbiased).collect() };
    if importance.plain.iter().chain(&importance.unbiased).any(|x| !x.is_finite()) {
        return damaged("the importance of a column is not finite");
    }
    let out_of_bag = read_curve(arrays, trees.len())?;
    let permutation = match arrays.has("permutation.increase") {
        true => Some(PermutationImportance {
            increase: numbers(arrays.shaped("permutation.increase", Element::F64, &columns)?)
                .collect(),
            standard_error: numbers(arrays.shaped("permutation.error", Element::F64, &columns)?)
                .collect(),
        }),
        false => None,
    };
    let rows = match arrays.has("kept.rows") {
        true => Some(Box::new(leaf_rows::read(arrays, &trees, &output)?)),
        false => None,
    };
    Ok(ForestModel { trees, schema, output, out_of_bag, importance, permutation, rows })
}

/// Adds the arrays of an out-of-bag curve, if there is one.
pub(super) fn write_curve(curve: Option<&OutOfBagCurve>, arrays: &mut ArrayWriter) {
    if let Some(curve) = curve {
        arrays.numbers("out_of_bag.errors", &[curve.errors.len()], curve.errors.iter().copied());
        arrays.wholes("out_of_bag.without", [curve.n_without as u64].into_iter());
    }
}

/// Takes the arrays of the out-of-bag curve of so many members, if they are there.
pub(super) fn read_curve(
    arrays: &mut Arrays<'_>,
    n_members: usize,
) -> Result<Option<OutOfBagCurve>, ModelFileError> {
    if !arrays.has("out_of_bag.errors") {
        return Ok(None);
    }
    let errors = arrays.shaped("out_of_bag.errors", Element::F64, &[n_members])?;
    let errors: Vec<f64> = numbers(errors).collect();
    // Of huge numbers the square may be infinite; without a row that was left out it is NaN.
    if let Some(error) = errors.iter().find(|error| **error < 0.0) {
        return damaged(format!("an out-of-bag error is {error}"));
    }
    let without = arrays.shaped("out_of_bag.without", Element::U64, &[1])?;
    let n_without = without.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    Ok(Some(OutOfBagCurve { errors, n_without: usize::try_from(n_without).unwrap_or(usize::MAX) }))
}

/// Takes the arrays of packed trees, and proves them.
pub(super) fn read_trees(
    arrays: &mut Arrays<'_>,
    schema: &Schema,
    output: &Output,
) -> Result<DeepTrees, ModelFileError> {
    let width = output.width();
    let mut rules = RuleArrays::take(arrays, SetForm::Lists)?;
    let offsets = Offsets::take(arrays, "tree.offsets", rules.len())?;
    if offsets.len() == 0 || rules.len() >= u32::MAX as usize {
        return damaged(format!("it has {} trees of {} nodes", offsets.len(), rules.len()));
    }
    for tree in 0..offsets.len() {
        let nodes = offsets.stretch(tree).map(|at| (rules.is_leaf(at), rules.right(at)));
        proof::pre_order(nodes)?;
    }
    for at in 0..rules.len() {
        let rule = rules.next(at, schema)?;
        proof::rule(&rule, schema, at)?;
    }
    rules.finish()?;
    let n_leaves = (0..rules.len()).filter(|&at| rules.is_leaf(at)).count();
    let weights = arrays.shaped("leaf.weight", Element::F32, &[n_leaves])?.as_chunks().0;
    let weights = || weights.iter().map(|bytes| f32::from_le_bytes(*bytes));
    if let Some(weight) = weights().find(|weight| !(weight.is_finite() && *weight >= 0.0)) {
        return damaged(format!("a leaf has the weight {weight}"));
    }
    let places = arrays.shaped("leaf.value", Element::U32, &[n_leaves])?.as_chunks().0;
    let n_values = arrays.length_of("leaf.values").unwrap_or(0);
    let values = arrays.shaped("leaf.values", Element::F64, &[n_values, width])?;
    let values: Vec<f64> = numbers(values).collect();
    for (at, value) in values.chunks_exact(width).enumerate() {
        proof::value(value, output, || format!("value {at}"))?;
    }
    let place = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes) as usize;
    if let Some(past) = places.iter().map(place).find(|&place| place >= n_values) {
        return damaged(format!("a leaf says value {past} of {n_values}"));
    }
    let mut trees = DeepTrees::new(schema, width);
    let columns = AllColumns::of(schema);
    let mut questions = rules.questions(schema);
    let (mut leaf, mut reach) = (0, 0.0);
    for tree in 0..offsets.len() {
        let steps = questions(offsets.stretch(tree));
        let n = steps.len().div_ceil(2);
        let walk = Walk::of_questions(&columns, steps.into_iter());
        let own = &places[leaf..leaf + n];
        let values: Vec<f64> =
            own.iter().flat_map(|p| &values[place(p) * width..][..width]).copied().collect();
        reach += values.iter().map(|x| x.abs()).fold(0.0, f64::max);
        trees.push(&DeepTree { walk, values, weights: weights().skip(leaf).take(n).collect() });
        leaf += n;
    }
    if reach == f64::INFINITY {
        return damaged("its trees add up to infinity");
    }
    trees.finish();
    Ok(trees)
}
