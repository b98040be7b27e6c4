//! Base learners that are not trees, against slow and obvious references.

mod linear;
mod naive_bayes;
mod neighbours;

use weald::data::{Column, Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::run::Run;
use weald::seed::{Purpose, Seed};

fn run() -> Run<'static> {
    Run::quiet(Seed(1), 2).unwrap()
}

fn fit<L: Learner>(learner: &L, table: &Table, target: &Target) -> L::Model {
    let sample = Sample::new(table, target, &Weights::Uniform).unwrap();
    learner.fit(&sample, &run()).unwrap()
}

/// A table of numbers, given by its columns.
fn numbers(columns: &[Vec<f64>]) -> Table {
    let named =
        |(i, column): (usize, &Vec<f64>)| (format!("x{i}"), Column::numeric(column.clone()));
    Table::new(columns.iter().enumerate().map(named).collect()).unwrap()
}

/// Columns of draws in -1 to 1.
fn drawn(n_rows: usize, n_columns: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    (0..n_columns).map(|_| (0..n_rows).map(|_| 2.0 * draws.unit() - 1.0).collect()).collect()
}
