//! Algorithms written out line by line as in their papers, and worked numbers.

mod adaboost;
mod bagging;
mod bootstrap;
mod dart;
mod goss;
pub mod gradient_boosting;
mod islr;
mod random_forest;
