//! Forests: committees of deep trees that differ by chance.
//!
//! - [`RandomForest`]: each tree sees a bootstrap of the rows, each split a few features;
//! - [`RandomForest::extra_trees`]: split points drawn at random instead of rows;
//! - [`IsolationForest`]: completely random trees, without a target, that tell rows that lie alone;
//! - [`stream::StreamingForest`]: the same over the last rows of a stream, row by row;
//! - [`DensityForest`]: completely random trees, without a target, that tell where rows are many.
//!
//! To prefer over boosting where a model must be good without any tuning, or must tell how good it
//! is without a test set: every row is out of the bag of some trees.

mod contamination;
pub mod density;
mod extra_trees;
mod importance;
pub mod isolation;
mod leaf_rows;
mod member;
mod model;
pub mod path_length;
mod permutation;
mod proximity;
mod quantiles;
mod random_forest;
mod standard_errors;
pub mod stream;

pub use contamination::{Contamination, threshold_of};
pub use density::{DensityForest, DensityModel};
pub use importance::Importance;
pub use isolation::{IsolationForest, IsolationModel};
pub use leaf_rows::LeafRows;
pub use model::ForestModel;
pub use permutation::PermutationImportance;
pub use proximity::Leaves;
pub use random_forest::RandomForest;

#[cfg(test)]
mod tests;
