//! Combining models of different kinds.
//!
//! - [`Voting`]: all members answer, and a rule makes one answer of theirs;
//! - [`WeightedCommittee`]: the mean, with weights learned from rows that members have not seen:
//!   super learner, greedy selection, Bayesian averaging;
//! - [`Stacking`]: another learner learns from what members say of rows that they have not seen;
//!   with a share of the rows held out it is blending;
//! - [`DynamicSelection`]: those members answer for a row that are right about rows near it;
//! - [`MixtureOfExperts`]: members and a gate that believes them in parts, fitted together;
//! - [`MultiClass`]: several classes by learners of two;
//! - [`Calibration`]: one member, whose probabilities are put right by what it says of rows that it
//!   has not seen.
//!
//! To prefer over bagging and boosting where good models of different kinds are at hand: their
//! mistakes differ more than those of models of one kind.

mod bayes_optimal;
mod calibration;
mod dynamic_selection;
mod mixture_of_experts;
mod multi_class;
mod selection;
mod stacking;
mod super_learner;
mod voting;
mod weighted_committee;

pub(crate) use calibration::classes_with_curves;
pub use calibration::{
    Calibrated, Calibration, CalibrationMap, HeldOut, Isotonic, ProbabilityMap, Sigmoid,
    Temperature,
};
pub use dynamic_selection::{Dynamic, DynamicSelection, Knora};
pub use mixture_of_experts::{Mixture, MixtureOfExperts, expert_names};
pub(crate) use multi_class::answers;
pub use multi_class::{Aggregate, Coded, MultiClass, Scheme, hastie_tibshirani, wu_lin_weng};
pub use stacking::{Stacked, Stacking};
pub(crate) use stacking::{level_one, n_said};
pub use voting::Voting;
pub use weighted_committee::{Weighing, WeightedCommittee};
