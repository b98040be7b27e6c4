//! What is in a fitted model, whatever its kind: where rows go, what its trees look like, what the
//! first of them say, which columns matter, and which rows it is in doubt about.
//!
//! All of it is told of the trees of the model in their order: of boosting round after round, of a
//! committee member after member. A constant model has none. Nodes are numbered in pre-order within
//! their tree, columns as in the schema of the whole model, also where a member has seen only some.

mod active_learning;
mod grove;
mod leaves;
mod paths;
mod shape;
mod stages;

pub use active_learning::{Doubt, doubts, most_doubtful};
pub use leaves::{Leaves, leaves};
pub use paths::{Paths, paths};
pub use shape::{NodeView, TreeView, trees};
pub use stages::{Stage, Stages};
