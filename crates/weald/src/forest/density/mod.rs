//! Density: where rows are many, and where they are few.
//!
//! - [`DensityForest`]: a density that integrates to one, from the cells of completely random trees;
//! - [`DensityModel::depth_scores`]: the lecture's score, how deep rows lie in such trees.
//!
//! To prefer over isolation where the question is how likely a row is, or new rows are to be drawn;
//! isolation is the better judge of anomalies, and faster.

mod cell;
mod cell_rows;
mod cells;
mod density_forest;
mod depth;
mod marginal;
mod measure;
mod model;
mod sampling;

pub use cell_rows::{CellRows, Chosen};
pub use density_forest::DensityForest;
pub use depth::depth_scores;
pub use measure::{ColumnMeasure, Measure, Reach};
pub use model::DensityModel;
