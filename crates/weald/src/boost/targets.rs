//! The targets of a table as a loss sees them, without a copy that lasts.

use std::borrow::Cow;
use std::ops::Range;

use smallvec::SmallVec;

use crate::data::Target;
use crate::loss::Loss;

/// Numbers, or the codes of classes, which become numbers where they are looked at.
#[derive(Debug, Clone, Copy)]
pub enum Targets<'a> {
    /// Numbers.
    Numbers(&'a [f64]),
    /// Codes of classes.
    Classes(&'a [u32]),
    /// So many numbers a row.
    Several(&'a [f64], usize),
    /// So many codes a row.
    SeveralClasses(&'a [u32], usize),
}

impl<'a> Targets<'a> {
    /// The numbers or classes of a target.
    pub fn of(target: &'a Target) -> Targets<'a> {
        match target {
            Target::Classes(labels) => Targets::Classes(labels.codes()),
            Target::Numbers(values) => Targets::Numbers(values),
            Target::Several(several) => Targets::Several(several.values(), several.n_outputs()),
            Target::SeveralClasses(several) => {
                Targets::SeveralClasses(several.codes(), several.n_outputs())
            }
        }
    }

    /// How many targets a row has.
    pub fn per_row(&self) -> usize {
        match self {
            Targets::Numbers(_) | Targets::Classes(_) => 1,
            Targets::Several(_, n) | Targets::SeveralClasses(_, n) => *n,
        }
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        match self {
            Targets::Numbers(values) => values.len(),
            Targets::Classes(codes) => codes.len(),
            Targets::Several(values, n) => values.len() / n,
            Targets::SeveralClasses(codes, n) => codes.len() / n,
        }
    }

    /// The first target of one row, which most have alone.
    pub fn at(&self, row: usize) -> f64 {
        self.one(row, 0)
    }

    /// A target of one row.
    pub fn one(&self, row: usize, target: usize) -> f64 {
        match self {
            Targets::Numbers(values) => values[row],
            Targets::Classes(codes) => f64::from(codes[row]),
            Targets::Several(values, n) => values[row * n + target],
            Targets::SeveralClasses(codes, n) => f64::from(codes[row * n + target]),
        }
    }

    /// The loss of one row with these scores.
    pub fn loss(&self, loss: &dyn Loss, row: usize, scores: &[f64]) -> f64 {
        match self.per_row() {
            1 => loss.loss(self.at(row), scores),
            n => {
                let targets: SmallVec<[f64; 8]> = (0..n).map(|at| self.one(row, at)).collect();
                loss.loss_of(&targets, scores)
            }
        }
    }

    /// Those of some rows, for which there is `room`.
    pub fn some<'b>(&'b self, rows: Range<usize>, room: &'b mut [f64]) -> &'b [f64] {
        let n = self.per_row();
        let places = rows.start * n..rows.end * n;
        match self {
            Targets::Numbers(values) | Targets::Several(values, _) => &values[places],
            Targets::Classes(codes) | Targets::SeveralClasses(codes, _) => {
                let room = &mut room[..places.len()];
                room.iter_mut().zip(&codes[places]).for_each(|(y, &code)| *y = f64::from(code));
                room
            }
        }
    }

    /// Those of all rows.
    pub fn all(&self) -> Cow<'a, [f64]> {
        match self {
            Targets::Numbers(values) | Targets::Several(values, _) => Cow::Borrowed(values),
            Targets::Classes(codes) | Targets::SeveralClasses(codes, _) => {
                codes.iter().map(|&code| f64::from(code)).collect()
            }
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

    #[test]
    fn several_targets_stand_together() {
        let (codes, numbers) = ([2, 0, 1, 5], [2.0, 0.0, 1.0, 5.0]);
        for targets in [Targets::SeveralClasses(&codes, 2), Targets::Several(&numbers, 2)] {
            assert_eq!((targets.len(), targets.at(1), targets.one(1, 1)), (2, 1.0, 5.0));
            assert_eq!(targets.some(1..2, &mut [0.0; 4]), [1.0, 5.0]);
            assert_eq!(*targets.all(), numbers);
        }
    }
}
