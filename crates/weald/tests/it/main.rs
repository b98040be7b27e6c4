//! Tests of the library from outside.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod adaboost;
mod automatic;
mod bagging;
mod base;
mod calibration;
mod categories;
mod columns;
mod constraints;
mod density;
mod engine;
mod golden;
mod growth;
mod held_out_metric;
mod inspect;
mod laws;
mod layers;
mod leaf_rows;
mod learns;
mod linear_leaves;
mod losses;
mod memory;
mod monotone_trees;
mod own_models;
mod papers;
mod parity;
mod reference_tree;
mod runs;
mod several;
mod stopping;
mod streams;
mod target_statistics;
mod vector_leaves;

use weald::error::Error;
use weald::parameter::Parameters;

/// The error that a hyper-parameter of such a value is refused by, when it is set or when all are
/// checked.
fn refusal<P: Parameters>(method: &P, name: &str, value: &str) -> Error {
    let mut method = method.clone();
    method.set(name, value).and_then(|()| method.check()).unwrap_err()
}
