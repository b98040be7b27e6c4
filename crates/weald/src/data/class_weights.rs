//! Weights that make classes count more or less.

use super::sample::{Sample, Weights};
use super::target::{ClassLabels, Target};
use crate::error::{Error, Result, nearest};
use crate::parameter::Value;

/// How much the rows of each class count.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ClassWeights {
    /// As much as their weights say.
    #[default]
    Equal,
    /// As much together as the rows of any other class.
    Balanced,
    /// So much more for each class that is named, and as they are for the others.
    Named(Vec<(String, f64)>),
}

impl ClassWeights {
    /// The weights of the rows, times those of their classes, of each output where there are several.
    pub fn applied(&self, sample: &Sample<'_>) -> Result<Weights> {
        if *self == ClassWeights::Equal {
            return Ok(sample.weights.clone());
        }
        if let (Target::SeveralClasses(several), ClassWeights::Balanced) = (sample.target, self) {
            let mut weights: Vec<f64> =
                (0..sample.n_rows()).map(|row| sample.weights.at(row)).collect();
            for output in 0..several.n_outputs() {
                let labels = several.output(output);
                let factors = balanced(&labels, sample.weights);
                let codes = labels.codes().iter();
                weights.iter_mut().zip(codes).for_each(|(w, &code)| *w *= factors[code as usize]);
            }
            return Weights::real(weights);
        }
        let Target::Classes(labels) = sample.target else {
            return Err(Error::WrongTask {
                method: "class_weights".into(),
                expected: "classes",
                found: sample.target.words(),
                hint: match sample.target {
                    Target::SeveralClasses(_) => "use balanced, or leave it at none",
                    _ => "leave it at none",
                },
            });
        };
        let factors = match self {
            ClassWeights::Named(named) => named_factors(named, labels)?,
            ClassWeights::Equal | ClassWeights::Balanced => balanced(labels, sample.weights),
        };
        let weight =
            |(row, class): (usize, &u32)| sample.weights.at(row) * factors[*class as usize];
        Weights::real(labels.codes().iter().enumerate().map(weight).collect())
    }
}

/// What makes every class weigh the same, and all together what they weighed before.
fn balanced(labels: &ClassLabels, weights: &Weights) -> Vec<f64> {
    let mut totals = vec![0.0; labels.n_classes()];
    for (row, class) in labels.codes().iter().enumerate() {
        totals[*class as usize] += weights.at(row);
    }
    let n_present = totals.iter().filter(|total| **total > 0.0).count();
    let share = totals.iter().sum::<f64>() / n_present as f64;
    totals.iter().map(|&total| if total > 0.0 { share / total } else { 0.0 }).collect()
}

fn named_factors(named: &[(String, f64)], labels: &ClassLabels) -> Result<Vec<f64>> {
    let mut factors = vec![1.0; labels.n_classes()];
    for (name, factor) in named {
        let Some(class) = labels.classes().iter().position(|class| class == name) else {
            return Err(Error::UnknownClass {
                name: name.clone(),
                nearest: nearest(name, labels.classes().iter().map(String::as_str)),
            });
        };
        factors[class] = *factor;
    }
    Ok(factors)
}

impl Value for ClassWeights {
    fn show(&self) -> String {
        match self {
            ClassWeights::Equal => "none".into(),
            ClassWeights::Balanced => "balanced".into(),
            ClassWeights::Named(named) => {
                let one = |(name, weight): &(String, f64)| format!("{name}:{weight}");
                named.iter().map(one).collect::<Vec<_>>().join(",")
            }
        }
    }

    fn parse(&mut self, text: &str) -> bool {
        *self = match text {
            "none" => ClassWeights::Equal,
            "balanced" => ClassWeights::Balanced,
            list => {
                let one = |part: &str| {
                    // A class may have a colon in its name.
                    let (name, weight) = part.rsplit_once(':')?;
                    let weight: f64 = weight.trim().parse().ok()?;
                    let is_weight = weight.is_finite() && weight >= 0.0;
                    (is_weight && !name.is_empty()).then(|| (name.to_string(), weight))
                };
                match list.split(',').map(one).collect() {
                    Some(named) => ClassWeights::Named(named),
                    None => return false,
                }
            }
        };
        true
    }

    fn expected(&self) -> String {
        "none, balanced, or weights by class such as yes:5,no:1".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Table};

    fn applied(weights: &ClassWeights, counts: Vec<u32>) -> Result<Vec<f64>> {
        let table = Table::new(vec![("x".into(), Column::numeric(vec![0.0; 5]))]).unwrap();
        let target = Target::from_names(&["a", "b", "b", "b", "a"]);
        let counts = Weights::counts(counts).unwrap();
        let found = weights.applied(&Sample::new(&table, &target, &counts).unwrap())?;
        Ok((0..5).map(|row| found.at(row)).collect())
    }

    #[test]
    fn balanced_classes_weigh_the_same() {
        let found = applied(&ClassWeights::Balanced, vec![1, 2, 1, 1, 1]).unwrap();
        assert_eq!(found, [1.5, 1.5, 0.75, 0.75, 1.5]);
        let absent = applied(&ClassWeights::Balanced, vec![0, 1, 2, 1, 0]).unwrap();
        assert_eq!(absent, [0.0, 1.0, 2.0, 1.0, 0.0]);
    }

    #[test]
    fn weights_by_name() {
        let mut weights = ClassWeights::default();
        assert_eq!(applied(&weights, vec![1; 5]).unwrap(), [1.0; 5]);
        assert!(weights.parse("b:0.5"));
        assert_eq!(weights.show(), "b:0.5");
        assert_eq!(applied(&weights, vec![1; 5]).unwrap(), [1.0, 0.5, 0.5, 0.5, 1.0]);
        for bad in ["b", "b:", ":1", "b:-1", "b:inf", "b:1,"] {
            assert!(!weights.parse(bad), "{bad}");
        }
        assert!(weights.parse("c:2"));
        let error = applied(&weights, vec![1; 5]).unwrap_err().to_string();
        assert!(error.contains("there is no class \"c\""), "{error}");
    }

    #[test]
    fn numbers_have_no_classes() {
        let table = Table::new(vec![("x".into(), Column::numeric(vec![0.0]))]).unwrap();
        let target = Target::numbers(vec![1.0]).unwrap();
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        assert!(matches!(ClassWeights::Balanced.applied(&sample), Err(Error::WrongTask { .. })));
    }
}
