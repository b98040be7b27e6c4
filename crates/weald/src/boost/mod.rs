//! Boosting: members fitted one after the other, each to what those before it left over.

mod additive;
mod gradient_boosting;
mod gradients;

pub use additive::AdditiveModel;
pub use gradient_boosting::{GradientBoosting, LossName};
