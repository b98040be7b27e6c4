//! The options of every command that learns from rows without a target.

use clap::Args;

use super::{ReadingArguments, RowFormat};
use crate::paths::{InFile, OutFile};

/// Which rows and columns to learn from, and where results go.
#[derive(Debug, Args)]
pub struct UnlabelledArguments {
    /// Table: CSV, Parquet or Arrow [default: standard input]
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    pub file: InFile,
    /// Set a parameter; `weald methods NAME` lists them
    #[arg(short, long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Use a saved model instead of learning from FILE
    #[arg(long, value_name = "MODEL", conflicts_with = "settings")]
    pub model: Option<InFile>,
    /// Save the model
    #[arg(long, value_name = "MODEL", conflicts_with = "model")]
    pub save: Option<OutFile>,
    /// Replace the saved MODEL even if it is not a model
    #[arg(long, requires = "save")]
    pub force: bool,
    /// Column that names rows: copied, not learned from (repeatable)
    #[arg(long, value_name = "COL")]
    pub id: Vec<String>,
    /// Copy a column of the input to the output (repeatable)
    #[arg(short, long, value_name = "COL")]
    pub keep: Vec<String>,
    /// Leave a column aside (repeatable, as the next two)
    #[arg(long, value_name = "COL")]
    pub drop: Vec<String>,
    /// Read a column as categories
    #[arg(long, value_name = "COL")]
    pub categorical: Vec<String>,
    /// Read a column as numbers
    #[arg(long, value_name = "COL")]
    pub numeric: Vec<String>,
    /// Column of row weights
    #[arg(long, value_name = "COL", conflicts_with = "model")]
    pub weight: Option<String>,
    /// csv or json-lines
    #[arg(short, long, value_name = "FORMAT", default_value = "csv", hide_possible_values = true)]
    pub format: RowFormat,
    /// Where to write [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<OutFile>,
    /// How tables are read
    #[command(flatten)]
    pub reading: ReadingArguments,
    /// Seed of all randomness
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

impl UnlabelledArguments {
    /// The reader's options.
    pub fn read_options(&self) -> weald_io::ReadOptions {
        let mut options = self.reading.options();
        options.categorical = self.categorical.clone();
        options.numeric = self.numeric.clone();
        let is_read =
            |name: &&String| !self.kept().contains(name) && self.weight.as_ref() != Some(name);
        options.skip = self.drop.iter().filter(is_read).cloned().collect();
        options
    }

    /// The columns to copy, those that name rows first.
    pub fn kept(&self) -> Vec<String> {
        let more = self.keep.iter().filter(|name| !self.id.contains(name));
        self.id.iter().chain(more).cloned().collect()
    }
}
