//! What was detected while reading: nothing here is wrong, but a wrong guess must not be silent.

use std::fmt;

use weald::error::quoted;

use crate::report::shown;

/// Something that was detected or decided while reading.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Note {
    /// The data were compressed.
    Compressed {
        /// "gzip" or "zstd".
        format: &'static str,
        /// Whether the file's name says so.
        named_so: bool,
    },
    /// A UTF-8 byte order mark was skipped.
    ByteOrderMark,
    /// The text was UTF-16.
    Utf16 {
        /// Whether the high byte comes first.
        big_endian: bool,
        /// Whether a byte order mark says so; otherwise the zero bytes did.
        marked: bool,
    },
    /// Fields are separated by something other than a comma.
    Separator(u8),
    /// Numbers are written with a decimal comma.
    DecimalComma {
        /// The first such number.
        example: String,
    },
    /// Lines end with a lone carriage return.
    LoneCarriageReturn,
    /// Blank lines between rows were skipped.
    BlankLines(u64),
    /// Rows with too few fields were filled with missing values.
    FilledRows {
        /// How many.
        rows: u64,
        /// The line of the first.
        first_line: u64,
    },
    /// Empty fields beyond the header's were ignored.
    PaddedRows {
        /// In how many rows.
        rows: u64,
        /// The line of the first.
        first_line: u64,
    },
    /// A token was read as a missing value.
    Missing {
        /// The token; empty for an empty field.
        token: String,
        /// How often.
        count: u64,
        /// In how many columns.
        columns: usize,
    },
    /// Nulls of a Parquet or Arrow file are missing values.
    Nulls {
        /// How many.
        count: u64,
        /// In how many columns.
        columns: usize,
    },
    /// A column without a name was given one.
    NamedColumn {
        /// The column, counted from 1.
        position: usize,
        /// Its new name.
        name: String,
    },
    /// The first row was taken as column names although it holds only numbers.
    HeaderLooksLikeData {
        /// The first name.
        first: String,
    },
    /// Numbers are written with separators between thousands.
    Thousands {
        /// The column's name.
        column: String,
        /// How many.
        count: u64,
        /// The first.
        first: String,
        /// The line it stands in.
        line: u64,
    },
    /// Numbers too large for double precision became infinite.
    OutOfRange {
        /// The column's name.
        column: String,
        /// How many.
        count: u64,
        /// The line of the first.
        line: u64,
    },
    /// Integers too large for double precision were rounded.
    RoundedIntegers {
        /// The column's name.
        column: String,
        /// How many.
        count: u64,
    },
    /// Decimals of more digits than double precision has were rounded.
    RoundedDecimals {
        /// The column's name.
        column: String,
        /// How many.
        count: u64,
    },
    /// Times finer than double precision tells apart were rounded.
    RoundedTimes {
        /// The column's name.
        column: String,
        /// How many.
        count: u64,
    },
    /// Dates or times became numbers.
    Time {
        /// The column's name.
        column: String,
        /// What the numbers count: "seconds since 1970-01-01 UTC".
        unit: &'static str,
    },
    /// Data that cannot be read from a stream were held in memory.
    Buffered {
        /// "Parquet" or "Arrow".
        format: &'static str,
    },
}

impl Note {
    /// Adds `note` to `notes`, or its count to a note of the same thing.
    pub(crate) fn add_up(notes: &mut Vec<Note>, note: Note) {
        for known in notes.iter_mut() {
            match (known, &note) {
                (Note::BlankLines(n), Note::BlankLines(m)) => *n += m,
                (Note::FilledRows { rows: n, .. }, Note::FilledRows { rows: m, .. })
                | (Note::PaddedRows { rows: n, .. }, Note::PaddedRows { rows: m, .. }) => *n += m,
                (Note::Nulls { count: n, columns: c }, Note::Nulls { count: m, columns: d }) => {
                    *n += m;
                    *c = (*c).max(*d);
                }
                (
                    Note::OutOfRange { column: c, count: n, .. },
                    Note::OutOfRange { column: d, count: m, .. },
                )
                | (
                    Note::RoundedIntegers { column: c, count: n },
                    Note::RoundedIntegers { column: d, count: m },
                )
                | (
                    Note::RoundedDecimals { column: c, count: n },
                    Note::RoundedDecimals { column: d, count: m },
                )
                | (
                    Note::RoundedTimes { column: c, count: n },
                    Note::RoundedTimes { column: d, count: m },
                )
                | (
                    Note::Thousands { column: c, count: n, .. },
                    Note::Thousands { column: d, count: m, .. },
                ) if c == d => *n += m,
                _ => continue,
            }
            return;
        }
        notes.push(note);
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Compressed { format, named_so: true } => write!(f, "decompressed {format} data"),
            Note::Compressed { format, named_so: false } => {
                write!(f, "the data are compressed with {format} although the name does not say so")
            }
            Note::ByteOrderMark => write!(f, "skipped a UTF-8 byte order mark"),
            Note::Utf16 { big_endian, marked } => {
                let order = if *big_endian { "big-endian" } else { "little-endian" };
                let how = if *marked { "by its byte order mark" } else { "by its zero bytes" };
                write!(f, "the text is UTF-16, {order}, {how}")
            }
            Note::Separator(b'\t') => write!(f, "fields are separated by tabs"),
            Note::Separator(byte) => {
                write!(f, "fields are separated by {}", quoted(&char::from(*byte).to_string()))
            }
            Note::DecimalComma { example } => {
                write!(f, "numbers are written with a decimal comma: {}", quoted(example))
            }
            Note::LoneCarriageReturn => write!(f, "lines end with a lone carriage return"),
            Note::BlankLines(1) => write!(f, "skipped 1 blank line between rows"),
            Note::BlankLines(n) => write!(f, "skipped {n} blank lines between rows"),
            Note::FilledRows { rows, first_line } => write!(
                f,
                "filled {} with too few fields with missing values, the first at line {first_line}",
                plural(*rows, "row")
            ),
            Note::PaddedRows { rows, first_line } => write!(
                f,
                "ignored empty fields at the end of {}, the first at line {first_line}",
                plural(*rows, "row")
            ),
            Note::Missing { token, count, columns } => {
                let (times, columns) = (plural(*count, "time"), plural(*columns as u64, "column"));
                match token.as_str() {
                    "" => write!(f, "empty fields are read as missing: {times} in {columns}"),
                    _ => write!(f, "{} is read as missing: {times} in {columns}", quoted(token)),
                }
            }
            Note::Nulls { count, columns } => {
                let (values, columns) =
                    (plural(*count, "value"), plural(*columns as u64, "column"));
                write!(f, "{values} in {columns} are missing")
            }
            Note::NamedColumn { position, name } => {
                write!(f, "column {position} has no name and is called {}", quoted(name))
            }
            Note::HeaderLooksLikeData { first } => write!(
                f,
                "the first row was taken as column names although it looks like data: it begins \
                 with {}",
                quoted(first)
            ),
            Note::Thousands { column, count, first, line } => write!(
                f,
                "column {} holds {} written with separators between thousands, the first {} at \
                 line {line}",
                quoted(column),
                plural(*count, "number"),
                quoted(first)
            ),
            Note::OutOfRange { column, count, line } => write!(
                f,
                "column {} holds {} beyond the range of double precision, read as infinity; the \
                 first at line {line}",
                quoted(column),
                plural(*count, "number")
            ),
            Note::RoundedIntegers { column, count } => write!(
                f,
                "column {} holds {} beyond 2^53 that double precision rounds; if it is an \
                 identifier, use --categorical {}",
                quoted(column),
                plural(*count, "integer"),
                shown(column)
            ),
            Note::RoundedDecimals { column, count } => write!(
                f,
                "column {} holds {} of more digits than double precision keeps; they are rounded",
                quoted(column),
                plural(*count, "number")
            ),
            Note::RoundedTimes { column, count } => write!(
                f,
                "column {} holds {} finer than seconds in double precision tell apart; they are \
                 rounded",
                quoted(column),
                plural(*count, "time")
            ),
            Note::Time { column, unit } => {
                write!(f, "column {} holds times, read as {unit}", quoted(column))
            }
            Note::Buffered { format } => {
                write!(f, "{format} data cannot be streamed and were held in memory whole")
            }
        }
    }
}

/// "1 row", "2 rows".
fn plural(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}
