//! What is to be predicted.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

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
    /// Classification of several outputs at once, each with classes of its own.
    SeveralClasses(SeveralLabels),
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

/// A class of each of several outputs for each row.
#[derive(Debug, Clone, PartialEq)]
pub struct SeveralLabels {
    n_rows: usize,
    outputs: Arc<[ClassList]>,
    /// A row's codes together.
    codes: Arc<[u32]>,
}

/// What one of several outputs is called, and its classes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassList {
    /// What the output is called.
    pub name: String,
    /// Its classes, in code order.
    pub classes: Arc<[String]>,
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

    /// Several classes to predict for each row: outputs of these names, each with a class for each row.
    pub fn several_classes(names: &[String], outputs: &[ClassLabels]) -> Result<Target> {
        check_unique("target", names)?;
        if names.is_empty() {
            return out_of_range("names", "an empty list", "the name of each output, at least one");
        }
        if outputs.len() != names.len() {
            return out_of_range("outputs", outputs.len(), "as many outputs as names");
        }
        let n_rows = outputs[0].codes.len();
        for (name, labels) in names.iter().zip(outputs) {
            if labels.codes.len() != n_rows {
                let what = format!("target {}", quoted(name));
                return Err(Error::Length { what, found: labels.codes.len(), expected: n_rows });
            }
        }
        let list = |(name, labels): (&String, &ClassLabels)| ClassList {
            name: name.clone(),
            classes: labels.classes.clone(),
        };
        let row = |row: usize| outputs.iter().map(move |labels| labels.codes[row]);
        Ok(Target::SeveralClasses(SeveralLabels {
            n_rows,
            outputs: names.iter().zip(outputs).map(list).collect(),
            codes: (0..n_rows).flat_map(row).collect(),
        }))
    }

    /// Class codes and the names of the codes.
    pub fn classes(codes: Vec<u32>, classes: Arc<[String]>) -> Result<Target> {
        ClassLabels::new(codes, classes).map(Target::Classes)
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
            Target::SeveralClasses(several) => several.n_rows(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether classes or numbers are predicted.
    pub fn task(&self) -> Task {
        match self {
            Target::Classes(_) | Target::SeveralClasses(_) => Task::Classification,
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
            Target::SeveralClasses(_) => "several classes a row",
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
            Target::SeveralClasses(several) => Target::SeveralClasses(SeveralLabels {
                n_rows: rows.len(),
                outputs: several.outputs.clone(),
                codes: rows.iter().flat_map(|&row| several.row(row)).copied().collect(),
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

    /// The numbers of all rows, those of a row together.
    pub fn values(&self) -> &[f64] {
        &self.values
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

impl SeveralLabels {
    /// What the outputs are called, and their classes.
    pub fn outputs(&self) -> &Arc<[ClassList]> {
        &self.outputs
    }

    /// How many outputs there are.
    pub fn n_outputs(&self) -> usize {
        self.outputs.len()
    }

    /// How many rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// How many classes all outputs have together.
    pub fn n_classes(&self) -> usize {
        ClassList::width(&self.outputs)
    }

    /// The class codes of all rows, those of a row together.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The class codes of one row.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.codes[row * self.n_outputs()..][..self.n_outputs()]
    }

    /// The places of a row's classes, if all outputs' classes stand one after the other.
    pub fn places(&self, row: usize) -> impl Iterator<Item = usize> {
        let starts = ClassList::segments(&self.outputs).map(|segment| segment.start);
        starts.zip(self.row(row)).map(|(start, &code)| start + code as usize)
    }

    /// One output alone.
    pub fn output(&self, output: usize) -> ClassLabels {
        ClassLabels {
            codes: self.codes.iter().skip(output).step_by(self.n_outputs()).copied().collect(),
            classes: self.outputs[output].classes.clone(),
        }
    }

    /// What an answer for one row is off by: the mean over outputs of what `loss` says of their
    /// shares and the code of the true class.
    pub fn mean_loss(
        &self,
        row: usize,
        answer: &[f64],
        loss: impl Fn(&[f64], usize) -> f64,
    ) -> f64 {
        let segments = ClassList::segments(&self.outputs);
        let losses =
            segments.zip(self.row(row)).map(|(of, &code)| loss(&answer[of], code as usize));
        losses.sum::<f64>() / self.n_outputs() as f64
    }
}

impl ClassList {
    /// How many classes these outputs have together.
    pub fn width(outputs: &[ClassList]) -> usize {
        outputs.iter().map(|output| output.classes.len()).sum()
    }

    /// Where the classes of each output stand, if those of all stand one after the other.
    pub fn segments(outputs: &[ClassList]) -> impl Iterator<Item = Range<usize>> {
        outputs.iter().scan(0, |start, output| {
            let segment = *start..*start + output.classes.len();
            *start = segment.end;
            Some(segment)
        })
    }
}

impl ClassLabels {
    /// Class codes and the names of the codes.
    pub fn new(codes: Vec<u32>, classes: Arc<[String]>) -> Result<ClassLabels> {
        check_unique("class", &classes)?;
        match codes.iter().position(|&c| c as usize >= classes.len()) {
            Some(row) => {
                Err(Error::BadClass { row: row + 1, code: codes[row], classes: classes.len() })
            }
            None => Ok(ClassLabels { codes: codes.into(), classes }),
        }
    }

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
    fn several_classes_stand_one_after_the_other() {
        let labels = |names: &[&str]| match Target::from_names(names) {
            Target::Classes(labels) => labels,
            _ => panic!(),
        };
        let (size, ripe) = (labels(&["s", "l", "m"]), labels(&["no", "yes", "yes"]));
        let names = ["size".to_string(), "ripe".into()];
        let target = Target::several_classes(&names, &[size.clone(), ripe.clone()]).unwrap();
        assert_eq!((target.len(), target.task()), (3, Task::Classification));
        let Target::SeveralClasses(rows) = target.take(&[1, 0]) else { panic!() };
        assert_eq!((rows.row(0), rows.n_classes(), rows.n_rows()), (&[0, 1][..], 5, 2));
        assert_eq!(rows.places(0).collect::<Vec<_>>(), [0, 4]);
        assert_eq!(rows.output(1).codes(), [1, 0]);
        let share_missed = |shares: &[f64], code: usize| 1.0 - shares[code];
        assert_eq!(rows.mean_loss(0, &[0.5, 0.25, 0.25, 0.0, 1.0], share_missed), 0.25);
        assert!(Target::several_classes(&names, std::slice::from_ref(&size)).is_err());
        assert!(Target::several_classes(&[], &[]).is_err());
        let short = labels(&["no"]);
        let error = Target::several_classes(&names, &[size, short]).unwrap_err().to_string();
        assert!(error.contains("`target \"ripe\"` has 1 values"), "{error}");
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
