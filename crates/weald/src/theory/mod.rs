//! What the lectures prove, as something to compute: the bootstrap of any statistic,
//! the variance of a committee, and whether one method is better than another.

pub mod bootstrap;
pub mod committee;
mod interval;
pub mod least_squares;
pub mod normal;
mod paired_test;
pub mod statistic;
pub mod student;

pub use bootstrap::{Bootstrap, Bootstrapped, in_bag_probability};
pub use committee::{Committee, CommitteeVariance, Measured};
pub use interval::Interval;
pub use least_squares::LeastSquares;
pub use paired_test::{PairedTest, corrected_t_test};
