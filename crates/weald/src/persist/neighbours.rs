//! Nearest neighbours as flat arrays: the training rows.

use std::sync::Arc;

use super::container::{ArrayWriter, Arrays, Element, numbers};
use super::{damaged, design};
use crate::base::design::{DesignRows, NOWHERE};
use crate::base::nearest_neighbours::NeighboursModel;
use crate::base::neighbours::Neighbours;
use crate::data::Schema;
use crate::error::ModelFileError;
use crate::model::Output;

/// How far from the mean a number may be, in deviations.
const FARTHEST: f64 = 1e12;

/// Adds the arrays of nearest neighbours.
pub(super) fn write(model: &NeighboursModel, arrays: &mut ArrayWriter) {
    let rows = model.neighbours.rows();
    design::write(rows.design(), arrays);
    let n_rows = rows.n_rows();
    let numbers = (0..n_rows).flat_map(|row| rows.numbers(row)).copied();
    arrays.wholes("neighbours.k", [model.k as u64].into_iter());
    arrays.numbers("row.numbers", &[n_rows, rows.design().n_numbers()], numbers);
    arrays.numbers("row.weight", &[n_rows], model.weights.iter().copied());
    let width = NeighboursModel::n_targets(&model.output);
    arrays.numbers("row.targets", &[n_rows, width], model.targets.iter().copied());
    arrays.halves("row.copies", model.neighbours.copies().iter().copied());
    arrays.halves("row.indicators", (0..n_rows).flat_map(|row| rows.slots(row)).copied());
}

/// Takes the arrays of nearest neighbours, and proves them.
pub(super) fn read(
    arrays: &mut Arrays<'_>,
    (schema, output): (Arc<Schema>, Output),
) -> Result<NeighboursModel, ModelFileError> {
    let width = match &output {
        Output::Probabilities { .. } | Output::Value | Output::Values { .. } => {
            NeighboursModel::n_targets(&output)
        }
        _ => return damaged("neighbours say nothing but classes or numbers"),
    };
    let design = Arc::new(design::read(arrays, &schema)?);
    let k = arrays.shaped("neighbours.k", Element::U64, &[1])?;
    let k = k.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let n_rows = arrays.length_of("row.weight").unwrap_or(0);
    let k = match usize::try_from(k) {
        Ok(k) if k > 0 && n_rows > 0 => k,
        _ => return damaged(format!("{k} of {n_rows} rows answer")),
    };
    let mut table = |name: &str, shape: &[usize], is_sound: &dyn Fn(f64) -> bool| {
        let values: Vec<f64> = numbers(arrays.shaped(name, Element::F64, shape)?).collect();
        match values.iter().find(|x| !is_sound(**x)) {
            Some(bad) => damaged(format!("the array {name} has {bad}")),
            None => Ok(values),
        }
    };
    let of_rows = table("row.numbers", &[n_rows, design.n_numbers()], &|x| x.abs() <= FARTHEST)?;
    let weights = table("row.weight", &[n_rows], &|x| x.is_finite() && x > 0.0)?;
    let is_target = |x: f64| match &output {
        Output::Probabilities { classes } => {
            x >= 0.0 && x < classes.len() as f64 && x.fract() == 0.0
        }
        _ => x.is_finite(),
    };
    let targets = table("row.targets", &[n_rows, width], &is_target)?;
    let copies = halves(arrays.shaped("row.copies", Element::U32, &[n_rows])?);
    if copies.contains(&0) {
        return damaged("a row stands there 0 times");
    }
    let n_slots = n_rows.saturating_mul(design.n_slots());
    let slots = halves(arrays.shaped("row.indicators", Element::U32, &[n_slots])?);
    let is_one = |slot: u32| slot == NOWHERE || (slot as usize) < design.n_indicators();
    if let Some(slot) = slots.iter().find(|slot| !is_one(**slot)) {
        return damaged(format!("a row has the indicator {slot}"));
    }
    let rows = DesignRows::new(design, of_rows, slots, n_rows);
    let neighbours = Neighbours::new(rows, copies);
    Ok(NeighboursModel { k, neighbours, weights, targets, schema, output })
}

fn halves(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}
