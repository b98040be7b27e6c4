//! An explicit list of hypotheses: to learn is to pick the one that errs least.
//!
//! The weak learner of the lectures' worked examples, where a person writes the hypotheses down.
//! Also the way to boost models that exist already: rules of experts, models of other samples. For
//! hypotheses that are to be found in the data, a stump or a tree is the better base.

use crate::data::{ClassLabels, Sample, Target};
use crate::error::{Error, Result};
use crate::exact_sum::ExactSum;
use crate::learner::Learner;
use crate::model::{Model, Output};
use crate::parameter::out_of_range;
use crate::run::Run;

/// Errors that differ by less than this share of the weight are equal: the first of them is taken.
const TIE: f64 = 1e-12;

/// Picks the hypothesis with the least weighted error, the first of equals.
#[derive(Debug, Clone, PartialEq)]
pub struct Hypotheses<M> {
    /// What there is to choose from.
    pub list: Vec<M>,
}

impl<M: Model> Hypotheses<M> {
    /// The weighted error of each hypothesis, as a share of the weight of all rows.
    pub fn errors(&self, sample: &Sample<'_>) -> Result<Vec<f64>> {
        sample.check()?;
        let labels = self.labels(sample)?;
        let n_rows = sample.n_rows();
        let weight = |row: usize| sample.weights.at(row);
        let exact = ExactSum::for_largest((0..n_rows).map(weight).fold(0.0, f64::max));
        let sum = |rows: &mut dyn Iterator<Item = usize>| -> i128 {
            rows.map(|row| exact.units(weight(row))).sum()
        };
        let total = match sum(&mut (0..n_rows)) {
            0 => return Err(Error::ZeroWeights(n_rows)),
            total => exact.value(total),
        };
        let error = |hypothesis: &M| {
            let says = hypothesis.scores(sample.table)?.classes();
            let wrong = sum(&mut (0..n_rows).filter(|&row| says[row] != labels.codes()[row]));
            Ok(exact.value(wrong) / total)
        };
        self.list.iter().map(error).collect()
    }

    /// Those with the least of such errors, in their order.
    pub fn best(errors: &[f64]) -> Vec<usize> {
        let least = errors.iter().copied().fold(f64::INFINITY, f64::min);
        (0..errors.len()).filter(|&at| errors[at] <= least + TIE).collect()
    }

    /// The classes of the rows; all hypotheses must say one of them.
    fn labels<'a>(&self, sample: &Sample<'a>) -> Result<&'a ClassLabels> {
        if self.list.is_empty() {
            return out_of_range("list", "empty", "at least one hypothesis");
        }
        let Target::Classes(labels) = sample.target else {
            return Err(Error::WrongTask {
                method: "a list of hypotheses".into(),
                expected: "classes",
                found: sample.target.words(),
                hint: "use a tree or a stump as the base, which predict numbers too",
            });
        };
        let says_them = |hypothesis: &M| matches!(hypothesis.output(), Output::Probabilities { classes } if classes == labels.classes());
        match self.list.iter().all(says_them) {
            true => Ok(labels),
            false => Err(Error::OtherTarget { of: "hypotheses" }),
        }
    }
}

impl<M: Model + Clone> Learner for Hypotheses<M> {
    type Model = M;

    fn fit(&self, sample: &Sample<'_>, _: &Run<'_>) -> Result<M> {
        let errors = self.errors(sample)?;
        let first = Self::best(&errors).first().copied().unwrap_or(0);
        Ok(self.list[first].clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::half_plane::HalfPlane;
    use super::*;
    use crate::data::{Column, Table, Weights};
    use crate::seed::Seed;

    /// Four points on a line, and all half-planes of them.
    fn line() -> (Table, Target) {
        let table = Table::new(vec![("x".into(), Column::numeric(vec![1.0, 2.0, 3.0, 4.0]))]);
        (table.unwrap(), Target::from_names(&["a", "b", "a", "b"]))
    }

    fn picked(list: &Hypotheses<HalfPlane>, sample: &Sample<'_>) -> (f64, usize) {
        let plane = list.fit(sample, &Run::quiet(Seed(1), 1).unwrap()).unwrap();
        (plane.cut(), plane.above())
    }

    #[test]
    fn the_least_weighted_error_is_picked_and_the_first_of_equals() {
        let (table, target) = line();
        let list = Hypotheses { list: HalfPlane::all(&table, &target).unwrap() };
        let even = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        // Above 1.5, 2.5, 3.5 the second class, each with its opposite.
        assert_eq!(list.errors(&even).unwrap(), [0.25, 0.75, 0.5, 0.5, 0.25, 0.75]);
        assert_eq!(Hypotheses::<HalfPlane>::best(&list.errors(&even).unwrap()), [0, 4]);
        assert_eq!(picked(&list, &even), (1.5, 1));
        let weights = Weights::real(vec![0.1, 0.1, 0.3, 0.1]).unwrap();
        assert_eq!(picked(&list, &even.reweighted(&weights)), (3.5, 1));
        let counts = Weights::counts(vec![0, 5, 1, 0]).unwrap();
        assert_eq!(list.errors(&even.reweighted(&counts)).unwrap()[0], 1.0 / 6.0);
    }

    #[test]
    fn errors_that_differ_by_rounding_are_equal() {
        let (table, target) = line();
        let list = Hypotheses { list: HalfPlane::all(&table, &target).unwrap() };
        let weights = Weights::real(vec![1.0, 1.0, 1.0 + 1e-15, 1.0]).unwrap();
        let sample = Sample::new(&table, &target, &weights).unwrap();
        assert_eq!(picked(&list, &sample), (1.5, 1));
        assert_eq!(Hypotheses::<HalfPlane>::best(&[0.3, 0.2 + 1e-13, 0.2, 0.2 + 1e-9]), [1, 2]);
    }

    #[test]
    fn an_empty_list_numbers_and_other_classes_are_refused() {
        let (table, target) = line();
        let run = Run::quiet(Seed(1), 1).unwrap();
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        let none: Hypotheses<HalfPlane> = Hypotheses { list: Vec::new() };
        assert!(
            matches!(none.fit(&sample, &run), Err(Error::Parameter { name, .. }) if name == "list")
        );
        let list = Hypotheses { list: HalfPlane::all(&table, &target).unwrap() };
        let numbers = Target::numbers(vec![1.0; 4]).unwrap();
        let wrong = list.fit(&Sample { target: &numbers, ..sample }, &run);
        assert!(matches!(wrong, Err(Error::WrongTask { expected: "classes", .. })));
        let others = Target::from_names(&["a", "c", "a", "c"]);
        let wrong = list.fit(&Sample { target: &others, ..sample }, &run);
        assert_eq!(wrong, Err(Error::OtherTarget { of: "hypotheses" }));
        let nothing = Weights::Counts([0; 4].into());
        let wrong = list.errors(&Sample { weights: &nothing, ..sample });
        assert_eq!(wrong, Err(Error::ZeroWeights(4)));
    }
}
