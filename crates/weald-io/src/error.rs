//! Everything that can go wrong with a file, one variant a cause.

use std::fmt;
use std::io;

use thiserror::Error;

use crate::report::{Spot, shown};
use crate::wording::words;

/// Why a column should hold numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// The caller says so.
    ByCaller,
    /// The first rows of a stream hold them.
    ByFirstRows,
    /// A model does, which knows the column as numbers, or as times, in these words.
    ByModel(&'static str),
    /// So many of its values are numbers, which is nearly all.
    ByMost(u64),
}

/// Why a file was not read. It prints itself as its [`Report`](crate::Report).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The system could not open or read the file.
    Io {
        /// The file.
        file: String,
        /// The system's error.
        source: io::Error,
    },
    /// The file holds nothing.
    Empty {
        /// The file.
        file: String,
        /// Its length; it is 0, or there are only blank lines.
        bytes: u64,
    },
    /// Compressed or binary data that end too early or are damaged.
    Damaged {
        /// The file.
        file: String,
        /// "gzip", "zstd", "Parquet", "Arrow".
        format: &'static str,
        /// Whether the data merely end too early.
        truncated: bool,
        /// The decoder's words.
        reason: String,
    },
    /// There is not the memory to read it.
    Memory {
        /// The file.
        file: String,
        /// How many bytes its data need at least.
        bytes: u64,
        /// How many bytes there are.
        left: u64,
    },
    /// A kind of file that is not read.
    Foreign {
        /// The file.
        file: String,
        /// What it is.
        found: &'static str,
        /// What to do.
        help: &'static str,
    },
    /// Bytes that are not UTF-8.
    BadUtf8 {
        /// Where.
        spot: Box<Spot>,
        /// The offending byte.
        byte: u8,
        /// Whether the text was UTF-16 and holds half a character pair.
        half_pair: bool,
    },
    /// A NUL byte.
    Nul {
        /// Where the first one is.
        spot: Box<Spot>,
        /// How many there are in the text at hand.
        count: u64,
    },
    /// A quote that never closes.
    UnclosedQuote {
        /// Where it opens.
        spot: Box<Spot>,
        /// The last line of the text.
        last_line: u64,
    },
    /// Text between a closing quote and the next separator.
    TextAfterQuote {
        /// Where the text begins.
        spot: Box<Spot>,
        /// The line in which the quote opened.
        line: u64,
        /// The column in which the quote opened.
        column: u64,
    },
    /// A field of more than 1 MiB.
    LongField {
        /// Where it begins.
        spot: Box<Spot>,
        /// Whether it is quoted.
        is_quoted: bool,
    },
    /// Rows with another number of fields than the header.
    Ragged {
        /// Where the first such row ends, or its first field too many.
        spot: Box<Spot>,
        /// The line in which that row begins.
        row: u64,
        /// Its fields.
        found: u64,
        /// The header's fields.
        expected: u64,
        /// Whether the fields beyond the header's are all empty.
        padded: bool,
        /// The lines of up to four further rows.
        more: Vec<u64>,
        /// How many further rows.
        n_more: u64,
    },
    /// Two columns carry one name.
    DuplicateColumn {
        /// Where the second stands; `None` in a file without lines.
        spot: Option<Box<Spot>>,
        /// The name.
        name: String,
        /// The columns, counted from 1.
        positions: Vec<usize>,
    },
    /// An option names a column that is not there.
    UnknownColumn {
        /// The file.
        file: String,
        /// "categorical", "numeric" or "drop".
        option: &'static str,
        /// The name.
        name: String,
        /// The columns that are there.
        columns: Vec<String>,
        /// The most similar column.
        nearest: Option<String>,
    },
    /// A column is listed both as categories and as numbers.
    BothKinds {
        /// The column.
        name: String,
    },
    /// Text in a column that must hold numbers.
    TextInNumeric {
        /// Where the first such value is; `None` in a file without lines.
        spot: Option<Box<Spot>>,
        /// The column's name.
        column: String,
        /// The first such value.
        value: String,
        /// Lines (rows in a file without lines) of it and up to four more.
        rows: Vec<u64>,
        /// How many values of the column, as far as it was read, are not numbers.
        count: u64,
        /// Why there should be numbers.
        expected: Expected,
    },
    /// A column type that has no meaning as a feature.
    ColumnType {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// Its type.
        found: String,
    },
    /// A separator that cannot separate.
    BadSeparator(u8),
    /// The thread pool could not start.
    Threads {
        /// How many were asked for.
        threads: usize,
        /// The system's words.
        reason: String,
    },
    /// The table could not be made of the columns.
    Table {
        /// The file.
        file: String,
        /// The library's words.
        source: Box<weald::Error>,
    },
}

/// Why a file was not written. Unless `replaced`, the file that was there before is unchanged.
#[derive(Debug, Error)]
#[error(
    "cannot write {}: could not {step}: {}; {}",
    shown(.file), words(.source),
    if *.replaced { "the new file is in place, but a loss of power may undo that" }
    else { "any previous file is unchanged" }
)]
pub struct WriteError {
    /// The file.
    pub file: String,
    /// What failed: "write the data".
    pub step: &'static str,
    /// Whether the new file is in place nevertheless.
    pub replaced: bool,
    /// The system's error.
    pub source: io::Error,
}

impl ReadError {
    /// Whether the system failed (exit code 5), rather than the data being bad (exit code 3).
    pub fn is_io(&self) -> bool {
        matches!(self, ReadError::Io { .. } | ReadError::Threads { .. })
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.report().fmt(f)
    }
}
