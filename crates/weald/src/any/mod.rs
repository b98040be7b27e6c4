//! The closed list of methods: what files, the program and Python can name.
//!
//! Adding a method to [`AnyLearner`] or a model to [`AnyModel`] does not compile until every
//! place that must know it does.

mod adaboost;
mod bagging;
mod base;
mod calibration;
mod learner;
mod members;
mod method;
mod mixture_of_experts;
mod model;
mod multi_class;
mod trained;

pub use learner::AnyLearner;
pub use method::{METHODS, Method};
pub use model::AnyModel;
pub use trained::{MetricValue, TargetField, Trained};
