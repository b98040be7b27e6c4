//! The tree engine.

mod best_first;
pub mod constraints;
pub mod criterion;
pub mod decision_tree;
mod depth_first;
pub mod features;
pub mod frontier;
pub mod grow;
pub mod grown;
mod histogram;
pub mod kernel;
pub mod limits;
pub mod marginals;
pub mod model;
mod partition;
pub mod parts;
pub mod prune;
pub mod search;
pub mod splitter;
pub mod statistic;
pub mod stump;
pub mod suspects;
pub mod values;
pub mod walk;

pub use decision_tree::{BinChoice, Criterion, DecisionTree, Splitter};
pub use features::FeatureCount;
pub use model::{LevelSet, Node, Rule, Tree, TreeModel};
pub use prune::Pruning;
pub use stump::Stump;
