//! Boosting: members fitted one after the other, each to what those before it left over.

mod additive;
mod automatic;
mod bag;
mod checkpoint;
mod committee;
mod conformal;
mod constraints;
mod continued;
mod curve;
mod dart;
mod early_stopping;
mod goss;
mod gradient_boosting;
mod gradients;
mod held_out;
mod islr;
mod leaf_values;
mod linear_leaves;
mod loss_choice;
mod measures;
mod normal_equations;
mod parameters;
mod rescaled;
mod rounding;
mod rounds;
#[cfg(test)]
mod row_limits;
mod start;
mod target_statistics;
mod targets;
mod validation;
mod vector_leaves;
mod wide_gradients;

pub use additive::AdditiveModel;
pub use curve::LearningCurve;
pub use goss::Goss;
pub use gradient_boosting::GradientBoosting;
pub use held_out::HoldOut;
pub use islr::Start;
pub use loss_choice::LossChoice;
