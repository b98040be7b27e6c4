//! Losses at work: what a whole fit with each must do.

mod conformal;
mod cox;
mod custom;
mod exponential;
mod heavy_tails;
mod huber;
mod lambdarank;
mod quantiles;

use weald::boost::{AdditiveModel, GradientBoosting};
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::learner::{Extras, Learner};
use weald::loss::Loss;
use weald::run::Run;
use weald::seed::Seed;

/// A table of these columns.
fn table(columns: Vec<Vec<f64>>) -> Table {
    let named = columns.into_iter().enumerate();
    Table::new(named.map(|(i, c)| (format!("x{i}"), Column::numeric(c))).collect()).unwrap()
}

/// Numbers to predict.
fn numbers(y: &[f64]) -> Target {
    Target::numbers(y.to_vec()).unwrap()
}

/// A fit without weights on two threads.
fn fit(boosting: &GradientBoosting, table: &Table, target: &Target) -> AdditiveModel {
    let sample = Sample::new(table, target, &Weights::Uniform).unwrap();
    boosting.fit(&sample, &Run::quiet(Seed(0), 2).unwrap()).unwrap()
}

/// The same along a loss of the test's own.
fn try_loss(
    boosting: &GradientBoosting,
    loss: &dyn Loss,
    table: &Table,
    target: &Target,
) -> weald::Result<AdditiveModel> {
    let sample = Sample::new(table, target, &Weights::Uniform).unwrap();
    let run = Run::quiet(Seed(0), 2).unwrap();
    boosting.fit_loss(loss, &sample, &Extras::default(), &run)
}
