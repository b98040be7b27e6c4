//! Base learners that are not trees.

pub mod constant;
