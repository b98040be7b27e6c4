//! The targets of a table as a loss sees them, without a copy that lasts.

use std::borrow::Cow;
use std::ops::Range;

use crate::data::Target;
use crate::error::{Error, Result};

/// Numbers, or the codes of classes, which become numbers where they are looked at.
#[derive(Debug, Clone, Copy)]
pub enum Targets<'a> {
    /// Numbers.
    Numbers(&'a [f64]),
    /// Codes of classes.
    Classes(&'a [u32]),
}

impl<'a> Targets<'a> {
    /// The numbers or classes of a target; a loss takes one a row.
    pub fn of(target: &'a Target) -> Result<Targets<'a>> {
        match target {
            Target::Classes(labels) => Ok(Targets::Classes(labels.codes())),
            Target::Numbers(values) => Ok(Targets::Numbers(values)),
            Target::Several(_) => Err(Error::WrongTask {
                method: "gradient-boosting".into(),
                expected: "one number or class a row",
                found: target.words(),
                hint: "use random-forest, extra-trees or decision-tree, alone or bagged",
            }),
        }
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        match self {
            Targets::Numbers(values) => values.len(),
            Targets::Classes(codes) => codes.len(),
        }
    }

    /// The target of one row.
    pub fn at(&self, row: usize) -> f64 {
        match self {
            Targets::Numbers(values) => values[row],
            Targets::Classes(codes) => f64::from(codes[row]),
        }
    }

    /// Those of some rows, for which there is `room`.
    pub fn some<'b>(&'b self, rows: Range<usize>, room: &'b mut [f64]) -> &'b [f64] {
        match self {
            Targets::Numbers(values) => &values[rows],
            Targets::Classes(codes) => {
                let room = &mut room[..rows.len()];
                room.iter_mut().zip(&codes[rows]).for_each(|(y, &code)| *y = f64::from(code));
                room
            }
        }
    }

    /// Those of all rows.
    pub fn all(&self) -> Cow<'a, [f64]> {
        match self {
            Targets::Numbers(values) => Cow::Borrowed(values),
            Targets::Classes(codes) => codes.iter().map(|&code| f64::from(code)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_their_codes() {
        let (codes, numbers) = ([2, 0, 1], [2.0, 0.0, 1.0]);
        for targets in [Targets::Classes(&codes), Targets::Numbers(&numbers)] {
            assert_eq!((targets.len(), targets.at(2)), (3, 1.0));
            assert_eq!(targets.some(1..3, &mut [0.0; 4]), [0.0, 1.0]);
            assert_eq!(*targets.all(), numbers);
        }
    }
}
