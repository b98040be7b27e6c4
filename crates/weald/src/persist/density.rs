//! Densities as flat arrays.

use std::sync::Arc;

use super::container::{ArrayWriter, Arrays, Element, numbers};
use super::damaged;
use super::forest::{read_trees, write_trees};
use crate::data::{FieldKind, Schema};
use crate::error::ModelFileError;
use crate::forest::density::{Chosen, ColumnMeasure, DensityModel, Measure, Reach};
use crate::model::Output;
use crate::predict::DeepTrees;

/// Adds the arrays of a density.
pub(super) fn write(model: &DensityModel, arrays: &mut ArrayWriter) {
    let reach = |column: &ColumnMeasure| match column {
        ColumnMeasure::Numbers(Reach { low, high, left, right }) => [*low, *high, *left, *right],
        ColumnMeasure::Levels(_) => [0.0; 4],
    };
    let columns = &model.measure.columns;
    arrays.numbers("measure.reach", &[columns.len(), 4], columns.iter().flat_map(reach));
    arrays.numbers("density.threshold", &[1], [model.threshold].into_iter());
    if let Some(likelihood) = model.chosen.out_of_bag {
        arrays.numbers("density.out_of_bag", &[1], [likelihood].into_iter());
    }
    let rows = model.chosen.min_split_rows as u64;
    arrays.wholes("density.min_split_rows", [rows].into_iter());
    write_trees(&model.trees, arrays);
    if let Some(depths) = &model.depths {
        let mut own = ArrayWriter::default();
        write_trees(depths, &mut own);
        arrays.bytes("density.depths", own.finish("depths"));
    }
}

/// Takes the arrays of a density, and proves them.
pub(super) fn read(
    arrays: &mut Arrays<'_>,
    schema: Arc<Schema>,
    output: &Output,
) -> Result<DensityModel, ModelFileError> {
    if *output != Output::LogDensity {
        return damaged("a density says nothing but how dense rows lie");
    }
    let measure = read_measure(arrays, &schema)?;
    let threshold = one(arrays, "density.threshold")?;
    let out_of_bag = match arrays.has("density.out_of_bag") {
        true => Some(one(arrays, "density.out_of_bag")?),
        false => None,
    };
    let rows = arrays.shaped("density.min_split_rows", Element::U64, &[1])?;
    let rows = rows.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let min_split_rows = usize::try_from(rows).unwrap_or(usize::MAX);
    let trees = trees(arrays, &schema)?;
    let depths = match arrays.has("density.depths") {
        true => {
            let mut own = Arrays::open(arrays.list("density.depths", Element::U8)?)?;
            own.take_document();
            let depths = self::trees(&mut own, &schema)?;
            own.finish()?;
            Some(depths)
        }
        false => None,
    };
    let chosen = Chosen { min_split_rows, out_of_bag };
    let mut model = DensityModel::new(trees, measure, schema, chosen, depths);
    model.threshold = threshold;
    Ok(model)
}

/// Trees whose leaves say what is not below 0: a density or a depth.
fn trees(arrays: &mut Arrays<'_>, schema: &Schema) -> Result<DeepTrees, ModelFileError> {
    let trees = read_trees(arrays, schema, &Output::Value)?;
    match trees.values().iter().find(|value| **value < 0.0) {
        Some(value) => damaged(format!("a leaf of a density says {value}")),
        None => Ok(trees),
    }
}

fn one(arrays: &mut Arrays<'_>, name: &str) -> Result<f64, ModelFileError> {
    let number = numbers(arrays.shaped(name, Element::F64, &[1])?).next().unwrap_or(f64::NAN);
    if number.is_nan() { damaged(format!("{name} is NaN")) } else { Ok(number) }
}

fn read_measure(arrays: &mut Arrays<'_>, schema: &Schema) -> Result<Measure, ModelFileError> {
    let reaches = arrays.shaped("measure.reach", Element::F64, &[schema.len(), 4])?;
    let reaches: Vec<f64> = numbers(reaches).collect();
    let column = |(at, reach): (usize, &[f64])| match (&schema.fields[at].kind, reach) {
        (FieldKind::Categorical { levels }, _) => Ok(ColumnMeasure::Levels(levels.len())),
        (FieldKind::Numeric, &[low, high, left, right])
            if low <= high
                && [low, high, left, right].iter().all(|x| x.is_finite())
                && left > 0.0
                && right > 0.0 =>
        {
            Ok(ColumnMeasure::Numbers(Reach { low, high, left, right }))
        }
        (FieldKind::Numeric, reach) => damaged(format!("column {at} reaches from {reach:?}")),
    };
    let columns = reaches.chunks_exact(4).enumerate().map(column).collect::<Result<_, _>>()?;
    Ok(Measure { columns })
}
