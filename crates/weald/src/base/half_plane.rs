//! Half-planes along an axis: one class beyond a cut of one column, the other class elsewhere.
//!
//! The hypotheses of the lectures' worked examples: written down, not learned. Which of them suits
//! a sample best is found by [`Hypotheses`](super::hypotheses::Hypotheses). On real tables the
//! method `stump` finds the best cut much faster, and takes categories and missing values.

use std::sync::Arc;

use crate::data::{Aligned, Column, Schema, Table, Target};
use crate::error::{Error, Result};
use crate::model::{Model, Output};
use crate::parameter::out_of_range;
use crate::scores::Scores;

/// One of two classes where a column is above a cut, the other where it is not. A missing value is
/// above no cut.
#[derive(Debug, Clone, PartialEq)]
pub struct HalfPlane {
    feature: usize,
    cut: f64,
    above: usize,
    schema: Arc<Schema>,
    output: Output,
}

impl HalfPlane {
    /// Says the class with the code `above` (0 or 1) where the column `feature` of tables like
    /// `table` is above `cut`.
    pub fn new(
        (table, target): (&Table, &Target),
        (feature, cut): (usize, f64),
        above: usize,
    ) -> Result<HalfPlane> {
        if !matches!(target, Target::Classes(labels) if labels.n_classes() == 2) {
            return Err(Error::WrongTask {
                method: "a half-plane".into(),
                expected: "two classes",
                found: target.words(),
                hint: "use trees, which take any target",
            });
        }
        match table.columns().get(feature) {
            Some(Column::Numeric(_)) => {}
            Some(_) => return out_of_range("feature", table.name(feature), "a column of numbers"),
            None => {
                let expected = format!("below the number of columns, {}", table.n_columns());
                return out_of_range("feature", feature, &expected);
            }
        }
        if !cut.is_finite() {
            return out_of_range("cut", cut, "a finite number");
        }
        if above > 1 {
            return out_of_range("above", above, "0 or 1");
        }
        let (schema, output) = (table.schema().clone(), Output::of(target));
        Ok(HalfPlane { feature, cut, above, schema, output })
    }

    /// All half-planes that tell rows of a table apart: for each column of numbers the cuts halfway
    /// between neighbouring values, from the lowest up, each with the second class above it and
    /// then with the first.
    pub fn all(table: &Table, target: &Target) -> Result<Vec<HalfPlane>> {
        let mut all = Vec::new();
        for (feature, column) in table.columns().iter().enumerate() {
            let Column::Numeric(numbers) = column else { continue };
            let mut values: Vec<f64> = numbers.iter().filter(|x| x.is_finite()).collect();
            values.sort_unstable_by(f64::total_cmp);
            values.dedup();
            for pair in values.windows(2) {
                let cut = 0.5 * pair[0] + 0.5 * pair[1];
                for above in [1, 0] {
                    all.push(HalfPlane::new((table, target), (feature, cut), above)?);
                }
            }
        }
        Ok(all)
    }

    /// The column it looks at.
    pub fn feature(&self) -> usize {
        self.feature
    }

    /// Where the column is cut.
    pub fn cut(&self) -> f64 {
        self.cut
    }

    /// The class it says above the cut.
    pub fn above(&self) -> usize {
        self.above
    }

    fn class(&self, x: f64) -> usize {
        if x > self.cut { self.above } else { 1 - self.above }
    }
}

impl Model for HalfPlane {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn output(&self) -> &Output {
        &self.output
    }

    fn is_sound(&self) -> bool {
        true
    }

    fn aligned_row(&self, row: &[f64], scores: &mut [f64]) {
        scores.fill(0.0);
        scores[self.class(row[self.feature])] = 1.0;
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        let mut scores = Scores::zeros(table.table().n_rows(), 2);
        if let Column::Numeric(numbers) = table.table().column(self.feature) {
            let rows = scores.rows_mut().zip(numbers.iter());
            rows.for_each(|(scores, x)| scores[self.class(x)] = 1.0);
        }
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table::new(vec![
            ("x".into(), Column::numeric(vec![3.0, 1.0, f64::NAN, 3.0])),
            ("colour".into(), Column::from_names(&[Some("red"), None, None, None])),
            ("y".into(), Column::numeric(vec![0.0, -1.0, 4.0, f64::INFINITY])),
        ])
        .unwrap()
    }

    fn target() -> Target {
        Target::from_names(&["a", "b", "a", "b"])
    }

    #[test]
    fn what_is_above_the_cut_is_one_class_and_the_rest_the_other() {
        let (table, target) = (table(), target());
        for (above, expected) in [(1, [1, 0, 0, 1]), (0, [0, 1, 1, 0])] {
            let plane = HalfPlane::new((&table, &target), (0, 2.0), above).unwrap();
            assert_eq!(plane.scores(&table).unwrap().classes(), expected);
            for (row, x) in [3.0, 1.0, f64::NAN, 3.0].into_iter().enumerate() {
                let mut scores = [7.0; 2];
                plane.predict_row(&[x, 0.0, 0.0], &mut scores).unwrap();
                assert_eq!(scores[expected[row] as usize], 1.0);
                assert_eq!(scores.iter().sum::<f64>(), 1.0);
            }
        }
        let at_the_cut = HalfPlane::new((&table, &target), (0, 3.0), 1).unwrap();
        assert_eq!(at_the_cut.scores(&table).unwrap().classes(), [0, 0, 0, 0]);
    }

    #[test]
    fn all_half_planes_lie_between_neighbouring_values() {
        let all = HalfPlane::all(&table(), &target()).unwrap();
        let facts: Vec<_> = all.iter().map(|h| (h.feature(), h.cut(), h.above())).collect();
        assert_eq!(
            facts,
            [(0, 2.0, 1), (0, 2.0, 0), (2, -0.5, 1), (2, -0.5, 0), (2, 2.0, 1), (2, 2.0, 0)]
        );
    }

    #[test]
    fn what_is_no_half_plane_is_refused() {
        let (table, target) = (table(), target());
        let made = |target: &Target, feature, cut, above| {
            HalfPlane::new((&table, target), (feature, cut), above).unwrap_err().to_string()
        };
        assert!(made(&target, 1, 0.0, 1).contains("expected a column of numbers"));
        assert!(made(&target, 3, 0.0, 1).contains("below the number of columns, 3"));
        assert!(made(&target, 0, f64::NAN, 1).contains("`cut` is \"NaN\""));
        assert!(made(&target, 0, 0.0, 2).contains("expected 0 or 1"));
        let three = Target::from_names(&["a", "b", "c", "a"]);
        let numbers = Target::numbers(vec![1.0; 4]).unwrap();
        for target in [three, numbers] {
            let error = HalfPlane::new((&table, &target), (0, 0.0), 1).unwrap_err();
            assert!(matches!(error, Error::WrongTask { expected: "two classes", .. }));
        }
    }
}
