//! The tree engine.

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
pub mod linear;
pub mod marginals;
pub mod model;
mod oblivious;
mod one_by_one;
mod partition;
pub mod parts;
pub mod prune;
mod question;
pub mod search;
pub mod splitter;
pub mod statistic;
pub mod stump;
pub mod suspects;
pub mod values;
pub mod walk;

pub use decision_tree::{BinChoice, Criterion, DecisionTree, Splitter};
pub use features::FeatureCount;
pub use frontier::Growth;
pub use linear::{LinearLeaf, LinearLeaves, Slope};
pub use model::{LevelSet, Node, Rule, Tree, TreeModel};
pub use prune::Pruning;
pub use stump::Stump;
