//! Parquet files, Arrow files and Arrow streams, in files and in memory.
//!
//! Integers, floats and decimals are numbers; text, booleans and dictionaries are categories; dates
//! and times are numbers that count seconds; a null is missing, and so is an empty text.

mod column;
mod moments;
mod pages;
mod sources;
mod stream;
mod wanted;
mod words;

pub use sources::table_from_arrow;
pub(crate) use sources::{read_file, read_parquet, read_stream};
pub(crate) use stream::{ArrowBlocks, Input};
