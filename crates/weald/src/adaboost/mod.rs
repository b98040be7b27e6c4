//! The AdaBoost family (Freund & Schapire 1997, and those who followed).
//!
//! Members are fitted one after the other, each to a distribution over rows that dwells on what
//! those before it got wrong. Each variant is a file of its own, in the words of its paper; they
//! share the [distribution](crate::data::Distribution), the fitting of weak hypotheses
//! (`rounds.rs`), what a member says ([`Voice`]) and the record of rounds ([`Round`]).
//!
//! To prefer over gradient boosting where the theory is wanted: the training error falls with the
//! product of the normalisers, of which a multiple bounds it in most variants
//! ([`Algorithm::bound_factor`]), and the margins of the rows tell how sure the vote is.

mod algorithm;
mod binary;
mod bound;
mod gentle;
mod learner;
mod logit;
mod m1;
mod m2;
mod mh;
mod model;
mod mr;
mod r;
mod r2;
mod real;
mod record;
mod rounds;
mod rt;
mod samme;
mod star;
mod tables;
mod tally;
mod voice;

pub use algorithm::{Algorithm, RegressionLoss};
pub use bound::bound_factor_of_any;
pub use learner::{AdaBoost, Redraw};
pub use model::{BoostedModel, Tables};
pub use record::Round;
pub use voice::Voice;
