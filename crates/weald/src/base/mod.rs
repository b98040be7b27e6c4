//! Base learners that are not trees.

pub mod constant;
pub mod half_plane;
pub mod hypotheses;
