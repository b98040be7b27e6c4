//! A model whose probabilities are put right.

use std::sync::Arc;

use super::{CalibrationMap, Isotonic, Sigmoid, Temperature, log_odds};
use crate::data::{Aligned, Schema};
use crate::describe::{Describe, Fact, Kept, Part};
use crate::ensemble::OutOfBagCurve;
use crate::model::{Model, Output, ask};
use crate::scores::Scores;
use serde_json::json;

/// A model, and what becomes of its probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibrated<M> {
    /// The model.
    pub base: M,
    /// What becomes of its probabilities.
    pub map: ProbabilityMap,
}

/// What becomes of probabilities.
#[derive(Debug, Clone, PartialEq)]
pub enum ProbabilityMap {
    /// Their logarithms are divided by one number.
    Temperature(Temperature),
    /// A sigmoid for each class against the rest; for two classes only that of the second.
    Sigmoid(Vec<Sigmoid>),
    /// A curve for each class against the rest; for two classes only that of the second.
    Isotonic(Vec<Isotonic>),
}

/// The classes that have a curve of their own: of two the second says all, a single one is certain.
pub(crate) fn classes_with_curves(n_classes: usize) -> std::ops::Range<usize> {
    match n_classes {
        0 | 1 => 0..0,
        2 => 1..2,
        n => 0..n,
    }
}

impl ProbabilityMap {
    /// What kind of map it is.
    pub fn name(&self) -> &'static str {
        let kind = match self {
            ProbabilityMap::Temperature(_) => CalibrationMap::Temperature,
            ProbabilityMap::Sigmoid(_) => CalibrationMap::Sigmoid,
            ProbabilityMap::Isotonic(_) => CalibrationMap::Isotonic,
        };
        kind.name()
    }

    /// Puts the probabilities of a row in their places.
    pub fn apply(&self, row: &mut [f64]) {
        match self {
            ProbabilityMap::Temperature(temperature) => temperature.apply(row),
            ProbabilityMap::Sigmoid(curves) => {
                one_against_rest(row, |row, class, at| curves[at].at(log_odds(row, class)));
            }
            ProbabilityMap::Isotonic(curves) => {
                one_against_rest(row, |row, class, at| curves[at].at(row[class]));
            }
        }
    }
}

/// Replaces probabilities by those that `curve` makes of each class, given the row, the class and
/// the place of its curve.
fn one_against_rest(row: &mut [f64], curve: impl Fn(&[f64], usize, usize) -> f64) {
    let classes = classes_with_curves(row.len());
    let said: Vec<f64> = classes.enumerate().map(|(at, class)| curve(row, class, at)).collect();
    match said[..] {
        [] => row.fill(1.0),
        [second] => row.copy_from_slice(&[1.0 - second, second]),
        _ => {
            let total: f64 = said.iter().sum();
            row.iter_mut().zip(said).for_each(|(p, said)| *p = said / total);
        }
    }
}

impl<M> Calibrated<M> {
    /// The same map of what `f` makes of the model; `None` if it makes nothing.
    pub fn map<N>(&self, f: impl FnOnce(&M) -> Option<N>) -> Option<Calibrated<N>> {
        Some(Calibrated { base: f(&self.base)?, map: self.map.clone() })
    }
}

impl<M: Model> Model for Calibrated<M> {
    fn schema(&self) -> &Arc<Schema> {
        self.base.schema()
    }

    fn output(&self) -> &Output {
        self.base.output()
    }

    fn is_sound(&self) -> bool {
        self.base.is_sound()
    }

    fn aligned_row(&self, row: &[f64], scores: &mut [f64]) {
        self.base.aligned_row(row, scores);
        self.map.apply(scores);
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        let mut scores = ask(&self.base, table, || "the base".into());
        scores.rows_mut().for_each(|row| self.map.apply(row));
        scores
    }
}

/// Members of the base speak for themselves, whatever is then made of what they say.
impl<M: Describe> Describe for Calibrated<M> {
    fn parts(&self) -> Vec<Part<'_>> {
        vec![Part::of(&self.base)]
    }

    fn own_trees(&self) -> Option<Kept<'_>> {
        self.base.own_trees()
    }

    fn n_members(&self) -> usize {
        1
    }

    fn voters(&self) -> Option<Vec<(&dyn Model, f64)>> {
        self.base.voters()
    }

    fn out_of_bag(&self) -> Option<&OutOfBagCurve> {
        self.base.out_of_bag()
    }

    fn importance(&self) -> Vec<f64> {
        self.base.importance()
    }

    fn facts(&self) -> Vec<Fact> {
        let name = ("map", json!(self.map.name()));
        match &self.map {
            ProbabilityMap::Temperature(t) => vec![name, ("temperature", json!(t.0))],
            ProbabilityMap::Sigmoid(curves) => {
                let curve = |c: &Sigmoid| json!({ "slope": c.slope, "intercept": c.intercept });
                vec![name, ("curves", curves.iter().map(curve).collect())]
            }
            ProbabilityMap::Isotonic(curves) => {
                vec![name, ("curves", curves.iter().map(|curve| json!(curve.knots)).collect())]
            }
        }
    }
}
