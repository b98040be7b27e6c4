//! Out-of-bag predictions: what the members that have not seen a row say of it (Breiman 1996).
//!
//! A bootstrap leaves about 37 % of the rows out, so every member is honest about those, and a
//! committee is tested while it is trained, for free. A row counts as soon as one member has not
//! seen it; how many rows have no such member is told with the error.

use serde_json::{Value, json};

use super::enough::{Judged, brier_score};
use crate::data::{Rescaled, Sample, Target, Weights, multiply};
use crate::scores::{Scores, argmax};

/// The out-of-bag predictions of members, which are added in their order.
#[derive(Debug, Clone)]
pub struct OutOfBag {
    /// The targets, of usual size: divided by `2^exponent`, as answers are before they are judged.
    target: Target,
    exponent: i32,
    weights: Weights,
    sums: Scores,
    n_members: Vec<u32>,
    /// Whether each row's prediction is wrong, or how wrong for a target of usual size; `NaN` without
    /// one.
    errors: Vec<f64>,
    /// What tells whether members are enough, if anyone wants to know.
    judged: Option<Judged>,
    curve: Vec<OutOfBagError>,
}

/// How good the out-of-bag predictions are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutOfBagError {
    /// The share of rows that get the wrong class, or the mean squared error, over all outputs if
    /// there are several; `NaN` if no row has a prediction. Rows count by their weight.
    pub error: f64,
    /// The mean squared error, of class shares the Brier score, of rows that have no equal: what tells
    /// whether members are enough, as it also changes where no class does; of targets of usual size.
    /// `NaN` if there are no such rows, or nobody wants to know.
    pub loss: f64,
    /// Rows without a prediction: every member has seen them.
    pub n_without: usize,
}

/// The out-of-bag error of the first member, of the first two, and so on.
#[derive(Debug, Clone, PartialEq)]
pub struct OutOfBagCurve {
    /// Error rates, or mean squared errors; `NaN` where no row had a prediction yet.
    pub errors: Vec<f64>,
    /// Rows that are in the bag of every member: the last error does not speak of them.
    pub n_without: usize,
}

impl OutOfBagCurve {
    /// The curve for documents; errors of no rows are null.
    pub fn as_json(&self) -> Value {
        json!({
            "error": self.error(),
            "rows_in_every_bag": self.n_without,
            "curve": self.errors,
        })
    }

    /// The errors after each member.
    pub fn of(curve: &[OutOfBagError]) -> Option<OutOfBagCurve> {
        let last = curve.last()?;
        let errors = curve.iter().map(|point| point.error).collect();
        Some(OutOfBagCurve { errors, n_without: last.n_without })
    }

    /// The error of all members together.
    pub fn error(&self) -> f64 {
        self.errors.last().copied().unwrap_or(f64::NAN)
    }
}

impl OutOfBag {
    /// No members yet, with answers of `width` numbers.
    pub fn new(sample: &Sample<'_>, width: usize) -> OutOfBag {
        let n_rows = sample.n_rows();
        let Rescaled { target, exponent } = Rescaled::of(sample)
            .unwrap_or_else(|| Rescaled { target: sample.target.clone(), exponent: 0 });
        OutOfBag {
            target,
            exponent,
            weights: sample.weights.clone(),
            sums: Scores::zeros(n_rows, width),
            n_members: vec![0; n_rows],
            errors: vec![f64::NAN; n_rows],
            judged: None,
            curve: Vec::new(),
        }
    }

    /// The same, which also tells whether members are enough.
    pub fn judging(self, sample: &Sample<'_>) -> OutOfBag {
        OutOfBag { judged: Some(Judged::new(sample)), ..self }
    }

    /// Adds what one member says of the rows that it has not seen.
    pub fn add<'a>(&mut self, rows: &[u32], answers: impl Iterator<Item = &'a [f64]>) {
        for (&row, answer) in rows.iter().zip(answers) {
            let row = row as usize;
            let sums = self.sums.row_mut(row);
            sums.iter_mut().zip(answer).for_each(|(sum, x)| *sum += x);
            self.n_members[row] += 1;
            let n = f64::from(self.n_members[row]);
            let usual = |sum: &f64| libm::ldexp(sum / n, -self.exponent);
            self.errors[row] = match &self.target {
                Target::Classes(labels) => {
                    f64::from(u8::from(argmax(sums) != labels.codes()[row] as usize))
                }
                Target::Numbers(values) => (usual(&sums[0]) - values[row]).powi(2),
                Target::Several(several) => several.squared_error(row, sums.iter().map(usual)),
                Target::SeveralClasses(several) => several
                    .mean_loss(row, sums, |sums, code| f64::from(u8::from(argmax(sums) != code))),
            };
            if let Some(judged) = &mut self.judged {
                let loss = match &self.target {
                    Target::Classes(labels) => brier_score(sums, n, labels.codes()[row] as usize),
                    Target::SeveralClasses(several) => {
                        several.mean_loss(row, sums, |sums, code| brier_score(sums, n, code))
                    }
                    Target::Numbers(_) | Target::Several(_) => self.errors[row],
                };
                judged.tell(row, loss);
            }
        }
        let measured = self.measure();
        self.curve.push(measured);
    }

    /// The error of all members so far. Rows of weight 0 are absent.
    fn measure(&mut self) -> OutOfBagError {
        let (mut sum, mut total, mut n_without) = (0.0, 0.0, 0);
        for (row, &error) in self.errors.iter().enumerate() {
            let weight = self.weights.at(row);
            if weight > 0.0 && error.is_nan() {
                n_without += 1;
            } else if weight > 0.0 {
                sum += weight * error;
                total += weight;
            }
        }
        let loss = self.judged.as_mut().map_or(f64::NAN, Judged::mean);
        let error = libm::ldexp(sum / total, 2 * self.exponent);
        OutOfBagError { error, loss, n_without }
    }

    /// The same of answers and targets that are multiplied by a power of two.
    pub fn multiplied(mut self, exponent: i32) -> OutOfBag {
        multiply(self.sums.values_mut(), exponent);
        self.exponent += exponent;
        let errors = self.curve.iter_mut().map(|point| &mut point.error);
        errors.for_each(|error| *error = libm::ldexp(*error, 2 * exponent));
        self
    }

    /// The error after each member.
    pub fn curve(&self) -> &[OutOfBagError] {
        &self.curve
    }

    /// The error of all members together; `None` without members.
    pub fn error(&self) -> Option<OutOfBagError> {
        self.curve.last().copied()
    }

    /// How many members have not seen each row.
    pub fn n_members(&self) -> &[u32] {
        &self.n_members
    }

    /// The mean answer for each row; `NaN` where every member has seen the row.
    pub fn predictions(&self) -> Scores {
        let mut mean = self.sums.clone();
        for (row, &n) in mean.rows_mut().zip(&self.n_members) {
            row.iter_mut().for_each(|x| *x = if n > 0 { *x / f64::from(n) } else { f64::NAN });
        }
        mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Table};

    #[test]
    fn the_denominator_is_the_rows_with_a_prediction() {
        let x = vec![0.0, 1.0, 2.0, 3.0];
        let table = Table::new(vec![("x".into(), Column::numeric(x))]).unwrap();
        let target = Target::from_names(&["a", "b", "a", "b"]);
        let weights = Weights::counts(vec![1, 2, 1, 0]).unwrap();
        let sample = Sample::new(&table, &target, &weights).unwrap();
        let mut oob = OutOfBag::new(&sample, 2).judging(&sample);
        assert_eq!(oob.error(), None);
        let (a, b) = ([1.0, 0.0], [0.0, 1.0]);
        oob.add(&[0, 1], [&a[..], &a].into_iter());
        // Row 1 is wrong and counts twice; row 2 has no prediction; row 3 is absent.
        // What tells whether members are enough is row 0, which stands there once.
        assert_eq!(oob.error(), Some(OutOfBagError { error: 2.0 / 3.0, loss: 0.0, n_without: 1 }));
        oob.add(&[1, 2], [&b[..], &b].into_iter());
        // Row 1 is a tie now, which goes to the lowest class.
        assert_eq!(oob.error(), Some(OutOfBagError { error: 3.0 / 4.0, loss: 1.0, n_without: 0 }));
        oob.add(&[1], [&b[..]].into_iter());
        assert_eq!(oob.curve().len(), 3);
        assert_eq!(oob.error(), Some(OutOfBagError { error: 1.0 / 4.0, loss: 1.0, n_without: 0 }));
        assert_eq!(oob.n_members(), [1, 3, 1, 0]);
        let predictions = oob.predictions();
        assert_eq!(predictions.row(1), [1.0 / 3.0, 2.0 / 3.0]);
        assert!(predictions.row(3)[0].is_nan());
    }

    #[test]
    fn numbers_are_averaged_before_they_are_squared() {
        let table = Table::new(vec![("x".into(), Column::numeric(vec![0.0; 2]))]).unwrap();
        let target = Target::numbers(vec![1.0, 5.0]).unwrap();
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        let mut oob = OutOfBag::new(&sample, 1).judging(&sample);
        oob.add(&[0], [&[0.0][..]].into_iter());
        oob.add(&[0], [&[4.0][..]].into_iter());
        assert_eq!(oob.error(), Some(OutOfBagError { error: 1.0, loss: 1.0, n_without: 1 }));
        oob.add(&[], [].into_iter());
        assert_eq!(oob.curve()[0].error, 1.0);
        assert_eq!(oob.curve().len(), 3);
    }
}
