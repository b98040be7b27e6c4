//! What the lectures prove, as something to compute: the bootstrap of any statistic,
//! and the variance of a committee.

pub mod bootstrap;
pub mod committee;
mod interval;
pub mod least_squares;
pub mod normal;
pub mod statistic;

pub use bootstrap::{Bootstrap, Bootstrapped, in_bag_probability};
pub use committee::{Committee, CommitteeVariance, Measured};
pub use interval::Interval;
pub use least_squares::LeastSquares;
