//! The real program, run as a user runs it.
#![allow(clippy::unwrap_used, reason = "a test may fail anywhere")]

mod bad_input;
mod bagging;
mod bootstrap;
mod calibration;
mod checkpoint;
mod compare;
mod conformal;
mod demo;
mod density;
mod detect;
mod errors;
mod evaluate;
mod files;
mod forest;
mod help;
mod inspect;
mod interrupt;
mod letter;
mod levels;
mod memory;
mod online;
mod outputs;
mod predict;
mod program;
mod query;
mod reproduce;
mod several;
mod theory;
mod train;
mod vector_leaves;
