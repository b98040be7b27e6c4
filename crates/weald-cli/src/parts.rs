//! Which rows a model is trained on, and which it is measured on.

use weald::data::folds::{Folds, hold_out, hold_out_groups, hold_out_last};
use weald::seed::Seed;

use crate::args::TrainArguments;
use crate::dataset::Dataset;
use crate::failure::{Failure, Kind, Result};

/// Which rows train and which are measured on.
pub enum Parts {
    /// All rows train.
    All,
    /// These train, those test.
    HeldOut(Vec<usize>, Vec<usize>),
    /// Cross-validation; the final model is trained on all rows.
    Folds(Folds),
}

impl Parts {
    /// Cuts the rows as the command line says.
    pub fn cut(data: &Dataset, arguments: &TrainArguments) -> Result<Parts> {
        let seed = Seed(arguments.seed);
        let n_rows = data.table.n_rows();
        let (share, groups) = (arguments.test, &data.groups);
        let held_out = |(train, test)| Parts::HeldOut(train, test);
        let parts = match (arguments.folds, groups) {
            (Some(k), _) => folds(data, k, arguments.time_ordered, seed).map(Parts::Folds),
            (None, _) if share == 0.0 => Ok(Parts::All),
            (None, Some(groups)) => hold_out_groups(groups, share, seed).map(held_out),
            (None, None) if arguments.time_ordered => hold_out_last(n_rows, share).map(held_out),
            (None, None) => hold_out(&data.target, share, seed).map(held_out),
        };
        parts.map_err(|e| match (Failure::library(e), arguments.folds) {
            (failure, Some(_)) => failure,
            (failure, None) => failure.help("--test 0 trains on all rows, without a test"),
        })
    }

    /// What model files call the part that was measured on.
    pub fn word(&self) -> &'static str {
        match self {
            Parts::All => "train",
            Parts::HeldOut(..) => "test",
            Parts::Folds(_) => "cross-validation",
        }
    }
}

/// Folds for cross-validation: groups stay together, or later rows are tested on, or folds are
/// alike in the target.
pub fn folds(data: &Dataset, k: usize, is_time_ordered: bool, seed: Seed) -> weald::Result<Folds> {
    match &data.groups {
        Some(groups) => Folds::grouped(groups, k, seed),
        None if is_time_ordered => Folds::time_ordered(data.n_rows(), k),
        None => Folds::stratified(&data.target, k, seed),
    }
}

/// Whether so many folds can be asked for.
pub fn check_folds(k: usize) -> Result<()> {
    match k {
        0 | 1 => Err(Failure::new(Kind::Usage, format!("--cv is {k}"))
            .fact("expected at least 2 folds, such as 10")),
        _ => Ok(()),
    }
}
