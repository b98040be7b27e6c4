//! Tables, targets and weights: everything a learner reads.

pub mod bins;
pub mod bundles;
mod class_weights;
mod coder;
pub mod column;
pub mod cuts;
mod distribution;
mod few_rows;
pub mod folds;
mod packs;
pub mod planes;
pub mod resample;
mod resampling;
mod rescaled;
mod row_keys;
mod row_order;
pub mod sample;
pub mod schema;
pub mod table;
pub mod target;
mod urn;

pub use bins::{Bins, Resolution};
pub use class_weights::ClassWeights;
pub use column::{Categories, Column, Levels, MISSING, Numbers, View};
pub use distribution::Distribution;
pub use few_rows::FewRows;
pub use packs::Packs;
pub use resampling::Resampling;
pub use rescaled::{Rescaled, exponent_beyond_usual, multiply, scaled};
pub use row_keys::key_of_name;
pub use row_order::RowOrder;
pub use sample::{Sample, Weights};
pub use schema::{Aligned, Field, FieldKind, Schema, Unseen};
pub use table::Table;
pub use target::{ClassLabels, SeveralNumbers, Target, Task};
pub use urn::Urn;
