//! Ensemble learning on one fast, exact tree engine.
//!
//! The same seed gives the same model, to the byte, on any number of threads.

pub mod adaboost;
pub mod any;
pub mod bag;
pub mod base;
pub mod boost;
mod cholesky;
pub mod combine;
pub mod data;
pub mod describe;
pub mod ensemble;
pub mod error;
mod exact_sum;
pub mod forest;
pub mod inspect;
pub mod learner;
pub mod loss;
pub mod metric;
pub mod model;
pub mod observer;
pub mod online;
pub mod parameter;
pub mod persist;
pub mod predict;
pub mod run;
pub mod scores;
pub mod seed;
pub mod theory;
pub mod tree;

pub use error::{Error, Result};
