//! Calibrated models: the base as a container, and the map of its probabilities.

use std::sync::Arc;

use super::committee::{member_from_bytes, member_to_bytes};
use super::container::{ArrayWriter, Arrays, Element, numbers};
use super::damaged;
use crate::any::AnyModel;
use crate::combine::{
    Calibrated, Isotonic, ProbabilityMap, Sigmoid, Temperature, classes_with_curves,
};
use crate::data::Schema;
use crate::ensemble::Member;
use crate::error::ModelFileError;
use crate::model::{Model, Output};

/// Adds the arrays of a calibrated model.
pub(super) fn write(model: &Calibrated<AnyModel>, arrays: &mut ArrayWriter) {
    let schema = model.schema().clone();
    let base = Member { model: model.base.clone(), schema, columns: None };
    arrays.bytes("calibrated.base", member_to_bytes(&base, model.output()));
    let code = match &model.map {
        ProbabilityMap::Temperature(temperature) => {
            arrays.numbers("calibrated.temperature", &[1], [temperature.0].into_iter());
            0
        }
        ProbabilityMap::Sigmoid(curves) => {
            let values = curves.iter().flat_map(|curve| [curve.slope, curve.intercept]);
            arrays.numbers("calibrated.sigmoid", &[curves.len(), 2], values);
            1
        }
        ProbabilityMap::Isotonic(curves) => {
            let mut n_knots = 0;
            let mut end = |curve: &Isotonic| {
                n_knots += curve.knots.len();
                n_knots as u64
            };
            let ends: Vec<u64> = curves.iter().map(&mut end).collect();
            arrays.wholes("calibrated.ends", ends.into_iter());
            let knots = curves.iter().flat_map(|curve| &curve.knots).flat_map(|&(x, y)| [x, y]);
            arrays.numbers("calibrated.knots", &[n_knots, 2], knots);
            2
        }
    };
    arrays.bytes("calibrated.map", vec![code]);
}

/// Takes the arrays of a calibrated model that is within so many models, and proves them.
pub(super) fn read(
    arrays: &mut Arrays<'_>,
    (schema, output): (Arc<Schema>, Output),
    depth: usize,
) -> Result<Calibrated<AnyModel>, ModelFileError> {
    let Output::Probabilities { classes } = &output else {
        return damaged("probabilities are put right, but its output has none");
    };
    let n_curves = classes_with_curves(classes.len()).len();
    let map = match arrays.list("calibrated.map", Element::U8)? {
        [0] => ProbabilityMap::Temperature(read_temperature(arrays)?),
        [1] => ProbabilityMap::Sigmoid(read_sigmoids(arrays, n_curves)?),
        [2] => ProbabilityMap::Isotonic(read_curves(arrays, n_curves)?),
        codes => return damaged(format!("its map is {codes:?}")),
    };
    let bytes = arrays.list("calibrated.base", Element::U8)?;
    let base = member_from_bytes(bytes, &schema, &|_| output.clone(), depth + 1)?;
    match base.columns {
        Some(_) => damaged("its base has columns of its own"),
        None => Ok(Calibrated { base: base.model, map }),
    }
}

fn read_temperature(arrays: &mut Arrays<'_>) -> Result<Temperature, ModelFileError> {
    let found = arrays.shaped("calibrated.temperature", Element::F64, &[1])?;
    match numbers(found).next() {
        Some(t) if t.is_finite() && t > 0.0 => Ok(Temperature(t)),
        found => damaged(format!("its temperature is {found:?}")),
    }
}

fn read_sigmoids(arrays: &mut Arrays<'_>, n_curves: usize) -> Result<Vec<Sigmoid>, ModelFileError> {
    let values = arrays.shaped("calibrated.sigmoid", Element::F64, &[n_curves, 2])?;
    let values: Vec<f64> = numbers(values).collect();
    let sigmoid = |pair: &[f64]| match *pair {
        // Log odds are below 28 in size: such a product is finite too.
        [slope, intercept] if (0.0..1e300).contains(&slope) && intercept.abs() < 1e300 => {
            Ok(Sigmoid { slope, intercept })
        }
        _ => damaged(format!("a sigmoid has the slope and the intercept {pair:?}")),
    };
    values.chunks_exact(2).map(sigmoid).collect()
}

fn read_curves(arrays: &mut Arrays<'_>, n_curves: usize) -> Result<Vec<Isotonic>, ModelFileError> {
    let ends = arrays.list("calibrated.ends", Element::U64)?.as_chunks().0;
    let ends: Vec<u64> = ends.iter().map(|end| u64::from_le_bytes(*end)).collect();
    if ends.len() != n_curves {
        return damaged(format!("it has {} curves, expected {n_curves}", ends.len()));
    }
    let n_knots = arrays.length_of("calibrated.knots").unwrap_or(0);
    let knots = arrays.shaped("calibrated.knots", Element::F64, &[n_knots, 2])?;
    let knots: Vec<f64> = numbers(knots).collect();
    let mut curves = Vec::with_capacity(n_curves);
    let mut start = 0;
    for &end in &ends {
        let own = usize::try_from(end).ok().and_then(|end| knots.get(start..end.checked_mul(2)?));
        let Some(own) = own.filter(|own| !own.is_empty()) else {
            return damaged(format!("a curve ends with knot {end} of {}", knots.len() / 2));
        };
        start += own.len();
        let curve =
            Isotonic { knots: own.chunks_exact(2).map(|knot| (knot[0], knot[1])).collect() };
        if !is_sound(&curve) {
            return damaged("a curve of probabilities does not rise from above 0 to below 1");
        }
        curves.push(curve);
    }
    match start == knots.len() {
        true => Ok(curves),
        false => damaged(format!("{} knots follow the last curve", (knots.len() - start) / 2)),
    }
}

/// Whether scores rise, and what becomes of them never falls and is never certain.
fn is_sound(curve: &Isotonic) -> bool {
    let inside = |&(x, y): &(f64, f64)| (0.0..=1.0).contains(&x) && y > 0.0 && y < 1.0;
    let rises = |pair: &[(f64, f64)]| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1;
    curve.knots.iter().all(inside) && curve.knots.windows(2).all(rises)
}
