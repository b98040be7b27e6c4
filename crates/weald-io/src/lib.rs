//! Files in, tables out.
//!
//! [`read`] turns a CSV, Parquet or Arrow file into a [`Frame`]: a table with every column, and
//! notes on what was detected. [`blocks`] reads the same files, or standard input, a block of rows
//! at a time in constant memory, with the column kinds of a model's schema; [`live`] gives out rows as
//! they come. [`table_from_arrow`]
//! takes what another program has in Arrow's memory. [`save_model`] and [`NewFile`] write a file so that a
//! crash or a full disk never destroys the one that was there before.
//!
//! What a file is, is decided by its first bytes, then by its name. Every error about data names
//! file, line and column; lines and columns count from 1, columns in characters.

mod arrow;
mod blocks;
mod container;
mod csv;
mod dictionary;
mod encoding;
mod error;
mod holds;
pub mod memory;
mod missing;
mod note;
mod number;
mod options;
mod quiet;
mod read;
mod report;
mod save;
mod suspects;
mod temporary;
mod time;
mod wording;

pub use arrow::table_from_arrow;
pub use blocks::{Block, Blocks, blocks, live};
pub use error::{Expected, ReadError, WriteError};
pub use holds::{Holds, what_is_in};
pub use missing::DEFAULT_MISSING;
pub use note::Note;
pub use options::{Ragged, ReadOptions};
pub use read::{Frame, load_bytes, read, read_bytes};
pub use report::{Place, Report, Spot};
pub use save::{NewFile, real_path, save_model};
pub use suspects::nearly_numbers;
pub use temporary::{remove_stale, remove_temporaries};
