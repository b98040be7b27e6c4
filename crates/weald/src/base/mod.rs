//! Base learners that are not trees.

pub mod constant;
pub mod design;
pub mod half_plane;
pub mod hypotheses;
pub mod linear;
pub mod naive_bayes;
pub mod nearest_neighbours;
pub mod neighbours;
pub mod row_sums;
mod suspects;
