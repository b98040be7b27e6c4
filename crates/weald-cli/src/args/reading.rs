//! The options of every command that reads a table.

use clap::{Args, ValueEnum};
use weald::run::MOST_THREADS;
use weald_io::{DEFAULT_MISSING, Ragged, ReadOptions};

/// How a table is read, and on how many threads.
#[derive(Debug, Clone, Args)]
pub struct ReadingArguments {
    /// Treat missing fields of short rows as missing values
    #[arg(long, value_name = "fill", hide_possible_values = true)]
    pub ragged: Option<RaggedArgument>,
    /// Text that means a missing value too (repeatable)
    #[arg(long, value_name = "TEXT")]
    pub missing: Vec<String>,
    /// Threads; 0: all cores [env: WEALD_THREADS]
    #[arg(long, value_name = "N", env = "WEALD_THREADS", hide_env = true, default_value = "0")]
    #[arg(hide_default_value = true, value_parser = threads)]
    pub threads: usize,
}

/// What to do with rows of another length than the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RaggedArgument {
    /// Missing fields become missing values.
    Fill,
}

impl ReadingArguments {
    /// The reader's options.
    pub fn options(&self) -> ReadOptions {
        let ragged = match self.ragged {
            Some(RaggedArgument::Fill) => Ragged::Fill,
            None => Ragged::Error,
        };
        let missing = match self.missing.as_slice() {
            [] => None,
            more => {
                let default = DEFAULT_MISSING.iter().map(|t| (*t).to_string());
                Some(default.chain(more.iter().cloned()).collect())
            }
        };
        ReadOptions { ragged, missing, threads: self.threads, ..ReadOptions::default() }
    }
}

/// A number of threads that may be asked for.
pub fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if n <= MOST_THREADS => Ok(n),
        _ => Err(format!("expected a whole number of at most {MOST_THREADS}; 0: all cores")),
    }
}
