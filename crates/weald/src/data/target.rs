//! What is to be predicted.

use std::sync::Arc;

use crate::error::{Error, Result, check_unique, quoted};
use crate::parameter::out_of_range;

/// The target of each row.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// Classification.
    Classes(ClassLabels),
    /// Regression; every value finite.
    Numbers(Arc<[f64]>),
    /// Regression of several outputs at once; every value finite. No outputs are no target.
    Several(SeveralNumbers),
}

/// A class for each row.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassLabels {
    codes: Arc<[u32]>,
    classes: Arc<[String]>,
}

/// Several numbers for each row.
#[derive(Debug, Clone, PartialEq)]
pub struct SeveralNumbers {
    n_rows: usize,
    names: Arc<[String]>,
    /// A row's numbers together.
    values: Arc<[f64]>,
}

/// Whether classes or numbers are predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Classes.
    Classification,
    /// Numbers.
    Regression,
}

impl Task {
    /// The task in words.
    pub fn words(self) -> &'static str {
        match self {
            Task::Classification => "classification",
            Task::Regression => "regression",
        }
    }
}

impl Target {
    /// Nothing to predict, for methods that learn from rows alone: no outputs.
    pub fn none(n_rows: usize) -> Target {
        Target::Several(SeveralNumbers { n_rows, names: [].into(), values: [].into() })
    }

    /// Whether there is nothing to predict.
    pub fn is_none(&self) -> bool {
        matches!(self, Target::Several(several) if several.n_outputs() == 0)
    }

    /// Numbers to predict; all must be finite.
    pub fn numbers(values: Vec<f64>) -> Result<Target> {
        check_finite(&values)?;
        Ok(Target::Numbers(values.into()))
    }

    /// Several numbers to predict for each row: outputs of these names, each with a number for each
    /// row; all must be finite.
    pub fn several(names: Arc<[String]>, outputs: &[Vec<f64>]) -> Result<Target> {
        check_unique("target", &names)?;
        if names.is_empty() {
            return out_of_range("names", "an empty list", "the name of each output, at least one");
        }
        if outputs.len() != names.len() {
            return out_of_range("outputs", outputs.len(), "as many outputs as names");
        }
        let n_rows = outputs[0].len();
        for (name, values) in names.iter().zip(outputs) {
            if values.len() != n_rows {
                let what = format!("target {}", quoted(name));
                return Err(Error::Length { what, found: values.len(), expected: n_rows });
            }
            check_finite(values)?;
        }
        let row = |row: usize| outputs.iter().map(move |values| values[row]);
        let values = (0..n_rows).flat_map(row).collect();
        Ok(Target::Several(SeveralNumbers { n_rows, names, values }))
    }

    /// Class codes and the names of the codes.
    pub fn classes(codes: Vec<u32>, classes: Arc<[String]>) -> Result<Target> {
        check_unique("class", &classes)?;
        match codes.iter().position(|&c| c as usize >= classes.len()) {
            Some(row) => {
                Err(Error::BadClass { row: row + 1, code: codes[row], classes: classes.len() })
            }
            None => Ok(Target::Classes(ClassLabels { codes: codes.into(), classes })),
        }
    }

    /// Classes from their names, sorted.
    pub fn from_names<S: AsRef<str>>(names: &[S]) -> Target {
        let mut classes: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        classes.sort_unstable();
        classes.dedup();
        let code = |n: &S| classes.partition_point(|c| *c < n.as_ref()) as u32;
        let codes = names.iter().map(code).collect();
        let classes = classes.into_iter().map(String::from).collect();
        Target::Classes(ClassLabels { codes, classes })
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        match self {
            Target::Classes(labels) => labels.codes.len(),
            Target::Numbers(values) => values.len(),
            Target::Several(several) => several.n_rows(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether classes or numbers are predicted.
    pub fn task(&self) -> Task {
        match self {
            Target::Classes(_) => Task::Classification,
            Target::Numbers(_) | Target::Several(_) => Task::Regression,
        }
    }

    /// What it holds, in words.
    pub fn words(&self) -> &'static str {
        match self {
            Target::Classes(_) => "classes",
            Target::Numbers(_) => "numbers",
            Target::Several(several) if several.n_outputs() == 0 => "nothing",
            Target::Several(_) => "several numbers a row",
        }
    }

    /// The rows `rows`, in that order. The list of classes stays whole.
    pub fn take(&self, rows: &[usize]) -> Target {
        match self {
            Target::Classes(labels) => Target::Classes(ClassLabels {
                codes: rows.iter().map(|&r| labels.codes[r]).collect(),
                classes: labels.classes.clone(),
            }),
            Target::Numbers(values) => Target::Numbers(rows.iter().map(|&r| values[r]).collect()),
            Target::Several(several) => Target::Several(SeveralNumbers {
                n_rows: rows.len(),
                names: several.names.clone(),
                values: rows.iter().flat_map(|&row| several.row(row)).copied().collect(),
            }),
        }
    }
}

impl SeveralNumbers {
    /// The same with all numbers put through `f`.
    pub(super) fn scaled(&self, f: impl FnOnce(&[f64]) -> Arc<[f64]>) -> SeveralNumbers {
        SeveralNumbers { n_rows: self.n_rows, names: self.names.clone(), values: f(&self.values) }
    }

    /// The names of the outputs.
    pub fn names(&self) -> &Arc<[String]> {
        &self.names
    }

    /// How many outputs there are.
    pub fn n_outputs(&self) -> usize {
        self.names.len()
    }

    /// How many rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The numbers of one row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.n_outputs()..][..self.n_outputs()]
    }

    /// The numbers of one output.
    pub fn output(&self, output: usize) -> Vec<f64> {
        self.values.iter().skip(output).step_by(self.n_outputs()).copied().collect()
    }

    /// What an answer for one row is off by: the mean over outputs of the squared difference.
    pub fn squared_error(&self, row: usize, answer: impl Iterator<Item = f64>) -> f64 {
        let squares = self.row(row).iter().zip(answer).map(|(y, x)| (x - y) * (x - y));
        squares.sum::<f64>() / self.n_outputs() as f64
    }
}

impl ClassLabels {
    /// The class code of each row.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The names of the codes.
    pub fn classes(&self) -> &Arc<[String]> {
        &self.classes
    }

    /// How many classes there are.
    pub fn n_classes(&self) -> usize {
        self.classes.len()
    }
}

fn check_finite(values: &[f64]) -> Result<()> {
    let bad = |x: &f64| !x.is_finite();
    match values.iter().position(bad) {
        Some(row) => Err(Error::BadTarget {
            row: row + 1,
            value: values[row],
            more: values.iter().filter(|x| bad(x)).count() - 1,
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_outputs_are_checked_and_taken_row_by_row() {
        let names: Arc<[String]> = ["a".to_string(), "b".into()].into();
        let several = |outputs: &[Vec<f64>]| Target::several(names.clone(), outputs);
        let target = several(&[vec![1.0, 2.0, 3.0], vec![10.0, 20.0, 30.0]]).unwrap();
        assert_eq!((target.len(), target.task()), (3, Task::Regression));
        let Target::Several(rows) = target.take(&[2, 0]) else { panic!() };
        assert_eq!((rows.row(0), rows.output(1)), (&[3.0, 30.0][..], vec![30.0, 10.0]));
        assert_eq!(rows.squared_error(0, [3.0, 34.0].into_iter()), 8.0);
        let error = |outputs: &[Vec<f64>]| several(outputs).unwrap_err().to_string();
        assert!(error(&[vec![1.0], vec![f64::NAN]]).contains("NaN in row 1"));
        assert!(error(&[vec![1.0], vec![1.0, 2.0]]).contains("`target \"b\"` has 2 values"));
        assert!(error(&[vec![1.0]]).contains("as many outputs as names"));
        assert!(Target::several([].into(), &[]).is_err());
        let twice: Arc<[String]> = ["a".to_string(), "a".into()].into();
        assert!(Target::several(twice, &[vec![1.0], vec![1.0]]).is_err());
    }

    #[test]
    fn nothing_to_predict_has_rows_but_no_outputs() {
        let target = Target::none(5);
        assert!(target.is_none() && !Target::numbers(vec![0.0]).unwrap().is_none());
        assert_eq!((target.len(), target.take(&[4, 4]).len()), (5, 2));
        let Target::Several(rows) = &target else { panic!() };
        assert_eq!(rows.row(4), &[] as &[f64]);
    }

    #[test]
    fn infinite_targets_are_refused_with_place_and_count() {
        let error = Target::numbers(vec![1.0, f64::NAN, f64::INFINITY]).unwrap_err().to_string();
        assert!(error.contains("NaN in row 2") && error.contains("1 more"), "{error}");
    }

    #[test]
    fn classes_are_sorted_by_name() {
        let Target::Classes(labels) = Target::from_names(&["b", "a", "b"]) else { panic!() };
        assert_eq!(labels.codes(), [1, 0, 1]);
        assert_eq!(**labels.classes(), ["a", "b"]);
    }
}
