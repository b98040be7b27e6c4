//! Committees of any learner whose members differ by the rows and columns that they see.
//!
//! - [`Bagging`]: each member sees a bootstrap of the rows;
//! - [`Bagging::pasting`]: a share of the rows, none of them twice;
//! - [`Bagging::random_subspace`]: all rows, a share of the columns;
//! - [`Bagging::random_patches`]: a share of both.
//!
//! They help learners that change much when the rows change a little, such as deep trees. To prefer
//! over a random forest where the learner is no tree, or where members must see few rows or columns;
//! for trees a forest errs less and is faster.

mod bagging;
mod pasting;
mod random_patches;
mod random_subspace;

pub use bagging::{Bagging, Committee};
