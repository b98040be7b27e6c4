//! Designs as flat arrays: how the columns of a model that is not a tree become numbers.

use super::container::{ArrayWriter, Arrays, Element, numbers};
use super::damaged;
use crate::base::design::{Coding, Design, NOWHERE, Standard};
use crate::data::{Field, FieldKind, Schema};
use crate::error::{ModelFileError, quoted};

/// The column has numbers that vary.
const STANDARD: u8 = 1;
/// The column has an indicator of missing values.
const MISSING: u8 = 2;

/// Adds the arrays of a design.
pub(super) fn write(design: &Design, arrays: &mut ArrayWriter) {
    let codings = design.codings();
    let standard = |coding: &Coding| match coding.standard() {
        Some(Standard { mean, deviation, low, high }) => [*mean, *deviation, *low, *high],
        None => [0.0; 4],
    };
    arrays.numbers("design.standard", &[codings.len(), 4], codings.iter().flat_map(standard));
    let flags = |coding: &Coding| {
        let standard = if coding.standard().is_some() { STANDARD } else { 0 };
        standard + if coding.has_missing() { MISSING } else { 0 }
    };
    arrays.bytes("design.flags", codings.iter().map(flags).collect());
    let levels = |coding: &Coding| match coding {
        Coding::Levels { at, .. } => at.clone(),
        Coding::Numbers { .. } => Vec::new(),
    };
    arrays.halves("design.levels", codings.iter().flat_map(levels));
}

/// Takes the arrays of a design of these columns, and proves them.
pub(super) fn read(arrays: &mut Arrays<'_>, schema: &Schema) -> Result<Design, ModelFileError> {
    let standards = arrays.shaped("design.standard", Element::F64, &[schema.len(), 4])?;
    let standards: Vec<f64> = numbers(standards).collect();
    let flags = arrays.shaped("design.flags", Element::U8, &[schema.len()])?;
    let n_levels = |field: &Field| match &field.kind {
        FieldKind::Numeric => 0,
        FieldKind::Categorical { levels } => levels.len(),
    };
    let n_all = schema.fields.iter().map(|field| n_levels(field)).sum();
    let mut places = arrays.shaped("design.levels", Element::U32, &[n_all])?.as_chunks::<4>().0;
    let mut codings = Vec::with_capacity(schema.len());
    for ((field, standard), &flags) in
        schema.fields.iter().zip(standards.chunks_exact(4)).zip(flags)
    {
        let name = || quoted(&field.name);
        let has_missing = flags & MISSING != 0;
        if flags > STANDARD + MISSING {
            return damaged(format!("the column {} has the flags {flags}", name()));
        }
        let (own, rest) = places.split_at(n_levels(field));
        places = rest;
        codings.push(match (&field.kind, flags & STANDARD != 0) {
            (FieldKind::Numeric, true) => match sound(standard) {
                Some(standard) => Coding::Numbers { standard: Some(standard), has_missing },
                None => {
                    return damaged(format!("the column {} is made alike by {standard:?}", name()));
                }
            },
            (FieldKind::Numeric, false) if standard == [0.0; 4] => {
                Coding::Numbers { standard: None, has_missing }
            }
            (FieldKind::Categorical { .. }, false) if standard == [0.0; 4] => {
                let own = own.iter().map(|bytes| u32::from_le_bytes(*bytes));
                let is_seen: Vec<bool> = own.clone().map(|at| at != NOWHERE).collect();
                let coding = Coding::levels(&is_seen, has_missing);
                if !matches!(&coding, Coding::Levels { at, .. } if at.iter().copied().eq(own)) {
                    return damaged(format!(
                        "the levels of the column {} are out of order",
                        name()
                    ));
                }
                coding
            }
            _ => return damaged(format!("the column {} is not read as its kind is", name())),
        });
    }
    Ok(Design::new(codings))
}

fn sound(numbers: &[f64]) -> Option<Standard> {
    let &[mean, deviation, low, high] = numbers else { return None };
    let is_sound = numbers.iter().all(|x| x.is_finite())
        && low < high
        && (low..=high).contains(&mean)
        && 0.5 * deviation > f64::MIN_POSITIVE;
    is_sound.then_some(Standard { mean, deviation, low, high })
}
