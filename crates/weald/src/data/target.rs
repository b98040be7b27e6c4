//! What is to be predicted.

use std::sync::Arc;

use crate::error::{Error, Result, check_unique};

/// The target of each row.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// Classification.
    Classes(ClassLabels),
    /// Regression; every value finite.
    Numbers(Arc<[f64]>),
}

/// A class for each row.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassLabels {
    codes: Arc<[u32]>,
    classes: Arc<[String]>,
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
    /// Numbers to predict; all must be finite.
    pub fn numbers(values: Vec<f64>) -> Result<Target> {
        let bad = |x: &f64| !x.is_finite();
        match values.iter().position(bad) {
            Some(row) => Err(Error::BadTarget {
                row: row + 1,
                value: values[row],
                more: values.iter().filter(|x| bad(x)).count() - 1,
            }),
            None => Ok(Target::Numbers(values.into())),
        }
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
            Target::Numbers(_) => Task::Regression,
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
        }
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

#[cfg(test)]
mod tests {
    use super::*;

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
