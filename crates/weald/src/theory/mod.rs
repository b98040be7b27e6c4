//! What the lectures prove, as something to compute: so far the bootstrap of any statistic.

pub mod bootstrap;
mod interval;
pub mod least_squares;
pub mod normal;
pub mod statistic;

pub use bootstrap::{Bootstrap, Bootstrapped, in_bag_probability};
pub use interval::Interval;
pub use least_squares::LeastSquares;
