//! Boosting: members fitted one after the other, each to what those before it left over.

mod additive;
mod early_stopping;
mod gradient_boosting;
mod gradients;
mod rounds;

pub use additive::AdditiveModel;
pub use gradient_boosting::{GradientBoosting, LossChoice};
