//! Pictures of trees: text for a terminal, Graphviz, SVG and JSON; and lines of bars.
//!
//! Every picture of a tree is drawn from one [`Sketch`], which holds the words: the questions, the
//! answers, the shares, and where missing values go. The renderers only place them.

mod boosted;
mod colour;
mod combined;
mod committee;
mod curve;
mod dot;
mod forest;
mod histogram;
mod json;
mod linear;
mod sketch;
mod svg;
mod text;
mod words;

pub use boosted::boosted;
pub use combined::{calibrated, coded, dynamic, mixture, stacked, weights};
pub use committee::committee;
pub use curve::curve;
pub use dot::dot;
pub use forest::{forest, out_of_bag};
pub use histogram::histogram;
pub use json::json;
pub use linear::linear;
pub use sketch::Sketch;
pub use svg::svg;
pub use text::text;
pub use words::{number, percent};
