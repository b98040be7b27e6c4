//! What the caller may say about a file; everything left out is detected.

use weald::run::MOST_THREADS;

/// How to read a file. The default detects everything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadOptions {
    /// Columns to read as categories even if they hold numbers. Numbers and booleans have one spelling
    /// as levels, whatever the file writes: 1.0 is `1`, `True` is `true`; text is as written.
    pub categorical: Vec<String>,
    /// Columns that must hold numbers: any other text there is an error.
    pub numeric: Vec<String>,
    /// Columns to leave unread, whatever they hold.
    pub skip: Vec<String>,
    /// The byte between fields; otherwise one of `,` `;` tab `|` by consistency of the first rows.
    pub separator: Option<u8>,
    /// Whether numbers are written `3,14`; otherwise decided by the first rows, and only where the
    /// separator is not a comma.
    pub decimal_comma: Option<bool>,
    /// Tokens that mean a missing value, instead of [`crate::DEFAULT_MISSING`]. The default tokens
    /// match exactly in a column of words and in any case in a column of numbers; tokens given here
    /// match exactly everywhere. An empty field is always missing.
    pub missing: Option<Vec<String>>,
    /// What to do with rows that have too few fields.
    pub ragged: Ragged,
    /// Threads to parse with; 0 takes all cores. The result does not depend on it.
    pub threads: usize,
}

/// What to do with a row that has fewer fields than the header. A row with more fields is an error
/// either way, unless `Fill` is chosen and all further fields are empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ragged {
    /// Refuse the file, and name the rows.
    #[default]
    Error,
    /// Read the absent fields as missing values.
    Fill,
}

impl ReadOptions {
    /// How many threads that is.
    pub(crate) fn n_threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n.min(MOST_THREADS),
        }
    }
}
