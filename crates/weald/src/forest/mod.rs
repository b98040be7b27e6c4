//! Forests: committees of deep trees that differ by chance.
//!
//! - [`RandomForest`]: each tree sees a bootstrap of the rows, each split a few features;
//! - [`RandomForest::extra_trees`]: split points drawn at random instead of rows.
//!
//! To prefer over boosting where a model must be good without any tuning, or must tell how good it
//! is without a test set: every row is out of the bag of some trees.

mod extra_trees;
mod importance;
mod leaf_rows;
mod member;
mod model;
mod permutation;
mod proximity;
mod quantiles;
mod random_forest;
mod standard_errors;

pub use importance::Importance;
pub use leaf_rows::LeafRows;
pub use model::ForestModel;
pub use permutation::PermutationImportance;
pub use proximity::Leaves;
pub use random_forest::RandomForest;

#[cfg(test)]
mod tests;
