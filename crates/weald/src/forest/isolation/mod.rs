//! Isolation: rows that lie alone are told from the others by few random splits.
//!
//! - [`IsolationForest`]: cuts across one column (Liu, Ting & Zhou 2008);
//! - [`IsolationForest::extended`]: cuts in random directions (Hariri, Carrasco Kind & Brunner
//!   2019), which do not favour the directions of the axes;
//! - [`IsolationForest::sci`]: in each node the random direction and the cut that separate best
//!   (Liu, Ting & Zhou 2010), which find anomalies that lie together.
//!
//! To prefer over a density where anomalies are few and different: nothing is estimated for the
//! many, a tree sees a few hundred rows, and a crowd of anomalies is sampled down to a few.

mod attribution;
mod isolation_forest;
mod model;
mod oblique;
mod oblique_trees;

pub use isolation_forest::{Cuts, HeightLimit, IsolationForest};
pub use model::{IsolationModel, IsolationTrees, Reading};
pub use oblique_trees::{ObliqueNode, ObliqueTree, ObliqueTrees, Term};

#[cfg(test)]
mod tests;
