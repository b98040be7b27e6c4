//! Boosting: members fitted one after the other, each to what those before it left over.

mod additive;
mod bag;
mod constraints;
mod dart;
mod early_stopping;
mod goss;
mod gradient_boosting;
mod gradients;
mod islr;
mod leaf_values;
mod loss_choice;
mod rounding;
mod rounds;

pub use additive::AdditiveModel;
pub use constraints::{Interactions, Monotone};
pub use goss::Goss;
pub use gradient_boosting::GradientBoosting;
pub use islr::Start;
pub use loss_choice::LossChoice;
