//! A sample: a table, its target, and a weight for each row.
//!
//! A resample is a weight vector. Bootstrap counts, boosting distributions, sub-samples and folds
//! are all weights over one immutable table; no method copies rows.

use std::sync::Arc;

use super::table::Table;
use super::target::Target;
use crate::error::{Error, Result};
use crate::exact_sum::ExactSum;

/// Real weights whose largest is beyond `2^64`, or below its inverse, are scaled: sums of them, and
/// products with numbers of rows, then stay within the range of doubles.
const USUAL: i32 = 64;
/// How many powers of two below the heaviest row the lightest that counts is put.
const LEAST_BITS: i32 = 64;

/// What a learner learns from.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// The features.
    pub table: &'a Table,
    /// What is to be predicted.
    pub target: &'a Target,
    /// How much each row counts.
    pub weights: &'a Weights,
    /// The group of each row, such as a patient or the query of a ranking. Whatever holds out rows
    /// holds out whole groups, so that no model is asked about a group that it was trained on.
    pub groups: Option<&'a [u32]>,
    /// Scores that a model adds to, a row's numbers together: an exposure, or another model.
    pub offset: Option<&'a [f64]>,
}

/// How much each row counts. A row of weight 0 is as good as absent.
#[derive(Debug, Clone, PartialEq)]
pub enum Weights {
    /// Every row once.
    Uniform,
    /// Row `i` stands there `counts[i]` times: limits on rows count it that often.
    Counts(Arc<[u32]>),
    /// Row `i` weighs `weights[i]`: limits on rows count it once.
    Real(Arc<[f64]>),
}

impl Weights {
    /// Real weights; each must be finite and at least 0, and one positive.
    ///
    /// Only what they are to each other matters, but for limits that are weights themselves
    /// (`min_leaf_weight`). Where the largest is above `2^64` or below its inverse, all are multiplied
    /// by the power of two that brings it to between one half and 1; none becomes 0 by that. A row that
    /// counts at all weighs at least `2^-64` of the heaviest: sums that hold both would lose less, and
    /// a leaf of such rows alone would weigh nothing.
    pub fn real(mut weights: Vec<f64>) -> Result<Weights> {
        if let Some(row) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
            return Err(Error::BadWeight { row: row + 1, value: weights[row] });
        }
        if !weights.is_empty() && weights.iter().all(|&w| w == 0.0) {
            return Err(Error::ZeroWeights(weights.len()));
        }
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let exponent = libm::frexp(largest).1;
        let shift = if exponent.abs() > USUAL { -exponent } else { 0 };
        let least = libm::ldexp(libm::ldexp(largest, shift), -LEAST_BITS);
        for weight in weights.iter_mut().filter(|weight| **weight > 0.0) {
            *weight = libm::ldexp(*weight, shift).max(least);
        }
        Ok(Weights::Real(weights.into()))
    }

    /// How often each row stands there; at least one must.
    pub fn counts(counts: Vec<u32>) -> Result<Weights> {
        if !counts.is_empty() && counts.iter().all(|&c| c == 0) {
            return Err(Error::ZeroWeights(counts.len()));
        }
        Ok(Weights::Counts(counts.into()))
    }

    /// The weight of one row.
    pub fn at(&self, row: usize) -> f64 {
        match self {
            Weights::Uniform => 1.0,
            Weights::Counts(counts) => f64::from(counts[row]),
            Weights::Real(weights) => weights[row],
        }
    }

    /// How often one row stands there, and what it weighs each time. Sums that are to be the same
    /// for a count and for that many rows multiply by the first as an integer: three times a number
    /// would be rounded.
    pub fn copies(&self, row: usize) -> (u32, f64) {
        match self {
            Weights::Counts(counts) => (counts[row], 1.0),
            Weights::Uniform | Weights::Real(_) => (1, self.at(row)),
        }
    }

    /// The rows `rows`, in that order.
    pub fn take(&self, rows: &[usize]) -> Weights {
        match self {
            Weights::Uniform => Weights::Uniform,
            Weights::Counts(counts) => Weights::Counts(rows.iter().map(|&r| counts[r]).collect()),
            Weights::Real(weights) => Weights::Real(rows.iter().map(|&r| weights[r]).collect()),
        }
    }

    /// The weights of some of `n_rows` rows alone, each as often as it is named.
    pub fn only(&self, rows: &[usize], n_rows: usize) -> Weights {
        match self {
            Weights::Real(weights) => {
                let mut inside = vec![0.0; n_rows];
                rows.iter().for_each(|&row| inside[row] = weights[row]);
                Weights::Real(inside.into())
            }
            Weights::Uniform | Weights::Counts(_) => {
                let mut counts = vec![0; n_rows];
                rows.iter().for_each(|&row| counts[row] += 1);
                Weights::Counts(counts.into())
            }
        }
    }

    /// The weights of `n_rows` rows without some, each taken away as often as it is named.
    pub fn without(&self, rows: &[usize], n_rows: usize) -> Weights {
        if rows.is_empty() {
            return self.clone();
        }
        match self {
            Weights::Real(weights) => {
                let mut weights = weights.to_vec();
                rows.iter().for_each(|&row| weights[row] = 0.0);
                Weights::Real(weights.into())
            }
            Weights::Uniform | Weights::Counts(_) => {
                let mut counts: Vec<u32> = (0..n_rows).map(|row| self.copies(row).0).collect();
                rows.iter().for_each(|&row| counts[row] -= 1);
                Weights::Counts(counts.into())
            }
        }
    }

    /// Rows, each as often as it stands there.
    pub fn spelled(&self, rows: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let copies = |row| std::iter::repeat_n(row, self.copies(row).0 as usize);
        rows.into_iter().flat_map(copies).collect()
    }

    /// How many rows the weights speak of; `None` for any number.
    pub fn n_rows(&self) -> Option<usize> {
        match self {
            Weights::Uniform => None,
            Weights::Counts(counts) => Some(counts.len()),
            Weights::Real(weights) => Some(weights.len()),
        }
    }
}

impl<'a> Sample<'a> {
    /// A sample whose parts have one length and at least one row and one column.
    pub fn new(table: &'a Table, target: &'a Target, weights: &'a Weights) -> Result<Sample<'a>> {
        let sample = Sample { table, target, weights, groups: None, offset: None };
        sample.check_lengths()?;
        Ok(sample)
    }

    /// The same rows in groups.
    pub fn with_groups(self, groups: Option<&'a [u32]>) -> Sample<'a> {
        Sample { groups, ..self }
    }

    /// The same rows with scores that a model adds to.
    pub fn with_offset(self, offset: Option<&'a [f64]>) -> Sample<'a> {
        Sample { offset, ..self }
    }

    /// The same rows under other weights.
    pub fn reweighted<'b>(&self, weights: &'b Weights) -> Sample<'b>
    where
        'a: 'b,
    {
        Sample { weights, ..*self }
    }

    /// The groups of some rows, in that order.
    pub fn take_groups(&self, rows: &[usize]) -> Option<Vec<u32>> {
        self.groups.map(|groups| rows.iter().map(|&row| groups[row]).collect())
    }

    /// The rows that are not absent.
    ///
    /// # Errors
    /// If all are.
    pub fn present_rows(&self) -> Result<Vec<usize>> {
        let rows = 0..self.n_rows();
        let present: Vec<usize> = rows.filter(|&row| self.weights.at(row) > 0.0).collect();
        if present.is_empty() { Err(Error::ZeroWeights(self.n_rows())) } else { Ok(present) }
    }

    /// What the rows that are not absent weigh on the mean.
    pub fn mean_weight(&self) -> f64 {
        let Weights::Real(weights) = self.weights else { return 1.0 };
        let unit = ExactSum::for_largest(weights.iter().copied().fold(0.0, f64::max));
        let n_present = weights.iter().filter(|weight| **weight > 0.0).count();
        unit.mean(weights.iter().map(|weight| unit.units(*weight)).sum(), n_present as f64)
    }

    /// The rows that are not in a bag drawn from this sample.
    pub fn rows_out_of(&self, bag: &Weights) -> Vec<u32> {
        let is_out = |row: usize| bag.at(row) == 0.0 && self.weights.at(row) > 0.0;
        (0..self.n_rows()).filter(|&row| is_out(row)).map(|row| row as u32).collect()
    }

    /// How many rows the table has.
    pub fn n_rows(&self) -> usize {
        self.table.n_rows()
    }

    /// Whether the parts belong together and there is something to predict; every learner asks this
    /// first. Several classes a row are refused, and an offset: few learners can take them.
    pub fn check(&self) -> Result<()> {
        self.check_targets()?;
        match self.target {
            Target::SeveralClasses(_) => Err(Error::SeveralClasses),
            _ => Ok(()),
        }
    }

    /// The same of a learner that takes any target, several classes a row too.
    pub fn check_targets(&self) -> Result<()> {
        self.check_rows()?;
        if self.target.is_none() { Err(Error::NoTarget) } else { Ok(()) }
    }

    /// The same of a learner that takes any target and whose scores may be added to an offset.
    pub fn check_all(&self) -> Result<()> {
        Sample { offset: None, ..*self }.check_targets()
    }

    /// The same of a learner that learns from rows alone.
    pub fn check_rows(&self) -> Result<()> {
        self.check_lengths()?;
        match self.offset {
            Some(_) => Err(Error::NotTaken { extra: "an offset" }),
            None => Ok(()),
        }
    }

    fn check_lengths(&self) -> Result<()> {
        let n_rows = self.table.n_rows();
        if self.table.n_columns() == 0 {
            return Err(Error::NoColumns);
        }
        if n_rows == 0 {
            return Err(Error::NoRows);
        }
        let length =
            |what: &str, found| Err(Error::Length { what: what.into(), found, expected: n_rows });
        if self.target.len() != n_rows {
            return length("target", self.target.len());
        }
        match (self.weights.n_rows(), self.groups) {
            (Some(found), _) if found != n_rows => length("weights", found),
            (_, Some(groups)) if groups.len() != n_rows => length("groups", groups.len()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::column::Column;
    use super::*;

    #[test]
    fn weights_of_any_size_are_of_usual_size_to_each_other() {
        let usual = [0.75, 0.5, 0.0, 3.0];
        for k in [-1070, -960, -300, 300, 900, 1020] {
            let Weights::Real(found) =
                Weights::real(usual.map(|w| libm::ldexp(w, k)).to_vec()).unwrap()
            else {
                panic!()
            };
            assert_eq!(found[..], usual.map(|w| w / 4.0), "{k}");
        }
        for k in [-60, 0, 60] {
            let as_given = usual.map(|w| libm::ldexp(w, k));
            let Weights::Real(found) = Weights::real(as_given.to_vec()).unwrap() else { panic!() };
            assert_eq!(found[..], as_given, "{k}");
        }
        let far = Weights::real(vec![1e-300, 0.0, 1e300]).unwrap();
        assert!(far.at(1) == 0.0 && far.at(2) <= 1.0);
        assert_eq!(far.at(0), libm::ldexp(far.at(2), -64));
        // Down to there weights are as they are given.
        let light = libm::ldexp(0.8, -63);
        assert_eq!(Weights::real(vec![1.0, light]).unwrap().at(1), light);
    }

    #[test]
    fn bad_weights_are_refused() {
        assert!(matches!(Weights::real(vec![1.0, -0.5]), Err(Error::BadWeight { row: 2, .. })));
        assert!(matches!(Weights::real(vec![f64::NAN]), Err(Error::BadWeight { row: 1, .. })));
        assert!(matches!(Weights::real(vec![0.0, 0.0]), Err(Error::ZeroWeights(2))));
        assert!(matches!(Weights::counts(vec![0]), Err(Error::ZeroWeights(1))));
    }

    #[test]
    fn lengths_must_agree() {
        let table = Table::new(vec![("x".into(), Column::numeric(vec![1.0, 2.0]))]).unwrap();
        let target = Target::from_names(&["a"]);
        let error = Sample::new(&table, &target, &Weights::Uniform).unwrap_err().to_string();
        assert_eq!(error, "`target` has 1 values but the table has 2 rows");
        let target = Target::none(1);
        assert!(Sample::new(&table, &target, &Weights::Uniform).is_err());
    }
}
