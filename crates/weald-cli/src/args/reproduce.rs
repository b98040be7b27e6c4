//! The options of `weald reproduce`.

use super::reading::threads;
use crate::paths::InFile;
use clap::Args;

/// `weald reproduce`.
#[derive(Debug, Args)]
#[command(after_help = "\
Without NAME the results are listed. Data sets are read from a folder with a file
index.json: a list of objects with `name`, `file` and `target`, and where a set has them
`task` (such as multiclass), `categorical` (columns), `rows`, and `split`: {\"train\": [0, N],
\"test\": [N, M]}. For letter the table itself will do: its first four fifths are trained on.
Ctrl-C shows the results so far.

Examples:
  weald reproduce letter --data sets/letter.csv --rounds 100
  weald reproduce uci --data sets --only sonar,vehicle,letter")]
pub struct ReproduceArguments {
    /// Which one
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Folder of data sets [env: WEALD_DATA] [default: ../shared/data]
    #[arg(long, value_name = "PATH", env = "WEALD_DATA", hide_env = true)]
    pub data: Option<InFile>,
    /// Rounds of boosting [default: letter 1000, uci 100]
    #[arg(long, value_name = "N")]
    pub rounds: Option<usize>,
    /// Sets of the folder, instead of all that uci knows
    #[arg(long, value_name = "SET,SET", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Seed of all randomness
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Threads; 0: all cores [env: WEALD_THREADS]
    #[arg(long, value_name = "N", env = "WEALD_THREADS", hide_env = true, default_value = "0")]
    #[arg(hide_default_value = true, value_parser = threads)]
    pub threads: usize,
    /// Print one JSON document instead of tables
    #[arg(long)]
    pub json: bool,
}
