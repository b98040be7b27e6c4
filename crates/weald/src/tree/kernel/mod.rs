//! The inner loops of tree growing, for the processor at hand.
//!
//! Everything that needs `unsafe` or `std::arch` lives here, and nothing else does. Each kernel
//! is a safe function that checks its lengths once and then picks the fastest variant the
//! processor has. Variants agree bit for bit, so a model does not depend on the machine that
//! grew it; a property test in each file holds them to that.
//!
//! - [`histogram`]: add the rows of a node to its histograms.
//! - [`scan`]: find the best split of eight features at once, subtracting a sibling on the way.
//! - [`partition`]: send the rows of a node left or right.
//! - [`bin_search`]: turn values into bin codes.
//! - [`descent`]: send rows down trees of any size.
//! - [`mux`]: find the leaves of many rows in small trees, and add their values.
//! - [`memory`]: large pages for long lists.
//! - [`stumps`]: add the values of trees of one split.
//! - [`vectors`]: histograms and ranks of nodes whose rows add several pairs each.
#![allow(unsafe_code, reason = "vector instructions and unchecked stores, proved at each block")]

pub mod bin_search;
pub mod descent;
pub mod dispatch;
pub mod histogram;
pub mod memory;
pub mod mux;
pub mod partition;
pub mod scan;
pub mod stumps;
pub mod vectors;

pub use dispatch::{Level, level, limit};
