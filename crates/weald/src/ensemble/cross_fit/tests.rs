use std::sync::Arc;

use super::*;
use crate::data::{Aligned, Column, Schema, Table};
use crate::error::Error;

/// Learns which rows it has seen, by their numbers in the only column.
struct Seeing;

/// Says 1 of rows that were seen and 0 of all others.
struct Seen {
    rows: Vec<f64>,
    schema: Arc<Schema>,
    output: Output,
}

impl Learner for Seeing {
    type Model = Seen;

    fn fit(&self, sample: &Sample<'_>, _: &Run<'_>) -> Result<Seen> {
        let present = sample.present_rows()?.into_iter();
        let rows = present.map(|row| number(sample.table, row)).collect();
        Ok(Seen { rows, schema: sample.table.schema().clone(), output: Output::Value })
    }
}

impl Model for Seen {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn output(&self) -> &Output {
        &self.output
    }

    fn aligned_row(&self, row: &[f64], scores: &mut [f64]) {
        scores[0] = f64::from(u8::from(self.rows.contains(&row[0])));
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        let table = table.table();
        let mut scores = Scores::zeros(table.n_rows(), 1);
        let rows = scores.rows_mut().enumerate();
        rows.for_each(|(row, scores)| self.aligned_row(&[number(table, row)], scores));
        scores
    }
}

fn number(table: &Table, row: usize) -> f64 {
    match table.column(0) {
        Column::Numeric(numbers) => numbers.at(row),
        Column::Categorical(_) => f64::NAN,
    }
}

fn table(n: usize) -> (Table, Target) {
    let x = Column::numeric((0..n).map(|i| i as f64).collect());
    let y = (0..n).map(|i| (i * 37 % n) as f64).collect();
    (Table::new(vec![("x".into(), x)]).unwrap(), Target::numbers(y).unwrap())
}

fn asked(split: Split, groups: Option<&[u32]>, n: usize) -> Result<Honest<Seen>> {
    let (table, target) = table(n);
    let sample = Sample::new(&table, &target, &Weights::Uniform)?;
    cross_fit(&[("seeing", &Seeing)], &sample.with_groups(groups), split, &Run::quiet(Seed(5), 2)?)
}

#[test]
fn nobody_is_asked_about_what_it_has_seen() {
    for split in [Split::Folds(5), Split::Time(4), Split::Share(0.3)] {
        let honest = asked(split, None, 77).unwrap();
        assert!(honest.answers[0].values().iter().all(|&seen| seen == 0.0), "{split:?}");
        assert_eq!(honest.models.is_some(), matches!(split, Split::Share(_)));
    }
}

#[test]
fn each_row_is_asked_about_once_or_those_that_are_held_out() {
    let mut rows = asked(Split::Folds(5), None, 40).unwrap().rows;
    rows.sort_unstable();
    assert_eq!(rows, (0..40).collect::<Vec<_>>());
    assert_eq!(asked(Split::Time(4), None, 40).unwrap().rows, (8..40).collect::<Vec<_>>());
    assert_eq!(asked(Split::Share(0.25), None, 40).unwrap().rows.len(), 10);
    assert_eq!(
        asked(Split::Folds(5), None, 3).unwrap().rows.len(),
        3,
        "fewer folds than asked for"
    );
    assert!(matches!(asked(Split::Folds(5), None, 1), Err(Error::Folds(_))));
}

#[test]
fn groups_stay_together() {
    let groups: Vec<u32> = (0..60).map(|row| row / 6).collect();
    for split in [Split::Folds(4), Split::Share(0.3)] {
        let honest = asked(split, Some(&groups), 60).unwrap();
        assert!(!honest.rows.is_empty() && honest.rows.len().is_multiple_of(6), "{split:?}");
        let whole = |g: u32| honest.rows.iter().filter(|&&row| groups[row] == g).count();
        assert!((0..10).all(|g| whole(g) == 0 || whole(g) == 6), "{split:?}");
    }
    let short = asked(Split::Folds(4), Some(&groups[..59]), 60);
    assert!(matches!(short, Err(Error::Length { found: 59, expected: 60, .. })));
}

#[test]
fn copies_may_lie_in_several_folds_and_absent_rows_in_none() {
    let (table, target) = table(12);
    let counts: Vec<u32> = (0..12).map(|row| [0, 1, 30][row % 3]).collect();
    let weights = Weights::counts(counts.clone()).unwrap();
    let sample = Sample::new(&table, &target, &weights).unwrap();
    let run = Run::quiet(Seed(5), 1).unwrap();
    let honest = cross_fit(&[("seeing", &Seeing)], &sample, Split::Folds(3), &run).unwrap();
    let mut found = vec![0; 12];
    for (at, &row) in honest.rows.iter().enumerate() {
        found[row] += honest.weights.copies(at).0;
    }
    assert_eq!(found, counts);
    assert!(honest.rows.len() > 8, "thirty copies make four packs");
}

#[test]
fn splits_read_back_and_are_checked() {
    let mut split = Split::Folds(5);
    for text in ["folds:3", "time:7", "share:0.25"] {
        assert!(split.parse(text) && split.show() == text && split.check().is_ok());
    }
    for text in ["folds", "folds:x", "share:NaN", "5", "random:3"] {
        assert!(!split.parse(text), "{text}");
    }
    for split in [Split::Folds(1), Split::Time(0), Split::Share(0.0), Split::Share(1.0)] {
        assert!(split.check().is_err());
    }
}
